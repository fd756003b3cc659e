// Code that the tests of snapshots share.
#pragma once

#include <acl/acl.h>
#include <unistd.h>

#include <functional>
#include <utility>
#include <vector>

#include "support/acl_test.h"
#include "support/base/cuda_driver.h"
#include "support/objects.h"

namespace portacl_test {

inline const int kSelf = getpid();

inline aclError Lock() {
    return aclrtSnapShotProcessLock(kSelf, nullptr);
}
inline aclError Backup() {
    return aclrtSnapShotProcessBackup(kSelf, nullptr);
}
inline aclError Restore() {
    return aclrtSnapShotProcessRestore(kSelf, nullptr);
}
inline aclError Unlock() {
    return aclrtSnapShotProcessUnlock(kSelf, nullptr);
}

// Records the calls of callbacks: stage and device.
struct Stages {
    std::vector<std::pair<int, int32_t>> reported;
    int failing = -1;               // this stage returns 17
    std::function<void(int)> also;  // called with the stage
};

inline Stages* stages = nullptr;

template <int stage>
uint32_t RecordCall(int32_t device, void* argument) {
    auto* all = static_cast<Stages*>(argument);
    EXPECT_EQ(all, stages);
    all->reported.emplace_back(stage, device);
    if (all->also) all->also(stage);
    return all->failing == stage ? 17 : 0;
}

inline constexpr aclrtSnapShotCallBack kRecordCall[] = {RecordCall<0>, RecordCall<1>, RecordCall<2>,
                                                        RecordCall<3>, RecordCall<4>, RecordCall<5>};

// Callbacks for all stages, registered for the lifetime of this object.
class Listening {
  public:
    explicit Listening(Stages& all) {
        stages = &all;
        for (int stage = 0; stage < 6; ++stage)
            ACL_EXPECT_OK(
                aclrtSnapShotCallbackRegister(static_cast<aclrtSnapShotStage>(stage), kRecordCall[stage], &all));
    }
    ~Listening() {
        for (int stage = 0; stage < 6; ++stage)
            ACL_EXPECT_OK(aclrtSnapShotCallbackUnregister(static_cast<aclrtSnapShotStage>(stage), kRecordCall[stage]));
    }
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;
};

using StageCalls = std::vector<std::pair<int, int32_t>>;

#define NEEDS_SNAPSHOTS NEEDS_DRIVER_WITH("cuCheckpointProcessLock")

class WithSnapshots : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        NEEDS_SNAPSHOTS;
    }
    // A failed test must leave the process unlocked.
    ~WithSnapshots() override {
        Restore();
        Unlock();
        aclGetRecentErrMsg();
    }
};

}  // namespace portacl_test
