#include "base/paddle_symbols.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <string>
#include <vector>

namespace portacl_paddle {
namespace {

// Paths of Paddle's loaded libraries: libpaddle.so, libphi.so, libphi_core.so, depending on the
// release.
std::vector<std::string> PaddleLibraries() {
    std::vector<std::string> paths;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
            const char* slash = std::strrchr(info->dlpi_name, '/');
            const char* file = slash == nullptr ? info->dlpi_name : slash + 1;
            if (std::strncmp(file, "libpaddle.", 10) == 0 || std::strncmp(file, "libphi", 6) == 0) {
                static_cast<std::vector<std::string>*>(out)->push_back(info->dlpi_name);
            }
            return 0;
        },
        &paths);
    return paths;
}

}  // namespace

void* FindInPaddle(const char* name) {
    // A program that is linked with Paddle, or a test that replaces it.
    if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
    for (const std::string& path : PaddleLibraries()) {
        void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) continue;
        void* found = dlsym(library, name);
        dlclose(library);  // it stays loaded: this only undoes the count of RTLD_NOLOAD
        if (found != nullptr) return found;
    }
    return nullptr;
}

}  // namespace portacl_paddle
