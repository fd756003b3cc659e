// Pointer arguments of kernels: a launch checks that the device may use what they point to. CUDA
// drivers do not report which parameters are pointers.
#include <cstdint>
#include <vector>

#include "support/kernel/kernel_args.h"
#include "support/kernel/kernels.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
using Words = std::vector<uint32_t>;

class KernelPointer : public WithKernels {
  protected:
    // add_pair only reads what its second argument points to.
    aclError AddPair(void* words, const void* pair) {
        void* arguments[] = {&words, &pair};
        return aclrtLaunchKernelWithArgsArray(add_pair_, 1, nullptr, nullptr, arguments);
    }

    // In every way to pass arguments.
    void ExpectRefused(void* words, std::initializer_list<std::string> says) {
        struct {
            void* words;
            uint32_t number;
        } block{words, 1};
        void* each[] = {&block.words, &block.number};
        EXPECT_TRUE(
            FailedSaying("aclrtLaunchKernel", aclrtLaunchKernel(mark_, 1, &block, sizeof block, nullptr), kDead, says));
        EXPECT_TRUE(FailedSaying("aclrtLaunchKernelWithArgsArray",
                                 aclrtLaunchKernelWithArgsArray(mark_, 1, nullptr, nullptr, each), kDead, says));
        EXPECT_TRUE(FailedSaying(
            "aclrtLaunchKernelWithHostArgs",
            aclrtLaunchKernelWithHostArgs(mark_, 1, nullptr, nullptr, &block, sizeof block, nullptr, 0), kDead, says));
    }
};

TEST_F(KernelPointer, FreedMemoryIsRefused) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: the pointers of kernels for GPUs are not checked";
    ZeroWords words(64);
    void* const address = words.Release();
    ACL_EXPECT_OK(Mark(mark_, address, 1, 64, nullptr));
    ACL_OK(aclrtSynchronizeDevice());
    ACL_OK(aclrtFree(address));
    ExpectRefused(address, {"argument 0 (counted from 0) of kernel mark", Shown(address), "freed"});
    ExpectRefused(static_cast<char*>(address) + 16, {"argument 0", "freed"});
    // Memory of a pool, too.
    const MemPool pool;
    void* const pooled = pool.Allocate(256, nullptr);
    ACL_EXPECT_OK(Mark(mark_, pooled, 1, 1, nullptr));
    Free(pooled, nullptr);
    ExpectRefused(pooled, {"argument 0", Shown(pooled)});
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(KernelPointer, NullAndEndPointersAreAccepted) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: the pointers of kernels for GPUs are not checked";
    const DeviceMemory words(Words(64));
    char* const end = static_cast<char*>(words.At()) + words.Size();
    const aclrtFuncHandle nothing = program_->Kernel("look_away");
    for (void* pointer : {static_cast<void*>(nullptr), static_cast<void*>(end), words.At()}) {
        void* arguments[] = {&pointer};
        ACL_EXPECT_OK(aclrtLaunchKernelWithArgsArray(nothing, 1, nullptr, nullptr, arguments));
    }
    // Host memory is not checked; the device decides.
    uint32_t host[2] = {};
    void* pointer = host;
    void* arguments[] = {&pointer};
    ACL_EXPECT_OK(aclrtLaunchKernelWithArgsArray(nothing, 1, nullptr, nullptr, arguments));
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(KernelPointer, APoolOfAnotherDeviceNeedsAccess) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: the pointers of kernels for GPUs are not checked";
    int32_t can = 0;
    if (DeviceCount() < 2 || aclrtDeviceCanAccessPeer(&can, 0, 1) != 0 || !can)
        GTEST_SKIP() << "needs two devices that can use each other's memory";
    ACL_OK(aclrtSetDevice(1));
    {
        const MemPool pool(PoolProps(1));
        void* const memory = pool.Allocate(256, nullptr);
        ACL_OK(aclrtSynchronizeDevice());
        ACL_OK(aclrtMemset(memory, 256, 0, 256));
        ACL_OK(aclrtSetDevice(0));
        const DeviceMemory words(Words(1));
        ExpectRefused(memory, {"argument 0 (counted from 0) of kernel mark", "pool on device 1", "device 0",
                               "portaclMemPoolSetAccess"});
        EXPECT_EQ(AddPair(words.At(), memory), kDead);

        aclrtMemAccessDesc desc{};
        desc.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
        desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
        ACL_OK(portaclMemPoolSetAccess(pool, &desc, 1));
        // A pointer to const only needs read access.
        ACL_EXPECT_OK(AddPair(words.At(), memory));
        ExpectRefused(memory, {"argument 0", "may not write"});
        desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
        ACL_OK(portaclMemPoolSetAccess(pool, &desc, 1));
        ACL_EXPECT_OK(Mark(mark_, memory, 3, 4, nullptr));
        ACL_OK(aclrtSynchronizeDevice());
        Words got(4);
        ACL_OK(aclrtMemcpy(got.data(), 16, memory, 16, ACL_MEMCPY_DEVICE_TO_HOST));
        EXPECT_EQ(got, Words(4, 3));
        ACL_OK(aclrtFree(memory));
    }
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(KernelPointer, PendingLaunchesKeepTheirMemory) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: the pointers of kernels for GPUs are not checked";
    ZeroWords words(64);
    void* const address = words.Release();
    ACL_EXPECT_OK(Mark(mark_, address, 1, 64, nullptr));
    ACL_OK(aclrtFree(address));
    ACL_OK(aclrtSynchronizeDevice());
}

}  // namespace
