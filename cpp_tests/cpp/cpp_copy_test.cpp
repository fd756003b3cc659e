// portacl.hpp: fills of elements, copies of rows, batches of copies, and reductions.

#include <portacl/portacl.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "cpp/half.h"
#include "cpp/with_device.h"

using namespace portacl_test;
using portacl::copy;
using portacl::CopyBatch;
using portacl::DeviceBuffer;
using portacl::DeviceSpan2D;
using portacl::HostBuffer;
using portacl::Reduction;
using portacl::Span2D;
using portacl::Stream;
using portacl::view_2d;

namespace {

using CppCopy = CppDevice;

template <typename T>
std::vector<T> Counted(std::size_t size, T first = T(1)) {
    std::vector<T> values(size);
    std::iota(values.begin(), values.end(), first);
    return values;
}

template <typename Buffer, typename T = typename Buffer::value_type>
std::vector<T> Contents(const Buffer& buffer) {
    std::vector<T> values(buffer.size());
    copy(values, buffer);
    return values;
}

// ---- fills ----

TEST_F(CppCopy, FillsSetEachElement) {
    const DeviceBuffer<float> floats(5);
    portacl::fill(floats, 2);  // converted as in an assignment
    EXPECT_EQ(Contents(floats), std::vector<float>(5, 2.0f));
    portacl::fill(floats.span().subspan(1, 2), -0.5f);
    EXPECT_EQ(Contents(floats), (std::vector<float>{2, -0.5f, -0.5f, 2, 2}));

    const DeviceBuffer<std::uint8_t> bytes(3);
    portacl::fill(bytes, 200);
    EXPECT_EQ(Contents(bytes), std::vector<std::uint8_t>(3, 200));

    const Stream stream;
    const HostBuffer<std::uint32_t> host(4);
    portacl::fill_async(host, 0xdeadbeef, stream);
    portacl::fill_async(floats, 7.25f, stream);
    portacl::fill_async(bytes.span().subspan(0, 1), 1, stream);
    stream.synchronize();
    EXPECT_EQ(std::vector<std::uint32_t>(host.begin(), host.end()), std::vector<std::uint32_t>(4, 0xdeadbeef));
    EXPECT_EQ(Contents(floats), std::vector<float>(5, 7.25f));
    EXPECT_EQ(Contents(bytes), (std::vector<std::uint8_t>{1, 200, 200}));

    portacl::fill(floats.span().subspan(0, 0), 1);
    std::vector<int> pageable(3);
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { portacl::fill(pageable, 1); }, {"aclrtMemsetD32"});
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { portacl::fill_async(pageable, 1, stream); }, {"aclrtMemsetD32Async"});
}

// ---- rows ----

static_assert(std::is_trivially_copyable_v<Span2D<int>> && std::is_trivially_copyable_v<DeviceSpan2D<int>>);
static_assert(std::is_convertible_v<DeviceSpan2D<int>, DeviceSpan2D<const int>>);
static_assert(!std::is_convertible_v<DeviceSpan2D<const int>, DeviceSpan2D<int>>);
static_assert(!std::is_convertible_v<DeviceSpan2D<int>, Span2D<int>>);

TEST_F(CppCopy, RowsHaveWidthHeightAndPitch) {
    std::vector<int> values = Counted<int>(23);
    const Span2D<int> rows = view_2d(values, 4, 3, 8);
    EXPECT_EQ(rows.width(), 4u);
    EXPECT_EQ(rows.height(), 3u);
    EXPECT_EQ(rows.pitch(), 8u);
    EXPECT_EQ(rows.row(2).data(), values.data() + 16);
    EXPECT_EQ(rows.row(2).size(), 4u);
    const Span2D<const int> part = rows.subspan(1, 2, 3, 1);
    EXPECT_EQ(part.row(0)[2], 20);
    EXPECT_EQ(rows.subspan(4, 3, 0, 0).data(), nullptr);

    // The last row ends with its last element: 20 are enough, and 19 are not.
    EXPECT_NO_THROW((void)view_2d(portacl::Span<int>(values.data(), 20), 4, 3, 8));
    EXPECT_THROW((void)view_2d(portacl::Span<int>(values.data(), 19), 4, 3, 8), std::out_of_range);
    EXPECT_THROW((void)view_2d(values, 4, 3, 3), std::out_of_range);
    EXPECT_THROW((void)view_2d(values, 1, SIZE_MAX, SIZE_MAX), std::out_of_range);
    EXPECT_THROW((void)view_2d(values, SIZE_MAX, 2), std::out_of_range);
    EXPECT_NO_THROW((void)view_2d(values, SIZE_MAX, 0));
    EXPECT_THROW((void)rows.row(3), std::out_of_range);
    EXPECT_THROW((void)rows.subspan(5, 0, 0, 1), std::out_of_range);
    EXPECT_THROW((void)rows.subspan(1, 0, 4, 1), std::out_of_range);
    EXPECT_THROW((void)rows.subspan(0, 1, 1, 3), std::out_of_range);
    try {
        (void)rows.subspan(0, 1, 1, SIZE_MAX);
        ADD_FAILURE() << "no exception";
    } catch (const std::out_of_range& error) {
        EXPECT_NE(std::string(error.what()).find("width(), 4, and y + height of at most height(), 3"),
                  std::string::npos)
            << error.what();
    }
}

TEST_F(CppCopy, RowsAreCopiedAndWhatLiesBetweenIsNot) {
    const std::vector<int> values = Counted<int>(6);
    const DeviceBuffer<int> memory(3 * 5);
    portacl::fill(memory, -1);
    // Two rows of three elements into the middle of three rows of five.
    const DeviceSpan2D<int> all = view_2d(memory, 5, 3);
    portacl::copy_2d(all.subspan(1, 1, 3, 2), view_2d(values, 3, 2));
    EXPECT_EQ(Contents(memory), (std::vector<int>{-1, -1, -1, -1, -1, -1, 1, 2, 3, -1, -1, 4, 5, 6, -1}));

    std::array<int, 8> back{};
    portacl::copy_2d(view_2d(back, 3, 2, 5), all.subspan(1, 1, 3, 2));
    EXPECT_EQ(back, (std::array<int, 8>{1, 2, 3, 0, 0, 4, 5, 6}));
}

TEST_F(CppCopy, RowsAreCopiedInStreamOrder) {
    const Stream stream;
    const HostBuffer<float> from(12), to(12);
    for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<float>(i);
        to[i] = -1;
    }
    const DeviceBuffer<float> first(12), second(16);
    portacl::fill_async(second, 9, stream);
    portacl::copy_2d_async(view_2d(first, 3, 4), view_2d(from, 3, 4), stream);
    portacl::copy_2d_async(view_2d(second, 3, 4, 4), DeviceSpan2D<const float>(view_2d(first, 3, 4)), stream);
    portacl::copy_2d_async(view_2d(to, 2, 4, 3), view_2d(second, 2, 4, 4), stream);
    stream.synchronize();
    EXPECT_EQ(std::vector<float>(to.begin(), to.end()), (std::vector<float>{0, 1, -1, 3, 4, -1, 6, 7, -1, 9, 10, -1}));
    EXPECT_EQ(Contents(second)[3], 9);
}

TEST_F(CppCopy, RowsThatDoNotFitAreRefused) {
    std::vector<int> values(12);
    const DeviceBuffer<int> memory(12);
    const auto copies = [&](std::size_t width, std::size_t height) {
        portacl::copy_2d(view_2d(memory, 3, 4), view_2d(values, width, height));
    };
    ExpectError(ACL_ERROR_INVALID_PARAM, [&] { copies(4, 3); },
                {"portacl::copy_2d: dst.width() is 3 and dst.height() is 4; allowed: at least those of src, 4 and 3."});
    ExpectError(ACL_ERROR_INVALID_PARAM, [&] { copies(2, 5); }, {"of src, 2 and 5"});
    ExpectError(ACL_ERROR_INVALID_PARAM,
                [&] { portacl::copy_2d_async(view_2d(values, 1, 1), view_2d(memory, 1, 2), nullptr); },
                {"of src, 1 and 2"});
    // The call compares the rows with the allocation.
    const DeviceSpan2D<int> past(memory.data(), 3, 1000, 3);
    std::vector<int> enough(3000);
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { portacl::copy_2d(view_2d(enough, 3, 1000), past); },
                {"aclrtMemcpy2d"});
    // A pitch in bytes that is no number.
    const DeviceSpan2D<int> far(memory.data(), 3, 2, SIZE_MAX / 2);
    EXPECT_THROW(portacl::copy_2d(view_2d(enough, 3, 2), far), portacl::Error);
    copies(0, 3);
    copies(3, 0);
}

// ---- batches ----

TEST_F(CppCopy, ABatchCopiesAllItsRanges) {
    const std::vector<int> numbers = Counted<int>(4);
    const std::vector<double> reals = Counted<double>(2, 0.5);
    const DeviceBuffer<int> first(4), second(2);
    const DeviceBuffer<double> third(2);
    CopyBatch batch;
    EXPECT_TRUE(batch.empty());
    batch.copy();
    batch.copy_async(nullptr);
    batch.add(first, numbers);
    batch.add(second, portacl::Span<const int>(numbers.data() + 1, 2));
    batch.add(third, reals);
    EXPECT_EQ(batch.size(), 3u);
    batch.copy();
    EXPECT_EQ(Contents(first), numbers);
    EXPECT_EQ(Contents(second), (std::vector<int>{2, 3}));
    EXPECT_EQ(Contents(third), reals);

    // The other direction, in stream order, twice, with more copies than the first list had room for.
    const Stream stream;
    const HostBuffer<int> back(64);
    batch.clear();
    EXPECT_TRUE(batch.empty());
    for (std::size_t i = 0; i < back.size(); ++i)
        batch.add(portacl::Span<int>(back.data() + i, 1), first.span().subspan(i % 4, 1));
    for (int run = 1; run <= 2; ++run) {
        portacl::fill_async(first, run, stream);
        batch.copy_async(stream);
        stream.synchronize();
        EXPECT_EQ(std::vector<int>(back.begin(), back.end()), std::vector<int>(64, run));
    }
}

TEST_F(CppCopy, ABatchIsRefusedAsAWhole) {
    const std::vector<int> values = Counted<int>(4);
    const DeviceBuffer<int> memory(4), small(3);
    portacl::fill(memory, 0);
    CopyBatch batch;
    batch.add(memory, values);
    batch.add(small, values);
    ExpectError(ACL_ERROR_INVALID_PARAM, [&] { batch.copy(); }, {"aclrtMemcpyBatchV2", "1", "16", "12"});
    ExpectError(ACL_ERROR_INVALID_PARAM, [&] { batch.copy_async(nullptr); }, {"aclrtMemcpyBatchAsyncV2", "16", "12"});
    std::vector<int> back(4);
    CopyBatch both;
    both.add(memory, values);
    both.add(back, memory);
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { both.copy(); }, {"aclrtMemcpyBatchV2"});
    EXPECT_EQ(Contents(memory), std::vector<int>(4));
}

// ---- reductions ----

template <typename T>
void ReducesAllKinds(const Stream& stream) {
    const std::vector<T> ones{T(1), T(-2), T(3), T(100)}, others{T(5), T(-7), T(2), T(27)};
    for (const Reduction how : {Reduction::sum, Reduction::max, Reduction::min}) {
        const DeviceBuffer<T> dst(4), src(4);
        copy(dst, ones);
        copy(src, others);
        portacl::reduce_async(dst, src, how, stream);
        stream.synchronize();
        std::vector<T> wanted(4);
        for (std::size_t i = 0; i < 4; ++i) {
            const T sum = static_cast<T>(ones[i] + others[i]);
            wanted[i] = how == Reduction::sum   ? sum
                        : how == Reduction::max ? std::max(ones[i], others[i])
                                                : std::min(ones[i], others[i]);
        }
        EXPECT_EQ(Contents(dst), wanted) << static_cast<int>(how);
        EXPECT_EQ(Contents(src), others);
    }
}

TEST_F(CppCopy, ReductionsOfAllTypes) {
    const Stream stream;
    ReducesAllKinds<std::int8_t>(stream);
    ReducesAllKinds<std::int16_t>(stream);
    ReducesAllKinds<std::int32_t>(stream);
    ReducesAllKinds<float>(stream);

    const std::vector<Half> ones(3, Half{0x3c00});
    const DeviceBuffer<Half> dst(3), src(3);
    copy(dst, ones);
    copy(src, ones);
    portacl::reduce_async(dst, src, Reduction::sum, stream);
    stream.synchronize();
    EXPECT_EQ(Contents(dst)[2].bits, 0x4000);
}

TEST_F(CppCopy, ReductionsOfAPart) {
    const Stream stream;
    const DeviceBuffer<int> dst(4), src(2);
    portacl::fill(dst, 1);
    portacl::fill(src, 2);
    const portacl::DeviceSpan<const int> read_only = src.span();
    portacl::reduce_async(dst.span().subspan(1, 3), read_only, Reduction::sum, stream);
    stream.synchronize();
    EXPECT_EQ(Contents(dst), (std::vector<int>{1, 3, 3, 1}));
    ExpectError(ACL_ERROR_INVALID_PARAM, [&] { portacl::reduce_async(src, dst, Reduction::sum, stream); },
                {"portacl::reduce_async: dst.size() is 2; allowed: at least src.size(), 4"});
    portacl::reduce_async(dst, src.span().subspan(0, 0), Reduction::max, stream);
    EXPECT_THROW(portacl::reduce_async(dst, src, static_cast<Reduction>(99), stream), portacl::Error);
}

}  // namespace
