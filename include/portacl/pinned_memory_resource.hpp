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

/** No page-locked memory is left. Not derived from Error: a class with both bases would contain two
 * std::exception, and no handler of std::exception would catch it. */
class OutOfPinnedMemory : public std::bad_alloc {
  public:
    /**
     * Creates the exception with the library's text of this thread's latest failure.
     *
     * @param code the code that the call returned.
     */
    explicit OutOfPinnedMemory(aclError code) noexcept : code_(code) {
        // Stored inside the object: there may be no memory for a copy.
        const char* text = aclGetRecentErrMsg();
        std::strncpy(text_, text != nullptr ? text : "no page-locked memory", sizeof text_ - 1);
    }

    /** Returns the library's text: call, argument, value, bound and remedy. @return at most 511
     * bytes of the text; valid as long as this object. */
    const char* what() const noexcept override { return text_; }

    /** Returns the code of the call. @return the code. */
    aclError code() const noexcept { return code_; }

  private:
    aclError code_;
    char text_[512] = {};
};

/** A std::pmr::memory_resource over aclrtMallocHost. Each request is an allocation of the library,
 * of at least 512 bytes on CPUs: for many small ones put a std::pmr::monotonic_buffer_resource in front.
 * All objects of this class are equal; without run-time type information (-fno-rtti) each is equal
 * to itself only. allocate() throws OutOfPinnedMemory, a std::bad_alloc, if there is no memory;
 * std::bad_alloc if the alignment is greater than 2 MiB; Error if the call fails for another
 * reason. Thread-safe. */
class PinnedMemoryResource : public std::pmr::memory_resource {
  private:
    // The alignment that the library guarantees for host memory: 512 bytes, and pages from the page
    // size on.
    static constexpr std::size_t kGrain = 512;
    static constexpr std::size_t kPage = 4096;
    static constexpr std::size_t kHugePage = std::size_t{2} << 20;

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (alignment > kHugePage) throw std::bad_alloc();
        std::size_t least = 1;
        if (alignment > kGrain) least = alignment > kPage ? kHugePage : kPage;
        void* memory = nullptr;
        const aclError code = aclrtMallocHost(&memory, std::max(bytes, least));
        if (code == ACL_ERROR_RT_MEMORY_ALLOCATION || code == ACL_ERROR_BAD_ALLOC) throw OutOfPinnedMemory(code);
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
 * Returns a shared resource.
 *
 * @return the resource; valid until the end of the process.
 */
inline std::pmr::memory_resource* pinned_memory_resource() {
    // Never destroyed: static containers may outlive any static resource.
    static PinnedMemoryResource* const resource = new PinnedMemoryResource();
    return resource;
}

}  // namespace portacl

#endif /* PORTACL_PINNED_MEMORY_RESOURCE_HPP */
