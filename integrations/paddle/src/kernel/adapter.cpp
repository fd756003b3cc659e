// The module is in a folder beside the plug-in, since Paddle opens every library of the plug-in's own folder. It is
// built for one release, with whose C++ interface it is linked.
#include "kernel/adapter.h"

#include <acl/acl.h>
#include <dlfcn.h>
#include <portacl/portacl.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "../adapter/device_memory.h"
#include "base/paddle_symbols.h"
#include "base/report.h"
#include "profiling/profiler.h"
#include "runtime/device.h"
#include "stream/stream.h"

namespace portacl_paddle {
namespace {

constexpr const char* kModule = "libportacl_paddle_kernels.so";

// Set once, while Paddle is loaded.
bool has_adapter = false;

bool IsSet(const char* variable) {
    const char* const value = secure_getenv(variable);
    return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

// Not on GPUs and not in guard mode. The checks see the accesses of copies, and none of the host's.
bool HostMayTouchDeviceMemory() {
    const char* const backend = portaclBackendName();
    return backend != nullptr && std::strcmp(backend, "cpu") == 0 && !IsSet("PORTACL_CPU_GUARD") &&
           !IsSet("PORTACL_CHECK");
}

// Nearly always of the current device, and idle.
int Wait(int device, void* stream) {
    aclError code = stream == nullptr ? aclError{ACL_ERROR_RT_STREAM_CONTEXT}
                                      : aclrtSynchronizeStream(static_cast<aclrtStream>(stream));
    if (code == ACL_ERROR_RT_STREAM_CONTEXT || code == ACL_ERROR_RT_CONTEXT_NULL) {
        code = Enter(device);
        if (code == ACL_SUCCESS) code = aclrtSynchronizeStream(static_cast<aclrtStream>(stream));
    }
    return code;
}

int WaitForDevice(int device) {
    const aclError code = Enter(device);
    return code == ACL_SUCCESS ? aclrtSynchronizeDevice() : code;
}

// Complete when they return: the host's memory is pageable (transfer/memcpy.cpp).
int Read(int device, void* stream, void* host, const void* memory, std::size_t bytes) {
    const Traced call("kernel_input", Work::kDeviceToHost, device, bytes, static_cast<aclrtStream>(stream));
    const aclError code = Enter(device);
    if (code != ACL_SUCCESS) return code;
    return aclrtMemcpyAsync(host, bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST, static_cast<aclrtStream>(stream));
}

int Write(int device, void* stream, void* memory, const void* host, std::size_t bytes) {
    const Traced call("kernel_output", Work::kHostToDevice, device, bytes, static_cast<aclrtStream>(stream));
    const aclError code = Enter(device);
    if (code != ACL_SUCCESS) return code;
    return aclrtMemcpyAsync(memory, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, static_cast<aclrtStream>(stream));
}

// The folder of the module, which is below that of this plug-in; empty if there is none.
std::string ModulePath() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&ModulePath), &info) == 0 || info.dli_fname == nullptr) return "";
    const std::string plugin = info.dli_fname;
    const std::size_t slash = plugin.rfind('/');
    return (slash == std::string::npos ? "" : plugin.substr(0, slash + 1)) + "portacl/" + kModule;
}

// The release of the Paddle in this process, from the file that its build wrote; empty if it is not found.
std::string ReleaseOfPaddle() {
    void* const function = FindInPaddle("PD_RegisterPhiKernel");
    Dl_info info{};
    if (function == nullptr || dladdr(function, &info) == 0 || info.dli_fname == nullptr) return "";
    std::string folder = info.dli_fname;
    folder.resize(folder.rfind('/') + 1);
    std::ifstream file(folder + "../version/__init__.py");
    const std::string key = "full_version";
    for (std::string line; std::getline(file, line);) {
        if (line.compare(0, key.size(), key) != 0) continue;
        const std::size_t begin = line.find('\'') + 1;
        return line.substr(begin, line.find('\'', begin) - begin);
    }
    return "";
}

}  // namespace

bool HasAdapter() {
    return has_adapter;
}

bool LoadAdapter(const char* device_type) {
    const std::string path = ModulePath();
    if (!std::ifstream(path).good()) return false;
    void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto refuse = [module](const std::string& why) {
        Say("operators run by Paddle's fall-back, which gives some programs other results (docs/paddle.md): %s: %s. "
            "Build the plug-in again, with this Paddle installed",
            kModule, why.c_str());
        if (module != nullptr) dlclose(module);
        return false;
    };
    if (module == nullptr) return refuse(dlerror());
    const auto* const release = static_cast<const char*>(dlsym(module, kReleaseSymbol));
    auto* const adapt = reinterpret_cast<AdaptFunction*>(dlsym(module, kAdaptFunction));
    if (release == nullptr || adapt == nullptr) return refuse("it is not a module of this plug-in");
    if (const std::string found = ReleaseOfPaddle(); found != release) {
        return refuse("it is for Paddle " + std::string(release) + ", and this is " +
                      (found.empty() ? "another" : found));
    }
    static const DeviceMemory memory{sizeof(DeviceMemory), HostMayTouchDeviceMemory(), Wait, WaitForDevice, Read, Write,
                                     aclGetRecentErrMsg};
    if (const char* const why = adapt(device_type, &memory)) return refuse(why);
    has_adapter = true;
    return memory.is_on_host;
}

}  // namespace portacl_paddle
