//! Arithmetic of time intervals, half open, in nanoseconds. A union is sorted and its parts neither meet nor touch.

/// From the first nanosecond to the one behind the last.
pub(super) type Span = (i64, i64);

/// The union of any intervals; empty ones vanish.
pub(super) fn union(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|(from, to)| from < to);
    spans.sort_unstable();
    let mut joined: Vec<Span> = Vec::new();
    for (from, to) in spans {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// What lies in both of two unions.
pub(super) fn intersection(a: &[Span], b: &[Span]) -> Vec<Span> {
    let (mut at, mut bt) = (0, 0);
    let mut both = Vec::new();
    while let (Some(x), Some(y)) = (a.get(at), b.get(bt)) {
        let (from, to) = (x.0.max(y.0), x.1.min(y.1));
        if from < to {
            both.push((from, to));
        }
        if x.1 <= y.1 { at += 1 } else { bt += 1 }
    }
    both
}

/// The length of a union.
pub(super) fn length(union: &[Span]) -> u64 {
    union.iter().fold(0, |sum: u64, (from, to)| sum.saturating_add(from.abs_diff(*to)))
}

/// The length of the part of a union that lies in one interval.
pub(super) fn length_within(union: &[Span], (from, to): Span) -> u64 {
    let first = union.partition_point(|span| span.1 <= from);
    let inside = union[first..].iter().take_while(|span| span.0 < to);
    inside.fold(0, |sum: u64, span| sum.saturating_add(span.0.max(from).abs_diff(span.1.min(to))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const END: i64 = 40;

    /// Every nanosecond that some interval covers.
    fn painted(spans: &[Span]) -> Vec<bool> {
        (0..END).map(|at| spans.iter().any(|(from, to)| (*from..*to).contains(&at))).collect()
    }

    fn count(painted: impl Iterator<Item = bool>) -> u64 {
        painted.filter(|covered| *covered).count() as u64
    }

    fn spans() -> impl Strategy<Value = Vec<Span>> {
        prop::collection::vec((0..END, 0..12_i64).prop_map(|(from, long)| (from, (from + long).min(END))), 0..12)
    }

    proptest! {
        #[test]
        fn arithmetic_agrees_with_painting(a in spans(), b in spans(), from in 0..END, long in 0..END) {
            let (x, y) = (union(a.clone()), union(b.clone()));
            let (dots, other) = (painted(&a), painted(&b));
            prop_assert!(x.windows(2).all(|pair| pair[0].1 < pair[1].0));
            prop_assert_eq!(painted(&x), dots.clone());
            prop_assert_eq!(length(&x), count(dots.iter().copied()));
            let both = intersection(&x, &y);
            prop_assert_eq!(length(&both), count(dots.iter().zip(&other).map(|(a, b)| *a && *b)));
            prop_assert_eq!(&both, &union(both.clone()));
            let window = (from, (from + long).min(END));
            let inside = (window.0..window.1).filter(|at| dots[*at as usize]).count() as u64;
            prop_assert_eq!(length_within(&x, window), inside);
        }
    }

    #[test]
    fn the_ends_of_the_number_line_do_not_overflow() {
        let whole = union(vec![(i64::MIN, 0), (0, i64::MAX)]);
        assert_eq!(whole, [(i64::MIN, i64::MAX)]);
        assert_eq!((length(&whole), length_within(&whole, (-1, 1))), (u64::MAX, 2));
    }
}
