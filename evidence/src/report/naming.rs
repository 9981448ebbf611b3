//! What the name of a device says about the device: a graphics card, a processor, or nothing that can be placed.
//!
//! A name is read as words. A word that denies or plans ("no", "planned") spoils the whole name, a processor's word
//! outweighs a card's, and only then the makers and models of cards are looked for.

use super::EvidenceClass;

/// Adapters that draw with the processor, whatever type they report, and stand-ins: beginnings of words.
const SOFTWARE: [&str; 14] = [
    "llvmpipe",
    "lavapipe",
    "swiftshader",
    "softpipe",
    "software",
    "warp",
    "basic render",
    "swrast",
    "test double",
    "fake",
    "mock",
    "simulat",
    "emulat",
    "dummy",
];
/// Beginnings of words that name a processor.
const PROCESSORS: [&str; 22] = [
    "cpu",
    "ryzen",
    "epyc",
    "xeon",
    "threadripper",
    "core(tm)",
    "intel core",
    "intel(r) core",
    "processor",
    "host",
    "opteron",
    "athlon",
    "pentium",
    "celeron",
    "graviton",
    "altra",
    "neoverse",
    "cortex",
    "snapdragon",
    "kunpeng",
    "phytium",
    "loongson",
];
const PROCESSOR_WORDS: [&str; 9] = ["i3", "i5", "i7", "i9", "sim", "simulator", "simulation", "epyc", "power9"];
/// Instruction sets. Beside a card they tell of its machine, alone they name a processor.
const ARCHITECTURES: [&str; 8] = ["x86", "x64", "amd64", "aarch64", "arm64", "i686", "armv8", "ppc64le"];
/// Words by which a text says that there is no device, or none yet.
const DENIALS: [&str; 31] = [
    "no",
    "not",
    "non",
    "none",
    "nil",
    "without",
    "w/o",
    "unavailable",
    "missing",
    "absent",
    "less",
    "free",
    "like",
    "never",
    "failed",
    "disabled",
    "planned",
    "plan",
    "planning",
    "pending",
    "expected",
    "estimate",
    "estimated",
    "estimation",
    "projected",
    "projection",
    "theoretical",
    "hypothetical",
    "assumed",
    "todo",
    "tbd",
];
/// The same in Chinese, which does not part its words.
const DENIALS_ZH: [&str; 12] =
    ["没有", "未", "无", "不可用", "计划", "预计", "估计", "估算", "假设", "理论", "模拟", "仿真"];
/// Makers and series that name a card by themselves: beginnings of words. The bare word "GPU" is not among them: like
/// `cuda:0` it names no device.
const SERIES: [&str; 8] = ["nvidia", "geforce", "rtx", "gtx", "quadro", "radeon", "instinct", "titan rtx"];
/// Models that are named without their maker.
const MODELS: [&str; 34] = [
    "t4", "t4g", "p4", "p40", "p100", "v100", "v100s", "k80", "m40", "m60", "a2", "a10", "a10g", "a16", "a30", "a40",
    "a100", "a800", "h20", "h100", "h200", "h800", "b100", "b200", "b300", "gb10", "gb200", "gb300", "gh200", "l4",
    "l20", "l40", "l40s", "rtx",
];
/// A maker and what has to stand beside it: the maker alone, or a model alone, may be anything.
const PAIRS: [(&str, &[&str]); 10] = [
    ("intel", &["arc", "data center gpu", "gpu max", "gaudi"]),
    ("arc", &["graphics", "a310", "a380", "a580", "a750", "a770", "b570", "b580"]),
    ("ascend", &["310", "910"]),
    ("huawei", &["310", "910"]),
    ("moore", &["threads"]),
    ("mtt", &["s"]),
    ("metax", &["c", "n"]),
    ("hygon", &["dcu", "z100", "k100"]),
    ("tesla", &["t4", "t10", "p4", "p40", "p100", "v100", "k", "m4", "m6", "a100", "c1", "c2", "s1", "s2"]),
    // Torch calls the graphics part of these chips by the chip's name.
    ("apple", &["m1", "m2", "m3", "m4", "m5"]),
];

/// Whether a text holds one of the beginnings where no letter precedes it, so that "search" does not name an Arc.
fn begins(text: &str, beginnings: &[&str]) -> bool {
    let mut within = false;
    text.char_indices().any(|(at, letter)| {
        let starts = !std::mem::replace(&mut within, letter.is_alphanumeric());
        starts && beginnings.iter().any(|beginning| text[at..].starts_with(beginning))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The Latin letter that a Cyrillic, Greek or wide one looks like.
fn latin(letter: char) -> char {
    match letter {
        'а' | 'А' | 'α' | 'Α' => 'a',
        'В' | 'в' | 'Β' | 'β' => 'b',
        'с' | 'С' => 'c',
        'е' | 'Е' | 'Ε' | 'ε' => 'e',
        'Н' | 'Η' => 'h',
        'і' | 'І' | 'ι' | 'Ι' => 'i',
        'К' | 'к' | 'Κ' | 'κ' => 'k',
        'М' | 'м' | 'Μ' => 'm',
        'Ν' => 'n',
        'о' | 'О' | 'ο' | 'Ο' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'Т' | 'т' | 'Τ' | 'τ' => 't',
        'υ' => 'u',
        'ν' => 'v',
        'х' | 'Х' | 'χ' | 'Χ' => 'x',
        'у' | 'У' | 'Υ' => 'y',
        '\u{ff01}'..='\u{ff5e}' => u32::from(letter).checked_sub(0xfee0).and_then(char::from_u32).unwrap_or(letter),
        _ => letter,
    }
}

/// A name as it looks, in small letters: without what nobody sees (such a letter must neither make a name nor break
/// one), with Latin letters for those that look like them, with letters set apart ("C P U") put together.
pub(super) fn folded(name: &str) -> String {
    let unseen = |c: &char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}')
    };
    let seen: String = name.chars().filter(|c| !unseen(c)).map(latin).collect::<String>().to_ascii_lowercase();
    let letters: Vec<&str> = words(&seen).collect();
    let spelled = letters.windows(3).any(|three| three == ["c", "p", "u"]);
    if spelled { format!("{seen} cpu") } else { seen }
}

/// Whether a word mixes Latin letters with those of another alphabet, which no name of a device does.
fn mixes(text: &str) -> bool {
    words(text).any(|word| {
        let other = |c: char| c.is_alphabetic() && matches!(c, '\u{250}'..='\u{2e7f}' | '\u{1d400}'..='\u{1d7ff}');
        word.contains(other) && word.contains(|c: char| c.is_ascii_alphanumeric())
    })
}

/// Whether a folded name is that of software which draws with the processor, or of a stand-in.
pub(super) fn is_software(folded: &str) -> bool {
    begins(folded, &SOFTWARE) || words(folded).any(|word| word == "cpu")
}

/// Whether a folded name denies, plans or disguises a device, or shows nothing that could be read.
pub(super) fn is_no_name(folded: &str) -> bool {
    !folded.contains(char::is_alphanumeric)
        || folded.contains('?')
        || mixes(folded)
        || words(folded).any(|word| DENIALS.contains(&word) || word.len() > 4 && word.ends_with("less"))
        || DENIALS_ZH.iter().any(|denial| folded.contains(denial))
}

/// The text without what it tells of the machine that the device is in: "(host AMD EPYC)", "on host node7". What says
/// that a processor ran ("on host CPU") stays.
fn without_host(folded: &str) -> String {
    let text = match folded.split_once(" on host ") {
        Some((device, host)) if !begins(host, &PROCESSORS) => device,
        _ => folded,
    };
    let parts: Vec<&str> = text.split(['(', ')', '[', ']', ',', ';', '+', '|']).collect();
    let of_host = |part: &&&str| words(part).any(|word| word == "host") && !words(part).any(|word| word == "on");
    let rest: Vec<&str> = parts.iter().filter(|part| !of_host(part)).copied().collect();
    if rest.iter().any(|part| names_card(part)) { rest.join(" ") } else { text.to_owned() }
}

fn names_card(text: &str) -> bool {
    let all: Vec<&str> = words(text).collect();
    let has = |wanted: &str| all.contains(&wanted);
    // Grace is NVIDIA's processor; with a Hopper or a Blackwell it is a GPU's module.
    if has("grace") && !(has("hopper") || has("blackwell")) && !all.iter().any(|word| MODELS.contains(word)) {
        return false;
    }
    let model = all.iter().any(|word| MODELS.contains(word) && !(has("intel") || has("amd")) || is_instinct(word));
    let paired = PAIRS.iter().any(|(maker, besides)| has(maker) && begins(text, besides));
    model || paired || begins(text, &SERIES)
}

/// `mi250x`, `mi300a`: AMD's cards for computing; `gfx942` is what ROCm calls one.
fn is_instinct(word: &str) -> bool {
    let number = word.strip_prefix("mi").map(|rest| rest.trim_end_matches(['x', 'a']));
    number
        .or_else(|| word.strip_prefix("gfx"))
        .is_some_and(|number| (2..=4).contains(&number.len()) && number.starts_with(|c: char| c.is_ascii_digit()))
}

/// What a folded name alone tells, when no driver stands behind it.
pub(super) fn class(folded: &str) -> EvidenceClass {
    let text = without_host(folded);
    let is_architecture = |word: &str| ARCHITECTURES.contains(&word);
    let grace = words(&text).any(|word| word == "grace");
    let card = names_card(&text);
    if begins(&text, &PROCESSORS) || words(&text).any(|word| PROCESSOR_WORDS.contains(&word)) {
        EvidenceClass::Cpu
    } else if is_no_name(&text) {
        EvidenceClass::Unproven
    } else if card {
        EvidenceClass::Gpu
    } else if grace || words(&text).any(is_architecture) {
        EvidenceClass::Cpu
    } else {
        EvidenceClass::Unproven
    }
}
