// A test double: the plug-in for a Paddle whose table of callbacks is 8 bytes larger than every
// known one. Opens the plug-in itself, whose path is compiled in.
#include <dlfcn.h>

#include "base/interface.h"

extern "C" __attribute__((visibility("default"))) void InitPlugin(CustomRuntimeParams* params) {
    void* library = dlopen(PORTACL_PADDLE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto init = reinterpret_cast<decltype(&InitPlugin)>(dlsym(library, "InitPlugin"));
    params->interface->size += 8;
    init(params);
    params->interface->size -= 8;
}
