#include "stream/stream.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "base/callbacks.h"
#include "base/report.h"
#include "profiling/profiler.h"
#include "runtime/device.h"

namespace portacl_paddle {
namespace {

std::mutex registry_lock;
std::map<int, std::vector<aclrtStream>> registry;  // by device

void Register(int device, aclrtStream stream) {
    const std::lock_guard<std::mutex> held(registry_lock);
    registry[device].push_back(stream);
}

void Unregister(int device, aclrtStream stream) {
    const std::lock_guard<std::mutex> held(registry_lock);
    auto& streams = registry[device];
    streams.erase(std::remove(streams.begin(), streams.end(), stream), streams.end());
}

// A pending callback of Paddle in a stream.
struct QueuedCallback {
    C_Device_st device;
    C_Stream stream;
    C_Callback callback;
    void* user_data;
};

void RunCallback(void* argument) {
    const std::unique_ptr<QueuedCallback> call(static_cast<QueuedCallback*>(argument));
    C_Status status = C_SUCCESS;
    call->callback(&call->device, call->stream, call->user_data, &status);
    if (status != C_SUCCESS) Say("a callback in a stream of device %d failed: status %d", call->device.id, status);
}

}  // namespace

std::vector<aclrtStream> StreamsOf(int device) {
    const std::lock_guard<std::mutex> held(registry_lock);
    std::vector<aclrtStream> streams = registry[device];
    streams.push_back(nullptr);
    return streams;
}

bool IsStreamOf(int device, aclrtStream stream) {
    const std::lock_guard<std::mutex> held(registry_lock);
    const auto& streams = registry[device];
    return stream == nullptr || std::find(streams.begin(), streams.end(), stream) != streams.end();
}

int DeviceOf(aclrtStream stream) {
    const std::lock_guard<std::mutex> held(registry_lock);
    for (const auto& [device, streams] : registry) {
        if (std::find(streams.begin(), streams.end(), stream) != streams.end()) return device;
    }
    return -1;
}

// Paddle does not survive a failure: if no stream can be created, the default stream is used.
C_Status create_stream(C_Device device, C_Stream* stream) {
    if (device == nullptr) return Refuse("create_stream", "device is null");
    if (stream == nullptr) return Refuse("create_stream", "stream is null");
    aclrtStream made = nullptr;
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = aclrtCreateStream(&made);
    if (code == ACL_SUCCESS) {
        Register(device->id, made);
    } else {
        Answer("create_stream (the default stream is used instead)", code);
        made = nullptr;
    }
    *stream = reinterpret_cast<C_Stream>(made);
    return C_SUCCESS;
}

// Paddle does not survive a failure. The default stream, which create_stream may have returned, is
// not destroyed.
C_Status destroy_stream(C_Device device, C_Stream stream) {
    if (device == nullptr) return Refuse("destroy_stream", "device is null");
    if (stream == nullptr) return C_SUCCESS;
    if (InForkedChild()) return C_SUCCESS;
    Unregister(device->id, Handle(stream));
    if (!IsOpen(device->id)) return C_SUCCESS;
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = aclrtDestroyStream(Handle(stream));
    Answer("destroy_stream", code);
    return C_SUCCESS;
}

C_Status query_stream(C_Device device, C_Stream stream) {
    if (device == nullptr) return Refuse("query_stream", "device is null");
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = aclrtStreamQuery(Handle(stream), &status);
    if (code != ACL_SUCCESS) return Answer("query_stream", code);
    return status == ACL_STREAM_STATUS_COMPLETE ? C_SUCCESS : C_FAILED;
}

C_Status synchronize_stream(C_Device device, C_Stream stream) {
    if (device == nullptr) return Refuse("synchronize_stream", "device is null");
    const Traced call("synchronize_stream");
    // Called for every operator, nearly always on the current device: queries the library only if
    // it is not. The default stream belongs to the current device.
    aclError code = stream == nullptr ? ACL_ERROR_RT_STREAM_CONTEXT : aclrtSynchronizeStream(Handle(stream));
    if (code == ACL_ERROR_RT_STREAM_CONTEXT || code == ACL_ERROR_RT_CONTEXT_NULL) {
        code = Enter(device);
        if (code == ACL_SUCCESS) code = aclrtSynchronizeStream(Handle(stream));
    }
    return AnswerUnlessForked("synchronize_stream", code);
}

C_Status stream_add_callback(C_Device device, C_Stream stream, C_Callback callback, void* user_data) {
    if (device == nullptr) return Refuse("stream_add_callback", "device is null");
    if (callback == nullptr) return Refuse("stream_add_callback", "callback is null");
    std::unique_ptr<QueuedCallback> call(new (std::nothrow) QueuedCallback{*device, stream, callback, user_data});
    if (call == nullptr) return Refuse("stream_add_callback", "no memory for the call");
    const Traced traced("stream_add_callback");
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = aclrtLaunchHostFunc(Handle(stream), RunCallback, call.get());
    if (code == ACL_SUCCESS) call.release();  // owned by RunCallback now
    return Answer("stream_add_callback", code);
}

}  // namespace portacl_paddle
