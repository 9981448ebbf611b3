// RMSNorm in four passes and in one. Buffers are rows × hidden, row-major; one value per row in `mean` and `inverse`.
// Offsets are 64 bits wide: a large card holds matrices of more than 2^32 elements.

#define WIDTH 256u
#define WARP 32u
#define ALL 0xffffffffu

// Adds the values of all threads of a block: first within each warp by registers, then the warps' sums by one warp. A tree
// of log2(WIDTH) roundings. Every thread gets the sum; every thread of the block must call.
static __device__ float together(float value) {
    __shared__ float partial[WIDTH / WARP];
    const unsigned lane = threadIdx.x % WARP;
    const unsigned warp = threadIdx.x / WARP;
    for (unsigned distance = WARP / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(ALL, value, distance);
    }
    if (lane == 0) {
        partial[warp] = value;
    }
    __syncthreads();
    float sum = lane < WIDTH / WARP ? partial[lane] : 0.0f;
    for (unsigned distance = WIDTH / WARP / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(ALL, sum, distance);
    }
    // The butterfly leaves the sum in the first lanes only.
    return __shfl_sync(ALL, sum, 0);
}

// One pass: the row's sum of squares, then the row scaled. The second reading of a row comes from the cache.
extern "C" __global__ void __launch_bounds__(WIDTH) rmsnorm_fused(
    const float *__restrict__ x,
    const float *__restrict__ weight,
    float *__restrict__ y,
    unsigned rows,
    unsigned hidden,
    float eps) {
    const unsigned row = blockIdx.x;
    // The same for a whole block, so that its barriers are met by all or by none.
    if (row >= rows) {
        return;
    }
    const unsigned long long start = (unsigned long long)row * hidden;
    float sum = 0.0f;
    for (unsigned column = threadIdx.x; column < hidden; column += WIDTH) {
        const float value = x[start + column];
        sum += value * value;
    }
    const float inverse = 1.0f / sqrtf(together(sum) / (float)hidden + eps);
    for (unsigned column = threadIdx.x; column < hidden; column += WIDTH) {
        y[start + column] = x[start + column] * inverse * weight[column];
    }
}

// Four passes with their results in device memory.

extern "C" __global__ void __launch_bounds__(WIDTH) square(
    const float *__restrict__ x, float *__restrict__ squares, unsigned elements) {
    const unsigned at = blockIdx.x * WIDTH + threadIdx.x;
    if (at < elements) {
        squares[at] = x[at] * x[at];
    }
}

extern "C" __global__ void __launch_bounds__(WIDTH) row_mean(
    const float *__restrict__ squares, float *__restrict__ mean, unsigned rows, unsigned hidden) {
    const unsigned row = blockIdx.x;
    if (row >= rows) {
        return;
    }
    const unsigned long long start = (unsigned long long)row * hidden;
    float sum = 0.0f;
    for (unsigned column = threadIdx.x; column < hidden; column += WIDTH) {
        sum += squares[start + column];
    }
    const float total = together(sum);
    if (threadIdx.x == 0) {
        mean[row] = total / (float)hidden;
    }
}

extern "C" __global__ void __launch_bounds__(WIDTH) inverse_root(
    const float *__restrict__ mean, float *__restrict__ inverse, unsigned rows, float eps) {
    const unsigned row = blockIdx.x * WIDTH + threadIdx.x;
    if (row < rows) {
        inverse[row] = 1.0f / sqrtf(mean[row] + eps);
    }
}

extern "C" __global__ void __launch_bounds__(WIDTH) scale_rows(
    const float *__restrict__ x,
    const float *__restrict__ inverse,
    const float *__restrict__ weight,
    float *__restrict__ y,
    unsigned rows,
    unsigned hidden) {
    const unsigned row = blockIdx.x;
    if (row >= rows) {
        return;
    }
    const unsigned long long start = (unsigned long long)row * hidden;
    const float root = inverse[row];
    for (unsigned column = threadIdx.x; column < hidden; column += WIDTH) {
        y[start + column] = x[start + column] * root * weight[column];
    }
}
