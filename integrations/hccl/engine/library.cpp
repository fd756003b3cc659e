#include "engine/library.h"

#include <dlfcn.h>

namespace hccl {

namespace {

// Whether the process has loaded a library.
bool IsLoaded(const char* name) {
    void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return false;
    dlclose(library);
    return true;
}

const MoverModule& Load() {
    constexpr const char* kTorch = "libtorch_cpu.so";
    constexpr const char* kModule = "libportacl_c10d.so";
    if (!IsLoaded(kTorch)) {
        throw Failure(HCCL_E_NOT_SUPPORT,
                      "collectives between ranks use the Gloo of PyTorch, and this process has loaded no libtorch; "
                      "import torch, or link libtorch_cpu (docs/collectives.md)");
    }
    // It lies beside this library, whose run path is this folder. It stays loaded: communicators live until the end.
    void* const module = dlopen(kModule, RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
        throw Failure(HCCL_E_NOT_SUPPORT, std::string(dlerror()) +
                                              "; build portacl for the torch of this process "
                                              "(docs/collectives.md)");
    }
    auto* const function = reinterpret_cast<MoverFunction*>(dlsym(module, "portacl_hccl_mover"));
    if (function == nullptr)
        throw Failure(HCCL_E_INTERNAL, std::string(kModule) + " is of another version; install portacl again");
    return *function();
}

}  // namespace

const MoverModule& LoadedMover() {
    // A failed attempt is made again by the next call.
    static const MoverModule& loaded = Load();
    return loaded;
}

}  // namespace hccl
