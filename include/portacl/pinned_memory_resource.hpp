/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Page-locked host memory for the containers of the standard library.
 */

#ifndef PORTACL_PINNED_MEMORY_RESOURCE_HPP
#define PORTACL_PINNED_MEMORY_RESOURCE_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <new>

#include "owner.hpp"

namespace portacl {

/** There is no page-locked memory left. It is no Error: a class with both bases would have two
 * std::exception in it, and no handler of std::exception would catch it. */
class OutOfPinnedMemory : public std::bad_alloc {
  public:
    /**
     * A failure, with the library's text of this thread's last call.
     *
     * @param code what the call returned.
     */
    explicit OutOfPinnedMemory(aclError code) noexcept : code_(code) {
        // Kept in place: there may be no memory for a copy elsewhere.
        const char* text = aclGetRecentErrMsg();
        std::strncpy(text_, text != nullptr ? text : "no page-locked memory", sizeof text_ - 1);
    }

    /** What the library says: call, argument, value, bound, and what to do. @return the text, at
     * most 511 bytes of it; valid as long as this object. */
    const char* what() const noexcept override { return text_; }

    /** What the call returned. @return the code. */
    aclError code() const noexcept { return code_; }

  private:
    aclError code_;
    char text_[512] = {};
};

/** A std::pmr::memory_resource over aclrtMallocHost. Each request is an allocation of the library,
 * of 512 bytes at least: for many small ones put a std::pmr::monotonic_buffer_resource in front.
 * All objects of this class are equal; where the compiler makes no run-time type information
 * (-fno-rtti), each to itself only. allocate() throws OutOfPinnedMemory, a std::bad_alloc, where
 * there is no memory; std::bad_alloc where the alignment is above 2 MiB; Error where the call fails
 * for another reason. Thread-safe. */
class PinnedMemoryResource : public std::pmr::memory_resource {
  private:
    // What the library promises of its host memory: its own grain, and pages from their size on.
    static constexpr std::size_t kGrain = 512;
    static constexpr std::size_t kPage = 4096;
    static constexpr std::size_t kHugePage = std::size_t{2} << 20;

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (alignment > kHugePage) throw std::bad_alloc();
        std::size_t least = 1;
        if (alignment > kGrain) least = alignment > kPage ? kHugePage : kPage;
        void* memory = nullptr;
        const aclError code = aclrtMallocHost(&memory, std::max(bytes, least));
        if (code == ACL_ERROR_RT_MEMORY_ALLOCATION || code == ACL_ERROR_BAD_ALLOC)
            throw OutOfPinnedMemory(code);
        check(code);
        return memory;
    }

    void do_deallocate(void* memory, std::size_t, std::size_t) noexcept override {
        detail::note("aclrtFreeHost", aclrtFreeHost(memory));
    }

    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
#ifdef __cpp_rtti
        return dynamic_cast<const PinnedMemoryResource*>(&other) != nullptr;
#else
        return this == &other;
#endif
    }
};

/**
 * The resource for those who need no object of their own.
 *
 * @return it; valid until the end of the process.
 */
inline std::pmr::memory_resource* pinned_memory_resource() {
    // Never destroyed: static containers may outlive any static resource.
    static PinnedMemoryResource* const resource = new PinnedMemoryResource();
    return resource;
}

}  // namespace portacl

#endif /* PORTACL_PINNED_MEMORY_RESOURCE_HPP */
