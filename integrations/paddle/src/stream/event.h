// The events of Paddle. An event belongs to no device until it is recorded: Paddle creates it on
// the current device, and may record it in a stream of another device.
#pragma once

#include <acl/acl.h>

#include <map>
#include <memory>
#include <mutex>

#include "base/interface.h"

namespace portacl_paddle {

class PluginEvent {
  public:
    // Records it in a stream of `device`, which is current. The first record there creates the
    // library's event. Pending waits keep the record that they saw.
    aclError Record(int device, aclrtStream stream);
    // The library's event with the latest record; null if there is none.
    aclrtEvent Latest();
    // Destroys the library's events. Returns the first failure.
    aclError Destroy();

  private:
    std::mutex lock_;
    std::map<int, aclrtEvent> made_;  // by device
    aclrtEvent latest_ = nullptr;
};

// The event behind a handle of Paddle's; null if there is none.
std::shared_ptr<PluginEvent> Find(C_Event event);

}  // namespace portacl_paddle
