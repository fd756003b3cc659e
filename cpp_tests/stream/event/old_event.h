// Events of the older creation functions, and the older queries.
#pragma once

#include "support/objects.h"
#include "support/says.h"

namespace portacl_test {

// An event of aclrtCreateEventWithFlag, or with flag 0 of aclrtCreateEvent.
class OldEvent {
  public:
    explicit OldEvent(uint32_t flag = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE) {
        if (flag == 0)
            ExpectOk("aclrtCreateEvent", aclrtCreateEvent(&handle_));
        else
            ExpectOk("aclrtCreateEventWithFlag", aclrtCreateEventWithFlag(&handle_, flag));
    }
    ~OldEvent() {
        if (handle_) ExpectOk("aclrtDestroyEvent", aclrtDestroyEvent(handle_));
    }
    OldEvent(const OldEvent&) = delete;
    OldEvent& operator=(const OldEvent&) = delete;

    operator aclrtEvent() const { return handle_; }

    // The test destroys it.
    aclrtEvent Release() { return std::exchange(handle_, nullptr); }

  private:
    aclrtEvent handle_ = nullptr;
};

inline bool WaitsAreOver(aclrtEvent event) {
    auto status = Poison<aclrtEventWaitStatus>();
    ExpectOk("aclrtQueryEventWaitStatus", aclrtQueryEventWaitStatus(event, &status));
    EXPECT_TRUE(status == ACL_EVENT_WAIT_STATUS_COMPLETE || status == ACL_EVENT_WAIT_STATUS_NOT_READY);
    return status == ACL_EVENT_WAIT_STATUS_COMPLETE;
}

// As IsComplete, by the older query, whose values are reversed.
inline bool IsCompleteOld(aclrtEvent event) {
    auto status = Poison<aclrtEventStatus>();
    ExpectOk("aclrtQueryEvent", aclrtQueryEvent(event, &status));
    EXPECT_TRUE(status == ACL_EVENT_STATUS_COMPLETE || status == ACL_EVENT_STATUS_NOT_READY);
    const bool complete = status == ACL_EVENT_STATUS_COMPLETE;
    EXPECT_EQ(complete, IsComplete(event));
    return complete;
}

}  // namespace portacl_test
