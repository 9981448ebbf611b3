// Kernels as learners write them, one for each form of the language that the CPU knows.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Dynamic shared memory: the block reversed.
extern "C" __global__ void reverse(const float *x, float *y, unsigned n) {
    extern __shared__ float tile[];
    unsigned at = threadIdx.x;
    if (at < n) tile[at] = x[at];
    __syncthreads();
    if (at < n) y[at] = tile[n - 1 - at];
}

// Half in, fp32 sum over a warp by shuffles, half out.
extern "C" __global__ void half_sum(const __half *x, __half *y, unsigned n) {
    float sum = 0.0f;
    for (unsigned at = threadIdx.x; at < n; at += 32) sum += __half2float(x[at]);
    for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffffu, sum, by);
    __syncwarp();
    if (threadIdx.x == 0) y[0] = __float2half(sum);
}

// bfloat16 scaled in pairs.
extern "C" __global__ void scale_pairs(const __nv_bfloat162 *x, __nv_bfloat162 *y, unsigned n, float by) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) y[at] = __hmul2(x[at], __float2bfloat162_rn(by));
}

// Every thread counts, adds and compares in one place.
extern "C" __global__ void count(const float *x, float *sum, int *most, unsigned *odd, unsigned n) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    atomicAdd(sum, x[at]);
    atomicMax(most, int(x[at]));
    unsigned votes = __ballot_sync(__ballot_sync(0xffffffffu, 1), int(x[at]) & 1);
    if ((threadIdx.x & 31) == 0) atomicAdd(odd, unsigned(__popc(votes)));
}
