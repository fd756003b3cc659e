// out = A + B on the device: memory, copies and work in stream order, every return code checked.
//
// usage: 01_device_memory [ELEMENTS]     default: 16777216 floats, 64 MiB in each of three arrays

#include <acl/acl.h>

// Not part of the Ascend runtime API; only used for a longer report.
#if __has_include(<portacl/portacl.h>)
#include <portacl/portacl.h>
#define HAS_PORTACL 1
#endif

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

// Ends the program with the library's text if a call failed.
#define CHECK(call) Check((call), #call, __LINE__)

void Check(aclError code, const char* call, int line) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s\nreturned %d: %s\n", __FILE__, line, call, code, text ? text : "no error text");
    std::exit(EXIT_FAILURE);
}

double SecondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Prints the progress of a long run, at most once a second.
class Progress {
  public:
    void Step(const char* what) {
        if (SecondsSince(last_) < 1) return;
        last_ = Clock::now();
        std::fprintf(stderr, "%6.1f s  %s ...\n", SecondsSince(start_), what);
    }

  private:
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
};

std::string InBytes(double bytes) {
    const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
    return text;
}

void Row(const char* phase, double bytes, double seconds) {
    std::printf("%-24s %12s %12.3f ms %10.2f GB/s\n", phase, InBytes(bytes).c_str(), seconds * 1e3,
                bytes / seconds / 1e9);
}

std::string WhereItRuns(int32_t device) {
#ifdef HAS_PORTACL
    const char* backend = portaclBackendName();
    char name[128];
    CHECK(portaclDeviceName(device, name, sizeof name));
    return std::string("backend ") + (backend ? backend : "unknown") + ", device " + std::to_string(device) + ": " +
           name;
#else
    return "device " + std::to_string(device) + ": " + aclrtGetSocName();
#endif
}

size_t ElementsFrom(int argc, char** argv) {
    if (argc < 2) return size_t{16} << 20;
    char* end = nullptr;
    const unsigned long long count = std::strtoull(argv[1], &end, 10);
    const bool number = end != argv[1] && *end == '\0' && argv[1][0] != '-';
    if (argc > 2 || !number || count == 0 || count > SIZE_MAX / sizeof(float) / 8) {
        std::fprintf(stderr, "usage: %s [ELEMENTS]\nELEMENTS is a whole number greater than 0\n", argv[0]);
        std::exit(EXIT_FAILURE);
    }
    return count;
}

float* HostArray(size_t bytes) {
    void* address = nullptr;
    CHECK(aclrtMallocHost(&address, bytes));
    return static_cast<float*>(address);
}

void* DeviceArray(size_t bytes) {
    void* address = nullptr;
    CHECK(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return address;
}

}  // namespace

int main(int argc, char** argv) {
    const size_t count = ElementsFrom(argc, argv);
    const size_t bytes = count * sizeof(float);
    const int32_t device = 0;
    Progress progress;

    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(device));
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));

    progress.Step("allocating");
    float *host_a = HostArray(bytes), *host_b = HostArray(bytes), *host_out = HostArray(bytes);
    void *a = DeviceArray(bytes), *b = DeviceArray(bytes), *out = DeviceArray(bytes);
    aclrtPtrAttributes where{};
    CHECK(aclrtPointerGetAttributes(out, &where));

    std::printf("%s\n", WhereItRuns(device).c_str());
    std::printf("%zu floats in each array (%s), device memory in pages of %s\n\n", count,
                InBytes(double(bytes)).c_str(), InBytes(where.pageSize).c_str());
    std::fflush(stdout);

    progress.Step("filling A and B");
    for (size_t i = 0; i < count; ++i) {
        host_a[i] = static_cast<float>(i % 1000);
        host_b[i] = static_cast<float>(i % 777) * 0.25f;
        host_out[i] = -1;
    }
    // The first use of a kernel loads it; the rates below exclude that.
    for (void* array : {a, out}) CHECK(aclrtMemset(array, bytes, 0, sizeof(float)));
    CHECK(aclrtReduceAsync(out, a, sizeof(float), ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, stream, nullptr));
    CHECK(aclrtSynchronizeStream(stream));

    // Where memory gets its pages when it is first used, as on CPUs, this is slow once. The rates below exclude it.
    progress.Step("using device memory for the first time");
    auto start = Clock::now();
    for (void* array : {a, b, out}) CHECK(aclrtMemset(array, bytes, 0, bytes));
    const double first_use = SecondsSince(start);

    progress.Step("copying A and B to the device");
    start = Clock::now();
    CHECK(aclrtMemcpy(a, bytes, host_a, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(b, bytes, host_b, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    const double up = SecondsSince(start);

    // Both are enqueued; the stream keeps their order.
    progress.Step("computing");
    start = Clock::now();
    CHECK(aclrtMemcpyAsync(out, bytes, a, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK(aclrtReduceAsync(out, b, bytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, stream, nullptr));
    CHECK(aclrtSynchronizeStream(stream));
    const double compute = SecondsSince(start);

    progress.Step("copying the result back");
    start = Clock::now();
    CHECK(aclrtMemcpy(host_out, bytes, out, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    const double down = SecondsSince(start);

    std::printf("%-24s %12s %15s %15s\n", "phase", "bytes moved", "time", "rate");
    std::printf("%-24s %12s %12.3f ms\n", "first use of the memory", "", first_use * 1e3);
    Row("A, B to the device", 2.0 * double(bytes), up);
    // The copy reads and writes one array, the sum reads two and writes one.
    Row("out = A, out += B", 5.0 * double(bytes), compute);
    Row("out to the host", double(bytes), down);

    progress.Step("checking");
    size_t wrong = 0;
    for (size_t i = 0; i < count; ++i) {
        if (host_out[i] == host_a[i] + host_b[i]) continue;
        if (wrong++ == 0)
            std::fprintf(stderr, "element %zu is %g, expected %g + %g\n", i, double(host_out[i]), double(host_a[i]),
                         double(host_b[i]));
    }

    for (void* array : {a, b, out}) CHECK(aclrtFree(array));
    for (float* array : {host_a, host_b, host_out}) CHECK(aclrtFreeHost(array));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(device));
    CHECK(aclFinalize());

    if (wrong != 0) {
        std::fprintf(stderr, "%zu of %zu elements are wrong\n", wrong, count);
        return EXIT_FAILURE;
    }
    std::printf("\nall %zu elements are right\n", count);
    std::puts(
        "What this shows: aclrtMemcpy returns when the data has arrived. The copy on the device and the sum only\n"
        "enter a stream; it keeps their order, and one aclrtSynchronizeStream waits for both.");
    return EXIT_SUCCESS;
}
