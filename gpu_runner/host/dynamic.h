// `extern __shared__`: memory of a block whose size the launch gives. What lies beyond that size cannot be touched (to the page), or is
// seen by AddressSanitizer (to the byte); without a size nothing of it can.
#pragma once

#include <cstring>

#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace vramlab {

// As much as a block has on a card of compute capability 9.0.
constexpr size_t MOST_DYNAMIC = 227 * 1024;
constexpr size_t PAGE = 4096;

static size_t dynamic_bytes;

static char *dynamic_pool() {
    void *pool = mmap(nullptr, MOST_DYNAMIC + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pool == MAP_FAILED ? nullptr : static_cast<char *>(pool);
}
static char *const pool = dynamic_pool();

template <class T> static inline T *dynamic_shared() { return reinterpret_cast<T *>(pool); }

static bool prepare_dynamic() {
    if (dynamic_bytes == 0) return true;
    if (pool == nullptr || dynamic_bytes > MOST_DYNAMIC) return false;
    size_t usable = (dynamic_bytes + PAGE - 1) / PAGE * PAGE;
    if (mprotect(pool, MOST_DYNAMIC + PAGE, PROT_NONE) != 0) return false;
    if (mprotect(pool, usable, PROT_READ | PROT_WRITE) != 0) return false;
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(pool, dynamic_bytes);
    __asan_poison_memory_region(pool + dynamic_bytes, MOST_DYNAMIC + PAGE - dynamic_bytes);
#endif
    return true;
}

// A block finds nothing of the one before it: these bytes are NaN in every format.
static void forget_dynamic() {
    if (dynamic_bytes != 0) std::memset(pool, 0xff, dynamic_bytes);
}

} // namespace vramlab

// For launches from now on.
extern "C" __attribute__((visibility("default"))) void vramlab_dynamic_shared(size_t bytes) { vramlab::dynamic_bytes = bytes; }
