// Memory that runs out: every device has its own limit.
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

struct MemorySizes {
    size_t free = 0, total = 0;
};

// Free memory of the current device.
MemorySizes Info() {
    MemorySizes memory;
    ExpectOk("aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, &memory.free, &memory.total));
    return memory;
}

// Allocates eighths of the current device's memory until it has no more.
std::vector<void*> AllocateAll() {
    const size_t piece = Info().total / 8;
    std::vector<void*> pieces;
    for (int i = 0; i < 9; ++i) {
        auto address = Poison<void*>();
        const aclError code = aclrtMalloc(&address, piece, ACL_MEM_MALLOC_NORMAL_ONLY);
        if (code == ACL_SUCCESS) {
            pieces.push_back(address);
            continue;
        }
        EXPECT_EQ(code, ACL_ERROR_RT_MEMORY_ALLOCATION);
        const std::string text = TakeText();
        EXPECT_EQ(text.rfind("aclrtMalloc: ", 0), 0u) << text;
        EXPECT_TRUE(IsPoison(address));
        return pieces;
    }
    ADD_FAILURE() << "more memory than there is";
    return pieces;
}

}  // namespace

#define SMALL_DEVICES                                                                          \
    {"PORTACL_CPU_DEVICES", "4"}, {"PORTACL_CPU_MEMORY", "64M"}, {"FAKE_CUDA_DEVICES", "4"}, { \
        "FAKE_CUDA_MEMORY", "64M"                                                              \
    }

OWN_PROCESS_TEST(MemoryLimit, OneDeviceRunsOutAndTheOthersContinue, SMALL_DEVICES) {
    ACL_OK(aclInit(nullptr));
    const auto devices = static_cast<int32_t>(DeviceCount());
    ACL_OK(aclrtSetDevice(devices - 1));
    const std::vector<void*> pieces = AllocateAll();
    EXPECT_GE(pieces.size(), 6u);
    EXPECT_LT(Info().free, Info().total / 3);
    for (int32_t other = 0; other < devices - 1; ++other) {
        ACL_OK(aclrtSetDevice(other));
        const size_t half = Info().total / 2;
        void* address = nullptr;
        ACL_OK(aclrtMalloc(&address, half, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_OK(aclrtMemset(address, half, other, half));
        ACL_OK(aclrtFree(address));
    }
    // It is still full, although the others have memory; after its frees it can allocate again.
    ACL_OK(aclrtSetDevice(devices - 1));
    void* address = nullptr;
    EXPECT_EQ(aclrtMalloc(&address, Info().total / 4, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_ERROR_RT_MEMORY_ALLOCATION);
    for (void* piece : pieces) ACL_OK(aclrtFree(piece));
    ACL_OK(aclrtMalloc(&address, Info().total / 2, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_OK(aclrtFree(address));
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(MemoryLimit, TheVariableSetsTheLimitOfEveryDevice, SMALL_DEVICES) {
    ACL_OK(aclInit(nullptr));
    const bool limited = portacl_test::DeviceCount() == 4;
    for (int32_t device = 0; device < static_cast<int32_t>(DeviceCount()); ++device) {
        ACL_OK(aclrtSetDevice(device));
        const MemorySizes memory = Info();
        EXPECT_LE(memory.free, memory.total);
        if (limited) {
            EXPECT_EQ(memory.total, size_t{64} << 20);
        }
        void* address = nullptr;
        ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION,
                         aclrtMalloc(&address, memory.total + 1, ACL_MEM_MALLOC_HUGE_FIRST),
                         std::to_string(memory.total), "device " + std::to_string(device));
    }
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(MemoryLimit, AResetFreesEverything, SMALL_DEVICES) {
    ACL_OK(aclInit(nullptr));
    for (int session = 0; session < 3; ++session) {
        ACL_OK(aclrtSetDevice(0));
        EXPECT_GE(AllocateAll().size(), 6u);
        ACL_OK(aclrtResetDevice(0));
    }
    ACL_OK(aclFinalize());
}
