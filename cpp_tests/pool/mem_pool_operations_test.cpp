// Operations of a stream on memory of another device: one rule for all of them. Reading needs read
// access, writing needs read-write access.

#include "pool/pool_operation.h"

using namespace portacl_test;

namespace {

bool Allows(Access access, const Operation& operation) {
    return access == Access::kReadWrite || (access == Access::kRead && !operation.writes);
}

std::vector<Access> Accesses() {
    if (!IsExact()) return {Access::kNone, Access::kReadWrite};  // GPUs grant both or none.
    return {Access::kNone, Access::kRead, Access::kReadWrite, Access::kRead, Access::kNone};
}

// A new pool on device 1, and kBytes of it, allocated and complete. Device 0 is current afterwards.
aclError MallocFromPoolOfDevice1(aclrtMemPool* pool, void** memory) {
    const aclrtMemPoolProps props = PoolProps(1);
    aclError code = aclrtSetDevice(1);
    if (code == ACL_SUCCESS) code = aclrtMemPoolCreate(pool, &props);
    if (code == ACL_SUCCESS) code = aclrtMemPoolMallocAsync(memory, kBytes, *pool, nullptr);
    if (code == ACL_SUCCESS) code = aclrtSynchronizeDevice();
    return code == ACL_SUCCESS ? aclrtSetDevice(0) : code;
}

}  // namespace

TEST_F(MemPoolOperations, EachNeedsTheAccessOfItsStreamsDeviceToAPool) {
    aclrtMemPool pool = nullptr;
    void* memory = nullptr;
    ACL_OK(MallocFromPoolOfDevice1(&pool, &memory));
    memory_ = static_cast<char*>(memory);
    const auto set_access = [&](Access access) {
        aclrtMemAccessDesc desc{};
        desc.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
        desc.flags = static_cast<aclrtMemAccessFlags>(access);
        ACL_EXPECT_OK(portaclMemPoolSetAccess(pool, &desc, 1));
    };
    set_access(Access::kReadWrite);
    Prepare();
    for (const Access access : Accesses()) {
        SCOPED_TRACE("access " + std::to_string(static_cast<int>(access)));
        set_access(access);
        for (const auto& rows : {Copies(), Others()})
            for (const auto& row : rows)
                Expect(row, Allows(access, row),
                       {"pool on device 1", "device 0 " + Verb(row), "portaclMemPoolSetAccess"});
    }
    ACL_EXPECT_OK(aclrtFree(memory));
    ACL_EXPECT_OK(aclrtMemPoolDestroy(pool));
}

TEST_F(MemPoolOperations, EachNeedsTheAccessOfItsStreamsDeviceToAMapping) {
    ACL_OK(aclrtSetDevice(1));
    {
        const Range range(kPiece);
        const PhysicalMemory physical(kPiece, PhysicalProps(1));
        const Mapping mapping(range.At(), physical);
        ACL_OK(aclrtSetDevice(0));
        memory_ = range.At();
        const auto set_access = [&](uint32_t device, Access access) {
            aclrtMemAccessDesc desc{};
            desc.location = {device, ACL_MEM_LOCATION_TYPE_DEVICE};
            desc.flags = static_cast<aclrtMemAccessFlags>(access);
            ACL_EXPECT_OK(aclrtMemSetAccess(memory_, kPiece, &desc, 1));
        };
        set_access(1, Access::kReadWrite);
        set_access(0, Access::kReadWrite);
        Prepare();
        for (const Access access : Accesses()) {
            // Drivers map memory with read-write access or with none.
            if (access == Access::kRead && !OnCpu()) continue;
            SCOPED_TRACE("access " + std::to_string(static_cast<int>(access)));
            set_access(0, access);
            // Drivers do not copy between devices without access to the mapping.
            if (OnCpu())
                for (const auto& row : Copies()) Expect(row, true, {});
            for (const auto& row : Others()) {
                // Kernels may use a mapping that their device may access.
                const bool is_kernel = std::string(row.name).find("Kernel") != std::string::npos;
                Expect(row, is_kernel || Allows(access, row), {"memory on device 1", "device 0"});
            }
        }
        ACL_OK(aclrtSetDevice(1));
    }
    ACL_OK(aclrtSetDevice(0));
}

// Other memory of another device can only be copied, whatever peer access is enabled.
TEST_F(MemPoolOperations, OnlyCopiesReachOtherMemoryOfAnotherDevice) {
    ACL_OK(aclrtSetDevice(1));
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtMemset(memory, kBytes, 0, kBytes));
    ACL_OK(aclrtSetDevice(0));
    memory_ = static_cast<char*>(memory);
    for (const auto& row : Copies()) Expect(row, true, {});
    for (const auto& row : Others()) {
        if (std::string(row.name).find("Kernel") == std::string::npos)
            Expect(row, false, {"memory on device 1", "but this operation is for device 0"});
    }
    ACL_EXPECT_OK(aclrtFree(memory));
}

// Operations that reach host memory need access to that of a pool, too.
TEST_F(MemPoolOperations, EachNeedsTheAccessOfItsStreamsDeviceToAPoolOfHostMemory) {
    aclrtMemPoolProps props = PoolProps();
    props.location = {0, ACL_MEM_LOCATION_TYPE_HOST};
    const MemPool pool(props);
    const Stream stream;
    void* const memory = pool.Allocate(kBytes, stream);
    Synchronize(stream);
    std::memset(memory, 0, kBytes);
    memory_ = static_cast<char*>(memory);
    std::vector<Operation> rows = {
        {"aclrtMemcpyAsync(from)", false, true,
         [this](aclrtStream s) { return aclrtMemcpyAsync(own_, 64, At(kZeros), 64, ACL_MEMCPY_HOST_TO_DEVICE, s); }},
        {"aclrtMemcpyAsync(to)", true, true,
         [this](aclrtStream s) { return aclrtMemcpyAsync(At(kWritten), 64, own_, 64, ACL_MEMCPY_DEVICE_TO_HOST, s); }},
        {"aclrtMemcpy2dAsync(from)", false, true, [this](aclrtStream s) {
             return aclrtMemcpy2dAsync(own_, 64, At(kZeros), 128, 32, 2, ACL_MEMCPY_HOST_TO_DEVICE, s);
         }}};
    for (const Operation& row : Values()) rows.push_back(row);
    for (const Access access : Accesses()) {
        SCOPED_TRACE("access " + std::to_string(static_cast<int>(access)));
        aclrtMemAccessDesc desc{};
        desc.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
        desc.flags = static_cast<aclrtMemAccessFlags>(access);
        ACL_EXPECT_OK(portaclMemPoolSetAccess(pool, &desc, 1));
        for (const auto& row : rows)
            Expect(row, Allows(access, row),
                   {"pool of host memory", "device 0 " + Verb(row), "portaclMemPoolSetAccess"});
    }
    ACL_EXPECT_OK(aclrtFree(memory));
}

// A graph belongs to one device, whatever access that device has.
TEST_F(MemPoolOperations, NoneIsCapturedWithMemoryOfAnotherDevice) {
    aclrtMemPool pool = nullptr;
    void* memory = nullptr;
    ACL_OK(MallocFromPoolOfDevice1(&pool, &memory));
    memory_ = static_cast<char*>(memory);
    aclrtMemAccessDesc desc{};
    desc.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    ACL_OK(portaclMemPoolSetAccess(pool, &desc, 1));
    Prepare();
    const Stream stream;
    for (const auto& rows : {Copies(), Others()}) {
        for (const auto& row : rows) {
            const std::string name = row.name;
            // Kernels may use what their device may access; cache operations have no effect.
            if (name.find("Kernel") != std::string::npos || name.find("Cmo") != std::string::npos) continue;
            ACL_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
            EXPECT_TRUE(
                FailedSaying(row.name, row.call(stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, {"a graph has one device"}));
            aclmdlRI graph = nullptr;
            ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRICaptureEnd(stream, &graph));
        }
    }
    ACL_EXPECT_OK(aclrtFree(memory));
    ACL_EXPECT_OK(aclrtMemPoolDestroy(pool));
}
