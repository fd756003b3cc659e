// An address for a mapping in which a test makes a hole.
#pragma once

#include <cstdint>

namespace portacl_test {

// Returns an address that the kernel gives only to a call that names it: other threads do not fill the hole.
inline void* FarAddress() {
    return reinterpret_cast<void*>(uintptr_t{1} << 45);
}

}  // namespace portacl_test
