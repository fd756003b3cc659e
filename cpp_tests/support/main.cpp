// main() of every test program: says which backend it runs on, and counts skipped tests.
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

// Counts skipped tests that could have run here. Only for one reason can they not: a test "needs
// two devices" and there is one.
class Skips : public testing::EmptyTestEventListener {
  public:
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (!result.skipped()) return;
        uint32_t devices = 0;
        const bool asked = aclrtGetDeviceCount(&devices) == ACL_SUCCESS;
        const bool wants_two = std::strstr(result.message(), "needs two devices") != nullptr;
        count_ += !(wants_two && asked && devices == 1);
    }
    int Count() const { return count_; }

  private:
    int count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    std::printf("PORTACL_BACKEND=%s PORTACL_CPU_ASYNC=%s PORTACL_CPU_GUARD=%s\n",
                Setting("PORTACL_BACKEND", "auto"), Setting("PORTACL_CPU_ASYNC", "off"),
                Setting("PORTACL_CPU_GUARD", "0"));
    std::fflush(stdout);
    auto* skips = new Skips;
    testing::UnitTest::GetInstance()->listeners().Append(skips);  // which owns it
    int result = RUN_ALL_TESTS();
    const int skipped = skips->Count();
    // On the machine that a test is for, a test that skips itself has failed.
    if (skipped > 0 && std::strcmp(Setting("PORTACL_TEST_NO_SKIPS", "0"), "0") != 0) {
        std::printf("%d tests skipped, and PORTACL_TEST_NO_SKIPS is set\n", skipped);
        result = 1;
    }
    return result;
}
