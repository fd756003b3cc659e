// The one symbol that Paddle looks for.
//
// InitPlugin selects the slots by the size of the table that Paddle passes, so one binary fits several releases. Paddle
// names a device in each call without always setting it first, so each callback enters the device; what the thread
// itself has set is remembered separately (runtime/device.h). Functions of Paddle that the plug-in needs are looked up
// by name and never linked.
#include <acl/acl.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "base/callbacks.h"
#include "base/layout.h"
#include "base/paddle_symbols.h"
#include "base/report.h"
#include "kernel/adapter.h"
#include "kernel/kernels.h"

using namespace portacl_paddle;

namespace {

// Paddle keeps the pointers and does not write to them.
char device_type[] = "portacl";
char sub_device_type[] = "portacl";

std::string KnownReleases() {
    std::string text;
    for (const Release& release : kReleases) {
        text += text.empty() ? "" : ", ";
        text += std::string(release.versions) + " (" + std::to_string(release.table) + " bytes)";
    }
    return text;
}

// Sets a callback in its slot, if the release has one.
template <typename Callback>
void Fill(unsigned char* table, std::size_t offset, Callback callback) {
    static_assert(sizeof callback == sizeof(void*));
    if (offset != 0) std::memcpy(table + offset, &callback, sizeof callback);
}

// The device has no kernels for views that share memory with a tensor. With its flag off, which it
// reads at each operator, Paddle makes copies instead. A setting of the environment takes
// precedence.
void TurnViewsOff() {
    if (secure_getenv("FLAGS_use_stride_kernel") != nullptr) return;
    // paddle_flags::FLAGS_use_stride_kernel, which libphi_core.so exports.
    void* const flag = FindInPaddle("_ZN12paddle_flags23FLAGS_use_stride_kernelE");
    if (flag != nullptr) *static_cast<bool*>(flag) = false;
}

}  // namespace

// To refuse, it returns with a null device_type: Paddle warns and continues without the device.
extern "C" __attribute__((visibility("default"))) void InitPlugin(CustomRuntimeParams* params) {
    if (params == nullptr) return;
    params->device_type = nullptr;
    if (params->interface == nullptr) {
        Say("no device is registered: this Paddle passed no table of callbacks, but this plug-in supports Paddle %s "
            "only. Use one of "
            "these releases, or a newer plug-in",
            KnownReleases().c_str());
        return;
    }
    const std::size_t size = params->interface->size;
    const int column = ColumnOf(size);
    if (column < 0 || params->size != kReleases[column].params) {
        Say("no device is registered: this Paddle's table of callbacks has %zu bytes and its parameters have %zu "
            "bytes, but this "
            "plug-in supports Paddle %s only. Use one of these releases, or a newer plug-in",
            size, params->size, KnownReleases().c_str());
        return;
    }
    std::uint32_t devices = 0;
    if (const aclError code = aclrtGetDeviceCount(&devices); code != ACL_SUCCESS) {
        Answer("no device is registered", code);
        return;
    }

    auto* table = reinterpret_cast<unsigned char*>(params->interface);
#define PORTACL_PADDLE_FILL(name, ...) Fill(table, slot_of::name[column], &portacl_paddle::name);
    PORTACL_PADDLE_CALLBACKS(PORTACL_PADDLE_FILL)
#undef PORTACL_PADDLE_FILL
    RegisterKernels(device_type, column, LoadAdapter(device_type));
    TurnViewsOff();

    params->version = {0, 1, 1};
    params->sub_device_type = sub_device_type;
    params->device_type = device_type;
}
