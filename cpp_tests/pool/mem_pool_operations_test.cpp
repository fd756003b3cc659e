// Operations of a stream on memory of another device: one rule for all of them. Reading needs read
// access, writing needs read-write access.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/kernel/kernels.h"
#include "support/memory/virtual_memory.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"
#include "support/transfer/batch.h"
#include "support/transfer/random_num.h"

using namespace portacl_test;

namespace {

constexpr size_t kBytes = 4096;
// Offsets in the tested memory: zeros, an address, a description, and the destination of writes.
constexpr size_t kZeros = 0, kAddress = 512, kDescription = 1024, kWritten = 2048;

// The access that a device was granted.
enum class Access {
    kNone = ACL_RT_MEM_ACCESS_FLAGS_NONE,
    kRead = ACL_RT_MEM_ACCESS_FLAGS_READ,
    kReadWrite = ACL_RT_MEM_ACCESS_FLAGS_READWRITE
};

// An operation of a stream that reads or writes the memory.
struct Operation {
    const char* name;
    bool writes;
    // Copies reach the memory of every device; other operations need granted access.
    bool copies;
    std::function<aclError(aclrtStream)> call;
};

class MemPoolOperations : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        int32_t can = 0;
        if (DeviceCount() < 2 || aclrtDeviceCanAccessPeer(&can, 0, 1) != 0 || !can)
            GTEST_SKIP() << "needs two devices that can use each other's memory";
        ACL_OK(aclrtMalloc(&own_, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_OK(aclrtMemset(own_, kBytes, 0, kBytes));
        ACL_OK(aclrtMallocHost(&host_, kBytes));
        program_.emplace();
        add_pair_ = program_->Kernel("add_pair");
        mark_ = program_->Kernel("mark");
    }

    void TearDown() override {
        if (own_) {
            program_.reset();
            ACL_EXPECT_OK(aclrtFree(own_));
            ACL_EXPECT_OK(aclrtFreeHost(host_));
        }
        WithDevice::TearDown();
    }

    char* At(size_t offset) const { return memory_ + offset; }

    // Words in the memory from which addresses are read. Device 0 has full access.
    void Prepare() {
        ACL_OK(aclrtMemset(memory_, kBytes, 0, kBytes));
        ACL_OK(aclrtMemcpy(At(kAddress), sizeof own_, &own_, sizeof own_, ACL_MEMCPY_HOST_TO_DEVICE));
        ACL_OK(aclrtSetMemcpyDesc(At(kDescription), ACL_MEMCPY_DEVICE_TO_DEVICE, own_, static_cast<char*>(own_) + 64,
                                  64, nullptr));
    }

    std::vector<Operation> Copies() {
        return {{"aclrtMemcpyAsync(from)", false, true,
                 [this](aclrtStream s) {
                     return aclrtMemcpyAsync(host_, 64, At(kZeros), 64, ACL_MEMCPY_DEVICE_TO_HOST, s);
                 }},
                {"aclrtMemcpyAsync(to)", true, true,
                 [this](aclrtStream s) {
                     return aclrtMemcpyAsync(At(kWritten), 64, own_, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, s);
                 }},
                {"aclrtMemcpy2dAsync(from)", false, true,
                 [this](aclrtStream s) {
                     return aclrtMemcpy2dAsync(host_, 64, At(kZeros), 128, 32, 2, ACL_MEMCPY_DEVICE_TO_HOST, s);
                 }},
                {"aclrtMemcpy2dAsync(to)", true, true,
                 [this](aclrtStream s) {
                     return aclrtMemcpy2dAsync(At(kWritten), 128, host_, 64, 32, 2, ACL_MEMCPY_HOST_TO_DEVICE, s);
                 }},
                {"aclrtMemcpyBatchAsync(from)", false, true,
                 [this](aclrtStream s) { return Batched(host_, At(kZeros), false, s); }},
                {"aclrtMemcpyBatchAsync(to)", true, true,
                 [this](aclrtStream s) { return Batched(At(kWritten), host_, true, s); }},
                {"aclrtMemcpyAsyncWithCondition(to)", true, true, [this](aclrtStream s) {
                     return aclrtMemcpyAsyncWithCondition(At(kWritten), 64, host_, 64, ACL_MEMCPY_HOST_TO_DEVICE, s);
                 }}};
    }

    std::vector<Operation> Others() {
        std::vector<Operation> all = Words();
        for (const auto& more : {Arithmetic(), Described(), Kernels()}) all.insert(all.end(), more.begin(), more.end());
        return all;
    }

  private:
    std::vector<Operation> Words() {
        return {
            {"aclrtMemsetAsync", true, false,
             [this](aclrtStream s) { return aclrtMemsetAsync(At(kWritten), 64, 1, 64, s); }},
            {"aclrtMemsetD32Async", true, false,
             [this](aclrtStream s) { return aclrtMemsetD32Async(At(kWritten), 64, 1, 16, s); }},
            {"aclrtValueWrite", true, false, [this](aclrtStream s) { return aclrtValueWrite(At(kWritten), 1, 0, s); }},
            {"aclrtValueWait", false, false,
             [this](aclrtStream s) { return aclrtValueWait(At(kZeros), 0, ACL_STREAM_WAIT_VALUE_GEQ, s); }},
            {"aclrtGetOverflowStatus", true, false,
             [this](aclrtStream s) { return aclrtGetOverflowStatus(At(kWritten), 64, s); }}};
    }

    std::vector<Operation> Arithmetic() {
        const auto reduce = [](void* to, void* from, aclrtStream s) {
            return aclrtReduceAsync(to, from, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, s, nullptr);
        };
        const auto numbers = [](aclrtRandomNumTaskInfo task, aclrtStream s) {
            return aclrtRandomNumAsync(&task, s, nullptr);
        };
        const auto uniform = [](void* result, void* counter = nullptr) {
            return RandomNumbers(kUniform, ACL_FLOAT, 0.0F, 1.0F, result, 16, 1, counter);
        };
        return {{"aclrtReduceAsync(dst)", true, false, [=](aclrtStream s) { return reduce(At(kWritten), own_, s); }},
                {"aclrtReduceAsync(src)", false, false, [=](aclrtStream s) { return reduce(own_, At(kZeros), s); }},
                {"aclrtRandomNumAsync(result)", true, false,
                 [=](aclrtStream s) { return numbers(uniform(At(kWritten)), s); }},
                {"aclrtRandomNumAsync(counter)", true, false,
                 [=](aclrtStream s) { return numbers(uniform(own_, At(kWritten)), s); }},
                {"aclrtRandomNumAsync(seed)", false, false, [=](aclrtStream s) {
                     aclrtRandomNumTaskInfo task = uniform(own_);
                     task.randomSeed = NumberAt(At(kZeros), 8);
                     return numbers(task, s);
                 }}};
    }

    std::vector<Operation> Described() {
        constexpr auto kWithin = ACL_MEMCPY_DEVICE_TO_DEVICE;
        void** const own_address = reinterpret_cast<void**>(static_cast<char*>(own_) + 1024);
        return {
            {"aclrtMemcpyAsyncWithOffset(dst)", false, false,
             [=](aclrtStream s) {
                 return aclrtMemcpyAsyncWithOffset(Address(), 64, 0, Source(OwnAddress(own_address)), 64, 128, kWithin,
                                                   s);
             }},
            {"aclrtMemcpyAsyncWithOffset(src)", false, false,
             [=](aclrtStream s) {
                 return aclrtMemcpyAsyncWithOffset(OwnAddress(own_address), 64, 0, Source(Address()), 64, 128, kWithin,
                                                   s);
             }},
            {"aclrtMemcpyAsyncWithDesc", false, false,
             [=](aclrtStream s) { return aclrtMemcpyAsyncWithDesc(At(kDescription), kWithin, s); }},
            {"aclrtCmoAsync", false, false,
             [=](aclrtStream s) { return aclrtCmoAsync(At(kZeros), 64, ACL_RT_CMO_TYPE_PREFETCH, s); }},
            {"aclrtCmoAsyncWithBarrier", false, false,
             [=](aclrtStream s) { return aclrtCmoAsyncWithBarrier(At(kZeros), 64, ACL_RT_CMO_TYPE_PREFETCH, 0, s); }},
            {"aclrtCmoAsyncWithDesc", false, false, [=](aclrtStream s) {
                 return aclrtCmoAsyncWithDesc(At(kDescription), ACL_RT_CMO_TYPE_PREFETCH, s, nullptr);
             }}};
    }

    // Only the CPU backend knows which parameters are pointers.
    std::vector<Operation> Kernels() {
        if (!OnCpu()) return {};
        return {{"aclrtLaunchSIMTKernelWithArgsArray(pointer)", true, false,
                 [this](aclrtStream s) { return Mark(mark_, At(kWritten), 1, 4, s); }},
                {"aclrtLaunchKernelWithArgsArray(const pointer)", false, false, [this](aclrtStream s) {
                     void* words = own_;
                     const void* pair = At(kZeros);
                     void* arguments[] = {&words, &pair};
                     return aclrtLaunchKernelWithArgsArray(add_pair_, 1, s, nullptr, arguments);
                 }}};
    }

    static const void** Source(void** word) { return const_cast<const void**>(word); }

    void** Address() const { return reinterpret_cast<void**>(At(kAddress)); }

    void** OwnAddress(void** word) const {
        ACL_EXPECT_OK(aclrtMemcpy(word, sizeof own_, &own_, sizeof own_, ACL_MEMCPY_HOST_TO_DEVICE));
        return word;
    }

    aclError Batched(void* to, const void* from, bool up, aclrtStream s) const {
        Batch batch;
        batch.Add(to, from, 64);
        const aclrtMemLocation there = At_(1);
        up ? batch.Attribute(0, there, Host()) : batch.Attribute(0, Host(), there);
        size_t index = 0;
        return aclrtMemcpyBatchAsync(batch.dsts.data(), batch.dest_maxs.data(), batch.srcs.data(), batch.sizes.data(),
                                     1, batch.attrs.data(), batch.attrs_indexes.data(), 1, &index, s);
    }

    static aclrtMemLocation At_(uint32_t device) { return portacl_test::At(ACL_MEM_LOCATION_TYPE_DEVICE, device); }

  protected:
    // What a row expects if the access is allowed, or not.
    static void Expect(const Operation& operation, bool allowed, std::initializer_list<std::string> says) {
        const Stream stream;
        const aclError code = operation.call(stream);
        if (allowed) {
            EXPECT_TRUE(Returned(operation.name, code, 0));
        } else {
            EXPECT_TRUE(FailedSaying(operation.name, code, ACL_ERROR_RT_PARAM_INVALID, says));
        }
        Synchronize(stream);
    }

    static std::string Verb(const Operation& operation) { return operation.writes ? "may not write" : "may not read"; }

    // Memory of device 1.
    char* memory_ = nullptr;
    void *own_ = nullptr, *host_ = nullptr;
    std::optional<Program> program_;
    aclrtFuncHandle add_pair_ = nullptr, mark_ = nullptr;
};

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
    const auto give = [&](Access access) {
        aclrtMemAccessDesc desc{};
        desc.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
        desc.flags = static_cast<aclrtMemAccessFlags>(access);
        ACL_EXPECT_OK(portaclMemPoolSetAccess(pool, &desc, 1));
    };
    give(Access::kReadWrite);
    Prepare();
    for (const Access access : Accesses()) {
        SCOPED_TRACE("access " + std::to_string(static_cast<int>(access)));
        give(access);
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
        const auto give = [&](uint32_t device, Access access) {
            aclrtMemAccessDesc desc{};
            desc.location = {device, ACL_MEM_LOCATION_TYPE_DEVICE};
            desc.flags = static_cast<aclrtMemAccessFlags>(access);
            ACL_EXPECT_OK(aclrtMemSetAccess(memory_, kPiece, &desc, 1));
        };
        give(1, Access::kReadWrite);
        give(0, Access::kReadWrite);
        Prepare();
        for (const Access access : Accesses()) {
            // Drivers map memory with read-write access or with none.
            if (access == Access::kRead && !OnCpu()) continue;
            SCOPED_TRACE("access " + std::to_string(static_cast<int>(access)));
            give(0, access);
            // Drivers do not copy between devices without access to the mapping.
            if (OnCpu())
                for (const auto& row : Copies()) Expect(row, true, {});
            for (const auto& row : Others()) {
                // Kernels may use a mapping that their device may access.
                const bool is_kernel = std::string(row.name).find("Kernel") != std::string::npos;
                Expect(row, is_kernel || Allows(access, row), {"memory of device 1", "device 0"});
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
    ACL_OK(aclrtSetDevice(0));
    memory_ = static_cast<char*>(memory);
    for (const auto& row : Copies()) Expect(row, true, {});
    for (const auto& row : Others()) {
        if (std::string(row.name).find("Kernel") == std::string::npos)
            Expect(row, false, {"memory of device 1", "the stream is on device 0"});
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
    const std::vector<Operation> rows = {
        {"aclrtMemcpyAsync(from)", false, true,
         [this](aclrtStream s) { return aclrtMemcpyAsync(own_, 64, At(kZeros), 64, ACL_MEMCPY_HOST_TO_DEVICE, s); }},
        {"aclrtMemcpyAsync(to)", true, true,
         [this](aclrtStream s) { return aclrtMemcpyAsync(At(kWritten), 64, own_, 64, ACL_MEMCPY_DEVICE_TO_HOST, s); }},
        {"aclrtMemcpy2dAsync(from)", false, true,
         [this](aclrtStream s) {
             return aclrtMemcpy2dAsync(own_, 64, At(kZeros), 128, 32, 2, ACL_MEMCPY_HOST_TO_DEVICE, s);
         }},
        {"aclrtMemsetAsync", true, false,
         [this](aclrtStream s) { return aclrtMemsetAsync(At(kWritten), 64, 1, 64, s); }},
        {"aclrtMemsetD32Async", true, false,
         [this](aclrtStream s) { return aclrtMemsetD32Async(At(kWritten), 64, 1, 16, s); }},
        {"aclrtValueWrite", true, false, [this](aclrtStream s) { return aclrtValueWrite(At(kWritten), 1, 0, s); }},
        {"aclrtValueWait", false, false,
         [this](aclrtStream s) { return aclrtValueWait(At(kZeros), 0, ACL_STREAM_WAIT_VALUE_GEQ, s); }}};
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
            EXPECT_TRUE(FailedSaying(row.name, row.call(stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                                     {"a graph is of one device"}));
            aclmdlRI graph = nullptr;
            ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRICaptureEnd(stream, &graph));
        }
    }
    ACL_EXPECT_OK(aclrtFree(memory));
    ACL_EXPECT_OK(aclrtMemPoolDestroy(pool));
}
