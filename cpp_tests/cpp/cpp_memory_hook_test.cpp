// portacl.hpp: memory hooks as C++ objects.

#include <portacl/portacl.hpp>

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/objects.h"

using namespace portacl_test;
using portacl::Error;
using portacl::HookScope;
using portacl::HostBuffer;
using portacl::MemoryEvent;
using portacl::ScopedMemoryHook;

namespace {

class CppMemoryHook : public testing::Test {
  protected:
    portacl::Runtime runtime;
    portacl::Device device;
};

// Records its calls, and throws on request.
class RecordingHook : public portacl::MemoryHook {
  public:
    std::vector<std::string> reported;
    std::string throws;

    const char* name() const noexcept override { return "RecordingHook"; }
    void before_alloc(const MemoryEvent& event) override { Record("before_alloc", event); }
    void after_alloc(const MemoryEvent& event) override { Record("after_alloc", event); }
    void before_malloc(const MemoryEvent& event) override { Record("before_malloc", event); }
    void after_malloc(const MemoryEvent& event) override { Record("after_malloc", event); }
    void before_free(const MemoryEvent& event) override { Record("before_free", event); }
    void after_free(const MemoryEvent& event) override { Record("after_free", event); }

  private:
    void Record(const std::string& what, const MemoryEvent& event) {
        EXPECT_EQ(event.structSize, sizeof event);
        reported.push_back(what);
        if (what == throws) throw std::runtime_error("thrown in " + what);
    }
};

portaclMemoryHookInfo OnlyHook() {
    portaclMemoryHookInfo info{};
    info.structSize = sizeof info;
    size_t count = 0;
    EXPECT_EQ(portaclMemoryHookList(&info, 1, &count), ACL_SUCCESS);
    EXPECT_EQ(count, 1u);
    return info;
}

TEST_F(CppMemoryHook, IsCalledWhileItIsRegistered) {
    RecordingHook hook;
    {
        const ScopedMemoryHook guard(hook);
        { const HostBuffer<char> buffer(8); }
        EXPECT_EQ(hook.reported, (std::vector<std::string>{"before_malloc", "before_alloc", "after_alloc",
                                                           "after_malloc", "before_free", "after_free"}));
        EXPECT_THROW(ScopedMemoryHook{hook}, Error);
    }
    hook.reported.clear();
    { const HostBuffer<char> buffer(8); }
    EXPECT_TRUE(hook.reported.empty());
}

TEST_F(CppMemoryHook, CanBeMovedAndUnregisteredEarly) {
    RecordingHook hook;
    ScopedMemoryHook first(hook, HookScope::process);
    ScopedMemoryHook second(std::move(first));
    EXPECT_FALSE(first);
    EXPECT_EQ(OnlyHook().id, second.get());
    second.reset();
    { const HostBuffer<char> buffer(8); }
    EXPECT_TRUE(hook.reported.empty());
}

TEST_F(CppMemoryHook, AnExceptionBeforeRefuses) {
    RecordingHook hook;
    const ScopedMemoryHook guard(hook);
    hook.throws = "before_malloc";
    try {
        const HostBuffer<char> buffer(8);
        FAIL() << "no exception";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ACL_ERROR_FAILURE);
        EXPECT_NE(error.text().find("RecordingHook"), std::string::npos) << error.what();
        EXPECT_NE(error.text().find("thrown in before_malloc"), std::string::npos) << error.what();
    }
    EXPECT_EQ(OnlyHook().refusals, 1u);
}

TEST_F(CppMemoryHook, AnErrorBeforeRefusesWithItsCode) {
    class Asks : public portacl::MemoryHook {
      public:
        const char* name() const noexcept override { return "Asks"; }
        void before_malloc(const MemoryEvent&) override { portacl::check(aclrtFree(nullptr)); }
    };
    Asks hook;
    const ScopedMemoryHook guard(hook);
    try {
        const HostBuffer<char> buffer(8);
        FAIL() << "no exception";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ACL_ERROR_INVALID_PARAM);
    }
}

TEST_F(CppMemoryHook, AnythingMayBeThrown) {
    class ThrowsNumbers : public portacl::MemoryHook {
      public:
        const char* name() const noexcept override { return "ThrowsNumbers"; }
        void after_malloc(const MemoryEvent&) override { throw 3; }
        void before_free(const MemoryEvent&) override { throw 4; }
    };
    ThrowsNumbers hook;
    ScopedMemoryHook guard(hook);
    HostBuffer<char> buffer(8);
    EXPECT_EQ(OnlyHook().failures, 1u);
    ACL_FAILS(ACL_ERROR_FAILURE, aclrtFreeHost(buffer.get()));
    guard.reset();
}

TEST_F(CppMemoryHook, AnExceptionAfterIsCountedAndTheAllocationStands) {
    const uint64_t failures = portaclReleaseFailures();
    RecordingHook hook;
    const ScopedMemoryHook guard(hook);
    hook.throws = "after_malloc";
    HostBuffer<char> buffer(8);
    buffer[7] = 1;
    EXPECT_EQ(OnlyHook().failures, 1u);
    EXPECT_STREQ(OnlyHook().lastFailure, "thrown in after_malloc");
    hook.throws = "after_free";
    buffer.reset();
    EXPECT_EQ(OnlyHook().failures, 2u);
    EXPECT_EQ(portaclReleaseFailures(), failures);
}

TEST_F(CppMemoryHook, ARefusedFreeInADestructorIsAReleaseFailure) {
    RecordingHook hook;
    ScopedMemoryHook guard(hook);
    const uint64_t before = portaclReleaseFailures();
    void* memory = nullptr;
    {
        const HostBuffer<char> buffer(8);
        memory = buffer.data();
        hook.throws = "before_free";
    }
    EXPECT_EQ(portaclReleaseFailures(), before + 1);
    guard.reset();
    ACL_OK(aclrtFreeHost(memory));
}

TEST_F(CppMemoryHook, DebugPrintWritesToAStream) {
    std::ostringstream text;
    portacl::DebugPrintHook hook(text);
    {
        const ScopedMemoryHook guard(hook);
        const HostBuffer<char> buffer(24);
    }
    // CPU memory comes in multiples of 512 bytes.
    const std::string size = portacl_test::OnCpu() ? "512" : "32";
    std::istringstream lines(text.str());
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line.rfind("{\"hook\":\"alloc\",\"device_id\":-1,\"mem_size\":" + size + ",\"mem_ptr\":", 0), 0u);
    std::getline(lines, line);
    EXPECT_EQ(line.rfind("{\"hook\":\"malloc\",\"device_id\":-1,\"size\":24,\"mem_size\":" + size + ",", 0), 0u);
    std::getline(lines, line);
    EXPECT_EQ(line.rfind("{\"hook\":\"free\",\"device_id\":-1,\"mem_size\":" + size + ",", 0), 0u);
    EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(CppMemoryHook, AProfileIsPrinted) {
    std::ostringstream text;
    {
        const portacl::LineProfileHook hook(1, HookScope::thread);
        const HostBuffer<char> buffer(2048);
        hook.print_report(text);
        EXPECT_EQ(hook.report(), text.str());
    }
    EXPECT_NE(text.str().find("_root (2.00 KiB in 1, 2.00 KiB in 1)"), std::string::npos) << text.str();
}

TEST_F(CppMemoryHook, TheLimitEndsWithItsObject) {
    {
        const portacl::LimitHook limit(100);
        EXPECT_THROW(HostBuffer<char>(1000), Error);
    }
    const HostBuffer<char> buffer(1000);
    EXPECT_THROW(portacl::LoggingHook("/no/such/folder/x"), Error);
}

}  // namespace
