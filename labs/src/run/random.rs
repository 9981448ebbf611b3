//! Random inputs that a seed reproduces on every machine: xoshiro256++ seeded by splitmix64 (Blackman and Vigna).

#[derive(Debug, Clone)]
pub struct Random([u64; 4]);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Self(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        }))
    }

    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.0 = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// Uniform in [-1, 1), two from each draw.
    pub fn fill_signed(&mut self, out: &mut [f32]) {
        const SCALE: f32 = 1.0 / (1 << 23) as f32;
        for pair in out.chunks_mut(2) {
            let bits = self.next_u64();
            // 24 bits each: exact in f32, and symmetric around zero but for the end.
            for (value, part) in pair.iter_mut().zip([bits >> 40, (bits >> 8) & 0xFF_FFFF]) {
                *value = part as f32 * SCALE - 1.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_and_another_gives_others() {
        let draw = |seed| {
            let mut values = [0.0; 101];
            Random::new(seed).fill_signed(&mut values);
            values
        };
        assert_eq!(draw(42), draw(42));
        assert_ne!(draw(42), draw(43));
    }

    #[test]
    fn values_fill_the_range_evenly() {
        let mut values = vec![0.0; 20_000];
        Random::new(7).fill_signed(&mut values);
        assert!(values.iter().all(|value| (-1.0..1.0).contains(value)));
        let mut quarters = [0; 4];
        values.iter().for_each(|value| quarters[((value + 1.0) * 2.0) as usize] += 1);
        // 5000 each; six standard deviations of a count are 367.
        assert!(quarters.iter().all(|count| (4633..=5367).contains(count)), "{quarters:?}");
    }

    #[test]
    fn the_generator_is_the_published_one() {
        // xoshiro256++ from the state 1, 2, 3, 4: the first values of the authors' reference program.
        let mut random = Random([1, 2, 3, 4]);
        let first: [u64; 4] = std::array::from_fn(|_| random.next_u64());
        assert_eq!(first, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }
}
