// libnvidia-ml.so.1 of the test double: NVML for the devices of the driver beside it.
//
// It finds devices by UUID or PCI address, as the library must look for one of the driver's: an index could name
// another device. An index is for questions about all devices. It is strict: calls before nvmlInit_v2 or
// after nvmlShutdown, and a missing nvmlShutdown, print a line to stderr and, with FAKE_CUDA_STRICT or
// FAKE_CUDA_LEAK_CHECK, set the exit status.

#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "base/abi.h"
#include "base/config.h"

namespace {

using fake::config;

enum Status : int {
    kSuccess = 0,
    kUninitialized = 1,
    kInvalidArgument = 2,
    kNotFound = 6,
    kDriverNotLoaded = 9,
};

struct Rates {
    unsigned gpu;
    unsigned memory;
};

// Guarded by the mutex, like everything here.
std::mutex mutex;
int started = 0;
unsigned misuses = 0;
int exit_status = 0;

const char* setting(const char* name, const char* fallback) {
    const char* const text = getenv(name);
    return text == nullptr || *text == '\0' ? fallback : text;
}

[[noreturn]] void refuse(const char* name, const char* expected) {
    fprintf(stderr, "fake_cuda: %s=\"%s\" is not %s\n", name, getenv(name), expected);
    _exit(96);
}

// Returns the status that every call of a function returns, from FAKE_NVML_FAIL: NAME:CODE.
int failure_of(const char* name) {
    const std::string text = setting("FAKE_NVML_FAIL", "");
    if (text.empty()) return kSuccess;
    const size_t colon = text.find(':');
    char* end = nullptr;
    const long code = colon == std::string::npos ? 0 : strtol(&text[colon + 1], &end, 10);
    if (code <= 0 || *end != '\0') refuse("FAKE_NVML_FAIL", "NAME:CODE");
    return text.compare(0, colon, name) == 0 ? static_cast<int>(code) : kSuccess;
}

// Whether devices are found in this way, from FAKE_NVML_KNOWS.
bool known_as(const char* what) {
    const std::string knows = setting("FAKE_NVML_KNOWS", "gpu");
    if (knows != "gpu" && knows != "mig" && knows != "pci" && knows != "nothing")
        refuse("FAKE_NVML_KNOWS", "gpu, mig, pci or nothing");
    return knows == what;
}

// Returns the percentage of a device, from FAKE_NVML_BUSY: one for each device, separated by commas. The older library
// does not report it.
[[maybe_unused]] unsigned busy(int device) {
    const char* text = setting("FAKE_NVML_BUSY", "37,62");
    for (int i = 0; i < device && text != nullptr; ++i) {
        text = strchr(text, ',');
        if (text != nullptr) ++text;
    }
    if (text == nullptr) return 0;
    char* end = nullptr;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || (*end != '\0' && *end != ',')) refuse("FAKE_NVML_BUSY", "numbers separated by commas");
    return static_cast<unsigned>(value);
}

int misuse(int code, const char* format, ...) {
    va_list values;
    va_start(values, format);
    fputs("fake_cuda: misuse: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    ++misuses;
    return code;
}

// Begins every function that needs nvmlInit_v2.
int enter(const char* name) {
    if (started == 0) return misuse(kUninitialized, "%s while NVML is not started", name);
    return failure_of(name);
}

// Returns the handle of a device, which is never 0 and no valid address.
void* handle_of(int device) {
    return reinterpret_cast<void*>(uintptr_t{0x5AFE} << 48 | uintptr_t{0xA1} << 40 |
                                   static_cast<uintptr_t>(device + 1) * 16);
}

std::string uuid_of(const char* kind, int device) {
    // These are the bytes that cuDeviceGetUuid returns.
    unsigned char bytes[17] = "fake_cuda device";
    bytes[15] = static_cast<unsigned char>(device);
    std::string text = kind;
    for (int i = 0; i < 16; ++i) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", bytes[i]);
        text += i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        text += digits;
    }
    return text;
}

// Returns the bus id of cuDeviceGetPCIBusId in lower case.
std::string pci_of(int device) {
    char text[32];
    snprintf(text, sizeof text, "0000:%02x:00.0", device + 1);
    return text;
}

template <typename Name>
int find(const char* wanted, void** out, const Name& name_of) {
    if (wanted == nullptr || out == nullptr) return misuse(kInvalidArgument, "a null pointer to a search for a device");
    for (int device = 0; device < config().devices; ++device) {
        if (name_of(device) == wanted) {
            *out = handle_of(device);
            return kSuccess;
        }
    }
    return kNotFound;
}

__attribute__((destructor)) void on_unload() {
    const bool leaked = config().leak_check && started != 0;
    if (leaked) fprintf(stderr, "fake_cuda: leak: NVML was started and not ended\n");
    if ((leaked || (config().strict && misuses != 0)) && exit_status == 0) {
        fflush(nullptr);
        _exit(leaked ? 98 : 97);
    }
}

}  // namespace

FAKE_CUDA_EXPORT int nvmlInit_v2() {
    const std::lock_guard lock(mutex);
    if (const int code = failure_of("nvmlInit_v2")) return code;
    if (config().devices == 0) return kDriverNotLoaded;
    // A destructor does not receive the exit status.
    static const bool registered = on_exit([](int status, void*) { exit_status = status; }, nullptr) == 0;
    (void)registered;
    ++started;
    return kSuccess;
}

FAKE_CUDA_EXPORT int nvmlShutdown() {
    const std::lock_guard lock(mutex);
    if (started == 0) return misuse(kUninitialized, "nvmlShutdown while NVML is not started");
    --started;
    return failure_of("nvmlShutdown");
}

// Returns a text for every number, also before nvmlInit_v2, as NVML does.
FAKE_CUDA_EXPORT const char* nvmlErrorString(int code) {
    switch (code) {
        case kSuccess:
            return "Success";
        case kNotFound:
            return "Not Found";
        case 3:
            return "Not Supported";
        case 18:
            return "Driver/library version mismatch";
        default:
            return "Unknown Error";
    }
}

FAKE_CUDA_EXPORT int nvmlDeviceGetHandleByUUID(const char* uuid, void** out) {
    const std::lock_guard lock(mutex);
    if (const int code = enter("nvmlDeviceGetHandleByUUID")) return code;
    const char* const kind = known_as("gpu") ? "GPU" : known_as("mig") ? "MIG" : "none";
    return find(uuid, out, [=](int device) { return uuid_of(kind, device); });
}

FAKE_CUDA_EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** out) {
    const std::lock_guard lock(mutex);
    if (const int code = enter("nvmlDeviceGetHandleByPciBusId_v2")) return code;
    const bool known = known_as("pci");
    return find(id, out, [=](int device) { return known ? pci_of(device) : "nowhere"; });
}

FAKE_CUDA_EXPORT int nvmlDeviceGetCount_v2(unsigned* out) {
    const std::lock_guard lock(mutex);
    if (const int code = enter("nvmlDeviceGetCount_v2")) return code;
    if (out == nullptr) return misuse(kInvalidArgument, "deviceCount is null");
    *out = static_cast<unsigned>(config().devices);
    return kSuccess;
}

FAKE_CUDA_EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** out) {
    const std::lock_guard lock(mutex);
    if (const int code = enter("nvmlDeviceGetHandleByIndex_v2")) return code;
    if (out == nullptr || index >= static_cast<unsigned>(config().devices))
        return misuse(kInvalidArgument, "index %u of %d devices, or no room for the device", index, config().devices);
    *out = handle_of(static_cast<int>(index));
    return kSuccess;
}

// FAKE_NVML_MIG=1: the first device has parts.
FAKE_CUDA_EXPORT int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
    const std::lock_guard lock(mutex);
    if (const int code = enter("nvmlDeviceGetMigMode")) return code;
    if (current == nullptr || pending == nullptr) return misuse(kInvalidArgument, "no room for the mode");
    *current = *pending = device == handle_of(0) && *setting("FAKE_NVML_MIG", "0") == '1';
    return kSuccess;
}

FAKE_CUDA_EXPORT int nvmlDeviceGetUtilizationRates(void* device, Rates* out) {
    const std::lock_guard lock(mutex);
    if (const int code = enter("nvmlDeviceGetUtilizationRates")) return code;
    if (out == nullptr) return misuse(kInvalidArgument, "utilization is null");
    for (int ordinal = 0; ordinal < config().devices; ++ordinal) {
        if (handle_of(ordinal) == device) {
            // The second number is the utilization of the memory controller, not the used memory.
            *out = {busy(ordinal), 99};
            return kSuccess;
        }
    }
    return misuse(kInvalidArgument, "%p is no device", device);
}
