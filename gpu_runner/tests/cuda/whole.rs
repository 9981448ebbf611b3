//! RMSNorm through the production code, over a stand-in for the driver.

use evidence::{Backend, EvidenceClass, EvidenceLevel, Status, Timer};

use crate::double::{Double, LIES};

#[test]
fn every_shape_is_right_in_every_element() {
    let double = Double::new(&[]);
    for (rows, hidden) in [(1, 1), (1, 255), (2, 256), (3, 257), (7, 31), (13, 1021), (300, 5), (2, 4099)] {
        let report = double.rmsnorm(rows, hidden).unwrap();
        for candidate in &report.candidates {
            let what = format!("{} at {rows} × {hidden}", candidate.name);
            assert_eq!(candidate.status, Status::Ok, "{what}: {:?}", candidate.error);
            // Within the tolerance, which each of these runs was held to in every element.
            assert!(candidate.quality.max_rel_error.unwrap() < 2e-6, "{what}: {:?}", candidate.quality);
            assert_eq!(candidate.runs.len(), 3, "{what}");
            assert_eq!(candidate.metrics.timer, Some(Timer::DeviceEvents), "{what}");
            assert_eq!(candidate.metrics.bytes_moved, None, "a GPU counts no bytes: {what}");
        }
        for line in report.ledger.iter().filter(|line| !line.part.starts_with("moved_")) {
            assert_eq!(line.measured_bytes, Some(line.bytes), "{} at {rows} × {hidden}", line.part);
        }
        let (r, h) = (rows, hidden);
        let peaks = report.candidates.iter().map(|candidate| candidate.metrics.peak_allocated_bytes);
        assert!(peaks.eq([Some(4 * (3 * r * h + h + 2 * r)), Some(4 * (2 * r * h + h))]), "{rows} × {hidden}");
    }
}

#[test]
fn the_other_labs_are_right_on_awkward_sizes() {
    let double = Double::new(&[]);
    for (lab, params) in [
        ("memory-bandwidth", vec!["elements=1"]),
        ("memory-bandwidth", vec!["elements=3"]),
        ("memory-bandwidth", vec!["elements=4099"]),
        ("kv-quant", vec!["tokens=1", "heads=1", "head_dim=8", "outliers=0"]),
        ("kv-quant", vec!["tokens=5", "heads=3", "head_dim=24"]),
        ("kv-quant", vec!["tokens=67", "heads=2", "head_dim=136"]),
    ] {
        let report = double.lab(lab, &[&params[..], &["samples=3"]].concat()).unwrap();
        assert!(report.candidates.len() > 5, "{lab}: every variant of the lab");
        for candidate in &report.candidates {
            let what = format!("{lab} {params:?}: {}", candidate.name);
            assert_eq!(candidate.status, Status::Ok, "{what}: {:?}", candidate.error);
            assert!(!candidate.runs.is_empty(), "{what} was timed");
        }
        assert_eq!(report.evidence_class(), EvidenceClass::Cpu);
        assert!(report.roofline.is_some(), "{lab}: the roofline has CUDA sources too");
    }
}

/// What the pool holds is told apart from what is allocated, and begins anew with each variant.
#[test]
fn the_pool_tells_reserved_from_allocated() {
    const LARGE_PAGE: u64 = 2 << 20;
    let pages = |bytes: u64| bytes.div_ceil(LARGE_PAGE) * LARGE_PAGE;
    // 4 MiB a matrix: the unfused variant has room for one more of them than the fused one.
    let report = Double::new(&[]).rmsnorm(512, 2048).unwrap();
    let mut reserved = Vec::new();
    for candidate in &report.candidates {
        let (peak, held) = (candidate.metrics.peak_allocated_bytes.unwrap(), candidate.metrics.peak_reserved_bytes);
        assert_eq!(held, Some(pages(peak)), "{}", candidate.name);
        reserved.extend(held);
        let mut most = 0;
        for step in &candidate.timeline {
            most = most.max(step.allocated_bytes);
            assert_eq!(step.reserved_bytes, Some(pages(most)), "freed memory stays with the pool: {step:?}");
        }
    }
    assert!(reserved[1] < reserved[0], "the second variant holds nothing of the first: {reserved:?}");
    for without in [[("pools", "0")], [("cuMemPoolCreate", "801")]] {
        let report = Double::new(&without).rmsnorm(2, 8).unwrap();
        let known = report.candidates.iter().flat_map(|candidate| &candidate.timeline);
        assert!(known.map(|step| step.reserved_bytes).all(|reserved| reserved.is_none()), "{without:?}");
    }
}

#[test]
fn a_stand_in_is_no_gpu_whatever_it_says() {
    for settings in [&[][..], &LIES] {
        let report = Double::new(settings).rmsnorm(4, 64).unwrap();
        let device = report.device.as_ref().unwrap();
        assert_eq!(device.backend, Backend::CudaTestDouble);
        assert_eq!(report.evidence_class(), EvidenceClass::Cpu, "{device:?}");
        assert_eq!(report.level, EvidenceLevel::CpuBenchmark);
        let bytes = serde_json::to_vec(&report).unwrap();
        let context = evidence::GradeContext {
            provenance: evidence::Provenance::Runner { runner: "r".into() },
            ..Default::default()
        };
        let lab = labs::lab("rmsnorm").unwrap();
        let points = evidence::grade(&evidence::read(&bytes).unwrap(), &lab.rubric, &context).points;
        assert!(points.gpu.possible > 0 && points.gpu.earned == 0, "{points:?}");
        // Nor may a server take it for a run on the backend that the lab asks for.
        assert!(!lab.backends.iter().any(|backend| backend == device.backend.id()));
    }
}

#[test]
fn devices_shows_what_it_is() {
    let said = |double: &Double| String::from_utf8(double.runner(&["devices"]).stdout).unwrap();
    let line = said(&Double::new(&LIES));
    assert!(line.contains("NVIDIA H100 80GB HBM3: CPU evidence"), "{line}");
    let none = said(&Double::new(&[("cuInit", "100")]));
    assert!(none.contains("cuda  none: cuInit: CUDA_ERROR_NO_DEVICE (100): the driver sees no GPU"), "{none}");
}

#[test]
fn a_device_too_small_is_a_boundary_and_not_a_failure() {
    // 64 × 64: 2 MiB are taken to flush the cache; then the fused variant needs 33,024 B, the unfused one 49,920 B.
    let report = Double::new(&[("memory", "2140000")]).rmsnorm(64, 64).unwrap();
    let edges: Vec<&str> = report.boundaries.iter().map(|edge| edge.candidate.as_str()).collect();
    assert_eq!(edges, ["baseline"]);
}

#[test]
fn a_fault_in_a_kernel_is_found() {
    let failed = |double: &Double| match double.rmsnorm(8, 60) {
        Err(_) => true,
        Ok(report) => report.candidates.iter().any(|candidate| candidate.status == Status::Failed),
    };
    assert!(!failed(&Double::new(&[])), "the source as it is");
    for (right, wrong) in [
        ("__syncthreads();", ""),
        ("__shfl_sync(ALL, sum, 0)", "sum"),
        ("distance = WARP / 2", "distance = WARP / 4"),
        ("column < hidden", "column < hidden - 1"),
        ("if (at < elements)", ""),
        ("if (at < elements)", "if (at + 1 < elements)"),
        ("if (row < rows)", ""),
        (" + eps)", ")"),
        ("* inverse * weight[column]", "* inverse"),
        ("* root * weight[column]", "* root * weight[0]"),
    ] {
        assert!(failed(&Double::faulty(right, wrong)), "{right:?} became {wrong:?}");
    }
}

#[test]
fn what_the_monitor_sees_stands_in_the_report() {
    let of = |settings: &[(&str, &str)]| Double::new(settings).rmsnorm(2, 8).unwrap().conditions;
    assert_eq!(of(&[]), None, "no monitor");
    let steady = of(&[("clocks", "210,1980")]).unwrap();
    assert!(steady.is_steady(), "{steady:?}");
    // At least two warm-up rounds and three that count, of two variants.
    assert!(steady.samples >= 10);
    assert_eq!((steady.clock_highest_mhz, steady.temperature_highest_c), (1980, Some(40)));
    // 4: the power limit; 64: too hot.
    let held = of(&[("clocks", "1980,1980,1200"), ("celsius", "88"), ("reasons", "68")]).unwrap();
    assert!(!held.is_steady());
    assert_eq!((held.clock_highest_mhz, held.clock_fallen_mhz, held.temperature_highest_c), (1980, 1200, Some(88)));
    assert_eq!(held.held_back_by, ["sw_power_cap", "hw_thermal_slowdown"]);
}
