// Profiling that a test starts and reads back.
#pragma once

#include <acl/acl_prof.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/process/temporary_folder.h"
#include "support/profiling/trace.h"

namespace portacl_test {

inline aclprofConfig* ConfigFor(std::vector<uint32_t> devices) {
    return aclprofCreateConfig(devices.data(), static_cast<uint32_t>(devices.size()), ACL_AICORE_NONE, nullptr,
                               ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX);
}

template <typename T>
T* As(const void* handle) {
    return static_cast<T*>(const_cast<void*>(handle));
}

inline aclError InitIn(const std::string& folder) {
    return aclprofInit(folder.c_str(), folder.size());
}

inline aclError SetOption(aclprofConfigType type, const std::string& value) {
    return aclprofSetConfig(type, value.c_str(), value.size());
}

// Returns the only trace in a folder.
inline Trace Only(const std::string& folder) {
    std::vector<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(folder)) files.push_back(file.path());
    EXPECT_EQ(files.size(), 1u);
    Trace trace;
    if (files.size() == 1) trace = Trace::Read(files[0]);
    trace.Check();
    return trace;
}

// A test with a device, and with profiling started in a folder.
class Profiling : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        ACL_OK(InitIn(folder_));
        config_ = ConfigFor({0});
        ASSERT_NE(config_, nullptr);
    }
    void TearDown() override {
        // A test may have finalized it.
        (void)aclprofFinalize();
        if (config_) {
            ACL_EXPECT_OK(aclprofDestroyConfig(config_));
        }
        WithDevice::TearDown();
    }

    Trace Finish() {
        ACL_EXPECT_OK(aclprofFinalize());
        return Only(folder_);
    }

    const TemporaryFolder temporary_;
    // It does not exist yet.
    const std::string folder_ = temporary_.At("profile");
    aclprofConfig* config_ = nullptr;
};

}  // namespace portacl_test
