// Notifies: two streams take turns, without a wait on the host. One generates random numbers in a
// block of device memory, the other sums them; each waits for the other. Unlike an event, a notify
// is consumed by the wait: a wait that is enqueued first waits for a later record, which a wait for
// an event does not.
//
// usage: 19_notify [ROUNDS]     default: 16 blocks of 16384 numbers

#include <acl/acl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr size_t kNumbers = 16384;
constexpr size_t kBytes = kNumbers * sizeof(int32_t);
// Seconds: a lost record causes an error instead of an endless wait.
constexpr uint32_t kPatience = 10;

// Ends the program with the library's text if a call failed.
#define CHECK(call) Check((call), #call, __LINE__)

void Check(aclError code, const char* call, int line) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s\nreturned %d: %s\n", __FILE__, line, call, code, text ? text : "no error text");
    std::exit(EXIT_FAILURE);
}

template <typename T>
aclrtRandomParaInfo Number(T value) {
    aclrtRandomParaInfo info{};
    std::memcpy(info.valueOrAddr, &value, sizeof value);
    info.size = sizeof value;
    return info;
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 16;
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    aclrtStream maker = nullptr, adder = nullptr;
    aclrtNotify is_made = nullptr, is_added = nullptr;
    void *block = nullptr, *sums = nullptr, *counter = nullptr;
    CHECK(aclrtCreateStream(&maker));
    CHECK(aclrtCreateStream(&adder));
    CHECK(aclrtCreateNotify(&is_made, ACL_NOTIFY_DEFAULT));
    CHECK(aclrtCreateNotify(&is_added, ACL_NOTIFY_DEFAULT));
    CHECK(aclrtMalloc(&block, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&sums, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&counter, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemset(sums, kBytes, 0, kBytes));
    CHECK(aclrtMemset(counter, 16, 0, 16));

    // Numbers from 0 up to 100, different ones in each round: the counter continues.
    aclrtRandomNumTaskInfo numbers{};
    numbers.dataType = ACL_INT32;
    numbers.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
    numbers.randomNumFuncParaInfo.paramInfo.uniformDisInfo.min = Number(int32_t{0});
    numbers.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max = Number(int32_t{100});
    numbers.randomResultAddr = block;
    numbers.randomCounterAddr = counter;
    numbers.randomSeed = Number(uint64_t{2026});
    numbers.randomNum = Number(uint64_t{kNumbers});

    // A wait may be enqueued before its record. Here it comes after it: on a GPU streams may share a queue, in which a
    // wait also holds up later work of the other streams.
    for (int round = 0; round < rounds; ++round) {
        CHECK(aclrtRandomNumAsync(&numbers, maker, nullptr));
        CHECK(aclrtRecordNotify(is_made, maker));
        CHECK(aclrtWaitAndResetNotify(is_made, adder, kPatience));
        CHECK(aclrtReduceAsync(sums, block, kBytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, adder, nullptr));
        CHECK(aclrtRecordNotify(is_added, adder));
        // The block is not overwritten before it was summed.
        CHECK(aclrtWaitAndResetNotify(is_added, maker, kPatience));
    }
    // It has waited for the last sum.
    CHECK(aclrtSynchronizeStream(maker));

    std::vector<int32_t> all(kNumbers);
    CHECK(aclrtMemcpy(all.data(), kBytes, sums, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
    int64_t total = 0;
    for (const int32_t sum : all) total += sum;
    const double mean = static_cast<double>(total) / (static_cast<double>(kNumbers) * rounds);
    std::printf("%d blocks of %zu numbers from 0 to 99: their mean is %.3f\n", rounds, kNumbers, mean);

    CHECK(aclrtFree(counter));
    CHECK(aclrtFree(sums));
    CHECK(aclrtFree(block));
    CHECK(aclrtDestroyNotify(is_added));
    CHECK(aclrtDestroyNotify(is_made));
    CHECK(aclrtDestroyStream(adder));
    CHECK(aclrtDestroyStream(maker));
    CHECK(aclFinalize());
    // Close enough to the mean, whether there is one round or many.
    const bool is_right = rounds < 1 || (mean > 48.5 && mean < 50.5);
    if (!is_right) std::fprintf(stderr, "the mean should be near 49.5\n");
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
