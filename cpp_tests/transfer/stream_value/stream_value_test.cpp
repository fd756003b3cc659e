// aclrtValueWrite and aclrtValueWait: which writes a wait sees, and what both refuse. stream_value_end_test.cpp tests
// how waits end.

#include <sys/resource.h>

#include <fstream>
#include <functional>
#include <limits>

#include "support/gate.h"
#include "support/kernel/kernels.h"
#include "support/pool/shared_pool.h"
#include "support/says.h"
#include "support/threads.h"
#include "transfer/stream_value/word.h"

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

class StreamValue : public WithDevice {};

TEST_F(StreamValue, AWriteIsInStreamOrder) {
    Stream stream;
    DeviceMemory device(Words{1, 2, 3});
    PinnedMemory pinned(24, 0);
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, 2 << 20, ACL_RT_MEM_ATTACH_GLOBAL));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtValueWrite(device.At(8), kMost - 5, 0, stream));
    ACL_OK(aclrtValueWrite(pinned.At(8), 7, 0, stream));
    ACL_OK(aclrtValueWrite(managed, 8, 0, stream));
    ASSERT_TRUE(gate.AwaitArrival());
    EXPECT_EQ(device.Download<uint64_t>(), (Words{1, 2, 3}));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(device.Download<uint64_t>(), (Words{1, kMost - 5, 3}));
    EXPECT_EQ(Load(pinned.At()), 0u);
    EXPECT_EQ(Load(pinned.At(8)), 7u);
    EXPECT_EQ(Load(pinned.At(16)), 0u);
    EXPECT_EQ(Load(managed), 8u);
    // On the default stream, too.
    ACL_OK(aclrtValueWrite(device.At(16), 0, 0, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(device.Download<uint64_t>(), (Words{1, kMost - 5, 0}));
    ACL_OK(aclrtFree(managed));
}

TEST_F(StreamValue, EachComparison) {
    NEEDS_QUEUES(8);
    constexpr uint64_t kTop = uint64_t{1} << 63;
    struct Comparison {
        uint32_t flag;
        uint64_t value;
        std::vector<uint64_t> too_little, enough;
    };
    const std::vector<Comparison> cases = {
        {ACL_STREAM_WAIT_VALUE_GEQ, 5, {4, 0, kMost, 5 + kTop}, {5, 6, 4 + kTop}},
        {ACL_STREAM_WAIT_VALUE_GEQ, kMost, {kMost - 1, kTop - 1}, {kMost, 0, 3}},
        {ACL_STREAM_WAIT_VALUE_EQ, 5, {4, 6, 5 + kTop}, {5}},
        {ACL_STREAM_WAIT_VALUE_EQ, 0, {1, kTop}, {0}},
        {ACL_STREAM_WAIT_VALUE_AND, 6, {0, 1, 8, kTop}, {2, 4, 7, kMost}},
        {ACL_STREAM_WAIT_VALUE_AND, kTop, {0, kTop - 1}, {kTop, kMost}},
        {ACL_STREAM_WAIT_VALUE_NOR, 1, {kMost, kMost - 1}, {0, 1, kMost - 2, kTop}},
        {ACL_STREAM_WAIT_VALUE_NOR, 0, {kMost}, {0, 1, kMost - 1}},
    };
    for (const Comparison& wanted : cases) {
        for (uint64_t enough : wanted.enough) {
            SCOPED_TRACE(std::to_string(wanted.flag) + " " + std::to_string(wanted.value) + " " +
                         std::to_string(enough));
            Stream stream;
            Word word(enough);
            ACL_OK(aclrtValueWait(word.At(), wanted.value, wanted.flag, stream));
            ACL_OK(aclrtSynchronizeStream(stream));

            word.Write(wanted.too_little[0]);
            ACL_OK(aclrtValueWait(word.At(), wanted.value, wanted.flag, stream));
            for (uint64_t too_little : wanted.too_little) {
                word.Write(too_little);
                EXPECT_FALSE(IsIdle(stream)) << too_little;
            }
            ExpectStuck(stream);
            word.Write(enough);
            ACL_OK(aclrtSynchronizeStream(stream));
            EXPECT_EQ(word.Read(), enough) << "a wait takes nothing";
        }
    }
}

TEST_F(StreamValue, WorkAfterAWaitRunsAfterIt) {
    NEEDS_QUEUES(2);
    Stream stream;
    Word word;
    DeviceMemory device(Pattern(100));
    ACL_OK(aclrtValueWait(word.At(), 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
    ACL_OK(aclrtMemsetAsync(device.At(), 100, 9, 100, stream));
    ExpectStuck(stream);
    EXPECT_EQ(device.Download(), Pattern(100));
    word.Write(1);
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(device.Download(), std::vector<unsigned char>(100, 9));
}

TEST_F(StreamValue, AWaitSeesEveryKindOfWrite) {
    NEEDS_QUEUES(2);
    constexpr uint64_t kValue = 0x0101010101010101;
    Program program;
    const aclrtFuncHandle mark = program.Kernel("mark");
    PinnedMemory source(8, 1);
    const Word other(kValue);
    const std::vector<std::pair<const char*, std::function<void(void*, aclrtStream)>>> writers = {
        {"a value", [](void* at, aclrtStream s) { ExpectOk("", aclrtValueWrite(at, kValue, 0, s)); }},
        {"a copy from the host",
         [&](void* at, aclrtStream s) {
             ExpectOk("", aclrtMemcpyAsync(at, 8, source.At(), 8, ACL_MEMCPY_HOST_TO_DEVICE, s));
         }},
        {"a copy on the device",
         [&](void* at, aclrtStream s) {
             ExpectOk("", aclrtMemcpyAsync(at, 8, other.At(), 8, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
         }},
        {"a fill", [](void* at, aclrtStream s) { ExpectOk("", aclrtMemsetAsync(at, 8, 1, 8, s)); }},
        {"a sum",
         [&](void* at, aclrtStream s) {
             ExpectOk("", aclrtReduceAsync(at, other.At(), 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8, s, nullptr));
         }},
        {"a kernel", [&](void* at, aclrtStream s) { ExpectOk("", Mark(mark, at, 0x01010101, 2, s)); }},
        {"a copy at once",
         [&](void* at, aclrtStream) { ExpectOk("", aclrtMemcpy(at, 8, source.At(), 8, ACL_MEMCPY_HOST_TO_DEVICE)); }},
        {"a fill at once", [](void* at, aclrtStream) { ExpectOk("", aclrtMemset(at, 8, 1, 8)); }},
    };
    for (const auto& [name, write] : writers) {
        SCOPED_TRACE(name);
        Stream stream, writer;
        Word word;
        ACL_OK(aclrtValueWait(word.At(), kValue, ACL_STREAM_WAIT_VALUE_EQ, stream));
        EXPECT_FALSE(IsIdle(stream));
        write(word.At(), writer);
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtSynchronizeStream(writer));
    }
}

TEST_F(StreamValue, AWaitSeesHostWrites) {
    NEEDS_QUEUES(2);
    PinnedMemory pinned(8, 0);
    {
        Stream stream;
        ACL_OK(aclrtValueWait(pinned.At(), 3, ACL_STREAM_WAIT_VALUE_GEQ, stream));
        ExpectStuck(stream);
        Store(pinned.At(), 3);
        ACL_OK(aclrtSynchronizeStream(stream));
    }
    // Another thread writes while this one waits.
    Stream stream;
    ACL_OK(aclrtValueWait(pinned.At(), 5, ACL_STREAM_WAIT_VALUE_GEQ, stream));
    {
        const WhenBlocked host([&] { Store(pinned.At(), 5); });
        ACL_OK(aclrtSynchronizeStream(stream));
    }
    // A host function of another stream.
    Stream writer;
    ACL_OK(aclrtValueWait(pinned.At(), 7, ACL_STREAM_WAIT_VALUE_GEQ, stream));
    ACL_OK(aclrtLaunchHostFunc(
        writer, [](void* word) { Store(word, 7); }, pinned.At()));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtSynchronizeStream(writer));
}

TEST_F(StreamValue, OfRegisteredMemory) {
    alignas(4096) static unsigned char page[4096];
    ACL_OK(aclrtHostRegisterV2(page, sizeof page, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED));
    Stream stream;
    ACL_OK(aclrtValueWait(page + 64, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
    ACL_OK(aclrtValueWrite(page + 72, 2, 0, stream));
    ExpectStuck(stream);
    EXPECT_EQ(Load(page + 72), 0u);
    Store(page + 64, 1);
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(Load(page + 72), 2u);
    ACL_OK(aclrtHostUnregister(page));
}

// Drivers neither write values to managed memory nor wait for them there.
TEST_F(StreamValue, OfManagedMemory) {
    NEEDS_QUEUES(2);
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, 2 << 20, ACL_RT_MEM_ATTACH_GLOBAL));
    auto* const words = static_cast<uint64_t*>(managed);
    std::fill(words, words + 4, 0);
    {
        Stream stream, writer;
        // The host writes, then a stream.
        ACL_OK(aclrtValueWait(words, 3, ACL_STREAM_WAIT_VALUE_GEQ, stream));
        ACL_OK(aclrtValueWrite(words + 1, 4, 0, stream));
        ACL_OK(aclrtValueWait(words, 5, ACL_STREAM_WAIT_VALUE_EQ, stream));
        ACL_OK(aclrtValueWrite(words + 2, 6, 0, stream));
        ExpectStuck(stream);
        EXPECT_EQ(Load(words + 1), 0u);
        Store(words, 3);
        ACL_OK(aclrtValueWait(words + 1, 4, ACL_STREAM_WAIT_VALUE_EQ, writer));
        ACL_OK(aclrtSynchronizeStream(writer));
        EXPECT_EQ(Load(words + 2), 0u);
        ACL_OK(aclrtValueWrite(words, 5, 0, writer));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(Load(words + 2), 6u);
        // An abort ends a wait.
        ACL_OK(aclrtValueWait(words, 7, ACL_STREAM_WAIT_VALUE_EQ, stream));
        ACL_OK(aclrtStreamAbort(stream));
        ACL_OK(aclrtSynchronizeStream(stream));
    }
    // So does a device reset.
    ACL_OK(aclrtValueWait(words, 9, ACL_STREAM_WAIT_VALUE_EQ, nullptr));
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtResetDeviceForce(0), "ACL_STREAM_WAIT_VALUE_EQ", Shown(words));
    ACL_OK(aclrtSetDevice(0));
}

// Two streams that only values order: each adds a part of the sum.
TEST_F(StreamValue, TwoStreamsAlternate) {
    constexpr uint64_t kRounds = 200;
    Stream ping, pong;
    Word turn;
    DeviceMemory sum(std::vector<int32_t>(16, 0)), one(std::vector<int32_t>(16, 1));
    for (uint64_t round = 0; round < kRounds; ++round) {
        for (uint64_t side : {0, 1}) {
            const aclrtStream stream = side == 0 ? ping : pong;
            ACL_OK(aclrtValueWait(turn.At(), 2 * round + side, ACL_STREAM_WAIT_VALUE_EQ, stream));
            ACL_OK(
                aclrtReduceAsync(sum.At(), one.At(), 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, nullptr));
            ACL_OK(aclrtValueWrite(turn.At(), 2 * round + side + 1, 0, stream));
        }
    }
    ACL_OK(aclrtSynchronizeStream(pong));
    EXPECT_EQ(sum.Download<int32_t>(), std::vector<int32_t>(16, 2 * kRounds));
    EXPECT_EQ(turn.Read(), 2 * kRounds);
}

// Each stream waits for the value of the previous one; no stream needs a thread for that.
TEST_F(StreamValue, ManyStreamsWaitAtOnce) {
    NEEDS_QUEUES(8);
    const uint64_t kStreams = SharesQueues() ? kMostHeld : 300;
    const auto threads = [] {
        std::ifstream status("/proc/self/status");
        for (std::string line; std::getline(status, line);)
            if (line.rfind("Threads:", 0) == 0) return std::stoi(line.substr(8));
        return -1;
    };
    std::vector<std::unique_ptr<Stream>> streams;
    DeviceMemory words(Words(kStreams + 1, 0));
    ACL_OK(aclrtMemset(words.At(), 8, 0, 8));
    const int before = threads();
    for (uint64_t i = 0; i < kStreams; ++i) {
        streams.push_back(std::make_unique<Stream>());
        ACL_OK(aclrtValueWait(words.At(8 * i), 1, ACL_STREAM_WAIT_VALUE_EQ, *streams[i]));
        ACL_OK(aclrtValueWrite(words.At(8 * (i + 1)), 1, 0, *streams[i]));
    }
    // The test double has a thread for each stream.
    if (OnCpu()) {
        EXPECT_LE(threads(), before + 2 * int(std::thread::hardware_concurrency()) + 2);
    }
    EXPECT_FALSE(IsIdle(*streams.back()));
    ACL_OK(aclrtValueWrite(words.At(), 1, 0, nullptr));
    ACL_OK(aclrtSynchronizeStream(*streams.back()));
    EXPECT_EQ(words.Download<uint64_t>(), Words(kStreams + 1, 1));
}

TEST_F(StreamValue, AWaitTakesLittleProcessorTime) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: a driver waits by itself";
    const auto used = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
               1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    };
    Stream stream;
    Word word;
    ACL_OK(aclrtValueWait(word.At(), 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
    // The library polls less often the longer a wait lasts; the time measured is a long wait.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double before = used();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_LT(used() - before, 0.15) << "seconds, of half a second";
    word.Write(1);
    ACL_OK(aclrtSynchronizeStream(stream));
}

// Both calls under one signature.
struct Caller {
    const char* name;
    aclError (*call)(void*, uint64_t, uint32_t, aclrtStream);
};
constexpr Caller kCallers[] = {{"aclrtValueWrite", aclrtValueWrite}, {"aclrtValueWait", aclrtValueWait}};

TEST_F(StreamValue, BadAddresses) {
    DeviceMemory device(Words{0, 0});
    uint64_t pageable = 0;
    void* freed = DeviceMemory(64).Release();
    ACL_OK(aclrtFree(freed));
    for (const Caller& caller : kCallers) {
        EXPECT_TRUE(FailedSaying(caller.name, caller.call(nullptr, 0, 0, nullptr), ACL_ERROR_INVALID_PARAM,
                                 {"devAddr is null", "8 bytes"}));
        for (size_t offset = 1; offset < 8; ++offset)
            EXPECT_TRUE(FailedSaying(caller.name, caller.call(device.At(offset), 0, 0, nullptr),
                                     ACL_ERROR_RT_ADDR_UNALIGNED, {"devAddr", Shown(device.At(offset)), "8 bytes"}));
        EXPECT_TRUE(FailedSaying(caller.name, caller.call(&pageable, 0, 0, nullptr), kDead,
                                 {"devAddr", Shown(&pageable), "aclrtMallocHost"}));
        EXPECT_TRUE(FailedSaying(caller.name, caller.call(freed, 0, 0, nullptr), kDead, {Shown(freed)}));
        void* const top = reinterpret_cast<void*>(kMost - 7);
        EXPECT_TRUE(FailedSaying(caller.name, caller.call(top, 0, 0, nullptr), ACL_ERROR_INVALID_PARAM,
                                 {"devAddr", "address space"}));
    }
    void* base = nullptr;
    size_t size = 0;
    ACL_OK(aclrtMemGetAddressRange(device.At(), &base, &size));
    for (const Caller& caller : kCallers)
        EXPECT_TRUE(Failed(caller.name, caller.call(device.At((size + 7) / 8 * 8), 0, 0, nullptr), kDead));
    EXPECT_EQ(device.Download<uint64_t>(), (Words{0, 0}));
}

TEST_F(StreamValue, BadFlagsAndValues) {
    const Word word(5);
    for (uint32_t flag : {1u, 2u, 0x80000000u, 0xFFFFFFFFu})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtValueWrite(word.At(), 1, flag, nullptr), "flag is", "must be 0");
    for (uint32_t flag : {4u, 5u, 1u << 30, 0xFFFFFFFFu})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtValueWait(word.At(), 1, flag, nullptr), "flag is",
                         "ACL_STREAM_WAIT_VALUE_NOR 3");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtValueWait(word.At(), 0, ACL_STREAM_WAIT_VALUE_AND, nullptr),
                     "value is");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtValueWait(word.At(), kMost, ACL_STREAM_WAIT_VALUE_NOR, nullptr),
                     "value is 0xffffffffffffffff");
    EXPECT_EQ(word.Read(), 5u);
}

TEST_F(StreamValue, MemoryOfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    const Word word(5);
    ACL_OK(aclrtSetDevice(1));
    for (const Caller& caller : kCallers)
        EXPECT_TRUE(FailedSaying(caller.name, caller.call(word.At(), 5, 0, nullptr), kDead,
                                 {"devAddr", Shown(word.At()), "device 0", "device 1"}));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(word.Read(), 5u);
}

}  // namespace
