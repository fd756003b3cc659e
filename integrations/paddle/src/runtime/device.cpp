#include "runtime/device.h"

#include <atomic>
#include <cstdint>

#include "base/callbacks.h"
#include "base/report.h"
#include "profiling/profiler.h"

namespace portacl_paddle {
namespace {

constexpr int kMaxDevices = 64;

std::atomic<std::uint64_t> open_devices{0};

// The device that the thread has set; Paddle assumes that a thread starts with device 0.
thread_local int chosen = 0;

std::uint64_t Bit(int device) {
    return device >= 0 && device < kMaxDevices ? std::uint64_t{1} << device : 0;
}

}  // namespace

bool IsOpen(int device) {
    return (open_devices.load(std::memory_order_acquire) & Bit(device)) != 0;
}

// Paddle ends the process if this fails. InitPlugin has already opened the backend.
C_Status initialize() {
    const aclError code = aclInit(nullptr);
    if (code != ACL_ERROR_REPEAT_INITIALIZE) Answer("initialize", code);
    return C_SUCCESS;
}

// Paddle unloads the library inside this call and does not survive a failure.
C_Status finalize() {
    if (InForkedChild()) return C_SUCCESS;
    open_devices.store(0, std::memory_order_release);
    const aclError code = aclFinalize();
    if (code != ACL_ERROR_REPEAT_FINALIZE) Answer("finalize", code);
    return C_SUCCESS;
}

C_Status init_device(C_Device device) {
    if (device == nullptr) return Refuse("init_device", "device is null");
    const aclError code = Enter(device);
    if (code == ACL_SUCCESS) {
        open_devices.fetch_or(Bit(device->id), std::memory_order_acq_rel);
    }
    return Answer("init_device", code);
}

// Paddle does not survive a failure.
C_Status deinit_device(C_Device device) {
    if (device == nullptr) return Refuse("deinit_device", "device is null");
    if (InForkedChild() || !IsOpen(device->id)) return C_SUCCESS;
    open_devices.fetch_and(~Bit(device->id), std::memory_order_acq_rel);
    Answer("deinit_device", aclrtResetDeviceForce(device->id));
    return C_SUCCESS;
}

// Called thousands of times in a training step: only stores the device; each callback makes it
// current itself.
C_Status set_device(C_Device device) {
    if (device == nullptr) return Refuse("set_device", "device is null");
    if (!IsOpen(device->id)) {
        const aclError code = aclrtSetDevice(device->id);
        if (code != ACL_SUCCESS) return AnswerUnlessForked("set_device", code);
    }
    chosen = device->id;
    return C_SUCCESS;
}

C_Status get_device(C_Device device) {
    if (device == nullptr) return Refuse("get_device", "device is null");
    device->id = chosen;
    return C_SUCCESS;
}

C_Status synchronize_device(C_Device device) {
    if (device == nullptr) return Refuse("synchronize_device", "device is null");
    const Traced call("synchronize_device");
    aclError code = Enter(device);
    if (code == ACL_SUCCESS) code = aclrtSynchronizeDevice();
    return AnswerUnlessForked("synchronize_device", code);
}

// Paddle does not survive a failure of these two.
C_Status get_device_count(std::size_t* count) {
    if (count == nullptr) return Refuse("get_device_count", "count is null");
    std::uint32_t found = 0;
    if (Answer("get_device_count", aclrtGetDeviceCount(&found)) != C_SUCCESS) found = 0;
    *count = found;
    return C_SUCCESS;
}

C_Status get_device_list(std::size_t* devices) {
    if (devices == nullptr) return Refuse("get_device_list", "devices is null");
    std::size_t count = 0;
    get_device_count(&count);
    for (std::size_t id = 0; id < count; ++id) devices[id] = id;
    return C_SUCCESS;
}

}  // namespace portacl_paddle
