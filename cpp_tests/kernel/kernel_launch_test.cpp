// Launches of kernels.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/pool/shared_pool.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using portacl_test::Capture;
using portacl_test::DeviceMemory;
using portacl_test::Gate;
using portacl_test::Graph;
using portacl_test::IsPoison;
using portacl_test::Mark;
using portacl_test::OnCpu;
using portacl_test::Poison;
using portacl_test::Program;
using portacl_test::SharedPool;
using portacl_test::Shown;
using portacl_test::Stream;
using portacl_test::ZeroWords;
using Words = std::vector<uint32_t>;

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kUnsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;

bool IsGuarded() {
    const char* guard = std::getenv("PORTACL_CPU_GUARD");
    return guard != nullptr && std::string(guard) == "1";
}

using KernelLaunch = portacl_test::WithDevice;

// ---- launches ----

TEST_F(KernelLaunch, EachThreadOfEachBlockRunsOnce) {
    const Program program;
    const Stream stream;
    const aclrtFuncHandle mark = program.Kernel("mark");
    struct LaunchShape {
        dim3 grid, block;
    };
    for (const LaunchShape& c :
         {LaunchShape{{1, 1, 1}, {1, 1, 1}}, LaunchShape{{7, 1, 1}, {1, 1, 1}}, LaunchShape{{1, 1, 1}, {256, 1, 1}},
          LaunchShape{{5, 3, 2}, {4, 2, 3}}, LaunchShape{{1000, 2, 3}, {1, 8, 1}}}) {
        const size_t count = size_t{c.grid.x} * c.grid.y * c.grid.z * c.block.x * c.block.y * c.block.z;
        const ZeroWords words(count);
        void* address = words.At();
        uint32_t number = 3;
        void* arguments[] = {&address, &number};
        ACL_OK(aclrtLaunchSIMTKernelWithArgsArray(mark, c.grid, c.block, 0, stream, nullptr, arguments));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(words.Download<uint32_t>(), Words(count, 3)) << count;
    }
}

// The process imports its own memory, so no second process is needed.
TEST_F(KernelLaunch, MemoryOfAnotherProcess) {
    const Program program;
    const Stream stream;
    const SharedPool pool, imported = SharedPool::Import(pool.Export());
    constexpr uint32_t kCount = 100;
    void* const own = pool.Malloc(kCount * sizeof(uint32_t));
    ACL_OK(aclrtMemset(own, kCount * sizeof(uint32_t), 0, kCount * sizeof(uint32_t)));
    void* address = portacl_test::ImportPointer(imported, portacl_test::ExportPointer(own));
    uint32_t number = 3;
    void* arguments[] = {&address, &number};
    ACL_OK(aclrtLaunchSIMTKernelWithArgsArray(program.Kernel("mark"), {kCount, 1, 1}, {1, 1, 1}, 0, stream, nullptr,
                                              arguments));
    ACL_OK(aclrtSynchronizeStream(stream));
    portacl_test::FreeAndWait(address);
    Words words(kCount);
    ACL_OK(aclrtMemcpy(words.data(), kCount * sizeof(uint32_t), own, kCount * sizeof(uint32_t),
                       ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(words, Words(kCount, 3));
    portacl_test::FreeAndWait(own);
}

// The device chooses the number of threads per block: the kernel declares 256.
TEST_F(KernelLaunch, ABlockCountAloneLaunchesWithTheDevicesThreads) {
    const Program program;
    const Stream stream;
    constexpr uint32_t kBlocks = 9;
    const size_t count = OnCpu() ? kBlocks : kBlocks * 256;
    const ZeroWords words(count);
    void* address = words.At();
    uint32_t number = 5;
    void* arguments[] = {&address, &number};
    const aclrtFuncHandle mark = program.Kernel("mark");
    ACL_OK(aclrtLaunchKernelWithArgsArray(mark, kBlocks, stream, nullptr, arguments));
    struct {
        void* words;
        uint32_t number;
    } block{address, 6};
    ACL_OK(aclrtLaunchKernel(mark, kBlocks, &block, sizeof block, stream));
    ACL_OK(aclrtLaunchKernel(mark, kBlocks, &block, sizeof address + sizeof number, stream));
    ACL_OK(aclrtLaunchKernelV2(mark, kBlocks, &block, sizeof block, nullptr, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(count, 5 + 3 * 6));
}

TEST_F(KernelLaunch, AKernelWithoutParametersNeedsNoArguments) {
    const Program program;
    const Stream stream;
    const aclrtFuncHandle nothing = program.Kernel("nothing");
    ACL_EXPECT_OK(aclrtLaunchKernel(nothing, 1, nullptr, 0, stream));
    ACL_EXPECT_OK(aclrtLaunchKernelWithArgsArray(nothing, 1, stream, nullptr, nullptr));
    ACL_EXPECT_OK(aclrtLaunchKernelWithArgsArray(nothing, 1, nullptr, nullptr, nullptr));
    ACL_EXPECT_OK(aclrtSynchronizeDevice());
}

TEST_F(KernelLaunch, ArgumentsAreCopiedAtTheCall) {
    const Program program;
    const Stream stream;
    const aclrtFuncHandle mark = program.Kernel("mark");
    const ZeroWords words(4);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    {
        void* address = words.At();
        uint32_t number = 7;
        void* arguments[] = {&address, &number};
        ACL_OK(aclrtLaunchSIMTKernelWithArgsArray(mark, {4, 1, 1}, {1, 1, 1}, 0, stream, nullptr, arguments));
        struct {
            void* words;
            uint32_t number;
        } block{address, 100};
        if (OnCpu()) {
            ACL_OK(aclrtLaunchKernel(mark, 4, &block, sizeof block, stream));
        }
        // The caller may reuse all of it.
        address = nullptr;
        number = 1000;
        arguments[0] = arguments[1] = nullptr;
        block = {nullptr, 1000};
    }
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, OnCpu() ? 107 : 7));
}

TEST_F(KernelLaunch, LaunchesKeepTheOrderOfTheirStreamAndOfEvents) {
    const Program program;
    const Stream first, second;
    const aclrtFuncHandle mark = program.Kernel("mark");
    constexpr uint32_t kCount = 1000;
    const ZeroWords words(kCount);
    Words host(kCount, 99);
    portacl_test::Event done;
    Gate gate;
    ACL_OK(gate.Hold(first));
    ACL_OK(aclrtMemsetAsync(words.At(), words.Size(), 0, words.Size(), first));
    ACL_OK(Mark(mark, words.At(), 1, kCount, first));
    ACL_OK(aclrtRecordEvent(done, first));
    ACL_OK(aclrtStreamWaitEvent(second, done));
    ACL_OK(Mark(mark, words.At(), 2, kCount, second));
    for (int i = 0; i < 50; ++i) ACL_OK(Mark(mark, words.At(), 10, kCount, second));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(second));
    EXPECT_EQ(words.Download<uint32_t>(), Words(kCount, 503));
}

// Blocks are run by the thread that waits for the launch, by a worker that still spins after the
// previous launch, or by one that was woken.
TEST_F(KernelLaunch, LaunchesRightAfterEachOtherRunEachBlockOnce) {
    const Program program;
    const Stream streams[2];
    const aclrtFuncHandle mark = program.Kernel("mark");
    constexpr uint32_t kCount = 2000, kLaunches = 200;
    const ZeroWords words[2] = {ZeroWords(kCount), ZeroWords(kCount)};
    for (uint32_t i = 0; i < kLaunches; ++i) {
        for (int each : {0, 1}) ACL_OK(Mark(mark, words[each].At(), 1, kCount, streams[each]));
        if (i % 3 == 0) {
            ACL_OK(aclrtSynchronizeStream(streams[i % 2]));
        }
    }
    for (int each : {0, 1}) {
        ACL_OK(aclrtSynchronizeStream(streams[each]));
        EXPECT_EQ(words[each].Download<uint32_t>(), Words(kCount, kLaunches)) << each;
    }
}

// Only the kernel uses it: allocations meanwhile return other memory.
TEST_F(KernelLaunch, FreedMemoryIsKeptForPendingLaunches) {
    const Program program;
    const Stream stream;
    const aclrtFuncHandle mark = program.Kernel("mark");
    constexpr uint32_t kCount = 64 << 10;
    ZeroWords words(kCount);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(Mark(mark, words.At(), 11, kCount, stream));
    ACL_OK(aclrtFree(words.Release()));
    const ZeroWords first(kCount), second(kCount);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(first.Download<uint32_t>(), Words(kCount, 0));
    EXPECT_EQ(second.Download<uint32_t>(), Words(kCount, 0));
}

TEST_F(KernelLaunch, APendingLaunchOutlivesItsProgram) {
    const Stream stream;
    const ZeroWords words(8);
    Program program;
    const aclrtFuncHandle mark = program.Kernel("mark");
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(Mark(mark, words.At(), 4, 8, stream));
    const aclrtBinHandle handle = program.Release();
    ACL_OK(aclrtBinaryUnLoad(handle));
    ACL_FAILS_SAYING(kDead, aclrtLaunchKernel(mark, 1, nullptr, 0, stream), "funcHandle", Shown(mark), "destroyed");
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(8, 4));
}

TEST_F(KernelLaunch, ManyThreadsLoadAndLaunchAtOnce) {
    const Program shared;
    const aclrtFuncHandle common = shared.Kernel("mark");
    portacl_test::OnThreads(4, [&](int) {
        ACL_OK(aclrtSetDevice(0));
        for (int round = 0; round < 5; ++round) {
            const Stream stream;
            const Program program;
            const ZeroWords words(100);
            ACL_EXPECT_OK(Mark(program.Kernel("mark"), words.At(), 1, 100, stream));
            ACL_EXPECT_OK(Mark(common, words.At(), 2, 100, stream));
            ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
            EXPECT_EQ(words.Download<uint32_t>(), Words(100, 3));
        }
        ACL_EXPECT_OK(aclrtResetDevice(0));
    });
}

// ---- bad launches ----

// A driver keeps the limit per kernel: a launch with less must not reduce the limit of others.
TEST_F(KernelLaunch, SharedMemoryOfGraphsAndLaunchesDiffers) {
    const Program program;
    const Stream stream, other;
    const aclrtFuncHandle nothing = program.Kernel("nothing");
    const auto launch = [&](uint32_t bytes, aclrtStream on) {
        return aclrtLaunchSIMTKernelWithArgsArray(nothing, {1, 1, 1}, {1, 1, 1}, bytes, on, nullptr, nullptr);
    };
    const Graph graph = Capture(stream, [&] {
        ACL_OK(launch(64 << 10, stream));
        ACL_OK(launch(50 << 10, stream));
    });
    ACL_OK(launch(50 << 10, other));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(launch(64 << 10, other));
    ACL_OK(aclrtSynchronizeStream(other));
    ACL_OK(aclrtSynchronizeStream(stream));
}

// ---- kernels in C++: on the cpu backend only ----

TEST_F(KernelLaunch, SharedMemoryIsPrivateToEachBlock) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: the kernel is written in C++";
    const Program program;
    const Stream stream;
    constexpr uint32_t kBlocks = 200;
    const ZeroWords words(kBlocks);
    void* address = words.At();
    void* arguments[] = {&address};
    ACL_OK(aclrtLaunchSIMTKernelWithArgsArray(program.Kernel("shared_sum"), {kBlocks, 1, 1}, {1, 1, 1}, 1000, stream,
                                              nullptr, arguments));
    ACL_OK(aclrtSynchronizeStream(stream));
    Words expected;
    for (uint32_t i = 0; i < kBlocks; ++i) expected.push_back((i + 1) * 1000);
    EXPECT_EQ(words.Download<uint32_t>(), expected);
}

TEST_F(KernelLaunch, ParametersOfEverySizeArrive) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: the kernel is written in C++";
    const Program program;
    const Stream stream;
    const DeviceMemory result(sizeof(double));
    struct Small {
        uint8_t byte;
        double number;
    };
    uint8_t a = 1;
    void* out = result.At();
    Small small{20, 300.5};
    uint16_t b = 4000;
    void* arguments[] = {&a, &out, &small, &b};
    ACL_OK(aclrtLaunchKernelWithArgsArray(program.Kernel("mixed"), 1, stream, nullptr, arguments));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(result.Download<double>(), std::vector<double>{4321.5});
    struct {
        uint8_t a;
        double* out;
        Small small;
        uint16_t b;
    } block{2, static_cast<double*>(out), small, b};
    ACL_OK(aclrtLaunchKernel(program.Kernel("mixed"), 1, &block, sizeof block, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(result.Download<double>(), std::vector<double>{4322.5});
}

TEST_F(KernelLaunch, AKernelWithoutADescriptionTakesOneBlockOfArguments) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: the kernel is written in C++";
    const Program program;
    auto function = Poison<aclrtFuncHandle>();
    if (IsGuarded()) {
        ACL_FAILS_SAYING(kUnsupported, aclrtBinaryGetFunction(program, "plain_mark", &function), "PORTACL_CPU_GUARD",
                         "PORTACL_KERNEL");
        EXPECT_TRUE(IsPoison(function));
        return;
    }
    ACL_OK(aclrtBinaryGetFunction(program, "plain_mark", &function));
    const Stream stream;
    const ZeroWords words(5);
    struct {
        void* words;
        uint32_t number;
    } block{words.At(), 9};
    ACL_OK(aclrtLaunchKernel(function, 5, &block, sizeof block, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(5, 9));
    void* arguments[] = {&block.words, &block.number};
    ACL_FAILS_SAYING(kUnsupported, aclrtLaunchKernelWithArgsArray(function, 5, stream, nullptr, arguments),
                     "plain_mark_portacl_kernel", "aclrtLaunchKernel");
}

TEST_F(KernelLaunch, AKernelCannotCallTheLibrary) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: the kernel is written in C++";
    const Program program;
    const Stream stream;
    const DeviceMemory result(Words{0});
    void* address = result.At();
    void* arguments[] = {&address};
    ACL_OK(aclrtLaunchKernelWithArgsArray(program.Kernel("calls_library"), 1, stream, nullptr, arguments));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(result.Download<uint32_t>(), Words(1, static_cast<uint32_t>(kDead)));
}

}  // namespace
