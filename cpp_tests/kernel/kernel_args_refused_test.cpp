// Argument lists that are filled or launched wrongly.

#include <cstdint>
#include <cstring>
#include <string>

#include "kernel/kernel_args_lists.h"
#include "support/acl_test.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"

namespace {

using namespace portacl_test;

// ---- filling a list wrongly ----

TEST_F(KernelArgs, WrongArgumentsAreRefused) {
    WithEachList(mark_, [&](aclrtArgsHandle list) {
        uint64_t value = 1;
        auto parameter = Poison<aclrtParamHandle>();
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsAppend(list, nullptr, 8, &parameter), "param");
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsAppend(list, &value, 0, &parameter), "paramSize is 0");
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsAppend(list, &value, SIZE_MAX, &parameter), "paramSize");
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsAppend(list, &value, 8, nullptr), "paramHandle");
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsAppendPlaceHolder(list, nullptr), "paramHandle");
        ACL_FAILS_SAYING(kDead, aclrtLaunchKernelWithConfig(mark_, 1, nullptr, nullptr, list, nullptr),
                         "aclrtKernelArgsFinalize");
        if (knows_parameters_) {
            ACL_FAILS_SAYING(kDead, aclrtKernelArgsAppend(list, &value, 4, &parameter), "paramSize is 4", "parameter 0",
                             "8 bytes");
            ACL_FAILS_SAYING(kDead, aclrtKernelArgsFinalize(list), "0 arguments", "2 parameters");
        }
        aclrtParamHandle first = nullptr;
        ACL_OK(aclrtKernelArgsAppend(list, &value, 8, &first));
        if (knows_parameters_) {
            ACL_FAILS_SAYING(kDead, aclrtKernelArgsAppendPlaceHolder(list, &parameter), "placeholder", "parameter 1",
                             "4 bytes");
            aclrtParamHandle second = nullptr;
            ACL_OK(aclrtKernelArgsAppend(list, &value, 4, &second));
            ACL_FAILS_SAYING(kDead, aclrtKernelArgsAppend(list, &value, 8, &parameter), "2 parameters");
        }
        ACL_OK(aclrtKernelArgsFinalize(list));
        ACL_FAILS_SAYING(kDead, aclrtKernelArgsAppend(list, &value, 8, &parameter), "finalized");
        ACL_FAILS_SAYING(kDead, aclrtKernelArgsAppendPlaceHolder(list, &parameter), "finalized");

        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsParaUpdate(list, nullptr, &value, 8), "paramHandle is null");
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsParaUpdate(list, first, nullptr, 8), "param");
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsParaUpdate(list, first, &value, 0), "paramSize is 0");
        ACL_FAILS_SAYING(kDead, aclrtKernelArgsParaUpdate(list, first, &value, 4), "paramSize is 4", "8 bytes");
        ACL_FAILS_SAYING(kDead, aclrtKernelArgsParaUpdate(list, &value, &value, 8), "not an argument", Shown(&value));
        void* buffer = Poison<void*>();
        ACL_FAILS_SAYING(kDead, aclrtKernelArgsGetPlaceHolderBuffer(list, first, 8, &buffer), "not a placeholder");
        ACL_FAILS_SAYING(kDead, aclrtKernelArgsGetPlaceHolderBuffer(list, &value, 8, &buffer), "not an argument");
        EXPECT_TRUE(IsPoison(parameter) && IsPoison(buffer));
    });
}

TEST_F(KernelArgs, WrongPlaceholdersAreRefused) {
    WithEachList(add_pair_, [&](aclrtArgsHandle list) {
        uint64_t value = 1;
        aclrtParamHandle first = nullptr, place = nullptr;
        ACL_OK(aclrtKernelArgsAppend(list, &value, 8, &first));
        ACL_OK(aclrtKernelArgsAppendPlaceHolder(list, &place));
        ACL_FAILS_SAYING(kDead, aclrtKernelArgsFinalize(list), "argument 1", "without data");
        void* buffer = Poison<void*>();
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsGetPlaceHolderBuffer(list, place, 0, &buffer), "dataSize is 0");
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsGetPlaceHolderBuffer(list, nullptr, 8, &buffer),
                         "paramHandle is null");
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsGetPlaceHolderBuffer(list, place, 8, nullptr), "bufferAddr");
        EXPECT_NE(ACL_SUCCESS, aclrtKernelArgsGetPlaceHolderBuffer(list, place, SIZE_MAX / 2, &buffer));
        EXPECT_TRUE(IsPoison(buffer));
        void* good = nullptr;
        ACL_OK(aclrtKernelArgsGetPlaceHolderBuffer(list, place, 8, &good));
        ACL_FAILS_SAYING(kDead, aclrtKernelArgsGetPlaceHolderBuffer(list, place, 16, &buffer), "dataSize is 16",
                         "8 bytes already");
        ACL_FAILS_SAYING(kDead, aclrtKernelArgsParaUpdate(list, place, &value, 8), "placeholder", "buffer");
        EXPECT_TRUE(IsPoison(buffer));
    });
}

TEST_F(KernelArgs, WritesStayInsideTheCallersMemory) {
    CallersMemory memory(add_pair_, 16 + 100);
    // The size as the query returns it, plus the data of a placeholder.
    aclrtParamHandle first = nullptr, place = nullptr;
    uint64_t value = 1;
    ACL_OK(aclrtKernelArgsInitByUserMem(add_pair_, memory.List(), memory.Room(), memory.RoomSize()));
    ACL_OK(aclrtKernelArgsAppend(memory.List(), &value, 8, &first));
    ACL_OK(aclrtKernelArgsAppendPlaceHolder(memory.List(), &place));
    void* buffer = nullptr;
    ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsGetPlaceHolderBuffer(memory.List(), place, memory.RoomSize(), &buffer),
                     "dataSize", "are left");
    ACL_OK(aclrtKernelArgsGetPlaceHolderBuffer(memory.List(), place, 100, &buffer));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer) % 64, 0u);
    EXPECT_TRUE(buffer >= memory.Room() &&
                static_cast<char*>(buffer) + 100 <= static_cast<char*>(memory.Room()) + memory.RoomSize());
    std::memset(buffer, 0xff, 100);
    ACL_OK(aclrtKernelArgsFinalize(memory.List()));

    ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsInitByUserMem(add_pair_, nullptr, memory.Room(), 64), "argsHandle");
    ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsInitByUserMem(add_pair_, memory.List(), nullptr, 64), "userHostMem");
    ACL_FAILS_SAYING(kInvalid,
                     aclrtKernelArgsInitByUserMem(add_pair_, static_cast<char*>(memory.List()) + 1, memory.Room(), 64),
                     "multiple of 8");
    ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsInitByUserMem(add_pair_, memory.List(), memory.Room(), SIZE_MAX),
                     "actualArgsSize");
    if (knows_parameters_) {
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsInitByUserMem(add_pair_, memory.List(), memory.Room(), 15),
                         "actualArgsSize is 15", "16 bytes");
    } else {
        ACL_OK(aclrtKernelArgsInitByUserMem(add_pair_, memory.List(), memory.Room(), 15));
        ACL_OK(aclrtKernelArgsAppend(memory.List(), &value, 8, &first));
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsAppend(memory.List(), &value, 8, &first),
                         "argument 1 (counted from 0) needs 8 bytes, but argsHandle holds at most");
    }
}

TEST_F(KernelArgs, ABufferTakesTheBytesThatTheTextAllows) {
    for (const size_t offset : {0, 8, 40}) {
        CallersMemory memory(add_pair_, 16 + 100 + offset);
        char* const begin = static_cast<char*>(memory.Room()) + offset;
        const size_t size = memory.RoomSize() - offset;
        aclrtParamHandle first = nullptr, place = nullptr;
        uint64_t value = 1;
        ACL_OK(aclrtKernelArgsInitByUserMem(add_pair_, memory.List(), begin, size));
        ACL_OK(aclrtKernelArgsAppend(memory.List(), &value, 8, &first));
        ACL_OK(aclrtKernelArgsAppendPlaceHolder(memory.List(), &place));
        // The data are aligned to 64 bytes, after two arguments of 8 bytes.
        const auto data = (reinterpret_cast<uintptr_t>(begin) + 16 + 63) / 64 * 64;
        const size_t most = size - (data - reinterpret_cast<uintptr_t>(begin));
        void* buffer = nullptr;
        ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsGetPlaceHolderBuffer(memory.List(), place, most + 1, &buffer),
                         "allowed: at most " + std::to_string(most) + ",");
        ACL_OK(aclrtKernelArgsGetPlaceHolderBuffer(memory.List(), place, most, &buffer));
        EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer), data);
    }
}

TEST_F(KernelArgs, SizesOfTheCallersMemoryAreReturned) {
    auto size = Poison<size_t>();
    ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsGetHandleMemSize(mark_, nullptr), "memSize");
    ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsGetMemSize(mark_, 8, nullptr), "actualArgsSize");
    ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsGetMemSize(mark_, SIZE_MAX, &size), "userArgsSize");
    ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsGetMemSize(mark_, SIZE_MAX / 2, &size), "userArgsSize");
    EXPECT_TRUE(IsPoison(size));
    ACL_OK(aclrtKernelArgsGetMemSize(mark_, 0, &size));
}

TEST_F(KernelArgs, WrongHandlesAreRefused) {
    alignas(8) char garbage[64] = {};
    const auto functions = [&](aclError code, void* function, const char* word) {
        auto size = Poison<size_t>();
        auto list = Poison<aclrtArgsHandle>();
        char memory[16];
        ACL_FAILS_SAYING(code, aclrtKernelArgsInit(function, &list), word);
        ACL_FAILS_SAYING(code, aclrtKernelArgsInitByUserMem(function, garbage, memory, 16), word);
        ACL_FAILS_SAYING(code, aclrtKernelArgsGetHandleMemSize(function, &size), word);
        ACL_FAILS_SAYING(code, aclrtKernelArgsGetMemSize(function, 8, &size), word);
        EXPECT_TRUE(IsPoison(size) && IsPoison(list));
    };
    functions(kInvalid, nullptr, "funcHandle");
    functions(kDead, garbage, "funcHandle");
    functions(kDead, *program_, "kind binary");
    ACL_FAILS_SAYING(kInvalid, aclrtKernelArgsInit(mark_, nullptr), "argsHandle");

    const auto lists = [&](aclError code, void* list, const char* word) {
        uint32_t value = 1;
        auto parameter = Poison<aclrtParamHandle>();
        ACL_FAILS_SAYING(code, aclrtKernelArgsAppend(list, &value, 4, &parameter), "argsHandle", word);
        ACL_FAILS_SAYING(code, aclrtKernelArgsAppendPlaceHolder(list, &parameter), word);
        ACL_FAILS_SAYING(code, aclrtKernelArgsGetPlaceHolderBuffer(list, &value, 4, &parameter), word);
        ACL_FAILS_SAYING(code, aclrtKernelArgsParaUpdate(list, &value, &value, 4), word);
        ACL_FAILS_SAYING(code, aclrtKernelArgsFinalize(list), word);
        ACL_FAILS_SAYING(code, aclrtLaunchKernelWithConfig(mark_, 1, nullptr, nullptr, list, nullptr), word);
        EXPECT_TRUE(IsPoison(parameter));
    };
    lists(kInvalid, nullptr, "is null");
    lists(kDead, garbage, "not a list");
    lists(kDead, garbage + 1, "not a list");
    lists(kDead, mark_, "kind kernel");
    // A copy of a list at another address is not a list.
    CallersMemory memory(mark_, 64);
    ACL_OK(aclrtKernelArgsInitByUserMem(mark_, memory.List(), memory.Room(), memory.RoomSize()));
    std::memcpy(garbage, memory.List(), sizeof garbage);
    lists(kDead, garbage, "not a list");
}

// ---- launches of lists ----

TEST_F(KernelArgs, WrongLaunchesOfListsAreRefused) {
    const Stream stream;
    const ZeroWords words(kWords);
    aclrtArgsHandle list = nullptr;
    ACL_OK(aclrtKernelArgsInit(mark_, &list));
    FillForMark(list, words.At(), 1);
    int garbage = 0;
    const auto launch = [&](void* function, uint32_t blocks, aclrtStream on, void* reserve) {
        return aclrtLaunchKernelWithConfig(function, blocks, on, nullptr, list, reserve);
    };
    const auto saying = [](aclError code, aclError got, std::initializer_list<std::string> words) {
        EXPECT_TRUE(FailedSaying("aclrtLaunchKernelWithConfig", got, code, words));
    };
    saying(kInvalid, launch(nullptr, 1, stream, nullptr), {"funcHandle"});
    saying(kDead, launch(&garbage, 1, stream, nullptr), {"funcHandle"});
    saying(kInvalid, launch(mark_, 0, stream, nullptr), {"numBlocks is 0"});
    saying(kInvalid, launch(mark_, UINT32_MAX, stream, nullptr), {"numBlocks", "2147483647"});
    saying(kDead, launch(mark_, 1, &garbage, nullptr), {"stream"});
    saying(kInvalid, launch(mark_, 1, stream, &garbage), {"reserve", "null"});
    saying(kDead, launch(add_pair_, 1, stream, nullptr), {"list for kernel", Shown(mark_)});
    aclrtLaunchKernelAttr attribute{};
    attribute.id = ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP;
    attribute.value.isDataDump = 1;
    aclrtLaunchKernelCfg config{&attribute, 1};
    saying(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtLaunchKernelWithConfig(mark_, 1, stream, &config, list, nullptr),
           {"DATA_DUMP"});
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(kWords, 0));
}

}  // namespace
