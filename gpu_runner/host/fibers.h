// The threads of a block as fibers on one thread of the processor: each runs until it meets a barrier, so a missing barrier gives a
// wrong result. Which end of the block goes first changes at every barrier, so that it shows on whichever side it is missing.
#pragma once

#include <csetjmp>

#include <sys/mman.h>
#include <ucontext.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

static uint3 threadIdx;

namespace vramlab {

constexpr size_t STACK = 64 * 1024;
constexpr size_t GUARD = 4096;

struct Fiber {
    ucontext_t first;
    jmp_buf at;
    bool started;
};

struct Machine {
    Fiber fibers[MOST_THREADS];
    jmp_buf scheduler;
    char *stacks;
    void (*body)(void *);
    void *call;
};

static Machine machine;
static unsigned current;

// Tells AddressSanitizer, where it looks on, that the stack is about to be another one.
#ifdef __SANITIZE_ADDRESS__
static const void *scheduler_stack;
static size_t scheduler_size;
static inline char *stack_of(unsigned number) { return machine.stacks + number * (STACK + GUARD) + GUARD; }
#define VRAMLAB_TO_FIBER(number) __sanitizer_start_switch_fiber(nullptr, stack_of(number), STACK)
#define VRAMLAB_IN_FIBER() __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_size)
#define VRAMLAB_TO_SCHEDULER() __sanitizer_start_switch_fiber(nullptr, scheduler_stack, scheduler_size)
#define VRAMLAB_IN_SCHEDULER() __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr)
#else
#define VRAMLAB_TO_FIBER(number)
#define VRAMLAB_IN_FIBER()
#define VRAMLAB_TO_SCHEDULER()
#define VRAMLAB_IN_SCHEDULER()
#endif

// Leaves the fiber until the scheduler comes back to it.
__attribute__((noinline)) static void wait(State state, unsigned mask = 0) {
    block_threads[current] = {state, mask};
    VRAMLAB_TO_SCHEDULER();
    if (_setjmp(machine.fibers[current].at) == 0) _longjmp(machine.scheduler, 1);
    VRAMLAB_IN_FIBER();
}

static void live() {
    VRAMLAB_IN_FIBER();
    for (;;) {
        machine.body(machine.call);
        // A lane that has ended votes for nothing.
        slots[current] = 0;
        wait(DONE);
    }
}

__attribute__((noinline)) static void resume(unsigned number) {
    Fiber &fiber = machine.fibers[number];
    current = number;
    threadIdx = {number % blockDim.x, number / blockDim.x % blockDim.y, number / blockDim.x / blockDim.y};
    VRAMLAB_TO_FIBER(number);
    if (_setjmp(machine.scheduler) != 0) {
        VRAMLAB_IN_SCHEDULER();
        return;
    }
    if (fiber.started) _longjmp(fiber.at, 1);
    fiber.started = true;
    setcontext(&fiber.first);
}

static Outcome run_block() {
    for (bool forward = true;; forward = !forward) {
        for (unsigned step = 0; step < thread_count; step++) {
            unsigned number = forward ? step : thread_count - 1 - step;
            if (block_threads[number].state == READY) resume(number);
        }
        Standing standing = settle();
        if (standing == ENDED) return RAN;
        if (standing == STUCK) return BARRIER_NOT_MET_BY_ALL;
    }
}

static Outcome prepare(void (*body)(void *), void *call) {
    machine.body = body;
    machine.call = call;
    if (machine.stacks == nullptr) {
        void *stacks =
            mmap(nullptr, MOST_THREADS * (STACK + GUARD), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stacks == MAP_FAILED) return NO_MEMORY_FOR_STACKS;
        machine.stacks = static_cast<char *>(stacks);
    }
    for (unsigned number = 0; number < thread_count; number++) {
        Fiber &fiber = machine.fibers[number];
        char *stack = machine.stacks + number * (STACK + GUARD) + GUARD;
        if (mprotect(stack, STACK, PROT_READ | PROT_WRITE) != 0) return NO_MEMORY_FOR_STACKS;
        fiber.started = false;
        getcontext(&fiber.first);
        fiber.first.uc_stack.ss_sp = stack;
        fiber.first.uc_stack.ss_size = STACK;
        fiber.first.uc_link = nullptr;
        makecontext(&fiber.first, live, 0);
    }
    return RAN;
}

} // namespace vramlab
