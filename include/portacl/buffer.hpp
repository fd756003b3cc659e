/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Host and device memory with ownership.
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

// A size beyond all memory is requested too, and refused with a text.
template <typename T>
constexpr std::size_t bytes_of(std::size_t count) noexcept {
    return count > SIZE_MAX / sizeof(T) ? SIZE_MAX : count * sizeof(T);
}

}  // namespace detail

/** Common parts of both kinds of buffers. @tparam T the type of elements. @tparam Kind the kind of
 * memory. */
template <typename T, typename Kind>
class Buffer : public Owner<Kind> {
    static_assert(std::is_trivially_copyable_v<T>, "its bytes are copied");
    static_assert(!std::is_const_v<T>, "it has to be written once");

  public:
    /** The type of its elements. */
    using value_type = T;

    /** Takes the memory of another buffer, which is empty afterwards. @param other the other
     * buffer. */
    Buffer(Buffer&& other) noexcept : Owner<Kind>(std::move(other)), size_(std::exchange(other.size_, 0)) {}
    /** Frees its memory and takes the memory of the other buffer. @param other the other buffer.
     * @return this object.
     */
    Buffer& operator=(Buffer&& other) noexcept {
        Owner<Kind>::operator=(std::move(other));
        if (this != &other) size_ = std::exchange(other.size_, 0);
        return *this;
    }

    /** Gives up ownership of the memory. @return the memory; the caller must free it. */
    [[nodiscard]] T* release() noexcept {
        size_ = 0;
        return static_cast<T*>(Owner<Kind>::release());
    }

    /** Frees the memory now. */
    void reset() noexcept {
        size_ = 0;
        Owner<Kind>::reset();
    }

    /** Returns the first element. @return its address; null if there is none. */
    T* data() const noexcept { return static_cast<T*>(this->get()); }
    /** Returns the number of elements. @return the number. */
    std::size_t size() const noexcept { return size_; }
    /** Returns the size in bytes. @return the number. */
    std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    /** Returns whether it is empty. @return true if it is. */
    bool empty() const noexcept { return size_ == 0; }

  protected:
    /** @param memory the memory that it owns. @param size number of elements. */
    Buffer(void* memory, std::size_t size) noexcept : Owner<Kind>(memory), size_(size) {}

  private:
    std::size_t size_ = 0;
};

/** Elements in memory of the calling thread's device. Their initial contents are undefined. If the
 * memory is freed while pending work uses it, it stays valid until that work is complete. @tparam T
 * their type, which is trivially copyable. */
template <typename T>
class DeviceBuffer : public Buffer<T, detail::DeviceMemoryKind> {
  public:
    /**
     * Allocates. Without elements nothing is allocated.
     *
     * @param size number of elements.
     * @param policy the page size policy.
     * @param where the source location of the call.
     */
    explicit DeviceBuffer(std::size_t size, aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST,
                          SourceLocation where = SourceLocation::current())
        : DeviceBuffer::Buffer(allocate(size, policy, where), size) {}

    /** Returns a span of all elements. @return a span. */
    DeviceSpan<T> span() const noexcept { return {this->data(), this->size()}; }
    /** As span(). @return a span. */
    operator DeviceSpan<T>() const noexcept { return span(); }
    /** As span(), for parameters that are only read. @return a span. */
    operator DeviceSpan<const T>() const noexcept { return span(); }

  private:
    static void* allocate(std::size_t size, aclrtMemMallocPolicy policy, SourceLocation where) {
        void* memory = nullptr;
        if (size != 0) check(aclrtMalloc(&memory, detail::bytes_of<T>(size), policy), where);
        return memory;
    }
};

/** Elements in page-locked host memory, which every device copies fastest and asynchronously. Their
 * initial contents are undefined. If the memory is freed while pending work uses it, it stays valid
 * until that work is complete. @tparam T their type, which is trivially copyable. */
template <typename T>
class HostBuffer : public Buffer<T, detail::HostMemoryKind> {
  public:
    /**
     * Allocates. Without elements nothing is allocated.
     *
     * @param size number of elements.
     * @param where the source location of the call.
     */
    explicit HostBuffer(std::size_t size, SourceLocation where = SourceLocation::current())
        : HostBuffer::Buffer(allocate(size, where), size) {}

    /** Returns a span of all elements. @return a span. */
    Span<T> span() const noexcept { return {this->data(), this->size()}; }
    /** Returns an iterator to the first element. @return the iterator. */
    T* begin() const noexcept { return this->data(); }
    /** Returns an iterator past the last element. @return the iterator. */
    T* end() const noexcept { return this->data() + this->size(); }
    /** Returns an element. @param index less than size(). @return the element. */
    T& operator[](std::size_t index) const { return this->data()[index]; }

  private:
    static void* allocate(std::size_t size, SourceLocation where) {
        void* memory = nullptr;
        if (size != 0) check(aclrtMallocHost(&memory, detail::bytes_of<T>(size)), where);
        return memory;
    }
};

/** Returns a span of a device buffer. @param buffer the buffer. @return a span. */
template <typename T>
DeviceSpan<T> view(const DeviceBuffer<T>& buffer) noexcept {
    return buffer.span();
}

}  // namespace portacl

#endif /* PORTACL_BUFFER_HPP */
