// Atomic operations that kernels support on host memory and memory of other devices.
#include "support/base/cuda_driver.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"

#include <climits>
#include <string>

using namespace portacl_test;

namespace {

using Atomics = Initialized;
using Operations = std::vector<aclrtAtomicOperation>;

constexpr aclError kBad = ACL_ERROR_INVALID_PARAM;
constexpr uint32_t kSigned = ACL_RT_ATOMIC_CAPABILITY_SIGNED;
constexpr uint32_t kUnsigned = ACL_RT_ATOMIC_CAPABILITY_UNSIGNED;
constexpr uint32_t k32 = ACL_RT_ATOMIC_CAPABILITY_SCALAR32;
constexpr uint32_t k64 = ACL_RT_ATOMIC_CAPABILITY_SCALAR64;

const Operations kAll = {ACL_RT_ATOMIC_OPERATION_INTEGER_ADD,
                         ACL_RT_ATOMIC_OPERATION_INTEGER_MIN,
                         ACL_RT_ATOMIC_OPERATION_INTEGER_MAX,
                         ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT,
                         ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT,
                         ACL_RT_ATOMIC_OPERATION_AND,
                         ACL_RT_ATOMIC_OPERATION_OR,
                         ACL_RT_ATOMIC_OPERATION_XOR,
                         ACL_RT_ATOMIC_OPERATION_EXCHANGE,
                         ACL_RT_ATOMIC_OPERATION_CAS,
                         ACL_RT_ATOMIC_OPERATION_FLOAT_ADD,
                         ACL_RT_ATOMIC_OPERATION_FLOAT_MIN,
                         ACL_RT_ATOMIC_OPERATION_FLOAT_MAX,
                         ACL_RT_ATOMIC_OPERATION_DMA_ADD,
                         ACL_RT_ATOMIC_OPERATION_DMA_MIN,
                         ACL_RT_ATOMIC_OPERATION_DMA_MAX,
                         ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD,
                         ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN,
                         ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX,
                         ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS,
                         ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH};

std::vector<uint32_t> OnHost(const Operations& operations) {
    std::vector<uint32_t> answers(operations.size(), Poison<uint32_t>());
    ACL_EXPECT_OK(aclrtDeviceGetHostAtomicCapabilities(answers.data(), operations.data(),
                                                       static_cast<uint32_t>(operations.size()), 0));
    return answers;
}

std::vector<uint32_t> OnPeer(const Operations& operations) {
    std::vector<uint32_t> answers(operations.size(), Poison<uint32_t>());
    ACL_EXPECT_OK(aclrtDeviceGetP2PAtomicCapabilities(answers.data(), operations.data(),
                                                      static_cast<uint32_t>(operations.size()), 0, 1));
    return answers;
}

// Integers of 32 and 64 bits are supported everywhere; copy engines and vectors support none.
void ExpectSensible(const std::vector<uint32_t>& answers) {
    for (size_t i = 0; i < kAll.size(); ++i) {
        SCOPED_TRACE(kAll[i]);
        if (kAll[i] >= ACL_RT_ATOMIC_OPERATION_DMA_ADD)
            EXPECT_EQ(answers[i], 0u);
        else if (kAll[i] >= ACL_RT_ATOMIC_OPERATION_FLOAT_ADD)
            EXPECT_EQ(answers[i] & k32, k32);
        else
            EXPECT_EQ(answers[i] & (kSigned | kUnsigned | k32 | k64), kSigned | kUnsigned | k32 | k64);
    }
}

}  // namespace

TEST_F(Atomics, OfTheHost) {
    NEEDS_DRIVER_WITH("cuDeviceGetHostAtomicCapabilities");
    ExpectSensible(OnHost(kAll));
}

TEST_F(Atomics, OfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    NEEDS_DRIVER_WITH("cuDeviceGetP2PAtomicCapabilities");
    ExpectSensible(OnPeer(kAll));
}

TEST_F(Atomics, ResultsHaveTheOrderOfTheRequests) {
    NEEDS_DRIVER_WITH("cuDeviceGetHostAtomicCapabilities");
    const Operations mixed = {ACL_RT_ATOMIC_OPERATION_DMA_MIN, ACL_RT_ATOMIC_OPERATION_FLOAT_ADD,
                              ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS, ACL_RT_ATOMIC_OPERATION_CAS};
    const std::vector<uint32_t> all = OnHost(kAll), answers = OnHost(mixed);
    EXPECT_EQ(answers, (std::vector<uint32_t>{0, all[10], 0, all[9]}));
    EXPECT_NE(all[10], all[9]);
    EXPECT_EQ(OnHost({ACL_RT_ATOMIC_OPERATION_DMA_ADD}), std::vector<uint32_t>{0});
}

TEST_F(Atomics, BadArguments) {
    auto answer = Poison<uint32_t>();
    const auto add = ACL_RT_ATOMIC_OPERATION_INTEGER_ADD;
    for (const int number : {-1, 13, 29, 33, 39, 45, INT_MIN, INT_MAX}) {
        const auto operation = static_cast<aclrtAtomicOperation>(number);
        const std::string said = "operations[0] is " + std::to_string(number);
        ACL_FAILS_SAYING(kBad, aclrtDeviceGetHostAtomicCapabilities(&answer, &operation, 1, 0), said);
        ACL_FAILS_SAYING(kBad, aclrtDeviceGetP2PAtomicCapabilities(&answer, &operation, 1, 0, 1), said);
    }
    ACL_FAILS_SAYING(kBad, aclrtDeviceGetHostAtomicCapabilities(nullptr, &add, 1, 0), "capabilities is null");
    ACL_FAILS_SAYING(kBad, aclrtDeviceGetHostAtomicCapabilities(&answer, nullptr, 1, 0), "operations is null");
    ACL_FAILS_SAYING(kBad, aclrtDeviceGetHostAtomicCapabilities(&answer, &add, 0, 0), "count is 0");
    ACL_FAILS_SAYING(kBad, aclrtDeviceGetP2PAtomicCapabilities(nullptr, &add, 1, 0, 1), "capabilities is null");
    ACL_FAILS_SAYING(kBad, aclrtDeviceGetP2PAtomicCapabilities(&answer, nullptr, 1, 0, 1), "operations is null");
    ACL_FAILS_SAYING(kBad, aclrtDeviceGetP2PAtomicCapabilities(&answer, &add, 0, 0, 1), "count is 0");
    ACL_FAILS_SAYING(kBad, aclrtDeviceGetP2PAtomicCapabilities(&answer, &add, 1, 0, 0), "different devices");
    constexpr aclError kNoDevice = ACL_ERROR_RT_INVALID_DEVICEID;
    for (const int32_t bad : {-1, static_cast<int32_t>(DeviceCount()), INT_MAX}) {
        ACL_FAILS(kNoDevice, aclrtDeviceGetHostAtomicCapabilities(&answer, &add, 1, bad));
        ACL_FAILS(kNoDevice, aclrtDeviceGetP2PAtomicCapabilities(&answer, &add, 1, bad, 0));
        ACL_FAILS(kNoDevice, aclrtDeviceGetP2PAtomicCapabilities(&answer, &add, 1, 0, bad));
    }
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceGetHostAtomicCapabilities(&answer, &add, 1, 0));
    ACL_OK(aclInit(nullptr));
    EXPECT_TRUE(IsPoison(answer));
}
