// portacl.hpp: buffers, spans, copies, and pinned memory for standard containers.

#include <portacl/portacl.hpp>

#include <array>
#include <cstdint>
#include <list>
#include <memory_resource>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/acl_test.h"

using namespace portacl_test;
using portacl::copy;
using portacl::copy_async;
using portacl::Device;
using portacl::DeviceBuffer;
using portacl::DeviceSpan;
using portacl::Error;
using portacl::HostBuffer;
using portacl::Runtime;
using portacl::Span;
using portacl::Stream;

namespace {

class CppBuffer : public testing::Test {
  protected:
    Runtime runtime;
    Device device;
};

template <typename T>
std::vector<T> Counted(std::size_t size) {
    std::vector<T> values(size);
    std::iota(values.begin(), values.end(), T(1));
    return values;
}

TEST_F(CppBuffer, CopiesBetweenAllRanges) {
    const std::vector<float> values = Counted<float>(100);
    const DeviceBuffer<float> device(100), second(100);
    const HostBuffer<float> host(100);
    std::vector<float> result(100);

    copy(device, values);
    copy(result, device);
    EXPECT_EQ(result, values);

    copy(second, device);
    copy(host, second);
    EXPECT_TRUE(std::equal(host.begin(), host.end(), values.begin(), values.end()));

    const std::array<float, 3> three{7, 8, 9};
    copy(device.span().subspan(1, 3), three);
    float four[4] = {};
    copy(four, device.span().subspan(0, 4));
    EXPECT_EQ((std::vector<float>(four, four + 4)), (std::vector<float>{1, 7, 8, 9}));

    const DeviceSpan<const float> read_only = device.span();
    copy(result, read_only);
    EXPECT_EQ(result[2], 8);
    const Span<const float> span(values);
    copy(Span<float>(result), span);
    EXPECT_EQ(result, values);
}

TEST_F(CppBuffer, DeviceSpansAreMutableOrConst) {
    static_assert(!std::is_constructible_v<Span<int>, DeviceBuffer<int>&>);
    static_assert(!std::is_constructible_v<Span<const int>, const DeviceSpan<int>&>);
    static_assert(std::is_convertible_v<const DeviceBuffer<int>&, DeviceSpan<const int>>);
    static_assert(std::is_convertible_v<portacl::AsyncBuffer<int>, DeviceSpan<const int>>);
    static_assert(!std::is_convertible_v<const DeviceBuffer<int>&, DeviceSpan<const unsigned>>);
    const std::vector<int> values = Counted<int>(10);
    DeviceBuffer<int> device(10), second(10);
    DeviceSpan<int> span = second.span();
    copy(device, values);
    copy(span, device);
    std::vector<int> result(10);
    copy(result, span);
    EXPECT_EQ(result, values);
    portacl::fill_bytes(device, 0);
    copy(result, device);
    EXPECT_EQ(result, std::vector<int>(10));
}

TEST_F(CppBuffer, CopiesInStreamOrder) {
    Stream stream;
    HostBuffer<int> from(1 << 16), to(1 << 16);
    std::iota(from.begin(), from.end(), 0);
    const DeviceBuffer<int> device(from.size());
    copy_async(device, from, stream);
    copy_async(to, device, stream);
    stream.synchronize();
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin()));
    portacl::fill_bytes_async(device, 0xff, stream.get());
    copy_async(to, device, stream);
    stream.synchronize();
    EXPECT_EQ(to[0], -1);
    EXPECT_EQ(to[to.size() - 1], -1);
    portacl::fill_bytes(device.span().subspan(1, 1), 0);
    copy(to, device);
    EXPECT_EQ(to[0], -1);
    EXPECT_EQ(to[1], 0);
    EXPECT_EQ(to[2], -1);
}

TEST_F(CppBuffer, ATooSmallDestinationIsRefusedWithNumbers) {
    const DeviceBuffer<float> small(3), large(4);
    const std::vector<float> values(4, 1.0f);
    for (int direction = 0; direction < 3; ++direction) {
        try {
            std::vector<float> result(3);
            if (direction == 0) copy(small, values);
            if (direction == 1) copy(result, large);
            if (direction == 2) copy(small, large);
            FAIL() << "no exception, direction " << direction;
        } catch (const Error& error) {
            EXPECT_NE(error.text().find("12"), std::string::npos) << error.what();
            EXPECT_NE(error.text().find("16"), std::string::npos) << error.what();
        }
    }
    // More elements than the buffer has.
    EXPECT_THROW((void)large.span().subspan(2, 3), std::out_of_range);
    EXPECT_THROW((void)large.span().subspan(5, 0), std::out_of_range);
    EXPECT_THROW((void)large.span().subspan(1, SIZE_MAX), std::out_of_range);
    EXPECT_EQ(large.span().subspan(4, 0).size(), 0u);
    EXPECT_THROW(copy_async(small, values, nullptr), Error);
}

TEST_F(CppBuffer, EmptyCopiesSucceed) {
    const DeviceBuffer<int> none(0);
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(none.data(), nullptr);
    std::vector<int> nothing;
    copy(none, nothing);
    copy(nothing, none);
    copy_async(none, nothing, nullptr);
    const HostBuffer<int> host(0);
    copy(host, none);
    EXPECT_EQ(host.begin(), host.end());
}

TEST_F(CppBuffer, SizesThatOverflowAreRefused) {
    const std::size_t huge = SIZE_MAX / sizeof(double) + 2;
    EXPECT_THROW(DeviceBuffer<double>{huge}, Error);
    EXPECT_THROW(HostBuffer<double>{huge}, Error);
    EXPECT_THROW(DeviceBuffer<char>{SIZE_MAX}, Error);
}

TEST_F(CppBuffer, MovesReleasesAndFrees) {
    const uint64_t failures = portaclReleaseFailures();
    DeviceBuffer<int> first(10);
    int* const memory = first.data();
    DeviceBuffer<int> second(std::move(first));
    EXPECT_TRUE(first.empty());
    EXPECT_EQ(first.data(), nullptr);
    EXPECT_EQ(second.data(), memory);
    EXPECT_EQ(second.size(), 10u);
    EXPECT_EQ(second.size_bytes(), 40u);
    first = std::move(second);
    EXPECT_EQ(first.data(), memory);
    EXPECT_EQ(first.size(), 10u);
    EXPECT_EQ(second.size(), 0u);
    EXPECT_EQ(first.release(), memory);
    EXPECT_EQ(first.size(), 0u);
    ACL_OK(aclrtFree(memory));

    HostBuffer<char> host(1);
    void* const pinned = host.data();
    host.reset();
    EXPECT_EQ(host.data(), nullptr);
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(pinned));
    aclGetRecentErrMsg();
    EXPECT_EQ(portaclReleaseFailures(), failures);
}

TEST_F(CppBuffer, StandardContainersUsePinnedMemory) {
    std::pmr::vector<int> values(portacl::pinned_memory_resource());
    for (int i = 0; i < 1000; ++i) values.push_back(i);
    aclrtPtrAttributes attributes{};
    ACL_OK(aclrtPointerGetAttributes(values.data(), &attributes));
    EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);

    Stream stream;
    const DeviceBuffer<int> device(values.size());
    std::pmr::vector<int> back(values.size(), portacl::pinned_memory_resource());
    copy_async(device, values, stream);
    copy_async(back, device, stream);
    stream.synchronize();
    EXPECT_EQ(back, values);

    portacl::PinnedMemoryResource one, other;
    EXPECT_TRUE(one == other);
    EXPECT_TRUE(one == *portacl::pinned_memory_resource());
    EXPECT_FALSE(one == *std::pmr::new_delete_resource());
    std::pmr::list<std::string> list(&one);
    list.emplace_back("nodes");
    EXPECT_EQ(list.front(), "nodes");
}

TEST_F(CppBuffer, PinnedMemoryIsAligned) {
    const uint64_t failures = portaclReleaseFailures();
    portacl::PinnedMemoryResource resource;
    for (std::size_t alignment = 1; alignment <= (std::size_t{2} << 20); alignment *= 2) {
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{5000}}) {
            void* const memory = resource.allocate(bytes, alignment);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0u) << bytes << " bytes at " << alignment;
            resource.deallocate(memory, bytes, alignment);
        }
    }
    EXPECT_THROW((void)resource.allocate(1, std::size_t{4} << 20), std::bad_alloc);
    EXPECT_EQ(portaclReleaseFailures(), failures);
}

// Reported as std::bad_alloc, which containers and programs handle.
TEST_F(CppBuffer, PinnedMemoryThatRunsOutIsABadAlloc) {
    const uint64_t failures = portaclReleaseFailures();
    portacl::PinnedMemoryResource resource;
    EXPECT_THROW((void)resource.allocate(SIZE_MAX / 2, 1), std::bad_alloc);
    EXPECT_THROW((void)resource.allocate(SIZE_MAX / 2, 1), std::exception);
    try {
        (void)resource.allocate(SIZE_MAX / 2, 1);
        ADD_FAILURE() << "more memory than there is";
    } catch (const portacl::OutOfPinnedMemory& failure) {
        EXPECT_TRUE(failure.code() == ACL_ERROR_BAD_ALLOC || failure.code() == ACL_ERROR_RT_MEMORY_ALLOCATION)
            << failure.code();
        const std::string what = failure.what();
        EXPECT_EQ(what.rfind("aclrtMallocHost: ", 0), 0u) << what;
        EXPECT_NE(what.find(std::to_string(SIZE_MAX / 2)), std::string::npos) << what;
        // The text is the exception's.
        void* memory = nullptr;
        EXPECT_NE(aclrtMallocHost(&memory, 0), ACL_SUCCESS);
        EXPECT_EQ(what, failure.what());
    }
    // An error without a lack of memory is no bad_alloc.
    ACL_OK(aclFinalize());
    EXPECT_THROW((void)resource.allocate(64, 1), Error);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    void* const memory = resource.allocate(64, 1);
    resource.deallocate(memory, 64, 1);
    EXPECT_EQ(portaclReleaseFailures(), failures);
}

}  // namespace
