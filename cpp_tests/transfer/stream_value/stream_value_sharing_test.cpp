// aclrtValueWrite and aclrtValueWait in memory that two processes share.

#include "support/pool/shared_pool.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

struct SharedValues {
    ExportData data;
    uint64_t rounds;
};

// Replies to each odd value with the next even one, in its stream.
void AnswerValues(Connection& parent) {
    const Session session;
    int descriptor = -1;
    parent.Receive<int>(&descriptor);
    SharedPool pool = SharedPool::Import(descriptor);
    const auto place = parent.Receive<SharedValues>();
    void* const word = ImportPointer(pool, place.data);
    {
        const Stream stream;
        for (uint64_t round = 0; round < place.rounds; ++round) {
            ACL_EXPECT_OK(aclrtValueWait(word, 2 * round + 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
            ACL_EXPECT_OK(aclrtValueWrite(word, 2 * round + 2, 0, stream));
        }
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    }
    ACL_EXPECT_OK(aclrtFree(word));
    parent.Signal(1);
}

}  // namespace

TWO_PROCESS_TEST(StreamValueSharing, ProcessesTakeTurns, AnswerValues) {
    constexpr uint64_t kRounds = 50;
    const Session session;
    Peer peer;
    SharedPool pool;
    const Descriptor descriptor(pool.Export());
    peer.Send(0, descriptor);
    void* const word = pool.Malloc(4096);
    Set(word, 4096, 0);
    peer.Send(SharedValues{ExportPointer(word), kRounds});
    {
        const Stream stream;
        for (uint64_t round = 0; round < kRounds; ++round) {
            ACL_EXPECT_OK(aclrtValueWrite(word, 2 * round + 1, 0, stream));
            ACL_EXPECT_OK(aclrtValueWait(word, 2 * round + 2, ACL_STREAM_WAIT_VALUE_EQ, stream));
        }
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    }
    peer.Await(1);
    FreeAndWait(word);
    peer.Join();
}
