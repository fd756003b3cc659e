// Queries of binaries and kernels: numbers, parameters, attributes, addresses of code.
#include <cstdint>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/kernel/kernels.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using portacl_test::IsPoison;
using portacl_test::Mark;
using portacl_test::OnCpu;
using portacl_test::OnNewThread;
using portacl_test::Poison;
using portacl_test::Program;
using portacl_test::ProgramPath;
using portacl_test::Read;
using portacl_test::Stream;
using portacl_test::ZeroWords;
using Words = std::vector<uint32_t>;

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kUnsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;

using KernelInfo = portacl_test::WithDevice;

// ---- descriptions of programs ----

TEST_F(KernelInfo, ADescribedProgramMayBeLoadedRepeatedly) {
    std::vector<char> bytes = Read(ProgramPath());
    const aclrtBinary described = aclrtCreateBinary(bytes.data(), bytes.size());
    ASSERT_NE(described, nullptr) << aclGetRecentErrMsg();
    std::fill(bytes.begin(), bytes.end(), '\0');
    aclrtBinHandle first = nullptr, second = nullptr;
    ACL_OK(aclrtBinaryLoad(described, &first));
    ACL_OK(aclrtBinaryLoad(described, &second));
    EXPECT_NE(first, second);
    ACL_OK(aclrtDestroyBinary(described));
    aclrtFuncHandle mark = nullptr;
    ACL_OK(aclrtBinaryGetFunction(second, "mark", &mark));
    const Stream stream;
    const ZeroWords words(3);
    ACL_OK(Mark(mark, words.At(), 2, 3, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(3, 2));
    ACL_OK(aclrtBinaryUnLoad(first));
    ACL_OK(aclrtBinaryUnLoad(second));

    auto handle = Poison<aclrtBinHandle>();
    ACL_FAILS_SAYING(kDead, aclrtBinaryLoad(described, &handle), "binary", "destroyed");
    ACL_FAILS_SAYING(kDead, aclrtDestroyBinary(described), "binary", "destroyed");
    EXPECT_TRUE(IsPoison(handle));
}

TEST_F(KernelInfo, DescriptionsNeedNoDeviceAndNoSession) {
    const std::vector<char> bytes = Read(ProgramPath());
    aclrtBinary described = nullptr;
    OnNewThread([&] { described = aclrtCreateBinary(bytes.data(), bytes.size()); });
    ASSERT_NE(described, nullptr);
    auto handle = Poison<aclrtBinHandle>();
    OnNewThread([&] { ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtBinaryLoad(described, &handle)); });
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtBinaryLoad(described, &handle));
    EXPECT_TRUE(IsPoison(handle));
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtBinaryLoad(described, &handle));
    ACL_OK(aclrtBinaryUnLoad(handle));
    ACL_OK(aclrtDestroyBinary(described));
}

TEST_F(KernelInfo, WrongDescriptionsAreRefused) {
    const auto refused = [](const void* data, size_t length, const char* word) {
        EXPECT_EQ(aclrtCreateBinary(data, length), nullptr);
        EXPECT_NE(portacl_test::TakeText().find(word), std::string::npos) << word;
    };
    refused(nullptr, 8, "data is null");
    refused("x", 0, "dataLen is 0");
    refused("x", SIZE_MAX, "dataLen");
    // The image is checked when it is loaded.
    const aclrtBinary described = aclrtCreateBinary("garbage", 7);
    ASSERT_NE(described, nullptr);
    auto handle = Poison<aclrtBinHandle>();
    ACL_FAILS_SAYING(kUnsupported, aclrtBinaryLoad(described, &handle), "67 61 72 62");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryLoad(described, nullptr), "binHandle");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryLoad(nullptr, &handle), "binary is null");
    int garbage = 0;
    ACL_FAILS(kDead, aclrtBinaryLoad(&garbage, &handle));
    const Program program;
    ACL_FAILS_SAYING(kDead, aclrtBinaryLoad(program, &handle), "kind binary");
    ACL_FAILS_SAYING(kInvalid, aclrtDestroyBinary(nullptr), "binary is null");
    ACL_FAILS(kDead, aclrtDestroyBinary(&garbage));
    ACL_FAILS(kDead, aclrtDestroyBinary(program));
    EXPECT_TRUE(IsPoison(handle));
    ACL_OK(aclrtDestroyBinary(described));
}

// ---- kernels by number ----

TEST_F(KernelInfo, KernelsAreFoundByTheirNumbers) {
    const Program program;
    aclrtFuncHandle function = nullptr;
    ACL_OK(aclrtBinaryGetFunctionByEntry(program, 7, &function));
    EXPECT_EQ(function, program.Kernel("mark"));

    function = Poison<aclrtFuncHandle>();
    ACL_FAILS_SAYING(kDead, aclrtBinaryGetFunctionByEntry(program, 6, &function), "funcEntry is 6", "portacl_entry_6",
                     "PORTACL_KERNEL_ENTRY");
    ACL_FAILS_SAYING(kDead, aclrtBinaryGetFunctionByEntry(program, UINT64_MAX, &function), "18446744073709551615");
    ACL_FAILS_SAYING(kDead, aclrtBinaryGetFunctionByEntry(program, 8, &function), "portacl_entry_8", "2 bytes",
                     "it must be a zero-terminated UTF-8 text");
    ACL_FAILS_SAYING(kDead, aclrtBinaryGetFunctionByEntry(program, 9, &function), "no_such_kernel");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryGetFunctionByEntry(program, 7, nullptr), "funcHandle");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryGetFunctionByEntry(nullptr, 7, &function), "binHandle");
    ACL_FAILS(kDead, aclrtBinaryGetFunctionByEntry(program.Kernel("mark"), 7, &function));
    EXPECT_TRUE(IsPoison(function));
}

// ---- parameters ----

TEST_F(KernelInfo, ParametersAreReturned) {
    const Program program;
    const aclrtFuncHandle mark = program.Kernel("mark");
    size_t count = 99, offset = 99, size = 99;
    ACL_OK(aclrtFunctionGetParamCount(mark, &count));
    EXPECT_EQ(count, 2u);
    ACL_OK(aclrtFunctionGetParamInfo(mark, 0, &offset, &size));
    EXPECT_EQ(offset, 0u);
    EXPECT_EQ(size, 8u);
    ACL_OK(aclrtFunctionGetParamInfo(mark, 1, &offset, &size));
    EXPECT_EQ(offset, 8u);
    EXPECT_EQ(size, 4u);
    ACL_OK(aclrtFunctionGetParamCount(program.Kernel("nothing"), &count));
    EXPECT_EQ(count, 0u);

    count = offset = size = Poison<size_t>();
    ACL_FAILS_SAYING(kInvalid, aclrtFunctionGetParamInfo(mark, 2, &offset, &size), "paramIndex is 2", "2 parameters");
    ACL_FAILS_SAYING(kInvalid, aclrtFunctionGetParamInfo(mark, SIZE_MAX, &offset, &size), "paramIndex");
    ACL_FAILS_SAYING(kInvalid, aclrtFunctionGetParamInfo(mark, 0, nullptr, &size), "paramOffset");
    ACL_FAILS_SAYING(kInvalid, aclrtFunctionGetParamInfo(mark, 0, &offset, nullptr), "paramSize");
    ACL_FAILS_SAYING(kInvalid, aclrtFunctionGetParamCount(mark, nullptr), "paramCount");
    EXPECT_TRUE(IsPoison(count) && IsPoison(offset) && IsPoison(size));
}

TEST_F(KernelInfo, UndescribedParametersAreNotReturned) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: the code of a GPU describes its parameters";
    if (std::getenv("PORTACL_CPU_GUARD")) GTEST_SKIP() << "guard mode refuses kernels without a description";
    const Program program;
    size_t count = Poison<size_t>();
    ACL_FAILS_SAYING(kUnsupported, aclrtFunctionGetParamCount(program.Kernel("plain_mark"), &count), "plain_mark",
                     "PORTACL_KERNEL");
    // Texts use demangled C++ names; calls use mangled ones.
    const char* const mangled = "_ZN6shapes4GrowEPKvPK12portaclBlock";
    const aclrtFuncHandle grow = program.Kernel(mangled);
    ACL_FAILS_SAYING(kUnsupported, aclrtFunctionGetParamCount(grow, &count),
                     "shapes::Grow(void const*, portaclBlock const*)");
    char name[64] = "";
    ACL_OK(aclrtGetFunctionName(grow, sizeof name, name));
    EXPECT_STREQ(name, mangled);
    EXPECT_TRUE(IsPoison(count));
}

// ---- attributes ----

TEST_F(KernelInfo, AttributesAreReturnedOrRefused) {
    const Program program;
    const aclrtFuncHandle mark = program.Kernel("mark");
    int64_t value = 99;
    ACL_OK(aclrtGetFunctionAttribute(mark, ACL_FUNC_ATTR_KERNEL_TYPE, &value));
    EXPECT_EQ(value, ACL_KERNEL_TYPE_AICORE);
    value = 99;
    ACL_OK(aclrtGetFunctionAttribute(mark, ACL_FUNC_ATTR_KERNEL_SCHED_MODE, &value));
    EXPECT_EQ(value, 0);

    value = Poison<int64_t>();
    ACL_FAILS_SAYING(kUnsupported, aclrtGetFunctionAttribute(mark, ACL_FUNC_ATTR_KERNEL_RATIO, &value), "KERNEL_RATIO",
                     "KERNEL_TYPE");
    for (const int unknown : {0, 4, -1}) {
        ACL_FAILS_SAYING(kInvalid, aclrtGetFunctionAttribute(mark, static_cast<aclrtFuncAttribute>(unknown), &value),
                         "attrType is " + std::to_string(unknown), "1 to 3");
    }
    ACL_FAILS_SAYING(kInvalid, aclrtGetFunctionAttribute(mark, ACL_FUNC_ATTR_KERNEL_TYPE, nullptr), "attrValue");
    EXPECT_TRUE(IsPoison(value));
}

TEST_F(KernelInfo, TheReportedSharedMemoryIsAvailable) {
    const Program program;
    const Stream stream;
    const aclrtFuncHandle nothing = program.Kernel("nothing");
    size_t most = 0;
    ACL_OK(aclrtFunctionGetAvailDynUbufPerBlock(nothing, 0, &most));
    EXPECT_GE(most, size_t{48} << 10);
    const auto launch = [&](size_t bytes) {
        return aclrtLaunchSIMTKernelWithArgsArray(nothing, {1, 1, 1}, {1, 1, 1}, bytes, stream, nullptr, nullptr);
    };
    ACL_EXPECT_OK(launch(most));
    ACL_FAILS(kDead,
              aclrtLaunchSIMTKernelWithArgsArray(nothing, {1, 1, 1}, {1, 1, 1}, most + 1, stream, nullptr, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));

    most = Poison<size_t>();
    ACL_FAILS_SAYING(kInvalid, aclrtFunctionGetAvailDynUbufPerBlock(nothing, 1, &most), "flags is 0x1");
    ACL_FAILS_SAYING(kInvalid, aclrtFunctionGetAvailDynUbufPerBlock(nothing, 0, nullptr), "dynamicUbufSize");
    EXPECT_TRUE(IsPoison(most));
}

// ---- addresses of code ----

TEST_F(KernelInfo, OnlyCpusReportCodeAddresses) {
    const Program program;
    const aclrtFuncHandle mark = program.Kernel("mark");
    auto first = Poison<void*>(), second = Poison<void*>(), all = Poison<void*>();
    auto size = Poison<size_t>(), other = Poison<size_t>(), length = Poison<size_t>();
    if (!OnCpu()) {
        ACL_FAILS_SAYING(kUnsupported, aclrtGetFunctionAddr(mark, &first, &second), "CUDA");
        ACL_FAILS_SAYING(kUnsupported, aclrtGetFunctionSize(mark, &size, &other), "CUDA");
        ACL_FAILS_SAYING(kUnsupported, aclrtBinaryGetDevAddress(program, &all, &length), "CUDA");
        EXPECT_TRUE(IsPoison(first) && IsPoison(second) && IsPoison(all));
        EXPECT_TRUE(IsPoison(size) && IsPoison(other) && IsPoison(length));
        return;
    }
    ACL_OK(aclrtGetFunctionAddr(mark, &first, &second));
    ACL_OK(aclrtGetFunctionSize(mark, &size, &other));
    ACL_OK(aclrtBinaryGetDevAddress(program, &all, &length));
    EXPECT_EQ(second, nullptr);
    EXPECT_EQ(other, 0u);
    EXPECT_GT(size, 0u);
    const auto begin = reinterpret_cast<uintptr_t>(all);
    const auto code = reinterpret_cast<uintptr_t>(first);
    EXPECT_TRUE(code >= begin && code + size <= begin + length)
        << first << " of " << size << " bytes, " << all << " of " << length;
}

TEST_F(KernelInfo, OutputsMustNotBeNull) {
    const Program program;
    const aclrtFuncHandle mark = program.Kernel("mark");
    auto address = Poison<void*>();
    auto size = Poison<size_t>();
    ACL_FAILS_SAYING(kInvalid, aclrtGetFunctionAddr(mark, nullptr, &address), "aicAddr");
    ACL_FAILS_SAYING(kInvalid, aclrtGetFunctionAddr(mark, &address, nullptr), "aivAddr");
    ACL_FAILS_SAYING(kInvalid, aclrtGetFunctionSize(mark, nullptr, &size), "aicSize");
    ACL_FAILS_SAYING(kInvalid, aclrtGetFunctionSize(mark, &size, nullptr), "aivSize");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryGetDevAddress(program, nullptr, &size), "binAddr");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryGetDevAddress(program, &address, nullptr), "binSize");
    EXPECT_TRUE(IsPoison(address) && IsPoison(size));
}

// ---- handles ----

TEST_F(KernelInfo, WrongHandlesAreRefused) {
    Program program;
    const aclrtFuncHandle mark = program.Kernel("mark");
    int garbage = 0;
    const auto each = [&](aclError code, void* function, const char* word) {
        auto address = Poison<void*>(), other = Poison<void*>();
        auto size = Poison<size_t>(), more = Poison<size_t>();
        auto value = Poison<int64_t>();
        ACL_FAILS_SAYING(code, aclrtGetFunctionAddr(function, &address, &other), word);
        ACL_FAILS_SAYING(code, aclrtGetFunctionSize(function, &size, &more), word);
        ACL_FAILS_SAYING(code, aclrtGetFunctionAttribute(function, ACL_FUNC_ATTR_KERNEL_TYPE, &value), word);
        ACL_FAILS_SAYING(code, aclrtFunctionGetAvailDynUbufPerBlock(function, 0, &size), word);
        ACL_FAILS_SAYING(code, aclrtFunctionGetParamCount(function, &size), word);
        ACL_FAILS_SAYING(code, aclrtFunctionGetParamInfo(function, 0, &size, &more), word);
        EXPECT_TRUE(IsPoison(address) && IsPoison(other) && IsPoison(size) && IsPoison(more) && IsPoison(value));
    };
    each(kInvalid, nullptr, "is null");
    each(kDead, &garbage, "not a handle");
    each(kDead, program, "binary");
    const aclrtBinHandle binary = program.Release();
    auto address = Poison<void*>();
    auto size = Poison<size_t>();
    ACL_FAILS(kInvalid, aclrtBinaryGetDevAddress(nullptr, &address, &size));
    ACL_FAILS(kDead, aclrtBinaryGetDevAddress(mark, &address, &size));
    // Another thread may query, without a device.
    OnNewThread([&] {
        int64_t type = 0;
        ACL_EXPECT_OK(aclrtGetFunctionAttribute(mark, ACL_FUNC_ATTR_KERNEL_TYPE, &type));
    });
    ACL_OK(aclrtBinaryUnLoad(binary));
    ACL_FAILS(kDead, aclrtBinaryGetDevAddress(binary, &address, &size));
    each(kDead, mark, "destroyed");
    EXPECT_TRUE(IsPoison(address) && IsPoison(size));
}

// ---- chips ----

TEST(ArchCompatibility, TheChipIsComparedByName) {
    int32_t same = 99;
    ACL_OK(aclrtCheckArchCompatibility(aclrtGetSocName(), &same));
    EXPECT_EQ(same, 1);
    ACL_OK(aclrtCheckArchCompatibility("Ascend1", &same));
    EXPECT_EQ(same, 0);
    ACL_OK(aclrtCheckArchCompatibility("", &same));
    EXPECT_EQ(same, 0);
    same = Poison<int32_t>();
    ACL_FAILS_SAYING(kInvalid, aclrtCheckArchCompatibility(nullptr, &same), "socVersion");
    ACL_FAILS_SAYING(kInvalid, aclrtCheckArchCompatibility("x", nullptr), "canCompatible");
    EXPECT_TRUE(IsPoison(same));
}

}  // namespace
