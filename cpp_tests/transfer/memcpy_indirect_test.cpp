// Copies whose addresses are in device memory, and are read when the stream reaches the copy.
#include "support/gate.h"
#include "support/memory/managed_memory.h"
#include "support/objects.h"
#include "support/says.h"

#include <climits>
#include <string>

using namespace portacl_test;

namespace {

using MemcpyIndirect = WithDevice;
using Bytes = std::vector<unsigned char>;

constexpr aclError kBad = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr auto kInner = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
constexpr size_t kSize = 4096;

// A word of device memory that contains an address.
class Pointer {
  public:
    explicit Pointer(void* to) : word_(std::vector<void*>{to}) {}
    void Set(void* to) { word_.Upload(std::vector<void*>{to}); }
    void* At() const { return word_.At(); }
    operator void**() const { return static_cast<void**>(word_.At()); }
    operator const void**() const { return static_cast<const void**>(word_.At()); }

  private:
    DeviceMemory word_;
};

aclError Copy(void** dst, size_t room, size_t dst_offset, const void** src, size_t count, size_t src_offset,
              aclrtStream stream) {
    return aclrtMemcpyAsyncWithOffset(dst, room, dst_offset, src, count, src_offset, kInner, stream);
}

Bytes Part(const Bytes& all, size_t from, size_t count) {
    return {all.begin() + static_cast<long>(from), all.begin() + static_cast<long>(from + count)};
}

}  // namespace

TEST_F(MemcpyIndirect, CopiesBetweenTheAddressesInTheWords) {
    Stream stream;
    const Bytes bytes = Pattern(kSize);
    DeviceMemory src(bytes);
    Pointer from(src.At());
    // Aligned and not, shorter and longer than a vector, at the first byte and at an offset.
    const struct {
        size_t dst, src, count;
    } cases[] = {{0, 0, kSize}, {0, 0, 1},    {1, 2, 100},  {16, 16, 64}, {3, 3, 1000},
                 {0, 8, 4088},  {4095, 0, 1}, {0, 4095, 1}, {7, 0, 15},   {32, 64, 1025}};
    for (const auto& c : cases) {
        SCOPED_TRACE(std::to_string(c.dst) + " " + std::to_string(c.src) + " " + std::to_string(c.count));
        DeviceMemory dst(Bytes(kSize, 0xEE));
        Pointer to(dst.At());
        ACL_OK(Copy(to, kSize, c.dst, from, c.count, c.src, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        Bytes wanted(kSize, 0xEE);
        std::copy_n(bytes.begin() + static_cast<long>(c.src), c.count, wanted.begin() + static_cast<long>(c.dst));
        EXPECT_EQ(dst.Download(), wanted);
    }
}

TEST_F(MemcpyIndirect, CopiesLargeBlocks) {
    constexpr size_t kLarge = (5 << 20) + 3;
    Stream stream;
    const Bytes bytes = Pattern(kLarge);
    DeviceMemory src(bytes), dst(kLarge);
    Pointer from(src.At()), to(dst.At());
    ACL_OK(Copy(to, kLarge, 0, from, kLarge, 0, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(dst.Download(), bytes);
}

// The content of the words at the time of the call does not matter.
TEST_F(MemcpyIndirect, ReadsTheWordsInStreamOrder) {
    Stream stream;
    DeviceMemory one(Bytes(64, 1)), two(Bytes(64, 2)), dst(Bytes(64, 0xEE));
    Pointer from(one.At()), to(dst.At());
    PinnedMemory word(sizeof(void*));
    *reinterpret_cast<void**>(word.Bytes()) = two.At();
    Gate gate;
    ACL_OK(gate.Hold(stream));
    // Earlier work of the stream changes the source.
    ACL_OK(aclrtMemcpyAsync(from.At(), sizeof(void*), word.At(), sizeof(void*), ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(Copy(to, 64, 0, from, 64, 0, stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(dst.Download(), Bytes(64, 2));
}

TEST_F(MemcpyIndirect, IsOrderedWithOtherWork) {
    DeviceMemory src(Bytes(kSize, 0)), dst(kSize);
    Pointer from(src.At()), to(dst.At());
    Stream stream;
    for (unsigned char value = 1; value <= 20; ++value) {
        PinnedMemory seen(kSize, 0);
        ACL_OK(aclrtMemsetAsync(src.At(), kSize, value, kSize, stream));
        ACL_OK(Copy(to, kSize, 0, from, kSize, 0, stream));
        ACL_OK(aclrtMemsetAsync(src.At(), kSize, 0xFF, kSize, stream));
        ACL_OK(aclrtMemcpyAsync(seen.At(), kSize, dst.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(seen.Copy(), Bytes(kSize, value));
    }
}

TEST_F(MemcpyIndirect, FreedMemoryIsKeptForPendingCopies) {
    Stream stream;
    DeviceMemory src(Bytes(kSize, 5)), dst(Bytes(kSize, 0xEE));
    DeviceMemory source_word(std::vector<void*>{src.At()});
    DeviceMemory target_word(std::vector<void*>{dst.At()});
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(Copy(static_cast<void**>(target_word.At()), kSize, 0, static_cast<const void**>(source_word.At()), kSize, 0,
                stream));
    ACL_OK(aclrtFree(src.Release()));
    ACL_OK(aclrtFree(source_word.Release()));
    // The memory is allocated again only after the copy.
    DeviceMemory next(kSize);
    ACL_OK(aclrtMemset(next.At(), kSize, 9, kSize));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(dst.Download(), Bytes(kSize, 5));
}

TEST_F(MemcpyIndirect, AcceptsManagedMemory) {
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, kManagedGrain, ACL_RT_MEM_ATTACH_GLOBAL));
    DeviceMemory src(Bytes(64, 3)), dst(Bytes(64, 0xEE));
    auto** words = static_cast<void**>(managed);
    words[0] = src.At();
    words[1] = dst.At();
    ACL_OK(Copy(words + 1, 64, 0, const_cast<const void**>(words), 64, 0, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(dst.Download(), Bytes(64, 3));
    ACL_OK(aclrtFree(managed));
}

TEST_F(MemcpyIndirect, ReadsDescriptionsInStreamOrder) {
    Stream stream;
    auto size = Poison<size_t>();
    ACL_OK(aclrtGetMemcpyDescSize(kInner, &size));
    ASSERT_EQ(size, 64u);
    DeviceMemory one(Bytes(kSize, 1)), two(Pattern(kSize)), dst(Bytes(kSize, 0xEE));
    DeviceMemory first(size), second(Bytes(size + 8, 0xEE));
    ACL_OK(aclrtSetMemcpyDesc(first.At(), kInner, one.At(), dst.At(), kSize, nullptr));
    ACL_OK(aclrtSetMemcpyDesc(second.At(), kInner, two.At(), dst.At(), 100, nullptr));
    EXPECT_EQ(Part(second.Download(), size, 8), Bytes(8, 0xEE)) << "no more than its size";
    ACL_OK(aclrtMemcpyAsyncWithDesc(first.At(), kInner, stream));
    // The same description, which the stream has changed in between.
    ACL_OK(aclrtMemcpyAsync(first.At(), size, second.At(), size, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_OK(aclrtMemcpyAsyncWithDesc(first.At(), kInner, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    Bytes wanted(kSize, 1);
    const Bytes pattern = Pattern(kSize);
    std::copy_n(pattern.begin(), 100, wanted.begin());
    EXPECT_EQ(dst.Download(), wanted);
}

TEST_F(MemcpyIndirect, ZeroBytesDoNothing) {
    Stream stream;
    DeviceMemory description(64);
    ACL_OK(Copy(nullptr, 0, 0, nullptr, 0, 0, stream));
    ACL_OK(aclrtSetMemcpyDesc(description.At(), kInner, nullptr, nullptr, 0, nullptr));
    ACL_OK(aclrtMemcpyAsyncWithDesc(description.At(), ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
}

// On a GPU this fails the device, as in a kernel.
TEST_F(MemcpyIndirect, InvalidAddressesFailTheStream) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: a GPU does not survive it";
    constexpr aclError kFailed = ACL_ERROR_RT_AICORE_EXCEPTION;
    Stream stream;
    DeviceMemory good(Bytes(kSize, 7));
    PinnedMemory pinned(kSize);
    Bytes pageable(kSize, 0x22);
    Pointer to(good.At());
    for (void* bad : {static_cast<void*>(nullptr), reinterpret_cast<void*>(8), reinterpret_cast<void*>(UINTPTR_MAX),
                      pinned.At(), static_cast<void*>(pageable.data())}) {
        SCOPED_TRACE(Shown(bad));
        Pointer word(bad);
        ACL_OK(Copy(to, kSize, 0, word, 64, 0, stream));
        ACL_FAILS_SAYING(kFailed, aclrtSynchronizeStream(stream), "as its source", Shown(bad));
        ACL_OK(Copy(word, kSize, 0, to, 64, 0, stream));
        ACL_FAILS_SAYING(kFailed, aclrtSynchronizeStream(stream), "as its destination");
    }
    ACL_OK(Copy(to, SIZE_MAX, 0, to, SIZE_MAX / 2, 0, stream));
    ACL_FAILS(kFailed, aclrtSynchronizeStream(stream));
    EXPECT_EQ(pageable, Bytes(kSize, 0x22));
    // The stream continues.
    DeviceMemory dst(Bytes(64, 0xEE));
    Pointer there(dst.At());
    ACL_OK(Copy(there, 64, 0, to, 64, 0, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(MemcpyIndirect, Kinds) {
    Stream stream;
    DeviceMemory memory(kSize);
    Pointer word(memory.At());
    auto size = Poison<size_t>();
    const auto all = [&](int number, aclError code, const std::string& said) {
        SCOPED_TRACE(number);
        const auto kind = static_cast<aclrtMemcpyKind>(number);
        ACL_FAILS_SAYING(code, aclrtMemcpyAsyncWithOffset(word, 8, 0, word, 8, 0, kind, stream), said);
        ACL_FAILS_SAYING(code, aclrtGetMemcpyDescSize(kind, &size), said);
        ACL_FAILS_SAYING(code, aclrtSetMemcpyDesc(memory.At(), kind, memory.At(), memory.At(), 8, nullptr), said);
        ACL_FAILS_SAYING(code, aclrtMemcpyAsyncWithDesc(memory.At(), kind, stream), said);
    };
    for (const int number : {-1, 8, INT_MIN, INT_MAX}) all(number, kBad, "kind is " + std::to_string(number));
    for (const int number : {0, 1, 2, 4, 5, 7})
        all(number, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "kind is " + std::to_string(number));
    EXPECT_TRUE(IsPoison(size));
}

TEST_F(MemcpyIndirect, BadArguments) {
    Stream stream;
    DeviceMemory memory(kSize), description(64);
    PinnedMemory pinned(64);
    Pointer word(memory.At());
    const void** const word_in = word;
    const auto refused = [](aclError code, aclError got, std::initializer_list<std::string> words) {
        EXPECT_TRUE(FailedSaying("aclrtMemcpyAsyncWithOffset()", got, code, words));
    };
    auto* const host = static_cast<void**>(pinned.At());
    auto* const odd = reinterpret_cast<void**>(memory.At(4));
    auto* const last = reinterpret_cast<void**>(memory.At(kSize));
    refused(kBad, Copy(nullptr, 8, 0, word_in, 8, 0, stream), {"dst is null"});
    refused(kBad, Copy(word, 8, 0, nullptr, 8, 0, stream), {"src is null"});
    refused(kBad, Copy(word, 8, 0, word_in, 9, 0, stream), {"count 9", "destMax 8"});
    refused(ACL_ERROR_RT_ADDR_UNALIGNED, Copy(odd, 8, 0, word_in, 8, 0, stream), {"dst"});
    refused(ACL_ERROR_RT_ADDR_UNALIGNED, Copy(word, 8, 0, const_cast<const void**>(odd), 8, 0, stream), {"src"});
    refused(kDead, Copy(host, 8, 0, word_in, 8, 0, stream), {"dst", "host memory"});
    refused(kDead, Copy(word, 8, 0, const_cast<const void**>(host), 8, 0, stream), {"src", "host memory"});
    refused(kDead, Copy(last + 8, 8, 0, word_in, 8, 0, stream), {"dst"});
    void *at = memory.At(), *to = description.At();
    ACL_FAILS_SAYING(kBad, aclrtGetMemcpyDescSize(kInner, nullptr), "descSize is null");
    ACL_FAILS_SAYING(kBad, aclrtSetMemcpyDesc(nullptr, kInner, at, at, 8, nullptr), "desc is null");
    ACL_FAILS_SAYING(kBad, aclrtSetMemcpyDesc(to, kInner, nullptr, at, 8, nullptr), "srcAddr is null");
    ACL_FAILS_SAYING(kBad, aclrtSetMemcpyDesc(to, kInner, at, nullptr, 8, nullptr), "dstAddr is null");
    ACL_FAILS_SAYING(kBad, aclrtSetMemcpyDesc(to, kInner, at, at, 8, at), "config is 0x");
    ACL_FAILS_SAYING(kDead, aclrtSetMemcpyDesc(to, kInner, at, at, 2 * kSize, nullptr), "srcAddr");
    ACL_FAILS_SAYING(kDead, aclrtSetMemcpyDesc(to, kInner, at, memory.At(8), kSize + 64, nullptr), "Addr");
    ACL_FAILS_SAYING(kDead, aclrtSetMemcpyDesc(to, kInner, pinned.At(), at, 8, nullptr), "srcAddr", "host memory");
    ACL_FAILS_SAYING(kDead, aclrtSetMemcpyDesc(pinned.At(), kInner, at, at, 8, nullptr), "desc", "host memory");
    ACL_FAILS_SAYING(ACL_ERROR_RT_ADDR_UNALIGNED, aclrtSetMemcpyDesc(memory.At(4), kInner, at, at, 8, nullptr), "desc");
    ACL_FAILS_SAYING(kBad, aclrtMemcpyAsyncWithDesc(nullptr, kInner, stream), "desc is null");
    ACL_FAILS_SAYING(kDead, aclrtMemcpyAsyncWithDesc(memory.At(kSize), kInner, stream), "desc");
    ACL_OK(aclrtSynchronizeStream(stream));
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    DeviceMemory there(kSize);
    ACL_OK(aclrtSetDevice(0));
    refused(kDead, Copy(static_cast<void**>(there.At()), 8, 0, word_in, 8, 0, stream), {"memory on device 1"});
}
