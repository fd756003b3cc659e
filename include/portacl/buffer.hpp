/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Host and device memory that owns itself.
 */

#ifndef PORTACL_BUFFER_HPP
#define PORTACL_BUFFER_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "owner.hpp"
#include "span.hpp"

namespace portacl {

namespace detail {

struct DeviceMemoryKind {
    using Handle = void*;
    static constexpr Handle none() noexcept { return nullptr; }
    static void destroy(Handle memory) noexcept { note("aclrtFree", aclrtFree(memory)); }
};

struct HostMemoryKind {
    using Handle = void*;
    static constexpr Handle none() noexcept { return nullptr; }
    static void destroy(Handle memory) noexcept { note("aclrtFreeHost", aclrtFreeHost(memory)); }
};

// What is more than all memory is asked for, too, and refused in words.
template <typename T>
constexpr std::size_t bytes_of(std::size_t count) noexcept {
    return count > SIZE_MAX / sizeof(T) ? SIZE_MAX : count * sizeof(T);
}

}  // namespace detail

/** What a buffer of either kind has. @tparam T its elements. @tparam Kind which memory. */
template <typename T, typename Kind>
class Buffer : public Owner<Kind> {
    static_assert(std::is_trivially_copyable_v<T>, "its bytes are copied");
    static_assert(!std::is_const_v<T>, "it has to be written once");

  public:
    /** The type of its elements. */
    using value_type = T;

    /** Takes the memory of another buffer, which is empty then. @param other the other buffer. */
    Buffer(Buffer&& other) noexcept
        : Owner<Kind>(std::move(other)), size_(std::exchange(other.size_, 0)) {}
    /** Frees its own memory and takes the other's. @param other the other buffer. @return itself.
     */
    Buffer& operator=(Buffer&& other) noexcept {
        Owner<Kind>::operator=(std::move(other));
        if (this != &other) size_ = std::exchange(other.size_, 0);
        return *this;
    }

    /** Gives the memory away. @return it; the caller has to free it. */
    [[nodiscard]] T* release() noexcept {
        size_ = 0;
        return static_cast<T*>(Owner<Kind>::release());
    }

    /** Frees the memory now. */
    void reset() noexcept {
        size_ = 0;
        Owner<Kind>::reset();
    }

    /** The first element. @return its address; null if there is none. */
    T* data() const noexcept { return static_cast<T*>(this->get()); }
    /** How many elements there are. @return the number. */
    std::size_t size() const noexcept { return size_; }
    /** How many bytes that are. @return the number. */
    std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    /** Whether there are none. @return true if so. */
    bool empty() const noexcept { return size_ == 0; }

  protected:
    /** @param memory what it owns. @param size how many elements that is. */
    Buffer(void* memory, std::size_t size) noexcept : Owner<Kind>(memory), size_(size) {}

  private:
    std::size_t size_ = 0;
};

/** Elements in the memory of the calling thread's device. What is in them is not defined at first.
 * Freed while queued work uses it, the memory lives until that is done. @tparam T their type, which
 * is trivially copyable. */
template <typename T>
class DeviceBuffer : public Buffer<T, detail::DeviceMemoryKind> {
  public:
    /**
     * Allocates. No elements: nothing is allocated.
     *
     * @param size how many elements.
     * @param policy which pages.
     * @param where the place of the call.
     */
    explicit DeviceBuffer(std::size_t size, aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST,
                          SourceLocation where = SourceLocation::current())
        : DeviceBuffer::Buffer(allocate(size, policy, where), size) {}

    /** All of it. @return a span. */
    DeviceSpan<T> span() const noexcept { return {this->data(), this->size()}; }
    /** As span(). @return a span. */
    operator DeviceSpan<T>() const noexcept { return span(); }

  private:
    static void* allocate(std::size_t size, aclrtMemMallocPolicy policy, SourceLocation where) {
        void* memory = nullptr;
        if (size != 0) check(aclrtMalloc(&memory, detail::bytes_of<T>(size), policy), where);
        return memory;
    }
};

/** Elements in page-locked host memory, which every device copies fastest and without waiting. What
 * is in them is not defined at first. Freed while queued work uses it, the memory lives until that
 * is done. @tparam T their type, which is trivially copyable. */
template <typename T>
class HostBuffer : public Buffer<T, detail::HostMemoryKind> {
  public:
    /**
     * Allocates. No elements: nothing is allocated.
     *
     * @param size how many elements.
     * @param where the place of the call.
     */
    explicit HostBuffer(std::size_t size, SourceLocation where = SourceLocation::current())
        : HostBuffer::Buffer(allocate(size, where), size) {}

    /** All of it. @return a span. */
    Span<T> span() const noexcept { return {this->data(), this->size()}; }
    /** The first element. @return its place. */
    T* begin() const noexcept { return this->data(); }
    /** Past the last one. @return the place. */
    T* end() const noexcept { return this->data() + this->size(); }
    /** An element. @param index below size(). @return the element. */
    T& operator[](std::size_t index) const { return this->data()[index]; }

  private:
    static void* allocate(std::size_t size, SourceLocation where) {
        void* memory = nullptr;
        if (size != 0) check(aclrtMallocHost(&memory, detail::bytes_of<T>(size)), where);
        return memory;
    }
};

/** All of a device buffer. @param buffer the buffer. @return a span. */
template <typename T>
DeviceSpan<T> view(const DeviceBuffer<T>& buffer) noexcept {
    return buffer.span();
}

}  // namespace portacl

#endif /* PORTACL_BUFFER_HPP */
