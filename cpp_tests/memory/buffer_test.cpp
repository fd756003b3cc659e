// Buffers that programs pass on: data, lengths, user bytes, references and chains.
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

#include <atomic>
#include <cstring>
#include <string>

using namespace portacl_test;

namespace {

using Buffer = Initialized;

constexpr aclError kBad = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr size_t kUser = 96;

aclrtMbuf Alloc(size_t size) {
    aclrtMbuf buffer = nullptr;
    ACL_EXPECT_OK(aclrtAllocBuf(&buffer, size));
    return buffer;
}

struct Data {
    unsigned char* at = nullptr;
    size_t size = 0;
};
Data DataOf(aclrtMbuf buffer) {
    auto at = Poison<void*>();
    auto size = Poison<size_t>();
    ACL_EXPECT_OK(aclrtGetBufData(buffer, &at, &size));
    return {static_cast<unsigned char*>(at), size};
}

size_t Length(aclrtMbuf buffer) {
    auto length = Poison<size_t>();
    ACL_EXPECT_OK(aclrtGetBufDataLen(buffer, &length));
    return length;
}

uint32_t ChainLength(aclrtMbuf head) {
    auto count = Poison<uint32_t>();
    ACL_EXPECT_OK(aclrtGetBufChainNum(head, &count));
    return count;
}

aclrtMbuf InChain(aclrtMbuf head, uint32_t index) {
    auto buffer = Poison<aclrtMbuf>();
    ACL_EXPECT_OK(aclrtGetBufFromChain(head, index, &buffer));
    return buffer;
}

// Every call refuses `bad` with this code and text, and writes nothing.
void ExpectRefused(aclrtMbuf bad, aclrtMbuf good, aclError code, const std::string& word) {
    SCOPED_TRACE(Shown(bad));
    auto pointer = Poison<void*>();
    auto size = Poison<size_t>();
    auto count = Poison<uint32_t>();
    auto byte = Poison<unsigned char>();
    ACL_FAILS_SAYING(code, aclrtFreeBuf(bad), "buf", word);
    ACL_FAILS_SAYING(code, aclrtGetBufData(bad, &pointer, &size), "buf", word);
    ACL_FAILS_SAYING(code, aclrtSetBufDataLen(bad, 1), "buf", word);
    ACL_FAILS_SAYING(code, aclrtGetBufDataLen(bad, &size), "buf", word);
    ACL_FAILS_SAYING(code, aclrtSetBufUserData(bad, "x", 1, 0), "buf", word);
    ACL_FAILS_SAYING(code, aclrtGetBufUserData(bad, &byte, 1, 0), "buf", word);
    ACL_FAILS_SAYING(code, aclrtCopyBufRef(bad, &pointer), "buf", word);
    ACL_FAILS_SAYING(code, aclrtAppendBufChain(bad, good), "headBuf", word);
    ACL_FAILS_SAYING(code, aclrtAppendBufChain(good, bad), "buf", word);
    ACL_FAILS_SAYING(code, aclrtGetBufChainNum(bad, &count), "headBuf", word);
    ACL_FAILS_SAYING(code, aclrtGetBufFromChain(bad, 0, &pointer), "headBuf", word);
    EXPECT_TRUE(IsPoison(pointer) && IsPoison(size) && IsPoison(count) && IsPoison(byte));
}

}  // namespace

TEST_F(Buffer, HasRoomForItsData) {
    for (const size_t size : {size_t{1}, size_t{4096}, size_t{3} << 20}) {
        aclrtMbuf buffer = Alloc(size);
        const Data data = DataOf(buffer);
        EXPECT_EQ(data.size, size);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(data.at) % 64, 0u);
        std::memset(data.at, 0x5A, size);
        EXPECT_EQ(data.at[size - 1], 0x5A);
        ACL_OK(aclrtFreeBuf(buffer));
    }
}

TEST_F(Buffer, StreamsTreatItAsPinnedMemory) {
    ACL_OK(aclrtSetDevice(0));
    aclrtMbuf buffer = Alloc(4096);
    const Data data = DataOf(buffer);
    aclrtPtrAttributes attributes{};
    ACL_OK(aclrtPointerGetAttributes(data.at, &attributes));
    EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    std::memset(data.at, 0x33, 4096);
    DeviceMemory there(std::vector<unsigned char>(4096, 0));
    Stream stream;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemcpyAsync(there.At(), 4096, data.at, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    // Pending work keeps the memory.
    ACL_OK(aclrtFreeBuf(buffer));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(there.Download(), std::vector<unsigned char>(4096, 0x33));
}

TEST_F(Buffer, DataAreFreedByTheBufferOnly) {
    aclrtMbuf buffer = Alloc(100);
    const Data data = DataOf(buffer);
    ACL_FAILS(kDead, aclrtFreeHost(data.at));
    std::memset(data.at, 1, data.size);
    ACL_OK(aclrtFreeBuf(buffer));
    void* base = nullptr;
    size_t size = 0;
    ACL_FAILS(kDead, aclrtMemGetAddressRange(data.at, &base, &size));
}

TEST_F(Buffer, KeepsItsDataLength) {
    aclrtMbuf buffer = Alloc(100);
    EXPECT_EQ(Length(buffer), 0u);
    ACL_OK(aclrtSetBufDataLen(buffer, 100));
    EXPECT_EQ(Length(buffer), 100u);
    for (const size_t more : {size_t{101}, SIZE_MAX})
        ACL_FAILS_SAYING(kDead, aclrtSetBufDataLen(buffer, more), "len is " + std::to_string(more), "100 bytes");
    EXPECT_EQ(Length(buffer), 100u);
    ACL_OK(aclrtSetBufDataLen(buffer, 0));
    EXPECT_EQ(Length(buffer), 0u);
    EXPECT_EQ(DataOf(buffer).size, 100u);
    ACL_OK(aclrtFreeBuf(buffer));
}

TEST_F(Buffer, KeepsUserBytes) {
    aclrtMbuf buffer = Alloc(8);
    std::vector<unsigned char> all(kUser, 0xEE);
    ACL_OK(aclrtGetBufUserData(buffer, all.data(), kUser, 0));
    EXPECT_EQ(all, std::vector<unsigned char>(kUser, 0));
    ACL_OK(aclrtSetBufUserData(buffer, "hello", 5, 0));
    ACL_OK(aclrtSetBufUserData(buffer, "!", 1, kUser - 1));
    char word[6] = "-----";
    ACL_OK(aclrtGetBufUserData(buffer, word, 4, 1));
    EXPECT_STREQ(word, "ello-") << "four bytes from the second on";
    ACL_OK(aclrtGetBufUserData(buffer, word, 1, kUser - 1));
    EXPECT_EQ(word[0], '!');
    ACL_OK(aclrtFreeBuf(buffer));
}

TEST_F(Buffer, RefusesBytesBeyondTheUserBytes) {
    aclrtMbuf buffer = Alloc(8);
    unsigned char bytes[2 * kUser] = {};
    const struct {
        size_t size, offset;
    } bad[] = {{kUser + 1, 0}, {1, kUser}, {2, kUser - 1}, {SIZE_MAX, 1}, {1, SIZE_MAX}};
    for (const auto& [size, offset] : bad) {
        const std::string said = "offset " + std::to_string(offset) + " plus size " + std::to_string(size);
        ACL_FAILS_SAYING(kBad, aclrtSetBufUserData(buffer, bytes, size, offset), said, "96 user bytes");
        ACL_FAILS_SAYING(kBad, aclrtGetBufUserData(buffer, bytes, size, offset), said, "96 user bytes");
    }
    ACL_FAILS_SAYING(kBad, aclrtSetBufUserData(buffer, bytes, 0, 0), "size is 0");
    ACL_FAILS_SAYING(kBad, aclrtGetBufUserData(buffer, bytes, 0, 0), "size is 0");
    ACL_FAILS_SAYING(kBad, aclrtSetBufUserData(buffer, nullptr, 1, 0), "dataPtr is null");
    ACL_FAILS_SAYING(kBad, aclrtGetBufUserData(buffer, nullptr, 1, 0), "dataPtr is null");
    ACL_OK(aclrtFreeBuf(buffer));
}

TEST_F(Buffer, ReferencesShareTheDataAndNothingElse) {
    aclrtMbuf buffer = Alloc(64), other = nullptr;
    ACL_OK(aclrtSetBufDataLen(buffer, 5));
    ACL_OK(aclrtSetBufUserData(buffer, "a", 1, 0));
    ACL_OK(aclrtCopyBufRef(buffer, &other));
    EXPECT_NE(other, buffer);
    EXPECT_EQ(DataOf(other).at, DataOf(buffer).at);
    EXPECT_EQ(Length(other), 5u);
    ACL_OK(aclrtSetBufDataLen(other, 7));
    ACL_OK(aclrtSetBufUserData(other, "b", 1, 0));
    EXPECT_EQ(Length(buffer), 5u);
    char user = 0;
    ACL_OK(aclrtGetBufUserData(buffer, &user, 1, 0));
    EXPECT_EQ(user, 'a');
    // The memory lives until the last reference is freed.
    DataOf(buffer).at[0] = 42;
    ACL_OK(aclrtFreeBuf(buffer));
    ExpectRefused(buffer, other, kDead, "destroyed");
    EXPECT_EQ(DataOf(other).at[0], 42);
    ACL_OK(aclrtFreeBuf(other));
}

TEST_F(Buffer, ChainsKeepTheirOrderAndAreFreedWithTheHead) {
    aclrtMbuf head = Alloc(8), second = Alloc(16), third = Alloc(24), shared = nullptr;
    ACL_OK(aclrtCopyBufRef(third, &shared));
    EXPECT_EQ(ChainLength(head), 1u);
    EXPECT_EQ(InChain(head, 0), head);
    ACL_OK(aclrtAppendBufChain(head, second));
    ACL_OK(aclrtAppendBufChain(head, third));
    EXPECT_EQ(ChainLength(head), 3u);
    EXPECT_EQ(InChain(head, 0), head);
    EXPECT_EQ(InChain(head, 1), second);
    EXPECT_EQ(InChain(head, 2), third);
    EXPECT_EQ(DataOf(InChain(head, 2)).size, 24u);
    aclrtMbuf copy = nullptr;
    ACL_OK(aclrtCopyBufRef(head, &copy));
    EXPECT_EQ(ChainLength(copy), 1u) << "a reference has no chain";
    auto none = Poison<aclrtMbuf>();
    for (const uint32_t index : {3u, UINT32_MAX})
        ACL_FAILS_SAYING(kDead, aclrtGetBufFromChain(head, index, &none), "index is " + std::to_string(index),
                         "allowed: 0 to 2");
    EXPECT_TRUE(IsPoison(none));
    ACL_OK(aclrtFreeBuf(head));
    for (aclrtMbuf gone : {head, second, third}) ExpectRefused(gone, copy, kDead, "destroyed");
    EXPECT_EQ(DataOf(shared).size, 24u);
    ACL_OK(aclrtFreeBuf(shared));
    ACL_OK(aclrtFreeBuf(copy));
}

TEST_F(Buffer, ABufferIsInOneChain) {
    aclrtMbuf head = Alloc(8), member = Alloc(8), other = Alloc(8);
    ACL_OK(aclrtAppendBufChain(head, member));
    const std::string of_head = "chain of buffer " + Shown(head);
    auto count = Poison<uint32_t>();
    auto buffer = Poison<aclrtMbuf>();
    ACL_FAILS_SAYING(kDead, aclrtAppendBufChain(head, member), "buf", of_head);
    ACL_FAILS_SAYING(kDead, aclrtAppendBufChain(other, member), "buf", of_head);
    ACL_FAILS_SAYING(kDead, aclrtAppendBufChain(member, other), "headBuf", of_head);
    ACL_FAILS_SAYING(kDead, aclrtAppendBufChain(other, head),
                     "is the head of a chain; append only buffers without a chain");
    ACL_FAILS_SAYING(kDead, aclrtAppendBufChain(other, other), "must be different buffers");
    ACL_FAILS_SAYING(kDead, aclrtFreeBuf(member), of_head);
    ACL_FAILS_SAYING(kDead, aclrtGetBufChainNum(member, &count), of_head);
    ACL_FAILS_SAYING(kDead, aclrtGetBufFromChain(member, 0, &buffer), of_head);
    EXPECT_TRUE(IsPoison(count) && IsPoison(buffer));
    EXPECT_EQ(ChainLength(head), 2u);
    EXPECT_EQ(ChainLength(other), 1u);
    ACL_OK(aclrtFreeBuf(head));
    ACL_OK(aclrtFreeBuf(other));
}

TEST_F(Buffer, InvalidBuffers) {
    ACL_OK(aclrtSetDevice(0));
    Stream stream;
    aclrtMbuf good = Alloc(8);
    ExpectRefused(nullptr, good, kBad, "null");
    ExpectRefused(static_cast<aclrtStream>(stream), good, kDead, "kind stream");
    for (void* garbage : {reinterpret_cast<void*>(8), reinterpret_cast<void*>(UINTPTR_MAX)})
        ExpectRefused(garbage, good, kDead, "not a handle");
    ACL_OK(aclrtFreeBuf(good));
}

TEST_F(Buffer, InvalidSizesAndOutputs) {
    auto buffer = Poison<aclrtMbuf>();
    ACL_FAILS_SAYING(kBad, aclrtAllocBuf(&buffer, 0), "size is 0");
    for (const size_t size : {SIZE_MAX, SIZE_MAX - 64, SIZE_MAX / 2})
        ACL_FAILS(ACL_ERROR_BAD_ALLOC, aclrtAllocBuf(&buffer, size));
    EXPECT_TRUE(IsPoison(buffer));
    ACL_FAILS_SAYING(kBad, aclrtAllocBuf(nullptr, 8), "buf is null");
    aclrtMbuf good = Alloc(8);
    void* pointer = nullptr;
    size_t size = 0;
    ACL_FAILS_SAYING(kBad, aclrtGetBufData(good, nullptr, &size), "dataPtr is null");
    ACL_FAILS_SAYING(kBad, aclrtGetBufData(good, &pointer, nullptr), "size is null");
    ACL_FAILS_SAYING(kBad, aclrtGetBufDataLen(good, nullptr), "len is null");
    ACL_FAILS_SAYING(kBad, aclrtCopyBufRef(good, nullptr), "newBuf is null");
    ACL_FAILS_SAYING(kBad, aclrtGetBufChainNum(good, nullptr), "num is null");
    ACL_FAILS_SAYING(kBad, aclrtGetBufFromChain(good, 0, nullptr), "buf is null");
    ACL_OK(aclrtFreeBuf(good));
}

TEST_F(Buffer, EndsWithTheSession) {
    aclrtMbuf buffer = Alloc(8), member = Alloc(8);
    ACL_OK(aclrtAppendBufChain(buffer, member));
    ACL_OK(aclFinalize());
    auto none = Poison<aclrtMbuf>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtAllocBuf(&none, 8));
    ACL_DESTROYS_LATE(aclrtFreeBuf(buffer));
    ACL_DESTROYS_LATE(aclrtFreeBuf(member));
    ACL_OK(aclInit(nullptr));
    aclrtMbuf good = Alloc(8);
    ExpectRefused(buffer, good, kDead, "destroyed");
    ExpectRefused(member, good, kDead, "destroyed");
    EXPECT_TRUE(IsPoison(none));
    ACL_OK(aclrtFreeBuf(good));
}

TEST_F(Buffer, InsideAHostFunction) {
    ACL_OK(aclrtSetDevice(0));
    aclrtMbuf buffer = Alloc(8);
    const auto calls = [](void* buffer) {
        auto none = Poison<aclrtMbuf>();
        ACL_FAILS_SAYING(kDead, aclrtAllocBuf(&none, 8), "host function");
        ACL_FAILS_SAYING(kDead, aclrtFreeBuf(buffer), "host function");
        EXPECT_TRUE(IsPoison(none));
        // A host function may make the calls that neither allocate nor free.
        ACL_EXPECT_OK(aclrtSetBufDataLen(buffer, 3));
    };
    ACL_OK(aclrtLaunchHostFunc(nullptr, calls, buffer));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(Length(buffer), 3u);
    ACL_OK(aclrtFreeBuf(buffer));
}

TEST_F(Buffer, ThreadsShareAndFreeOne) {
    aclrtMbuf buffer = Alloc(4096);
    std::atomic<int> freed{0};
    OnThreads(4, [&](int index) {
        for (int i = 0; i < 200; ++i) {
            aclrtMbuf mine = nullptr;
            ACL_OK(aclrtCopyBufRef(buffer, &mine));
            DataOf(mine).at[index] = static_cast<unsigned char>(i);
            aclrtMbuf member = Alloc(16);
            ACL_OK(aclrtAppendBufChain(mine, member));
            ACL_OK(aclrtFreeBuf(mine));
        }
    });
    OnThreads(4, [&](int) {
        if (aclrtFreeBuf(buffer) == ACL_SUCCESS) ++freed;
    });
    EXPECT_EQ(freed, 1);
}
