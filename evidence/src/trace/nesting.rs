//! Self time on one thread: every nanosecond belongs to the call that began last and has not ended.

/// A call on a thread: beginning, end, and whose it is.
pub(super) type Call = (i64, i64, u32);

/// Gives the self time of every call to `add`. The sum is the time at which anything ran on the thread.
pub(super) fn self_times(mut calls: Vec<Call>, mut add: impl FnMut(u32, u64)) {
    // Of those that begin together the longest is the outermost.
    calls.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    let mut open: Vec<(i64, u32)> = Vec::new();
    let mut now = i64::MIN;
    let mut advance = |open: &mut Vec<(i64, u32)>, now: &mut i64, to: i64| {
        while let Some((end, owner)) = open.last().copied().filter(|_| *now < to) {
            let until = end.min(to);
            if until > *now {
                add(owner, now.abs_diff(until));
                *now = until;
            }
            if end <= *now {
                open.pop();
            }
        }
        *now = to;
    };
    for (from, to, owner) in calls {
        advance(&mut open, &mut now, from);
        open.push((to, owner));
    }
    advance(&mut open, &mut now, i64::MAX);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::interval;
    use super::*;

    fn times(calls: &[Call]) -> BTreeMap<u32, u64> {
        let mut times = BTreeMap::new();
        self_times(calls.to_vec(), |owner, ns| *times.entry(owner).or_default() += ns);
        times
    }

    #[test]
    fn children_are_taken_off_once() {
        // 0 holds 1 (which holds 2) and 3.
        let calls = [(0, 100, 0), (10, 40, 1), (20, 30, 2), (50, 60, 3)];
        assert_eq!(times(&calls), [(0, 60), (1, 20), (2, 10), (3, 10)].into());
        // Overlapping without nesting: what began last has the time they share.
        assert_eq!(times(&[(0, 10, 0), (5, 15, 1)]), [(0, 5), (1, 10)].into());
        // A child that outlives its parent, and time after a pause.
        assert_eq!(times(&[(0, 4, 0), (2, 8, 1), (20, 21, 2)]), [(0, 2), (1, 6), (2, 1)].into());
        assert!(times(&[]).is_empty() && times(&[(5, 5, 0)]).is_empty());
    }

    proptest! {
        #[test]
        fn self_times_add_up_to_the_union(spans in prop::collection::vec((0_i64..60, 0_i64..20), 0..20)) {
            let calls: Vec<Call> = spans.iter().zip(0..).map(|((from, long), owner)| (*from, from + long, owner)).collect();
            let covered = interval::union(calls.iter().map(|(from, to, _)| (*from, *to)).collect());
            let times = times(&calls);
            prop_assert_eq!(times.values().sum::<u64>(), interval::length(&covered));
            for (owner, ns) in times {
                let (from, to, _) = calls[owner as usize];
                prop_assert!(ns <= from.abs_diff(to));
            }
        }
    }
}
