// main() of every test program: prints the backend and why tests were skipped, and counts the skips.
#include <acl/acl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace {

const char* Setting(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value && *value ? value : otherwise;
}

// Lists the reasons of skipped tests, and counts those that this machine could run. Some reasons are
// valid: what the machine lacks, and "for CPUs only" on a GPU, because drivers of GPUs decide it
// freely. Only a borrowed machine with a GPU may lack what an administrator sets, or a driver's release.
class Skips : public testing::EmptyTestEventListener {
  public:
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (!result.skipped()) return;
        const std::string reason = FirstLine(result.summary());
        ++reasons_[reason];
        invalid_ += !IsValid(reason);
    }
    int Invalid() const { return invalid_; }

    // own_process.h and tools/gpu_run.sh read these lines.
    void Print() const {
        for (const auto& [reason, tests] : reasons_)
            std::printf("skipped: %d test%s: %s\n", tests, tests == 1 ? "" : "s", reason.c_str());
    }

  private:
    static std::string FirstLine(const std::string& text) {
        const size_t first = std::min(text.find_first_not_of('\n'), text.size());
        return text.substr(first, text.find('\n', first) - first);
    }

    static bool IsValid(const std::string& reason) {
        const auto says = [&](const char* words) { return reason.find(words) != std::string::npos; };
        uint32_t devices = 0;
        if (says("needs two devices") && aclrtGetDeviceCount(&devices) == ACL_SUCCESS && devices == 1) return true;
        if (says("needs devices that reach each other") || says("needs Graphviz")) return true;
        const bool lent = std::getenv("PORTACL_TEST_ON_GPU") != nullptr;
        for (const char* words :
             {"use each other's memory", "needs seccomp filters", "hard limit", "needs a driver with"})
            if (lent && says(words)) return true;
        return says("for CPUs only") && std::strcmp(Setting("PORTACL_BACKEND", "auto"), "cuda") == 0;
    }

    std::map<std::string, int> reasons_;
    int invalid_ = 0;
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
    skips->Print();
    const int skipped = skips->Invalid();
    // On the machine that a test is for, a skipped test is a failure.
    if (skipped > 0 && std::strcmp(Setting("PORTACL_TEST_NO_SKIPS", "0"), "0") != 0) {
        std::printf("%d tests skipped, and PORTACL_TEST_NO_SKIPS is set\n", skipped);
        result = 1;
    }
    return result;
}
