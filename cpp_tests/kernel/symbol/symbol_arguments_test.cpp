// Calls about symbols that are refused.

#include <string>

#include "kernel/symbol/symbol.h"
#include "support/acl_test.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;

TEST_F(Symbol, WrongRegistrationsAreRefused) {
    ACL_FAILS_SAYING(kInvalid, portaclRegisterSymbol(nullptr, &step_symbol, "mark"), "binHandle");
    ACL_FAILS_SAYING(kInvalid, portaclRegisterSymbol(*program_, nullptr, "mark"), "symbol is null");
    ACL_FAILS_SAYING(kInvalid, portaclRegisterSymbol(*program_, &step_symbol, nullptr), "name");
    ACL_FAILS_SAYING(kDead, portaclRegisterSymbol(*program_, &step_symbol, "neither"), "no variable \"neither\"",
                     "no kernel \"neither\"");
    int garbage = 0;
    ACL_FAILS(kDead, portaclRegisterSymbol(&garbage, &step_symbol, "mark"));
    ACL_FAILS_SAYING(kDead, portaclRegisterSymbol(program_->Kernel("mark"), &step_symbol, "mark"), "kind kernel");
    // The symbol keeps its earlier registration.
    size_t size = 0;
    ACL_OK(aclrtGetSymbolSize(&step_symbol, &size));
    EXPECT_EQ(size, 4u);
}

// Every call that takes a symbol of a variable.
void EachCall(aclError code, const void* symbol, const char* word) {
    char bytes[4] = {};
    const auto kHost = ACL_MEMCPY_DEVICE_TO_HOST;
    const auto kDevice = ACL_MEMCPY_HOST_TO_DEVICE;
    auto address = Poison<void*>();
    auto size = Poison<size_t>();
    ACL_FAILS_SAYING(code, aclrtGetSymbolSize(symbol, &size), word);
    ACL_FAILS_SAYING(code, aclrtGetSymbolAddress(symbol, &address), word);
    ACL_FAILS_SAYING(code, aclrtMemcpyToSymbol(symbol, bytes, 4, 0, kDevice), word);
    ACL_FAILS_SAYING(code, aclrtMemcpyToSymbolAsync(symbol, bytes, 4, 0, kDevice, nullptr), word);
    ACL_FAILS_SAYING(code, aclrtMemcpyFromSymbol(bytes, 4, symbol, 4, 0, kHost), word);
    ACL_FAILS_SAYING(code, aclrtMemcpyFromSymbolAsync(bytes, 4, symbol, 4, 0, kHost, nullptr), word);
    EXPECT_TRUE(IsPoison(address) && IsPoison(size));
}

TEST_F(Symbol, AddressesThatAreNoSymbolsAreRefused) {
    EachCall(kInvalid, nullptr, "symbol is null");
    EachCall(kDead, &never_registered, "has no kernel or variable");
    EachCall(kDead, Mark(), "aclrtGetFuncBySymbol");
    auto function = Poison<aclrtFuncHandle>();
    ACL_FAILS_SAYING(kInvalid, aclrtGetFuncBySymbol(nullptr, &function), "symbol is null");
    ACL_FAILS_SAYING(kDead, aclrtGetFuncBySymbol(&never_registered, &function), "has no kernel or variable",
                     "portaclRegisterSymbol");
    ACL_FAILS_SAYING(kDead, aclrtGetFuncBySymbol(table_symbol, &function), "variable");
    ACL_FAILS_SAYING(kInvalid, aclrtGetFuncBySymbol(Mark(), nullptr), "funcHandle");
    ACL_FAILS_SAYING(kInvalid, aclrtGetSymbolSize(table_symbol, nullptr), "size");
    ACL_FAILS_SAYING(kInvalid, aclrtGetSymbolAddress(table_symbol, nullptr), "devPtr");
    EXPECT_TRUE(IsPoison(function));
    ACL_FAILS_SAYING(kDead, aclrtLaunchKernelWithArgsArray(&never_registered, 1, nullptr, nullptr, nullptr),
                     "not a handle");
}

TEST_F(Symbol, CopiesPastTheEndAreRefused) {
    char bytes[80] = {};
    const auto kHost = ACL_MEMCPY_DEVICE_TO_HOST;
    const auto kDevice = ACL_MEMCPY_HOST_TO_DEVICE;
    struct InvalidRange {
        size_t count, offset;
    };
    for (const InvalidRange& c : {InvalidRange{65, 0}, InvalidRange{1, 64}, InvalidRange{60, 5},
                                  InvalidRange{1, SIZE_MAX}, InvalidRange{SIZE_MAX, 1}}) {
        const auto each = [&](auto words) { EXPECT_TRUE(words) << c.count << " at " << c.offset; };
        const std::string count = "count " + std::to_string(c.count);
        const std::string offset = "offset " + std::to_string(c.offset);
        each(FailedSaying("aclrtMemcpyToSymbol", aclrtMemcpyToSymbol(table_symbol, bytes, c.count, c.offset, kDevice),
                          kInvalid, {count, offset, "64 bytes"}));
        each(FailedSaying("aclrtMemcpyToSymbolAsync",
                          aclrtMemcpyToSymbolAsync(table_symbol, bytes, c.count, c.offset, kDevice, nullptr), kInvalid,
                          {count, offset, "64 bytes"}));
        each(FailedSaying("aclrtMemcpyFromSymbol",
                          aclrtMemcpyFromSymbol(bytes, SIZE_MAX, table_symbol, c.count, c.offset, kHost), kInvalid,
                          {count, offset, "64 bytes"}));
        each(FailedSaying("aclrtMemcpyFromSymbolAsync",
                          aclrtMemcpyFromSymbolAsync(bytes, SIZE_MAX, table_symbol, c.count, c.offset, kHost, nullptr),
                          kInvalid, {count, offset, "64 bytes"}));
    }
    ACL_FAILS_SAYING(kInvalid, aclrtMemcpyFromSymbol(bytes, 3, table_symbol, 4, 0, kHost), "count 4", "destMax 3");
    ACL_FAILS_SAYING(kInvalid, aclrtMemcpyToSymbol(table_symbol, nullptr, 4, 0, kDevice), "src is null");
    ACL_FAILS_SAYING(kInvalid, aclrtMemcpyFromSymbol(nullptr, 4, table_symbol, 4, 0, kHost), "dst is null");
    // The direction is the opposite one, or invalid.
    ACL_FAILS_SAYING(kDead, aclrtMemcpyToSymbol(table_symbol, bytes, 4, 0, kHost), "contradicts");
    ACL_FAILS_SAYING(kDead, aclrtMemcpyFromSymbol(bytes, 4, table_symbol, 4, 0, kDevice), "contradicts");
    for (const int unknown : {-1, 8}) {
        const auto kind = static_cast<aclrtMemcpyKind>(unknown);
        ACL_FAILS_SAYING(kInvalid, aclrtMemcpyToSymbol(table_symbol, bytes, 4, 0, kind), "kind");
        ACL_FAILS_SAYING(kInvalid, aclrtMemcpyFromSymbol(bytes, 4, table_symbol, 4, 0, kind), "kind");
    }
    int garbage = 0;
    ACL_FAILS_SAYING(kDead, aclrtMemcpyToSymbolAsync(table_symbol, bytes, 4, 0, kDevice, &garbage), "stream");
    ACL_FAILS_SAYING(kDead, aclrtMemcpyFromSymbolAsync(bytes, 4, table_symbol, 4, 0, kHost, &garbage), "stream");
}

TEST_F(Symbol, SymbolsNeedADevice) {
    OnNewThread([&] {
        EachCall(ACL_ERROR_RT_CONTEXT_NULL, table_symbol, "context");
        auto function = Poison<aclrtFuncHandle>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetFuncBySymbol(Mark(), &function));
        EXPECT_TRUE(IsPoison(function));
        ACL_EXPECT_OK(aclrtSetDevice(0));
        size_t size = 0;
        ACL_EXPECT_OK(aclrtGetSymbolSize(table_symbol, &size));
        EXPECT_EQ(size, 64u);
        ACL_EXPECT_OK(aclrtResetDevice(0));
    });
}

TEST_F(Symbol, RefusedInsideAHostFunction) {
    const Stream stream;
    struct SymbolCalls {
        aclrtBinHandle binary;
        aclError codes[5];
    };
    static SymbolCalls inside;
    inside = {*program_, {}};
    ACL_OK(aclrtLaunchHostFunc(
        stream,
        [](void*) {
            void* address = nullptr;
            size_t size = 0;
            inside.codes[0] = aclrtBinaryGetGlobal(inside.binary, "kernel_step", &address, &size);
            inside.codes[1] = aclrtBinaryGetFunctionByEntry(inside.binary, 7, &address);
            inside.codes[2] = portaclRegisterSymbol(inside.binary, &step_symbol, "mark");
            inside.codes[3] = aclrtGetSymbolSize(&step_symbol, &size);
            inside.codes[4] = aclrtMemcpyToSymbol(&step_symbol, "1234", 4, 0, ACL_MEMCPY_HOST_TO_DEVICE);
        },
        nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    for (const aclError code : inside.codes) EXPECT_EQ(code, kDead);
}

}  // namespace
