// Host memory that ends. The functions of malloc are replaced in the program that includes this.
#pragma once

#include <malloc.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);
}

namespace portacl_test {

// The process can allocate a limited number of bytes more. What is freed can be allocated again.
class LimitedHeap {
  public:
    static void Leave(long count) {
        lack_ = 0;
        left_ = count;
        limited_ = true;
    }
    // Ends the limit. Returns by how many bytes it was too low for the first allocation that was refused, or 0.
    static long Return() {
        limited_ = false;
        return lack_;
    }

    // Returns the new block, or null if it is longer than what is left.
    static void* Take(void* block) {
        if (!block || !limited_) return block;
        const long size = Size(block), left = left_.fetch_sub(size) - size;
        if (left >= 0) return block;
        left_ += size;
        long none = 0;
        lack_.compare_exchange_strong(none, -left);
        __libc_free(block);
        errno = ENOMEM;
        return nullptr;
    }
    static void NoteFreed(void* block) {
        if (block && limited_) left_ += Size(block);
    }

  private:
    static long Size(void* block) { return static_cast<long>(malloc_usable_size(block)); }

    static inline std::atomic<bool> limited_{false};
    static inline std::atomic<long> left_{0}, lack_{0};
};

}  // namespace portacl_test

extern "C" {

void* malloc(size_t size) noexcept {
    return portacl_test::LimitedHeap::Take(__libc_malloc(size));
}

void* calloc(size_t count, size_t size) noexcept {
    return portacl_test::LimitedHeap::Take(__libc_calloc(count, size));
}

void* memalign(size_t alignment, size_t size) noexcept {
    return portacl_test::LimitedHeap::Take(__libc_memalign(alignment, size));
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
    return memalign(alignment, size);
}

int posix_memalign(void** block, size_t alignment, size_t size) noexcept {
    void* made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}

void free(void* block) noexcept {
    portacl_test::LimitedHeap::NoteFreed(block);
    __libc_free(block);
}

void* realloc(void* block, size_t size) noexcept {
    void* moved = malloc(size);
    if (!moved) return nullptr;
    if (block) {
        std::memcpy(moved, block, std::min(size, malloc_usable_size(block)));
        free(block);
    }
    return moved;
}
}
