#include "stream/event.h"

#include <cstdint>
#include <new>

#include "base/callbacks.h"
#include "base/report.h"
#include "profiling/profiler.h"
#include "runtime/device.h"
#include "stream/stream.h"

namespace portacl_paddle {
namespace {

constexpr const char* kNoEvent = "event was not created by create_event, or was destroyed";

std::mutex registry_lock;
std::map<std::uintptr_t, std::shared_ptr<PluginEvent>> registry;  // by handle
std::uintptr_t last_handle = 0;                                   // never reused, never null

std::uintptr_t Number(C_Event event) {
    return reinterpret_cast<std::uintptr_t>(event);
}

}  // namespace

aclError PluginEvent::Record(int device, aclrtStream stream) {
    const std::lock_guard<std::mutex> held(lock_);
    aclrtEvent& event = made_[device];
    aclError code = ACL_SUCCESS;
    // An event that may be recorded repeatedly, and counts as complete until it is recorded.
    if (event == nullptr) code = aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC);
    if (code == ACL_SUCCESS) code = aclrtRecordEvent(event, stream);
    if (code == ACL_SUCCESS) latest_ = event;
    return code;
}

aclrtEvent PluginEvent::Latest() {
    const std::lock_guard<std::mutex> held(lock_);
    return latest_;
}

aclError PluginEvent::Destroy() {
    const std::lock_guard<std::mutex> held(lock_);
    aclError first = ACL_SUCCESS;
    for (const auto& [device, event] : made_) {
        // Objects of a closed device have been released with it.
        const aclError code = event == nullptr ? ACL_SUCCESS : aclrtDestroyEvent(event);
        if (first == ACL_SUCCESS && IsOpen(device)) first = code;
    }
    made_.clear();
    latest_ = nullptr;
    return first;
}

std::shared_ptr<PluginEvent> Find(C_Event event) {
    const std::lock_guard<std::mutex> held(registry_lock);
    const auto found = registry.find(Number(event));
    return found == registry.end() ? nullptr : found->second;
}

C_Status create_event(C_Device device, C_Event* event) {
    if (device == nullptr) return Refuse("create_event", "device is null");
    if (event == nullptr) return Refuse("create_event", "event is null");
    const aclError code = Enter(device);
    if (code != ACL_SUCCESS) return Answer("create_event", code);
    try {
        const std::lock_guard<std::mutex> held(registry_lock);
        registry.emplace(last_handle + 1, std::make_shared<PluginEvent>());
        *event = reinterpret_cast<C_Event>(++last_handle);
    } catch (const std::bad_alloc&) {
        return Refuse("create_event", "no memory for the event");
    }
    return C_SUCCESS;
}

// Pending waits keep the record that they saw. Paddle does not survive a failure.
C_Status destroy_event(C_Device device, C_Event event) {
    if (device == nullptr) return Refuse("destroy_event", "device is null");
    if (InForkedChild()) return C_SUCCESS;
    const std::shared_ptr<PluginEvent> found = Find(event);
    if (found == nullptr) {
        if (IsOpen(device->id)) Refuse("destroy_event", kNoEvent);
        return C_SUCCESS;
    }
    {
        const std::lock_guard<std::mutex> held(registry_lock);
        registry.erase(Number(event));
    }
    Answer("destroy_event", found->Destroy());
    return C_SUCCESS;
}

C_Status record_event(C_Device device, C_Stream stream, C_Event event) {
    if (device == nullptr) return Refuse("record_event", "device is null");
    const std::shared_ptr<PluginEvent> found = Find(event);
    if (found == nullptr) return Refuse("record_event", kNoEvent);
    const Traced call("record_event");
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = found->Record(device->id, Handle(stream));
    return Answer("record_event", code);
}

C_Status query_event(C_Device device, C_Event event) {
    if (device == nullptr) return Refuse("query_event", "device is null");
    const std::shared_ptr<PluginEvent> found = Find(event);
    if (found == nullptr) return Refuse("query_event", kNoEvent);
    const aclrtEvent latest = found->Latest();
    if (latest == nullptr) return C_SUCCESS;
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    const aclError code = aclrtQueryEventStatus(latest, &status);
    if (code != ACL_SUCCESS) return Answer("query_event", code);
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE ? C_SUCCESS : C_FAILED;
}

C_Status synchronize_event(C_Device device, C_Event event) {
    if (device == nullptr) return Refuse("synchronize_event", "device is null");
    const std::shared_ptr<PluginEvent> found = Find(event);
    if (found == nullptr) return Refuse("synchronize_event", kNoEvent);
    const Traced call("synchronize_event");
    const aclrtEvent latest = found->Latest();
    const aclError code = latest == nullptr ? ACL_SUCCESS : aclrtSynchronizeEvent(latest);
    return AnswerUnlessForked("synchronize_event", code);
}

C_Status stream_wait_event(C_Device device, C_Stream stream, C_Event event) {
    if (device == nullptr) return Refuse("stream_wait_event", "device is null");
    const std::shared_ptr<PluginEvent> found = Find(event);
    if (found == nullptr) return Refuse("stream_wait_event", kNoEvent);
    const Traced call("stream_wait_event");
    aclError code = Enter(device);
    const aclrtEvent latest = found->Latest();
    if (code == ACL_SUCCESS && latest != nullptr) {
        code = aclrtStreamWaitEvent(Handle(stream), latest);
    } else if (code == ACL_SUCCESS) {
        // There is nothing to wait for, but an invalid stream is still refused.
        aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
        code = aclrtStreamQuery(Handle(stream), &status);
    }
    return Answer("stream_wait_event", code);
}

}  // namespace portacl_paddle
