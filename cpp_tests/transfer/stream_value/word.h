// A word of memory that streams write and wait for.
#pragma once

#include <cstdint>
#include <vector>

#include "support/objects.h"

namespace portacl_test {

using Words = std::vector<uint64_t>;

// A word of device memory, pinned memory or managed memory.
class Word {
  public:
    explicit Word(uint64_t value = 0) : memory_(Words{value, ~value}) {}
    void* At() const { return memory_.At(); }
    uint64_t Read() const { return memory_.Download<uint64_t>()[0]; }
    // Written by its own stream, which is then synchronized.
    void Write(uint64_t value) const {
        const Stream stream;
        ACL_EXPECT_OK(aclrtValueWrite(At(), value, 0, stream));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    }

  private:
    DeviceMemory memory_;
};

inline uint64_t Load(const void* word) {
    return __atomic_load_n(static_cast<const uint64_t*>(word), __ATOMIC_ACQUIRE);
}

inline void Store(void* word, uint64_t value) {
    __atomic_store_n(static_cast<uint64_t*>(word), value, __ATOMIC_RELEASE);
}

}  // namespace portacl_test
