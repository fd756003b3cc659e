// Sharing memory pools: refused arguments, and refused calls in states without sharing.

#include <thread>

#include "support/pool/shared_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kNull = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclrtMemHandleType kPosix = ACL_MEM_HANDLE_TYPE_POSIX;

}  // namespace

namespace {

class MemPoolSharingErrors : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        data_.size = sizeof data_;
        descriptor_ = Poison<int>();
    }

    ExportData data_ = Poison<ExportData>();
    int descriptor_;
    aclrtMemPool imported_ = Poison<aclrtMemPool>();
};

}  // namespace

TEST_F(MemPoolSharingErrors, ExportChecksItsArguments) {
    SharedPool pool;
    const auto none = ACL_MEM_HANDLE_TYPE_NONE;
    ACL_FAILS_SAYING(kNull, portaclMemPoolExportToShareableHandle(nullptr, pool, kPosix, 0), "shareableHandle");
    ACL_FAILS_SAYING(kNull, portaclMemPoolExportToShareableHandle(&descriptor_, nullptr, kPosix, 0), "memPool");
    for (uint32_t flags : {1u, 2u, ~0u})
        ACL_FAILS_SAYING(kNull, portaclMemPoolExportToShareableHandle(&descriptor_, pool, kPosix, flags), "flags",
                         Shown(reinterpret_cast<const void*>(uintptr_t{flags})));
    for (int type : {-1, 1, 3, 4, 7, 100})
        ACL_FAILS_SAYING(
            kNull, portaclMemPoolExportToShareableHandle(&descriptor_, pool, static_cast<aclrtMemHandleType>(type), 0),
            "handleType", Shown(type));
    ACL_FAILS_SAYING(kNull, portaclMemPoolExportToShareableHandle(&descriptor_, pool, none, 0), "handleType");
    const auto fabric = static_cast<aclrtMemHandleType>(PORTACL_MEM_HANDLE_TYPE_FABRIC);
    ACL_FAILS(kDead, portaclMemPoolExportToShareableHandle(&descriptor_, pool, fabric, 0));
    {
        SharedPool unshared(PoolProps());
        ACL_FAILS_SAYING(kDead, portaclMemPoolExportToShareableHandle(&descriptor_, unshared, kPosix, 0),
                         "was created with ACL_MEM_HANDLE_TYPE_NONE", "create a pool with ACL_MEM_HANDLE_TYPE_POSIX");
    }
    const Stream stream;
    const aclrtMemPool stale = pool;
    pool.Destroy();
    for (void* handle : {stale, static_cast<void*>(stream), reinterpret_cast<void*>(0x1234567)})
        ACL_FAILS(kDead, portaclMemPoolExportToShareableHandle(&descriptor_, handle, kPosix, 0));
    EXPECT_TRUE(IsPoison(descriptor_));
}

TEST_F(MemPoolSharingErrors, ImportChecksItsArguments) {
    SharedPool pool;
    const Descriptor good(pool.Export());
    ACL_FAILS_SAYING(kNull, portaclMemPoolImportFromShareableHandle(nullptr, Handle(good), kPosix, 0), "memPool");
    for (uint32_t flags : {1u, ~0u})
        ACL_FAILS_SAYING(kNull, portaclMemPoolImportFromShareableHandle(&imported_, Handle(good), kPosix, flags),
                         "flags", Shown(reinterpret_cast<const void*>(uintptr_t{flags})));
    for (int type : {0, -1, 1, 3, 100})
        ACL_FAILS_SAYING(
            kNull,
            portaclMemPoolImportFromShareableHandle(&imported_, Handle(good), static_cast<aclrtMemHandleType>(type), 0),
            "handleType", Shown(type));
    const auto fabric = static_cast<aclrtMemHandleType>(PORTACL_MEM_HANDLE_TYPE_FABRIC);
    unsigned char handle[64] = {};
    if (OnCpu()) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                         portaclMemPoolImportFromShareableHandle(&imported_, handle, fabric, 0), "FABRIC",
                         "ACL_MEM_HANDLE_TYPE_POSIX");
    }
    const int closed = dup(good);
    close(closed);
    for (int number : {-1, closed, 1 << 20})
        ACL_FAILS_SAYING(kDead, portaclMemPoolImportFromShareableHandle(&imported_, Handle(number), kPosix, 0),
                         "shareableHandle", Shown(number));
    // A value with more bits than a descriptor.
    ACL_FAILS_SAYING(
        kDead,
        portaclMemPoolImportFromShareableHandle(&imported_, reinterpret_cast<void*>(0x100000000 + good), kPosix, 0),
        "shareableHandle");
    EXPECT_TRUE(IsPoison(imported_));
}

TEST_F(MemPoolSharingErrors, ForeignDescriptorsAreRefused) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const Descriptor reader(ends[0]), writer(ends[1]);
    const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC)), folder(open("/", O_RDONLY | O_CLOEXEC)),
        program(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)), empty(memfd_create("foreign", MFD_CLOEXEC)),
        memory(memfd_create("foreign", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(ftruncate(memory, 4 << 20), 0);
    ASSERT_EQ(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    for (int number : {int{reader}, int{writer}, int{null}, int{folder}, int{program}, int{empty}, int{memory}}) {
        ACL_FAILS(kDead, portaclMemPoolImportFromShareableHandle(&imported_, Handle(number), kPosix, 0));
        EXPECT_TRUE(IsPoison(imported_));
        EXPECT_NE(fcntl(number, F_GETFD), -1) << "the descriptor stays the caller's";
    }
}

TEST_F(MemPoolSharingErrors, ExportPointerChecksItsArguments) {
    SharedPool pool, unshared(PoolProps());
    void *const ptr = pool.Malloc(4096), *const own = unshared.Malloc(4096);
    const DeviceMemory plain(4096);
    const PinnedMemory pinned(4096);
    int local = 0;
    const auto untouched = data_;
    ACL_FAILS_SAYING(kNull, portaclMemPoolExportPointer(nullptr, ptr), "exportData");
    ACL_FAILS_SAYING(kNull, portaclMemPoolExportPointer(&data_, nullptr), "ptr");
    ACL_FAILS_SAYING(kDead, portaclMemPoolExportPointer(&data_, own), "ACL_MEM_HANDLE_TYPE_POSIX");
    void* const inside = static_cast<char*>(ptr) + 256;
    for (void* other : {inside, plain.At(), pinned.At(), static_cast<void*>(&local)})
        ACL_FAILS_SAYING(kDead, portaclMemPoolExportPointer(&data_, other), "ptr", Shown(other));
    FreeAndWait(own);
    EXPECT_EQ(std::memcmp(&data_, &untouched, sizeof data_), 0);
    for (size_t size : {size_t{0}, sizeof data_ - 1, sizeof data_ + 1, ~size_t{0}}) {
        data_.size = size;
        ACL_FAILS_SAYING(kNull, portaclMemPoolExportPointer(&data_, ptr), "size", std::to_string(size));
    }
    FreeAndWait(ptr);
    data_.size = sizeof data_;
    ACL_FAILS_SAYING(kDead, portaclMemPoolExportPointer(&data_, ptr), "ptr");
    EXPECT_EQ(std::memcmp(&data_, &untouched, sizeof data_), 0);
}

TEST_F(MemPoolSharingErrors, ImportPointerChecksItsArguments) {
    SharedPool pool;
    void* const ptr = pool.Malloc(4096);
    ExportData data = ExportPointer(ptr);
    void* imported = Poison<void*>();
    ACL_FAILS_SAYING(kNull, portaclMemPoolImportPointer(nullptr, pool, &data), "ptr");
    ACL_FAILS_SAYING(kNull, portaclMemPoolImportPointer(&imported, nullptr, &data), "memPool");
    ACL_FAILS_SAYING(kNull, portaclMemPoolImportPointer(&imported, pool, nullptr), "exportData");
    ACL_FAILS_SAYING(kDead, portaclMemPoolImportPointer(&imported, pool, &data), "memPool", "imported");
    const Stream stream;
    ACL_FAILS(kDead, portaclMemPoolImportPointer(&imported, stream, &data));
    for (size_t size : {size_t{0}, sizeof data - 1, sizeof data + 1}) {
        data.size = size;
        ACL_FAILS_SAYING(kNull, portaclMemPoolImportPointer(&imported, pool, &data), "size", std::to_string(size));
    }
    FreeAndWait(ptr);
    EXPECT_TRUE(IsPoison(imported));
}

TEST_F(MemPoolSharingErrors, RefusedInsideAHostFunction) {
    struct SharingCalls {
        SharedPool pool;
        void* ptr;
        int descriptor;
        ExportData data;
        aclError codes[4];
    } arguments{SharedPool(), nullptr, -1, {}, {}};
    arguments.ptr = arguments.pool.Malloc(100);
    arguments.data = ExportPointer(arguments.ptr);
    arguments.descriptor = arguments.pool.Export();
    const auto call = [](void* raw) {
        auto& a = *static_cast<SharingCalls*>(raw);
        int descriptor;
        ExportData data{};
        data.size = sizeof data;
        void* ptr;
        aclrtMemPool pool;
        a.codes[0] = portaclMemPoolExportToShareableHandle(&descriptor, a.pool, kPosix, 0);
        a.codes[1] = portaclMemPoolImportFromShareableHandle(&pool, Handle(a.descriptor), kPosix, 0);
        a.codes[2] = portaclMemPoolExportPointer(&data, a.ptr);
        a.codes[3] = portaclMemPoolImportPointer(&ptr, a.pool, &a.data);
    };
    ACL_OK(aclrtLaunchHostFunc(nullptr, call, &arguments));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    for (aclError code : arguments.codes) EXPECT_EQ(code, kDead);
    close(arguments.descriptor);
    FreeAndWait(arguments.ptr);
}

TEST_F(MemPoolSharingErrors, ExportingNeedsNoDeviceAndImportingDoes) {
    SharedPool pool;
    void* const ptr = pool.Malloc(100);
    std::thread([&] {
        const Descriptor descriptor(pool.Export());
        ExportPointer(ptr);
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL,
                  portaclMemPoolImportFromShareableHandle(&imported_, Handle(descriptor), kPosix, 0));
        EXPECT_TRUE(IsPoison(imported_));
    }).join();
    FreeAndWait(ptr);
}

TEST(MemPoolSharingTeardown, AfterFinalizeNothingIsShared) {
    int descriptor = -1;
    aclrtMemPool pool = nullptr, imported = Poison<aclrtMemPool>();
    {
        const Session session;
        SharedPool made;
        descriptor = made.Export();
        pool = made.Release();
    }
    const Descriptor open(descriptor);
    ACL_FAILS(kDead, portaclMemPoolExportToShareableHandle(&descriptor, pool, kPosix, 0));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclMemPoolImportFromShareableHandle(&imported, Handle(open), kPosix, 0));
    EXPECT_TRUE(IsPoison(imported));
    const Session session;
    if (OnGpu()) return;
    ACL_FAILS(kDead, portaclMemPoolImportFromShareableHandle(&imported, Handle(open), kPosix, 0));
    EXPECT_TRUE(IsPoison(imported));
}

OWN_PROCESS_TEST(MemPoolSharingTeardown, AForkedChildSharesNothing) {
    const Session session;
    SharedPool pool;
    void* const ptr = pool.Malloc(100);
    const Descriptor descriptor(pool.Export());
    const ExportData exported = ExportPointer(ptr);
    const pid_t child = fork();
    if (child == 0) {
        int number = 7;
        ExportData data{};
        data.size = sizeof data;
        aclrtMemPool imported = nullptr;
        void* there = nullptr;
        const bool refused =
            portaclMemPoolExportToShareableHandle(&number, pool, kPosix, 0) == kDead &&
            portaclMemPoolImportFromShareableHandle(&imported, Handle(descriptor), kPosix, 0) == kDead &&
            portaclMemPoolExportPointer(&data, ptr) == kDead &&
            portaclMemPoolImportPointer(&there, pool, &exported) == kDead &&
            aclrtMemPoolFreeAsync(ptr, nullptr) == kDead && number == 7 && !imported && !there;
        _exit(refused ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    Set(ptr, 100, 1);
    FreeAndWait(ptr);
}
