// A stand-in for NVIDIA's driver library: the functions that the cuda backend calls, done by the processor.
//
// It tests the code around a GPU and no GPU. A module is found by the names of its kernels, in kernels/HASH.so beside this
// library; they are the same sources, compiled with cuda_on_cpu.h. The file settings beside it, lines of key=value, says
// what the device calls itself and which call fails.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <time.h>

#include <dlfcn.h>
#include <sys/mman.h>

enum : int {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_PTX = 218,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_FAILED = 719,
};

using Run = int (*)(const unsigned *, const unsigned *, void **);

struct Event {
    timespec at;
};

// Device memory ends where a page begins that nobody may touch, so that what runs over its end breaks off. Vectors of four
// floats need addresses of whole sixteen bytes: what is left to them is filled, and looked at when the memory is freed.
constexpr size_t PAGE = 4096, ALIGNED = 16;
constexpr uint8_t FILLED = 0xC3;

struct Memory {
    size_t bytes, mapped;
    void *start;
    size_t slack() const { return (ALIGNED - bytes % ALIGNED) % ALIGNED; }
};

static std::map<uintptr_t, Memory> allocations;
static size_t allocated = 0;
// Of the pool: what is handed out, and what it holds from the driver in whole large pages.
static size_t pooled = 0, reserved = 0;
constexpr size_t LARGE_PAGE = 2 << 20;
static size_t whole_pages(size_t bytes) { return (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE; }
// What every call answers after a kernel broke off.
static int broken = SUCCESS;

static std::string folder() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void *>(&folder), &info) == 0 || info.dli_fname == nullptr) return ".";
    std::string path = info.dli_fname;
    size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

static std::string setting(const char *key, const char *otherwise) {
    FILE *file = fopen((folder() + "/settings").c_str(), "r");
    std::string found = otherwise;
    char line[512];
    while (file != nullptr && fgets(line, sizeof line, file) != nullptr) {
        line[strcspn(line, "\n")] = 0;
        char *equals = strchr(line, '=');
        if (equals != nullptr && std::string(line, equals) == key) found = equals + 1;
    }
    if (file != nullptr) fclose(file);
    return found;
}

static long number(const char *key, const char *otherwise) { return strtol(setting(key, otherwise).c_str(), nullptr, 10); }

// What the settings make of a call, or what a broken context does.
static int answer(const char *call) { return broken != SUCCESS ? broken : int(number(call, "0")); }

static bool holds(uintptr_t at, size_t bytes) {
    auto next = allocations.upper_bound(at);
    if (next == allocations.begin()) return false;
    auto [start, memory] = *--next;
    return at - start <= memory.bytes && bytes <= memory.bytes - (at - start);
}

// FNV-1a over the names, sorted, each with a line's end.
static std::string module_of(const char *ptx) {
    std::set<std::string> names;
    for (const char *at = strstr(ptx, ".entry "); at != nullptr; at = strstr(at, ".entry ")) {
        at += strlen(".entry ");
        names.insert(std::string(at, strcspn(at, "( \n")));
    }
    uint64_t hash = 0xcbf29ce484222325;
    for (const std::string &name : names) {
        for (char letter : name + "\n") hash = (hash ^ uint8_t(letter)) * 0x100000001b3;
    }
    char text[17];
    snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

extern "C" {

int cuInit(unsigned) { return answer("cuInit"); }

int cuDriverGetVersion(int *version) {
    *version = int(number("version", "12040"));
    return SUCCESS;
}

int cuDeviceGetCount(int *count) {
    *count = int(number("devices", "1"));
    return SUCCESS;
}

int cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return ordinal < number("devices", "1") ? SUCCESS : 101;
}

int cuDeviceGetName(char *name, int length, int) {
    snprintf(name, size_t(length), "%s", setting("name", "CUDA test double").c_str());
    return SUCCESS;
}

int cuDeviceGetUuid(unsigned char *uuid, int) {
    std::string digits = setting("uuid", "00000000000000000000000000000000");
    for (size_t index = 0; index < 16; index++) {
        uuid[index] = uint8_t(strtoul(digits.substr(2 * index, 2).c_str(), nullptr, 16));
    }
    return SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, int) {
    *bytes = size_t(number("memory", "1073741824"));
    return SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int) {
    switch (attribute) {
    case 38: *value = 1 << 20; break;                                 // L2 cache, bytes
    case 75: *value = int(number("capability", "80")) / 10; break;    // major
    case 76: *value = int(number("capability", "80")) % 10; break;    // minor
    case 108: *value = 1 << 16; break;                                // L2 cache that can be set aside, bytes
    case 115: *value = int(number("pools", "1")); break;
    default: *value = 0;
    }
    return SUCCESS;
}

int cuDevicePrimaryCtxRetain(void **context, int) {
    *context = &allocations;
    return answer("cuDevicePrimaryCtxRetain");
}
int cuDevicePrimaryCtxRelease_v2(int) { return SUCCESS; }
int cuCtxGetCurrent(void **context) {
    *context = &allocations;
    return broken;
}
int cuCtxSetCurrent(void *) { return broken; }
int cuCtxSetLimit(int, size_t) { return answer("cuCtxSetLimit"); }
int cuCtxResetPersistingL2Cache(void) { return broken; }
int cuCtxSynchronize(void) { return answer("cuCtxSynchronize"); }

int cuMemAlloc_v2(uintptr_t *address, size_t bytes) {
    if (broken != SUCCESS) return broken;
    size_t room = size_t(number("memory", "1073741824"));
    if (bytes == 0) return INVALID_VALUE;
    if (bytes > room - allocated) return OUT_OF_MEMORY;
    Memory memory{bytes, 0, nullptr};
    size_t used = bytes + memory.slack(), pages = (used + PAGE - 1) / PAGE * PAGE;
    memory.mapped = pages + PAGE;
    memory.start = mmap(nullptr, memory.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory.start == MAP_FAILED) return OUT_OF_MEMORY;
    uint8_t *guard = static_cast<uint8_t *>(memory.start) + pages;
    if (mprotect(guard, PAGE, PROT_NONE) != 0) return OUT_OF_MEMORY;
    // Not zeros: what reads before it writes shall show.
    memset(guard - used, 0xA5, bytes);
    memset(guard - memory.slack(), FILLED, memory.slack());
    *address = reinterpret_cast<uintptr_t>(guard - used);
    allocations[*address] = memory;
    allocated += bytes;
    return SUCCESS;
}

int cuMemGetInfo_v2(size_t *free, size_t *total) {
    *total = size_t(number("memory", "1073741824"));
    *free = *total - allocated;
    return broken;
}

int cuMemFree_v2(uintptr_t address) {
    auto found = allocations.find(address);
    if (found == allocations.end()) return INVALID_VALUE;
    const Memory memory = found->second;
    const uint8_t *end = reinterpret_cast<const uint8_t *>(address) + memory.bytes;
    for (size_t index = 0; index < memory.slack(); index++) {
        if (end[index] != FILLED) broken = ILLEGAL_ADDRESS;
    }
    munmap(memory.start, memory.mapped);
    allocated -= memory.bytes;
    allocations.erase(found);
    return broken;
}

int cuMemPoolCreate(void **pool, const void *) {
    *pool = &pooled;
    return answer("cuMemPoolCreate");
}
int cuMemPoolDestroy(void *) { return pooled == 0 ? SUCCESS : INVALID_VALUE; }
int cuMemPoolSetAttribute(void *, int, void *) { return broken; }
int cuMemPoolGetAttribute(void *, int attribute, uint64_t *value) {
    if (attribute != 5) return INVALID_VALUE; // reserved, current
    *value = reserved;
    return broken;
}
int cuMemPoolTrimTo(void *, size_t) {
    reserved = whole_pages(pooled);
    return broken;
}
int cuMemAllocFromPoolAsync(uintptr_t *address, size_t bytes, void *, void *) {
    int made = cuMemAlloc_v2(address, bytes);
    if (made != SUCCESS) return made;
    pooled += bytes;
    if (whole_pages(pooled) > reserved) reserved = whole_pages(pooled);
    return SUCCESS;
}
int cuMemFreeAsync(uintptr_t address, void *) {
    auto found = allocations.find(address);
    if (found != allocations.end()) pooled -= found->second.bytes;
    return cuMemFree_v2(address);
}

int cuMemcpyHtoD_v2(uintptr_t to, const void *from, size_t bytes) {
    if (!holds(to, bytes)) return INVALID_VALUE;
    memcpy(reinterpret_cast<void *>(to), from, bytes);
    return broken;
}

int cuMemcpyDtoH_v2(void *to, uintptr_t from, size_t bytes) {
    if (!holds(from, bytes)) return INVALID_VALUE;
    memcpy(to, reinterpret_cast<void *>(from), bytes);
    return broken;
}

int cuMemsetD32Async(uintptr_t to, unsigned word, size_t words, void *) {
    if (!holds(to, words * 4)) return INVALID_VALUE;
    unsigned *memory = reinterpret_cast<unsigned *>(to);
    for (size_t index = 0; index < words; index++) memory[index] = word;
    return broken;
}

int cuModuleLoadDataEx(void **module, const char *ptx, unsigned, int *, void **values) {
    int wanted = answer("cuModuleLoadDataEx");
    if (wanted != SUCCESS) return wanted;
    std::string path = folder() + "/kernels/" + module_of(ptx) + ".so";
    *module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (*module == nullptr) {
        snprintf(static_cast<char *>(values[0]), reinterpret_cast<size_t>(values[1]), "%s", dlerror());
        return INVALID_PTX;
    }
    return SUCCESS;
}

int cuModuleUnload(void *) { return broken; }

int cuModuleGetFunction(void **function, void *module, const char *name) {
    *function = dlsym(module, (std::string("vramlab_run_") + name).c_str());
    return *function == nullptr ? NOT_FOUND : SUCCESS;
}

int cuLaunchKernel(
    void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned, void *,
    void **arguments, void **) {
    if (broken != SUCCESS) return broken;
    if (gx == 0 || gy == 0 || gz == 0) return INVALID_VALUE;
    // As on a device, a kernel's own fault shows at the next call that waits for it.
    int fault = int(number("kernel", "0"));
    const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
    if (fault == SUCCESS && reinterpret_cast<Run>(function)(grid, block, arguments) != 0) fault = LAUNCH_FAILED;
    broken = fault;
    return SUCCESS;
}

int cuEventCreate(Event **event, unsigned) {
    *event = new Event{};
    return SUCCESS;
}
int cuEventRecord(Event *event, void *) {
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return broken;
}
int cuEventSynchronize(Event *) { return broken; }
#ifndef OLD
int cuEventElapsedTime(float *ms, Event *start, Event *end) {
    double seconds = double(end->at.tv_sec - start->at.tv_sec);
    *ms = float(seconds * 1e3 + double(end->at.tv_nsec - start->at.tv_nsec) / 1e6);
    return broken;
}
#endif
int cuEventDestroy_v2(Event *event) {
    delete event;
    return SUCCESS;
}

int cuGetErrorName(int, const char **text) {
    *text = "an error of the test double";
    return SUCCESS;
}
int cuGetErrorString(int code, const char **text) { return cuGetErrorName(code, text); }

} // extern "C"
