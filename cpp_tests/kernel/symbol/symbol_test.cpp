// Variables of programs, and symbols of the host program for variables and kernels.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kernel/symbol/symbol.h"
#include "support/acl_test.h"
#include "support/gate.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"

namespace {

using namespace portacl_test;

using Words = std::vector<uint32_t>;

// ---- variables ----

TEST_F(Symbol, VariablesAreMemoryOfTheDevice) {
    void* step = nullptr;
    size_t size = 0;
    ACL_OK(aclrtBinaryGetGlobal(*program_, "kernel_step", &step, &size));
    EXPECT_EQ(size, 4u);
    uint32_t value = 0;
    ACL_OK(aclrtMemcpy(&value, 4, step, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(value, 5u);
    EXPECT_EQ(Step(), 5u);
    value = 70;
    ACL_OK(aclrtMemcpy(step, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_EQ(Step(), 70u);
    ACL_OK(aclrtMemset(step, 4, 1, 4));
    EXPECT_EQ(Step(), 0x01010101u);
    aclrtPtrAttributes attributes{};
    ACL_OK(aclrtPointerGetAttributes(step, &attributes));
    EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(attributes.location.id, 0u);
    // The memory belongs to the program.
    ACL_FAILS(kDead, aclrtFree(step));
    EXPECT_EQ(Step(), 0x01010101u);
}

TEST_F(Symbol, AVariableCanBeAnArgument) {
    const Stream stream;
    void* table = nullptr;
    size_t size = 0;
    ACL_OK(aclrtBinaryGetGlobal(*program_, "kernel_table", &table, &size));
    EXPECT_EQ(size, 64u);
    ACL_OK(portacl_test::Mark(program_->Kernel("mark"), table, 3, 16, stream));
    Words words(16, 99);
    ACL_OK(aclrtMemcpyAsync(words.data(), 64, table, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words, Words(16, 3));
}

TEST_F(Symbol, EachProgramHasItsOwnVariables) {
    const Program other;
    void *mine = nullptr, *theirs = nullptr;
    size_t size = 0;
    ACL_OK(aclrtBinaryGetGlobal(*program_, "kernel_step", &mine, &size));
    ACL_OK(aclrtBinaryGetGlobal(other, "kernel_step", &theirs, &size));
    EXPECT_NE(mine, theirs);
    const uint32_t value = 8;
    ACL_OK(aclrtMemcpy(theirs, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_EQ(Step(), 5u);
}

TEST_F(Symbol, WrongVariablesAreRefused) {
    auto address = Poison<void*>();
    auto size = Poison<size_t>();
    // A kernel is no variable, and neither is an imported symbol.
    for (const char* name : {"no_such_variable", "", "mark", "environ"}) {
        ACL_FAILS_SAYING(kDead, aclrtBinaryGetGlobal(*program_, name, &address, &size), "no variable", name);
    }
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryGetGlobal(*program_, nullptr, &address, &size), "name");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryGetGlobal(*program_, "kernel_step", nullptr, &size), "dptr");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryGetGlobal(*program_, "kernel_step", &address, nullptr), "size");
    ACL_FAILS_SAYING(kInvalid, aclrtBinaryGetGlobal(nullptr, "kernel_step", &address, &size), "binHandle");
    int garbage = 0;
    ACL_FAILS(kDead, aclrtBinaryGetGlobal(&garbage, "kernel_step", &address, &size));
    ACL_FAILS_SAYING(kDead, aclrtBinaryGetGlobal(program_->Kernel("mark"), "kernel_step", &address, &size),
                     "kind kernel");
    EXPECT_TRUE(IsPoison(address) && IsPoison(size));
}

// ---- unloading ----

TEST_F(Symbol, PendingCopiesKeepTheVariableOfAnUnloadedProgram) {
    const Stream stream;
    const std::string text = "what the table holds";
    ACL_OK(aclrtMemcpyToSymbol(table_symbol, text.data(), text.size(), 0, ACL_MEMCPY_HOST_TO_DEVICE));
    const DeviceMemory copy(text.size());
    void* table = nullptr;
    ACL_OK(aclrtGetSymbolAddress(table_symbol, &table));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemcpyFromSymbolAsync(copy.At(), text.size(), table_symbol, text.size(), 0, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                      stream));
    ACL_OK(aclrtBinaryUnLoad(program_->Release()));
    // New calls do not find it.
    ACL_FAILS_SAYING(kDead, aclrtMemset(table, 64, 0, 64), Shown(table));
    ACL_FAILS_SAYING(kDead, aclrtMemcpyToSymbol(table_symbol, "x", 1, 0, ACL_MEMCPY_HOST_TO_DEVICE),
                     "has no kernel or variable");
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    const auto bytes = copy.Download<char>();
    EXPECT_EQ(std::string(bytes.data(), text.size()), text);
    // Other programs may be loaded in its place.
    for (int i = 0; i < 3; ++i) {
        const Program again;
        ACL_OK(portaclRegisterSymbol(again, table_symbol, "kernel_table"));
        ACL_EXPECT_OK(aclrtMemcpyToSymbol(table_symbol, "x", 1, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    ACL_FAILS(kDead, aclrtMemset(table, 64, 0, 64));
}

TEST_F(Symbol, VariablesEndWithTheirDevice) {
    void* table = nullptr;
    ACL_OK(aclrtGetSymbolAddress(table_symbol, &table));
    program_->Release();
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(kDead, aclrtMemset(table, 64, 0, 64));
    ACL_FAILS_SAYING(kDead, aclrtMemcpyToSymbol(table_symbol, "x", 1, 0, ACL_MEMCPY_HOST_TO_DEVICE),
                     "has no kernel or variable", "device 0");
}

// ---- symbols ----

TEST_F(Symbol, ASymbolStandsForAVariable) {
    void *named = nullptr, *found = nullptr;
    size_t size = 0, reported = 0;
    ACL_OK(aclrtBinaryGetGlobal(*program_, "kernel_table", &named, &size));
    ACL_OK(aclrtGetSymbolAddress(table_symbol, &found));
    ACL_OK(aclrtGetSymbolSize(table_symbol, &reported));
    EXPECT_EQ(named, found);
    EXPECT_EQ(reported, 64u);

    ACL_OK(aclrtMemcpyToSymbol(table_symbol, "abcdef", 6, 10, ACL_MEMCPY_HOST_TO_DEVICE));
    ACL_OK(aclrtMemcpyToSymbol(table_symbol, "XY", 2, 62, ACL_MEMCPY_DEFAULT));
    char back[64];
    std::memset(back, 'x', sizeof back);
    ACL_OK(aclrtMemcpyFromSymbol(back, sizeof back, table_symbol, 64, 0, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(std::string(back + 9, 8), std::string("\0abcdef\0", 8));
    EXPECT_EQ(std::string(back + 62, 2), "XY");
    ACL_OK(aclrtMemcpyFromSymbol(back, 3, table_symbol, 3, 12, ACL_MEMCPY_DEFAULT));
    EXPECT_EQ(std::string(back, 3), "cde");
    // A copy of 0 bytes.
    ACL_OK(aclrtMemcpyToSymbol(table_symbol, nullptr, 0, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    ACL_OK(aclrtMemcpyFromSymbol(nullptr, 0, table_symbol, 0, 0, ACL_MEMCPY_DEVICE_TO_HOST));

    const uint32_t value = 44;
    ACL_OK(aclrtMemcpyToSymbol(&step_symbol, &value, 4, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_EQ(Step(), 44u);
    // The symbol's own memory is not touched.
    EXPECT_EQ(step_symbol, 0u);
}

TEST_F(Symbol, CopiesInStreamOrder) {
    const Stream stream;
    const aclrtFuncHandle add = program_->Kernel("add_step");
    const ZeroWords words(1);
    void* address = words.At();
    void* arguments[] = {&address};
    void* host = nullptr;
    ACL_OK(aclrtMallocHost(&host, 8));
    auto* pinned = static_cast<uint32_t*>(host);
    pinned[0] = 10;
    pinned[1] = 0;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    const auto launch = [&] {
        return aclrtLaunchSIMTKernelWithArgsArray(add, {1, 1, 1}, {1, 1, 1}, 0, stream, nullptr, arguments);
    };
    ACL_OK(launch());
    ACL_OK(aclrtMemcpyToSymbolAsync(&step_symbol, pinned, 4, 0, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(launch());
    ACL_OK(aclrtMemcpyFromSymbolAsync(pinned + 1, 4, &step_symbol, 4, 0, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(1, 15));
    EXPECT_EQ(pinned[1], 10u);
    ACL_OK(aclrtFreeHost(host));
}

TEST_F(Symbol, ASymbolStandsForAKernel) {
    aclrtFuncHandle found = nullptr;
    ACL_OK(aclrtGetFuncBySymbol(Mark(), &found));
    EXPECT_EQ(found, program_->Kernel("mark"));
    // As `func` of a launch and of queries.
    const Stream stream;
    const ZeroWords words(4);
    ACL_OK(portacl_test::Mark(Mark(), words.At(), 6, 4, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(4, 6));
    size_t most = 0;
    ACL_OK(aclrtFunctionGetAvailDynUbufPerBlock(Mark(), 0, &most));
    EXPECT_GT(most, 0u);
}

TEST_F(Symbol, TheLastRegistrationCountsUntilItsProgramIsUnloaded) {
    {
        const Program other;
        ACL_OK(portaclRegisterSymbol(other, &step_symbol, "kernel_table"));
        size_t size = 0;
        ACL_OK(aclrtGetSymbolSize(&step_symbol, &size));
        EXPECT_EQ(size, 64u);
    }
    size_t size = Poison<size_t>();
    ACL_FAILS_SAYING(kDead, aclrtGetSymbolSize(&step_symbol, &size), "has no kernel or variable");
    EXPECT_TRUE(IsPoison(size));
    ACL_OK(portaclRegisterSymbol(*program_, &step_symbol, "kernel_step"));
    ACL_OK(aclrtGetSymbolSize(&step_symbol, &size));
    EXPECT_EQ(size, 4u);
}

TEST_F(Symbol, ASymbolStandsForTheVariableOnTheCurrentDevice) {
    if (portacl_test::DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    size_t size = Poison<size_t>();
    ACL_FAILS_SAYING(kDead, aclrtGetSymbolSize(&step_symbol, &size), "device 1");
    {
        const Program there;
        ACL_OK(portaclRegisterSymbol(there, &step_symbol, "kernel_table"));
        ACL_OK(aclrtGetSymbolSize(&step_symbol, &size));
        EXPECT_EQ(size, 64u);
        aclrtPtrAttributes attributes{};
        void* table = nullptr;
        ACL_OK(aclrtGetSymbolAddress(&step_symbol, &table));
        ACL_OK(aclrtPointerGetAttributes(table, &attributes));
        EXPECT_EQ(attributes.location.id, 1u);
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclrtGetSymbolSize(&step_symbol, &size));
        EXPECT_EQ(size, 4u);
    }
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
}

// ---- bad arguments ----

}  // namespace
