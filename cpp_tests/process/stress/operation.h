// Random operations on a lane, and on two; each also changes the model. The device of the lane is set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "process/stress/lane.h"
#include "support/acl_test.h"
#include "support/kernel/kernels.h"

namespace portacl_test {

inline void Fill(Lane& lane, Random& random) {
    ModelledBuffer& to = lane.memory[random.Below(2)];
    const ByteRange range = RandomRange(random);
    const uint8_t value = random.Byte();
    ACL_EXPECT_OK(aclrtMemsetAsync(to.At(range), range.length, value, range.length, lane.stream));
    std::memset(to.Model(range), value, range.length);
}

inline void FillWords(Lane& lane, Random& random) {
    ModelledBuffer& to = lane.memory[random.Below(2)];
    const ByteRange range = RandomRange(random, 4);
    const uint32_t value = random.Word();
    ACL_EXPECT_OK(aclrtMemsetD32Async(to.At(range), range.length, value, range.length / 4, lane.stream));
    for (size_t i = 0; i < range.length; i += 4) std::memcpy(to.Model(range) + i, &value, 4);
}

inline void FromPinned(Lane& lane, Random& random) {
    ModelledBuffer& to = lane.memory[random.Below(2)];
    const ByteRange range = RandomRange(random);
    ACL_EXPECT_OK(aclrtMemcpyAsync(to.At(range), range.length, lane.pinned.At(range), range.length,
                                   ACL_MEMCPY_HOST_TO_DEVICE, lane.stream));
    std::memcpy(to.Model(range), lane.pinned.Model(range), range.length);
}

inline void ToPinned(Lane& lane, Random& random) {
    ModelledBuffer& from = lane.memory[random.Below(2)];
    const ByteRange range = RandomRange(random);
    ACL_EXPECT_OK(aclrtMemcpyAsync(lane.pinned.At(range), range.length, from.At(range), range.length,
                                   ACL_MEMCPY_DEVICE_TO_HOST, lane.stream));
    std::memcpy(lane.pinned.Model(range), from.Model(range), range.length);
}

// The source is freed when the call has returned.
inline void FromPageable(Lane& lane, Random& random) {
    ModelledBuffer& to = lane.memory[random.Below(2)];
    const ByteRange range = RandomRange(random);
    Bytes source(range.length, random.Byte());
    source[random.Below(range.length)] = random.Byte();
    ACL_EXPECT_OK(aclrtMemcpyAsync(to.At(range), range.length, source.data(), range.length, ACL_MEMCPY_HOST_TO_DEVICE,
                                   lane.stream));
    std::memcpy(to.Model(range), source.data(), range.length);
    std::fill(source.begin(), source.end(), uint8_t{0xDD});
}

// The destination is written when the call returns.
inline void ToPageable(Lane& lane, Random& random) {
    ModelledBuffer& from = lane.memory[random.Below(2)];
    const ByteRange range = RandomRange(random);
    Bytes found(range.length, 0xDD);
    ACL_EXPECT_OK(aclrtMemcpyAsync(found.data(), range.length, from.At(range), range.length, ACL_MEMCPY_DEVICE_TO_HOST,
                                   lane.stream));
    ExpectModel(found.data(), from.Model(range), range, "what was copied out in order");
}

inline void Within(Lane& lane, Random& random) {
    const size_t which = random.Below(2);
    ModelledBuffer &to = lane.memory[which], &from = lane.memory[1 - which];
    const ByteRange range = RandomRange(random);
    ACL_EXPECT_OK(aclrtMemcpyAsync(to.At(range), range.length, from.At(range), range.length,
                                   ACL_MEMCPY_DEVICE_TO_DEVICE, lane.stream));
    std::memcpy(to.Model(range), from.Model(range), range.length);
}

inline void ReduceBytes(Lane& lane, Random& random) {
    const size_t which = random.Below(2);
    ModelledBuffer &to = lane.memory[which], &from = lane.memory[1 - which];
    const ByteRange range = RandomRange(random, 4);
    ACL_EXPECT_OK(aclrtReduceAsync(to.At(range), from.At(range), range.length, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                                   ACL_INT8, lane.stream, nullptr));
    for (size_t i = 0; i < range.length; ++i)
        to.Model(range)[i] = static_cast<uint8_t>(to.Model(range)[i] + from.Model(range)[i]);
}

inline void ReduceWords(Lane& lane, Random& random) {
    const size_t which = random.Below(2);
    ModelledBuffer &to = lane.memory[which], &from = lane.memory[1 - which];
    const ByteRange range = RandomRange(random, 4);
    ACL_EXPECT_OK(aclrtReduceAsync(to.At(range), from.At(range), range.length, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX,
                                   ACL_INT32, lane.stream, nullptr));
    for (size_t i = 0; i < range.length; i += 4) {
        int32_t a, b;
        std::memcpy(&a, to.Model(range) + i, 4);
        std::memcpy(&b, from.Model(range) + i, 4);
        a = std::max(a, b);
        std::memcpy(to.Model(range) + i, &a, 4);
    }
}

inline void AddByKernel(Lane& lane, Random& random) {
    ModelledBuffer& to = lane.memory[random.Below(2)];
    const ByteRange range = RandomRange(random, 4);
    const uint32_t number = random.Word();
    const auto words = static_cast<uint32_t>(range.length / 4);
    ACL_EXPECT_OK(Mark(lane.mark, to.At(range), number, words, lane.stream));
    for (size_t i = 0; i < range.length; i += 4) {
        uint32_t word;
        std::memcpy(&word, to.Model(range) + i, 4);
        word += number;
        std::memcpy(to.Model(range) + i, &word, 4);
    }
}

// Some rows of both, the same ones.
inline void Rows(Lane& lane, Random& random) {
    constexpr size_t kPitch = 512, kMostRows = kSize / kPitch;
    ModelledBuffer& to = lane.memory[random.Below(2)];
    const size_t width = 1 + random.Below(kPitch), rows = 1 + random.Below(kMostRows);
    const size_t first = random.Below(kMostRows - rows + 1) * kPitch;
    const ByteRange whole{first, rows * kPitch};
    ACL_EXPECT_OK(aclrtMemcpy2dAsync(to.At(whole), kPitch, lane.pinned.At(whole), kPitch, width, rows,
                                     ACL_MEMCPY_HOST_TO_DEVICE, lane.stream));
    for (size_t row = 0; row < rows; ++row)
        std::memcpy(to.Model(whole) + row * kPitch, lane.pinned.Model(whole) + row * kPitch, width);
}

// Parts of both buffers to pinned memory, concurrently: the ranges do not overlap.
inline void Batch(Lane& lane, Random& random) {
    constexpr size_t kParts = 4, kPart = kSize / kParts;
    void *to[kParts], *from[kParts];
    size_t sizes[kParts], first = 0, failed = 0;
    for (size_t i = 0; i < kParts; ++i) {
        ModelledBuffer& source = lane.memory[random.Below(2)];
        const ByteRange range{i * kPart + random.Below(kPart / 2), 1 + random.Below(kPart / 2)};
        to[i] = lane.pinned.At(range);
        from[i] = source.At(range);
        sizes[i] = range.length;
        std::memcpy(lane.pinned.Model(range), source.Model(range), range.length);
    }
    aclrtMemcpyBatchAttr attribute{};
    attribute.srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    attribute.srcLoc.id = static_cast<uint32_t>(lane.device);
    attribute.dstLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
    ACL_EXPECT_OK(aclrtMemcpyBatchAsync(to, sizes, from, sizes, kParts, &attribute, &first, 1, &failed, lane.stream));
}

inline void AccessPinned(Lane& lane, Random& random) {
    const ByteRange range = RandomRange(random);
    const uint8_t* model = lane.pinned.Model(range);
    auto* work = new HostWork{lane.pinned.At(range), Bytes(model, model + range.length), 0, range.length};
    ACL_EXPECT_OK(aclrtLaunchHostFunc(lane.stream, &HostWork::Run, work));
}

inline void WriteToPinned(Lane& lane, Random& random) {
    const ByteRange range = RandomRange(random);
    const uint8_t value = random.Byte();
    auto* work = new HostWork{lane.pinned.At(range), {}, value, range.length};
    ACL_EXPECT_OK(aclrtLaunchHostFunc(lane.stream, &HostWork::Run, work));
    std::memset(lane.pinned.Model(range), value, range.length);
}

// Synchronous calls are not ordered with streams, so the lane is synchronized first.
inline void CopyNow(Lane& lane, Random& random) {
    Synchronize(lane);
    const size_t which = random.Below(2);
    ModelledBuffer &to = lane.memory[which], &from = lane.memory[1 - which];
    const ByteRange range = RandomRange(random);
    ACL_EXPECT_OK(aclrtMemcpy(to.At(range), range.length, from.At(range), range.length, ACL_MEMCPY_DEVICE_TO_DEVICE));
    std::memcpy(to.Model(range), from.Model(range), range.length);
    ACL_EXPECT_OK(aclrtMemset(from.At(range), range.length, 0x5A, range.length));
    std::memset(from.Model(range), 0x5A, range.length);
    Bytes found(range.length);
    ACL_EXPECT_OK(aclrtMemcpy(found.data(), range.length, to.At(range), range.length, ACL_MEMCPY_DEVICE_TO_HOST));
    ExpectModel(found.data(), to.Model(range), range, "what was copied out at once");
}

// A query may return "not complete", but if it returns "complete" the work is complete.
inline void Ask(Lane& lane) {
    ACL_EXPECT_OK(aclrtRecordEvent(lane.event, lane.stream));
    aclrtEventRecordedStatus recorded{};
    ACL_EXPECT_OK(aclrtQueryEventStatus(lane.event, &recorded));
    aclrtStreamStatus status{};
    ACL_EXPECT_OK(aclrtStreamQuery(lane.stream, &status));
    if (recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE || status == ACL_STREAM_STATUS_COMPLETE) CheckPinned(lane);
}

// The stream waits for the other lane's event, with or without a timeout that it never reaches,
// and resets the event if that is supported.
inline void Await(aclrtStream stream, const Lane& other, Random& random) {
    if (random.Below(2) == 0)
        ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, other.event));
    else
        ACL_EXPECT_OK(aclrtStreamWaitEventWithTimeout(stream, other.event, 3600));
    if (other.creator != 1) return;
    ACL_EXPECT_OK(aclrtResetEvent(other.event, stream));
    aclrtEventWaitStatus waits{};
    ACL_EXPECT_OK(aclrtQueryEventWaitStatus(other.event, &waits));
}

// `lane` reads the present content of `other`, and `other` continues after that.
inline void ReadOther(Lane& lane, Lane& other, Random& random) {
    if (&lane == &other) return;
    const std::scoped_lock lock(lane.mutex, other.mutex);
    ModelledBuffer &to = lane.memory[random.Below(2)], &from = other.memory[random.Below(2)];
    const ByteRange range = RandomRange(random);
    ACL_EXPECT_OK(aclrtSetDevice(other.device));
    ACL_EXPECT_OK(aclrtRecordEvent(other.event, other.stream));
    ACL_EXPECT_OK(aclrtSetDevice(lane.device));
    Await(lane.stream, other, random);
    ACL_EXPECT_OK(aclrtMemcpyAsync(to.At(range), range.length, from.At(range), range.length,
                                   ACL_MEMCPY_DEVICE_TO_DEVICE, lane.stream));
    ACL_EXPECT_OK(aclrtRecordEvent(lane.event, lane.stream));
    ACL_EXPECT_OK(aclrtSetDevice(other.device));
    Await(other.stream, lane, random);
    std::memcpy(to.Model(range), from.Model(range), range.length);
}

}  // namespace portacl_test
