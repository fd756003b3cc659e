// Events with ACL_EVENT_EXTERNAL.
#pragma once

#include "support/objects.h"

namespace portacl_test {

class ExternalEvent {
  public:
    ExternalEvent() { ExpectOk("aclrtCreateEventWithFlag", aclrtCreateEventWithFlag(&handle_, ACL_EVENT_EXTERNAL)); }
    ~ExternalEvent() {
        if (handle_) ExpectOk("aclrtDestroyEvent", aclrtDestroyEvent(handle_));
    }
    ExternalEvent(const ExternalEvent&) = delete;
    ExternalEvent& operator=(const ExternalEvent&) = delete;

    operator aclrtEvent() const { return handle_; }

    // Gives the event up: the test destroys it.
    aclrtEvent Release() { return std::exchange(handle_, nullptr); }

  private:
    aclrtEvent handle_ = nullptr;
};

}  // namespace portacl_test
