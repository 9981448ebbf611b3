//! The catalogue of cards, checked by arithmetic: a data sheet's rate is cores × operations per clock × clock.

use ledger::catalogue;

/// Card, streaming multiprocessors, dense operations per clock and multiprocessor with 16-bit inputs, clock in GHz.
/// Counts and clocks from the architecture white papers and data sheets.
const TENSOR: &[(&str, f64, f64, f64)] = &[
    ("v100-16gb", 80.0, 1024.0, 1.53),
    ("v100-32gb", 80.0, 1024.0, 1.53),
    ("a100-40gb", 108.0, 2048.0, 1.41),
    ("a100-80gb", 108.0, 2048.0, 1.41),
    ("a100-80gb-pcie", 108.0, 2048.0, 1.41),
    ("a10", 72.0, 1024.0, 1.695),
    ("h100-80gb", 132.0, 4096.0, 1.83),
    ("h100-80gb-pcie", 114.0, 4096.0, 1.62),
    ("h200", 132.0, 4096.0, 1.83),
    ("gh200-96gb", 132.0, 4096.0, 1.83),
    ("l4", 58.0, 1024.0, 2.04),
    ("l40s", 142.0, 1024.0, 2.49),
    ("t4", 40.0, 1024.0, 1.59),
    ("rtx3090", 82.0, 512.0, 1.695),
    ("rtx4090", 128.0, 512.0, 2.52),
    ("rtx5090", 170.0, 512.0, 2.407),
    ("rtx6000-ada", 142.0, 1024.0, 2.505),
    ("rtxa6000", 84.0, 1024.0, 1.8),
];

/// Card, bits of the memory bus, Gbit/s per pin.
const MEMORY: &[(&str, f64, f64)] = &[
    ("a10", 384.0, 12.5),
    ("l4", 192.0, 12.5),
    ("l40s", 384.0, 18.0),
    ("t4", 256.0, 10.0),
    ("rtx3060-12gb", 192.0, 15.0),
    ("rtx3090", 384.0, 19.5),
    ("rtx4090", 384.0, 21.0),
    ("rtx5090", 512.0, 28.0),
    ("rtx6000-ada", 384.0, 20.0),
    ("rtxa6000", 384.0, 16.0),
];

fn close(got: u64, expected: f64, what: &str) {
    assert!((got as f64 / expected - 1.0).abs() < 0.006, "{what}: {got} against {expected}");
}

#[test]
fn rates_are_cores_times_clock() {
    for (id, processors, operations, clock) in TENSOR {
        let speed = catalogue::card(id).and_then(|card| card.speed).expect("typed in");
        let rate = speed.dense_rate("fp16").expect("every tensor core has fp16");
        close(rate, processors * operations * clock * 1e9, id);
    }
    for (id, bits, per_pin) in MEMORY {
        let speed = catalogue::card(id).and_then(|card| card.speed).expect("typed in");
        close(speed.memory, bits * per_pin / 8.0 * 1e9, id);
    }
}

/// 16 lanes: 8, 16, 32 GT/s and 128 of 130 bits, per direction.
#[test]
fn links_are_lanes_times_rate() {
    let generations = [8u64, 16, 32].map(|rate| rate * 1_000_000_000 * 16 / 8 / 130 * 128);
    for card in catalogue::cards() {
        let Some(speed) = card.speed else { continue };
        let pcie = speed.pcie;
        let known = pcie.is_none_or(|pcie| generations.iter().any(|rate| rate.abs_diff(pcie) < 1_000_000));
        assert!(known, "{}: {pcie:?} is not sixteen lanes of PCIe 3, 4 or 5", card.id);
        assert!(speed.host().is_some() && speed.peers().is_some(), "{}", card.id);
    }
    let host = |id| catalogue::card(id).and_then(|card| card.speed).and_then(|speed| speed.host());
    assert_eq!((host("gh200-96gb"), host("h200")), (Some(450_000_000_000), Some(63_015_000_000)));
}

/// The next narrower format is twice as fast, as the hardware is built; FP4 and FP8 only where there are units for them.
#[test]
fn rates_of_formats_follow_their_width() {
    for card in catalogue::cards() {
        let Some(speed) = card.speed else { continue };
        let rate = |format| speed.dense_rate(format).map(|rate| rate as f64);
        for (wide, narrow) in [("bf16", "fp8"), ("fp8", "fp4"), ("tf32", "fp16")] {
            if let (Some(wide_rate), Some(narrow_rate)) = (rate(wide), rate(narrow)) {
                let ratio = narrow_rate / wide_rate;
                let fp32_accumulation = card.id.starts_with("rtx5090") && narrow == "fp4";
                let expected = if fp32_accumulation { 4.0 } else { 2.0 };
                assert!((ratio / expected - 1.0).abs() < 0.03, "{}: {wide} to {narrow} is {ratio}", card.id);
            }
        }
        assert_eq!(
            rate("bf16").is_some(),
            rate("fp16").is_some() && !["v100-16gb", "v100-32gb", "t4"].contains(&card.id)
        );
    }
}
