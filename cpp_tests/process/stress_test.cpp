// 16 threads, 64 streams on all devices, random operations, and a model that predicts every byte.
//
// A lane is a stream with its memory. A thread that submits to a lane holds its lock and applies
// the same operation to the model, so the model is the content of the memory when the stream has
// run it. Lanes read each other's memory; events order that.
//
// PORTACL_TEST_STRESS_SEED repeats the operations of a run (not the interleaving of its threads),
// PORTACL_TEST_STRESS_OPERATIONS is the total number of operations.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "support/acl_test.h"
#include "support/kernel/kernels.h"
#include "support/threads.h"

namespace portacl_test {
namespace {

constexpr int kThreads = 16;
constexpr int kLanes = 64;
// The longest operations are too long for any backend to run them in the caller.
constexpr size_t kSize = 160 << 10;

using Bytes = std::vector<uint8_t>;

uint64_t Setting(const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

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
struct Range {
    size_t begin;
    size_t length;
};

// Most ranges are short, some are nearly the whole buffer. Begin and length are multiples of
// `unit`.
Range RandomRange(Random& random, size_t unit = 1) {
    const size_t most = random.Below(8) == 0 ? kSize : 2048;
    const size_t length = unit * (1 + random.Below(most / unit));
    return {unit * random.Below((kSize - length) / unit + 1), length};
}

// Memory, and its content when everything that is submitted has completed.
struct Buffer {
    void* address = nullptr;
    Bytes model = Bytes(kSize, 0);

    uint8_t* At(Range range) const { return static_cast<uint8_t*>(address) + range.begin; }
    uint8_t* Model(Range range) { return model.data() + range.begin; }
};

struct Lane {
    std::mutex mutex;
    int32_t device = 0;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    aclrtFuncHandle mark = nullptr;
    int creator = 0;  // the function that creates the event: each has its turn
    std::array<Buffer, 2> memory;
    Buffer pinned;
};

// Bytes that differ from the model, as operations in stream order found them.
std::atomic<int> wrong_in_order{0};

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

void ExpectModel(const uint8_t* found, const uint8_t* model, Range range, const char* what) {
    if (std::memcmp(found, model, range.length) == 0) return;
    size_t at = 0;
    while (found[at] == model[at]) ++at;
    ADD_FAILURE() << what << ": byte " << at << " of " << range.length << " (byte " << range.begin + at
                  << " of its buffer) is " << int{found[at]} << ", not " << int{model[at]};
}

class Stress {
  public:
    Stress() {
        ACL_EXPECT_OK(aclrtGetDeviceCount(&devices_));
        for (int i = 0; i < kLanes; ++i) {
            Lane& lane = lanes_[static_cast<size_t>(i)];
            lane.device = i % static_cast<int32_t>(devices_);
            lane.creator = i % 3;
            ACL_EXPECT_OK(aclrtSetDevice(lane.device));
            if (programs_.size() < devices_) programs_.push_back(std::make_unique<Program>());
            lane.mark = programs_[static_cast<size_t>(lane.device)]->Kernel("mark");
            NewStream(lane);
            NewEvent(lane);
            for (Buffer& buffer : lane.memory) NewMemory(lane, buffer);
            NewPinned(lane);
        }
    }

    // One random operation.
    void Operation(Random& random) {
        Lane& lane = lanes_[random.Below(kLanes)];
        if (random.Below(7) == 0) return ReadOther(lane, lanes_[random.Below(kLanes)], random);
        const std::lock_guard<std::mutex> lock(lane.mutex);
        ACL_EXPECT_OK(aclrtSetDevice(lane.device));
        switch (random.Below(36)) {
            case 0:
            case 1:
            case 2:
            case 3:
                return Fill(lane, random);
            case 4:
            case 5:
                return FillWords(lane, random);
            case 6:
            case 7:
            case 8:
                return FromPinned(lane, random);
            case 9:
            case 10:
            case 11:
                return ToPinned(lane, random);
            case 12:
            case 13:
                return FromPageable(lane, random);
            case 14:
                return ToPageable(lane, random);
            case 15:
            case 16:
                return Within(lane, random);
            case 17:
            case 18:
                return ReduceBytes(lane, random);
            case 19:
                return ReduceWords(lane, random);
            case 20:
            case 21:
                return AccessPinned(lane, random);
            case 22:
                return WriteToPinned(lane, random);
            case 23:
            case 24:
                return ReplaceMemory(lane, random);
            case 25:
                return ReplaceStream(lane);
            case 26:
                return ReplaceEvent(lane);
            case 27:
                return ReplacePinned(lane);
            case 28:
                return CopyNow(lane, random);
            case 29:
                return Ask(lane);
            case 30:
                return Rows(lane, random);
            case 31:
                return Batch(lane, random);
            case 32:
            case 33:
                return AddByKernel(lane, random);
            default:
                return Synchronize(lane);
        }
    }

    // All memory, byte for byte.
    void CheckAll() {
        for (Lane& lane : lanes_) {
            ACL_EXPECT_OK(aclrtSetDevice(lane.device));
            Synchronize(lane);
            for (Buffer& buffer : lane.memory) {
                Bytes found(kSize);
                ACL_EXPECT_OK(aclrtMemcpy(found.data(), kSize, buffer.address, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
                ExpectModel(found.data(), buffer.model.data(), {0, kSize}, "device memory");
            }
        }
    }

    ~Stress() {
        for (Lane& lane : lanes_) {
            ACL_EXPECT_OK(aclrtSetDevice(lane.device));
            ACL_EXPECT_OK(aclrtDestroyStream(lane.stream));
            ACL_EXPECT_OK(aclrtDestroyEvent(lane.event));
            for (Buffer& buffer : lane.memory) ACL_EXPECT_OK(aclrtFree(buffer.address));
            ACL_EXPECT_OK(aclrtFreeHost(lane.pinned.address));
        }
    }
    Stress(const Stress&) = delete;
    Stress& operator=(const Stress&) = delete;

  private:
    // ---- creating and replacing objects; the lane's device is set ----

    static void NewStream(Lane& lane) { ACL_EXPECT_OK(aclrtCreateStream(&lane.stream)); }

    static void NewEvent(Lane& lane) {
        lane.creator = (lane.creator + 1) % 3;
        ACL_EXPECT_OK(lane.creator == 0   ? aclrtCreateEvent(&lane.event)
                      : lane.creator == 1 ? aclrtCreateEventWithFlag(&lane.event, ACL_EVENT_SYNC)
                                          : aclrtCreateEventExWithFlag(&lane.event, ACL_EVENT_SYNC));
    }

    static void NewMemory(Lane& lane, Buffer& buffer) {
        ACL_EXPECT_OK(aclrtMalloc(&buffer.address, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
        ACL_EXPECT_OK(aclrtMemsetAsync(buffer.address, kSize, 0, kSize, lane.stream));
        std::fill(buffer.model.begin(), buffer.model.end(), uint8_t{0});
    }

    static void NewPinned(Lane& lane) {
        ACL_EXPECT_OK(aclrtMallocHost(&lane.pinned.address, kSize));
        std::memcpy(lane.pinned.address, lane.pinned.model.data(), kSize);
    }

    // Pending operations keep memory that is freed meanwhile.
    static void ReplaceMemory(Lane& lane, Random& random) {
        Buffer& buffer = lane.memory[random.Below(2)];
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
    static void ReplaceStream(Lane& lane) {
        aclrtStream const old = lane.stream;
        ACL_EXPECT_OK(aclrtRecordEvent(lane.event, old));
        NewStream(lane);
        ACL_EXPECT_OK(aclrtStreamWaitEvent(lane.stream, lane.event));
        ACL_EXPECT_OK(aclrtDestroyStream(old));
    }

    // Pending waits keep an event that is destroyed meanwhile.
    static void ReplaceEvent(Lane& lane) {
        ACL_EXPECT_OK(aclrtRecordEvent(lane.event, lane.stream));
        ACL_EXPECT_OK(aclrtStreamWaitEvent(lane.stream, lane.event));
        ACL_EXPECT_OK(aclrtDestroyEvent(lane.event));
        NewEvent(lane);
    }

    // Host functions use it, so it is freed after them.
    static void ReplacePinned(Lane& lane) {
        Synchronize(lane);
        ACL_EXPECT_OK(aclrtFreeHost(lane.pinned.address));
        NewPinned(lane);
    }

    // ---- operations on one lane; its device is set ----

    static void Fill(Lane& lane, Random& random) {
        Buffer& to = lane.memory[random.Below(2)];
        const Range range = RandomRange(random);
        const uint8_t value = random.Byte();
        ACL_EXPECT_OK(aclrtMemsetAsync(to.At(range), range.length, value, range.length, lane.stream));
        std::memset(to.Model(range), value, range.length);
    }

    static void FillWords(Lane& lane, Random& random) {
        Buffer& to = lane.memory[random.Below(2)];
        const Range range = RandomRange(random, 4);
        const uint32_t value = random.Word();
        ACL_EXPECT_OK(aclrtMemsetD32Async(to.At(range), range.length, value, range.length / 4, lane.stream));
        for (size_t i = 0; i < range.length; i += 4) std::memcpy(to.Model(range) + i, &value, 4);
    }

    static void FromPinned(Lane& lane, Random& random) {
        Buffer& to = lane.memory[random.Below(2)];
        const Range range = RandomRange(random);
        ACL_EXPECT_OK(aclrtMemcpyAsync(to.At(range), range.length, lane.pinned.At(range), range.length,
                                       ACL_MEMCPY_HOST_TO_DEVICE, lane.stream));
        std::memcpy(to.Model(range), lane.pinned.Model(range), range.length);
    }

    static void ToPinned(Lane& lane, Random& random) {
        Buffer& from = lane.memory[random.Below(2)];
        const Range range = RandomRange(random);
        ACL_EXPECT_OK(aclrtMemcpyAsync(lane.pinned.At(range), range.length, from.At(range), range.length,
                                       ACL_MEMCPY_DEVICE_TO_HOST, lane.stream));
        std::memcpy(lane.pinned.Model(range), from.Model(range), range.length);
    }

    // The source is freed when the call has returned.
    static void FromPageable(Lane& lane, Random& random) {
        Buffer& to = lane.memory[random.Below(2)];
        const Range range = RandomRange(random);
        Bytes source(range.length, random.Byte());
        source[random.Below(range.length)] = random.Byte();
        ACL_EXPECT_OK(aclrtMemcpyAsync(to.At(range), range.length, source.data(), range.length,
                                       ACL_MEMCPY_HOST_TO_DEVICE, lane.stream));
        std::memcpy(to.Model(range), source.data(), range.length);
        std::fill(source.begin(), source.end(), uint8_t{0xDD});
    }

    // The destination is written when the call returns.
    static void ToPageable(Lane& lane, Random& random) {
        Buffer& from = lane.memory[random.Below(2)];
        const Range range = RandomRange(random);
        Bytes found(range.length, 0xDD);
        ACL_EXPECT_OK(aclrtMemcpyAsync(found.data(), range.length, from.At(range), range.length,
                                       ACL_MEMCPY_DEVICE_TO_HOST, lane.stream));
        ExpectModel(found.data(), from.Model(range), range, "what was copied out in order");
    }

    static void Within(Lane& lane, Random& random) {
        const size_t which = random.Below(2);
        Buffer &to = lane.memory[which], &from = lane.memory[1 - which];
        const Range range = RandomRange(random);
        ACL_EXPECT_OK(aclrtMemcpyAsync(to.At(range), range.length, from.At(range), range.length,
                                       ACL_MEMCPY_DEVICE_TO_DEVICE, lane.stream));
        std::memcpy(to.Model(range), from.Model(range), range.length);
    }

    static void ReduceBytes(Lane& lane, Random& random) {
        const size_t which = random.Below(2);
        Buffer &to = lane.memory[which], &from = lane.memory[1 - which];
        const Range range = RandomRange(random, 4);
        ACL_EXPECT_OK(aclrtReduceAsync(to.At(range), from.At(range), range.length, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                                       ACL_INT8, lane.stream, nullptr));
        for (size_t i = 0; i < range.length; ++i)
            to.Model(range)[i] = static_cast<uint8_t>(to.Model(range)[i] + from.Model(range)[i]);
    }

    static void ReduceWords(Lane& lane, Random& random) {
        const size_t which = random.Below(2);
        Buffer &to = lane.memory[which], &from = lane.memory[1 - which];
        const Range range = RandomRange(random, 4);
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

    static void AddByKernel(Lane& lane, Random& random) {
        Buffer& to = lane.memory[random.Below(2)];
        const Range range = RandomRange(random, 4);
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
    static void Rows(Lane& lane, Random& random) {
        constexpr size_t kPitch = 512, kMostRows = kSize / kPitch;
        Buffer& to = lane.memory[random.Below(2)];
        const size_t width = 1 + random.Below(kPitch), rows = 1 + random.Below(kMostRows);
        const size_t first = random.Below(kMostRows - rows + 1) * kPitch;
        const Range whole{first, rows * kPitch};
        ACL_EXPECT_OK(aclrtMemcpy2dAsync(to.At(whole), kPitch, lane.pinned.At(whole), kPitch, width, rows,
                                         ACL_MEMCPY_HOST_TO_DEVICE, lane.stream));
        for (size_t row = 0; row < rows; ++row)
            std::memcpy(to.Model(whole) + row * kPitch, lane.pinned.Model(whole) + row * kPitch, width);
    }

    // Parts of both buffers to pinned memory, concurrently: the ranges do not overlap.
    static void Batch(Lane& lane, Random& random) {
        constexpr size_t kParts = 4, kPart = kSize / kParts;
        void *to[kParts], *from[kParts];
        size_t sizes[kParts], first = 0, failed = 0;
        for (size_t i = 0; i < kParts; ++i) {
            Buffer& source = lane.memory[random.Below(2)];
            const Range range{i * kPart + random.Below(kPart / 2), 1 + random.Below(kPart / 2)};
            to[i] = lane.pinned.At(range);
            from[i] = source.At(range);
            sizes[i] = range.length;
            std::memcpy(lane.pinned.Model(range), source.Model(range), range.length);
        }
        aclrtMemcpyBatchAttr attribute{};
        attribute.srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        attribute.srcLoc.id = static_cast<uint32_t>(lane.device);
        attribute.dstLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
        ACL_EXPECT_OK(
            aclrtMemcpyBatchAsync(to, sizes, from, sizes, kParts, &attribute, &first, 1, &failed, lane.stream));
    }

    static void AccessPinned(Lane& lane, Random& random) {
        const Range range = RandomRange(random);
        const uint8_t* model = lane.pinned.Model(range);
        auto* work = new HostWork{lane.pinned.At(range), Bytes(model, model + range.length), 0, range.length};
        ACL_EXPECT_OK(aclrtLaunchHostFunc(lane.stream, &HostWork::Run, work));
    }

    static void WriteToPinned(Lane& lane, Random& random) {
        const Range range = RandomRange(random);
        const uint8_t value = random.Byte();
        auto* work = new HostWork{lane.pinned.At(range), {}, value, range.length};
        ACL_EXPECT_OK(aclrtLaunchHostFunc(lane.stream, &HostWork::Run, work));
        std::memset(lane.pinned.Model(range), value, range.length);
    }

    // Synchronous calls are not ordered with streams, so the lane is synchronized first.
    static void CopyNow(Lane& lane, Random& random) {
        Synchronize(lane);
        const size_t which = random.Below(2);
        Buffer &to = lane.memory[which], &from = lane.memory[1 - which];
        const Range range = RandomRange(random);
        ACL_EXPECT_OK(
            aclrtMemcpy(to.At(range), range.length, from.At(range), range.length, ACL_MEMCPY_DEVICE_TO_DEVICE));
        std::memcpy(to.Model(range), from.Model(range), range.length);
        ACL_EXPECT_OK(aclrtMemset(from.At(range), range.length, 0x5A, range.length));
        std::memset(from.Model(range), 0x5A, range.length);
        Bytes found(range.length);
        ACL_EXPECT_OK(aclrtMemcpy(found.data(), range.length, to.At(range), range.length, ACL_MEMCPY_DEVICE_TO_HOST));
        ExpectModel(found.data(), to.Model(range), range, "what was copied out at once");
    }

    // A query may return "not complete", but if it returns "complete" the work is complete.
    static void Ask(Lane& lane) {
        ACL_EXPECT_OK(aclrtRecordEvent(lane.event, lane.stream));
        aclrtEventRecordedStatus recorded{};
        ACL_EXPECT_OK(aclrtQueryEventStatus(lane.event, &recorded));
        aclrtStreamStatus status{};
        ACL_EXPECT_OK(aclrtStreamQuery(lane.stream, &status));
        if (recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE || status == ACL_STREAM_STATUS_COMPLETE) CheckPinned(lane);
    }

    static void Synchronize(Lane& lane) {
        ACL_EXPECT_OK(aclrtRecordEvent(lane.event, lane.stream));
        const bool by_event = lane.pinned.model[0] % 2 == 0;
        if (by_event)
            ACL_EXPECT_OK(aclrtSynchronizeEvent(lane.event));
        else
            ACL_EXPECT_OK(aclrtSynchronizeStream(lane.stream));
        CheckPinned(lane);
    }

    static void CheckPinned(Lane& lane) {
        const Range all{0, kSize};
        ExpectModel(lane.pinned.At(all), lane.pinned.Model(all), all, "pinned memory");
    }

    // ---- operations on two lanes ----

    // The stream waits for the other lane's event, with or without a timeout that it never reaches,
    // and resets the event if that is supported.
    static void Await(aclrtStream stream, const Lane& other, Random& random) {
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
    static void ReadOther(Lane& lane, Lane& other, Random& random) {
        if (&lane == &other) return;
        const std::scoped_lock lock(lane.mutex, other.mutex);
        Buffer &to = lane.memory[random.Below(2)], &from = other.memory[random.Below(2)];
        const Range range = RandomRange(random);
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

    uint32_t devices_ = 1;
    // Streams of each device.
    std::vector<std::unique_ptr<Program>> programs_;
    std::array<Lane, kLanes> lanes_;
};

TEST(Stress, EveryByteMatchesTheModel) {
    const uint64_t seed = Setting("PORTACL_TEST_STRESS_SEED", std::random_device()());
    const uint64_t operations = Setting("PORTACL_TEST_STRESS_OPERATIONS", 16000);
    std::printf("PORTACL_TEST_STRESS_SEED=%llu PORTACL_TEST_STRESS_OPERATIONS=%llu\n",
                static_cast<unsigned long long>(seed), static_cast<unsigned long long>(operations));
    std::fflush(stdout);
    ACL_OK(aclInit(nullptr));
    {
        Stress stress;
        OnThreads(kThreads, [&](int thread) {
            Random random(seed + static_cast<uint64_t>(thread));
            for (uint64_t i = 0; i < operations / kThreads && !testing::Test::HasFailure(); ++i)
                stress.Operation(random);
        });
        stress.CheckAll();
        EXPECT_EQ(wrong_in_order, 0) << "host functions that did not find what they should";
    }
    ACL_OK(aclFinalize());
}

}  // namespace
}  // namespace portacl_test
