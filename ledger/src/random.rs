//! Numbers that look random and are the same everywhere.

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): a counter that is
/// mixed. Integers only, so a seed gives the same numbers on every platform; any seed will do. Not for secrets.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `limit`, 0 where that is 0. Uneven by less than `limit ÷ 2⁶⁴`.
    pub(crate) const fn below(&mut self, limit: usize) -> usize {
        ((self.next() as u128 * limit as u128) >> 64) as usize
    }

    /// One of a list that is never empty.
    pub(crate) const fn pick<T: Copy, const N: usize>(&mut self, list: &[T; N]) -> T {
        const { assert!(N > 0) };
        list[self.below(N)]
    }

    /// Puts the list in a random order (Fisher–Yates).
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_sequence_is_that_of_the_reference() {
        // First outputs for seed 1234567, as Vigna's splitmix64.c gives them.
        let mut random = Random::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(expected.map(|_| random.next()), expected);
    }

    #[test]
    fn every_number_below_the_limit_comes() {
        let mut random = Random::new(7);
        let mut counts = [0; 6];
        for _ in 0..6_000 {
            counts[random.below(6)] += 1;
        }
        assert!(counts.iter().all(|count| (850..1_150).contains(count)), "{counts:?}");
        assert_eq!(random.below(0), 0);
    }
}
