//! What the allocator's page tells: the same operations twice, as they were and under the settings of the form.

use std::sync::Arc;

use evidence::Lang;
use ledger::allocator::{Moment, Operation, Settings, Stepper, Story, View};
use ledger::snapshot::{Action, Event, PickleError, Playback, Snapshot, SnapshotError, again, read_snapshot, recorded};
use ledger::{Text, units};

use super::AllocatorState;
use super::allocator::{misfit, operations};

/// The largest file that a page reads; larger ones are replayed on the command line.
pub const MAX_FILE: usize = 64 << 20;
/// Blocks of a snapshot that a page draws.
const MAX_BLOCKS: usize = 1 << 18;

/// A device of a snapshot that was loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The name of the file.
    pub name: String,
    pub snapshot: Arc<Snapshot>,
    pub device: usize,
}

impl Trace {
    /// Reads a file, and picks the device with the most events.
    ///
    /// # Errors
    /// Why it is no snapshot with a trace, and what to do.
    pub fn read(name: String, bytes: &[u8]) -> Result<Self, Text> {
        if bytes.len() > MAX_FILE {
            return Err(too_large(bytes.len() as u64));
        }
        let snapshot = read_snapshot(bytes).map_err(|error| refused(&error))?;
        let blocks = snapshot.segments.iter().fold(0, |sum, segment| segment.blocks.len() + sum);
        if blocks > MAX_BLOCKS {
            return Err(Text::new(
                format!("快照有 {blocks} 个块，页面最多画 {MAX_BLOCKS} 个：用命令行 vramlab allocator replay。"),
                format!(
                    "The snapshot has {blocks} blocks; the page draws {MAX_BLOCKS} at most: use vramlab allocator replay on the command line."
                ),
            ));
        }
        let longest = snapshot.traces.iter().enumerate().max_by_key(|(_, trace)| trace.len());
        match longest {
            Some((device, trace)) if !trace.is_empty() => Ok(Self { name, device, snapshot: Arc::new(snapshot) }),
            _ => Err(Text::new(
                "快照里没有事件（device_traces 是空的）：先调用 torch.cuda.memory._record_memory_history()，再运行，再 _dump_snapshot。",
                "The snapshot has no events (device_traces is empty): call torch.cuda.memory._record_memory_history() first, run, then _dump_snapshot.",
            )),
        }
    }

    /// Devices with events.
    pub fn devices(&self) -> Vec<usize> {
        let used = self.snapshot.traces.iter().enumerate().filter(|(_, trace)| !trace.is_empty());
        used.map(|(device, _)| device).collect()
    }

    /// Events before the first one that is told.
    pub fn left_out(&self) -> u64 {
        let all = self.snapshot.traces.get(self.device).map_or(0, Vec::len);
        all.saturating_sub(ledger::snapshot::MAX_EVENTS) as u64
    }
}

/// A file with more bytes than a page reads.
pub fn too_large(bytes: u64) -> Text {
    let (found, limit) = (units::human_binary(bytes), units::human_binary(MAX_FILE as u64));
    Text::new(
        format!("文件有 {found}，页面最多读 {limit}：用命令行 vramlab allocator replay。"),
        format!(
            "The file has {found}; the page reads {limit} at most: use vramlab allocator replay on the command line."
        ),
    )
}

/// A file that the browser gave no bytes of.
pub fn unreadable(size: u64) -> Text {
    if size > MAX_FILE as u64 {
        return too_large(size);
    }
    Text::new("浏览器读不出这个文件：再选一次。", "The browser cannot read the file: choose it once more.")
}

/// Why a file is no snapshot, with its place.
fn refused(error: &SnapshotError) -> Text {
    let zh = match error {
        SnapshotError::Pickle(error) => match error {
            PickleError::TooLarge { bytes, .. } => return too_large(*bytes),
            PickleError::Truncated { at } => format!("第 {at} 字节：文件在中途结束，重新导出一次"),
            PickleError::Protocol { at, found } => format!("第 {at} 字节：应为 pickle 协议 2 到 5，实际是 {found}"),
            PickleError::Class { at } => format!("第 {at} 字节：pickle 里有类或函数调用，拒绝读取；快照只含普通数据"),
            PickleError::Unknown { at, code } => format!("第 {at} 字节：未知指令 0x{code:02x}"),
            PickleError::Malformed { at, .. } => format!("第 {at} 字节：不是 torch.cuda.memory._dump_snapshot 的文件"),
            other => other.to_string(),
        },
        SnapshotError::Shape { place, expected } => format!("{place}：应为 {expected}"),
        SnapshotError::Repeated { place } => format!("{place}：条目比文件里的值还多"),
        SnapshotError::Absurd { place, value } => format!("{place}：{value} 超出任何设备"),
        other => other.to_string(),
    };
    Text::new(format!("不能读这个快照。{zh}。"), format!("This is no snapshot that can be read. {error}."))
}

/// One of the two runs.
#[derive(Debug, Clone)]
pub enum Run {
    Script(Story<Stepper>),
    Trace(Story<Playback>),
}

impl Run {
    /// The run to compare with: a trace as it was recorded, or a script under PyTorch's defaults.
    ///
    /// # Errors
    /// The line of the script that is no operation, or that does not fit those before it.
    pub fn first(script: &str, trace: Option<&Trace>) -> Result<Self, Text> {
        match trace {
            Some(trace) => Ok(Run::Trace(recorded(&trace.snapshot, trace.device))),
            None => run_script(script, Settings::default()),
        }
    }

    /// The run under the settings of the form.
    ///
    /// # Errors
    /// As [`Run::first`].
    pub fn again(state: &AllocatorState, trace: Option<&Trace>) -> Result<Self, Text> {
        match trace {
            Some(trace) => {
                let settings = state.settings_over(&trace.snapshot.settings);
                Ok(Run::Trace(again(&trace.snapshot, trace.device, settings)))
            }
            None => run_script(&state.script, state.settings()),
        }
    }

    pub fn count(&self) -> u64 {
        self.moments().len() as u64 - 1
    }

    pub fn moments(&self) -> &[Moment] {
        match self {
            Run::Script(story) => story.moments(),
            Run::Trace(story) => story.moments(),
        }
    }

    pub fn peaks(&self) -> Moment {
        match self {
            Run::Script(story) => story.peaks(),
            Run::Trace(story) => story.peaks(),
        }
    }

    /// The memory after a step.
    pub fn view(&self, step: u64) -> View {
        let at = usize::try_from(step).unwrap_or(usize::MAX);
        match self {
            Run::Script(story) => story.state(at).view(),
            Run::Trace(story) => story.state(at).view(),
        }
    }

    /// Allocations and segments that the simulation placed otherwise than the GPU.
    pub fn mismatches(&self) -> Option<u64> {
        match self {
            Run::Script(_) => None,
            Run::Trace(story) => Some(story.state(usize::MAX).replay().mismatches),
        }
    }

    /// What a step was, and what it did, in words; empty where there is no such step.
    pub fn told(&self, step: u64, lang: Lang) -> String {
        let Some(at) = usize::try_from(step).ok().and_then(|step| step.checked_sub(1)) else { return String::new() };
        match self {
            Run::Script(story) => told_operation(story, at, lang),
            Run::Trace(story) => {
                let event = story.events().get(at).map(|event| told_event(event, lang));
                let (before, after) = (self.moments().get(at), self.moments().get(at + 1));
                let change =
                    before.zip(after).and_then(|(before, after)| changed(before.reserved, after.reserved, lang));
                event.into_iter().chain(change).collect::<Vec<_>>().join(" · ")
            }
        }
    }

    /// The address that a step is about.
    pub fn touched(&self, step: u64) -> Option<u64> {
        let at = usize::try_from(step).ok()?.checked_sub(1)?;
        match self {
            Run::Script(_) => None,
            Run::Trace(story) => story.events().get(at).map(|event| event.address),
        }
    }
}

fn run_script(script: &str, settings: Settings) -> Result<Run, Text> {
    let told = Story::tell(Stepper::new(settings), Arc::from(operations(script)?));
    told.map(Run::Script).map_err(|error| misfit(&error))
}

fn changed(before: u64, after: u64, lang: Lang) -> Option<String> {
    let more = lang.pick("向驱动要了", "from the driver");
    let less = lang.pick("还给驱动", "back to the driver");
    match before.cmp(&after) {
        std::cmp::Ordering::Less => Some(format!("{more} {}", units::human_binary(after - before))),
        std::cmp::Ordering::Greater => Some(format!("{less} {}", units::human_binary(before - after))),
        std::cmp::Ordering::Equal => None,
    }
}

fn told_event(event: &Event, lang: Lang) -> String {
    let what = match event.action {
        Action::Alloc => lang.pick("分配", "alloc"),
        Action::FreeRequested => lang.pick("程序释放", "free requested"),
        Action::FreeCompleted => lang.pick("释放完成", "free completed"),
        Action::SegmentAlloc => lang.pick("新段", "segment alloc"),
        Action::SegmentFree => lang.pick("段归还", "segment free"),
        Action::SegmentMap => lang.pick("映射页", "segment map"),
        Action::SegmentUnmap => lang.pick("取消映射", "segment unmap"),
        Action::Oom => return lang.pick("显存不足", "out of memory").to_owned(),
        Action::Other => return lang.pick("标注", "annotation").to_owned(),
    };
    let stream = if event.stream == 0 { String::new() } else { format!(" stream {:x}", event.stream) };
    format!("{what} {} @ {:#x}{stream}", units::human_binary(event.size), event.address)
}

fn told_operation(story: &Story<Stepper>, at: usize, lang: Lang) -> String {
    let Some(operation) = story.events().get(at) else { return String::new() };
    // It ran before.
    let Ok(outcome) = story.state(at).run(operation) else { return String::new() };
    let mut parts = vec![match operation {
        Operation::Allocate { name, size, stream: 0 } => format!("alloc {name} {}", units::human_binary(*size)),
        Operation::Allocate { name, size, stream } => {
            format!("alloc {name} {} stream {stream}", units::human_binary(*size))
        }
        Operation::Free { name } => format!("free {name}"),
        Operation::FreeLater { name } => format!("later {name}"),
        Operation::EmptyCache => "empty".to_owned(),
    }];
    if outcome.rounded > 0 {
        parts.push(format!("{} {}", lang.pick("取整为", "rounded to"), units::human_binary(outcome.rounded)));
    }
    parts.extend(changed(0, outcome.from_driver, lang));
    parts.extend(changed(outcome.to_driver, 0, lang));
    if outcome.retried {
        parts.push(lang.pick("先清空缓存再试", "cache emptied, tried again").to_owned());
    }
    if outcome.out_of_memory {
        parts.push(lang.pick("显存不足", "out of memory").to_owned());
    }
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(pairs: &[(&str, &str)]) -> AllocatorState {
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        AllocatorState::from_pairs(&pairs)
    }

    #[test]
    fn the_story_of_the_page_is_told_twice() {
        let state = state(&[("max_split_mib", "20")]);
        let first = Run::first(&state.script, None).expect("the story");
        let again = Run::again(&state, None).expect("the story");
        assert_eq!((first.count(), again.count()), (13, 13));
        let end = |run: &Run| run.moments().last().map(|moment| moment.allocated);
        assert_eq!(end(&first), Some((1200 + 4) * units::KIB));
        // All segments of this story are of 20 MiB, which are still cut; only larger ones are not.
        assert_eq!(again.peaks(), first.peaks());
        assert_eq!(first.told(1, Lang::En), "alloc emb 1.17 MiB · rounded to 1.17 MiB · from the driver 20 MiB");
        assert_eq!(first.told(13, Lang::Zh).split(" · ").next(), Some("empty"));
        assert_eq!((first.told(0, Lang::En), first.told(99, Lang::En)), (String::new(), String::new()));
        assert_eq!(first.view(13).segments.len(), 2);
    }

    #[test]
    fn a_setting_changes_what_is_reserved() {
        let state = state(&[("max_split_mib", "20"), ("script", "alloc a 30 MiB\nfree a\nalloc b 12 MiB")]);
        let reserved = |run: Result<Run, Text>| run.expect("a script").peaks().reserved / units::MIB;
        assert_eq!((reserved(Run::first(&state.script, None)), reserved(Run::again(&state, None))), (30, 42));
    }

    #[test]
    fn mistakes_of_a_script_have_their_place() {
        for (script, says) in [
            ("alloc a\n", "Line 1: expected a size"),
            ("empty\nfree a", "Operation 2: “a” is not allocated"),
            ("alloc a 1\nalloc a 1", "Operation 2: “a” is allocated already"),
        ] {
            let why = Run::first(script, None).expect_err(script);
            assert!(why.en.contains(says) && !why.zh.is_empty(), "{}", why.en);
        }
    }

    #[test]
    fn files_that_are_no_snapshots_are_named() {
        // {"segments": [], "device_traces": []}
        let empty = b"\x80\x02}(X\x08\x00\x00\x00segments]X\x0d\x00\x00\x00device_traces]u.";
        let cases: [(&[u8], &str, &str); 5] = [
            (b"PK\x03\x04", "byte 0: not a pickle", "第 0 字节"),
            (b"\x80\x02cos\nsystem\n.", "names a class", "拒绝"),
            (b"\x80\x04", "the file ends", "中途结束"),
            (b"\x80\x02}.", "segments: expected a list", "segments"),
            (empty, "_record_memory_history", "_record_memory_history"),
        ];
        for (bytes, en, zh) in cases {
            let why = Trace::read("x".to_owned(), bytes).expect_err(en);
            assert!(why.en.contains(en) && why.zh.contains(zh), "{} {}", why.en, why.zh);
        }
    }
}
