// Argument lists of kernels, placeholders, and the launches that take them.

#include <cstdint>
#include <cstring>
#include <vector>

#include "kernel/kernel_args_lists.h"
#include "support/acl_test.h"
#include "support/gate.h"
#include "support/kernel/kernel_args.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;

// ---- lists ----

TEST_F(KernelArgs, AListMayBeLaunchedRepeatedly) {
    WithEachList(mark_, [&](aclrtArgsHandle list) {
        const Stream stream;
        const ZeroWords words(kWords);
        const auto parameters = FillForMark(list, words.At(), 7);
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(Launch(mark_, list, stream));
        // A pending launch has a copy.
        uint32_t number = 100;
        ACL_OK(aclrtKernelArgsParaUpdate(list, parameters[1], &number, sizeof number));
        ACL_OK(Launch(mark_, list, stream));
        // Finishing the list again changes nothing.
        ACL_OK(aclrtKernelArgsFinalize(list));
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(words.Download<uint32_t>(), Marked(107));
    });
}

TEST_F(KernelArgs, AKernelWithoutParametersHasAnEmptyList) {
    const aclrtFuncHandle nothing = program_->Kernel("nothing");
    WithEachList(nothing, [&](aclrtArgsHandle list) {
        ACL_OK(aclrtKernelArgsFinalize(list));
        ACL_EXPECT_OK(Launch(nothing, list, nullptr, 100));
        ACL_EXPECT_OK(aclrtSynchronizeDevice());
    });
}

TEST_F(KernelArgs, PlaceholdersAreAddressesOfDataOnTheDevice) {
    WithEachList(add_pair_, [&](aclrtArgsHandle list) {
        const Stream stream;
        const ZeroWords words(3);
        const Pair first{1, 2}, second{30, 40};
        void* const buffer = FillForPair(list, words.At(), first);
        ASSERT_NE(buffer, nullptr);
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(Launch(add_pair_, list, stream, 3));
        // The next launch uses the data that the placeholder then contains.
        std::memcpy(buffer, &second, sizeof second);
        ACL_OK(Launch(add_pair_, list, stream, 2));
        std::memset(buffer, 0xff, sizeof second);
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(words.Download<uint32_t>(), (Words{73, 73, 3}));
    });
}

// A graph keeps the data at the time of the recorded launch, for all its runs.
TEST_F(KernelArgs, GraphsKeepTheDataOfPlaceholders) {
    const Stream stream;
    const ZeroWords words(3);
    aclmdlRI graph = nullptr;
    WithEachList(add_pair_, [&](aclrtArgsHandle list) {
        const Pair pair{1, 2};
        void* const buffer = FillForPair(list, words.At(), pair);
        ASSERT_NE(buffer, nullptr);
        ACL_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
        ACL_OK(Launch(add_pair_, list, stream, 3));
        std::memset(buffer, 0xff, sizeof pair);
        ACL_OK(aclmdlRICaptureEnd(stream, &graph));
        for (int run = 0; run < 2; ++run) ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclmdlRIDestroy(graph));
    });
    // Twice in each kind of memory.
    EXPECT_EQ(words.Download<uint32_t>(), (Words{12, 12, 12}));
}

TEST_F(KernelArgs, ManyListsAreKeptAndLaunchedOnesAreEvicted) {
    const ZeroWords words(kWords);
    std::vector<aclrtArgsHandle> waiting(4);
    for (auto& list : waiting) {
        ACL_OK(aclrtKernelArgsInit(mark_, &list));
        FillForMark(list, words.At(), 1);
    }
    aclrtArgsHandle launched = nullptr;
    for (int i = 0; i < 3000; ++i) {
        aclrtArgsHandle list = nullptr;
        ACL_OK(aclrtKernelArgsInit(mark_, &list));
        FillForMark(list, words.At(), 0);
        ACL_OK(Launch(mark_, list, nullptr));
        if (i == 0) launched = list;
    }
    // That list was launched long ago; the others were never launched.
    ACL_FAILS_SAYING(kDead, aclrtKernelArgsFinalize(launched), "argsHandle", "destroyed");
    for (const auto list : waiting) ACL_EXPECT_OK(Launch(mark_, list, nullptr));
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(words.Download<uint32_t>(), Marked(4));
}

TEST_F(KernelArgs, ListsEndWithTheirProgramAndDevice) {
    aclrtArgsHandle own = nullptr;
    ACL_OK(aclrtKernelArgsInit(mark_, &own));
    CallersMemory memory(mark_, 64);
    ACL_OK(aclrtKernelArgsInitByUserMem(mark_, memory.List(), memory.Room(), memory.RoomSize()));
    ACL_OK(aclrtBinaryUnLoad(program_->Release()));
    uint32_t value = 1;
    auto parameter = Poison<aclrtParamHandle>();
    ACL_FAILS_SAYING(kDead, aclrtKernelArgsAppend(own, &value, 4, &parameter), "argsHandle", "destroyed");
    ACL_FAILS_SAYING(kDead, aclrtKernelArgsAppend(memory.List(), &value, 4, &parameter), "argsHandle",
                     "which was unloaded");
    ACL_FAILS_SAYING(kDead, aclrtKernelArgsFinalize(memory.List()), "which was unloaded");
    EXPECT_TRUE(IsPoison(parameter));
    program_.emplace();
    ACL_OK(aclrtKernelArgsInit(program_->Kernel("mark"), &own));
    program_->Release();
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(kDead, aclrtKernelArgsFinalize(own));
}

TEST_F(KernelArgs, ListsAreFilledOnAnyThread) {
    aclrtArgsHandle list = nullptr;
    const ZeroWords words(kWords);
    OnNewThread([&] {
        ACL_EXPECT_OK(aclrtKernelArgsInit(mark_, &list));
        FillForMark(list, words.At(), 2);
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, Launch(mark_, list, nullptr));
    });
    ACL_OK(Launch(mark_, list, nullptr));
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(words.Download<uint32_t>(), Marked(2));
}

}  // namespace
