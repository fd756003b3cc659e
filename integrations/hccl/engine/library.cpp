#include "engine/library.h"

#include <dlfcn.h>

namespace hccl {

namespace {

// The module for processes with torch links libportacl.so, which a plug-in that contains this library has not.
#ifdef PORTACL_HCCL_WITHOUT_C10D
constexpr bool kMayUseTorch = false;
#else
constexpr bool kMayUseTorch = true;
#endif

// Whether the process has loaded a library.
bool IsLoaded(const char* name) {
    void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return false;
    dlclose(library);
    return true;
}

// Whether the functions of a Gloo are visible to all libraries of the process.
bool HasGlobalGloo() {
    return dlsym(RTLD_DEFAULT, "_ZN4gloo7ContextC2Eiii") != nullptr;
}

// The module beside this library, whose run path is this folder. It stays loaded: communicators live until the end.
void* Open(const char* name, const std::string& advice) {
    // Another Gloo must not take the place of the module's.
    const int mode = HasGlobalGloo() ? RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND : RTLD_NOW | RTLD_LOCAL;
    void* const module = dlopen(name, mode);
    if (module == nullptr) throw Failure(HCCL_E_NOT_SUPPORT, std::string(dlerror()) + "; " + advice);
    return module;
}

const MoverModule& Load() {
    // The Gloo inside torch, where it is loaded, so that a process has one.
    const bool has_torch = kMayUseTorch && IsLoaded("libtorch_cpu.so");
    const char* const name = has_torch ? "libportacl_c10d.so" : "libportacl_gloo.so";
    void* const module = Open(
        name,
        has_torch ? "build portacl for the torch version of this process (docs/collectives.md)"
        : kMayUseTorch
            ? "a communicator of several ranks needs the Gloo library: install Debian's libgloo0 and a portacl that "
              "was built with libgloo-dev, or import torch before the first call of HCCL (docs/collectives.md)"
            : "a communicator of several ranks needs the Gloo library: install Debian's libgloo0 and libgloo-dev, and "
              "build the plug-in for Paddle again "
              "(docs/paddle.md)");
    auto* const function = reinterpret_cast<MoverFunction*>(dlsym(module, "portacl_hccl_mover"));
    const MoverModule* const mover = function != nullptr ? function() : nullptr;
    if (mover == nullptr || !mover->Fits())
        throw Failure(HCCL_E_INTERNAL,
                      std::string(name) +
                          " is from another version of portacl; install portacl again, and its plug-in for "
                          "Paddle, if the process uses it");
    return *mover;
}

}  // namespace

const MoverModule& LoadedMover() {
    // A failed attempt is made again by the next call.
    static const MoverModule& loaded = Load();
    return loaded;
}

}  // namespace hccl
