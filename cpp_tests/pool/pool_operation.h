// Operations of a stream, each on memory of another device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/symbol/symbol.h"
#include "support/kernel/kernels.h"
#include "support/memory/virtual_memory.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"
#include "support/transfer/batch.h"
#include "support/transfer/random_num.h"

namespace portacl_test {

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
        ACL_OK(portaclRegisterSymbol(*program_, table_symbol, "kernel_table"));
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
                {"aclrtMemcpyBatchAsyncV2(from)", false, true,
                 [this](aclrtStream s) { return BatchedV2(host_, At(kZeros), false, s); }},
                {"aclrtMemcpyBatchAsyncV2(to)", true, true,
                 [this](aclrtStream s) { return BatchedV2(At(kWritten), host_, true, s); }},
                {"aclrtMemcpyToSymbolAsync(from)", false, true,
                 [this](aclrtStream s) {
                     return aclrtMemcpyToSymbolAsync(table_symbol, At(kZeros), 16, 0, ACL_MEMCPY_DEVICE_TO_DEVICE, s);
                 }},
                {"aclrtMemcpyFromSymbolAsync(to)", true, true,
                 [this](aclrtStream s) {
                     return aclrtMemcpyFromSymbolAsync(At(kWritten), 64, table_symbol, 16, 0,
                                                       ACL_MEMCPY_DEVICE_TO_DEVICE, s);
                 }},
                {"aclrtMemcpyAsyncWithCondition(to)", true, true, [this](aclrtStream s) {
                     return aclrtMemcpyAsyncWithCondition(At(kWritten), 64, host_, 64, ACL_MEMCPY_HOST_TO_DEVICE, s);
                 }}};
    }

    // Operations with values.
    std::vector<Operation> Values() {
        return {
            {"aclrtMemsetAsync", true, false,
             [this](aclrtStream s) { return aclrtMemsetAsync(At(kWritten), 64, 1, 64, s); }},
            {"aclrtMemsetD32Async", true, false,
             [this](aclrtStream s) { return aclrtMemsetD32Async(At(kWritten), 64, 1, 16, s); }},
            {"aclrtValueWrite", true, false, [this](aclrtStream s) { return aclrtValueWrite(At(kWritten), 1, 0, s); }},
            {"aclrtValueWait", false, false,
             [this](aclrtStream s) { return aclrtValueWait(At(kZeros), 0, ACL_STREAM_WAIT_VALUE_GEQ, s); }}};
    }

    std::vector<Operation> Others() {
        std::vector<Operation> all = Values();
        all.push_back({"aclrtGetOverflowStatus", true, false,
                       [this](aclrtStream s) { return aclrtGetOverflowStatus(At(kWritten), 64, s); }});
        for (const auto& more : {Arithmetic(), Described(), Kernels()}) all.insert(all.end(), more.begin(), more.end());
        return all;
    }

  private:
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
                {"aclrtRandomNumAsync(min)", false, false,
                 [=](aclrtStream s) {
                     aclrtRandomNumTaskInfo task = uniform(own_);
                     task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.min = NumberAt(At(kZeros), 4);
                     return numbers(task, s);
                 }},
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
                {"aclrtLaunchKernel(pointer)", true, false,
                 [this](aclrtStream s) {
                     const MarkArguments block{At(kWritten), 1};
                     return aclrtLaunchKernel(mark_, 1, &block, sizeof block, s);
                 }},
                {"aclrtLaunchKernelV2(pointer)", true, false,
                 [this](aclrtStream s) {
                     const MarkArguments block{At(kWritten), 1};
                     return aclrtLaunchKernelV2(mark_, 1, &block, sizeof block, nullptr, s);
                 }},
                {"aclrtLaunchKernelWithHostArgs(pointer)", true, false,
                 [this](aclrtStream s) {
                     MarkArguments block{At(kWritten), 1};
                     return aclrtLaunchKernelWithHostArgs(mark_, 1, s, nullptr, &block, sizeof block, nullptr, 0);
                 }},
                {"aclrtLaunchKernelWithConfig(pointer)", true, false, [this](aclrtStream s) { return WithList(s); }},
                {"aclrtLaunchKernelWithArgsArray(const pointer)", false, false, [this](aclrtStream s) {
                     void* words = own_;
                     const void* pair = At(kZeros);
                     void* arguments[] = {&words, &pair};
                     return aclrtLaunchKernelWithArgsArray(add_pair_, 1, s, nullptr, arguments);
                 }}};
    }

    // The arguments of `mark` as a block.
    struct MarkArguments {
        void* words;
        uint32_t number;
    };

    aclError WithList(aclrtStream s) const {
        aclrtArgsHandle list = nullptr;
        aclrtParamHandle parameter = nullptr;
        MarkArguments block{At(kWritten), 1};
        aclError code = aclrtKernelArgsInit(mark_, &list);
        if (code == 0) code = aclrtKernelArgsAppend(list, &block.words, sizeof block.words, &parameter);
        if (code == 0) code = aclrtKernelArgsAppend(list, &block.number, sizeof block.number, &parameter);
        if (code == 0) code = aclrtKernelArgsFinalize(list);
        EXPECT_EQ(code, 0) << "the list";
        return aclrtLaunchKernelWithConfig(mark_, 1, s, nullptr, list, nullptr);
    }

    static const void** Source(void** word) { return const_cast<const void**>(word); }

    void** Address() const { return reinterpret_cast<void**>(At(kAddress)); }

    void** OwnAddress(void** word) const {
        ACL_EXPECT_OK(aclrtMemcpy(word, sizeof own_, &own_, sizeof own_, ACL_MEMCPY_HOST_TO_DEVICE));
        return word;
    }

    aclError BatchedV2(void* to, const void* from, bool up, aclrtStream s) const {
        Batch batch;
        batch.Add(to, from, 64);
        const aclrtMemLocation there = At_(1);
        up ? batch.Attribute(0, there, Host()) : batch.Attribute(0, Host(), there);
        return aclrtMemcpyBatchAsyncV2(batch.dsts.data(), batch.dest_maxs.data(), batch.srcs.data(), batch.sizes.data(),
                                       1, batch.attrs.data(), batch.attrs_indexes.data(), 1, s);
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

}  // namespace portacl_test
