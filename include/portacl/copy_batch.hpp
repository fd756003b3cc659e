/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Many copies as one operation.
 */

#ifndef PORTACL_COPY_BATCH_HPP
#define PORTACL_COPY_BATCH_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "copy.hpp"
#include "span.hpp"
#include "stream.hpp"

namespace portacl {

/** A list of copies that are enqueued together, any number of times: all from the host to the calling thread's device,
 * or all from there to the host. They are not ordered among each other. The ranges must outlive the list, or clear().
 */
class CopyBatch {
  public:
    /**
     * Adds a copy. Each end is as in portacl::copy; one is host memory, the other one device memory.
     *
     * @param dst the destination: at least as many elements, of the same type.
     * @param src the source.
     */
    template <typename Dst, typename Src>
    void add(Dst&& dst, const Src& src) {
        add_views(view(dst), view(src));
    }

    /** Returns the number of copies. @return the number. */
    std::size_t size() const noexcept { return sizes_.size(); }
    /** Returns whether there are no copies. @return true if it is empty. */
    bool empty() const noexcept { return sizes_.empty(); }

    /** Removes all copies. The memory of the list is kept for the next ones. */
    void clear() noexcept {
        destinations_.clear();
        capacities_.clear();
        sources_.clear();
        sizes_.clear();
        locations_.clear();
        begins_.clear();
    }

    /**
     * Makes all copies synchronously. If one is refused, none is made, and the error's text names its index.
     *
     * @param where the source location of the call.
     */
    void copy(SourceLocation where = SourceLocation::current()) {
        locate(where);
        check(aclrtMemcpyBatchV2(destinations_.data(), capacities_.data(), sources_.data(), sizes_.data(), size(),
                                 locations_.data(), begins_.data(), locations_.size()),
              where);
    }

    /**
     * Enqueues all copies. Page-locked host memory must not change until they are complete; other host memory has been
     * read, or written, when this returns. If one is refused, none is enqueued.
     *
     * @param stream the stream; null: the default stream.
     * @param where the source location of the call.
     */
    void copy_async(StreamRef stream, SourceLocation where = SourceLocation::current()) {
        locate(where);
        check(aclrtMemcpyBatchAsyncV2(destinations_.data(), capacities_.data(), sources_.data(), sizes_.data(), size(),
                                      locations_.data(), begins_.data(), locations_.size(), stream.get()),
              where);
    }

  private:
    template <typename Dst, typename Src>
    void add_views(Dst dst, Src src) {
        detail::check_elements(dst, src);
        constexpr aclrtMemcpyKind kKind = detail::kind(Dst(), Src());
        static_assert(kKind == ACL_MEMCPY_HOST_TO_DEVICE || kKind == ACL_MEMCPY_DEVICE_TO_HOST,
                      "a batch copies between the host and a device");
        // All lists grow, or none does.
        reserve_one_more();
        const aclrtMemLocationType to =
            kKind == ACL_MEMCPY_HOST_TO_DEVICE ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST;
        // A location applies up to the copy where the next one begins. The call refuses a batch with two directions.
        if (locations_.empty() || locations_.back().dstLoc.type != to) {
            aclrtMemcpyBatchAttr location{};
            location.dstLoc.type = to;
            location.srcLoc.type =
                to == ACL_MEM_LOCATION_TYPE_DEVICE ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
            locations_.push_back(location);
            begins_.push_back(size());
        }
        destinations_.push_back(const_cast<void*>(static_cast<const void*>(dst.data())));
        capacities_.push_back(dst.size_bytes());
        sources_.push_back(const_cast<void*>(static_cast<const void*>(src.data())));
        sizes_.push_back(src.size_bytes());
    }

    void reserve_one_more() {
        const std::size_t needed = size() + 1;
        if (sizes_.capacity() >= needed && begins_.capacity() >= needed) return;
        const std::size_t capacity = 2 * needed;
        destinations_.reserve(capacity);
        capacities_.reserve(capacity);
        sources_.reserve(capacity);
        sizes_.reserve(capacity);
        locations_.reserve(capacity);
        begins_.reserve(capacity);
    }

    // The device is that of the thread that copies.
    void locate(SourceLocation where) {
        if (empty()) return;
        int32_t device = 0;
        check(aclrtGetDevice(&device), where);
        for (aclrtMemcpyBatchAttr& location : locations_) {
            location.dstLoc.id = static_cast<std::uint32_t>(device);
            location.srcLoc.id = static_cast<std::uint32_t>(device);
        }
    }

    std::vector<void*> destinations_;
    std::vector<std::size_t> capacities_;
    std::vector<void*> sources_;
    std::vector<std::size_t> sizes_;
    std::vector<aclrtMemcpyBatchAttr> locations_;
    std::vector<std::size_t> begins_;
};

}  // namespace portacl

#endif /* PORTACL_COPY_BATCH_HPP */
