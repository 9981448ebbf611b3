//! Scripts of the allocator, read from text.

use ledger::allocator::{Operation, Settings, parse_script, steps};

#[test]
fn lines_that_are_no_operation_are_named() {
    for (text, line, expected) in [
        ("alloc a 1MiB\nalloc", 2, "a name"),
        ("alloc a 12 parsec", 1, "a size"),
        ("alloc a -1", 1, "a size"),
        ("alloc a NaN", 1, "a size"),
        ("alloc a 1e400", 1, "a size"),
        ("alloc a 99999999999 GiB", 1, "a size"),
        ("alloc <b> 1", 1, "a name"),
        ("alloc a 1 stream x", 1, "a stream"),
        ("\n# nothing\nfree", 3, "a name"),
        ("empty all", 1, "alloc NAME SIZE"),
        ("冲", 1, "alloc NAME SIZE"),
    ] {
        let error = parse_script(text).expect_err(text);
        assert_eq!(error.line, line, "{text:?}");
        assert!(error.expected.starts_with(expected), "{text:?}: {error}");
    }
    let long = "alloc a 1\nfree a\n".repeat(251);
    assert_eq!(parse_script(&long).expect_err("too long").line, 501);
}

#[test]
fn sizes_have_units() {
    let sizes = |text: &str| match parse_script(&format!("alloc a {text}")).expect(text).remove(0) {
        Operation::Allocate { size, stream, .. } => (size, stream),
        other => panic!("{other:?}"),
    };
    for (text, size) in
        [("512", 512), ("10MiB", 10 << 20), ("1.5 GiB", 3 << 29), ("2k", 2048), ("1,024 b", 1024), ("0", 0)]
    {
        assert_eq!(sizes(text), (size, 0), "{text}");
    }
    assert_eq!(sizes("1 KiB stream 7"), (1024, 7));
}

#[test]
fn a_script_runs_step_by_step() {
    let script = parse_script("alloc a 3MiB\nalloc b 3 MiB\nfree a\nempty\nfree b\nempty").expect("a script");
    let reserved: Vec<u64> = steps(Settings::default(), &script)
        .expect("its names fit")
        .iter()
        .map(|step| step.after.stats.reserved >> 20)
        .collect();
    // One segment of 20 MiB holds both; it goes back only when it is wholly free.
    assert_eq!(reserved, [20, 20, 20, 20, 20, 0]);
}
