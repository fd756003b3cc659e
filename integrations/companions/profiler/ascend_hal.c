// libascend_hal: torch_npu.profiler asks it for the version of a driver, by which it chooses the clock of its events.
#include <stdint.h>

// With 0, older than every driver, it takes the clock of the system.
int32_t halGetAPIVersion(int32_t* version) {
    *version = 0;
    return 0;
}
