// portacl.hpp in C++20: std::span is accepted as a range of host memory like Span.

#include <portacl/portacl.hpp>

#include <array>
#include <numeric>
#include <span>
#include <type_traits>
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

static_assert(std::is_constructible_v<Span<int>, std::span<int>&>);
static_assert(std::is_constructible_v<Span<const int>, std::span<const int>&>);
static_assert(!std::is_constructible_v<Span<int>, std::span<const int>&>);
// The host must not dereference device memory.
static_assert(!std::is_constructible_v<std::span<int>, DeviceBuffer<int>&>);
static_assert(!std::is_constructible_v<std::span<int>, DeviceSpan<int>&>);

class CppSpan : public testing::Test {
  protected:
    Runtime runtime;
    Device device;
};

TEST_F(CppSpan, CopiesTakeStdSpans) {
    std::vector<int> values(10), result(10);
    std::iota(values.begin(), values.end(), 1);
    const DeviceBuffer<int> memory(10);
    const std::span<const int> from(values);
    std::span<int> to(result);
    copy(memory, from);
    copy(to, memory);
    EXPECT_EQ(result, values);

    // A temporary subspan, and a span with a static extent.
    copy(std::span(result).subspan(0, 3), memory.span().subspan(7, 3));
    EXPECT_EQ(std::vector<int>(result.begin(), result.begin() + 3), (std::vector<int>{8, 9, 10}));
    std::array<int, 4> four{};
    copy(std::span<int, 4>(four), memory.span().subspan(0, 4));
    EXPECT_EQ(four, (std::array<int, 4>{1, 2, 3, 4}));

    const Stream stream;
    const HostBuffer<int> pinned(10);
    copy_async(std::span<int>(pinned.data(), pinned.size()), memory, stream);
    stream.synchronize();
    EXPECT_TRUE(std::equal(pinned.begin(), pinned.end(), values.begin()));
}

TEST_F(CppSpan, SizesAreCompared) {
    std::vector<int> values(10);
    const DeviceBuffer<int> memory(10);
    EXPECT_THROW(copy(std::span(values).subspan(1), memory), Error);
    EXPECT_THROW(copy(memory.span().subspan(1, 9), std::span<const int>(values)), Error);
    copy(std::span<int>(), memory.span().subspan(0, 0));
}

TEST_F(CppSpan, SpanConvertsToStdSpan) {
    std::vector<int> values(10, 3);
    Span<int> ours(values);
    const std::span<int> standard(ours.begin(), ours.end());
    EXPECT_EQ(standard.data(), values.data());
    EXPECT_EQ(standard.size(), 10u);
    HostBuffer<int> buffer(4);
    const std::span<int> pinned(buffer);
    EXPECT_EQ(pinned.data(), buffer.data());
    EXPECT_EQ(pinned.size(), buffer.size());
}

}  // namespace
