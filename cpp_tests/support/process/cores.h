// The processors that this process may use.
#pragma once

#include <sched.h>

namespace portacl_test {

inline int Cores() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

}  // namespace portacl_test
