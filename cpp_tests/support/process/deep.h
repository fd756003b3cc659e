// Code that uses much stack.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl_test {

// Writes `mebibytes` MiB of the calling thread's stack, and little more. Returns how many.
struct Deep {
    [[gnu::noinline]] static uint32_t Use(uint32_t mebibytes) { return mebibytes == 0 ? 0 : UseOne(mebibytes); }
    [[gnu::noinline]] static uint32_t UseOne(uint32_t mebibytes) {
        constexpr size_t kSize = size_t{1} << 20;
        volatile char locals[kSize];
        for (size_t at = 0; at < kSize; at += 1024) locals[at] = 1;
        // Prevents a tail call: the locals are used after the call.
        return Use(mebibytes - 1) + static_cast<uint32_t>(locals[kSize / 2]);
    }
};

}  // namespace portacl_test
