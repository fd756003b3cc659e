// Device properties other than memory. Paddle ignores the status and uses the written value, so a
// device that does not exist is 0.
#include <acl/acl.h>
#include <portacl/portacl.h>

#include <climits>
#include <string>

#include "base/callbacks.h"
#include "base/report.h"
#include "kernel/adapter.h"
#include "runtime/device_properties.h"

namespace portacl_paddle {
namespace {

aclError Ask(C_Device device, aclrtDevAttr attribute, std::size_t* value) {
    std::int64_t found = 0;
    const aclError code = aclrtGetDeviceInfo(static_cast<std::uint32_t>(device->id), attribute, &found);
    if (code == ACL_SUCCESS) *value = static_cast<std::size_t>(found);
    return code;
}

C_Status ReportAttribute(const char* callback, C_Device device, aclrtDevAttr attribute, const char* name,
                         std::size_t* value) {
    if (device == nullptr) return Refuse(callback, "device is null");
    if (value == nullptr) return Refuse(callback, (std::string(name) + " is null").c_str());
    return Answer(callback, Ask(device, attribute, value));
}

C_Status ReportVersion(const char* callback, C_Device device, std::size_t* version, const char* package) {
    if (device == nullptr) return Refuse(callback, "device is null");
    if (version == nullptr) return Refuse(callback, "version is null");
    std::int32_t number = 0;
    std::string name = package;
    const aclError code = aclsysGetVersionNum(name.data(), &number);
    if (code == ACL_SUCCESS) *version = static_cast<std::size_t>(number);
    return Answer(callback, code);
}

C_Status ReportSupport(const char* callback, C_Device device, bool* supported, bool is_supported) {
    if (device == nullptr) return Refuse(callback, "device is null");
    if (supported == nullptr) return Refuse(callback, "supported is null");
    *supported = is_supported;
    return C_SUCCESS;
}

}  // namespace

C_Status get_compute_capability(C_Device device, std::size_t* capability) {
    return ReportAttribute("get_compute_capability", device, ACL_DEV_ATTR_NPU_ARCH, "compute_capability", capability);
}

C_Status get_device_properties(C_Device device, void* properties) {
    constexpr const char* kName = "get_device_properties";
    if (device == nullptr) return Refuse(kName, "device is null");
    if (properties == nullptr) return Refuse(kName, "device_properties is null");
    char name[128] = {};
    std::size_t processors = 0;
    std::size_t memory = 0;
    std::size_t architecture = 0;
    aclError code = portaclDeviceName(device->id, name, sizeof name);
    if (code == ACL_SUCCESS) code = Ask(device, ACL_DEV_ATTR_AICORE_CORE_NUM, &processors);
    if (code == ACL_SUCCESS) code = Ask(device, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &memory);
    if (code == ACL_SUCCESS) code = Ask(device, ACL_DEV_ATTR_NPU_ARCH, &architecture);
    if (code != ACL_SUCCESS) return Answer(kName, code);
    const char* backend = portaclBackendName();
    auto* out = static_cast<DeviceProperties*>(properties);
    out->name = name;
    out->major = static_cast<int>(architecture / 100);
    out->minor = static_cast<int>(architecture % 100);
    out->total_memory = memory;
    out->processors = static_cast<int>(processors);
    out->is_multi_gpu_board = false;
    out->integrated = backend != nullptr && std::string(backend) == "cpu";
    return C_SUCCESS;
}

C_Status get_runtime_version(C_Device device, std::size_t* version) {
    return ReportVersion("get_runtime_version", device, version, "runtime");
}

C_Status get_driver_version(C_Device device, std::size_t* version) {
    return ReportVersion("get_driver_version", device, version, "driver");
}

C_Status get_compute_capability_of_current(std::size_t* capability) {
    C_Device_st device{};
    get_device(&device);
    return get_compute_capability(&device, capability);
}

C_Status get_runtime_version_of_current(std::size_t* version) {
    C_Device_st device{};
    get_device(&device);
    return get_runtime_version(&device, version);
}

C_Status get_driver_version_of_current(std::size_t* version) {
    C_Device_st device{};
    get_device(&device);
    return get_driver_version(&device, version);
}

C_Status get_multi_process(C_Device device, std::size_t* processors) {
    return ReportAttribute("get_multi_process", device, ACL_DEV_ATTR_AICORE_CORE_NUM, "multi_process", processors);
}

// The library returns the limit of half a core; a core has two halves.
C_Status get_max_threads_per_mp(C_Device device, std::size_t* threads) {
    const C_Status status = ReportAttribute("get_max_threads_per_mp", device, ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE,
                                            "threads_per_mp", threads);
    if (status == C_SUCCESS) *threads *= 2;
    return status;
}

C_Status get_max_threads_per_block(C_Device device, std::size_t* threads) {
    return ReportAttribute("get_max_threads_per_block", device, ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK, "threads_per_block",
                           threads);
}

C_Status get_max_grid_dim_size(C_Device device, std::array<unsigned, 3>* size) {
    constexpr const char* kName = "get_max_grid_dim_size";
    if (device == nullptr) return Refuse(kName, "device is null");
    if (size == nullptr) return Refuse(kName, "grid_dim_size is null");
    constexpr aclrtDevAttr kBounds[] = {ACL_DEV_ATTR_MAX_GRID_DIM_X, ACL_DEV_ATTR_MAX_GRID_DIM_Y,
                                        ACL_DEV_ATTR_MAX_GRID_DIM_Z};
    std::array<unsigned, 3> found{};
    for (std::size_t axis = 0; axis < found.size(); ++axis) {
        std::size_t bound = 0;
        const aclError code = Ask(device, kBounds[axis], &bound);
        if (code != ACL_SUCCESS) return Answer(kName, code);
        found[axis] = bound > UINT_MAX ? UINT_MAX : static_cast<unsigned>(bound);
    }
    *size = found;
    return C_SUCCESS;
}

// Paddle's CPU kernels, to which operators fall back, have nearly none for half precision; the adapter has them.
C_Status is_float16_supported(C_Device device, bool* supported) {
    return ReportSupport("is_float16_supported", device, supported, HasAdapter());
}

C_Status is_bfloat16_supported(C_Device device, bool* supported) {
    return ReportSupport("is_bfloat16_supported", device, supported, HasAdapter());
}

C_Status is_dnn_supported(C_Device device, bool* supported) {
    return ReportSupport("is_dnn_supported", device, supported, false);
}

}  // namespace portacl_paddle
