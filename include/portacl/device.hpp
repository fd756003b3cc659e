/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * The library's life, devices and contexts as C++ objects.
 */

#ifndef PORTACL_DEVICE_HPP
#define PORTACL_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include "mem_pool.hpp"
#include "owner.hpp"

namespace portacl {

namespace detail {

struct RuntimeKind {
    using Handle = bool;
    static constexpr Handle none() noexcept { return false; }
    static void destroy(Handle) noexcept {
        note("aclFinalizeReference", aclFinalizeReference(nullptr));
    }
};

struct DeviceKind {
    using Handle = int32_t;
    static constexpr Handle none() noexcept { return -1; }
    static void destroy(Handle id) noexcept { note("aclrtResetDevice", aclrtResetDevice(id)); }
};

struct ContextKind {
    using Handle = aclrtContext;
    static constexpr Handle none() noexcept { return nullptr; }
    static void destroy(Handle context) noexcept {
        note("aclrtDestroyContext", aclrtDestroyContext(context));
    }
};

}  // namespace detail

/** The library between aclInit and aclFinalizeReference. Several may live at once, one inside the
 * other or in parts of a program that do not know of each other: the last one ends the library. */
class Runtime : public Owner<detail::RuntimeKind> {
  public:
    /**
     * Calls aclInit. That the library was initialized before is no failure.
     *
     * @param config path of a JSON file; null: defaults. The first configuration stays in force.
     * @param where the place of the call.
     */
    explicit Runtime(const char* config = nullptr, SourceLocation where = SourceLocation::current())
        : Owner(init(config, where)) {}

  private:
    static bool init(const char* config, SourceLocation where) {
        const aclError code = aclInit(config);
        if (code == ACL_ERROR_REPEAT_INITIALIZE) {
            aclGetRecentErrMsg();  // or a later reader would take it for a failure
        } else {
            check(code, where);
        }
        return true;
    }
};

/** Free and total bytes of a device. */
struct MemoryInfo {
    /** Bytes that allocations can still have. */
    std::size_t free = 0;
    /** All bytes of the device. */
    std::size_t total = 0;
};

/** What the memory pools of a device can be. */
struct MemPoolSupport {
    /** There are pools of the device's memory. */
    bool device = false;
    /** They can be shared by a file descriptor. */
    bool descriptor = false;
    /** They can be shared with other machines. */
    bool fabric = false;
    /** There are pools of host memory. */
    bool host = false;
    /** There are pools of host memory of a NUMA node. */
    bool numa_node = false;
    /** Other devices on the bus, as network cards, can read and write the device's memory. */
    bool rdma = false;
};

/** Memory of a device's graphs, in bytes: what captured streams have taken from pools. */
struct GraphMemory {
    /** What graphs have. */
    std::uint64_t used = 0;
    /** The most that they had. */
    std::uint64_t used_high = 0;
    /** What the device has given for that: used, or kept for later graphs. */
    std::uint64_t reserved = 0;
    /** The most of that. */
    std::uint64_t reserved_high = 0;
};

/** A device between aclrtSetDevice, which makes it the calling thread's, and aclrtResetDevice. */
class Device : public Owner<detail::DeviceKind> {
  public:
    /**
     * Calls aclrtSetDevice.
     *
     * @param id 0 to count() less 1.
     * @param where the place of the call.
     */
    explicit Device(int32_t id = 0, SourceLocation where = SourceLocation::current())
        : Owner(set(id, where)) {}

    /**
     * How many devices there are.
     *
     * @param where the place of the call.
     * @return the number.
     */
    static int32_t count(SourceLocation where = SourceLocation::current()) {
        uint32_t count = 0;
        check(aclrtGetDeviceCount(&count), where);
        return static_cast<int32_t>(count);
    }

    /** Its id. @return 0 or more; -1 if it was moved away. */
    int32_t id() const noexcept { return get(); }

    /**
     * What it is, for a person.
     *
     * @param where the place of the call.
     * @return the GPU's name, or how many cores the CPU device has.
     */
    std::string name(SourceLocation where = SourceLocation::current()) const {
        char text[256];
        check(portaclDeviceName(id(), text, sizeof text), where);
        return text;
    }

    /**
     * The pool that AsyncBuffer takes memory from if it is told of none.
     *
     * @param where the place of the call.
     * @return the pool of set_mem_pool, or the default one.
     */
    MemPoolRef mem_pool(SourceLocation where = SourceLocation::current()) const {
        aclrtMemPool pool = nullptr;
        check(portaclDeviceGetMemPool(&pool, id()), where);
        return pool;
    }

    /**
     * The pool that the device has from the beginning.
     *
     * @param where the place of the call.
     * @return the pool, which goes with the device.
     */
    MemPoolRef default_mem_pool(SourceLocation where = SourceLocation::current()) const {
        aclrtMemPool pool = nullptr;
        check(portaclDeviceGetDefaultMemPool(&pool, id()), where);
        return pool;
    }

    /**
     * Makes a pool the one of mem_pool(), for all threads, until the pool ends.
     *
     * @param pool a pool on this device.
     * @param where the place of the call.
     */
    void set_mem_pool(MemPoolRef pool, SourceLocation where = SourceLocation::current()) const {
        check(portaclDeviceSetMemPool(id(), pool.get()), where);
    }

    /**
     * What its memory pools can be.
     *
     * @param device 0 to count() less 1; it need not be set.
     * @param where the place of the call.
     * @return what there is.
     */
    static MemPoolSupport mem_pool_support(int32_t device,
                                           SourceLocation where = SourceLocation::current()) {
        const auto ask = [&](portaclMemPoolSupport what) {
            std::uint64_t value = 0;
            check(portaclDeviceGetMemPoolSupport(device, what, &value), where);
            return value;
        };
        const std::uint64_t handles = ask(PORTACL_MEM_POOL_SUPPORT_HANDLE_TYPES);
        MemPoolSupport support;
        support.device = ask(PORTACL_MEM_POOL_SUPPORT_DEVICE) != 0;
        support.descriptor = (handles & ACL_MEM_HANDLE_TYPE_POSIX) != 0;
        support.fabric = (handles & PORTACL_MEM_HANDLE_TYPE_FABRIC) != 0;
        support.host = ask(PORTACL_MEM_POOL_SUPPORT_HOST) != 0;
        support.numa_node = ask(PORTACL_MEM_POOL_SUPPORT_HOST_NUMA) != 0;
        support.rdma = ask(PORTACL_MEM_POOL_SUPPORT_RDMA) != 0;
        return support;
    }

    /**
     * The memory that its graphs have.
     *
     * @param where the place of the call.
     * @return used and reserved bytes, now and at most.
     */
    GraphMemory graph_memory(SourceLocation where = SourceLocation::current()) const {
        const auto ask = [&](portaclGraphMemAttr attr) {
            std::uint64_t value = 0;
            check(portaclDeviceGetGraphMemAttribute(id(), attr, &value), where);
            return value;
        };
        GraphMemory memory;
        memory.used = ask(PORTACL_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
        memory.used_high = ask(PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH);
        memory.reserved = ask(PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
        memory.reserved_high = ask(PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
        return memory;
    }

    /**
     * Lets the highest amounts of graph_memory() start again from the present ones.
     *
     * @param where the place of the call.
     */
    void reset_graph_memory_highs(SourceLocation where = SourceLocation::current()) const {
        for (const auto attr :
             {PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH, PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH})
            check(portaclDeviceSetGraphMemAttribute(id(), attr, 0), where);
    }

    /**
     * Gives back to the device what is reserved for graphs and no graph has.
     *
     * @param where the place of the call.
     */
    void trim_graph_memory(SourceLocation where = SourceLocation::current()) const {
        check(portaclDeviceGraphMemTrim(id()), where);
    }

    /**
     * The memory of the calling thread's device.
     *
     * @param where the place of the call.
     * @return free and total bytes.
     */
    static MemoryInfo memory_info(SourceLocation where = SourceLocation::current()) {
        MemoryInfo info;
        check(aclrtGetMemInfo(ACL_HBM_MEM, &info.free, &info.total), where);
        return info;
    }

    /**
     * Waits for all that is queued on the calling thread's device.
     *
     * @param where the place of the call.
     */
    static void synchronize(SourceLocation where = SourceLocation::current()) {
        check(aclrtSynchronizeDevice(), where);
    }

  private:
    static int32_t set(int32_t id, SourceLocation where) {
        check(aclrtSetDevice(id), where);
        return id;
    }
};

/** A context of its own: a default stream beside the one that threads share. */
class Context : public Owner<detail::ContextKind> {
  public:
    /**
     * Makes a context and makes it the calling thread's.
     *
     * @param device id of the device.
     * @param where the place of the call.
     */
    explicit Context(int32_t device, SourceLocation where = SourceLocation::current())
        : Owner(create(device, where)) {}

    /**
     * Makes it the calling thread's.
     *
     * @param where the place of the call.
     */
    void make_current(SourceLocation where = SourceLocation::current()) const {
        check(aclrtSetCurrentContext(get()), where);
    }

  private:
    static aclrtContext create(int32_t device, SourceLocation where) {
        aclrtContext context = nullptr;
        check(aclrtCreateContext(&context, device), where);
        return context;
    }
};

}  // namespace portacl

#endif /* PORTACL_DEVICE_HPP */
