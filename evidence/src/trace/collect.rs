//! Events as they come, into what the summary needs. What is kept is bounded; a trace that needs more is refused.

use std::collections::{BTreeMap, HashMap};

use super::Category;
use super::event::{Event, Scalar};
use super::interval::Span;
use super::nesting::Call;
use super::summary::LeftOut;

/// Events whose time is kept until the end, 16 to 24 bytes each.
pub(super) const MAX_SPANS: usize = 4_000_000;
/// Names that are kept apart; further ones are summed up as one.
pub(super) const MAX_NAMES: usize = 20_000;
const MAX_LANES: usize = 10_000;
const MAX_DEVICES: usize = 64;
const MAX_STEPS: usize = 10_000;
/// What the names beyond [`MAX_NAMES`] are called.
const REST: &str = "…";

/// Which bound was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full {
    pub(super) what: &'static str,
    pub(super) limit: usize,
}

#[derive(Debug, Clone, Default)]
pub(super) struct NameSum {
    pub(super) calls: u64,
    pub(super) sum_ns: u64,
    pub(super) longest_ns: u64,
    pub(super) bytes: u64,
}

/// The spans of one device.
#[derive(Debug, Default)]
pub(super) struct DeviceSpans {
    pub(super) kernels: Vec<Span>,
    pub(super) copies: Vec<Span>,
    pub(super) sets: Vec<Span>,
}

/// The spans of what profiling may have cost.
#[derive(Debug, Default)]
pub(super) struct Costs {
    pub(super) reported: Vec<Span>,
    pub(super) profiler: Vec<Span>,
    pub(super) synchronize: Vec<Span>,
    pub(super) export: Vec<Span>,
}

/// Moment, allocated, reserved.
pub(super) type Totals = (i64, u64, u64);

#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) events: u64,
    pub(super) timed: u64,
    pub(super) left_out: u64,
    pub(super) first_left_out: Option<LeftOut>,
    /// Count and sum of durations.
    pub(super) categories: BTreeMap<Category, (u64, u64)>,
    /// First beginning and last end.
    pub(super) extent: Option<Span>,
    ids: HashMap<(Category, Box<str>), u32>,
    pub(super) names: Vec<(Category, Box<str>, NameSum)>,
    pub(super) names_merged: bool,
    pub(super) threads: HashMap<(u64, u64), Vec<Call>>,
    pub(super) devices: BTreeMap<u64, DeviceSpans>,
    pub(super) costs: Costs,
    pub(super) steps: Vec<(u64, Span)>,
    /// By device type and device.
    pub(super) memory: BTreeMap<(u64, u64), Vec<Totals>>,
    kept: usize,
}

impl Collected {
    /// Takes one event; `offset` is the byte behind it.
    pub(super) fn take(&mut self, event: &Event, offset: u64) -> Result<(), Full> {
        self.events += 1;
        if !event.is_object {
            self.leave_out(offset, "traceEvents", "an object", "something else".to_owned());
            return Ok(());
        }
        match event.phase {
            b'X' => self.timed(event, offset),
            b'i' | b'I' if event.name == "[memory]" => self.totals(event, offset),
            // Names of lanes, arrows between events, marks and counters carry no time of their own.
            _ => Ok(()),
        }
    }

    fn leave_out(&mut self, offset: u64, field: &'static str, expected: &'static str, found: String) {
        self.left_out += 1;
        self.first_left_out.get_or_insert(LeftOut { offset, field, expected, found });
    }

    /// The beginning of an event; what has none is left out.
    fn moment(&mut self, event: &Event, offset: u64) -> Option<i64> {
        let moment = event.ts.number().and_then(super::event::Number::nanoseconds);
        if moment.is_none() {
            self.leave_out(offset, "ts", "microseconds within ±9e15", event.ts.found());
        }
        moment
    }

    fn timed(&mut self, event: &Event, offset: u64) -> Result<(), Full> {
        let Some(from) = self.moment(event, offset) else { return Ok(()) };
        let long = event.dur.number().and_then(super::event::Number::nanoseconds).filter(|long| *long >= 0);
        let Some((to, long)) = long.and_then(|long| Some((from.checked_add(long)?, long.unsigned_abs()))) else {
            self.leave_out(offset, "dur", "microseconds, not negative", event.dur.found());
            return Ok(());
        };
        let category = Category::of(&event.category);
        let name = event.name.as_str();
        let is_profiler = name.contains("PyTorch Profiler") || name.starts_with("Profiler") && !is_step(name);
        // The profiler's own span holds the whole trace and is no work.
        if category == Category::Other && is_profiler {
            return Ok(());
        }
        self.timed += 1;
        let extent = self.extent.get_or_insert((from, to));
        *extent = (extent.0.min(from), extent.1.max(to));
        let sum = self.categories.entry(category).or_default();
        *sum = (sum.0 + 1, sum.1.saturating_add(long));
        if category.is_device() {
            return self.work(event, category, (from, to), long);
        }
        if !category.is_host() {
            return Ok(());
        }
        let costs = &mut self.costs;
        let cost = match category {
            Category::Overhead => Some(&mut costs.reported),
            Category::Runtime if name == "cudaDeviceSynchronize" => Some(&mut costs.synchronize),
            _ if is_export(name) => Some(&mut costs.export),
            _ if is_profiler => Some(&mut costs.profiler),
            _ => None,
        };
        if let Some(cost) = cost {
            cost.push((from, to));
            self.keep()?;
        }
        if let Some(number) = step_number(name) {
            self.steps.push((number, (from, to)));
            within(self.steps.len(), "steps", MAX_STEPS)?;
        }
        let id = self.name(category, name, long, 0);
        self.threads.entry((event.pid.lane(), event.tid.lane())).or_default().push((from, to, id));
        within(self.threads.len(), "threads", MAX_LANES)?;
        self.keep()
    }

    fn work(&mut self, event: &Event, category: Category, span: Span, long: u64) -> Result<(), Full> {
        let device = event.device.whole().or(event.pid.whole()).unwrap_or(0);
        let spans = self.devices.entry(device).or_default();
        match category {
            Category::Kernel => spans.kernels.push(span),
            Category::Memcpy => spans.copies.push(span),
            _ => spans.sets.push(span),
        }
        within(self.devices.len(), "devices", MAX_DEVICES)?;
        self.name(category, &event.name, long, event.bytes.whole().unwrap_or(0));
        self.keep()
    }

    /// Totals of the allocator. Versions that write none leave nothing to draw.
    fn totals(&mut self, event: &Event, offset: u64) -> Result<(), Full> {
        if event.allocated == Scalar::Absent {
            return Ok(());
        }
        let Some(at) = self.moment(event, offset) else { return Ok(()) };
        let Some(allocated) = event.allocated.whole() else {
            self.leave_out(offset, "Total Allocated", "bytes, not negative", event.allocated.found());
            return Ok(());
        };
        let reserved = event.reserved.whole().unwrap_or(0);
        let device = (event.device_type.whole().unwrap_or(0), event.device_id.whole().unwrap_or(0));
        self.memory.entry(device).or_default().push((at, allocated, reserved));
        within(self.memory.len(), "devices", MAX_DEVICES)?;
        let extent = self.extent.get_or_insert((at, at));
        *extent = (extent.0.min(at), extent.1.max(at));
        self.keep()
    }

    /// Adds to the sums of a name and gives its place.
    fn name(&mut self, category: Category, name: &str, long: u64, bytes: u64) -> u32 {
        // Steps are one name, as in PyTorch's own table.
        let name = if is_step(name) { "ProfilerStep*" } else { name };
        let full = self.names.len() >= MAX_NAMES;
        let key = (category, Box::from(name));
        let place = match self.ids.get(&key) {
            Some(place) => *place,
            None if full => {
                self.names_merged = true;
                *self.ids.entry((category, Box::from(REST))).or_insert_with(|| place(&mut self.names, category, REST))
            }
            None => *self.ids.entry(key).or_insert_with(|| place(&mut self.names, category, name)),
        };
        if let Some((_, _, sum)) = self.names.get_mut(place as usize) {
            sum.calls += 1;
            sum.sum_ns = sum.sum_ns.saturating_add(long);
            sum.longest_ns = sum.longest_ns.max(long);
            sum.bytes = sum.bytes.saturating_add(bytes);
        }
        place
    }

    fn keep(&mut self) -> Result<(), Full> {
        self.kept += 1;
        within(self.kept, "events to keep", MAX_SPANS)
    }
}

fn place(names: &mut Vec<(Category, Box<str>, NameSum)>, category: Category, name: &str) -> u32 {
    names.push((category, Box::from(name), NameSum::default()));
    u32::try_from(names.len() - 1).unwrap_or(u32::MAX)
}

fn within(count: usize, what: &'static str, limit: usize) -> Result<(), Full> {
    if count > limit { Err(Full { what, limit }) } else { Ok(()) }
}

fn is_step(name: &str) -> bool {
    step_number(name).is_some()
}

fn step_number(name: &str) -> Option<u64> {
    name.strip_prefix("ProfilerStep#")?.parse().ok()
}

fn is_export(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("export_chrome_trace") || name.contains("export_memory_timeline") || name.contains("on_trace_ready")
}
