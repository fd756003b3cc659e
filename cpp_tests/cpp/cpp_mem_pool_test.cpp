// portacl.hpp: memory pools, and buffers that are allocated and freed in stream order.

#include <fcntl.h>
#include <portacl/portacl.hpp>

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/pool/mem_pool.h"
#include "support/threads.h"
#include "support/two_processes.h"

using portacl::Access;
using portacl::AsyncBuffer;
using portacl::copy_async;
using portacl::Descriptor;
using portacl::Device;
using portacl::Error;
using portacl::HostBuffer;
using portacl::MemPool;
using portacl::MemPoolOptions;
using portacl::MemPoolRef;
using portacl::Reuse;
using portacl::Runtime;
using portacl::Sharing;
using portacl::Stream;
using portacl_test::Gate;
using portacl_test::IsExact;
using portacl_test::kMiB;
using portacl_test::OnNewThread;

namespace {

template <typename T>
constexpr bool kMoveOnly =
    std::is_nothrow_move_constructible_v<T>&& std::is_nothrow_move_assignable_v<T> &&
    !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> && std::is_nothrow_destructible_v<T>;
static_assert(kMoveOnly<MemPool> && kMoveOnly<AsyncBuffer<int>> && kMoveOnly<Descriptor>);
static_assert(std::is_trivially_copyable_v<MemPoolRef>);

class CppMemPool : public testing::Test {
  protected:
    void TearDown() override { EXPECT_EQ(portaclReleaseFailures(), failures_); }

    Runtime runtime;
    Device device;

  private:
    const uint64_t failures_ = portaclReleaseFailures();
};

class CppAsyncBuffer : public CppMemPool {
  protected:
    // The contents of the buffer in the order of the stream.
    template <typename T>
    static std::vector<T> Read(const AsyncBuffer<T>& buffer) {
        std::vector<T> values(buffer.size());
        copy_async(values, buffer, buffer.stream());
        buffer.stream().synchronize();
        return values;
    }

    Stream stream;
};

// The exception's text contains all of these words.
template <typename Callable>
void ExpectError(aclError code, Callable&& callable, const std::vector<std::string>& words) {
    try {
        callable();
        ADD_FAILURE() << "no exception";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        for (const std::string& word : words) EXPECT_NE(error.text().find(word), std::string::npos) << error.what();
        EXPECT_STREQ(error.file(), __FILE__);
    }
}

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

TEST_F(CppAsyncBuffer, LivesInTheOrderOfItsStream) {
    const MemPool pool(device.id());
    HostBuffer<int> from(1 << 16), to(1 << 16);
    std::iota(from.begin(), from.end(), 7);
    Gate gate;
    ACL_OK(gate.Hold(stream.get()));
    {
        // Allocated, used and freed before any of that has run.
        const AsyncBuffer<int> first(from.size(), stream, pool);
        EXPECT_EQ(first.stream().get(), stream.get());
        EXPECT_EQ(first.size_bytes(), from.size_bytes());
        copy_async(first, from, stream);
        const AsyncBuffer<int> second(from.size(), stream, pool);
        copy_async(second, first, stream);
        copy_async(to, second, stream);
    }
    EXPECT_EQ(pool.used().current, 0u);
    gate.Open();
    stream.synchronize();
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin()));
}

TEST_F(CppAsyncBuffer, ReusesMemoryOfItsStream) {
    const MemPool pool(device.id());
    int* memory = nullptr;
    {
        const AsyncBuffer<int> first(1000, stream, pool);
        memory = first.data();
    }
    const AsyncBuffer<int> second(1000, stream, pool);
    EXPECT_TRUE(second.data() == memory || !IsExact());
}

TEST_F(CppAsyncBuffer, MovesToAnotherStream) {
    const Stream other;
    HostBuffer<int> values(1000);
    std::iota(values.begin(), values.end(), 0);
    AsyncBuffer<int> buffer(values.size(), stream);
    Gate gate;
    ACL_OK(gate.Hold(stream.get()));
    copy_async(buffer, values, stream);
    buffer.hand_over(other);
    EXPECT_EQ(buffer.stream().get(), other.get());
    // The other stream waits for the copy, which waits for the gate.
    HostBuffer<int> result(values.size());
    copy_async(result, buffer, other);
    EXPECT_FALSE(other.is_idle());
    gate.Open();
    other.synchronize();
    EXPECT_TRUE(std::equal(values.begin(), values.end(), result.begin()));

    // Moves to the same stream and to the default stream, which the program orders itself.
    buffer.hand_over(other);
    buffer.hand_over(nullptr);
    EXPECT_EQ(buffer.stream().get(), nullptr);
    EXPECT_EQ(Read(buffer), std::vector<int>(values.begin(), values.end()));
    buffer.set_stream(stream);
    EXPECT_EQ(buffer.stream().get(), stream.get());
    // An invalid stream is rejected, and the buffer stays with its stream.
    EXPECT_THROW(buffer.hand_over(device.mem_pool().get()), Error);
    EXPECT_EQ(buffer.stream().get(), stream.get());
}

TEST_F(CppAsyncBuffer, MovesWithItsStream) {
    const Stream other;
    AsyncBuffer<int> first(10, stream), second(20, other);
    int* const memory = first.data();
    second = std::move(first);
    EXPECT_EQ(second.data(), memory);
    EXPECT_EQ(second.size(), 10u);
    EXPECT_EQ(second.stream().get(), stream.get());
    EXPECT_FALSE(first);
    EXPECT_TRUE(first.empty());
    AsyncBuffer<int>& same = second;
    second = std::move(same);
    EXPECT_EQ(second.data(), memory);

    AsyncBuffer<int> third(std::move(second));
    EXPECT_EQ(third.get(), memory);
    EXPECT_EQ(third.release(), memory);
    EXPECT_FALSE(third);
    { const auto adopted = AsyncBuffer<int>::adopt(memory, 10, stream); }
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolFreeAsync(memory, stream.get()));
    std::vector<AsyncBuffer<int>> many;
    for (int i = 0; i < 10; ++i) many.emplace_back(100, stream);
    many.clear();
}

TEST_F(CppAsyncBuffer, GrowsAndShrinks) {
    const MemPool pool(device.id());
    AsyncBuffer<int> buffer(4, stream);
    copy_async(buffer, std::vector<int>{1, 2, 3, 4}, stream);
    buffer.resize(6);
    EXPECT_EQ(buffer.size(), 6u);
    copy_async(buffer.span().subspan(4, 2), std::vector<int>{5, 6}, stream);
    EXPECT_EQ(Read(buffer), (std::vector<int>{1, 2, 3, 4, 5, 6}));
    buffer.resize(2, pool);
    EXPECT_GE(pool.used().current, 8u);
    EXPECT_EQ(Read(buffer), (std::vector<int>{1, 2}));
    const int* const memory = buffer.data();
    buffer.resize(2);
    EXPECT_EQ(buffer.data(), memory);
    EXPECT_THROW(buffer.resize(SIZE_MAX), Error);
    EXPECT_EQ(buffer.data(), memory);
    EXPECT_EQ(buffer.size(), 2u);
    buffer.resize(0);
    EXPECT_FALSE(buffer);
    EXPECT_EQ(pool.used().current, 0u);
    buffer.resize(3);
    EXPECT_EQ(buffer.size(), 3u);
}

TEST_F(CppAsyncBuffer, EmptyBuffersAllocateNothing) {
    const MemPool pool(device.id());
    const AsyncBuffer<int> none(0, stream, pool), also(0, stream), nothing;
    EXPECT_EQ(none.data(), nullptr);
    EXPECT_FALSE(nothing);
    EXPECT_EQ(nothing.stream().get(), nullptr);
    copy_async(none, std::vector<int>(), stream);
    EXPECT_EQ(pool.used().peak, 0u);
}

TEST_F(CppAsyncBuffer, SizesAreChecked) {
    const MemPool pool(device.id());
    const std::size_t huge = SIZE_MAX / sizeof(double) + 2;
    EXPECT_THROW((AsyncBuffer<double>{huge, stream}), Error);
    EXPECT_THROW((AsyncBuffer<double>{huge, stream, pool}), Error);
    const AsyncBuffer<float> small(3, stream);
    ExpectError(ACL_ERROR_INVALID_PARAM, [&] { copy_async(small, std::vector<float>(4), stream); }, {"12", "16"});
}

TEST_F(CppAsyncBuffer, ReportsInvalidStreamsAndPools) {
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { AsyncBuffer<int> buffer(1, device.mem_pool().get()); },
                {"portaclMallocAsync", "stream"});
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { AsyncBuffer<int> buffer(1, stream, MemPoolRef(stream.get())); },
                {"aclrtMemPoolMallocAsync", "memPool"});
    OnNewThread([&] {
        try {
            AsyncBuffer<int> buffer(1, stream);
            FAIL() << "no exception";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ACL_ERROR_RT_CONTEXT_NULL);
        }
        const Device mine(0);
        AsyncBuffer<int> buffer(1, stream);
    });
}

// What a process needs to import an allocation of 100 elements.
struct Exported {
    portacl::PointerName name;
    std::size_t bytes;
};

void ImportAndAnswer(portacl_test::Connection& parent) {
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
    EXPECT_EQ(portaclReleaseFailures(), 0u);
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

TEST_F(CppAsyncBuffer, OutlivesItsPool) {
    std::optional<MemPool> pool(std::in_place, device.id());
    AsyncBuffer<int> buffer(4, stream, *pool);
    pool.reset();
    copy_async(buffer, std::vector<int>{1, 2, 3, 4}, stream);
    EXPECT_EQ(Read(buffer), (std::vector<int>{1, 2, 3, 4}));
}

TEST(CppAsyncBufferEnd, AFailedFreeIsCounted) {
    const Runtime runtime;
    const Device device;
    const uint64_t before = portaclReleaseFailures();
    const Stream stream;
    {
        AsyncBuffer<int> buffer(4, stream);
        ACL_OK(aclrtFree(buffer.get()));
    }
    EXPECT_EQ(portaclReleaseFailures(), before + 1);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    {
        // Its stream was destroyed before it: the memory stays allocated.
        std::optional<Stream> gone(std::in_place);
        AsyncBuffer<int> buffer(4, *gone);
        void* const memory = buffer.get();
        gone.reset();
        buffer.reset();
        EXPECT_FALSE(buffer);
        EXPECT_EQ(portaclReleaseFailures(), before + 2);
        ACL_OK(aclrtFree(memory));
    }
    {
        Descriptor descriptor = Descriptor::adopt(1 << 20);
        EXPECT_TRUE(descriptor);
    }
    EXPECT_EQ(portaclReleaseFailures(), before + 3);
}

}  // namespace
