#include "runtime/context_cost.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>

#include "base/config.h"

namespace fake {

void pay_for_context() {
    if (config().context_ms == 0) return;
    // All processes on this machine that use this driver have its file in common.
    Dl_info driver{};
    const bool known = dladdr(reinterpret_cast<void*>(&pay_for_context), &driver) != 0;
    const int file = known ? open(driver.dli_fname, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0 || flock(file, LOCK_EX) != 0) perror("fake_cuda: contexts are not created one at a time");
    usleep(config().context_ms * 1000);
    if (file >= 0) close(file);
}

}  // namespace fake
