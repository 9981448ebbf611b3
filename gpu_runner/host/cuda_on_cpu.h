// CUDA C++ on the processor: enough of the language to run a kernel for correctness, and for nothing else.
//
// Blocks run one after the other; the threads of a block are fibers (fibers.h), or threads of the system where a tool looks for data
// races (VRAMLAB_THREADS, threads.h). Formats of 16 bits are in cuda_fp16.h and cuda_bf16.h. `extern __shared__` is written anew before
// it gets here (`child/compile/dynamic.rs`), over dynamic.h. Not covered: inline PTX, wmma, cp.async, clusters, cooperative groups.
//
// VRAMLAB_KERNEL(name), written after a kernel, exports for whoever loads the shared object:
//   const char *vramlab_signature_NAME(void)   one letter per parameter, see vramlab::letter
//   void vramlab_dynamic_shared(size_t bytes)   once for all kernels: the third number of a launch, 0 before
//   int vramlab_run_NAME(const unsigned grid[3], const unsigned block[3], void **arguments)   a vramlab::Outcome
// `arguments` points at each argument, as for cuLaunchKernel.
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct alignas(8) int2 { int x, y; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(8) float2 { float x, y; };
struct float3 { float x, y, z; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) float4 { float x, y, z, w; };
static inline int2 make_int2(int x, int y) { return {x, y}; }
static inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

static uint3 blockIdx;
static dim3 blockDim;
static dim3 gridDim;
static constexpr int warpSize = 32;

namespace vramlab {

enum Outcome {
    RAN = 0,
    BARRIER_NOT_MET_BY_ALL = 1,
    BLOCK_TOO_LARGE = 2,
    NO_MEMORY_FOR_STACKS = 3,
    NO_SUCH_SHARED_MEMORY = 4
};
enum State : unsigned char { READY, AT_BLOCK_BARRIER, AT_WARP_BARRIER, DONE };

constexpr unsigned MOST_THREADS = 1024;

// What a thread of a block is doing.
struct Thread {
    State state;
    // The lanes of its warp that it waits for.
    unsigned mask;
};

static Thread block_threads[MOST_THREADS];
// Values on their way from lane to lane.
static uint64_t slots[MOST_THREADS];
static unsigned thread_count;

// The lanes of a warp that a warp barrier names go on together, when each of them has come or has ended.
static bool release_warps() {
    bool released = false;
    for (unsigned number = 0; number < thread_count; number++) {
        if (block_threads[number].state != AT_WARP_BARRIER) continue;
        unsigned first = number & ~31u, mask = block_threads[number].mask;
        bool all = true;
        for (unsigned lane = 0; lane < 32 && first + lane < thread_count; lane++) {
            State state = block_threads[first + lane].state;
            if ((mask >> lane & 1) && state != AT_WARP_BARRIER && state != DONE) all = false;
        }
        if (!all) continue;
        for (unsigned lane = 0; lane < 32 && first + lane < thread_count; lane++) {
            Thread &thread = block_threads[first + lane];
            if ((mask >> lane & 1) && thread.state == AT_WARP_BARRIER) thread.state = READY;
        }
        block_threads[number].state = READY;
        released = true;
    }
    return released;
}

enum Standing { GOING_ON, STUCK, ENDED };

// Lets go whoever may; called when something has changed.
static Standing settle() {
    if (release_warps()) return GOING_ON;
    unsigned waiting = 0, done = 0, ready = 0;
    for (unsigned number = 0; number < thread_count; number++) {
        waiting += block_threads[number].state == AT_BLOCK_BARRIER;
        done += block_threads[number].state == DONE;
        ready += block_threads[number].state == READY;
    }
    if (done == thread_count) return ENDED;
    if (ready > 0) return GOING_ON;
    if (waiting + done < thread_count) return STUCK;
    for (unsigned number = 0; number < thread_count; number++) {
        if (block_threads[number].state == AT_BLOCK_BARRIER) block_threads[number].state = READY;
    }
    return GOING_ON;
}

} // namespace vramlab

#include "dynamic.h"

// Each defines `threadIdx`, `current` (the number of the running thread), `wait`, `prepare` and `run_block`.
#ifdef VRAMLAB_THREADS
#include "threads.h"
#else
#include "fibers.h"
#endif

namespace vramlab {

static Outcome run_grid(const unsigned grid[3], const unsigned block[3], void (*body)(void *), void *call) {
    uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
    if (block[0] > MOST_THREADS || block[1] > MOST_THREADS || block[2] > 64 || threads > MOST_THREADS) {
        return BLOCK_TOO_LARGE;
    }
    thread_count = unsigned(threads);
    gridDim = dim3(grid[0], grid[1], grid[2]);
    blockDim = dim3(block[0], block[1], block[2]);
    if (!prepare_dynamic()) return NO_SUCH_SHARED_MEMORY;
    Outcome outcome = prepare(body, call);
    if (outcome != RAN) return outcome;
    for (unsigned z = 0; z < grid[2]; z++) {
        for (unsigned y = 0; y < grid[1]; y++) {
            for (unsigned x = 0; x < grid[0]; x++) {
                blockIdx = {x, y, z};
                forget_dynamic();
                for (unsigned number = 0; number < thread_count; number++) block_threads[number].state = READY;
                outcome = run_block();
                if (outcome != RAN) return outcome;
            }
        }
    }
    return RAN;
}

template <class... P> struct Call {
    void (*kernel)(P...);
    void **arguments;

    template <size_t... I> void with(std::index_sequence<I...>) {
        kernel(*static_cast<std::remove_cv_t<std::remove_reference_t<P>> *>(arguments[I])...);
    }
    static void body(void *self) { static_cast<Call *>(self)->with(std::index_sequence_for<P...>()); }
};

template <class... P>
static Outcome launch(void (*kernel)(P...), const unsigned grid[3], const unsigned block[3], void **arguments) {
    Call<P...> call{kernel, arguments};
    return run_grid(grid, block, &Call<P...>::body, &call);
}

// r: pointer to what is only read; w: pointer to what may be written; u, i, f: 32 bits; ?: anything else.
template <class T> constexpr char letter() {
    if constexpr (std::is_pointer_v<T>) {
        return std::is_const_v<std::remove_pointer_t<T>> ? 'r' : 'w';
    } else if constexpr (std::is_same_v<T, unsigned>) {
        return 'u';
    } else if constexpr (std::is_same_v<T, int>) {
        return 'i';
    } else if constexpr (std::is_same_v<T, float>) {
        return 'f';
    } else {
        return '?';
    }
}

template <class... P> static const char *signature(void (*)(P...)) {
    static const char text[] = {letter<std::remove_cv_t<P>>()..., 0};
    return text;
}

template <class T> static T swap_lanes(unsigned mask, T value, unsigned from) {
    static_assert(sizeof(T) <= 8, "a shuffle moves at most eight bytes");
    unsigned self = current, source = (self & ~31u) + from;
    std::memcpy(&slots[self], &value, sizeof(T));
    wait(AT_WARP_BARRIER, mask);
    if (from < 32 && source < thread_count) std::memcpy(&value, &slots[source], sizeof(T));
    wait(AT_WARP_BARRIER, mask);
    return value;
}

static inline unsigned lane() { return current & 31; }
static inline unsigned segment(int width) { return lane() & ~unsigned(width - 1); }

} // namespace vramlab

#define VRAMLAB_KERNEL(name)                                                                                           \
    extern "C" __attribute__((visibility("default"))) const char *vramlab_signature_##name() {                         \
        return vramlab::signature(&name);                                                                              \
    }                                                                                                                  \
    extern "C" __attribute__((visibility("default"))) int vramlab_run_##name(                                          \
        const unsigned *grid, const unsigned *block, void **arguments) {                                               \
        return vramlab::launch(&name, grid, block, arguments);                                                         \
    }

static inline void __syncthreads() { vramlab::wait(vramlab::AT_BLOCK_BARRIER); }
static inline void __syncwarp(unsigned mask = 0xffffffffu) { vramlab::wait(vramlab::AT_WARP_BARRIER, mask); }
static inline void __threadfence() {}
static inline void __threadfence_block() {}

template <class T> static inline T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
    return vramlab::swap_lanes(mask, value, vramlab::segment(width) + (unsigned(from) & unsigned(width - 1)));
}
template <class T> static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
    unsigned lane = vramlab::lane();
    return vramlab::swap_lanes(mask, value, lane - vramlab::segment(width) >= by ? lane - by : lane);
}
template <class T> static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
    unsigned lane = vramlab::lane();
    return vramlab::swap_lanes(mask, value, lane + by < vramlab::segment(width) + width ? lane + by : lane);
}
template <class T> static inline T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32) {
    unsigned lane = vramlab::lane(), from = lane ^ unsigned(by);
    return vramlab::swap_lanes(mask, value, from < vramlab::segment(width) + width ? from : lane);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate) {
    using namespace vramlab;
    unsigned first = current & ~31u, votes = 0;
    slots[current] = predicate != 0;
    wait(AT_WARP_BARRIER, mask);
    for (unsigned lane = 0; lane < 32 && first + lane < thread_count; lane++) {
        if ((mask >> lane & 1) && slots[first + lane]) {
            votes |= 1u << lane;
        }
    }
    wait(AT_WARP_BARRIER, mask);
    return votes;
}
static inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
static inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }

namespace vramlab {

// What an atomic function leaves; the value before is its result. On fibers one thread of the processor runs all, so an ordinary read
// and write is atomic.
template <class T, class F> static inline T change(T *at, F next) {
#ifdef VRAMLAB_THREADS
    T old, made;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do made = next(old);
    while (!__atomic_compare_exchange(at, &old, &made, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
#else
    T old = *at;
    *at = next(old);
    return old;
#endif
}

} // namespace vramlab

#define VRAMLAB_ATOMIC(name, next)                                                                                     \
    template <class T> static inline T name(T *at, std::common_type_t<T> value) {                                      \
        return vramlab::change(at, [&](T old) -> T { return next; });                                                  \
    }
VRAMLAB_ATOMIC(atomicAdd, old + value)
VRAMLAB_ATOMIC(atomicSub, old - value)
VRAMLAB_ATOMIC(atomicExch, ((void)old, value))
VRAMLAB_ATOMIC(atomicMin, value < old ? value : old)
VRAMLAB_ATOMIC(atomicMax, old < value ? value : old)
VRAMLAB_ATOMIC(atomicAnd, old & value)
VRAMLAB_ATOMIC(atomicOr, old | value)
VRAMLAB_ATOMIC(atomicXor, old ^ value)
VRAMLAB_ATOMIC(atomicInc, old >= value ? T(0) : T(old + 1))
VRAMLAB_ATOMIC(atomicDec, old == 0 || old > value ? value : T(old - 1))
#undef VRAMLAB_ATOMIC
template <class T> static inline T atomicCAS(T *at, std::common_type_t<T> expected, std::common_type_t<T> value) {
    return vramlab::change(at, [&](T old) -> T { return old == expected ? value : old; });
}

template <class T> static inline T __ldg(const T *at) { return *at; }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline float __fadd_rn(float x, float y) { return x + y; }
static inline float __fmul_rn(float x, float y) { return x * y; }
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline float __fdividef(float x, float y) { return x / y; }
static inline float __fdiv_rn(float x, float y) { return x / y; }
// The C library declares these names for itself.
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
static inline int __float_as_int(float x) { int bits; std::memcpy(&bits, &x, 4); return bits; }
static inline unsigned __float_as_uint(float x) { unsigned bits; std::memcpy(&bits, &x, 4); return bits; }
static inline float __int_as_float(int bits) { float x; std::memcpy(&x, &bits, 4); return x; }
static inline float __uint_as_float(unsigned bits) { float x; std::memcpy(&x, &bits, 4); return x; }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
template <class T> static inline T min(T x, std::common_type_t<T> y) { return y < x ? y : x; }
template <class T> static inline T max(T x, std::common_type_t<T> y) { return x < y ? y : x; }

// The last word of this header: what follows is a learner's.
#define asm _Pragma("GCC error \"inline PTX (asm) is not available on the CPU: write it in CUDA C++\"") asm
