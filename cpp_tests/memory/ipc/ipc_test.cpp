// Keys of device memory: what one process can do with its own keys, and which calls are refused.

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/gate.h"
#include "support/memory/ipc.h"
#include "support/memory/managed_memory.h"
#include "support/memory/virtual_memory.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr size_t kSize = 1 << 20;

class Ipc : public WithDevice {
  protected:
    KeyText key_ = Poison<KeyText>();
    void* imported_ = Poison<void*>();
};

}  // namespace

TEST_F(Ipc, KeysAreShortTexts) {
    const DeviceMemory memory(kSize);
    const KeyText key = ExportKey(memory.At(), kSize);
    EXPECT_GT(std::strlen(key), 30u);
    EXPECT_LT(std::strlen(key), sizeof key.text);
    const KeyText other = ExportKey(memory.At(), 1);
    EXPECT_STRNE(key, other) << "each call gives another one";
    CloseKey(key);
    ACL_FAILS_SAYING(kDead, aclrtIpcMemClose(key), "key");
    CloseKey(other);
}

TEST_F(Ipc, ExportChecksItsArguments) {
    const DeviceMemory memory(kSize);
    void* const ptr = memory.At();
    char* const text = key_.text;
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemGetExportKey(nullptr, kSize, text, 65, 0), "devPtr");
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemGetExportKey(ptr, kSize, nullptr, 65, 0), "key");
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemGetExportKey(ptr, 0, text, 65, 0), "size");
    for (const size_t size : {kSize + 4096, SIZE_MAX})
        ACL_FAILS_SAYING(kInvalid, aclrtIpcMemGetExportKey(ptr, size, text, 65, 0), "size is");
    for (const size_t len : {size_t{0}, size_t{1}, size_t{64}})
        ACL_FAILS_SAYING(kInvalid, aclrtIpcMemGetExportKey(ptr, kSize, text, len, 0), "len is",
                         Shown(static_cast<long long>(len)));
    for (const uint64_t flags : {uint64_t{2}, uint64_t{3}, ~uint64_t{0}})
        ACL_FAILS_SAYING(kInvalid, aclrtIpcMemGetExportKey(ptr, kSize, text, 65, flags), "flags is 0x");
    EXPECT_TRUE(IsPoison(key_));
}

TEST_F(Ipc, OnlyStartsOfPagesOfDeviceMemoryAreExported) {
    const DeviceMemory memory(kSize);
    char* const text = key_.text;
    int here = 0;
    ACL_FAILS_SAYING(kDead, aclrtIpcMemGetExportKey(&here, 1, text, 65, 0), "not a live");
    ACL_FAILS_SAYING(kDead, aclrtIpcMemGetExportKey(memory.At(4096), 1, text, 65, 0), "pass its start");
    const PinnedMemory pinned(kSize);
    ACL_FAILS_SAYING(kDead, aclrtIpcMemGetExportKey(pinned.At(), 1, text, 65, 0), "aclrtMalloc");
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, kPiece, ACL_RT_MEM_ATTACH_GLOBAL));
    ACL_FAILS_SAYING(kDead, aclrtIpcMemGetExportKey(managed, 1, text, 65, 0), "aclrtMalloc");
    ACL_OK(aclrtFree(managed));
    {
        const PhysicalMemory physical;
        const Range range(kPiece);
        const Mapping mapping(range.At(), physical);
        ACL_FAILS_SAYING(kDead, aclrtIpcMemGetExportKey(range.At(), 1, text, 65, 0), "aclrtMemExportToShareableHandle");
    }
    {
        const SharedPool pool;
        void* const ptr = pool.Malloc(kSize);
        ACL_FAILS_SAYING(kDead, aclrtIpcMemGetExportKey(ptr, 1, text, 65, 0), "portaclMemPoolExportPointer");
        FreeAndWait(ptr);
    }
    // Of small blocks, at most one per page begins at a page boundary.
    const DeviceMemory one(512), two(512);
    void* const small = reinterpret_cast<uintptr_t>(one.At()) % 4096 ? one.At() : two.At();
    ACL_FAILS_SAYING(kDead, aclrtIpcMemGetExportKey(small, 1, text, 65, 0), "4096");
    EXPECT_TRUE(IsPoison(key_));
}

TEST_F(Ipc, ImportChecksItsArguments) {
    const DeviceMemory memory(kSize);
    const KeyText key = ExportKey(memory.At(), kSize);
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemImportByKey(nullptr, key, 0), "devPtr");
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemImportByKey(&imported_, nullptr, 0), "key");
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemImportByKey(&imported_, "", 0), "key is empty");
    for (const uint64_t flags : {uint64_t{2}, ~uint64_t{0}})
        ACL_FAILS_SAYING(kInvalid, aclrtIpcMemImportByKey(&imported_, key, flags), "flags is 0x");
    const std::string cut(key, std::strlen(key) - 1), long_one(1000, 'a');
    for (const char* text : {"a", "-", "pacl3-1-1-1-1", cut.c_str(), long_one.c_str()})
        ACL_FAILS_SAYING(kDead, aclrtIpcMemImportByKey(&imported_, text, 0), "is not a key");
    ACL_FAILS_SAYING(kDead, aclrtIpcMemImportByKey(&imported_, key, 0), "exported by this process");
    CloseKey(key);
    EXPECT_TRUE(IsPoison(imported_));
}

TEST_F(Ipc, CloseAndListsCheckTheirArguments) {
    const DeviceMemory memory(kSize);
    const KeyText key = ExportKey(memory.At(), kSize, kListed);
    int32_t processes[] = {1, 2, 0};
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemClose(nullptr), "key");
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemClose(""), "key");
    ACL_FAILS_SAYING(kDead, aclrtIpcMemClose("nonsense"), "key");
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemSetImportPid(nullptr, processes, 1), "key");
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemSetImportPid("", processes, 1), "key");
    ACL_FAILS_SAYING(kDead, aclrtIpcMemSetImportPid("nonsense", processes, 1), "key");
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemSetImportPid(key, nullptr, 1), "pid");
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemSetImportPid(key, processes, 0), "num is 0");
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemSetImportPid(key, processes, SIZE_MAX), "num is 1844");
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemSetImportPid(key, processes, 3), "pid[2] is 0");
    processes[0] = -1;
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemSetImportPid(key, processes, 1), "pid[0] is -1");
    processes[0] = ThisProcess();
    ACL_EXPECT_OK(aclrtIpcMemSetImportPid(key, processes, 2));
    CloseKey(key);
    ACL_FAILS_SAYING(kDead, aclrtIpcMemSetImportPid(key, processes, 1), "key");
}

TEST_F(Ipc, LinksAreCheckedAndChangeNothing) {
    const DeviceMemory memory(kSize);
    const KeyText key = ExportKey(memory.At(), kSize);
    const auto link = ACL_RT_IPC_MEM_ATTR_ACCESS_LINK;
    for (const uint64_t value :
         {ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS,
          ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH})
        ACL_EXPECT_OK(aclrtIpcMemSetAttr(key, link, value));
    ACL_FAILS_SAYING(kInvalid, aclrtIpcMemSetAttr(nullptr, link, 0), "key");
    ACL_FAILS_SAYING(kDead, aclrtIpcMemSetAttr("nonsense", link, 0), "key");
    for (const int type : {-1, 1, 1000})
        ACL_FAILS_SAYING(kInvalid, aclrtIpcMemSetAttr(key, static_cast<aclrtIpcMemAttrType>(type), 0), "type is",
                         Shown(type));
    for (const uint64_t value : {uint64_t{4}, ~uint64_t{0}})
        ACL_FAILS_SAYING(kInvalid, aclrtIpcMemSetAttr(key, link, value), "attr is");
    CloseKey(key);
    ACL_FAILS_SAYING(kDead, aclrtIpcMemSetAttr(key, link, 0), "key");
}

TEST_F(Ipc, AKeyEndsWithItsMemory) {
    void* ptr = nullptr;
    ACL_OK(aclrtMalloc(&ptr, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    const KeyText key = ExportKey(ptr, kSize), second = ExportKey(ptr, kSize);
    ACL_OK(aclrtFree(ptr));
    ACL_FAILS(kDead, aclrtIpcMemClose(key));
    ACL_FAILS(kDead, aclrtIpcMemClose(second));
    // Keys of other memory stay valid.
    const DeviceMemory memory(kSize);
    const KeyText third = ExportKey(memory.At(), kSize);
    ACL_OK(aclrtMalloc(&ptr, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtFree(ptr));
    CloseKey(third);
}

TEST_F(Ipc, AKeyEndsWithItsDevice) {
    void* ptr = nullptr;
    ACL_OK(aclrtMalloc(&ptr, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    const KeyText key = ExportKey(ptr, kSize);
    ACL_OK(aclrtResetDevice(0));
    ACL_FAILS(kDead, aclrtIpcMemClose(key));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(Ipc, OtherServersAreNotSupported) {
    aclrtServerPid server{};
    ACL_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtIpcMemImportPidInterServer("key", &server, 1));
}

TEST_F(Ipc, ThreadsWithoutADeviceExportAndClose) {
    const DeviceMemory memory(kSize);
    std::thread([&] {
        const KeyText key = ExportKey(memory.At(), kSize);
        int32_t process = ThisProcess();
        ACL_EXPECT_OK(aclrtIpcMemSetImportPid(key, &process, 1));
        const std::string outside = WithPart(key, 0, "3fffff");
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtIpcMemImportByKey(&imported_, key, 0));
        CloseKey(key);
    }).join();
    EXPECT_TRUE(IsPoison(imported_));
}

TEST_F(Ipc, RefusedInsideAHostFunction) {
    const DeviceMemory memory(kSize);
    const KeyText key = ExportKey(memory.At(), kSize);
    struct IpcCalls {
        void* ptr;
        const char* key;
        aclError codes[5];
    } inside{memory.At(), key, {}};
    const Stream stream;
    ACL_OK(aclrtLaunchHostFunc(
        stream,
        [](void* data) {
            auto& my = *static_cast<IpcCalls*>(data);
            KeyText out{};
            void* ptr = nullptr;
            int32_t process = 1;
            my.codes[0] = aclrtIpcMemGetExportKey(my.ptr, 1, out.text, 65, 1);
            my.codes[1] = aclrtIpcMemImportByKey(&ptr, my.key, 0);
            my.codes[2] = aclrtIpcMemClose(my.key);
            my.codes[3] = aclrtIpcMemSetImportPid(my.key, &process, 1);
            my.codes[4] = aclrtIpcMemSetAttr(my.key, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 0);
        },
        &inside));
    ACL_OK(aclrtSynchronizeStream(stream));
    for (const aclError code : inside.codes) EXPECT_EQ(code, kDead);
    CloseKey(key);
}

TEST(IpcTeardown, AfterFinalizeKeysAreInvalid) {
    KeyText key = Poison<KeyText>();
    {
        const Session session;
        const DeviceMemory memory(kSize);
        key = ExportKey(memory.At(), kSize);
    }
    int32_t process = 1;
    void* ptr = Poison<void*>();
    KeyText out = Poison<KeyText>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtIpcMemClose(key));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtIpcMemSetImportPid(key, &process, 1));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtIpcMemSetAttr(key, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 0));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtIpcMemImportByKey(&ptr, key, 0));
    ACL_FAILS(kDead, aclrtIpcMemGetExportKey(&process, 1, out.text, 65, 0));
    EXPECT_FALSE(HasSocket(getpid()));
    const Session again;
    ACL_FAILS(kDead, aclrtIpcMemClose(key));
    EXPECT_TRUE(IsPoison(ptr) && IsPoison(out));
    // The thread returns.
    const DeviceMemory memory(kSize);
    const KeyText fresh = ExportKey(memory.At(), kSize);
    EXPECT_TRUE(HasSocket(getpid()));
    CloseKey(fresh);
}

// Threads write while the memory is exported, which moves it on CPUs. What they have written stays.
TEST_F(Ipc, WritesDuringAnExportAreKept) {
    constexpr size_t kThreads = 3, kSlot = 256;
    for (const size_t size : {size_t{4096}, size_t{kSize}, size_t{5} << 20}) {
        const DeviceMemory memory(size);
        std::atomic<bool> stop{false};
        std::vector<uint64_t> written(kThreads);
        std::vector<std::thread> threads;
        for (size_t i = 0; i < kThreads; ++i)
            threads.emplace_back([&, i] {
                ACL_EXPECT_OK(aclrtSetDevice(0));
                const Stream stream;
                char* const slot = static_cast<char*>(memory.At()) + i * kSlot;
                do {
                    const uint64_t next = written[i] + 1;
                    // By the calling thread, and by one of the library's.
                    ACL_EXPECT_OK(aclrtMemcpy(slot, sizeof next, &next, sizeof next, ACL_MEMCPY_HOST_TO_DEVICE));
                    ACL_EXPECT_OK(
                        aclrtMemsetAsync(slot + 8, kSlot - 8, static_cast<int>(next & 0xff), kSlot - 8, stream));
                    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
                    written[i] = next;
                } while (!stop);
            });
        const KeyText key = ExportKey(memory.At(), size);
        stop = true;
        for (auto& thread : threads) thread.join();
        for (size_t i = 0; i < kThreads; ++i) {
            uint64_t found[kSlot / 8];
            ACL_EXPECT_OK(aclrtMemcpy(found, kSlot, static_cast<char*>(memory.At()) + i * kSlot, kSlot,
                                      ACL_MEMCPY_DEVICE_TO_HOST));
            EXPECT_EQ(found[0], written[i]);
            EXPECT_EQ(found[1] & 0xff, written[i] & 0xff);
        }
        CloseKey(key);
    }
}

TEST_F(Ipc, ShortMemoryIsNotExported) {
    // One of them begins at a multiple of 4 KiB, and has neighbours on its page.
    std::vector<std::unique_ptr<DeviceMemory>> all;
    for (int i = 0; i < 16; ++i) {
        all.push_back(std::make_unique<DeviceMemory>(512));
        if (!OnCpu()) continue;
        KeyText key = Poison<KeyText>();
        ACL_FAILS_SAYING(kDead, aclrtIpcMemGetExportKey(all.back()->At(), 512, key.text, sizeof key.text, kAnyone),
                         "allocate at least 4096 bytes");
        EXPECT_TRUE(IsPoison(key));
    }
}
