// A stand-in for the driver's monitor: the functions that the cuda backend asks, answered from the file settings beside it.
// clocks=a,b,c are the megahertz of one sample after the other, the last one for all that follow.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>

static std::string setting(const char *key, const char *otherwise) {
    Dl_info info{};
    std::string path = ".";
    if (dladdr(reinterpret_cast<void *>(&setting), &info) != 0 && info.dli_fname != nullptr) path = info.dli_fname;
    FILE *file = fopen((path.substr(0, path.rfind('/')) + "/settings").c_str(), "r");
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

extern "C" {

int nvmlInit_v2(void) { return setting("clocks", "").empty() ? 9 : 0; } // 9: no driver
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
    *device = nullptr;
    return strncmp(uuid, "GPU-", 4) == 0 ? 0 : 6; // 6: not found
}
int nvmlDeviceGetClockInfo(void *, int, unsigned *mhz) {
    static size_t asked = 0;
    std::string clocks = setting("clocks", "");
    for (size_t skipped = 0; skipped < asked && clocks.find(',') != std::string::npos; skipped++) {
        clocks = clocks.substr(clocks.find(',') + 1);
    }
    asked++;
    *mhz = unsigned(strtoul(clocks.c_str(), nullptr, 10));
    return 0;
}
int nvmlDeviceGetTemperature(void *, int, unsigned *celsius) {
    *celsius = unsigned(strtoul(setting("celsius", "40").c_str(), nullptr, 10));
    return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void *, unsigned long long *reasons) {
    *reasons = strtoull(setting("reasons", "1").c_str(), nullptr, 10); // 1: idle
    return 0;
}

} // extern "C"
