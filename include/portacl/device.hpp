/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Library sessions, devices and contexts as C++ objects.
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
    static void destroy(Handle) noexcept { note("aclFinalizeReference", aclFinalizeReference(nullptr)); }
};

struct DeviceKind {
    using Handle = int32_t;
    static constexpr Handle none() noexcept { return -1; }
    static void destroy(Handle id) noexcept { note("aclrtResetDevice", aclrtResetDevice(id)); }
};

struct ContextKind {
    using Handle = aclrtContext;
    static constexpr Handle none() noexcept { return nullptr; }
    static void destroy(Handle context) noexcept { note("aclrtDestroyContext", aclrtDestroyContext(context)); }
};

}  // namespace detail

/** The library between aclInit and aclFinalizeReference. Several objects may exist at the same
 * time, nested or in independent parts of a program: the last one finalizes the library. */
class Runtime : public Owner<detail::RuntimeKind> {
  public:
    /**
     * Calls aclInit. It is not an error if the library is already initialized.
     *
     * @param config path of a JSON file; null: defaults. The first configuration stays in effect.
     * @param where the source location of the call.
     */
    explicit Runtime(const char* config = nullptr, SourceLocation where = SourceLocation::current())
        : Owner(init(config, where)) {}

    /**
     * Returns the backend of this process, for example to choose the binary of a kernel.
     *
     * @param where the source location of the call.
     * @return "cpu" or "cuda".
     */
    static std::string backend_name(SourceLocation where = SourceLocation::current()) {
        const char* const name = portaclBackendName();
        if (name == nullptr) detail::fail(ACL_ERROR_FAILURE, where);
        return name;
    }

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
    /** Bytes available for allocations. */
    std::size_t free = 0;
    /** All bytes of the device. */
    std::size_t total = 0;
};

/** Which memory pools a device supports. */
struct MemPoolSupport {
    /** Pools of the device's memory. */
    bool device = false;
    /** Sharing by a file descriptor. */
    bool descriptor = false;
    /** Sharing with other machines. */
    bool fabric = false;
    /** Pools of host memory. */
    bool host = false;
    /** Pools of host memory of a NUMA node. */
    bool numa_node = false;
    /** Pools of managed memory. */
    bool managed = false;
    /** Other devices on the bus, such as network cards, can read and write the device's memory. */
    bool rdma = false;
};

/** Memory of a device's graphs, in bytes: allocated by captured streams from pools. */
struct GraphMemory {
    /** Bytes in use. */
    std::uint64_t used = 0;
    /** The peak of `used`. */
    std::uint64_t used_high = 0;
    /** Bytes taken from the device: in use, or cached for later graphs. */
    std::uint64_t reserved = 0;
    /** The peak of `reserved`. */
    std::uint64_t reserved_high = 0;
};

/** A device between aclrtSetDevice, which makes it the calling thread's device, and
 * aclrtResetDevice. */
class Device : public Owner<detail::DeviceKind> {
  public:
    /**
     * Calls aclrtSetDevice.
     *
     * @param id 0 to count() - 1.
     * @param where the source location of the call.
     */
    explicit Device(int32_t id = 0, SourceLocation where = SourceLocation::current()) : Owner(set(id, where)) {}

    /**
     * Returns the number of devices.
     *
     * @param where the source location of the call.
     * @return the number.
     */
    static int32_t count(SourceLocation where = SourceLocation::current()) {
        uint32_t count = 0;
        check(aclrtGetDeviceCount(&count), where);
        return static_cast<int32_t>(count);
    }

    /** Returns its id. @return 0 or more; -1 after a move. */
    int32_t id() const noexcept { return get(); }

    /**
     * Returns a readable description.
     *
     * @param where the source location of the call.
     * @return the GPU's name, or the number of cores of the CPU device.
     */
    std::string name(SourceLocation where = SourceLocation::current()) const {
        char text[256];
        check(portaclDeviceName(id(), text, sizeof text), where);
        return text;
    }

    /**
     * Returns the current pool, from which AsyncBuffer allocates by default.
     *
     * @param where the source location of the call.
     * @return the pool of set_mem_pool, or the default one.
     */
    MemPoolRef mem_pool(SourceLocation where = SourceLocation::current()) const {
        aclrtMemPool pool = nullptr;
        check(portaclDeviceGetMemPool(&pool, id()), where);
        return pool;
    }

    /**
     * Returns the default pool of the device.
     *
     * @param where the source location of the call.
     * @return the pool, which is released with the device.
     */
    MemPoolRef default_mem_pool(SourceLocation where = SourceLocation::current()) const {
        aclrtMemPool pool = nullptr;
        check(portaclDeviceGetDefaultMemPool(&pool, id()), where);
        return pool;
    }

    /**
     * Sets the current pool of the device, for all threads, until the pool is destroyed or the device reset.
     *
     * @param pool a pool of this device's own memory.
     * @param where the source location of the call.
     */
    void set_mem_pool(MemPoolRef pool, SourceLocation where = SourceLocation::current()) const {
        check(portaclDeviceSetMemPool(id(), pool.get()), where);
    }

    /**
     * Returns which memory pools a device supports.
     *
     * @param device 0 to count() - 1; it need not be set.
     * @param where the source location of the call.
     * @return the supported features.
     */
    static MemPoolSupport mem_pool_support(int32_t device, SourceLocation where = SourceLocation::current()) {
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
        support.managed = ask(PORTACL_MEM_POOL_SUPPORT_MANAGED) != 0;
        support.rdma = ask(PORTACL_MEM_POOL_SUPPORT_RDMA) != 0;
        return support;
    }

    /**
     * Returns the memory of the device's graphs.
     *
     * @param where the source location of the call.
     * @return used and reserved bytes, current and peak.
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
     * Resets the peaks of graph_memory() to the current values.
     *
     * @param where the source location of the call.
     */
    void reset_graph_memory_highs(SourceLocation where = SourceLocation::current()) const {
        for (const auto attr : {PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH, PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH})
            check(portaclDeviceSetGraphMemAttribute(id(), attr, 0), where);
    }

    /**
     * Releases memory to the device that is reserved for graphs and not in use.
     *
     * @param where the source location of the call.
     */
    void trim_graph_memory(SourceLocation where = SourceLocation::current()) const {
        check(portaclDeviceGraphMemTrim(id()), where);
    }

    /**
     * Returns the memory of the calling thread's device.
     *
     * @param where the source location of the call.
     * @return free and total bytes.
     */
    static MemoryInfo memory_info(SourceLocation where = SourceLocation::current()) {
        MemoryInfo info;
        check(aclrtGetMemInfo(ACL_HBM_MEM, &info.free, &info.total), where);
        return info;
    }

    /**
     * Waits for all work enqueued on the calling thread's device.
     *
     * @param where the source location of the call.
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

/** A separate context, with its own default stream. */
class Context : public Owner<detail::ContextKind> {
  public:
    /**
     * Creates a context and makes it current on the calling thread.
     *
     * @param device id of the device.
     * @param where the source location of the call.
     */
    explicit Context(int32_t device, SourceLocation where = SourceLocation::current()) : Owner(create(device, where)) {}

    /**
     * Makes it current on the calling thread.
     *
     * @param where the source location of the call.
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
