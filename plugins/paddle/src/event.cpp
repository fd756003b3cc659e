#include "callbacks.h"
#include "device.h"
#include "profiler.h"
#include "report.h"
#include "stream.h"

namespace portacl_paddle {

// An event that may be recorded again, and that counts as complete until it is recorded.
C_Status create_event(C_Device device, C_Event* event) {
    if (device == nullptr) return Refuse("create_event", "device is null");
    if (event == nullptr) return Refuse("create_event", "event is null");
    aclrtEvent made = nullptr;
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = aclrtCreateEventExWithFlag(&made, ACL_EVENT_SYNC);
    if (code == ACL_SUCCESS) *event = reinterpret_cast<C_Event>(made);
    return Answer("create_event", code);
}

// Waits that are queued keep the record they saw. Paddle does not survive a failure.
C_Status destroy_event(C_Device device, C_Event event) {
    if (device == nullptr) return Refuse("destroy_event", "device is null");
    const aclError code = aclrtDestroyEvent(Handle(event));
    if (code != ACL_SUCCESS && (InForkedChild() || !IsOpen(device->id))) return C_SUCCESS;
    Answer("destroy_event", code);
    return C_SUCCESS;
}

C_Status record_event(C_Device device, C_Stream stream, C_Event event) {
    if (device == nullptr) return Refuse("record_event", "device is null");
    const Traced call("record_event");
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = aclrtRecordEvent(Handle(event), Handle(stream));
    return Answer("record_event", code);
}

C_Status query_event(C_Device device, C_Event event) {
    if (device == nullptr) return Refuse("query_event", "device is null");
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    const aclError code = aclrtQueryEventStatus(Handle(event), &status);
    if (code != ACL_SUCCESS) return Answer("query_event", code);
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE ? C_SUCCESS : C_FAILED;
}

C_Status synchronize_event(C_Device device, C_Event event) {
    if (device == nullptr) return Refuse("synchronize_event", "device is null");
    const Traced call("synchronize_event");
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = aclrtSynchronizeEvent(Handle(event));
    return AnswerUnlessForked("synchronize_event", code);
}

}  // namespace portacl_paddle
