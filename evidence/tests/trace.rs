//! Traces made here, with answers that are counted by hand; hostile files; streams that no memory could hold.

use std::io::{Read, Write as _};

use evidence::trace::{Category, Reading, Trace, TraceError, read};
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use serde_json::{Value, json};

fn event(cat: &str, name: &str, tid: u64, ts: f64, dur: f64) -> Value {
    json!({"ph": "X", "cat": cat, "name": name, "pid": 7, "tid": tid, "ts": ts, "dur": dur, "args": {"External id": 1}})
}

fn work(cat: &str, name: &str, stream: u64, ts: f64, dur: f64) -> Value {
    json!({"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur,
           "args": {"device": 0, "stream": stream, "bytes": 4096}})
}

fn memory(ts: f64, allocated: u64, reserved: u64) -> Value {
    json!({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 7, "tid": 1, "ts": ts,
           "args": {"Total Allocated": allocated, "Total Reserved": reserved, "Bytes": 1, "Addr": 2, "Device Id": 0, "Device Type": 1}})
}

/// Two steps of 100 µs and a pause of 10 between them.
fn events() -> Vec<Value> {
    vec![
        json!({"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "python"}}),
        event("user_annotation", "ProfilerStep#3", 1, 1000.0, 100.0),
        event("cpu_op", "aten::mm", 1, 1010.0, 40.0),
        event("cuda_runtime", "cudaLaunchKernel", 1, 1020.0, 10.0),
        event("cpu_op", "aten::mm", 1, 1060.0, 5.0),
        event("user_annotation", "ProfilerStep#4", 1, 1110.0, 100.0),
        event("cuda_runtime", "cudaDeviceSynchronize", 1, 1190.0, 15.0),
        // Overlaps the synchronisation by 5 µs; half of it lies behind the step.
        event("overhead", "Activity Buffer Request", 9, 1200.0, 20.0),
        json!({"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler",
               "ts": 900.0, "dur": 500.0}),
        work("kernel", "gemm", 7, 1030.0, 30.0),
        // On another stream: 10 µs beside the first kernel.
        work("kernel", "gemm", 8, 1050.0, 20.5),
        work("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 9, 1065.0, 20.0),
        work("gpu_memset", "Memset (Device)", 9, 1120.0, 4.0),
        json!({"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#3", "pid": 0, "tid": 7, "ts": 1030.0, "dur": 55.0}),
        memory(1015.0, 1000, 4096),
        memory(1045.0, 3000, 8192),
        memory(1150.0, 2000, 8192),
        json!({"ph": "s", "id": 1, "cat": "ac2g", "name": "ac2g", "pid": 7, "tid": 1, "ts": 1020.0}),
    ]
}

fn file(events: &[Value]) -> String {
    json!({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150_754_820_096_u64, "other": [1]}],
           "displayTimeUnit": "ms", "unknown": {"deep": [[[]]]}, "traceEvents": events, "traceName": "trace.json"})
    .to_string()
}

fn trace(text: &str) -> Trace {
    match read(text.as_bytes()).expect("a trace") {
        Reading::Trace(trace) => *trace,
        Reading::Tables(_) => panic!("a trace"),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn a_trace_comes_to_what_is_counted_by_hand() {
    let trace = trace(&file(&events()));
    assert_eq!((trace.events, trace.left_out, trace.names_merged), (18, 0, false));
    assert_eq!(trace.device_names[0].name, "NVIDIA H200");
    assert_eq!(trace.span_ns, 220_000);
    let times: Vec<(Category, u64, u64, Option<u64>)> =
        trace.categories.iter().map(|c| (c.category, c.events, c.sum_ns, c.once_ns)).collect();
    assert_eq!(
        times,
        [
            (Category::Kernel, 2, 50_500, Some(40_500)),
            (Category::Memcpy, 1, 20_000, Some(20_000)),
            (Category::Memset, 1, 4_000, Some(4_000)),
            // 40 less the launch inside, and 5.
            (Category::CpuOp, 2, 45_000, Some(35_000)),
            (Category::Runtime, 2, 25_000, Some(25_000)),
            (Category::Annotation, 2, 200_000, Some(140_000)),
            (Category::GpuAnnotation, 1, 55_000, None),
            (Category::Overhead, 1, 20_000, Some(20_000)),
        ]
    );
    let operators: Vec<(&str, u64, u64, u64)> =
        trace.operators.iter().map(|o| (o.name.as_str(), o.calls, o.self_ns, o.longest_ns)).collect();
    assert_eq!(
        operators,
        [
            ("ProfilerStep*", 2, 140_000, 100_000),
            ("aten::mm", 2, 35_000, 40_000),
            ("Activity Buffer Request", 1, 20_000, 20_000),
            ("cudaDeviceSynchronize", 1, 15_000, 15_000),
            ("cudaLaunchKernel", 1, 10_000, 10_000),
        ]
    );
    assert_eq!((trace.kernels[0].name.as_str(), trace.kernels[0].calls, trace.kernels[0].self_ns), ("gemm", 2, 50_500));
    assert_eq!((trace.copies[0].calls, trace.copies[0].bytes), (1, 4096));
    let device = trace.devices[0];
    assert_eq!((device.kernel_ns, device.copy_ns, device.memset_ns), (40_500, 20_000, 4_000));
    // Kernels until 1070.5, the copy from 1065.
    assert_eq!((device.overlap_ns, device.busy_ns, device.window_ns), (5_500, 59_000, 210_000));
    assert_eq!(device.hidden_share(), 0.275);
}

#[test]
fn steps_and_the_cost_of_profiling() {
    let trace = trace(&file(&events()));
    let steps: Vec<_> =
        trace.steps.iter().map(|s| (s.number, s.start_ns, s.duration_ns, s.device_busy_ns, s.gap_ns)).collect();
    assert_eq!(steps, [(3, 0, 100_000, 55_000, Some(10_000)), (4, 110_000, 100_000, 4_000, None)]);
    let overhead = trace.overhead.expect("steps");
    assert_eq!((overhead.window_ns, overhead.gaps_ns), (210_000, 10_000));
    // Inside the step: synchronisation 1190–1205, buffer request 1200–1210.
    assert_eq!((overhead.synchronize_ns, overhead.reported_ns, overhead.profiler_ns), (15_000, 10_000, 0));
    assert_eq!(overhead.once_ns, 30_000);
    let without: Vec<Value> =
        events().into_iter().filter(|e| !e["name"].as_str().is_some_and(|n| n.starts_with("ProfilerStep"))).collect();
    let bare = self::trace(&file(&without));
    assert!(bare.overhead.is_none() && bare.steps.is_empty());
    assert_eq!(bare.devices[0].window_ns, bare.span_ns);
}

#[test]
fn the_counters_of_memory_have_their_peak() {
    let trace = trace(&file(&events()));
    let track = &trace.memory[0];
    assert_eq!((track.kind.as_str(), track.device, track.events), ("cuda", 0, 3));
    assert_eq!((track.peak.at_ns, track.peak.allocated_bytes, track.peak.reserved_bytes), (45_000, 3000, 8192));
    assert_eq!((track.peak_step, track.peak_reserved_bytes, track.points.len()), (Some(3), 8192, 3));
    // A long track is thinned, and its peak stays.
    let long: Vec<Value> = (0..10_000).map(|at| memory(f64::from(at), if at == 7_777 { 99 } else { 5 }, 100)).collect();
    let track = &self::trace(&file(&long)).memory[0];
    assert!(track.events == 10_000 && track.points.len() <= 600);
    assert!(track.peak.at_ns == 7_777_000 && track.points.contains(&track.peak));
}

#[test]
fn the_same_trace_compressed_bare_and_shuffled() {
    let plain = trace(&file(&events()));
    let packed = match read(&gzip(file(&events()).as_bytes())[..]).expect("a trace") {
        Reading::Trace(trace) => *trace,
        Reading::Tables(_) => panic!("a trace"),
    };
    assert!(packed.compressed);
    assert_eq!(Trace { compressed: false, ..packed }, plain);
    let mut shuffled = events();
    shuffled.reverse();
    assert_eq!(Trace { bytes: plain.bytes, ..trace(&file(&shuffled)) }, plain);
    let bare = trace(&format!("\u{feff} {}", Value::Array(events())));
    assert_eq!((bare.categories, bare.devices), (plain.categories, plain.devices));
}

#[test]
fn an_impossible_event_is_left_out_and_named() {
    for (bad, field) in [
        (json!({"ph": "X", "cat": "kernel", "name": "k", "ts": 1.0, "dur": -1.0}), "dur"),
        (json!({"ph": "X", "cat": "kernel", "name": "k", "ts": 1.0}), "dur"),
        (json!({"ph": "X", "cat": "kernel", "name": "k", "ts": "soon", "dur": 1.0}), "ts"),
        (json!({"ph": "X", "cat": "kernel", "name": "k", "ts": [1], "dur": 1.0}), "ts"),
        (json!({"ph": "X", "cat": "kernel", "name": "k", "ts": 1e300, "dur": 1.0}), "ts"),
        (json!({"ph": "X", "cat": "kernel", "name": "k", "ts": 8.9e15, "dur": 8.9e15}), "dur"),
        (json!({"ph": "X", "cat": "kernel", "name": "k", "ts": i64::MAX, "dur": 1}), "ts"),
        (json!({"ph": "i", "name": "[memory]", "ts": 1.0, "args": {"Total Allocated": -5}}), "Total Allocated"),
        (json!(["not", {"an": "event"}]), "traceEvents"),
        (json!(7), "traceEvents"),
    ] {
        let mut all = events();
        all.insert(3, bad.clone());
        let trace = trace(&file(&all));
        assert_eq!(trace.left_out, 1, "{bad}");
        let first = trace.first_left_out.expect("the first");
        assert_eq!(first.field, field, "{bad}");
        assert!(first.offset > 0 && !first.found.is_empty());
        assert_eq!(trace.devices, self::trace(&file(&events())).devices, "{bad}");
    }
    // Before the epoch of its clock is a time like any other.
    let early = trace(&file(&[work("kernel", "k", 7, -5.5, 2.0)]));
    assert_eq!((early.left_out, early.devices[0].busy_ns), (0, 2000));
    // Of a key that comes twice the last counts.
    let twice =
        r#"{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "a", "name": "b", "ts": 0, "dur": 9, "dur": 1}]}"#;
    assert_eq!((trace(twice).kernels[0].name.as_str(), trace(twice).kernels[0].sum_ns), ("b", 1000));
}

fn refused(bytes: &[u8]) -> TraceError {
    read(bytes).expect_err("no trace")
}

#[test]
fn what_is_no_trace_is_told_with_its_place() {
    let text = file(&events());
    let nested = format!("{{\"traceEvents\": {}", "[".repeat(100_000));
    let ignored = format!("{{\"other\": {}", "[".repeat(100_000));
    let long = format!("{{\"traceEvents\": [{{\"name\": \"{}\"}}]}}", "x".repeat(2 << 20));
    let cases: [(&[u8], &str, Option<u64>); 16] = [
        (b"", "Empty", None),
        (b" \n\t ", "Empty", None),
        (&text.as_bytes()[..text.len() - 40], "Truncated", Some(text.len() as u64 - 40)),
        (b"{\"traceEvents\": [{\"ph\": \"X\", \"ts\": NaN}]}", "Syntax", Some(36)),
        (b"{\"traceEvents\": [{\"ph\": \"X\", \"ts\": 1e400}]}", "Syntax", None),
        (b"{\"traceEvents\": [{\"ph\": \"X\", \"ts\": -Infinity}]}", "Syntax", None),
        (b"{\"traceEvents\": [],}", "Syntax", None),
        (b"{\"traceEvents\": [], \"traceEvents\": []}", "SecondEvents", None),
        (b"{\"traceEvents\": {}}", "Syntax", None),
        (b"{\"a\": 1, \"b\": 2}", "NoEvents", None),
        (b"{\"traceEvents\": [{\"ph\": \"M\"}]}", "NothingTimed", None),
        (b"[]", "NothingTimed", None),
        (nested.as_bytes(), "TooDeep", None),
        (ignored.as_bytes(), "TooDeep", None),
        (long.as_bytes(), "LongText", None),
        (b"PK\x03\x04 a zip", "NotATrace", None),
    ];
    for (bytes, kind, offset) in cases {
        let error = refused(bytes);
        assert!(format!("{error:?}").starts_with(kind), "{kind}: {error:?}");
        if let Some(offset) = offset {
            assert_eq!(error.offset(), Some(offset), "{error}");
        }
        for lang in evidence::Lang::ALL {
            assert!(!error.message(lang).is_empty() && !error.fix().get(lang).is_empty());
        }
    }
    assert!(refused(b"{\"a\": 1, \"b\": 2}").to_string().contains("a, b"));
    let mut cut = gzip(text.as_bytes());
    cut.truncate(cut.len() / 2);
    assert!(matches!(refused(&cut), TraceError::Gzip { .. }));
    let mut broken = gzip(text.as_bytes());
    let middle = broken.len() / 2;
    broken[middle] ^= 0xff;
    let error = refused(&broken);
    assert!(
        matches!(error, TraceError::Gzip { .. } | TraceError::Syntax { .. } | TraceError::Truncated { .. }),
        "{error:?}"
    );
}

/// Fails after some bytes, as a connection does.
struct Broken(usize);

impl Read for Broken {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            return Err(std::io::Error::other("the sender went away"));
        }
        let count = buffer.len().min(self.0);
        buffer[..count].fill(b'[');
        self.0 -= count;
        Ok(count)
    }
}

#[test]
fn a_source_that_fails_is_not_the_files_fault() {
    assert!(matches!(read(Broken(0)), Err(TraceError::Read { .. })));
    assert!(matches!(read(Broken(40)), Err(TraceError::Read { detail, .. }) if detail.contains("went away")));
}

#[test]
fn a_small_file_that_inflates_without_end_is_stopped() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(b"{\"traceEvents\": [").expect("memory");
    for _ in 0..64 {
        encoder.write_all(&vec![b' '; 1 << 20]).expect("memory");
    }
    let bomb = encoder.finish().expect("memory");
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    let error = refused(&bomb);
    let TraceError::Bomb { offset } = error else { panic!("{error:?}") };
    assert!(offset < 20 << 20, "{offset}");
}

/// Events that are made while they are read: `many` kernels of 3 µs, one every 5 µs, each launched by an operator.
struct Made {
    many: u64,
    at: u64,
    piece: Vec<u8>,
    read: usize,
    total: u64,
    largest: usize,
}

impl Made {
    fn new(many: u64) -> Self {
        Self {
            many,
            at: 0,
            piece: b"{\"schemaVersion\": 1, \"traceEvents\": [\n".to_vec(),
            read: 0,
            total: 0,
            largest: 0,
        }
    }

    fn next(&mut self) {
        self.piece.clear();
        self.read = 0;
        let ts = self.at * 5;
        let comma = if self.at > 0 { "," } else { "" };
        if self.at < self.many {
            let name = self.at % 50;
            let _ = write!(
                self.piece,
                "{comma}  {{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::op{name}\", \"pid\": 7, \"tid\": 7,\n    \"ts\": {ts}.250, \"dur\": 4.500,\n    \"args\": {{\"External id\": {}, \"Record function id\": 0, \"Concrete Inputs\": [\"\", \"[1, 2]\"], \"Sequence number\": 12}}\n  }},\n  {{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void at::native::vectorized_elementwise_kernel<4, float{name}>\", \"pid\": 0, \"tid\": 7,\n    \"ts\": {ts}.500, \"dur\": 3.000,\n    \"args\": {{\"device\": 0, \"stream\": 7, \"correlation\": {}, \"grid\": [1, 2, 3], \"block\": [128, 1, 1]}}\n  }}\n",
                self.at, self.at
            );
        } else if self.at == self.many {
            self.piece.extend(b"], \"traceName\": \"made\"}");
        }
        self.at += 1;
    }
}

impl Read for &mut Made {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.read == self.piece.len() {
            self.next();
        }
        let count = buffer.len().min(self.piece.len() - self.read);
        buffer[..count].copy_from_slice(&self.piece[self.read..self.read + count]);
        self.read += count;
        self.total += count as u64;
        self.largest = self.largest.max(buffer.len());
        Ok(count)
    }
}

fn streamed(bytes: u64) {
    let many = bytes / 520;
    let mut made = Made::new(many);
    let Ok(Reading::Trace(trace)) = read(&mut made) else { panic!("a trace") };
    assert_eq!((trace.events, trace.bytes), (many * 2, made.total));
    // The reader asks for pieces, never for the file.
    assert!(made.largest <= 2 << 20, "{}", made.largest);
    assert_eq!((trace.kernels.len(), trace.operators.len()), (40, 40), "50 names, 40 of them listed");
    let device = trace.devices[0];
    assert_eq!((device.kernel_ns, device.busy_ns), (many * 3000, many * 3000));
    let operators = trace.categories.iter().find(|c| c.category == Category::CpuOp).expect("operators");
    assert_eq!(operators.once_ns, Some(many * 4500));
    assert!(made.total >= bytes * 9 / 10, "{} of {bytes}", made.total);
}

#[test]
fn a_stream_is_read_piece_by_piece() {
    streamed(8 << 20);
}

/// 200 MB take some seconds with optimisation and most of a minute without.
#[test]
#[ignore = "long without optimisation: cargo test --release -p evidence --test trace -- --ignored"]
fn two_hundred_megabytes_are_read_piece_by_piece() {
    streamed(200_000_000);
}

#[test]
fn more_events_than_are_kept_are_refused() {
    // Every event has a thread of its own.
    let many: Vec<Value> = (0..11_000).map(|tid| event("cpu_op", "a", tid, 1.0, 1.0)).collect();
    let error = refused(file(&many).as_bytes());
    assert!(matches!(error, TraceError::TooMany { what: "threads", .. }), "{error:?}");
    // Names beyond the bound are one.
    let many: Vec<Value> = (0..21_000).map(|at| event("cpu_op", &format!("op{at}"), 1, f64::from(at), 1.0)).collect();
    let trace = trace(&file(&many));
    assert!(trace.names_merged);
    assert_eq!((trace.operators[0].name.as_str(), trace.operators[0].calls), ("…", 1000));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_file_is_read_or_refused(
        which in 0..3_u8, cut in any::<prop::sample::Index>(), flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)
    ) {
        let mut bytes = match which {
            0 => file(&events()).into_bytes(),
            1 => gzip(file(&events()).as_bytes()),
            _ => b"Name  Self CUDA  # of Calls\n----  ----  ----\naten::mm  1.500ms  12\nSelf CUDA time total: 3.000ms\n".to_vec(),
        };
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len() * 2));
        match read(&bytes[..]) {
            Ok(Reading::Trace(trace)) => prop_assert!(trace.events <= 18 && trace.operators.len() <= 40),
            Ok(Reading::Tables(tables)) => prop_assert!(!tables.is_empty()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
