// The threads of a block as threads of the system, for ThreadSanitizer: what only a barrier that is missing would have put in order
// is a data race. Slow, and no more than that.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#ifdef __SANITIZE_THREAD__
extern "C" {
void AnnotateIgnoreSyncBegin(const char *, int);
void AnnotateIgnoreSyncEnd(const char *, int);
void AnnotateIgnoreReadsBegin(const char *, int);
void AnnotateIgnoreReadsEnd(const char *, int);
void AnnotateIgnoreWritesBegin(const char *, int);
void AnnotateIgnoreWritesEnd(const char *, int);
void AnnotateHappensBefore(const char *, int, void *);
void AnnotateHappensAfter(const char *, int, void *);
}
#define VRAMLAB_TELL(what, ...) Annotate##what(__FILE__, __LINE__ __VA_OPT__(,) __VA_ARGS__)
#else
#define VRAMLAB_TELL(what, ...)
#endif

static thread_local uint3 threadIdx;

namespace vramlab {

static thread_local unsigned current;
static std::mutex lock;
static std::condition_variable changed;
static void (*thread_body)(void *);
static void *thread_call;
static std::atomic<bool> stuck;

// What a barrier puts in order: all threads of a block, or those of a warp.
static char block_order;
static char warp_order[MOST_THREADS / 32];

static char *order_of(State state) { return state == AT_WARP_BARRIER ? &warp_order[current / 32] : &block_order; }

// Arrives and, unless it is the end, waits to be let go. The one lock serves all barriers, so what it happens to put in order must
// not count: the tool is told what counts, and shown nothing of the rest.
static void meet(State state, unsigned mask) {
    VRAMLAB_TELL(HappensBefore, order_of(state));
    VRAMLAB_TELL(IgnoreSyncBegin);
    VRAMLAB_TELL(IgnoreReadsBegin);
    VRAMLAB_TELL(IgnoreWritesBegin);
    {
        std::unique_lock<std::mutex> held(lock);
        block_threads[current] = {state, mask};
        if (settle() == STUCK) stuck = true;
        changed.notify_all();
        if (state != DONE) changed.wait(held, [] { return stuck || block_threads[current].state == READY; });
    }
    VRAMLAB_TELL(IgnoreWritesEnd);
    VRAMLAB_TELL(IgnoreReadsEnd);
    VRAMLAB_TELL(IgnoreSyncEnd);
    VRAMLAB_TELL(HappensAfter, order_of(state));
}

static void wait(State state, unsigned mask = 0) {
    meet(state, mask);
    if (stuck) {
        std::fputs("a barrier that not all threads meet\n", stderr);
        std::_Exit(70);
    }
}

static void live(unsigned number) {
    current = number;
    threadIdx = {number % blockDim.x, number / blockDim.x % blockDim.y, number / blockDim.x / blockDim.y};
    thread_body(thread_call);
    // A lane that has ended votes for nothing.
    slots[current] = 0;
    VRAMLAB_TELL(HappensBefore, order_of(AT_WARP_BARRIER));
    meet(DONE, 0);
}

static Outcome run_block() {
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < thread_count; number++) threads.emplace_back(live, number);
    for (std::thread &thread : threads) thread.join();
    return RAN;
}

static Outcome prepare(void (*body)(void *), void *call) {
    thread_body = body;
    thread_call = call;
    return RAN;
}

} // namespace vramlab
