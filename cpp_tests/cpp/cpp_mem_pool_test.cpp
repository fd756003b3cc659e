// portacl.hpp: memory pools. cpp_async_buffer_test.cpp tests buffers in stream order.

#include <fcntl.h>
#include <portacl/portacl.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpp/with_device.h"
#include "support/acl_test.h"
#include "support/pool/mem_pool.h"
#include "support/threads.h"
#include "support/two_processes.h"

using portacl::Access;
using portacl::AsyncBuffer;
using portacl::copy_async;
using portacl::Descriptor;
using portacl::Device;
using portacl::Error;
using portacl::MemPool;
using portacl::MemPoolOptions;
using portacl::MemPoolRef;
using portacl::Reuse;
using portacl::Runtime;
using portacl::Sharing;
using portacl::Stream;
using portacl_test::ExpectError;
using portacl_test::kMiB;
using portacl_test::kMoveOnly;

namespace {

using CppMemPool = portacl_test::CppDevice;

static_assert(kMoveOnly<MemPool> && kMoveOnly<Descriptor>);
static_assert(std::is_trivially_copyable_v<MemPoolRef>);

TEST_F(CppMemPool, HasItsAttributesByName) {
    const MemPool pool(device.id());
    EXPECT_EQ(pool.release_threshold(), 0u);
    pool.set_release_threshold(UINT64_MAX);
    EXPECT_EQ(pool.release_threshold(), UINT64_MAX);
    for (const Reuse when :
         {Reuse::follow_event_dependencies, Reuse::allow_opportunistic, Reuse::allow_internal_dependencies}) {
        EXPECT_TRUE(pool.reuses(when));
        pool.set_reuse(when, false);
        EXPECT_FALSE(pool.reuses(when));
    }
    EXPECT_EQ(pool.used().current, 0u);
    EXPECT_EQ(pool.reserved().peak, 0u);
}

TEST_F(CppMemPool, ReportsUsageAndTrims) {
    const MemPool pool(device.id());
    pool.set_release_threshold(UINT64_MAX);
    const Stream stream;
    {
        const AsyncBuffer<char> large(2 * kMiB, stream, pool), small(1, stream, pool);
        EXPECT_GE(pool.used().current, 2 * kMiB + 1);
        EXPECT_GE(pool.reserved().current, pool.used().current);
    }
    EXPECT_EQ(pool.used().current, 0u);
    EXPECT_GE(pool.used().peak, 2 * kMiB + 1);
    stream.synchronize();
    EXPECT_GE(pool.reserved().current, 2 * kMiB);
    pool.trim_to(0);
    EXPECT_EQ(pool.reserved().current, 0u);
    EXPECT_GT(pool.reserved().peak, 0u);
    pool.reset_peaks();
    EXPECT_EQ(pool.reserved().peak, 0u);
    EXPECT_EQ(pool.used().peak, 0u);
}

TEST_F(CppMemPool, MayHaveALimit) {
    MemPoolOptions options;
    options.max_size = 2 * kMiB;
    const MemPool pool(device.id(), options);
    const Stream stream;
    const AsyncBuffer<char> first(kMiB, stream, pool);
    ExpectError(ACL_ERROR_RT_MEMORY_ALLOCATION, [&] { AsyncBuffer<char> second(64 * kMiB, stream, pool); },
                {"aclrtMemPoolMallocAsync"});
}

TEST_F(CppMemPool, MayBeInHostMemory) {
    const Stream stream;
    for (const bool numa : {false, true}) {
        const MemPool pool = numa ? MemPool::on_numa_node(0) : MemPool::on_host();
        AsyncBuffer<int> buffer(16, stream, pool);
        stream.synchronize();
        // The host may dereference these addresses.
        std::iota(buffer.data(), buffer.data() + buffer.size(), 0);
        EXPECT_EQ(buffer.data()[15], 15);
        buffer.reset();
        stream.synchronize();
    }
}

TEST_F(CppMemPool, ADeviceHasACurrentOneAndADefaultOne) {
    EXPECT_EQ(device.mem_pool().get(), device.default_mem_pool().get());
    const Stream stream;
    {
        const MemPool pool(device.id());
        device.set_mem_pool(pool);
        EXPECT_EQ(device.mem_pool().get(), pool.get());
        EXPECT_NE(device.default_mem_pool().get(), pool.get());
        const AsyncBuffer<char> buffer(kMiB, stream);
        EXPECT_GE(pool.used().current, kMiB);
    }
    // It is destroyed.
    EXPECT_EQ(device.mem_pool().get(), device.default_mem_pool().get());
    EXPECT_THROW(device.set_mem_pool(nullptr), Error);
    const Device gone = [] {
        Device other;
        Device taken(std::move(other));
        return other;
    }();
    EXPECT_THROW((void)gone.mem_pool(), Error);
    EXPECT_THROW((void)gone.default_mem_pool(), Error);
}

TEST_F(CppMemPool, OtherDevicesNeedAccess) {
    const MemPool pool(device.id());
    EXPECT_EQ(pool.access(device.id()), Access::read_write);
    EXPECT_THROW(pool.set_access(device.id(), Access::none), Error);
    EXPECT_THROW((void)pool.access(12345), Error);
    if (Device::count() < 2) GTEST_SKIP() << "needs two devices";
    EXPECT_EQ(pool.access(1), Access::none);
    int32_t can = 0;
    ACL_OK(aclrtDeviceCanAccessPeer(&can, 1, 0));
    if (!can) return;
    for (const Access access : {Access::read_write, Access::read, Access::none}) {
        pool.set_access(1, access);
        EXPECT_EQ(pool.access(1), access);
    }
}

TEST_F(CppMemPool, MovesReleasesAndAdopts) {
    MemPool first(device.id());
    const aclrtMemPool handle = first.get();
    MemPool second(std::move(first));
    EXPECT_FALSE(first);
    EXPECT_THROW((void)first.used(), Error);
    EXPECT_EQ(second.release(), handle);
    EXPECT_EQ(MemPoolRef(handle).used().current, 0u);
    { const MemPool adopted = MemPool::adopt(handle); }
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { (void)MemPoolRef(handle).used(); }, {"aclrtMemPoolGetAttr"});
}

TEST_F(CppMemPool, ReportsWhyCreationFails) {
    ExpectError(ACL_ERROR_RT_INVALID_DEVICEID, [] { MemPool pool(12345); }, {"aclrtMemPoolCreate", "12345"});
    const MemPool pool(device.id());
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { (void)pool.export_descriptor(); },
                {"portaclMemPoolExportToShareableHandle"});
    EXPECT_THROW((void)MemPool::from_descriptor(Descriptor::adopt(-1)), Error);
}

TEST_F(CppMemPool, ADescriptorIsClosed) {
    MemPoolOptions options;
    options.sharing = Sharing::descriptor;
    const MemPool pool(device.id(), options);
    int number = -1;
    {
        Descriptor descriptor = pool.export_descriptor();
        number = descriptor.get();
        EXPECT_EQ(fcntl(number, F_GETFD), FD_CLOEXEC);
        Descriptor moved(std::move(descriptor));
        EXPECT_EQ(descriptor.get(), -1);
        EXPECT_EQ(moved.get(), number);
    }
    EXPECT_EQ(fcntl(number, F_GETFD), -1);
}

// What a process needs to import an allocation of 100 elements.
struct Exported {
    portacl::PointerName name;
    std::size_t bytes;
};

void ImportAndAnswer(portacl_test::Connection& parent) {
    const uint64_t failures = portaclReleaseFailures();
    const Runtime runtime;
    const Device device;
    const Stream stream;
    int descriptor = -1;
    const auto exported = parent.Receive<Exported>(&descriptor);
    const MemPool pool = MemPool::from_descriptor(Descriptor::adopt(descriptor));
    {
        auto buffer = AsyncBuffer<int>::from_name(exported.name, 100, stream, pool);
        std::vector<int> values(100);
        copy_async(values, buffer, stream);
        stream.synchronize();
        EXPECT_EQ(values, std::vector<int>(100, 5));
        values.assign(100, 6);
        copy_async(buffer, values, stream);
        stream.synchronize();
    }
    // More than the allocation has, also if the number of bytes overflows.
    for (const std::size_t size : {exported.bytes / sizeof(int) + (kMiB << 4), SIZE_MAX / 2}) {
        ExpectError(ACL_ERROR_INVALID_PARAM,
                    [&] { (void)AsyncBuffer<int>::from_name(exported.name, size, stream, pool); },
                    {"AsyncBuffer", std::to_string(size)});
    }
    portacl::PointerName damaged = exported.name;
    damaged.data[0] ^= 1;
    EXPECT_THROW((void)AsyncBuffer<int>::from_name(damaged, 1, stream, pool), Error);
    stream.synchronize();
    EXPECT_EQ(portaclReleaseFailures(), failures);
    parent.Signal(1);
}

TWO_PROCESS_TEST(CppSharedMemory, MovesBetweenOwners, ImportAndAnswer) {
    const Runtime runtime;
    const Device device;
    const Stream stream;
    MemPoolOptions options;
    options.sharing = Sharing::descriptor;
    const MemPool pool(device.id(), options);
    const AsyncBuffer<int> buffer(100, stream, pool);
    std::vector<int> values(100, 5);
    copy_async(buffer, values, stream);
    stream.synchronize();
    portacl_test::Peer peer;
    const Descriptor descriptor = pool.export_descriptor();
    peer.Send(Exported{buffer.name(), buffer.size_bytes()}, descriptor.get());
    peer.Await(1);
    copy_async(values, buffer, stream);
    stream.synchronize();
    EXPECT_EQ(values, std::vector<int>(100, 6));
    peer.Join();
}

}  // namespace
