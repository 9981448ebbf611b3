//! Snapshots: read as plain data, refused as anything else, replayed.

use std::{fs, path::PathBuf};

use ledger::snapshot::{PickleError, SnapshotError, read_snapshot, replay};
use proptest::prelude::*;

/// What writes one value.
type Part<'a> = &'a dyn Fn(&mut Writer);

/// Writes pickles of plain data, protocol 4.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn text(&mut self, text: &str) {
        self.0.extend([0x8c, text.len() as u8]);
        self.0.extend(text.as_bytes());
    }

    fn number(&mut self, number: u64) {
        self.0.extend([0x8a, 9]);
        self.0.extend(number.to_le_bytes());
        self.0.push(0);
    }

    fn list(&mut self, items: &[Part<'_>]) {
        self.0.extend(b"](");
        items.iter().for_each(|item| item(self));
        self.0.push(b'e');
    }

    fn dict(&mut self, items: &[(&str, Part<'_>)]) {
        self.0.extend(b"}(");
        for (key, value) in items {
            self.text(key);
            value(self);
        }
        self.0.push(b'u');
    }

    fn pickle(write: impl Fn(&mut Writer)) -> Vec<u8> {
        let mut writer = Writer(vec![0x80, 4]);
        write(&mut writer);
        writer.0.push(b'.');
        writer.0
    }
}

const BASE: u64 = 0x7f00_0000_0000;
const MIB: u64 = 1 << 20;

fn event<'a>(action: &'a str, address: u64, size: u64) -> impl Fn(&mut Writer) + 'a {
    move |writer| {
        writer.dict(&[
            ("action", &|w: &mut Writer| w.text(action)),
            ("addr", &|w: &mut Writer| w.number(address)),
            ("size", &|w: &mut Writer| w.number(size)),
            ("stream", &|w: &mut Writer| w.number(0)),
        ]);
    }
}

fn block<'a>(size: u64, state: &'a str) -> impl Fn(&mut Writer) + 'a {
    move |writer| {
        writer.dict(&[("size", &|w: &mut Writer| w.number(size)), ("state", &|w: &mut Writer| w.text(state))]);
    }
}

fn segment<'a>(address: u64, size: u64, blocks: &'a [Part<'a>]) -> impl Fn(&mut Writer) + 'a {
    move |writer| {
        writer.dict(&[
            ("device", &|w: &mut Writer| w.number(0)),
            ("address", &|w: &mut Writer| w.number(address)),
            ("total_size", &|w: &mut Writer| w.number(size)),
            ("stream", &|w: &mut Writer| w.number(0)),
            ("segment_type", &|w: &mut Writer| w.text("large")),
            ("blocks", &|w: &mut Writer| w.list(blocks)),
        ]);
    }
}

/// A 20 MiB segment from before the trace with one used block; a block is put behind it, and a new segment is opened.
fn small_story(address_of_second: u64) -> Vec<u8> {
    Writer::pickle(|writer| {
        writer.dict(&[
            ("segments", &|w: &mut Writer| {
                w.list(&[
                    &segment(
                        BASE,
                        20 * MIB,
                        &[
                            &block(4 * MIB, "active_allocated"),
                            &block(8 * MIB, "active_allocated"),
                            &block(8 * MIB, "inactive"),
                        ],
                    ),
                    &segment(BASE + 64 * MIB, 32 * MIB, &[&block(32 * MIB, "active_allocated")]),
                ]);
            }),
            ("device_traces", &|w: &mut Writer| {
                w.list(&[&|w: &mut Writer| {
                    w.list(&[
                        &event("alloc", address_of_second, 8 * MIB),
                        &event("segment_alloc", BASE + 64 * MIB, 32 * MIB),
                        &event("alloc", BASE + 64 * MIB, 31 * MIB + 1),
                        &event("alloc", BASE + 12 * MIB, 6 * MIB),
                        &event("free_requested", BASE + 12 * MIB, 6 * MIB),
                        &event("free_completed", BASE + 12 * MIB, 6 * MIB),
                    ]);
                }]);
            }),
        ]);
    })
}

#[test]
fn a_story_is_replayed_to_the_address() {
    let snapshot = read_snapshot(&small_story(BASE + 4 * MIB)).expect("a snapshot");
    assert_eq!((snapshot.reserved(), snapshot.allocated()), (52 * MIB, 44 * MIB));
    let result = replay(&snapshot);
    assert!(result.agrees(), "{result:?}");
    assert_eq!((result.allocations, result.segments), (3, 1));
}

#[test]
fn another_address_is_a_mismatch() {
    let snapshot = read_snapshot(&small_story(BASE + 5 * MIB)).expect("a snapshot");
    let result = replay(&snapshot);
    assert!(result.mismatches > 0 && !result.agrees(), "{result:?}");
    assert_eq!(result.examples.first().map(|example| example.on_gpu), Some(BASE + 5 * MIB));
}

#[test]
fn the_real_snapshots_agree() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/snapshots");
    if !folder.exists() {
        println!("skipped: no snapshots beside the repository");
        return;
    }
    for name in ["forward.pickle", "full_step.pickle"] {
        let bytes = fs::read(folder.join(name)).expect("a snapshot file");
        let result = replay(&read_snapshot(&bytes).expect("a snapshot"));
        assert!(result.agrees() && result.allocations > 2000, "{name}: {result:?}");
    }
}

#[test]
fn classes_and_calls_are_refused() {
    // `os.system("…")`, a class by name from the stack, an instance, a persistent id, an extension.
    let hostile: &[&[u8]] = &[
        b"\x80\x02cposix\nsystem\n(U\x02lstR.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
        b"\x80\x02(i__main__\nThing\n.",
        b"\x80\x02Pabc\n.",
        b"\x80\x02\x82\x01.",
        b"\x80\x02]}\x81.",
    ];
    for bytes in hostile {
        let error = read_snapshot(bytes).expect_err("refused");
        assert!(matches!(error, SnapshotError::Pickle(PickleError::Class { .. })), "{bytes:?}: {error}");
    }
}

#[test]
fn what_is_no_snapshot_is_named() {
    let numbers = Writer::pickle(|writer| writer.number(7));
    let empty = Writer::pickle(|writer| writer.dict(&[]));
    let wrong_block = Writer::pickle(|writer| {
        writer.list(&[&segment(BASE, 20 * MIB, &[&block(4 * MIB, "busy")])]);
    });
    let outside = Writer::pickle(|writer| {
        writer.list(&[&segment(BASE, 20 * MIB, &[&block(21 * MIB, "inactive")])]);
    });
    let absurd = Writer::pickle(|writer| writer.list(&[&segment(u64::MAX, 1, &[])]));
    let cases: &[(&[u8], &str)] = &[
        (b"", "the file ends in the middle"),
        (b"PK\x03\x04", "not a pickle of protocol 2 to 5"),
        (b"\x80\x06.", "protocol 6 is not read"),
        (b"\x80\x04N", "the file ends in the middle"),
        (b"\x80\x04.", "nothing on the stack"),
        (b"\x80\x04h\x07.", "nothing under that memo number"),
        (b"\x80\x04r\xff\xff\xff\xffN.", "nothing to remember"),
        (b"\x80\x04Nr\xff\xff\xff\xff.", "a memo number beyond the file"),
        (b"\x80\x04X\xff\xff\xff\xffab.", "the file ends in the middle"),
        (b"\x80\x04\xfe.", "unknown instruction 0xfe"),
        (&numbers, "expected a dictionary with segments"),
        (&empty, "segments: expected a list"),
        (&wrong_block, "segments[0].blocks[0].state: expected active_allocated"),
        (&outside, "expected blocks inside their segment"),
        (&absurd, "is beyond any device"),
    ];
    for (bytes, message) in cases {
        let error = read_snapshot(bytes).expect_err("refused").to_string();
        assert!(error.contains(message), "{message}: {error}");
    }
}

#[test]
fn a_list_that_holds_itself_is_no_trap() {
    // A list memoised and appended to itself.
    let error = read_snapshot(b"\x80\x04]\x94h\x00a.").expect_err("its item is no segment");
    assert!(error.to_string().starts_with("segments[0]"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut pickle = vec![0x80, 4];
        pickle.extend(bytes);
        if let Ok(snapshot) = read_snapshot(&pickle) {
            let _ = replay(&snapshot);
        }
    }

    #[test]
    fn damaged_snapshots_are_read_without_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = small_story(BASE + 4 * MIB);
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(snapshot) = read_snapshot(&bytes) {
            let _ = replay(&snapshot);
        }
    }
}
