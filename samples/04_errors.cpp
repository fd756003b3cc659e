// Ten common mistakes and their errors: a code for the program, and a text for people.
//
// The program succeeds if every mistake is reported as it expects.

#include <acl/acl.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace {

constexpr size_t kSize = 1024;

// Ends the program with the library's text if a call fails that should succeed.
#define CHECK(call) Check((call), #call, __LINE__)

void Check(aclError code, const char* call, int line) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s\nreturned %d: %s\n", __FILE__, line, call, code, text ? text : "no error text");
    std::exit(EXIT_FAILURE);
}

struct Mistake {
    const char* what;
    aclError expected;
    std::function<aclError()> make;
};

// Makes the mistake and prints its error. Returns true if it was reported as expected.
bool Show(int number, const Mistake& mistake) {
    const aclError code = mistake.make();
    // The text of this thread's latest failure; reading it clears it.
    const char* text = aclGetRecentErrMsg();
    std::printf("%2d. %s\n    code %d\n    text %s\n", number, mistake.what, code, text ? text : "(none)");
    if (code == mistake.expected && text != nullptr) return true;
    std::printf("    EXPECTED code %d and a text\n", mistake.expected);
    return false;
}

void* DeviceMemory() {
    void* address = nullptr;
    CHECK(aclrtMalloc(&address, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    return address;
}

std::vector<Mistake> Mistakes(void* device, std::vector<char>& host) {
    return {
        {"Starting the library a second time: harmless, programs treat it as success", ACL_ERROR_REPEAT_INITIALIZE,
         [] { return aclInit(nullptr); }},
        {"Using a device that is not there", ACL_ERROR_RT_INVALID_DEVICEID, [] { return aclrtSetDevice(1000); }},
        {"Allocating more memory than the device has", ACL_ERROR_RT_MEMORY_ALLOCATION,
         [] {
             size_t free = 0, total = 0;
             CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
             void* address = nullptr;
             return aclrtMalloc(&address, total + 1, ACL_MEM_MALLOC_HUGE_FIRST);
         }},
        {"Copying more than the destination takes", ACL_ERROR_INVALID_PARAM,
         [=, &host] { return aclrtMemcpy(device, kSize, host.data(), 2 * kSize, ACL_MEMCPY_HOST_TO_DEVICE); }},
        {"Copying past the end of an allocation", ACL_ERROR_RT_PARAM_INVALID,
         [=, &host] { return aclrtMemcpy(device, host.size(), host.data(), host.size(), ACL_MEMCPY_HOST_TO_DEVICE); }},
        {"Copying in the wrong direction", ACL_ERROR_RT_PARAM_INVALID,
         [=, &host] { return aclrtMemcpy(device, kSize, host.data(), kSize, ACL_MEMCPY_DEVICE_TO_HOST); }},
        {"Freeing memory twice", ACL_ERROR_RT_PARAM_INVALID,
         [] {
             void* address = DeviceMemory();
             CHECK(aclrtFree(address));
             return aclrtFree(address);
         }},
        {"Using a stream that was destroyed", ACL_ERROR_RT_PARAM_INVALID,
         [=] {
             aclrtStream stream = nullptr;
             CHECK(aclrtCreateStream(&stream));
             CHECK(aclrtDestroyStream(stream));
             return aclrtMemsetAsync(device, kSize, 0, kSize, stream);
         }},
        {"Asking for the time of an event that was never recorded", ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
         [] {
             aclrtEvent event = nullptr;
             CHECK(aclrtCreateEvent(&event));
             float ms = 0;
             const aclError code = aclrtEventElapsedTime(&ms, event, event);
             CHECK(aclrtDestroyEvent(event));
             return code;
         }},
    };
}

}  // namespace

int main() {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    void* device = DeviceMemory();
    std::vector<char> host(64 * kSize);

    int number = 0, as_expected = 0;
    for (const Mistake& mistake : Mistakes(device, host)) as_expected += Show(++number, mistake);

    // A device belongs to a thread: each new one has to set it again.
    std::thread([&] {
        const Mistake forgotten{"Forgetting aclrtSetDevice in a new thread", ACL_ERROR_RT_CONTEXT_NULL,
                                [=] { return aclrtMemset(device, kSize, 0, kSize); }};
        as_expected += Show(++number, forgotten);
    }).join();

    // None of the mistakes had an effect.
    CHECK(aclrtMemset(device, kSize, 7, kSize));
    CHECK(aclrtMemcpy(host.data(), host.size(), device, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
    const bool unharmed = host[0] == 7 && host[kSize - 1] == 7;
    CHECK(aclrtFree(device));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());

    std::printf("\n%d of %d mistakes were reported as expected, and the device %s\n", as_expected, number,
                unharmed ? "works on" : "DOES NOT WORK any more");
    return as_expected == number && unharmed ? EXIT_SUCCESS : EXIT_FAILURE;
}
