// Prints why tests of a program were skipped, and counts the skips.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace portacl_test {

inline const char* Setting(const char* name, const char* fallback) {
    const char* value = std::getenv(name);
    return value && *value ? value : fallback;
}

// Lists the reasons of skipped tests, and counts those that this machine could run. Some reasons are
// valid: what the machine lacks or has, what the kernel lets only root do, and "for CPUs only" on a GPU, because
// drivers of GPUs decide it freely. Only a borrowed machine with a GPU may lack what an administrator
// sets, or a driver's release.
class Skips : public testing::EmptyTestEventListener {
  public:
    // `device_count` returns a number below 0 if it is not known.
    explicit Skips(int (*device_count)()) : device_count_(device_count) {}
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (!result.skipped()) return;
        const std::string reason = FirstLine(result.summary());
        ++reasons_[reason];
        invalid_ += Counts(reason);
    }
    int Invalid() const { return invalid_; }
    // Whether a test that skips itself for this reason is a failure: this machine could run it.
    bool Counts(const std::string& reason) const {
        return !IsValid(reason) && std::strcmp(Setting("PORTACL_TEST_NO_SKIPS", "0"), "0") != 0;
    }
    static std::string FirstLine(const std::string& text) {
        const size_t first = std::min(text.find_first_not_of('\n'), text.size());
        return text.substr(first, text.find('\n', first) - first);
    }

    // own_process.h and tools/gpu read these lines.
    void Print() const {
        for (const auto& [reason, tests] : reasons_)
            std::printf("skipped: %d test%s: %s\n", tests, tests == 1 ? "" : "s", reason.c_str());
    }

  private:
    // Whether the streams of a device share fewer queues than a driver gives without a setting.
    static bool HasFewQueues() {
        const char* const of_driver = Setting("CUDA_DEVICE_MAX_CONNECTIONS", "8");
        const int queues = std::atoi(Setting("FAKE_CUDA_CONNECTIONS", of_driver));
        return queues > 0 && queues < 8;
    }

    bool IsValid(const std::string& reason) const {
        const auto says = [&](const char* words) { return reason.find(words) != std::string::npos; };
        if (says("needs two devices") && device_count_() == 1) return true;
        if (says("hardware queues") && HasFewQueues()) return true;
        for (const char* words :
             {"needs devices that reach each other", "needs Graphviz", "needs a machine without", "no huge pages"})
            if (says(words)) return true;
        // What the kernel lets only root do, or not even root in a container.
        if (says("Operation not permitted") || (says("needs root") && geteuid() != 0)) return true;
        const bool lent = std::getenv("PORTACL_TEST_ON_GPU") != nullptr;
        for (const char* words :
             {"use each other's memory", "needs seccomp filters", "hard limit", "needs a driver with", "ranks"})
            if (lent && says(words)) return true;
        return says("for CPUs only") && std::strcmp(Setting("PORTACL_BACKEND", "auto"), "cuda") == 0;
    }

    int (*const device_count_)();
    std::map<std::string, int> reasons_;
    int invalid_ = 0;
};

}  // namespace portacl_test
