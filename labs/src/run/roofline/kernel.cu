// What a device reaches at all.

#define WIDTH 256u
#define CHAINS 32

// Sixteen bytes to a thread, which is as wide as a GPU reads.
extern "C" __global__ void __launch_bounds__(WIDTH) roofline_copy(
    const unsigned *__restrict__ from, unsigned *__restrict__ to, unsigned words) {
    const unsigned first = (blockIdx.x * WIDTH + threadIdx.x) * 4u;
    if (first + 4u <= words) {
        reinterpret_cast<uint4 *>(to)[first / 4u] = reinterpret_cast<const uint4 *>(from)[first / 4u];
    } else {
        for (unsigned at = first; at < words; at++) {
            to[at] = from[at];
        }
    }
}

// Independent chains, each running towards 2.
extern "C" __global__ void __launch_bounds__(WIDTH) roofline_fma(
    const float *__restrict__ seed, float *__restrict__ sums, unsigned items, unsigned rounds) {
    const unsigned at = blockIdx.x * WIDTH + threadIdx.x;
    if (at >= items) {
        return;
    }
    float chains[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; chain++) {
        chains[chain] = seed[at] * (float)chain;
    }
    for (unsigned round = 0; round < rounds; round++) {
#pragma unroll
        for (int chain = 0; chain < CHAINS; chain++) {
            chains[chain] = fmaf(chains[chain], 0.5f, 1.0f);
        }
    }
    float sum = 0.0f;
#pragma unroll
    for (int chain = 0; chain < CHAINS; chain++) {
        sum += chains[chain];
    }
    sums[at] = sum;
}
