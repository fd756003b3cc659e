// main() of every test program: prints the backend, and counts skipped tests.
#include <acl/acl.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const char* Setting(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value && *value ? value : otherwise;
}

// Counts skipped tests that this machine could run. A skip is valid only for these reasons: a test
// "needs two devices" and there is one, "needs devices that reach each other" and they do not,
// "needs Graphviz" and it is not installed, or is "for CPUs only", because it tests what drivers of
// GPUs decide freely, and this is a GPU.
class Skips : public testing::EmptyTestEventListener {
  public:
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (!result.skipped()) return;
        uint32_t devices = 0;
        const bool asked = aclrtGetDeviceCount(&devices) == ACL_SUCCESS;
        const auto says = [&](const char* words) { return std::strstr(result.message(), words); };
        const bool on_gpu = std::strcmp(Setting("PORTACL_BACKEND", "auto"), "cuda") == 0;
        count_ += !(says("needs two devices") && asked && devices == 1) &&
                  !says("needs devices that reach each other") && !says("needs Graphviz") &&
                  !(says("for CPUs only") && on_gpu);
    }
    int Count() const { return count_; }

  private:
    int count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    std::printf("PORTACL_BACKEND=%s PORTACL_CPU_ASYNC=%s PORTACL_CPU_GUARD=%s\n", Setting("PORTACL_BACKEND", "auto"),
                Setting("PORTACL_CPU_ASYNC", "off"), Setting("PORTACL_CPU_GUARD", "0"));
    std::fflush(stdout);
    auto* skips = new Skips;
    testing::UnitTest::GetInstance()->listeners().Append(skips);  // which owns it
    int result = RUN_ALL_TESTS();
    const int skipped = skips->Count();
    // On the machine that a test is for, a skipped test is a failure.
    if (skipped > 0 && std::strcmp(Setting("PORTACL_TEST_NO_SKIPS", "0"), "0") != 0) {
        std::printf("%d tests skipped, and PORTACL_TEST_NO_SKIPS is set\n", skipped);
        result = 1;
    }
    return result;
}
