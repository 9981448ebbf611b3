// CUDA C++ on the processor: enough of the language to run a kernel for correctness, and for nothing else.
//
// Blocks run one after the other. The threads of a block are fibers on one thread of the processor: each runs until it meets a
// barrier, so a missing barrier gives a wrong result. Which end of the block goes first changes at every barrier, so that it shows
// on whichever side it is missing. Not covered: `extern __shared__`, inline PTX, wmma, cp.async, clusters, cooperative groups,
// half precision.
//
// VRAMLAB_KERNEL(name), written after a kernel, exports for whoever loads the shared object:
//   const char *vramlab_signature_NAME(void)   one letter per parameter, see vramlab::letter
//   int vramlab_run_NAME(const unsigned grid[3], const unsigned block[3], void **arguments)   a vramlab::Outcome
// `arguments` points at each argument, as for cuLaunchKernel.
#pragma once

#include <cassert>
#include <cmath>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

#include <sys/mman.h>
#include <ucontext.h>

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

static uint3 threadIdx;
static uint3 blockIdx;
static dim3 blockDim;
static dim3 gridDim;
static constexpr int warpSize = 32;

namespace vramlab {

enum Outcome { RAN = 0, BARRIER_NOT_MET_BY_ALL = 1, BLOCK_TOO_LARGE = 2, NO_MEMORY_FOR_STACKS = 3 };

constexpr unsigned MOST_THREADS = 1024;
constexpr size_t STACK = 64 * 1024;
constexpr size_t GUARD = 4096;

enum State : unsigned char { READY, AT_BLOCK_BARRIER, AT_WARP_BARRIER, DONE };

struct Fiber {
    ucontext_t first;
    jmp_buf at;
    uint3 index;
    unsigned mask;
    bool started;
    State state;
};

struct Machine {
    Fiber fibers[MOST_THREADS];
    uint64_t slots[MOST_THREADS];
    jmp_buf scheduler;
    char *stacks;
    unsigned threads;
    unsigned current;
    void (*body)(void *);
    void *call;
};

static Machine machine;

// Leaves the fiber until the scheduler comes back to it.
__attribute__((noinline)) static void wait(State state, unsigned mask = 0) {
    Fiber &fiber = machine.fibers[machine.current];
    fiber.state = state;
    fiber.mask = mask;
    if (_setjmp(fiber.at) == 0) _longjmp(machine.scheduler, 1);
}

static void live() {
    for (;;) {
        machine.body(machine.call);
        wait(DONE);
    }
}

__attribute__((noinline)) static void resume(unsigned number) {
    Fiber &fiber = machine.fibers[number];
    machine.current = number;
    threadIdx = fiber.index;
    if (_setjmp(machine.scheduler) != 0) return;
    if (fiber.started) _longjmp(fiber.at, 1);
    fiber.started = true;
    setcontext(&fiber.first);
}

// The lanes of a warp that a warp barrier named go on together, when each of them has come or has ended.
static bool release_warps() {
    bool released = false;
    for (unsigned number = 0; number < machine.threads; number++) {
        if (machine.fibers[number].state != AT_WARP_BARRIER) continue;
        unsigned first = number & ~31u, mask = machine.fibers[number].mask;
        bool all = true;
        for (unsigned lane = 0; lane < 32 && first + lane < machine.threads; lane++) {
            State state = machine.fibers[first + lane].state;
            if ((mask >> lane & 1) && state != AT_WARP_BARRIER && state != DONE) all = false;
        }
        if (!all) continue;
        for (unsigned lane = 0; lane < 32 && first + lane < machine.threads; lane++) {
            Fiber &fiber = machine.fibers[first + lane];
            if ((mask >> lane & 1) && fiber.state == AT_WARP_BARRIER) fiber.state = READY;
        }
        machine.fibers[number].state = READY;
        released = true;
    }
    return released;
}

static Outcome run_block() {
    for (unsigned number = 0; number < machine.threads; number++) machine.fibers[number].state = READY;
    for (bool forward = true;; forward = !forward) {
        for (unsigned step = 0; step < machine.threads; step++) {
            unsigned number = forward ? step : machine.threads - 1 - step;
            if (machine.fibers[number].state == READY) resume(number);
        }
        if (release_warps()) continue;
        unsigned waiting = 0, done = 0;
        for (unsigned number = 0; number < machine.threads; number++) {
            waiting += machine.fibers[number].state == AT_BLOCK_BARRIER;
            done += machine.fibers[number].state == DONE;
        }
        if (done == machine.threads) return RAN;
        if (waiting + done < machine.threads) return BARRIER_NOT_MET_BY_ALL;
        for (unsigned number = 0; number < machine.threads; number++) {
            if (machine.fibers[number].state == AT_BLOCK_BARRIER) machine.fibers[number].state = READY;
        }
    }
}

static Outcome prepare(const unsigned block[3]) {
    uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
    if (block[0] > MOST_THREADS || block[1] > MOST_THREADS || block[2] > 64 || threads > MOST_THREADS) {
        return BLOCK_TOO_LARGE;
    }
    if (machine.stacks == nullptr) {
        void *stacks =
            mmap(nullptr, MOST_THREADS * (STACK + GUARD), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stacks == MAP_FAILED) return NO_MEMORY_FOR_STACKS;
        machine.stacks = static_cast<char *>(stacks);
    }
    machine.threads = unsigned(threads);
    for (unsigned number = 0; number < machine.threads; number++) {
        Fiber &fiber = machine.fibers[number];
        char *stack = machine.stacks + number * (STACK + GUARD) + GUARD;
        if (mprotect(stack, STACK, PROT_READ | PROT_WRITE) != 0) return NO_MEMORY_FOR_STACKS;
        fiber.index = {number % block[0], number / block[0] % block[1], number / block[0] / block[1]};
        fiber.started = false;
        getcontext(&fiber.first);
        fiber.first.uc_stack.ss_sp = stack;
        fiber.first.uc_stack.ss_size = STACK;
        fiber.first.uc_link = nullptr;
        makecontext(&fiber.first, live, 0);
    }
    return RAN;
}

static Outcome run_grid(const unsigned grid[3], const unsigned block[3], void (*body)(void *), void *call) {
    Outcome outcome = prepare(block);
    if (outcome != RAN) return outcome;
    machine.body = body;
    machine.call = call;
    gridDim = dim3(grid[0], grid[1], grid[2]);
    blockDim = dim3(block[0], block[1], block[2]);
    for (unsigned z = 0; z < grid[2]; z++) {
        for (unsigned y = 0; y < grid[1]; y++) {
            for (unsigned x = 0; x < grid[0]; x++) {
                blockIdx = {x, y, z};
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
    unsigned self = machine.current, source = (self & ~31u) + from;
    std::memcpy(&machine.slots[self], &value, sizeof(T));
    wait(AT_WARP_BARRIER, mask);
    if (from < 32 && source < machine.threads) std::memcpy(&value, &machine.slots[source], sizeof(T));
    wait(AT_WARP_BARRIER, mask);
    return value;
}

static inline unsigned lane() { return machine.current & 31; }
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
    unsigned first = machine.current & ~31u, votes = 0;
    machine.slots[machine.current] = predicate != 0;
    wait(AT_WARP_BARRIER, mask);
    for (unsigned lane = 0; lane < 32 && first + lane < machine.threads; lane++) {
        if ((mask >> lane & 1) && machine.fibers[first + lane].state != DONE && machine.slots[first + lane]) {
            votes |= 1u << lane;
        }
    }
    wait(AT_WARP_BARRIER, mask);
    return votes;
}
static inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
static inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }

// One thread of the processor runs all: an ordinary read and write is atomic here.
template <class T> static inline T atomicAdd(T *at, std::common_type_t<T> value) { T old = *at; *at = old + value; return old; }
template <class T> static inline T atomicSub(T *at, std::common_type_t<T> value) { T old = *at; *at = old - value; return old; }
template <class T> static inline T atomicExch(T *at, std::common_type_t<T> value) { T old = *at; *at = value; return old; }
template <class T> static inline T atomicMin(T *at, std::common_type_t<T> value) { T old = *at; if (value < old) *at = value; return old; }
template <class T> static inline T atomicMax(T *at, std::common_type_t<T> value) { T old = *at; if (old < value) *at = value; return old; }
template <class T> static inline T atomicCAS(T *at, std::common_type_t<T> expected, std::common_type_t<T> value) {
    T old = *at;
    if (old == expected) *at = value;
    return old;
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
