// What the module for one release of Paddle (this folder) needs of the plug-in (src), which contains the library and
// links nothing of Paddle.
#pragma once

#include <cstddef>

namespace portacl_paddle {

struct DeviceMemory {
    // Of this structure: a module from another version of portacl refuses to be used.
    std::size_t size;
    // Whether the host may read and write device memory, when the stream's work has ended.
    bool is_on_host;
    // All return 0, or an error code. The text of a failure is that of `failure`.
    int (*wait)(int device, void* stream);
    int (*wait_for_device)(int device);
    int (*read)(int device, void* stream, void* host, const void* memory, std::size_t bytes);
    int (*write)(int device, void* stream, void* memory, const void* host, std::size_t bytes);
    const char* (*failure)();
};

// Registers the CPU kernels of this process's Paddle for the device. Returns null, or why it has not.
using AdaptFunction = const char*(const char* device_type, const DeviceMemory* memory);
constexpr const char kAdaptFunction[] = "portacl_paddle_adapt";
// A constant array of characters: the release that the module is for.
constexpr const char kReleaseSymbol[] = "portacl_paddle_release";

}  // namespace portacl_paddle
