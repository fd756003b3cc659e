/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Memory of a pool that owns itself, in the order of a stream.
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

/** Elements in the memory of a pool, which are allocated and freed in the order of a stream: work
 * queued there in between may use them, and nobody waits. What is in them is not defined at first.
 * The stream outlives the buffer, and a thread that ends the buffer has its device set. Work in
 * other streams comes behind the allocation and before the free by events, as hand_over does it;
 * what is in no stream's order, such as portacl::copy, wants the stream synchronized first.
 * @tparam T their type, which is trivially copyable. */
template <typename T>
class AsyncBuffer {
    static_assert(std::is_trivially_copyable_v<T>, "its bytes are copied");
    static_assert(!std::is_const_v<T>, "it has to be written once");

  public:
    /** The type of its elements. */
    using value_type = T;

    /** Has no elements and no memory. */
    AsyncBuffer() noexcept = default;

    /**
     * Allocates from the current pool of the calling thread's device (Device::mem_pool). No
     * elements: nothing is allocated.
     *
     * @param size how many elements.
     * @param stream in whose order; null: the default stream.
     * @param where the place of the call.
     */
    AsyncBuffer(std::size_t size, StreamRef stream,
                SourceLocation where = SourceLocation::current())
        : size_(size), stream_(stream) {
        if (size == 0) return;
        void* memory = nullptr;
        check(portaclMallocAsync(&memory, detail::bytes_of<T>(size), stream.get()), where);
        data_ = static_cast<T*>(memory);
    }

    /**
     * Allocates from a pool. No elements: nothing is allocated.
     *
     * @param size how many elements.
     * @param stream in whose order; null: the default stream.
     * @param pool the pool, which may end before the buffer.
     * @param where the place of the call.
     */
    AsyncBuffer(std::size_t size, StreamRef stream, MemPoolRef pool,
                SourceLocation where = SourceLocation::current())
        : size_(size), stream_(stream) {
        if (size == 0) return;
        void* memory = nullptr;
        check(aclrtMemPoolMallocAsync(&memory, detail::bytes_of<T>(size), pool.get(), stream.get()),
              where);
        data_ = static_cast<T*>(memory);
    }

    /** Takes the memory of another buffer, which is empty then. @param other the other buffer. */
    AsyncBuffer(AsyncBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          stream_(other.stream_) {}
    /** Frees its own memory, in its stream's order, and takes the other's with its stream.
     * @param other the other buffer. @return itself. */
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
     * Takes over memory of a pool.
     *
     * @param memory its first byte; null: none.
     * @param size how many elements it has.
     * @param stream in whose order it is freed.
     * @return its owner.
     */
    static AsyncBuffer adopt(T* memory, std::size_t size, StreamRef stream) noexcept {
        return AsyncBuffer(memory, size, stream, Adopted());
    }

    /**
     * Imports an allocation of another process.
     *
     * @param name what name() gave there.
     * @param size how many elements it has at least: more than there are is refused.
     * @param stream in whose order it is freed here.
     * @param pool what MemPool::from_descriptor made of the pool it is from.
     * @param where the place of the call.
     * @return its owner.
     */
    static AsyncBuffer from_name(const PointerName& name, std::size_t size, StreamRef stream,
                                 MemPoolRef pool,
                                 SourceLocation where = SourceLocation::current()) {
        void* memory = nullptr;
        check(portaclMemPoolImportPointer(&memory, pool.get(), &name), where);
        AsyncBuffer buffer(static_cast<T*>(memory), size, stream, Adopted());
        void* base = nullptr;
        std::size_t bytes = 0;
        check(aclrtMemGetAddressRange(memory, &base, &bytes), where);
        if (detail::bytes_of<T>(size) > bytes) {
            throw Error(ACL_ERROR_INVALID_PARAM,
                        "portacl::AsyncBuffer::from_name: size is " + std::to_string(size) +
                            " elements of " + std::to_string(sizeof(T)) +
                            " bytes; the allocation has " + std::to_string(bytes) + " bytes",
                        where);
        }
        return buffer;
    }

    /**
     * Names the memory for other processes. Its pool was made with Sharing::descriptor.
     *
     * @param where the place of the call.
     * @return plain bytes.
     */
    PointerName name(SourceLocation where = SourceLocation::current()) const {
        PointerName name{};
        name.size = sizeof name;
        check(portaclMemPoolExportPointer(&name, data_), where);
        return name;
    }

    /** The memory, for calls of the C API. @return it; it stays this buffer's. */
    void* get() const noexcept { return data_; }

    /** Gives the memory away. @return it; the caller has to free it. */
    [[nodiscard]] T* release() noexcept {
        size_ = 0;
        return std::exchange(data_, nullptr);
    }

    /** Frees the memory now, in the order of stream(). A failure is noted by
     * portaclNoteReleaseFailure and part of the leak report; the memory stays allocated then. */
    void reset() noexcept {
        size_ = 0;
        T* const memory = std::exchange(data_, nullptr);
        if (memory != nullptr)
            detail::note("portaclFreeAsync", portaclFreeAsync(memory, stream_.get()));
    }

    /** Whether there is memory. @return true if so. */
    explicit operator bool() const noexcept { return data_ != nullptr; }

    /** The stream in whose order it will be freed. @return the stream. */
    StreamRef stream() const noexcept { return stream_; }

    /** Lets another stream free it, for a program that has ordered both already.
     * @param stream one that comes behind all uses of the memory. */
    void set_stream(StreamRef stream) noexcept { stream_ = stream; }

    /**
     * Hands it to another stream of the same device, which waits for all that is queued in
     * stream() so far, and frees it.
     *
     * @param next the other stream.
     * @param where the place of the call.
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
     * Gives it another size, in the order of stream(): the elements that stay are copied to new
     * memory, of the current pool. If that fails it is as before.
     *
     * @param size how many elements.
     * @param where the place of the call.
     */
    void resize(std::size_t size, SourceLocation where = SourceLocation::current()) {
        if (size == size_) return;
        AsyncBuffer next(size, stream_, where);
        move_to(std::move(next), where);
    }

    /** As resize(), with new memory of a pool. @param size how many elements. @param pool the pool.
     * @param where the place of the call. */
    void resize(std::size_t size, MemPoolRef pool,
                SourceLocation where = SourceLocation::current()) {
        if (size == size_) return;
        AsyncBuffer next(size, stream_, pool, where);
        move_to(std::move(next), where);
    }

    /** The first element. @return its address on the device; null if there is none. */
    T* data() const noexcept { return data_; }
    /** How many elements there are. @return the number. */
    std::size_t size() const noexcept { return size_; }
    /** How many bytes that are. @return the number. */
    std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    /** Whether there are none. @return true if so. */
    bool empty() const noexcept { return size_ == 0; }

    /** All of it. @return a span. */
    DeviceSpan<T> span() const noexcept { return {data_, size_}; }
    /** As span(). @return a span. */
    operator DeviceSpan<T>() const noexcept { return span(); }

  private:
    struct Adopted {};
    AsyncBuffer(T* memory, std::size_t size, StreamRef stream, Adopted) noexcept
        : data_(memory), size_(size), stream_(stream) {}

    void move_to(AsyncBuffer next, SourceLocation where) {
        const std::size_t kept = std::min(size_, next.size_);
        if (kept != 0)
            copy_async(next.span().subspan(0, kept), span().subspan(0, kept), stream_, where);
        *this = std::move(next);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    StreamRef stream_;
};

/** All of a buffer. @param buffer the buffer. @return a span. */
template <typename T>
DeviceSpan<T> view(const AsyncBuffer<T>& buffer) noexcept {
    return buffer.span();
}

}  // namespace portacl

#endif /* PORTACL_ASYNC_BUFFER_HPP */
