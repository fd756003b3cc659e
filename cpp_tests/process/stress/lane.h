// A stream with its memory, and a model of what the memory contains when the stream has run everything.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "support/acl_test.h"

namespace portacl_test {

// The longest operations are too long for any backend to run them in the caller.
constexpr size_t kSize = 160 << 10;

using Bytes = std::vector<uint8_t>;

class Random {
  public:
    explicit Random(uint64_t seed) : engine_(seed) {}
    size_t Below(size_t bound) { return engine_() % bound; }
    uint8_t Byte() { return static_cast<uint8_t>(engine_()); }
    uint32_t Word() { return static_cast<uint32_t>(engine_()); }

  private:
    std::mt19937_64 engine_;
};

// A range of a buffer, in bytes.
struct ByteRange {
    size_t begin;
    size_t length;
};

// Most ranges are short, some are nearly the whole buffer. Begin and length are multiples of
// `unit`.
inline ByteRange RandomRange(Random& random, size_t unit = 1) {
    const size_t most = random.Below(8) == 0 ? kSize : 2048;
    const size_t length = unit * (1 + random.Below(most / unit));
    return {unit * random.Below((kSize - length) / unit + 1), length};
}

// Memory, and its content when everything that is submitted has completed.
struct ModelledBuffer {
    void* address = nullptr;
    Bytes model = Bytes(kSize, 0);

    uint8_t* At(ByteRange range) const { return static_cast<uint8_t*>(address) + range.begin; }
    uint8_t* Model(ByteRange range) { return model.data() + range.begin; }
};

struct Lane {
    std::mutex mutex;
    int32_t device = 0;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    aclrtFuncHandle mark = nullptr;
    int creator = 0;  // the function that creates the event: each has its turn
    std::array<ModelledBuffer, 2> memory;
    ModelledBuffer pinned;
};

// Bytes that differ from the model, as operations in stream order found them.
inline std::atomic<int> wrong_in_order{0};

// Reads pinned memory, or writes it, when the stream reaches it.
struct HostWork {
    uint8_t* at;
    Bytes expected;  // empty: write
    uint8_t value;
    size_t length;

    static void Run(void* argument) {
        const std::unique_ptr<HostWork> work(static_cast<HostWork*>(argument));
        if (work->expected.empty())
            std::memset(work->at, work->value, work->length);
        else if (std::memcmp(work->at, work->expected.data(), work->length) != 0)
            ++wrong_in_order;
    }
};

inline void ExpectModel(const uint8_t* found, const uint8_t* model, ByteRange range, const char* what) {
    if (std::memcmp(found, model, range.length) == 0) return;
    size_t at = 0;
    while (found[at] == model[at]) ++at;
    ADD_FAILURE() << what << ": byte " << at << " of " << range.length << " (byte " << range.begin + at
                  << " of its buffer) is " << int{found[at]} << ", not " << int{model[at]};
}

// ---- objects; the lane's device is set ----

inline void CheckPinned(Lane& lane) {
    const ByteRange all{0, kSize};
    ExpectModel(lane.pinned.At(all), lane.pinned.Model(all), all, "pinned memory");
}

inline void Synchronize(Lane& lane) {
    ACL_EXPECT_OK(aclrtRecordEvent(lane.event, lane.stream));
    const bool by_event = lane.pinned.model[0] % 2 == 0;
    if (by_event)
        ACL_EXPECT_OK(aclrtSynchronizeEvent(lane.event));
    else
        ACL_EXPECT_OK(aclrtSynchronizeStream(lane.stream));
    CheckPinned(lane);
}

inline void NewStream(Lane& lane) {
    ACL_EXPECT_OK(aclrtCreateStream(&lane.stream));
}

inline void NewEvent(Lane& lane) {
    lane.creator = (lane.creator + 1) % 3;
    ACL_EXPECT_OK(lane.creator == 0   ? aclrtCreateEvent(&lane.event)
                  : lane.creator == 1 ? aclrtCreateEventWithFlag(&lane.event, ACL_EVENT_SYNC)
                                      : aclrtCreateEventExWithFlag(&lane.event, ACL_EVENT_SYNC));
}

inline void NewMemory(Lane& lane, ModelledBuffer& buffer) {
    ACL_EXPECT_OK(aclrtMalloc(&buffer.address, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_EXPECT_OK(aclrtMemsetAsync(buffer.address, kSize, 0, kSize, lane.stream));
    std::fill(buffer.model.begin(), buffer.model.end(), uint8_t{0});
}

inline void NewPinned(Lane& lane) {
    ACL_EXPECT_OK(aclrtMallocHost(&lane.pinned.address, kSize));
    std::memcpy(lane.pinned.address, lane.pinned.model.data(), kSize);
}

// Pending operations keep memory that is freed meanwhile.
inline void ReplaceMemory(Lane& lane, Random& random) {
    ModelledBuffer& buffer = lane.memory[random.Below(2)];
    void* const old = buffer.address;
    if (random.Below(2) == 0) {
        ACL_EXPECT_OK(aclrtFree(old));
        NewMemory(lane, buffer);
    } else {
        NewMemory(lane, buffer);
        ACL_EXPECT_OK(aclrtFree(old));
    }
}

// The new stream is ordered after the old one's pending work.
inline void ReplaceStream(Lane& lane) {
    aclrtStream const old = lane.stream;
    ACL_EXPECT_OK(aclrtRecordEvent(lane.event, old));
    NewStream(lane);
    ACL_EXPECT_OK(aclrtStreamWaitEvent(lane.stream, lane.event));
    ACL_EXPECT_OK(aclrtDestroyStream(old));
}

// Pending waits keep an event that is destroyed meanwhile.
inline void ReplaceEvent(Lane& lane) {
    ACL_EXPECT_OK(aclrtRecordEvent(lane.event, lane.stream));
    ACL_EXPECT_OK(aclrtStreamWaitEvent(lane.stream, lane.event));
    ACL_EXPECT_OK(aclrtDestroyEvent(lane.event));
    NewEvent(lane);
}

// Host functions use it, so it is freed after them.
inline void ReplacePinned(Lane& lane) {
    Synchronize(lane);
    ACL_EXPECT_OK(aclrtFreeHost(lane.pinned.address));
    NewPinned(lane);
}

}  // namespace portacl_test
