// Data buffers: an address and a size under one handle.
#include "support/acl_test.h"
#include "support/says.h"
#include "support/threads.h"

#include <atomic>
#include <cstdint>
#include <set>
#include <vector>

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

void* Address(uintptr_t number) {
    return reinterpret_cast<void*>(number);
}

template <typename Handle>
aclDataBuffer* As(Handle handle) {
    return reinterpret_cast<aclDataBuffer*>(handle);
}

// Every call refuses `buffer` with `code` and this text; calls that return a value return none.
void ExpectRefused(aclDataBuffer* buffer, aclError code, const std::string& words) {
    ACL_FAILS_SAYING(code, aclDestroyDataBuffer(buffer), words);
    ACL_FAILS_SAYING(code, aclUpdateDataBuffer(buffer, nullptr, 0), words);
    EXPECT_EQ(aclGetDataBufferAddr(buffer), nullptr);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), code);
    EXPECT_NE(TakeText().find(words), std::string::npos);
    EXPECT_EQ(aclGetDataBufferSize(buffer), 0u);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), code);
    EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 0u);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), code);
}

}  // namespace

TEST(DataBuffer, KeepsAddressAndSize) {
    char bytes[16];
    aclDataBuffer* buffer = aclCreateDataBuffer(bytes, sizeof bytes);
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(aclGetDataBufferAddr(buffer), bytes);
    EXPECT_EQ(aclGetDataBufferSizeV2(buffer), sizeof bytes);
    EXPECT_EQ(aclGetDataBufferSize(buffer), sizeof bytes);
    ACL_OK(aclUpdateDataBuffer(buffer, bytes + 4, 8));
    EXPECT_EQ(aclGetDataBufferAddr(buffer), bytes + 4);
    EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 8u);
    ACL_OK(aclDestroyDataBuffer(buffer));
}

TEST(DataBuffer, AnyAddressAndSizeIsAllowed) {
    aclDataBuffer* buffer = aclCreateDataBuffer(nullptr, 0);
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(aclGetDataBufferAddr(buffer), nullptr);
    EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 0u);
    ACL_OK(aclUpdateDataBuffer(buffer, Address(UINTPTR_MAX), SIZE_MAX));
    EXPECT_EQ(aclGetDataBufferAddr(buffer), Address(UINTPTR_MAX));
    EXPECT_EQ(aclGetDataBufferSizeV2(buffer), SIZE_MAX);
    ACL_OK(aclUpdateDataBuffer(buffer, nullptr, 5));
    EXPECT_EQ(aclGetDataBufferAddr(buffer), nullptr);
    EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 5u);
    ACL_OK(aclDestroyDataBuffer(buffer));
}

TEST(DataBuffer, TheOlderSizeHas32Bits) {
    aclDataBuffer* buffer = aclCreateDataBuffer(nullptr, (size_t{3} << 32) + 7);
    EXPECT_EQ(aclGetDataBufferSize(buffer), 7u);
    EXPECT_EQ(aclGetDataBufferSizeV2(buffer), (size_t{3} << 32) + 7);
    ACL_OK(aclDestroyDataBuffer(buffer));
}

TEST(DataBuffer, SuccessSetsNoText) {
    aclGetRecentErrMsg();
    aclDataBuffer* buffer = aclCreateDataBuffer(nullptr, 0);
    aclGetDataBufferAddr(buffer);
    aclGetDataBufferSizeV2(buffer);
    ACL_OK(aclDestroyDataBuffer(buffer));
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST(DataBuffer, Null) {
    ExpectRefused(nullptr, ACL_ERROR_INVALID_PARAM, "dataBuffer is null");
}

TEST(DataBuffer, Destroyed) {
    aclDataBuffer* buffer = aclCreateDataBuffer(nullptr, 1);
    ACL_OK(aclDestroyDataBuffer(buffer));
    ExpectRefused(buffer, kDead, "destroyed");
    // A new buffer in the same slot does not make the old handle valid.
    aclDataBuffer* next = aclCreateDataBuffer(nullptr, 2);
    EXPECT_NE(next, buffer);
    ExpectRefused(buffer, kDead, Shown(buffer));
    EXPECT_EQ(aclGetDataBufferSizeV2(next), 2u);
    ACL_OK(aclDestroyDataBuffer(next));
}

TEST(DataBuffer, Garbage) {
    int number = 0;
    for (void* garbage : {Address(1), Address(UINTPTR_MAX), static_cast<void*>(&number)})
        ExpectRefused(As(garbage), kDead, "not a handle");
    EXPECT_EQ(number, 0);
}

TEST(DataBuffer, HandlesOfOtherKinds) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ExpectRefused(As(stream), kDead, "of kind stream, not of kind data buffer");
    aclDataBuffer* buffer = aclCreateDataBuffer(nullptr, 0);
    ACL_FAILS_SAYING(kDead, aclrtSynchronizeStream(buffer), "of kind data buffer");
    ACL_OK(aclDestroyDataBuffer(buffer));
    ACL_OK(aclrtDestroyStream(stream));
    ACL_OK(aclFinalize());
}

TEST(DataBuffer, OutlivesFinalizeAndItsThread) {
    aclDataBuffer* buffer = nullptr;
    ACL_OK(aclInit(nullptr));
    OnNewThread([&buffer] { buffer = aclCreateDataBuffer(Address(64), 32); });
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclFinalize());
    EXPECT_EQ(aclGetDataBufferAddr(buffer), Address(64));
    EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 32u);
    ACL_OK(aclDestroyDataBuffer(buffer));
}

TEST(DataBuffer, ThreadsUseTheirOwn) {
    OnThreads(4, [](int thread) {
        for (size_t i = 0; i < 500; ++i) {
            void* address = Address(static_cast<uintptr_t>(thread + 1) << 32 | i);
            aclDataBuffer* buffer = aclCreateDataBuffer(address, i);
            ASSERT_NE(buffer, nullptr);
            EXPECT_EQ(aclGetDataBufferAddr(buffer), address);
            EXPECT_EQ(aclGetDataBufferSizeV2(buffer), i);
            ACL_OK(aclDestroyDataBuffer(buffer));
        }
    });
}

TEST(DataBuffer, ManyAtOnceAreDifferent) {
    std::set<aclDataBuffer*> buffers;
    for (size_t i = 0; i < 10000; ++i) buffers.insert(aclCreateDataBuffer(nullptr, i));
    EXPECT_EQ(buffers.size(), 10000u);
    EXPECT_EQ(buffers.count(nullptr), 0u);
    for (aclDataBuffer* buffer : buffers) ACL_OK(aclDestroyDataBuffer(buffer));
}

TEST(DataBuffer, OneThreadDestroysIt) {
    for (int round = 0; round < 100; ++round) {
        aclDataBuffer* buffer = aclCreateDataBuffer(nullptr, 0);
        std::atomic<int> destroyed{0}, refused{0};
        OnThreads(2, [&](int) {
            const aclError code = aclDestroyDataBuffer(buffer);
            if (code == ACL_SUCCESS) ++destroyed;
            if (code == kDead) ++refused;
        });
        EXPECT_EQ(destroyed, 1);
        EXPECT_EQ(refused, 1);
    }
}
