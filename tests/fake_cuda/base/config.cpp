#include "base/config.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fake {
namespace {

// Ends the process because of an invalid setting: a misspelled one must not pass a test.
[[noreturn]] void refuse(const char* name, const char* text, const char* expected) {
    fprintf(stderr, "fake_cuda: %s=\"%s\" is not %s\n", name, text, expected);
    // Not exit(): its handlers would read the settings again.
    _exit(96);
}

unsigned long long number(const char* name, unsigned long long fallback, unsigned long long most) {
    const char* text = getenv(name);
    if (text == nullptr || *text == '\0') {
        return fallback;
    }
    char* end = nullptr;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    unsigned shift = 0;
    if (*end == 'K') shift = 10;
    if (*end == 'M') shift = 20;
    if (*end == 'G') shift = 30;
    if (shift != 0) {
        ++end;
    }
    if (errno != 0 || *text == '-' || end == text || *end != '\0' || value > (most >> shift)) {
        char expected[96];
        snprintf(expected, sizeof expected, "a number from 0 to %llu (K, M, G may follow)", most);
        refuse(name, text, expected);
    }
    return value << shift;
}

// Whether the setting is the second of these words. The first one is the default.
bool choice(const char* name, const char* first, const char* second) {
    const char* text = getenv(name);
    if (text == nullptr || *text == '\0' || strcmp(text, first) == 0) {
        return false;
    }
    if (strcmp(text, second) != 0) {
        char expected[64];
        snprintf(expected, sizeof expected, "%s or %s", first, second);
        refuse(name, text, expected);
    }
    return true;
}

bool flag(const char* name) {
    return choice(name, "0", "1");
}

Config read() {
    Config result{};
    result.devices = static_cast<int>(number("FAKE_CUDA_DEVICES", 2, 64));
    result.memory = number("FAKE_CUDA_MEMORY", size_t{4} << 30, size_t{1} << 40);
    result.delay_us = static_cast<unsigned>(number("FAKE_CUDA_DELAY_US", 50, 10'000'000));
    result.driver_version = static_cast<int>(number("FAKE_CUDA_DRIVER_VERSION", kVersion.driver, 99'999));
    result.memory_pools = number("FAKE_CUDA_MEMORY_POOLS", kVersion.has_pools, kVersion.has_pools) != 0;
    result.init_error = static_cast<int>(number("FAKE_CUDA_INIT_ERROR", 0, 999));
    result.strict = flag("FAKE_CUDA_STRICT");
    result.leak_check = flag("FAKE_CUDA_LEAK_CHECK");
    result.max_pitch = number("FAKE_CUDA_MAX_PITCH", 0x7fffffff, 0x7fffffff);
    result.blocking = number("FAKE_CUDA_BLOCKING", 1, 1) != 0;
    result.queue = static_cast<unsigned>(number("FAKE_CUDA_QUEUE", 56, 1'000'000));
    // Without a setting of its own it obeys the driver's.
    result.connections = number("FAKE_CUDA_CONNECTIONS", number("CUDA_DEVICE_MAX_CONNECTIONS", 8, 32), 32);
    result.context_ms = static_cast<unsigned>(number("FAKE_CUDA_CONTEXT_MS", 0, 60'000));
    result.refusal_ms = static_cast<unsigned>(number("FAKE_CUDA_REFUSAL_MS", 20, 60'000));
    result.decompress = flag("FAKE_CUDA_DECOMPRESS");
    result.bound_stream = choice("FAKE_CUDA_BOUND", "queue", "stream");
    result.vgpu = flag("FAKE_CUDA_VGPU");
    result.host_memory = number("FAKE_CUDA_HOST_MEMORY", 0, size_t{1} << 30);
    result.reuse = flag("FAKE_CUDA_REUSE");
    result.fail = getenv("FAKE_CUDA_FAIL");
    result.count = getenv("FAKE_CUDA_COUNT");
    if (result.count != nullptr && *result.count == '\0') {
        result.count = nullptr;
    }
    return result;
}

}  // namespace

const Config& config() {
    static const Config value = read();
    return value;
}

}  // namespace fake
