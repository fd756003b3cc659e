// Kernel arguments in host memory, with data that is copied with them.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/kernel/kernel_args.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"

namespace {

using namespace portacl_test;

using KernelHostArgs = WithKernels;
using Words = std::vector<uint32_t>;

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

// The arguments of add_pair, followed by data at different offsets.
struct PackedArgs {
    void* words;
    const Pair* pair;
    char gap[48];
    Pair first;
    Pair second;
};

TEST_F(KernelHostArgs, HostArgumentsIncludeTheirData) {
    const Stream stream;
    const ZeroWords words(4);
    PackedArgs block{words.At(), nullptr, {}, {1, 2}, {10, 20}};
    aclrtPlaceHolderInfo first{offsetof(PackedArgs, pair), offsetof(PackedArgs, first)};
    aclrtPlaceHolderInfo second{offsetof(PackedArgs, pair), offsetof(PackedArgs, second)};
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtLaunchKernelWithHostArgs(add_pair_, 4, stream, nullptr, &block, sizeof block, &first, 1));
    ACL_OK(aclrtLaunchKernelWithHostArgs(add_pair_, 2, stream, nullptr, &block, sizeof block, &second, 1));
    ACL_OK(aclrtLaunchSIMTKernelWithHostArgs(add_pair_, {1, 1, 1}, {1, 1, 1}, 0, stream, nullptr, &block, sizeof block,
                                             &second, 1));
    EXPECT_EQ(block.pair, nullptr) << "the caller's block is only read";
    std::memset(&block, 0xff, sizeof block);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), (Words{63, 33, 3, 3}));
}

TEST_F(KernelHostArgs, HostArgumentsWithoutPlaceholdersAreABlock) {
    const Stream stream;
    const ZeroWords words(kWords);
    struct {
        void* words;
        uint32_t number;
    } block{words.At(), 9};
    // Without the padding at the end: for drivers that do not report parameters, padding would be
    // an argument.
    ACL_OK(aclrtLaunchKernelWithHostArgs(mark_, 1, stream, nullptr, &block, 12, nullptr, 0));
    ACL_OK(aclrtLaunchSIMTKernelWithHostArgs(mark_, {1, 1, 1}, {1, 1, 1}, 0, stream, nullptr, &block, 12, nullptr, 0));
    const aclrtFuncHandle nothing = program_->Kernel("nothing");
    ACL_OK(aclrtLaunchKernelWithHostArgs(nothing, 1, stream, nullptr, nullptr, 0, nullptr, 0));
    ACL_OK(aclrtSynchronizeStream(stream));
    Words expected = Marked(9);
    expected[0] += 9;
    EXPECT_EQ(words.Download<uint32_t>(), expected);
}

// Each launch has its own copy, which is freed: the test double checks for leaks.
TEST_F(KernelHostArgs, LargeDataIsCopied) {
    const Stream stream;
    const ZeroWords words(1);
    struct Large {
        void* words;
        const Pair* pair;
        char more[1 << 20];
        Pair data;
    };
    const auto block = std::make_unique<Large>();
    block->words = words.At();
    aclrtPlaceHolderInfo place{offsetof(Large, pair), offsetof(Large, data)};
    for (uint32_t i = 0; i < 50; ++i) {
        block->data = {1, i};
        ACL_OK(aclrtLaunchKernelWithHostArgs(add_pair_, 1, stream, nullptr, block.get(), sizeof *block, &place, 1));
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(1, 50 + 49 * 50 / 2));
}

TEST_F(KernelHostArgs, WrongHostArgumentsAreRefused) {
    const Stream stream;
    const ZeroWords words(4);
    PackedArgs block{words.At(), nullptr, {}, {1, 2}, {10, 20}};
    const size_t size = sizeof block;
    const auto each = [&](aclError code, aclrtFuncHandle function, void* arguments, size_t length,
                          std::vector<aclrtPlaceHolderInfo> places, size_t count,
                          std::initializer_list<std::string> says) {
        aclrtPlaceHolderInfo* const array = places.empty() ? nullptr : places.data();
        EXPECT_TRUE(FailedSaying(
            "aclrtLaunchKernelWithHostArgs",
            aclrtLaunchKernelWithHostArgs(function, 1, stream, nullptr, arguments, length, array, count), code, says));
        EXPECT_TRUE(FailedSaying("aclrtLaunchSIMTKernelWithHostArgs",
                                 aclrtLaunchSIMTKernelWithHostArgs(function, {1, 1, 1}, {1, 1, 1}, 0, stream, nullptr,
                                                                   arguments, length, array, count),
                                 code, says));
    };
    const uint32_t slot = offsetof(PackedArgs, pair);
    const uint32_t data = offsetof(PackedArgs, first);
    each(kInvalid, add_pair_, nullptr, size, {{slot, data}}, 1, {"hostArgs"});
    each(kInvalid, add_pair_, &block, SIZE_MAX, {{slot, data}}, 1, {"argsSize"});
    each(kInvalid, add_pair_, &block, size, {}, 2, {"placeHolderArray is null", "2"});
    each(kInvalid, add_pair_, &block, size, {{slot, data}}, 65537, {"65537", "65536"});
    each(kInvalid, add_pair_, &block, size, {{slot, data}, {uint32_t(size - 7), data}}, 2,
         {"placeHolderArray[1].addrOffset", std::to_string(size - 7)});
    each(kInvalid, add_pair_, &block, size, {{UINT32_MAX, data}}, 1, {"addrOffset is 4294967295"});
    each(kInvalid, add_pair_, &block, size, {{slot, uint32_t(size)}}, 1,
         {"placeHolderArray[0].dataOffset", std::to_string(size)});
    each(kInvalid, nullptr, &block, size, {{slot, data}}, 1, {"is null"});
    each(kDead, *program_, &block, size, {{slot, data}}, 1, {"kind binary"});
    if (knows_parameters_) {
        each(kInvalid, add_pair_, &block, size, {{slot, 8}}, 1, {"the smallest dataOffset is 8", "16"});
        each(kDead, add_pair_, &block, size, {}, 0, {std::to_string(size), "16 bytes"});
    }
    ACL_FAILS_SAYING(kInvalid, aclrtLaunchKernelWithHostArgs(add_pair_, 0, stream, nullptr, &block, size, nullptr, 0),
                     "numBlocks is 0");
    int garbage = 0;
    aclrtPlaceHolderInfo place{slot, data};
    ACL_FAILS_SAYING(kDead, aclrtLaunchKernelWithHostArgs(add_pair_, 1, &garbage, nullptr, &block, size, &place, 1),
                     "stream");
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, 0));
}

// Addresses inside the data are found as well: a list of structures.
TEST_F(KernelHostArgs, DataMayContainAddressesOfData) {
    const Stream stream;
    struct {
        void* words;
        const void* address;
        char gap[48];
        const Pair* inner;
        Pair data;
    } block{};
    const DeviceMemory result(Words{0});
    block.words = result.At();
    block.data = {1, 1};
    aclrtPlaceHolderInfo places[] = {{offsetof(decltype(block), address), offsetof(decltype(block), inner)},
                                     {offsetof(decltype(block), inner), offsetof(decltype(block), data)}};
    ACL_OK(aclrtLaunchKernelWithHostArgs(add_pair_, 1, stream, nullptr, &block, sizeof block, places, 2));
    ACL_OK(aclrtSynchronizeStream(stream));
    // The kernel has added both halves of that address.
    EXPECT_NE(result.Download<uint32_t>()[0], 0u);
}

}  // namespace
