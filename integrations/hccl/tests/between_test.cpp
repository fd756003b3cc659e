// What a rank calls between two collectives, while the other ranks of its process wait for it: a call that waits for
// all work of the device would wait for itself.
#include <atomic>
#include <chrono>
#include <functional>

#include "tests/meshed.h"
#include "tests/variable.h"

namespace hccl {
namespace {

constexpr size_t kBytes = 1 << 20;

// What a rank has made before, and destroys.
struct RankObjects {
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    void* host = nullptr;
    void* device = nullptr;
    HcclComm comm = nullptr;
};

struct Between {
    const char* name;
    std::function<void(RankObjects&)> call;
};

const Between kAll[] = {
    {"HcclCommDestroy",
     [](RankObjects& own) {
         HCCL_OK(HcclCommDestroy(own.comm));
         own.comm = nullptr;
     }},
    {"aclrtDestroyStream",
     [](RankObjects& own) {
         ACL_OK(aclrtDestroyStream(own.stream));
         own.stream = nullptr;
     }},
    {"aclrtDestroyEvent",
     [](RankObjects& own) {
         ACL_OK(aclrtDestroyEvent(own.event));
         own.event = nullptr;
     }},
    {"aclrtFreeHost",
     [](RankObjects& own) {
         ACL_OK(aclrtFreeHost(own.host));
         own.host = nullptr;
     }},
    {"aclrtMallocHost",
     [](RankObjects&) {
         void* memory = nullptr;
         ACL_OK(aclrtMallocHost(&memory, kBytes));
         ACL_OK(aclrtFreeHost(memory));
     }},
    {"aclrtMalloc",
     [](RankObjects&) {
         void* memory = nullptr;
         ACL_OK(aclrtMalloc(&memory, 3 * kBytes, ACL_MEM_MALLOC_NORMAL_ONLY));
         Free(memory);
     }},
    {"aclrtCreateStream",
     [](RankObjects&) {
         aclrtStream stream = nullptr;
         ACL_OK(aclrtCreateStream(&stream));
         ACL_OK(aclrtDestroyStream(stream));
     }},
    {"aclrtMemcpy",
     [](RankObjects& own) {
         ACL_OK(aclrtMemcpy(own.device, kBytes, own.host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE));
         ACL_OK(aclrtMemcpy(own.host, kBytes, own.device, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
     }},
    {"aclrtMemset", [](RankObjects& own) { ACL_OK(aclrtMemset(own.device, kBytes, 0, kBytes)); }},
    {"aclrtSynchronizeStream",
     [](RankObjects& own) {
         ACL_OK(aclrtMemsetAsync(own.device, kBytes, 0, kBytes, own.stream));
         ACL_OK(aclrtSynchronizeStream(own.stream));
     }},
    {"aclrtGetMemInfo",
     [](RankObjects&) {
         size_t free = 0;
         size_t total = 0;
         ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
     }},
};

void PrintTo(const Between& between, std::ostream* out) {
    *out << between.name;
}

class BetweenTest : public MeshedTest, public testing::WithParamInterface<Between> {
  protected:
    // The first allocation of a size class finds out how the driver aligns memory, and frees what it tried.
    void SetUp() override {
        MeshedTest::SetUp();
        for (const size_t bytes : {kBytes, 3 * kBytes}) {
            void* memory = nullptr;
            ACL_OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_NORMAL_ONLY));
            Free(memory);
        }
    }

  private:
    const Variable limit_{"HCCL_EXEC_TIMEOUT", "60"};
};

// Streams share the hardware queues of a device, of which a driver has 8: only one rank makes them.
void Make(RankObjects& made) {
    ACL_OK(aclrtCreateStream(&made.stream));
    ACL_OK(aclrtCreateEvent(&made.event));
    ACL_OK(aclrtMallocHost(&made.host, kBytes));
    ACL_OK(aclrtMalloc(&made.device, kBytes, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_OK(aclrtMemsetAsync(made.device, kBytes, 0, kBytes, made.stream));
    ACL_OK(aclrtRecordEvent(made.event, made.stream));
    ACL_OK(aclrtSynchronizeStream(made.stream));
}

void Destroy(const RankObjects& made) {
    if (made.comm != nullptr) HCCL_OK(HcclCommDestroy(made.comm));
    if (made.stream != nullptr) ACL_EXPECT_OK(aclrtDestroyStream(made.stream));
    if (made.event != nullptr) ACL_EXPECT_OK(aclrtDestroyEvent(made.event));
    if (made.host != nullptr) ACL_EXPECT_OK(aclrtFreeHost(made.host));
    if (made.device != nullptr) Free(made.device);
}

TEST_P(BetweenTest, WaitsForNoOtherRank) {
    constexpr uint32_t kRanks = 4;
    HcclRootInfo second;
    HCCL_OK(HcclGetRootInfo(&second));
    std::atomic<uint32_t> waiting{0};
    Run(kRanks, [&](Rank& own) {
        RankObjects made;
        HCCL_OK(HcclCommInitRootInfo(kRanks, &second, own.rank, &made.comm));
        if (own.rank == 1) Make(made);
        const Floats memory({1});
        HCCL_OK(HcclBarrier(made.comm, own.stream));
        HCCL_OK(HcclBarrier(own.comm, own.stream));
        ACL_OK(aclrtSynchronizeStream(own.stream));
        if (own.rank == 1) {
            while (waiting.load() < kRanks - 1) std::this_thread::yield();
            // The operations of the others run by then, and wait for this rank.
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            const auto begin = std::chrono::steady_clock::now();
            GetParam().call(made);
            EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
        }
        HCCL_OK(HcclAllReduce(memory.get(), memory.get(), 1, kFloat, HCCL_REDUCE_SUM, own.comm, own.stream));
        waiting++;
        ACL_OK(aclrtSynchronizeStream(own.stream));
        EXPECT_EQ(memory.values(), (std::vector<float>{4}));
        Destroy(made);
    });
}

INSTANTIATE_TEST_SUITE_P(Calls, BetweenTest, testing::ValuesIn(kAll),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hccl
