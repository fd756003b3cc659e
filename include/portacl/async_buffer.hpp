/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Stream-ordered memory of a pool, with ownership.
 */

#ifndef PORTACL_ASYNC_BUFFER_HPP
#define PORTACL_ASYNC_BUFFER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "buffer.hpp"
#include "copy.hpp"
#include "mem_pool.hpp"
#include "stream.hpp"

namespace portacl {

/** Elements in memory of a pool that are allocated and freed in stream order: work enqueued on the
 * stream in between may use them, without waiting. Their initial contents are undefined. The stream
 * must outlive the buffer, and the thread that destroys the buffer must have its device set. Events
 * must order work in other streams after the allocation and before the free, as hand_over does. For
 * operations without stream order, such as portacl::copy, synchronize the stream first. @tparam T
 * their type, which is trivially copyable. */
template <typename T>
class AsyncBuffer {
    static_assert(std::is_trivially_copyable_v<T>, "its bytes are copied");
    static_assert(!std::is_const_v<T>, "it has to be written once");

  public:
    /** The type of its elements. */
    using value_type = T;

    /** Creates an empty buffer without memory. */
    AsyncBuffer() noexcept = default;

    /**
     * Allocates from the current pool of the calling thread's device (Device::mem_pool). Without
     * elements nothing is allocated.
     *
     * @param size number of elements.
     * @param stream the stream; null: the default stream.
     * @param where the source location of the call.
     */
    AsyncBuffer(std::size_t size, StreamRef stream, SourceLocation where = SourceLocation::current())
        : size_(size), stream_(stream) {
        if (size == 0) return;
        void* memory = nullptr;
        check(portaclMallocAsync(&memory, detail::bytes_of<T>(size), stream.get()), where);
        data_ = static_cast<T*>(memory);
    }

    /**
     * Allocates from a pool. Without elements nothing is allocated.
     *
     * @param size number of elements.
     * @param stream the stream; null: the default stream.
     * @param pool the pool, which may be destroyed before the buffer.
     * @param where the source location of the call.
     */
    AsyncBuffer(std::size_t size, StreamRef stream, MemPoolRef pool, SourceLocation where = SourceLocation::current())
        : size_(size), stream_(stream) {
        if (size == 0) return;
        void* memory = nullptr;
        check(aclrtMemPoolMallocAsync(&memory, detail::bytes_of<T>(size), pool.get(), stream.get()), where);
        data_ = static_cast<T*>(memory);
    }

    /** Takes the memory of another buffer, which is empty afterwards. @param other the other
     * buffer. */
    AsyncBuffer(AsyncBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), stream_(other.stream_) {}
    /** Frees its memory, in the order of its stream, and takes the memory and stream of the other
     * buffer.
     * @param other the other buffer. @return this object. */
    AsyncBuffer& operator=(AsyncBuffer&& other) noexcept {
        if (this == &other) return *this;
        reset();
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
        stream_ = other.stream_;
        return *this;
    }
    AsyncBuffer(const AsyncBuffer&) = delete;
    AsyncBuffer& operator=(const AsyncBuffer&) = delete;
    ~AsyncBuffer() { reset(); }

    /**
     * Takes ownership of memory of a pool.
     *
     * @param memory its first byte; null: none.
     * @param size its number of elements.
     * @param stream the stream in whose order it is freed.
     * @return its owner.
     */
    static AsyncBuffer adopt(T* memory, std::size_t size, StreamRef stream) noexcept {
        return AsyncBuffer(memory, size, stream, detail::Adopted());
    }

    /**
     * Imports an allocation of another process.
     *
     * @param name the result of name() there.
     * @param size minimum number of elements: more elements than the allocation has are refused.
     * @param stream the stream in whose order it is freed here.
     * @param pool the imported pool (MemPool::from_descriptor) of the allocation.
     * @param where the source location of the call.
     * @return its owner.
     */
    static AsyncBuffer from_name(const PointerName& name, std::size_t size, StreamRef stream, MemPoolRef pool,
                                 SourceLocation where = SourceLocation::current()) {
        void* memory = nullptr;
        check(portaclMemPoolImportPointer(&memory, pool.get(), &name), where);
        AsyncBuffer buffer(static_cast<T*>(memory), size, stream, detail::Adopted());
        void* base = nullptr;
        std::size_t bytes = 0;
        check(aclrtMemGetAddressRange(memory, &base, &bytes), where);
        if (detail::bytes_of<T>(size) > bytes) {
            throw Error(ACL_ERROR_INVALID_PARAM,
                        "portacl::AsyncBuffer::from_name: size is " + std::to_string(size) + "; allowed: at most " +
                            std::to_string(bytes / sizeof(T)) + ", the elements that fit into the " +
                            std::to_string(bytes) + " bytes of the imported allocation",
                        where);
        }
        return buffer;
    }

    /**
     * Exports the memory to other processes. Its pool must have been created with
     * Sharing::descriptor or Sharing::fabric.
     *
     * @param where the source location of the call.
     * @return the name, plain bytes.
     */
    PointerName name(SourceLocation where = SourceLocation::current()) const {
        PointerName name{};
        name.size = sizeof name;
        check(portaclMemPoolExportPointer(&name, data_), where);
        return name;
    }

    /** Returns the memory, for calls of the C API. @return the memory; the buffer keeps ownership.
     */
    void* get() const noexcept { return data_; }

    /** Gives up ownership of the memory. @return the memory; the caller must free it. */
    [[nodiscard]] T* release() noexcept {
        size_ = 0;
        return std::exchange(data_, nullptr);
    }

    /** Frees the memory now, in the order of stream(). A failure is recorded
     * (portaclNoteReleaseFailure), the leak report contains it, and the memory stays allocated. */
    void reset() noexcept {
        size_ = 0;
        T* const memory = std::exchange(data_, nullptr);
        if (memory != nullptr) detail::note("portaclFreeAsync", portaclFreeAsync(memory, stream_.get()));
    }

    /** Returns whether there is memory. @return true if there is. */
    explicit operator bool() const noexcept { return data_ != nullptr; }

    /** Returns the stream in whose order it will be freed. @return the stream. */
    StreamRef stream() const noexcept { return stream_; }

    /** Sets the stream that frees it, for programs that have already ordered both streams. @param
     * stream a stream that is ordered after all uses of the memory. */
    void set_stream(StreamRef stream) noexcept { stream_ = stream; }

    /**
     * Passes it to another stream of the same device, which waits for all work enqueued in stream()
     * so far and will free it.
     *
     * @param next the other stream.
     * @param where the source location of the call.
     */
    void hand_over(StreamRef next, SourceLocation where = SourceLocation::current()) {
        if (next.get() != stream_.get()) {
            const Event so_far(Timing::off, where);
            stream_.record(so_far, where);
            next.wait(so_far, where);
        }
        stream_ = next;
    }

    /**
     * Changes its size, in the order of stream(): copies the remaining elements to new memory of
     * the current pool. If that fails, the buffer does not change.
     *
     * @param size number of elements.
     * @param where the source location of the call.
     */
    void resize(std::size_t size, SourceLocation where = SourceLocation::current()) {
        if (size == size_) return;
        AsyncBuffer next(size, stream_, where);
        move_to(std::move(next), where);
    }

    /** As resize(), with new memory of a pool. @param size number of elements. @param pool the
     * pool.
     * @param where the source location of the call. */
    void resize(std::size_t size, MemPoolRef pool, SourceLocation where = SourceLocation::current()) {
        if (size == size_) return;
        AsyncBuffer next(size, stream_, pool, where);
        move_to(std::move(next), where);
    }

    /** Returns the first element. @return its device address; null if there is none. */
    T* data() const noexcept { return data_; }
    /** Returns the number of elements. @return the number. */
    std::size_t size() const noexcept { return size_; }
    /** Returns the size in bytes. @return the number. */
    std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    /** Returns whether it is empty. @return true if it is. */
    bool empty() const noexcept { return size_ == 0; }

    /** Returns a span of all elements. @return a span. */
    DeviceSpan<T> span() const noexcept { return {data_, size_}; }
    /** As span(). @return a span. */
    operator DeviceSpan<T>() const noexcept { return span(); }
    /** As span(), for parameters that are only read. @return a span. */
    operator DeviceSpan<const T>() const noexcept { return span(); }

  private:
    AsyncBuffer(T* memory, std::size_t size, StreamRef stream, detail::Adopted) noexcept
        : data_(memory), size_(size), stream_(stream) {}

    void move_to(AsyncBuffer next, SourceLocation where) {
        const std::size_t kept = std::min(size_, next.size_);
        if (kept != 0) copy_async(next.span().subspan(0, kept), span().subspan(0, kept), stream_, where);
        *this = std::move(next);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    StreamRef stream_;
};

/** Returns a span of a buffer. @param buffer the buffer. @return a span. */
template <typename T>
DeviceSpan<T> view(const AsyncBuffer<T>& buffer) noexcept {
    return buffer.span();
}

}  // namespace portacl

#endif /* PORTACL_ASYNC_BUFFER_HPP */
