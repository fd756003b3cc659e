// A memory hook for tests that records its calls.
#pragma once

#include <portacl/portacl.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace portacl_test {

// A call of a hook.
struct HookCall {
    std::string hook;  // its name
    std::string what;  // "before malloc"
    portaclMemoryEvent event;
};

// The calls of several hooks, in one list.
class CallLog {
  public:
    void Add(HookCall reported) {
        const std::lock_guard<std::mutex> lock(mutex_);
        all_.push_back(std::move(reported));
    }
    std::vector<HookCall> Take() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::move(all_);
    }
    // Returns "name: before malloc" for each call, or "before malloc" if there is only one hook.
    static std::vector<std::string> Words(const std::vector<HookCall>& all, bool names = false) {
        std::vector<std::string> words;
        for (const HookCall& reported : all)
            words.push_back(names ? reported.hook + ": " + reported.what : reported.what);
        return words;
    }

  private:
    std::mutex mutex_;
    std::vector<HookCall> all_;
};

// A hook that is registered for the lifetime of this object.
class Recorder {
  public:
    Recorder(CallLog& call_log, std::string name, portaclMemoryHookScope scope = PORTACL_MEMORY_HOOK_THREAD)
        : story_(call_log), name_(std::move(name)) {
        portaclMemoryHook hook{};
        hook.structSize = sizeof hook;
        hook.name = name_.c_str();
        hook.userData = this;
        hook.beforeAlloc = [](void* self, auto* event) { return Before(self, "alloc", event); };
        hook.afterAlloc = [](void* self, auto* event) { After(self, "alloc", event); };
        hook.beforeMalloc = [](void* self, auto* event) { return Before(self, "malloc", event); };
        hook.afterMalloc = [](void* self, auto* event) { After(self, "malloc", event); };
        hook.beforeFree = [](void* self, auto* event) { return Before(self, "free", event); };
        hook.afterFree = [](void* self, auto* event) { After(self, "free", event); };
        registered = portaclMemoryHookRegister(&hook, scope, &id);
    }
    ~Recorder() {
        if (registered == ACL_SUCCESS) portaclMemoryHookUnregister(id);
    }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    aclError registered = ACL_SUCCESS;
    uint64_t id = 0;
    // Called inside each hook function; a before function returns its result.
    std::function<aclError(const std::string& what, const portaclMemoryEvent& event)> also;

  private:
    static aclError Before(void* self, const char* what, const portaclMemoryEvent* event) {
        return static_cast<Recorder*>(self)->Note(std::string("before ") + what, *event);
    }
    static void After(void* self, const char* what, const portaclMemoryEvent* event) {
        static_cast<Recorder*>(self)->Note(std::string("after ") + what, *event);
    }
    aclError Note(const std::string& what, const portaclMemoryEvent& event) {
        story_.Add({name_, what, event});
        return also ? also(what, event) : ACL_SUCCESS;
    }

    CallLog& story_;
    std::string name_;
};

}  // namespace portacl_test
