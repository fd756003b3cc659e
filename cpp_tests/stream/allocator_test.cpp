// Allocators of the program: descriptions, and registration for streams.
#include "support/objects.h"
#include "support/says.h"

#include <atomic>
#include <functional>
#include <string>

using namespace portacl_test;

namespace {

using Allocator = WithDevice;

constexpr aclError kBad = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

// An allocator that counts its calls: its blocks are device memory with a number.
struct Counting {
    int allocated = 0, advised = 0, freed = 0;
};
struct AllocatorBlock {
    void* memory = nullptr;
};

void* Alloc(aclrtAllocator object, size_t size) {
    ++static_cast<Counting*>(object)->allocated;
    auto* block = new AllocatorBlock;
    ACL_EXPECT_OK(aclrtMalloc(&block->memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return block;
}
void Free(aclrtAllocator object, aclrtAllocatorBlock handed) {
    ++static_cast<Counting*>(object)->freed;
    auto* block = static_cast<AllocatorBlock*>(handed);
    ACL_EXPECT_OK(aclrtFree(block->memory));
    delete block;
}
void* AllocAdvise(aclrtAllocator object, size_t size, aclrtAllocatorAddr) {
    ++static_cast<Counting*>(object)->advised;
    return Alloc(object, size);
}
void* GetAddr(aclrtAllocatorBlock block) {
    return static_cast<AllocatorBlock*>(block)->memory;
}

class Description {
  public:
    Description() : handle_(aclrtAllocatorCreateDesc()) { EXPECT_NE(handle_, nullptr); }
    ~Description() {
        if (handle_) ExpectOk("aclrtAllocatorDestroyDesc", aclrtAllocatorDestroyDesc(handle_));
    }
    Description(const Description&) = delete;
    Description& operator=(const Description&) = delete;
    operator aclrtAllocatorDesc() const { return handle_; }
    void Fill(Counting* object) const {
        ACL_OK(aclrtAllocatorSetObjToDesc(handle_, object));
        ACL_OK(aclrtAllocatorSetAllocFuncToDesc(handle_, Alloc));
        ACL_OK(aclrtAllocatorSetFreeFuncToDesc(handle_, Free));
        ACL_OK(aclrtAllocatorSetAllocAdviseFuncToDesc(handle_, AllocAdvise));
        ACL_OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(handle_, GetAddr));
    }
    void Destroy() {
        ACL_OK(aclrtAllocatorDestroyDesc(handle_));
        handle_ = nullptr;
    }

  private:
    aclrtAllocatorDesc handle_;
};

// The result of aclrtAllocatorGetByStream.
struct Found {
    aclrtAllocatorDesc description = Poison<aclrtAllocatorDesc>();
    aclrtAllocator object = Poison<aclrtAllocator>();
    aclrtAllocatorAllocFunc alloc = Poison<aclrtAllocatorAllocFunc>();
    aclrtAllocatorFreeFunc free = Poison<aclrtAllocatorFreeFunc>();
    aclrtAllocatorAllocAdviseFunc advise = Poison<aclrtAllocatorAllocAdviseFunc>();
    aclrtAllocatorGetAddrFromBlockFunc get_addr = Poison<aclrtAllocatorGetAddrFromBlockFunc>();

    aclError Get(aclrtStream stream) {
        return aclrtAllocatorGetByStream(stream, &description, &object, &alloc, &free, &advise, &get_addr);
    }
    bool IsUntouched() const {
        return IsPoison(description) && IsPoison(object) && IsPoison(alloc) && IsPoison(free) && IsPoison(advise) &&
               IsPoison(get_addr);
    }
};

void ExpectNone(aclrtStream stream) {
    Found found;
    EXPECT_TRUE(FailedSaying("aclrtAllocatorGetByStream()", found.Get(stream), kDead, {"no allocator"}));
    EXPECT_TRUE(found.IsUntouched());
}

}  // namespace

// Used like a library that allocates workspace for a stream.
TEST_F(Allocator, IsFoundByItsStreamAndServes) {
    Counting counting;
    Description description;
    description.Fill(&counting);
    Stream stream, other;
    ACL_OK(aclrtAllocatorRegister(stream, description));
    Found found;
    ACL_OK(found.Get(stream));
    EXPECT_EQ(found.description, description);
    EXPECT_EQ(found.object, &counting);
    void* block = found.alloc(found.object, 256);
    void* advised = found.advise(found.object, 256, found.get_addr(block));
    ACL_OK(aclrtMemsetAsync(found.get_addr(block), 256, 1, 256, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    found.free(found.object, advised);
    found.free(found.object, block);
    EXPECT_EQ(counting.allocated, 2);
    EXPECT_EQ(counting.advised, 1);
    EXPECT_EQ(counting.freed, 2);
    ExpectNone(other);
    ACL_OK(aclrtAllocatorUnregister(stream));
    ExpectNone(stream);
    ACL_FAILS_SAYING(kDead, aclrtAllocatorUnregister(stream), "no allocator");
}

TEST_F(Allocator, TheLibraryDoesNotCallIt) {
    Counting counting;
    Description description;
    description.Fill(&counting);
    Stream stream;
    ACL_OK(aclrtAllocatorRegister(stream, description));
    DeviceMemory memory(4096);
    std::vector<unsigned char> pageable(4096);
    ACL_OK(aclrtMemsetAsync(memory.At(), 4096, 1, 4096, stream));
    ACL_OK(aclrtMemcpyAsync(pageable.data(), 4096, memory.At(), 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtDestroyStream(stream.Release()));
    EXPECT_EQ(counting.allocated + counting.advised + counting.freed, 0);
}

TEST_F(Allocator, RegistrationCopiesTheDescription) {
    Counting first, second;
    Description description;
    description.Fill(&first);
    Stream stream, later;
    ACL_OK(aclrtAllocatorRegister(stream, description));
    ACL_OK(aclrtAllocatorSetObjToDesc(description, &second));
    ACL_OK(aclrtAllocatorRegister(later, description));
    const auto number = static_cast<aclrtAllocatorDesc>(description);
    description.Destroy();
    Found found;
    ACL_OK(found.Get(stream));
    EXPECT_EQ(found.object, &first);
    EXPECT_EQ(found.description, number);
    ACL_OK(found.Get(later));
    EXPECT_EQ(found.object, &second);
}

TEST_F(Allocator, AStreamHasOneAllocator) {
    Counting counting;
    Description description, other;
    description.Fill(&counting);
    other.Fill(nullptr);
    Stream stream;
    ACL_OK(aclrtAllocatorRegister(stream, description));
    ACL_FAILS_SAYING(kDead, aclrtAllocatorRegister(stream, other), "already", "aclrtAllocatorUnregister");
    Found found;
    ACL_OK(found.Get(stream));
    EXPECT_EQ(found.object, &counting);
    ACL_OK(aclrtAllocatorUnregister(stream));
    ACL_OK(aclrtAllocatorRegister(stream, other));
    ACL_OK(found.Get(stream));
    EXPECT_EQ(found.object, nullptr) << "an allocator without an object";
}

TEST_F(Allocator, NeedsThreeOfItsFunctions) {
    Stream stream;
    Description description;
    const auto refused = [&](const char* missing) {
        ACL_FAILS_SAYING(kDead, aclrtAllocatorRegister(stream, description), missing, Shown(description));
    };
    refused("aclrtAllocatorSetAllocFuncToDesc");
    ACL_OK(aclrtAllocatorSetAllocFuncToDesc(description, Alloc));
    refused("aclrtAllocatorSetFreeFuncToDesc");
    ACL_OK(aclrtAllocatorSetFreeFuncToDesc(description, Free));
    refused("aclrtAllocatorSetGetAddrFromBlockFuncToDesc");
    ExpectNone(stream);
    ACL_OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, GetAddr));
    ACL_OK(aclrtAllocatorRegister(stream, description));
    Found found;
    ACL_OK(found.Get(stream));
    EXPECT_EQ(found.advise, nullptr);
    EXPECT_EQ(found.alloc, &Alloc);
    EXPECT_EQ(found.free, &Free);
    EXPECT_EQ(found.get_addr, &GetAddr);
}

TEST_F(Allocator, InvalidDescriptions) {
    Stream stream;
    Description ended;
    const aclrtAllocatorDesc number = ended;
    ended.Destroy();
    const auto refuse = [&](aclrtAllocatorDesc bad, aclError code, const std::string& word) {
        SCOPED_TRACE(Shown(bad));
        ACL_FAILS_SAYING(code, aclrtAllocatorDestroyDesc(bad), "allocatorDesc", word);
        ACL_FAILS_SAYING(code, aclrtAllocatorSetObjToDesc(bad, nullptr), "allocatorDesc", word);
        ACL_FAILS_SAYING(code, aclrtAllocatorSetAllocFuncToDesc(bad, Alloc), "allocatorDesc", word);
        ACL_FAILS_SAYING(code, aclrtAllocatorSetFreeFuncToDesc(bad, Free), "allocatorDesc", word);
        ACL_FAILS_SAYING(code, aclrtAllocatorSetAllocAdviseFuncToDesc(bad, AllocAdvise), "allocatorDesc", word);
        ACL_FAILS_SAYING(code, aclrtAllocatorSetGetAddrFromBlockFuncToDesc(bad, GetAddr), "allocatorDesc", word);
        ACL_FAILS_SAYING(code, aclrtAllocatorRegister(stream, bad), "allocatorDesc", word);
    };
    refuse(nullptr, kBad, "null");
    refuse(number, kDead, "destroyed");
    refuse(static_cast<aclrtStream>(stream), kDead, "kind stream");
    for (void* garbage : {reinterpret_cast<void*>(8), reinterpret_cast<void*>(UINTPTR_MAX)})
        refuse(garbage, kDead, "not a handle");
    ExpectNone(stream);
}

TEST_F(Allocator, NullFunctions) {
    Description description;
    ACL_FAILS_SAYING(kBad, aclrtAllocatorSetAllocFuncToDesc(description, nullptr), "func is null");
    ACL_FAILS_SAYING(kBad, aclrtAllocatorSetFreeFuncToDesc(description, nullptr), "func is null");
    ACL_FAILS_SAYING(kBad, aclrtAllocatorSetAllocAdviseFuncToDesc(description, nullptr), "func is null");
    ACL_FAILS_SAYING(kBad, aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, nullptr), "func is null");
}

TEST_F(Allocator, InvalidStreams) {
    Description description;
    description.Fill(nullptr);
    aclrtStream destroyed = nullptr;
    ACL_OK(aclrtCreateStream(&destroyed));
    ACL_OK(aclrtAllocatorRegister(destroyed, description));
    ACL_OK(aclrtDestroyStream(destroyed));
    Found found;
    const auto refuse = [&](aclrtStream bad, aclError code, const std::string& word) {
        SCOPED_TRACE(Shown(bad));
        ACL_FAILS_SAYING(code, aclrtAllocatorRegister(bad, description), "stream", word);
        ACL_FAILS_SAYING(code, aclrtAllocatorUnregister(bad), "stream", word);
        EXPECT_TRUE(FailedSaying("aclrtAllocatorGetByStream()", found.Get(bad), code, {"stream", word}));
    };
    refuse(nullptr, kBad, "null");
    refuse(destroyed, kDead, "destroyed");
    refuse(static_cast<aclrtAllocatorDesc>(description), kDead, "allocator description");
    refuse(reinterpret_cast<void*>(8), kDead, "not a handle");
    EXPECT_TRUE(found.IsUntouched());
    Stream stream;
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtAllocatorRegister(stream, description));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtAllocatorUnregister(stream));
        EXPECT_EQ(found.Get(stream), ACL_ERROR_RT_CONTEXT_NULL);
    });
    const auto inside = [](void* stream) {
        ACL_FAILS_SAYING(kDead, aclrtAllocatorUnregister(stream), "host function");
    };
    ACL_OK(aclrtLaunchHostFunc(stream, inside, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    ACL_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclrtAllocatorRegister(stream, description));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(Allocator, NullOutputs) {
    Counting counting;
    Description description;
    description.Fill(&counting);
    Stream stream;
    ACL_OK(aclrtAllocatorRegister(stream, description));
    Found f;
    ACL_FAILS_SAYING(kBad,
                     aclrtAllocatorGetByStream(stream, nullptr, &f.object, &f.alloc, &f.free, &f.advise, &f.get_addr),
                     "allocatorDesc is null");
    ACL_FAILS_SAYING(
        kBad, aclrtAllocatorGetByStream(stream, &f.description, nullptr, &f.alloc, &f.free, &f.advise, &f.get_addr),
        "allocator is null");
    ACL_FAILS_SAYING(
        kBad, aclrtAllocatorGetByStream(stream, &f.description, &f.object, nullptr, &f.free, &f.advise, &f.get_addr),
        "allocFunc is null");
    ACL_FAILS_SAYING(
        kBad, aclrtAllocatorGetByStream(stream, &f.description, &f.object, &f.alloc, nullptr, &f.advise, &f.get_addr),
        "freeFunc is null");
    ACL_FAILS_SAYING(
        kBad, aclrtAllocatorGetByStream(stream, &f.description, &f.object, &f.alloc, &f.free, nullptr, &f.get_addr),
        "allocAdviseFunc is null");
    ACL_FAILS_SAYING(
        kBad, aclrtAllocatorGetByStream(stream, &f.description, &f.object, &f.alloc, &f.free, &f.advise, nullptr),
        "getAddrFromBlockFunc is null");
    EXPECT_TRUE(f.IsUntouched());
}

TEST_F(Allocator, DescriptionsOutliveTheSession) {
    Description description;
    ACL_OK(aclFinalize());
    description.Fill(nullptr);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    Stream stream;
    ACL_OK(aclrtAllocatorRegister(stream, description));
}

TEST_F(Allocator, ManyThreadsRegisterOne) {
    Counting counting;
    Description description;
    description.Fill(&counting);
    Stream stream;
    std::atomic<int> registered{0};
    OnThreads(4, [&](int) {
        ACL_OK(aclrtSetDevice(0));
        if (aclrtAllocatorRegister(stream, description) == ACL_SUCCESS) ++registered;
    });
    EXPECT_EQ(registered, 1);
}
