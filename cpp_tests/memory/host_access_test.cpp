// PORTACL_CPU_GUARD=1: a host access to device memory is reported and kills the process. Each case
// runs in its own process, on the CPU whatever backend this program uses.

#include <csetjmp>
#include <sstream>

#include "support/gate.h"
#include "support/objects.h"
#include "support/pool/shared_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // which may handle the signal, and exit
#else
constexpr bool kSanitized = false;
#endif

constexpr const char* kMarker = "PORTACL_TEST_TOUCHES";
constexpr const char* kExpect = "expect: ";
constexpr const char* kSurvived = "[ survived ]";

volatile unsigned char sink;

unsigned char Read(const void* address) {
    return sink = *static_cast<const volatile unsigned char*>(address);
}
void Write(void* address) {
    *static_cast<volatile unsigned char*>(address) = 1;
}

// In the process that is killed: its last line must have this form.
void Expect(const std::string& words) {
    std::printf("%s%s\n", kExpect, words.c_str());
    std::fflush(stdout);
}

void ExpectAllocation(void* address, size_t offset, void* base, size_t size, int device = 0, const char* freed = "") {
    Expect("the host touched " + Shown(address) + ", ");
    Expect("at offset " + std::to_string(offset) + " in the " + freed + "allocation at " + Shown(base) + " of " +
           std::to_string(size) + " bytes on device " + std::to_string(device));
    Expect("aclrtMemcpy");
}

void* At(void* base, size_t offset) {
    return static_cast<char*>(base) + offset;
}

// The size that the library reserves for an allocation.
size_t Kept(void* address) {
    void* base = nullptr;
    size_t size = 0;
    ExpectOk("aclrtMemGetAddressRange", aclrtMemGetAddressRange(address, &base, &size));
    return size;
}

bool IsInside() {
    return std::getenv(kMarker) != nullptr;
}

ProcessResult RunThisTest() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string name = std::string(test->test_suite_name()) + "." + test->name();
    return RunProcess("/proc/self/exe", {"--gtest_filter=" + name, "--gtest_color=no"},
                      {{kMarker, "1"}, {"PORTACL_BACKEND", "cpu"}, {"PORTACL_CPU_GUARD", "1"}});
}

testing::AssertionResult DiedOfFault(const ProcessResult& result) {
    const bool died = result.signal == SIGSEGV || (kSanitized && result.exit_code > 0);
    if (died && !result.timed_out) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "exit code " << result.exit_code << ", signal " << result.signal
                                       << "; its output:\n"
                                       << result.output;
}

std::vector<std::string> LinesWith(const std::string& text, const std::string& start) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        if (line.rfind(start, 0) == 0) lines.push_back(line.substr(start.size()));
    return lines;
}

// Runs `body` in its own process, where an access kills it. Its last output is one line as
// expected.
void DiesTouching(void (*body)()) {
    if (IsInside()) {
        ExpectOk("aclInit", aclInit(nullptr));
        ExpectOk("aclrtSetDevice", aclrtSetDevice(0));
        body();
        std::printf("%s\n", kSurvived);
        return;
    }
    const ProcessResult result = RunThisTest();
    EXPECT_TRUE(DiedOfFault(result));
    EXPECT_EQ(result.output.find(kSurvived), std::string::npos) << result.output;
    const auto said = LinesWith(result.output, "portacl: ");
    ASSERT_EQ(said.size(), 1u) << result.output;
    const auto expected = LinesWith(result.output, kExpect);
    EXPECT_FALSE(expected.empty()) << result.output;
    for (const std::string& words : expected)
        EXPECT_NE(said[0].find(words), std::string::npos) << "no \"" << words << "\" in: " << said[0];
}

TEST(HostAccess, ReadingDeviceMemoryDies) {
    DiesTouching([] {
        DeviceMemory device(Pattern(1000));
        ExpectAllocation(device.At(7), 7, device.At(), Kept(device.At()));
        Read(device.At(7));
    });
}

TEST(HostAccess, WritingLargeMemoryOfTheLastDeviceDies) {
    DiesTouching([] {
        const int last = int(DeviceCount()) - 1;
        ExpectOk("aclrtSetDevice", aclrtSetDevice(last));
        constexpr size_t kSize = 33 << 20;
        DeviceMemory device(Pattern(kSize));
        ExpectAllocation(device.At(kSize - 1), kSize - 1, device.At(), Kept(device.At()), last);
        Write(device.At(kSize - 1));
    });
}

TEST(HostAccess, AccessOnAnotherThreadDies) {
    DiesTouching([] {
        DeviceMemory device(64);
        ExpectAllocation(device.At(), 0, device.At(), Kept(device.At()));
        OnNewThread([&] { Write(device.At()); });
    });
}

TEST(HostAccess, AccessInAHostFunctionDies) {
    DiesTouching([] {
        DeviceMemory device(4096);
        ExpectAllocation(device.At(), 0, device.At(), Kept(device.At()));
        Stream stream;
        ExpectOk("aclrtLaunchHostFunc", aclrtLaunchHostFunc(
                                            stream, [](void* address) { Read(address); }, device.At()));
        ExpectOk("aclrtSynchronizeStream", aclrtSynchronizeStream(stream));
    });
}

TEST(HostAccess, FreedMemoryDies) {
    DiesTouching([] {
        DeviceMemory device(5000);
        const size_t kept = Kept(device.At());
        void* address = device.Release();
        ExpectOk("aclrtFree", aclrtFree(address));
        ExpectAllocation(address, 0, address, kept, 0, "freed ");
        Read(address);
    });
}

TEST(HostAccess, FreedMemoryOfPendingWorkDies) {
    DiesTouching([] {
        DeviceMemory device(5000);
        const size_t kept = Kept(device.At());
        Stream stream;
        Gate gate;
        ExpectOk("gate", gate.Hold(stream));
        ExpectOk("aclrtMemsetAsync", aclrtMemsetAsync(device.At(), 5000, 1, 5000, stream));
        void* address = device.Release();
        ExpectOk("aclrtFree", aclrtFree(address));
        ExpectAllocation(address, 0, address, kept, 0, "freed ");
        Read(address);
    });
}

TEST(HostAccess, UnallocatedMemoryDies) {
    DiesTouching([] {
        DeviceMemory device(64);
        void* outside = device.At(3 << 20);
        Expect("touched " + Shown(outside));
        Expect("memory on device 0 outside every allocation");
        Expect("aclrtMemcpy");
        Read(outside);
    });
}

TEST(HostAccess, MemoryOfADeviceThatWasResetDies) {
    DiesTouching([] {
        void* address = DeviceMemory(64).Release();
        ExpectOk("aclrtResetDevice", aclrtResetDevice(0));
        Expect("touched " + Shown(address));
        Expect("memory on device 0 before its reset");
        Read(address);
    });
}

// The process imports its own memory, so no second process is needed.
TEST(HostAccess, ImportedMemoryDies) {
    DiesTouching([] {
        const SharedPool pool, imported = SharedPool::Import(pool.Export());
        void* const memory = pool.Malloc(5000);
        void* const there = ImportPointer(imported, ExportPointer(memory));
        ExpectAllocation(At(there, 17), 17, there, Kept(there));
        Read(At(there, 17));
    });
}

TEST(HostAccess, ImportedMemoryThatWasFreedDies) {
    DiesTouching([] {
        const SharedPool pool, imported = SharedPool::Import(pool.Export());
        void* const memory = pool.Malloc(5000);
        void* const there = ImportPointer(imported, ExportPointer(memory));
        ExpectOk("aclrtFree", aclrtFree(there));
        Expect("touched " + Shown(there));
        Expect("memory from another process before it was freed here");
        Read(there);
    });
}

// Other faults kill the process as usual, without a line of the library.
TEST(HostAccess, OtherFaultsAreNotReported) {
    if (IsInside()) {
        ExpectOk("aclInit", aclInit(nullptr));
        ExpectOk("aclrtSetDevice", aclrtSetDevice(0));
        volatile uintptr_t nowhere = 64;  // a variable, because compilers warn about a constant
        Read(reinterpret_cast<void*>(nowhere));
        return;
    }
    const ProcessResult result = RunThisTest();
    EXPECT_TRUE(DiedOfFault(result));
    EXPECT_TRUE(LinesWith(result.output, "portacl: ").empty()) << result.output;
}

// A signal from kill() is as deadly as without the library.
TEST(HostAccess, SentSignalsKill) {
    if (IsInside()) {
        ExpectOk("aclInit", aclInit(nullptr));
        raise(SIGSEGV);
        std::printf("%s\n", kSurvived);
        return;
    }
    const ProcessResult result = RunThisTest();
    EXPECT_TRUE(DiedOfFault(result));
    EXPECT_EQ(result.output.find(kSurvived), std::string::npos) << result.output;
}

sigjmp_buf back;
void* volatile faulted_at = nullptr;

void Install(void (*handler)(int, siginfo_t*, void*)) {
    struct sigaction action {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    ASSERT_EQ(sigaction(SIGSEGV, &action, nullptr), 0);
}

void JumpBack(int, siginfo_t* info, void*) {
    faulted_at = info->si_addr;
    siglongjmp(back, 1);
}

// Whether a read ends in JumpBack. In its own stack frame, without variables that change.
[[gnu::noinline]] bool ReadFaults(const void* address) {
    if (sigsetjmp(back, 1) != 0) return true;
    Read(address);
    return false;
}

// A handler that the program installed before the library is called after the library's line, each
// time; after finalize it is the only one again.
OWN_PROCESS_TEST(HostAccess, HandlersOfTheProgramAreCalled, {"PORTACL_BACKEND", "cpu"}, {"PORTACL_CPU_GUARD", "1"}) {
    Install(JumpBack);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const int standard_error = dup(STDERR_FILENO);
    for (int session = 0; session < 2; ++session) {
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        for (size_t offset : {0, 9}) {
            DeviceMemory device(Pattern(100));
            faulted_at = nullptr;
            dup2(ends[1], STDERR_FILENO);
            EXPECT_TRUE(ReadFaults(device.At(offset))) << "the host read device memory";
            dup2(standard_error, STDERR_FILENO);
            EXPECT_EQ(faulted_at, device.At(offset));
            char text[1024] = {};
            ASSERT_GT(read(ends[0], text, sizeof text - 1), 0);
            EXPECT_NE(std::string(text).find("at offset " + std::to_string(offset) + " in the allocation at " +
                                             Shown(device.At())),
                      std::string::npos)
                << text;
            // The memory is intact.
            EXPECT_EQ(device.Download(), Pattern(100));
        }
        ACL_OK(aclFinalize());
        struct sigaction now {};
        ASSERT_EQ(sigaction(SIGSEGV, nullptr, &now), 0);
        EXPECT_EQ(now.sa_sigaction, JumpBack);
    }
}

// A handler that is installed later stays.
OWN_PROCESS_TEST(HostAccess, LaterHandlersStay, {"PORTACL_BACKEND", "cpu"}, {"PORTACL_CPU_GUARD", "1"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    Install(JumpBack);
    DeviceMemory device(100);
    void* address = device.Release();
    if (sigsetjmp(back, 1) == 0) Write(address);
    EXPECT_EQ(faulted_at, address);
    ACL_OK(aclFinalize());
    struct sigaction now {};
    ASSERT_EQ(sigaction(SIGSEGV, nullptr, &now), 0);
    EXPECT_EQ(now.sa_sigaction, JumpBack);
}

// The kernel cannot access it for the program either.
OWN_PROCESS_TEST(HostAccess, SystemCallsRefuseDeviceMemory, {"PORTACL_BACKEND", "cpu"}, {"PORTACL_CPU_GUARD", "1"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        DeviceMemory device(Pattern(100));
        PinnedMemory pinned(100, 3);
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        EXPECT_EQ(write(ends[1], device.At(), 100), -1);
        EXPECT_EQ(errno, EFAULT);
        EXPECT_EQ(write(ends[1], pinned.At(), 100), 100);
        EXPECT_EQ(read(ends[0], device.At(), 100), -1);
        EXPECT_EQ(errno, EFAULT);
        EXPECT_EQ(device.Download(), Pattern(100));
    }
    ACL_OK(aclFinalize());
}

}  // namespace
