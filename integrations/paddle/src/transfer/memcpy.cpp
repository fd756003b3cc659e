// Copies. The asynchronous ones rely on the guarantee of aclrtMemcpyAsync for pageable host memory:
// when it returns, a source has been read, and a destination written.
#include "base/callbacks.h"
#include "base/report.h"
#include "profiling/profiler.h"
#include "runtime/device.h"
#include "stream/stream.h"

namespace portacl_paddle {
namespace {

C_Status CopyNow(const char* callback, Work work, C_Device device, void* dst, const void* src, std::size_t size,
                 aclrtMemcpyKind kind) {
    if (device == nullptr) return Refuse(callback, "device is null");
    if (size == 0) return C_SUCCESS;  // with null pointers, as tensors without elements have
    const Traced call(callback, work, device->id, size);
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = aclrtMemcpy(dst, size, src, size, kind);
    return Answer(callback, code);
}

aclError Queue(const char* callback, Work work, int device, C_Stream stream, void* dst, const void* src,
               std::size_t size, aclrtMemcpyKind kind) {
    const Traced call(callback, work, device, size, Handle(stream));
    return aclrtMemcpyAsync(dst, size, src, size, kind, Handle(stream));
}

C_Status CopyLater(const char* callback, Work work, C_Device device, C_Stream stream, void* dst, const void* src,
                   std::size_t size, aclrtMemcpyKind kind) {
    if (device == nullptr) return Refuse(callback, "device is null");
    if (size == 0) return C_SUCCESS;
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = Queue(callback, work, device->id, stream, dst, src, size, kind);
    return Answer(callback, code);
}

// An event that is recorded once, waited for, and destroyed while these waits are pending.
class Mark {
  public:
    Mark() : code_(aclrtCreateEventExWithFlag(&event_, ACL_EVENT_SYNC)) {}
    ~Mark() {
        if (event_ != nullptr) aclrtDestroyEvent(event_);
    }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

    aclError Record(aclrtStream stream) { return code_ == ACL_SUCCESS ? aclrtRecordEvent(event_, stream) : code_; }
    aclError Hold(aclrtStream stream) { return aclrtStreamWaitEvent(stream, event_); }

  private:
    aclrtEvent event_ = nullptr;
    aclError code_;
};

// Ignores a stream that another thread has destroyed: nothing needs to be ordered any more, since
// destroying waits for the stream's work.
bool IsGone(aclError code, int device, aclrtStream stream) {
    return code == ACL_ERROR_RT_PARAM_INVALID && !IsStreamOf(device, stream);
}

// Orders later operations of `stream` of device `dst` after all work enqueued on device `src` so
// far.
aclError WaitForDevice(int src, int dst, aclrtStream stream) {
    for (const aclrtStream source : StreamsOf(src)) {
        aclError code = Enter(src);
        aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
        if (code == ACL_SUCCESS) code = aclrtStreamQuery(source, &status);
        if (IsGone(code, src, source)) continue;
        if (code != ACL_SUCCESS) return code;
        if (status == ACL_STREAM_STATUS_COMPLETE) continue;
        Mark mark;
        code = mark.Record(source);
        if (IsGone(code, src, source)) continue;
        if (code == ACL_SUCCESS) code = Enter(dst);
        if (code == ACL_SUCCESS) code = mark.Hold(stream);
        if (code != ACL_SUCCESS) return code;
    }
    return Enter(dst);
}

// Orders later work of device `src` after the copy in `stream` of device `dst`: Paddle may free the
// source and reuse its memory before the copy has read it.
aclError HoldDevice(int src, int dst, aclrtStream stream) {
    Mark mark;
    aclError code = mark.Record(stream);
    if (code != ACL_SUCCESS) return code;
    code = Enter(src);
    if (code != ACL_SUCCESS) return code;
    for (const aclrtStream source : StreamsOf(src)) {
        code = mark.Hold(source);
        if (code != ACL_SUCCESS && !IsGone(code, src, source)) return code;
    }
    return Enter(dst);
}

}  // namespace

C_Status memory_copy_h2d(C_Device device, void* dst, const void* src, std::size_t size) {
    return CopyNow("memory_copy_h2d", Work::kHostToDevice, device, dst, src, size, ACL_MEMCPY_HOST_TO_DEVICE);
}

C_Status memory_copy_d2h(C_Device device, void* dst, const void* src, std::size_t size) {
    return CopyNow("memory_copy_d2h", Work::kDeviceToHost, device, dst, src, size, ACL_MEMCPY_DEVICE_TO_HOST);
}

C_Status memory_copy_d2d(C_Device device, void* dst, const void* src, std::size_t size) {
    return CopyNow("memory_copy_d2d", Work::kDeviceToDevice, device, dst, src, size, ACL_MEMCPY_DEVICE_TO_DEVICE);
}

// Paddle has waited for the source's device.
C_Status memory_copy_p2p(C_Device dst_device, C_Device src_device, void* dst, const void* src, std::size_t size) {
    if (src_device == nullptr) return Refuse("memory_copy_p2p", "src_device is null");
    return CopyNow("memory_copy_p2p", Work::kDeviceToDevice, dst_device, dst, src, size, ACL_MEMCPY_DEVICE_TO_DEVICE);
}

C_Status async_memory_copy_h2d(C_Device device, C_Stream stream, void* dst, const void* src, std::size_t size) {
    return CopyLater("async_memory_copy_h2d", Work::kHostToDevice, device, stream, dst, src, size,
                     ACL_MEMCPY_HOST_TO_DEVICE);
}

C_Status async_memory_copy_d2h(C_Device device, C_Stream stream, void* dst, const void* src, std::size_t size) {
    return CopyLater("async_memory_copy_d2h", Work::kDeviceToHost, device, stream, dst, src, size,
                     ACL_MEMCPY_DEVICE_TO_HOST);
}

C_Status async_memory_copy_d2d(C_Device device, C_Stream stream, void* dst, const void* src, std::size_t size) {
    return CopyLater("async_memory_copy_d2d", Work::kDeviceToDevice, device, stream, dst, src, size,
                     ACL_MEMCPY_DEVICE_TO_DEVICE);
}

// Enqueued on a stream of the destination, without an event of Paddle: this function orders the two
// devices.
C_Status async_memory_copy_p2p(C_Device dst_device, C_Device src_device, C_Stream stream, void* dst, const void* src,
                               std::size_t size) {
    constexpr const char* kName = "async_memory_copy_p2p";
    if (dst_device == nullptr || src_device == nullptr) {
        return Refuse(kName, "dst_device or src_device is null");
    }
    if (size == 0) return C_SUCCESS;
    const int dst_id = dst_device->id;
    const int src_id = src_device->id;
    aclError code = Enter(dst_id);
    if (code == ACL_SUCCESS && src_id != dst_id) code = WaitForDevice(src_id, dst_id, Handle(stream));
    if (code == ACL_SUCCESS) {
        code = Queue(kName, Work::kDeviceToDevice, dst_id, stream, dst, src, size, ACL_MEMCPY_DEVICE_TO_DEVICE);
    }
    if (code == ACL_SUCCESS && src_id != dst_id) code = HoldDevice(src_id, dst_id, Handle(stream));
    return Answer(kName, code);
}

}  // namespace portacl_paddle
