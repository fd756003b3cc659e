// portacl.hpp: buffers that are allocated and freed in stream order.

#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "cpp/with_device.h"
#include "support/acl_test.h"
#include "support/gate.h"
#include "support/pool/mem_pool.h"
#include "support/threads.h"

using portacl::AsyncBuffer;
using portacl::copy_async;
using portacl::Descriptor;
using portacl::Device;
using portacl::Error;
using portacl::HostBuffer;
using portacl::MemPool;
using portacl::MemPoolRef;
using portacl::Runtime;
using portacl::Stream;
using portacl_test::CppDevice;
using portacl_test::ExpectError;
using portacl_test::Gate;
using portacl_test::IsExact;
using portacl_test::kMoveOnly;
using portacl_test::OnNewThread;

namespace {

static_assert(kMoveOnly<AsyncBuffer<int>>);

class CppAsyncBuffer : public CppDevice {
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
