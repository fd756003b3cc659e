/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Memory pools as C++ objects. docs/mem_pool.md describes the pools.
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
    static void destroy(Handle pool) noexcept { note("aclrtMemPoolDestroy", aclrtMemPoolDestroy(pool)); }
};

struct DescriptorKind {
    using Handle = int;
    static constexpr Handle none() noexcept { return -1; }
    static void destroy(Handle descriptor) noexcept {
        if (::close(descriptor) != 0) note("close", ACL_ERROR_FAILURE);
    }
};

}  // namespace detail

/** How other processes can import a pool. */
enum class Sharing {
    /** None. */
    none = ACL_MEM_HANDLE_TYPE_NONE,
    /** By a file descriptor: MemPoolOperations::export_descriptor. */
    descriptor = ACL_MEM_HANDLE_TYPE_POSIX,
    /** By 64 bytes that are valid on other machines, if the driver supports it; exported in C. */
    fabric = PORTACL_MEM_HANDLE_TYPE_FABRIC,
};

/** When memory that was freed in one stream is reused in another. */
enum class Reuse {
    /** If events order the other stream after the free. */
    follow_event_dependencies = ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES,
    /** If the free is complete. */
    allow_opportunistic = ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC,
    /** If the pool cannot grow: the pool makes the other stream wait for the free. */
    allow_internal_dependencies = ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
};

/** Access of a device to a pool's memory. */
enum class Access {
    /** None. */
    none = ACL_RT_MEM_ACCESS_FLAGS_NONE,
    /** Read. */
    read = ACL_RT_MEM_ACCESS_FLAGS_READ,
    /** Read and write. */
    read_write = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
};

/** Options of a pool. */
struct MemPoolOptions {
    /** Maximum size in bytes; 0: no limit. */
    std::size_t max_size = 0;
    /** Whether other processes can import it. */
    Sharing sharing = Sharing::none;
};

/** Current and peak bytes. */
struct MemPoolBytes {
    /** Current bytes. */
    std::uint64_t current = 0;
    /** The peak since the creation of the pool, or since MemPoolOperations::reset_peaks. */
    std::uint64_t peak = 0;
};

/** The name of an allocation for other processes: plain bytes that can be passed in any way. */
using PointerName = portaclMemPoolPtrExportData;

/** An owner of a file descriptor, which it closes. */
class Descriptor : public Owner<detail::DescriptorKind> {
  public:
    /** Takes ownership of a descriptor. @param descriptor -1: none. @return its owner. */
    static Descriptor adopt(int descriptor) noexcept { return Descriptor(descriptor); }

  private:
    explicit Descriptor(int descriptor) noexcept : Owner(descriptor) {}
};

/** Operations of a pool, for its owner and for references. @tparam Self one of both. */
template <typename Self>
class MemPoolOperations {
  public:
    /** Returns the release threshold: the bytes that the pool keeps at a synchronize. @param where
     * the source location of the call.
     * @return bytes; initially 0. */
    std::uint64_t release_threshold(SourceLocation where = SourceLocation::current()) const {
        return ask(ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, where);
    }

    /** Sets the release threshold. @param bytes UINT64_MAX: keeps everything. @param where the
     * source location of the call. */
    void set_release_threshold(std::uint64_t bytes, SourceLocation where = SourceLocation::current()) const {
        set(ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, bytes, where);
    }

    /** Returns the bytes that the pool has from its device. @param where the source location of the
     * call. @return bytes. */
    MemPoolBytes reserved(SourceLocation where = SourceLocation::current()) const {
        return {ask(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, where),
                ask(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, where)};
    }

    /** Returns the bytes in use. @param where the source location of the call. @return bytes. */
    MemPoolBytes used(SourceLocation where = SourceLocation::current()) const {
        return {ask(ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, where), ask(ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, where)};
    }

    /** Resets both peaks to the current values. @param where the source location of the call. */
    void reset_peaks(SourceLocation where = SourceLocation::current()) const {
        set(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, std::uint64_t{0}, where);
        set(ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, std::uint64_t{0}, where);
    }

    /** Returns whether memory is reused in another stream than the one that freed it. @param when
     * the rule. @param where the source location of the call. @return true if it is; initially true
     * for all three rules. */
    bool reuses(Reuse when, SourceLocation where = SourceLocation::current()) const {
        int on = 0;
        check(aclrtMemPoolGetAttr(pool(), static_cast<aclrtMemPoolAttr>(when), &on), where);
        return on != 0;
    }

    /** Sets whether a rule of reuse applies. @param when the rule. @param on true if it applies.
     * @param where the source location of the call. */
    void set_reuse(Reuse when, bool on, SourceLocation where = SourceLocation::current()) const {
        set(static_cast<aclrtMemPoolAttr>(when), int{on}, where);
    }

    /**
     * Releases unused memory to the device, at once.
     *
     * @param keep minimum bytes that the pool keeps, if it has that much.
     * @param where the source location of the call.
     */
    void trim_to(std::size_t keep, SourceLocation where = SourceLocation::current()) const {
        check(aclrtMemPoolTrimTo(pool(), keep), where);
    }

    /** Returns the access of a device to the pool's memory. @param device its id. @param where the
     * source location of the call.
     * @return initially read_write for the pool's device, and none for others; read_write for
     * every device if the pool has managed memory. */
    Access access(int32_t device, SourceLocation where = SourceLocation::current()) const {
        const aclrtMemLocation location = on_device(device);
        aclrtMemAccessFlags flags{};
        check(portaclMemPoolGetAccess(&flags, pool(), &location), where);
        return static_cast<Access>(flags);
    }

    /** Sets the access of a device to the pool's memory, present and future. @param device its id.
     * @param access the access. @param where the source location of the call. */
    void set_access(int32_t device, Access access, SourceLocation where = SourceLocation::current()) const {
        aclrtMemAccessDesc description{};
        description.flags = static_cast<aclrtMemAccessFlags>(access);
        description.location = on_device(device);
        check(portaclMemPoolSetAccess(pool(), &description, 1), where);
    }

    /**
     * Exports the pool to other processes. It must have been created with Sharing::descriptor.
     *
     * @param where the source location of the call.
     * @return a descriptor, to be sent over a Unix socket.
     */
    Descriptor export_descriptor(SourceLocation where = SourceLocation::current()) const {
        int descriptor = -1;
        check(portaclMemPoolExportToShareableHandle(&descriptor, pool(), ACL_MEM_HANDLE_TYPE_POSIX, 0), where);
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

/** A parameter of a call without ownership: a MemPool, a pool of a device (Device::mem_pool), or a
 * handle of the C API. */
class MemPoolRef : public MemPoolOperations<MemPoolRef> {
  public:
    /** Refers to a pool of the C API. @param pool its handle. */
    constexpr MemPoolRef(aclrtMemPool pool) noexcept : handle_(pool) {}

    /** Returns the handle. @return the handle. */
    constexpr aclrtMemPool get() const noexcept { return handle_; }

  private:
    aclrtMemPool handle_;
};

/** A stream-ordered memory pool. After its destruction, memory in use stays valid until the program
 * frees it. */
class MemPool : public Owner<detail::MemPoolKind>, public MemPoolOperations<MemPool> {
  public:
    /**
     * Creates a pool of a device's memory.
     *
     * @param device id of a device that is set.
     * @param options its options.
     * @param where the source location of the call.
     */
    explicit MemPool(int32_t device, MemPoolOptions options = {}, SourceLocation where = SourceLocation::current())
        : Owner(create(ACL_MEM_LOCATION_TYPE_DEVICE, device, options, where)) {}

    /** Creates a pool of host memory. @param options its options. @param where the source location
     * of the call.
     * @return the pool. */
    static MemPool on_host(MemPoolOptions options = {}, SourceLocation where = SourceLocation::current()) {
        return MemPool(create(ACL_MEM_LOCATION_TYPE_HOST, 0, options, where), detail::Adopted());
    }

    /** Creates a pool of the host memory of a NUMA node. @param node its number. @param options its
     * options. @param where the source location of the call. @return the pool. */
    static MemPool on_numa_node(int32_t node, MemPoolOptions options = {},
                                SourceLocation where = SourceLocation::current()) {
        return MemPool(create(ACL_MEM_LOCATION_TYPE_HOST_NUMA, node, options, where), detail::Adopted());
    }

    /** Creates a pool of managed memory, which the host and all devices use. @param device id of a
     * device that is set, which the memory prefers. @param where the source location of the call.
     * @return the pool. */
    static MemPool managed(int32_t device, SourceLocation where = SourceLocation::current()) {
        return MemPool(create(ACL_MEM_LOCATION_TYPE_DEVICE, device, {}, where,
                              static_cast<aclrtMemAllocationType>(PORTACL_MEM_ALLOCATION_TYPE_MANAGED)),
                       detail::Adopted());
    }

    /**
     * Imports a pool of another process, for the calling thread's device. It cannot be allocated
     * from; AsyncBuffer::from_name imports single allocations.
     *
     * @param descriptor the result of MemPoolOperations::export_descriptor there; may be closed
     * afterwards.
     * @param where the source location of the call.
     * @return the pool.
     */
    static MemPool from_descriptor(const Descriptor& descriptor, SourceLocation where = SourceLocation::current()) {
        aclrtMemPool pool = nullptr;
        // The C API takes the number itself instead of a pointer.
        void* const handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor.get()));
        check(portaclMemPoolImportFromShareableHandle(&pool, handle, ACL_MEM_HANDLE_TYPE_POSIX, 0), where);
        return adopt(pool);
    }

    /** Takes ownership of a pool of the C API. @param pool the pool; the owner destroys it. @return
     * its owner. */
    static MemPool adopt(aclrtMemPool pool) noexcept { return MemPool(pool, detail::Adopted()); }

    /** Returns a reference to this pool. @return the reference. */
    MemPoolRef ref() const noexcept { return MemPoolRef(get()); }
    /** As ref(). @return the reference. */
    operator MemPoolRef() const noexcept { return ref(); }

  private:
    MemPool(aclrtMemPool pool, detail::Adopted) noexcept : Owner(pool) {}

    static aclrtMemPool create(aclrtMemLocationType type, int32_t id, MemPoolOptions options, SourceLocation where,
                               aclrtMemAllocationType memory = ACL_MEM_ALLOCATION_TYPE_PINNED) {
        aclrtMemPoolProps properties{};
        properties.allocType = memory;
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
