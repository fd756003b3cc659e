/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Memory pools as C++ objects. What such pools do is told in docs/mem_pool.md.
 */

#ifndef PORTACL_MEM_POOL_HPP
#define PORTACL_MEM_POOL_HPP

#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "../acl/acl_rt_memory_soma.h"
#include "owner.hpp"

namespace portacl {

namespace detail {

struct MemPoolKind {
    using Handle = aclrtMemPool;
    static constexpr Handle none() noexcept { return nullptr; }
    static void destroy(Handle pool) noexcept {
        note("aclrtMemPoolDestroy", aclrtMemPoolDestroy(pool));
    }
};

struct DescriptorKind {
    using Handle = int;
    static constexpr Handle none() noexcept { return -1; }
    static void destroy(Handle descriptor) noexcept {
        if (::close(descriptor) != 0) note("close", ACL_ERROR_FAILURE);
    }
};

}  // namespace detail

/** How other processes may come to a pool's memory. */
enum class Sharing {
    /** Not at all. */
    none = ACL_MEM_HANDLE_TYPE_NONE,
    /** By a file descriptor: MemPoolOperations::export_descriptor. */
    descriptor = ACL_MEM_HANDLE_TYPE_POSIX,
    /** By 64 bytes that other machines can use, where the driver has that; exported in C. */
    fabric = PORTACL_MEM_HANDLE_TYPE_FABRIC,
};

/** When memory that one stream has freed is used in another. */
enum class Reuse {
    /** If the other comes behind the free by events. */
    follow_event_dependencies = ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES,
    /** If the free has happened. */
    allow_opportunistic = ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC,
    /** If the pool can have no more: the other is made to wait. */
    allow_internal_dependencies = ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
};

/** How a device uses a pool's memory. */
enum class Access {
    /** Not at all. */
    none = ACL_RT_MEM_ACCESS_FLAGS_NONE,
    /** It reads. */
    read = ACL_RT_MEM_ACCESS_FLAGS_READ,
    /** It reads and writes. */
    read_write = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
};

/** How a pool is wanted. */
struct MemPoolOptions {
    /** Most bytes that it has; 0: as many as there are. */
    std::size_t max_size = 0;
    /** Whether other processes can import it. */
    Sharing sharing = Sharing::none;
};

/** Bytes now, and the most so far. */
struct MemPoolBytes {
    /** Now. */
    std::uint64_t current = 0;
    /** The most since the pool was made, or since MemPoolOperations::reset_peaks. */
    std::uint64_t peak = 0;
};

/** The name of an allocation for other processes: plain bytes, which travel anyhow. */
using PointerName = portaclMemPoolPtrExportData;

/** A file descriptor, which this closes. */
class Descriptor : public Owner<detail::DescriptorKind> {
  public:
    /** Takes over a descriptor. @param descriptor -1: none. @return its owner. */
    static Descriptor adopt(int descriptor) noexcept { return Descriptor(descriptor); }

  private:
    explicit Descriptor(int descriptor) noexcept : Owner(descriptor) {}
};

/** What can be asked of a pool, by its owner or through a reference. @tparam Self which of both. */
template <typename Self>
class MemPoolOperations {
  public:
    /** Bytes that it keeps when something is synchronized. @param where the place of the call.
     * @return bytes; 0 at first. */
    std::uint64_t release_threshold(SourceLocation where = SourceLocation::current()) const {
        return ask(ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, where);
    }

    /** Sets the bytes that it keeps. @param bytes UINT64_MAX: all. @param where the place of the
     * call. */
    void set_release_threshold(std::uint64_t bytes,
                               SourceLocation where = SourceLocation::current()) const {
        set(ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, bytes, where);
    }

    /** What it has from its device. @param where the place of the call. @return bytes. */
    MemPoolBytes reserved(SourceLocation where = SourceLocation::current()) const {
        return {ask(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, where),
                ask(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, where)};
    }

    /** What programs have of that. @param where the place of the call. @return bytes. */
    MemPoolBytes used(SourceLocation where = SourceLocation::current()) const {
        return {ask(ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, where),
                ask(ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, where)};
    }

    /** Makes both peaks the present values. @param where the place of the call. */
    void reset_peaks(SourceLocation where = SourceLocation::current()) const {
        set(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, std::uint64_t{0}, where);
        set(ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, std::uint64_t{0}, where);
    }

    /** Whether memory is used in another stream than the one that freed it. @param when in which
     * case. @param where the place of the call. @return true if so; all three are so at first. */
    bool reuses(Reuse when, SourceLocation where = SourceLocation::current()) const {
        int on = 0;
        check(aclrtMemPoolGetAttr(pool(), static_cast<aclrtMemPoolAttr>(when), &on), where);
        return on != 0;
    }

    /** Sets that. @param when in which case. @param on whether it is. @param where the place of the
     * call. */
    void set_reuse(Reuse when, bool on, SourceLocation where = SourceLocation::current()) const {
        set(static_cast<aclrtMemPoolAttr>(when), int{on}, where);
    }

    /**
     * Gives memory that is not in use back to the device, at once.
     *
     * @param keep bytes that the pool keeps at least, if it has so many.
     * @param where the place of the call.
     */
    void trim_to(std::size_t keep, SourceLocation where = SourceLocation::current()) const {
        check(aclrtMemPoolTrimTo(pool(), keep), where);
    }

    /** How a device may use its memory. @param device its id. @param where the place of the call.
     * @return at first read_write for the pool's own device, and none for others. */
    Access access(int32_t device, SourceLocation where = SourceLocation::current()) const {
        const aclrtMemLocation location = on_device(device);
        aclrtMemAccessFlags flags{};
        check(portaclMemPoolGetAccess(&flags, pool(), &location), where);
        return static_cast<Access>(flags);
    }

    /** Sets that, for the memory that it has and will have. @param device its id. @param access
     * how. @param where the place of the call. */
    void set_access(int32_t device, Access access,
                    SourceLocation where = SourceLocation::current()) const {
        aclrtMemAccessDesc description{};
        description.flags = static_cast<aclrtMemAccessFlags>(access);
        description.location = on_device(device);
        check(portaclMemPoolSetAccess(pool(), &description, 1), where);
    }

    /**
     * What another process needs to import the pool, which was made with Sharing::descriptor.
     *
     * @param where the place of the call.
     * @return a descriptor, to be sent over a Unix socket.
     */
    Descriptor export_descriptor(SourceLocation where = SourceLocation::current()) const {
        int descriptor = -1;
        check(portaclMemPoolExportToShareableHandle(&descriptor, pool(), ACL_MEM_HANDLE_TYPE_POSIX,
                                                    0),
              where);
        return Descriptor::adopt(descriptor);
    }

  private:
    static constexpr aclrtMemLocation on_device(int32_t id) noexcept {
        return {static_cast<uint32_t>(id), ACL_MEM_LOCATION_TYPE_DEVICE};
    }

    std::uint64_t ask(aclrtMemPoolAttr attribute, SourceLocation where) const {
        std::uint64_t value = 0;
        check(aclrtMemPoolGetAttr(pool(), attribute, &value), where);
        return value;
    }

    template <typename Value>
    void set(aclrtMemPoolAttr attribute, Value value, SourceLocation where) const {
        check(aclrtMemPoolSetAttr(pool(), attribute, &value), where);
    }

    aclrtMemPool pool() const noexcept { return static_cast<const Self*>(this)->get(); }
};

/** A pool that somebody owns, as the argument of a call: a MemPool, a device's own pool
 * (Device::mem_pool), or a handle of the C API. */
class MemPoolRef : public MemPoolOperations<MemPoolRef> {
  public:
    /** A pool of the C API. @param pool its handle. */
    constexpr MemPoolRef(aclrtMemPool pool) noexcept : handle_(pool) {}

    /** The handle. @return it. */
    constexpr aclrtMemPool get() const noexcept { return handle_; }

  private:
    aclrtMemPool handle_;
};

/** A pool of memory that streams give and take in their order. At its end what programs have of it
 * stays valid until they free it. */
class MemPool : public Owner<detail::MemPoolKind>, public MemPoolOperations<MemPool> {
  public:
    /**
     * A pool of a device's memory.
     *
     * @param device id of a device that is set.
     * @param options how it is wanted.
     * @param where the place of the call.
     */
    explicit MemPool(int32_t device, MemPoolOptions options = {},
                     SourceLocation where = SourceLocation::current())
        : Owner(create(ACL_MEM_LOCATION_TYPE_DEVICE, device, options, where)) {}

    /** A pool of host memory. @param options how it is wanted. @param where the place of the call.
     * @return the pool. */
    static MemPool on_host(MemPoolOptions options = {},
                           SourceLocation where = SourceLocation::current()) {
        return MemPool(create(ACL_MEM_LOCATION_TYPE_HOST, 0, options, where), Adopted());
    }

    /** A pool of the host memory of a NUMA node. @param node its number. @param options how it is
     * wanted. @param where the place of the call. @return the pool. */
    static MemPool on_numa_node(int32_t node, MemPoolOptions options = {},
                                SourceLocation where = SourceLocation::current()) {
        return MemPool(create(ACL_MEM_LOCATION_TYPE_HOST_NUMA, node, options, where), Adopted());
    }

    /**
     * Imports a pool of another process, for the calling thread's device: nothing is taken from it,
     * but AsyncBuffer::from_name gets single allocations.
     *
     * @param descriptor what MemPoolOperations::export_descriptor gave there; may be closed
     * afterwards.
     * @param where the place of the call.
     * @return the pool.
     */
    static MemPool from_descriptor(const Descriptor& descriptor,
                                   SourceLocation where = SourceLocation::current()) {
        aclrtMemPool pool = nullptr;
        // The C API takes the number itself in the place of a pointer.
        void* const handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor.get()));
        check(portaclMemPoolImportFromShareableHandle(&pool, handle, ACL_MEM_HANDLE_TYPE_POSIX, 0),
              where);
        return adopt(pool);
    }

    /** Takes over a pool of the C API. @param pool the pool, which this destroys. @return its
     * owner. */
    static MemPool adopt(aclrtMemPool pool) noexcept { return MemPool(pool, Adopted()); }

    /** This pool as an argument. @return it. */
    MemPoolRef ref() const noexcept { return MemPoolRef(get()); }
    /** As ref(). @return it. */
    operator MemPoolRef() const noexcept { return ref(); }

  private:
    struct Adopted {};
    MemPool(aclrtMemPool pool, Adopted) noexcept : Owner(pool) {}

    static aclrtMemPool create(aclrtMemLocationType type, int32_t id, MemPoolOptions options,
                               SourceLocation where) {
        aclrtMemPoolProps properties{};
        properties.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
        properties.handleType = static_cast<aclrtMemHandleType>(options.sharing);
        properties.location = {static_cast<uint32_t>(id), type};
        properties.maxSize = options.max_size;
        aclrtMemPool pool = nullptr;
        check(aclrtMemPoolCreate(&pool, &properties), where);
        return pool;
    }
};

}  // namespace portacl

#endif /* PORTACL_MEM_POOL_HPP */
