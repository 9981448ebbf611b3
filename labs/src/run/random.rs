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
