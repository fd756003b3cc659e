// Loading programs, and finding kernels in them.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using portacl_test::DeviceMemory;
using portacl_test::IsPoison;
using portacl_test::Mark;
using portacl_test::OnCpu;
using portacl_test::OnNewThread;
using portacl_test::Path;
using portacl_test::Poison;
using portacl_test::Program;
using portacl_test::ProgramPath;
using portacl_test::Read;
using portacl_test::Shown;
using portacl_test::Stream;
using portacl_test::ZeroWords;
using Words = std::vector<uint32_t>;

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kUnsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;

using Kernel = portacl_test::WithDevice;

// ---- programs and kernels ----

TEST_F(Kernel, TheImageMayBeFreedAfterLoading) {
    std::vector<char> bytes = Read(ProgramPath());
    aclrtBinHandle first = nullptr;
    aclrtBinHandle second = nullptr;
    ACL_OK(aclrtBinaryLoadFromData(bytes.data(), bytes.size(), nullptr, &first));
    ACL_OK(aclrtBinaryLoadFromData(bytes.data(), bytes.size(), nullptr, &second));
    std::fill(bytes.begin(), bytes.end(), '\0');
    EXPECT_NE(first, second);
    aclrtFuncHandle mark = nullptr;
    aclrtFuncHandle other = nullptr;
    ACL_OK(aclrtBinaryGetFunction(first, "mark", &mark));
    ACL_OK(aclrtBinaryUnLoad(first));
    ACL_OK(aclrtBinaryGetFunction(second, "mark", &other));
    EXPECT_NE(mark, other);
    const Stream stream;
    const ZeroWords words(1);
    ACL_FAILS(kDead, aclrtLaunchKernel(mark, 1, nullptr, 0, stream));
    ACL_EXPECT_OK(Mark(other, words.At(), 1, 1, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(1, 1));
    ACL_OK(aclrtBinaryUnLoad(second));
}

TEST_F(Kernel, OptionsAreAcceptedOrRefused) {
    aclrtBinaryLoadOption entries[2]{};
    entries[0].type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD;
    entries[0].value.isLazyLoad = 1;
    entries[1].type = ACL_RT_BINARY_LOAD_OPT_MAGIC;
    entries[1].value.magic = 0x1234;
    aclrtBinaryLoadOptions options{entries, 2};
    aclrtBinHandle handle = nullptr;
    ACL_OK(aclrtBinaryLoadFromFile(ProgramPath().c_str(), &options, &handle));
    ACL_OK(aclrtBinaryUnLoad(handle));

    handle = Poison<aclrtBinHandle>();
    entries[1].type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE;
    ACL_FAILS_SAYING(kUnsupported, aclrtBinaryLoadFromFile(ProgramPath().c_str(), &options, &handle), "options[1]",
                     "CPU_KERNEL_MODE", "aclrtLaunchHostFunc");
    entries[1].type = static_cast<aclrtBinaryLoadOptionType>(77);
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryLoadFromFile(ProgramPath().c_str(), &options, &handle), "options[1]", "77");
    options.options = nullptr;
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryLoadFromFile(ProgramPath().c_str(), &options, &handle),
                     "options->options is null", "2");
    EXPECT_TRUE(IsPoison(handle));
}

TEST_F(Kernel, AKernelHasOneHandleAndKnowsItsProgram) {
    const Program program;
    const aclrtFuncHandle mark = program.Kernel("mark");
    EXPECT_EQ(mark, program.Kernel("mark"));
    EXPECT_NE(mark, program.Kernel("nothing"));
    aclrtBinHandle binary = nullptr;
    ACL_OK(aclrtFunctionGetBinary(mark, &binary));
    EXPECT_EQ(binary, static_cast<aclrtBinHandle>(program));
    char name[8] = "xxxxxxx";
    ACL_OK(aclrtGetFunctionName(mark, sizeof name, name));
    EXPECT_STREQ(name, "mark");
    ACL_OK(aclrtGetFunctionName(mark, 3, name));
    EXPECT_STREQ(name, "ma");

    binary = Poison<aclrtBinHandle>();
    std::memset(name, 'x', sizeof name);
    ACL_FAILS_SAYING(kInvalid, aclrtFunctionGetBinary(mark, nullptr), "binHandle");
    ACL_FAILS_SAYING(kInvalid, aclrtFunctionGetBinary(nullptr, &binary), "funcHandle");
    ACL_FAILS_SAYING(kDead, aclrtFunctionGetBinary(program, &binary), "funcHandle", "binary");
    ACL_FAILS_SAYING(kInvalid, aclrtGetFunctionName(mark, 0, name), "maxLen");
    ACL_FAILS_SAYING(kInvalid, aclrtGetFunctionName(mark, 8, nullptr), "name");
    ACL_FAILS_SAYING(kInvalid, aclrtGetFunctionName(nullptr, 8, name), "funcHandle");
    EXPECT_TRUE(IsPoison(binary));
    EXPECT_EQ(name[0], 'x');
}

TEST_F(Kernel, OnlyKernelsOfTheProgramAreFound) {
    const Program program;
    auto function = Poison<aclrtFuncHandle>();
    std::vector<const char*> names{"no_such_kernel", ""};
    // Names that a shared object contains as well: imported symbols, and data.
    if (OnCpu()) names.insert(names.end(), {"memset", "aclrtMalloc", "not_a_function"});
    for (const char* name : names) {
        ACL_FAILS_SAYING(kDead, aclrtBinaryGetFunction(program, name, &function), "no kernel", name);
    }
    if (OnCpu()) {
        ACL_FAILS_SAYING(kDead, aclrtBinaryGetFunction(program, "newer", &function), "newer_portacl_kernel",
                         "version 2", "version 1");
        ACL_FAILS_SAYING(kDead, aclrtBinaryGetFunction(program, "crooked", &function), "crooked_portacl_kernel",
                         "8 bytes");
        // The bytes after it are in memory, and not the description's.
        ACL_FAILS_SAYING(kDead, aclrtBinaryGetFunction(program, "cut", &function),
                         "cut_portacl_kernel (a symbol of 4 bytes)");
    }
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryGetFunction(program, nullptr, &function), "kernelName");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryGetFunction(program, "mark", nullptr), "funcHandle");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryGetFunction(nullptr, "mark", &function), "binHandle");
    int garbage = 0;
    ACL_FAILS(kDead, aclrtBinaryGetFunction(&garbage, "mark", &function));
    ACL_FAILS(kDead, aclrtBinaryGetFunction(program.Kernel("mark"), "mark", &function));
    EXPECT_TRUE(IsPoison(function));
}

TEST_F(Kernel, AnUnloadedProgramIsInvalid) {
    Program program;
    const aclrtFuncHandle mark = program.Kernel("mark");
    const aclrtBinHandle handle = program.Release();
    ACL_OK(aclrtBinaryUnLoad(handle));
    auto function = Poison<aclrtFuncHandle>();
    auto binary = Poison<aclrtBinHandle>();
    ACL_FAILS_SAYING(kDead, aclrtBinaryUnLoad(handle), "binHandle", Shown(handle), "destroyed");
    ACL_FAILS(kDead, aclrtBinaryGetFunction(handle, "mark", &function));
    ACL_FAILS(kDead, aclrtFunctionGetBinary(mark, &binary));
    EXPECT_TRUE(IsPoison(function) && IsPoison(binary));
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryUnLoad(nullptr), "binHandle");
    ACL_FAILS(kDead, aclrtBinaryUnLoad(mark));
}

// ---- images that are no programs ----

TEST_F(Kernel, InvalidImagesAreRefusedWithAReason) {
    auto handle = Poison<aclrtBinHandle>();
    const std::string garbage = "garbage, and more of it";
    ACL_FAILS_SAYING(kUnsupported, aclrtBinaryLoadFromData(garbage.data(), garbage.size(), nullptr, &handle),
                     "67 61 72 62", "cpu backend", "cuda backend");
    ACL_FAILS_SAYING(kUnsupported, aclrtBinaryLoadFromData("", 1, nullptr, &handle), "1 byte ");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryLoadFromData(nullptr, 9, nullptr, &handle), "data");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryLoadFromData(garbage.data(), 0, nullptr, &handle), "length is 0");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryLoadFromData(garbage.data(), SIZE_MAX, nullptr, &handle), "length");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryLoadFromData(garbage.data(), garbage.size(), nullptr, nullptr), "binHandle");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryLoadFromFile(nullptr, nullptr, &handle), "binPath");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryLoadFromFile(ProgramPath().c_str(), nullptr, nullptr), "binHandle");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclrtBinaryLoadFromFile("/no/such/file", nullptr, &handle),
                     "/no/such/file");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclrtBinaryLoadFromFile("/", nullptr, &handle), "/");
    ACL_FAILS_SAYING(kDead, aclrtBinaryLoadFromFile("/dev/null", nullptr, &handle), "empty");
    EXPECT_TRUE(IsPoison(handle));
}

TEST_F(Kernel, ProgramsForOtherHardwareAreRefusedWithAReason) {
    auto handle = Poison<aclrtBinHandle>();
    std::vector<char> elf = Read(Path(".so"));
    ASSERT_GT(elf.size(), 64u);
    const std::vector<char> ptx = Read(Path(".ptx"));
    // An image for the other backend.
    const std::vector<char>& other = OnCpu() ? ptx : elf;
    ACL_FAILS_SAYING(kUnsupported, aclrtBinaryLoadFromData(other.data(), other.size(), nullptr, &handle),
                     OnCpu() ? "PTX" : "ELF", "Ascend");
    // A machine type that no test machine has.
    elf[18] = 0x77;
    elf[19] = 0x10;
    ACL_FAILS_SAYING(kUnsupported, aclrtBinaryLoadFromData(elf.data(), elf.size(), nullptr, &handle), "machine 4215",
                     "Ascend");
    // 32 bits.
    elf[4] = 1;
    ACL_FAILS_SAYING(kUnsupported, aclrtBinaryLoadFromData(elf.data(), elf.size(), nullptr, &handle), "class 1");
    EXPECT_TRUE(IsPoison(handle));
}

// The same program with one string changed.
TEST_F(Kernel, ALoaderErrorIsReportedWithARemedy) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: a driver loads no shared objects";
    const std::vector<char> whole = Read(ProgramPath());
    const auto changed = [&](const std::string& before, const std::string& after) {
        std::string bytes(whole.begin(), whole.end());
        const size_t at = bytes.find(before);
        EXPECT_NE(at, std::string::npos) << before;
        return at == std::string::npos ? bytes : bytes.replace(at, after.size(), after);
    };
    auto handle = Poison<aclrtBinHandle>();
    const auto load = [&](const std::string& bytes) {
        return aclrtBinaryLoadFromData(bytes.data(), bytes.size(), nullptr, &handle);
    };
    EXPECT_TRUE(portacl_test::FailedSaying("aclrtBinaryLoadFromData", load(changed("aclrtMalloc", "aclrtMollac")),
                                           kDead,
                                           {"cannot be loaded: undefined symbol: aclrtMollac", "link the library"}));
    EXPECT_TRUE(portacl_test::FailedSaying("aclrtBinaryLoadFromData", load(changed("libc.so.6", "libx.so.6")), kDead,
                                           {"libx.so.6: cannot open shared object file", "LD_LIBRARY_PATH"}));
    EXPECT_TRUE(IsPoison(handle));
}

TEST_F(Kernel, DamagedProgramsAreRefused) {
    auto handle = Poison<aclrtBinHandle>();
    if (!OnCpu()) {
        const std::string text = ".version 6.4\nnonsense\n";
        if (std::getenv("FAKE_CUDA_STRICT") == nullptr) {
            ACL_FAILS(kDead, aclrtBinaryLoadFromData(text.data(), text.size(), nullptr, &handle));
        }
        EXPECT_TRUE(IsPoison(handle));
        return;
    }
    const std::vector<char> whole = Read(ProgramPath());
    for (const size_t length : {size_t{4}, size_t{63}, size_t{64}, size_t{200}, whole.size() / 2, whole.size() - 1}) {
        // In a buffer of exactly that length, so that a checker finds reads past the end.
        const std::vector<char> part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length));
        ACL_FAILS_SAYING(kDead, aclrtBinaryLoadFromData(part.data(), length, nullptr, &handle), "cut off",
                         std::to_string(length));
    }
    std::vector<char> executable = whole;
    executable[16] = 2;
    ACL_FAILS_SAYING(kDead, aclrtBinaryLoadFromData(executable.data(), executable.size(), nullptr, &handle), "type 2",
                     "-shared");
    EXPECT_TRUE(IsPoison(handle));
}

// ---- threads, devices, session ----

TEST_F(Kernel, AThreadWithoutADeviceIsRefused) {
    const std::vector<char> bytes = Read(ProgramPath());
    ACL_OK(aclrtResetDevice(0));
    OnNewThread([&] {
        auto handle = Poison<aclrtBinHandle>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtBinaryLoadFromData(bytes.data(), bytes.size(), nullptr, &handle));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtBinaryLoadFromFile(ProgramPath().c_str(), nullptr, &handle));
        EXPECT_TRUE(IsPoison(handle));
    });
    ACL_OK(aclrtSetDevice(0));
    const Program program;
    const aclrtFuncHandle nothing = program.Kernel("nothing");
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtLaunchKernel(nothing, 1, nullptr, 0, nullptr));
        // Lookups need no device.
        aclrtBinHandle binary = nullptr;
        ACL_EXPECT_OK(aclrtFunctionGetBinary(nothing, &binary));
        aclrtFuncHandle same = nullptr;
        ACL_EXPECT_OK(aclrtBinaryGetFunction(binary, "nothing", &same));
        EXPECT_EQ(same, nothing);
    });
}

TEST_F(Kernel, RefusedInsideAHostFunction) {
    const Program program;
    const Stream stream;
    struct KernelCalls {
        aclrtBinHandle binary;
        aclrtFuncHandle function;
        aclError codes[5];
    };
    static KernelCalls inside;
    inside = {program, program.Kernel("nothing"), {}};
    ACL_OK(aclrtLaunchHostFunc(
        stream,
        [](void*) {
            aclrtBinHandle binary = nullptr;
            aclrtFuncHandle function = nullptr;
            inside.codes[0] = aclrtBinaryLoadFromFile("/dev/null", nullptr, &binary);
            inside.codes[1] = aclrtBinaryLoadFromData("x", 1, nullptr, &binary);
            inside.codes[2] = aclrtBinaryGetFunction(inside.binary, "mark", &function);
            inside.codes[3] = aclrtLaunchKernel(inside.function, 1, nullptr, 0, nullptr);
            inside.codes[4] = aclrtBinaryUnLoad(inside.binary);
        },
        nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    for (const aclError code : inside.codes) EXPECT_EQ(code, kDead);
}

TEST_F(Kernel, AProgramBelongsToItsDevice) {
    if (portacl_test::DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    const Program program;
    const aclrtFuncHandle nothing = program.Kernel("nothing");
    ACL_OK(aclrtSetDevice(1));
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclrtLaunchKernel(nothing, 1, nullptr, 0, nullptr), "nothing",
                     "device 0", "device 1");
    Program other;
    const aclrtFuncHandle there = other.Kernel("nothing");
    ACL_EXPECT_OK(aclrtLaunchKernel(there, 1, nullptr, 0, nullptr));
    const aclrtBinHandle binary = other.Release();
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
    ACL_DESTROYS_LATE(aclrtBinaryUnLoad(binary));
    ACL_FAILS(kDead, aclrtLaunchKernel(there, 1, nullptr, 0, nullptr));
    ACL_EXPECT_OK(aclrtLaunchKernel(nothing, 1, nullptr, 0, nullptr));
}

TEST(KernelTeardown, EverythingEndsWithTheSession) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    Program program;
    const aclrtFuncHandle nothing = program.Kernel("nothing");
    const aclrtBinHandle binary = program.Release();
    const std::string path = ProgramPath();
    ACL_OK(aclrtLaunchKernel(nothing, 1000, nullptr, 0, nullptr));
    ACL_OK(aclFinalize());
    auto handle = Poison<aclrtBinHandle>();
    auto function = Poison<aclrtFuncHandle>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtBinaryLoadFromFile(path.c_str(), nullptr, &handle));
    ACL_FAILS(kDead, aclrtBinaryGetFunction(binary, "nothing", &function));
    ACL_DESTROYS_LATE(aclrtBinaryUnLoad(binary));
    EXPECT_TRUE(IsPoison(handle) && IsPoison(function));
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(kDead, aclrtLaunchKernel(nothing, 1, nullptr, 0, nullptr));
    {
        const Program again;
        ACL_EXPECT_OK(aclrtLaunchKernel(again.Kernel("nothing"), 1, nullptr, 0, nullptr));
    }
    ACL_OK(aclFinalize());
}

}  // namespace
