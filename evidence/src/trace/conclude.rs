//! From what was collected to the summary.

use std::collections::BTreeMap;

use super::collect::{Collected, Costs, DeviceSpans, NameSum, Totals};
use super::interval::{Span, intersection, length, length_within, union};
use super::nesting::self_times;
use super::summary::{CategoryTime, DeviceTime, MemoryPoint, MemoryTrack, NameTime, Overhead, StepTime};
use super::{Category, DeviceName, Trace};

/// Names that are listed.
const LISTED: usize = 40;
/// Points of a track that are kept for drawing.
const POINTS: usize = 600;

pub(super) fn conclude(mut all: Collected, bytes: u64, compressed: bool, device_names: Vec<DeviceName>) -> Trace {
    let extent = all.extent.unwrap_or((0, 0));
    all.steps.sort_unstable();
    let busy: BTreeMap<u64, Busy> =
        std::mem::take(&mut all.devices).into_iter().map(|(device, spans)| (device, Busy::of(spans))).collect();
    let anywhere = union(busy.values().flat_map(|busy| busy.all.iter().copied()).collect());
    let mut self_ns = vec![0_u64; all.names.len()];
    for (_, calls) in std::mem::take(&mut all.threads) {
        self_times(calls, |owner, ns| {
            if let Some(sum) = self_ns.get_mut(owner as usize) {
                *sum = sum.saturating_add(ns);
            }
        });
    }
    let steps = steps(&all.steps, &anywhere, extent.0);
    let categories = categories(&all, &self_ns, &busy);
    let memory = std::mem::take(&mut all.memory);
    let memory = memory.into_iter().map(|(device, totals)| track(device, totals, &all.steps, extent.0)).collect();
    let listed = |wanted: fn(Category) -> bool| named(&all.names, &self_ns, wanted);
    Trace {
        bytes,
        compressed,
        events: all.events,
        timed_events: all.timed,
        left_out: all.left_out,
        first_left_out: all.first_left_out.clone(),
        device_names,
        span_ns: extent.0.abs_diff(extent.1),
        categories,
        operators: listed(Category::is_host),
        kernels: listed(|category| category == Category::Kernel),
        copies: listed(|category| matches!(category, Category::Memcpy | Category::Memset)),
        names_merged: all.names_merged,
        devices: busy.iter().map(|(device, busy)| busy.time(*device, &all.steps, extent)).collect(),
        steps,
        overhead: overhead(&all.steps, std::mem::take(&mut all.costs)),
        memory,
    }
}

/// Unions of one device's work.
struct Busy {
    kernels: Vec<Span>,
    copies: Vec<Span>,
    sets: Vec<Span>,
    all: Vec<Span>,
}

impl Busy {
    fn of(spans: DeviceSpans) -> Self {
        let (kernels, copies, sets) = (union(spans.kernels), union(spans.copies), union(spans.sets));
        let all = union([&kernels[..], &copies, &sets].concat());
        Self { kernels, copies, sets, all }
    }

    fn time(&self, device: u64, steps: &[(u64, Span)], extent: Span) -> DeviceTime {
        let first = steps.iter().map(|(_, span)| span.0).min();
        let last = steps.iter().map(|(_, span)| span.1).max();
        let (from, to) = match first.zip(last) {
            Some((from, to)) => (from, self.all.last().map_or(to, |span| span.1.max(to))),
            None => extent,
        };
        DeviceTime {
            device,
            kernel_ns: length(&self.kernels),
            copy_ns: length(&self.copies),
            memset_ns: length(&self.sets),
            overlap_ns: length(&intersection(&self.kernels, &self.copies)),
            busy_ns: length_within(&self.all, (from, to)),
            window_ns: from.abs_diff(to),
        }
    }
}

fn categories(all: &Collected, self_ns: &[u64], busy: &BTreeMap<u64, Busy>) -> Vec<CategoryTime> {
    let device = |of: fn(&Busy) -> &Vec<Span>| Some(busy.values().map(|busy| length(of(busy))).sum());
    all.categories
        .iter()
        .map(|(category, (events, sum_ns))| CategoryTime {
            category: *category,
            events: *events,
            sum_ns: *sum_ns,
            once_ns: match category {
                Category::Kernel => device(|busy| &busy.kernels),
                Category::Memcpy => device(|busy| &busy.copies),
                Category::Memset => device(|busy| &busy.sets),
                host if host.is_host() => {
                    let own = all.names.iter().zip(self_ns).filter(|((category, _, _), _)| category == host);
                    Some(own.map(|(_, ns)| *ns).sum())
                }
                _ => None,
            },
        })
        .collect()
}

/// The longest names of some categories.
fn named(names: &[(Category, Box<str>, NameSum)], self_ns: &[u64], wanted: impl Fn(Category) -> bool) -> Vec<NameTime> {
    let mut listed: Vec<NameTime> = names
        .iter()
        .zip(self_ns)
        .filter(|((category, _, _), _)| wanted(*category))
        .map(|((category, name, sum), self_ns)| NameTime {
            name: name.to_string(),
            category: *category,
            calls: sum.calls,
            sum_ns: sum.sum_ns,
            self_ns: if category.is_device() { sum.sum_ns } else { *self_ns },
            longest_ns: sum.longest_ns,
            bytes: sum.bytes,
        })
        .collect();
    listed.sort_by(|a, b| b.self_ns.cmp(&a.self_ns).then_with(|| a.name.cmp(&b.name)));
    listed.truncate(LISTED);
    listed
}

fn steps(steps: &[(u64, Span)], busy: &[Span], begin: i64) -> Vec<StepTime> {
    let next = steps.iter().skip(1).map(Some).chain([None]);
    steps
        .iter()
        .zip(next)
        .map(|((number, span), next)| StepTime {
            number: *number,
            start_ns: begin.abs_diff(span.0),
            duration_ns: span.0.abs_diff(span.1),
            device_busy_ns: length_within(busy, *span),
            gap_ns: next.map(|(_, next)| if next.0 > span.1 { next.0.abs_diff(span.1) } else { 0 }),
        })
        .collect()
}

fn overhead(steps: &[(u64, Span)], costs: Costs) -> Option<Overhead> {
    let inside = union(steps.iter().map(|(_, span)| *span).collect());
    let (from, to) = (inside.first()?.0, inside.last()?.1);
    let within = |spans: Vec<Span>| intersection(&union(spans), &inside);
    let parts = [costs.reported, costs.profiler, costs.synchronize, costs.export].map(within);
    let [reported_ns, profiler_ns, synchronize_ns, export_ns] = [0, 1, 2, 3].map(|part: usize| length(&parts[part]));
    let gaps_ns = from.abs_diff(to).saturating_sub(length(&inside));
    Some(Overhead {
        window_ns: from.abs_diff(to),
        gaps_ns,
        reported_ns,
        profiler_ns,
        synchronize_ns,
        export_ns,
        // Gaps lie outside of steps, the rest inside.
        once_ns: gaps_ns.saturating_add(length(&union(parts.concat()))),
    })
}

fn track((kind, device): (u64, u64), mut totals: Vec<Totals>, steps: &[(u64, Span)], begin: i64) -> MemoryTrack {
    // Those of one moment stay as they came.
    totals.sort_by_key(|(at, _, _)| *at);
    let point = |(at, allocated_bytes, reserved_bytes): Totals| MemoryPoint {
        at_ns: begin.abs_diff(at),
        allocated_bytes,
        reserved_bytes,
    };
    // The first of equal peaks.
    let highest = |points: &[Totals]| {
        points.iter().copied().reduce(|best, now| if now.1 > best.1 { now } else { best }).unwrap_or_default()
    };
    let peak = highest(&totals);
    let peak_step = steps.iter().find(|(_, span)| (span.0..span.1).contains(&peak.0)).map(|(number, _)| *number);
    let every = totals.len().div_ceil(POINTS).max(1);
    MemoryTrack {
        kind: match kind {
            0 => "cpu".to_owned(),
            1 => "cuda".to_owned(),
            other => other.to_string(),
        },
        device,
        events: totals.len() as u64,
        peak: point(peak),
        peak_step,
        peak_reserved_bytes: totals.iter().map(|(_, _, reserved)| *reserved).max().unwrap_or(0),
        points: totals.chunks(every).map(|chunk| point(highest(chunk))).collect(),
    }
}
