// Cache operations: they check their arguments and have no effect.
#include "support/objects.h"
#include "support/says.h"

#include <climits>
#include <string>

using namespace portacl_test;

namespace {

using Cache = WithDevice;

constexpr aclError kBad = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr size_t kSize = 4096;
constexpr aclrtCmoType kTypes[] = {ACL_RT_CMO_TYPE_PREFETCH, ACL_RT_CMO_TYPE_WRITEBACK, ACL_RT_CMO_TYPE_INVALID,
                                   ACL_RT_CMO_TYPE_FLUSH};

aclrtBarrierTaskInfo Barriers(size_t count) {
    aclrtBarrierTaskInfo task{};
    task.barrierNum = count;
    for (uint32_t i = 0; i < ACL_RT_CMO_MAX_BARRIER_NUM; ++i) task.cmoInfo[i] = {ACL_RT_CMO_TYPE_PREFETCH, i};
    return task;
}

}  // namespace

TEST_F(Cache, OperationsChangeNothing) {
    Stream stream;
    const std::vector<unsigned char> bytes = Pattern(kSize);
    DeviceMemory memory(kSize);
    PinnedMemory from(kSize);
    std::copy(bytes.begin(), bytes.end(), from.Bytes());
    // Between a write and a read in stream order, where a dropped cache would lose the write.
    ACL_OK(aclrtMemcpyAsync(memory.At(), kSize, from.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    for (const aclrtCmoType type : kTypes) {
        ACL_OK(aclrtCmoAsync(memory.At(), kSize, type, stream));
        ACL_OK(aclrtCmoAsyncWithBarrier(memory.At(1), kSize - 1, type, UINT32_MAX, stream));
    }
    ACL_OK(aclrtDeviceL2CacheFlush(nullptr));
    aclrtBarrierTaskInfo task = Barriers(6);
    ACL_OK(aclrtCmoWaitBarrier(&task, stream, 0));
    ACL_OK(aclrtCmoAsync(memory.At(), 1, ACL_RT_CMO_TYPE_INVALID, nullptr));
    PinnedMemory to(kSize, 0);
    ACL_OK(aclrtMemcpyAsync(to.At(), kSize, memory.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(to.Copy(), bytes);
}

TEST_F(Cache, DescriptionsAreInDeviceMemory) {
    Stream stream;
    auto size = Poison<size_t>();
    ACL_OK(aclrtCmoGetDescSize(&size));
    ASSERT_EQ(size, 64u);
    DeviceMemory memory(std::vector<unsigned char>(kSize, 7));
    DeviceMemory description(std::vector<unsigned char>(size + 1, 0xEE));
    ACL_OK(aclrtCmoSetDesc(description.At(), memory.At(), kSize));
    EXPECT_EQ(description.Download()[size], 0xEE) << "no more than its size is written";
    EXPECT_NE(description.Download()[size - 1], 0xEE);
    for (const aclrtCmoType type : kTypes) ACL_OK(aclrtCmoAsyncWithDesc(description.At(), type, stream, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(memory.Download(), std::vector<unsigned char>(kSize, 7));
}

TEST_F(Cache, InvalidTypes) {
    Stream stream;
    DeviceMemory memory(kSize);
    for (const int number : {-1, 4, INT_MIN, INT_MAX}) {
        const auto type = static_cast<aclrtCmoType>(number);
        const std::string said = "is " + std::to_string(number), bound = "0 to 3";
        ACL_FAILS_SAYING(kBad, aclrtCmoAsync(memory.At(), kSize, type, stream), said, bound);
        ACL_FAILS_SAYING(kBad, aclrtCmoAsyncWithBarrier(memory.At(), kSize, type, 1, stream), said, bound);
        ACL_FAILS_SAYING(kBad, aclrtCmoAsyncWithDesc(memory.At(), type, stream, nullptr), said, bound);
        aclrtBarrierTaskInfo task = Barriers(2);
        task.cmoInfo[1].cmoType = type;
        ACL_FAILS_SAYING(kBad, aclrtCmoWaitBarrier(&task, stream, 0), "cmoInfo[1]", said, bound);
        // Reserved entries beyond the count are ignored.
        task.barrierNum = 1;
        ACL_OK(aclrtCmoWaitBarrier(&task, stream, 0));
    }
}

TEST_F(Cache, InvalidRanges) {
    Stream stream;
    DeviceMemory memory(kSize);
    PinnedMemory pinned(kSize);
    std::vector<char> pageable(kSize);
    const auto type = ACL_RT_CMO_TYPE_PREFETCH;
    const auto refused = [&](void* at, size_t size, aclError code, const std::string& word) {
        ACL_FAILS_SAYING(code, aclrtCmoAsync(at, size, type, stream), word);
        ACL_FAILS_SAYING(code, aclrtCmoAsyncWithBarrier(at, size, type, 0, stream), word);
        ACL_FAILS_SAYING(code, aclrtCmoSetDesc(memory.At(), at, size), word);
    };
    refused(nullptr, kSize, kBad, "src is null");
    refused(memory.At(), 0, kBad, "size is 0");
    refused(memory.At(), 2 * kSize, kDead, "src");
    refused(memory.At(8), SIZE_MAX, kDead, "src");
    refused(pinned.At(), kSize, kDead, "host memory");
    refused(pageable.data(), kSize, kDead, "host memory");
    ACL_FAILS_SAYING(kBad, aclrtCmoSetDesc(nullptr, memory.At(), 1), "cmoDesc is null");
    ACL_FAILS_SAYING(kDead, aclrtCmoSetDesc(pinned.At(), memory.At(), 1), "cmoDesc", "host memory");
    ACL_FAILS_SAYING(kBad, aclrtCmoAsyncWithDesc(nullptr, type, stream, nullptr), "cmoDesc is null");
    ACL_FAILS_SAYING(kDead, aclrtCmoAsyncWithDesc(pinned.At(), type, stream, nullptr), "host memory");
    ACL_FAILS_SAYING(kDead, aclrtCmoAsyncWithDesc(memory.At(kSize), type, stream, nullptr), "cmoDesc");
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    DeviceMemory there(kSize);
    ACL_OK(aclrtSetDevice(0));
    refused(there.At(), kSize, kDead, "memory on device 1");
}

TEST_F(Cache, ReservedArguments) {
    Stream stream;
    DeviceMemory memory(kSize);
    aclrtBarrierTaskInfo task = Barriers(1);
    ACL_FAILS_SAYING(kBad, aclrtCmoWaitBarrier(nullptr, stream, 0), "taskInfo is null");
    ACL_FAILS_SAYING(kBad, aclrtCmoWaitBarrier(&task, stream, 1), "flag is 0x1");
    for (const size_t count : {size_t{0}, size_t{7}, SIZE_MAX}) {
        task = Barriers(count);
        ACL_FAILS_SAYING(kBad, aclrtCmoWaitBarrier(&task, stream, 0), "barrierNum is " + std::to_string(count),
                         "1 to 6");
    }
    int reserved = 0;
    ACL_FAILS_SAYING(kBad, aclrtCmoAsyncWithDesc(memory.At(), ACL_RT_CMO_TYPE_PREFETCH, stream, &reserved),
                     "reserve is 0x");
    ACL_FAILS_SAYING(kBad, aclrtDeviceL2CacheFlush(&reserved), "rsv is 0x");
    ACL_FAILS_SAYING(kBad, aclrtCmoGetDescSize(nullptr), "size is null");
}
