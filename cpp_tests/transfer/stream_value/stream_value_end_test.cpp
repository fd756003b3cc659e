// How pending waits for values end: by freed memory, aborts, destroyed streams, resets, and the end of the session.

#include "support/gate.h"
#include "support/kernel/kernels.h"
#include "support/says.h"
#include "support/threads.h"
#include "transfer/stream_value/word.h"

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

class StreamValuePending : public WithDevice {};

TEST_F(StreamValuePending, FreedMemoryStaysUntilTheWaitCompletes) {
    for (const bool pinned : {false, true}) {
        Stream stream, writer;
        void* word = pinned ? PinnedMemory(4096, 0).Release() : DeviceMemory(std::vector<char>(4096)).Release();
        Gate gate;
        ACL_OK(gate.Hold(writer));
        ACL_OK(aclrtValueWrite(word, 1, 0, writer));
        ACL_OK(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
        ACL_OK(pinned ? aclrtFreeHost(word) : aclrtFree(word));
        // The memory is not allocated again meanwhile.
        DeviceMemory others(std::vector<unsigned char>(4096, 0xFF));
        PinnedMemory pinned_others(4096, 0xFF);
        ExpectStuck(stream);
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(others.Download(), std::vector<unsigned char>(4096, 0xFF));
        EXPECT_EQ(pinned_others.Copy(), std::vector<unsigned char>(4096, 0xFF));
    }
}

// Work that a driver holds continues when the value is written.
TEST_F(StreamValuePending, AnAbortEndsAWait) {
    NEEDS_QUEUES(8);
    Stream stream;
    Word word;
    ACL_OK(aclrtValueWait(word.At(), 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
    ACL_OK(aclrtValueWrite(word.At(), 7, 0, stream));
    ACL_OK(aclrtStreamAbort(stream));
    if (!OnCpu()) word.Write(1);
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(word.Read(), OnCpu() ? 0u : 7u);
    // The stream continues.
    word.Write(0);
    ACL_OK(aclrtValueWait(word.At(), 2, ACL_STREAM_WAIT_VALUE_EQ, stream));
    EXPECT_FALSE(IsIdle(stream));
    word.Write(2);
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(StreamValuePending, SynchronizeReturnsAnAbort) {
    NEEDS_QUEUES(2);
    Stream stream;
    Word word;
    ACL_OK(aclrtValueWait(word.At(), 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
    const WhenBlocked abort([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        ACL_EXPECT_OK(aclrtStreamAbort(stream));
        if (!OnCpu()) word.Write(1);
        ACL_EXPECT_OK(aclrtResetDevice(0));
    });
    ACL_FAILS(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream(stream));
}

TEST_F(StreamValuePending, ForcedDestructionDoesNotWait) {
    NEEDS_QUEUES(2);
    aclrtStream stream = Stream().Release();
    Word word;
    ACL_OK(aclrtValueWait(word.At(), 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
    ACL_OK(aclrtDestroyStreamForce(stream));
    // The driver holds it.
    if (!OnCpu()) word.Write(1);
}

TEST_F(StreamValuePending, DestructionWaits) {
    aclrtStream stream = Stream().Release();
    PinnedMemory pinned(16, 0);
    ACL_OK(aclrtValueWait(pinned.At(), 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
    ACL_OK(aclrtValueWrite(pinned.At(8), 2, 0, stream));
    const WhenBlocked host([&] { Store(pinned.At(), 1); });
    ACL_OK(aclrtDestroyStream(stream));
    EXPECT_EQ(Load(pinned.At(8)), 2u);
}

// The value is never written, and nothing hangs. A stream that waits for a waiting stream continues
// as well.
TEST_F(StreamValuePending, AResetEndsPendingWaits) {
    PinnedMemory pinned(24, 0);
    void* const word = DeviceMemory(Words{0}).Release();
    const aclrtEvent event = Event().Release();
    const aclrtStream first = Stream().Release(), second = Stream().Release();
    ACL_OK(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, second));
    ACL_OK(aclrtValueWait(pinned.At(), 2, ACL_STREAM_WAIT_VALUE_GEQ, second));
    ACL_OK(aclrtValueWrite(pinned.At(8), 3, 0, second));
    ACL_OK(aclrtRecordEvent(event, second));
    ACL_OK(aclrtStreamWaitEvent(first, event));
    ACL_OK(aclrtValueWrite(pinned.At(16), 4, 0, first));
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtResetDeviceForce(0), "device 0 is reset",
                     "ACL_STREAM_WAIT_VALUE_EQ", Shown(word));
    EXPECT_EQ(Load(pinned.At(8)), 3u);
    EXPECT_EQ(Load(pinned.At(16)), 4u);
    // A driver's wait can only be ended by writing the value.
    EXPECT_EQ(Load(pinned.At()), OnCpu() ? 0u : 2u);
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(kDead, aclrtValueWait(word, 1, 0, nullptr));
    ACL_OK(aclrtValueWrite(pinned.At(), 5, 0, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
}

TEST_F(StreamValuePending, AResetWaitsForAValueThatIsWritten) {
    PinnedMemory pinned(16, 0);
    aclrtStream stream = Stream().Release();
    ACL_OK(aclrtValueWait(pinned.At(), 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
    ACL_OK(aclrtValueWrite(pinned.At(8), 2, 0, stream));
    const WhenBlocked host([&] { Store(pinned.At(), 1); });
    ACL_OK(aclrtResetDevice(0));
    EXPECT_EQ(Load(pinned.At(8)), 2u);
    ACL_OK(aclrtSetDevice(0));
}

TEST(StreamValueEnd, FinalizeEndsPendingWaits) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    void* word = DeviceMemory(Words{0}).Release();
    ACL_OK(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, nullptr));
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclFinalize(), Shown(word));
    // Another session can be opened.
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        const Word again;
        ACL_OK(aclrtValueWait(again.At(), 0, ACL_STREAM_WAIT_VALUE_EQ, nullptr));
        ACL_OK(aclrtSynchronizeStream(nullptr));
    }
    ACL_OK(aclFinalize());
}

}  // namespace
