// portacl.hpp: binaries, and kernels with typed arguments.

#include <portacl/portacl.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cpp/with_device.h"
#include "support/kernel/kernels.h"
#include "support/skips.h"

using portacl::Binary;
using portacl::DeviceBuffer;
using portacl::Grid;
using portacl::Kernel;
using portacl_test::ExpectError;
using portacl_test::kMoveOnly;
using portacl_test::ProgramPath;

namespace {

static_assert(kMoveOnly<Binary>);
static_assert(std::is_trivially_copyable_v<Kernel<void(int*)>>);

using CppBinary = portacl_test::CppDevice;
using Mark = void(uint32_t*, uint32_t);
using Words = std::vector<uint32_t>;

Words Contents(const DeviceBuffer<uint32_t>& words) {
    Words values(words.size());
    portacl::copy(values, words);
    return values;
}

TEST_F(CppBinary, LaunchesWithTypedArguments) {
    const Binary binary = Binary::from_file(ProgramPath());
    const Kernel<Mark> mark = binary.kernel<Mark>("mark");
    const portacl::Stream stream;
    const DeviceBuffer<uint32_t> words(24);
    portacl::fill_async(words, 100, stream);
    // A block for each word, with one thread.
    mark.launch(stream, Grid{{24}, {1}}, words, 1);
    // Spans and pointers, and numbers of other types.
    mark.launch(stream, {{2, 2}, {3}}, words.span().subspan(12, 12), std::int64_t{10});
    mark.launch(stream, {{1, 1, 1}, {2, 1, 1}, 0}, words.data() + 22, static_cast<unsigned char>(20));
    const auto step = binary.kernel<void(uint32_t*)>("add_step");
    step.launch(stream, Grid{{1}, {1}}, words);
    binary.kernel<void()>("nothing").launch(stream, 3);
    stream.synchronize();
    Words wanted(24, 101);
    for (std::size_t i = 12; i < 24; ++i) wanted[i] += 10;
    wanted[22] += 20;
    wanted[23] += 20;
    wanted[0] += 5;
    EXPECT_EQ(Contents(words), wanted);

    // The device chooses the threads of a block: on CPUs one.
    struct Operand {
        uint32_t a, b;
    };
    const DeviceBuffer<Operand> pair(1);
    const std::vector<Operand> values{{3, 4}};
    portacl::copy(pair, values);
    portacl::fill(words, 0);
    binary.kernel<void(uint32_t*, const Operand*)>("add_pair").launch(nullptr, 2, words, pair);
    portacl::StreamRef().synchronize();
    EXPECT_EQ(Contents(words)[1], 7u);
    EXPECT_EQ(Contents(words)[2], 0u);
}

TEST_F(CppBinary, KernelsByNumberAndGlobalVariables) {
    const std::vector<char> bytes = portacl_test::Read(ProgramPath());
    const Binary binary = Binary::from_data(bytes);
    EXPECT_EQ(binary.kernel<Mark>(7).get(), binary.kernel<Mark>("mark").get());

    const portacl::DeviceSpan<uint32_t> step = binary.global<uint32_t>("kernel_step");
    ASSERT_EQ(step.size(), 1u);
    const Words next{9};
    portacl::copy(step, next);
    const DeviceBuffer<uint32_t> words(1);
    portacl::fill(words, 1);
    binary.kernel<void(uint32_t*)>("add_step").launch(nullptr, Grid{{1}, {1}}, words);
    portacl::StreamRef().synchronize();
    EXPECT_EQ(Contents(words), Words{10});

    EXPECT_EQ(binary.global<char>("kernel_table").size(), 64u);
    EXPECT_EQ(binary.global<uint64_t>("kernel_table").size(), 8u);
    struct Odd {
        char bytes[7];
    };
    ExpectError(ACL_ERROR_INVALID_PARAM, [&] { (void)binary.global<Odd>("kernel_table"); },
                {"portacl::Binary::global: sizeof(T) is 7; allowed: a divisor of the size of kernel_table, 64."});
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { (void)binary.global<int>("no_variable"); }, {"no_variable"});
}

// Found when the kernel is found, with a text that names the difference, and not when it runs.
TEST_F(CppBinary, AWrongSignatureIsRefused) {
    const Binary binary = Binary::from_file(ProgramPath());
    ExpectError(ACL_ERROR_INVALID_PARAM, [&] { (void)binary.kernel<void(uint32_t*)>("mark"); },
                {"portacl::Kernel: the number of parameters of Signature is 1; allowed: 2, as in the kernel mark."});
    ExpectError(ACL_ERROR_INVALID_PARAM, [&] { (void)binary.kernel<void(uint32_t*, uint64_t)>("mark"); },
                {"the size of parameter 1 of Signature is 8; allowed: 4, as in the kernel mark."});
    ExpectError(ACL_ERROR_INVALID_PARAM, [&] { (void)binary.kernel<void(uint32_t*)>(7); }, {"kernel mark"});
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { (void)binary.kernel<void()>("no_kernel"); }, {"no_kernel"});
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

// A binary that says nothing about parameters: the kernel is taken as it is, and no text stays. Guard mode refuses it,
// and the binary for CUDA has none.
TEST_F(CppBinary, AKernelWithoutADescription) {
    const Binary binary = Binary::from_file(ProgramPath());
    const bool is_guarded = std::string(portacl_test::Setting("PORTACL_CPU_GUARD", "0")) == "1";
    if (portacl_test::OnCpu() && !is_guarded) {
        (void)binary.kernel<void(uint32_t*, uint32_t)>("plain_mark");
    } else {
        EXPECT_THROW((void)binary.kernel<Mark>("plain_mark"), portacl::Error);
    }
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(CppBinary, ErrorsNameTheLineOfTheCall) {
    const Binary binary = Binary::from_file(ProgramPath());
    const auto nothing = binary.kernel<void()>("nothing");
    const portacl::Stream stream;
    int line = 0;
    try {
        line = __LINE__ + 1;
        nothing.launch(stream, 0);
        ADD_FAILURE() << "no exception";
    } catch (const portacl::Error& error) {
        EXPECT_EQ(error.line(), line);
        EXPECT_NE(error.text().find("aclrtLaunchKernelWithArgsArray"), std::string::npos) << error.text();
    }
    ExpectError(ACL_ERROR_INVALID_PARAM,
                [&] {
                    nothing.launch(stream, Grid{{0}, {1}});
                },
                {"aclrtLaunchSIMTKernelWithArgsArray"});
    ExpectError(ACL_ERROR_INVALID_FILE, [] { (void)Binary::from_file("/no/such/file"); }, {"/no/such/file"});
    const std::vector<char> damaged(100, 'x');
    EXPECT_THROW((void)Binary::from_data(damaged), portacl::Error);
}

TEST_F(CppBinary, MovesReleasesAndUnloads) {
    Binary first = Binary::from_file(ProgramPath());
    const aclrtBinHandle handle = first.get();
    Binary second(std::move(first));
    EXPECT_FALSE(first);
    const auto nothing = second.kernel<void()>("nothing");
    {
        const Binary adopted = Binary::adopt(second.release());
        EXPECT_EQ(adopted.get(), handle);
        nothing.launch(nullptr, 1);
    }
    // The pending launch keeps what it needs; a new one is refused.
    portacl::StreamRef().synchronize();
    ExpectError(ACL_ERROR_RT_PARAM_INVALID, [&] { nothing.launch(nullptr, 1); }, {});
    EXPECT_THROW((void)second.kernel<void()>("nothing"), portacl::Error);
}

}  // namespace
