// Names and descriptions of result codes.

#include <algorithm>

#include "base/abi.h"
#include "base/call.h"

namespace fake {
namespace {

struct Description {
    CUresult code;
    const char* name;
    const char* text;
};

constexpr Description kDescriptions[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "an argument has a value that is not accepted"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "not enough memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "the driver is not initialized"},
    {4, "CUDA_ERROR_DEINITIALIZED", "the driver is shutting down"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "the library is a stub"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "there is no CUDA device"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "there is no such device"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "the module image cannot be read"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "no context, or not the right one"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "the module has no code for this device"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "the memory has an uncorrectable error"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "the devices cannot reach each other's memory"},
    {218, "CUDA_ERROR_INVALID_PTX", "the PTX text has an error"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX version is newer than the driver"},
    {300, "CUDA_ERROR_INVALID_SOURCE", "the kernel source cannot be read"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", "an operating system call failed"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "the handle does not refer to a live object"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "the object is in the wrong state"},
    {500, "CUDA_ERROR_NOT_FOUND", "the name was not found"},
    {600, "CUDA_ERROR_NOT_READY", "the work has not finished yet"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel touched an invalid address"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "the launch asks for too much"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel ran too long"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is on already"},
    {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access is not on"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context was destroyed"},
    {710, "CUDA_ERROR_ASSERT", "an assertion failed on the device"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "the host memory is registered already"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "the host memory is not registered"},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "the device's call stack is damaged"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "a kernel met an illegal instruction"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel used a misaligned address"},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "an instruction met the wrong address space"},
    {718, "CUDA_ERROR_INVALID_PC", "a kernel jumped to an invalid place"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed for an unspecified reason"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "not permitted here"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "not supported here"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "the system is not ready"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "kernel driver and library do not match"},
    {810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "the MPS server has ended this client"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "a capture of a stream forbids this"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "the capture met what it forbids"},
    {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "two captures depend on each other"},
    {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "the capture began with another stream"},
    {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "a stream of the capture was not joined"},
    {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "a captured stream would wait for work outside of the capture"},
    {907, "CUDA_ERROR_CAPTURED_EVENT", "the event was recorded in a capture"},
    {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "another thread began the capture"},
    {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the graph cannot be changed to that"},
    {911, "CUDA_ERROR_EXTERNAL_DEVICE", "a device outside of CUDA has failed"},
    {999, "CUDA_ERROR_UNKNOWN", "an unknown error"},
};

CUresult describe(const Call& call, CUresult code, const char** out, const char* Description::*field) {
    if (call.refused()) return call.refused();
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "pStr is null");
    const auto found = std::find_if(std::begin(kDescriptions), std::end(kDescriptions),
                                    [=](const Description& d) { return d.code == code; });
    *out = found == std::end(kDescriptions) ? nullptr : (*found).*field;
    return *out == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuGetErrorName(CUresult error, const char** out) {
    Call call(__func__, Needs::kNothing);
    return describe(call, error, out, &Description::name);
}

FAKE_CUDA_EXPORT CUresult cuGetErrorString(CUresult error, const char** out) {
    Call call(__func__, Needs::kNothing);
    return describe(call, error, out, &Description::text);
}
