// A memory hook that runs a function of a test once.
#pragma once

#include <portacl/portacl.h>

#include <atomic>
#include <functional>
#include <string>
#include <utility>

#include "support/objects.h"

namespace portacl_test {

// A hook for all threads that runs a function in one of them, once.
class OneShotHook {
  public:
    OneShotHook(std::string name, portaclMemoryHookScope scope = PORTACL_MEMORY_HOOK_PROCESS) : name_(std::move(name)) {
        portaclMemoryHook hook{};
        hook.structSize = sizeof hook;
        hook.name = name_.c_str();
        hook.userData = this;
        hook.beforeMalloc = [](void* self, const portaclMemoryEvent*) {
            static_cast<OneShotHook*>(self)->Called();
            return static_cast<aclError>(ACL_SUCCESS);
        };
        ExpectOk("portaclMemoryHookRegister", portaclMemoryHookRegister(&hook, scope, &id));
    }
    ~OneShotHook() {
        // A test may have unregistered it.
        (void)portaclMemoryHookUnregister(id);
        aclGetRecentErrMsg();
    }
    OneShotHook(const OneShotHook&) = delete;
    OneShotHook& operator=(const OneShotHook&) = delete;

    // Runs `act` in the calling thread, the next time that the hook is called.
    void Do(std::function<void()> act) {
        mine = this;
        act_ = std::move(act);
    }
    static inline thread_local OneShotHook* mine = nullptr;

    uint64_t id = 0;
    std::atomic<int> calls{0};

  private:
    void Called() {
        ++calls;
        if (mine != this) return;
        mine = nullptr;
        act_();
    }
    std::string name_;
    std::function<void()> act_;
};

inline void CallHooks() {
    void* memory = nullptr;
    ACL_EXPECT_OK(aclrtMallocHost(&memory, 64));
    ACL_EXPECT_OK(aclrtFreeHost(memory));
}

}  // namespace portacl_test
