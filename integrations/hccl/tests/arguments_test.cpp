// Wrong arguments of each call: a code, and a text that names the argument, its value and its bound.
#include <functional>

#include "tests/support.h"

namespace hccl {
namespace {

class ArgumentsTest : public WithStream {
  protected:
    void SetUp() override {
        WithStream::SetUp();
        comm_ = NewAlone();
    }
    void TearDown() override {
        HCCL_OK(HcclCommDestroy(comm_));
        WithStream::TearDown();
    }

    static void Refuses(const std::function<HcclResult()>& call, HcclResult code, const std::string& text) {
        HCCL_FAILS(call(), code, text);
    }

    HcclComm comm_ = nullptr;
};

const auto kNoType = static_cast<HcclDataType>(13);
const auto kNoReduction = static_cast<HcclReduceOp>(4);

TEST_F(ArgumentsTest, NoCommunicator) {
    const auto garbage = reinterpret_cast<HcclComm>(0x1234);  // NOLINT
    const Floats memory({1, 2});
    void* const it = memory.get();
    for (const HcclComm comm : {static_cast<HcclComm>(nullptr), garbage, static_cast<HcclComm>(stream_)}) {
        const HcclResult code = comm == nullptr ? HCCL_E_PTR : HCCL_E_PARA;
        const char* const text = "not a live communicator";
        Refuses([&] { return HcclAllReduce(it, it, 1, kFloat, HCCL_REDUCE_SUM, comm, stream_); }, code, text);
        Refuses([&] { return HcclReduce(it, it, 1, kFloat, HCCL_REDUCE_SUM, 0, comm, stream_); }, code, text);
        Refuses([&] { return HcclReduceScatter(it, it, 1, kFloat, HCCL_REDUCE_SUM, comm, stream_); }, code, text);
        Refuses([&] { return HcclAllGather(it, it, 1, kFloat, comm, stream_); }, code, text);
        Refuses([&] { return HcclBroadcast(it, 1, kFloat, 0, comm, stream_); }, code, text);
        Refuses([&] { return HcclScatter(it, it, 1, kFloat, 0, comm, stream_); }, code, text);
        Refuses([&] { return HcclSend(it, 1, kFloat, 0, comm, stream_); }, code, text);
        Refuses([&] { return HcclRecv(it, 1, kFloat, 0, comm, stream_); }, code, text);
        Refuses([&] { return HcclAlltoAll(it, 1, kFloat, it, 1, kFloat, comm, stream_); }, code, text);
        Refuses([&] { return HcclBarrier(comm, stream_); }, code, text);
        HcclSendRecvItem item = {HCCL_SEND, it, 1, kFloat, 0};
        Refuses([&] { return HcclBatchSendRecv(&item, 1, comm, stream_); }, code, text);
        uint32_t number = 0;
        char name[128];
        HcclResult error = HCCL_SUCCESS;
        Refuses([&] { return HcclGetRankId(comm, &number); }, code, text);
        Refuses([&] { return HcclGetRankSize(comm, &number); }, code, text);
        Refuses([&] { return HcclGetCommName(comm, name); }, code, text);
        Refuses([&] { return HcclGetCommAsyncError(comm, &error); }, code, text);
        Refuses([&] { return HcclCommDestroy(comm); }, code, text);
    }
}

TEST_F(ArgumentsTest, NullPointers) {
    const Floats memory({1});
    void* const it = memory.get();
    Refuses([&] { return HcclAllReduce(nullptr, it, 1, kFloat, HCCL_REDUCE_SUM, comm_, stream_); }, HCCL_E_PTR,
            "sendBuf is null");
    Refuses([&] { return HcclAllReduce(it, nullptr, 1, kFloat, HCCL_REDUCE_SUM, comm_, stream_); }, HCCL_E_PTR,
            "recvBuf is null");
    Refuses([&] { return HcclBroadcast(nullptr, 1, kFloat, 0, comm_, stream_); }, HCCL_E_PTR, "buf is null");
    const uint64_t one = 1;
    const uint64_t zero = 0;
    const auto exchange = [&](const void* counts, const void* first, const void* other_counts,
                              const void* other_first) {
        return HcclAlltoAllV(it, counts, first, kFloat, it, other_counts, other_first, kFloat, comm_, stream_);
    };
    Refuses([&] { return exchange(nullptr, &zero, &one, &zero); }, HCCL_E_PTR, "sendCounts is null");
    Refuses([&] { return exchange(&one, nullptr, &one, &zero); }, HCCL_E_PTR, "sdispls is null");
    Refuses([&] { return exchange(&one, &zero, nullptr, &zero); }, HCCL_E_PTR, "recvCounts is null");
    Refuses([&] { return exchange(&one, &zero, &one, nullptr); }, HCCL_E_PTR, "rdispls is null");
    Refuses([&] { return HcclBatchSendRecv(nullptr, 1, comm_, stream_); }, HCCL_E_PTR, "sendRecvInfo is null");
    Refuses([&] { return HcclGetRootInfo(nullptr); }, HCCL_E_PTR, "rootInfo is null");
    HcclRootInfo info;
    HCCL_OK(HcclGetRootInfo(&info));
    HcclComm comm = nullptr;
    Refuses([&] { return HcclCommInitRootInfo(1, nullptr, 0, &comm); }, HCCL_E_PTR, "rootInfo is null");
    Refuses([&] { return HcclCommInitRootInfo(1, &info, 0, nullptr); }, HCCL_E_PTR, "comm is null");
    HCCL_OK(HcclCommInitRootInfoConfig(1, &info, 0, nullptr, &comm));
    HCCL_OK(HcclCommDestroy(comm));
    Refuses([&] { return HcclGetRankId(comm_, nullptr); }, HCCL_E_PTR, "rank is null");
    Refuses([&] { return HcclGetRankSize(comm_, nullptr); }, HCCL_E_PTR, "rankSize is null");
    Refuses([&] { return HcclGetCommName(comm_, nullptr); }, HCCL_E_PTR, "commName is null");
    Refuses([&] { return HcclGetCommAsyncError(comm_, nullptr); }, HCCL_E_PTR, "asyncError is null");
}

// No elements: buffers may be null.
TEST_F(ArgumentsTest, NoElements) {
    HCCL_OK(HcclAllReduce(nullptr, nullptr, 0, kFloat, HCCL_REDUCE_SUM, comm_, stream_));
    HCCL_OK(HcclAllGather(nullptr, nullptr, 0, kFloat, comm_, stream_));
    HCCL_OK(HcclBroadcast(nullptr, 0, kFloat, 0, comm_, stream_));
    HCCL_OK(HcclAlltoAll(nullptr, 0, kFloat, nullptr, 0, kFloat, comm_, stream_));
    const HcclDataType no_type = kNoType;
    Refuses([&] { return HcclAllReduce(nullptr, nullptr, 0, no_type, HCCL_REDUCE_SUM, comm_, stream_); }, HCCL_E_PARA,
            "dataType is 13");
}

TEST_F(ArgumentsTest, ValuesOutOfRange) {
    const Floats memory({1});
    void* const it = memory.get();
    const auto reduce = [&](uint64_t count, HcclDataType type, HcclReduceOp reduction) {
        return HcclAllReduce(it, it, count, type, reduction, comm_, stream_);
    };
    Refuses([&] { return reduce(1, kNoType, HCCL_REDUCE_SUM); }, HCCL_E_PARA, "dataType is 13; allowed: 0 to 12");
    Refuses([&] { return reduce(1, kFloat, kNoReduction); }, HCCL_E_PARA, "op is 4; allowed: 0 to 3");
    Refuses([&] { return reduce(1, HCCL_DATA_TYPE_INT128, HCCL_REDUCE_SUM); }, HCCL_E_NOT_SUPPORT, "int128");
    Refuses([&] { return reduce(UINT64_MAX, kFloat, HCCL_REDUCE_SUM); }, HCCL_E_PARA, "count is 18446744073709551615");
    Refuses([&] { return reduce(UINT64_C(1) << 61, kFloat, HCCL_REDUCE_SUM); }, HCCL_E_PARA,
            "count is 2305843009213693952");
    Refuses([&] { return HcclBroadcast(it, 1, kFloat, 1, comm_, stream_); }, HCCL_E_PARA, "root is 1; allowed: 0 to 0");
    Refuses([&] { return HcclReduce(it, it, 1, kFloat, HCCL_REDUCE_SUM, 9, comm_, stream_); }, HCCL_E_PARA,
            "root is 9");
    Refuses([&] { return HcclScatter(it, it, 1, kFloat, 9, comm_, stream_); }, HCCL_E_PARA, "root is 9");
    Refuses([&] { return HcclSend(it, 1, kFloat, 1, comm_, stream_); }, HCCL_E_PARA, "destRank is 1");
    Refuses([&] { return HcclRecv(it, 1, kFloat, 1, comm_, stream_); }, HCCL_E_PARA, "srcRank is 1");
    Refuses([&] { return HcclAlltoAll(it, 1, kFloat, it, 2, kFloat, comm_, stream_); }, HCCL_E_PARA, "recvCount is 2");
    Refuses([&] { return HcclAlltoAll(it, 1, kFloat, it, 1, HCCL_DATA_TYPE_INT32, comm_, stream_); }, HCCL_E_PARA,
            "recvType");
    const uint64_t one = 1;
    const uint64_t two = 2;
    const uint64_t zero = 0;
    const uint64_t most = UINT64_MAX;
    const auto exchange = [&](const uint64_t& sends, const uint64_t& first, const uint64_t& receives) {
        return HcclAlltoAllV(it, &sends, &first, kFloat, it, &receives, &zero, kFloat, comm_, stream_);
    };
    Refuses([&] { return exchange(one, zero, two); }, HCCL_E_PARA, "sendCounts[0] is 1 and recvCounts[0] is 2");
    Refuses([&] { return exchange(most, zero, one); }, HCCL_E_PARA, "sendCounts[0] is 18446744073709551615");
    Refuses([&] { return exchange(one, most, one); }, HCCL_E_PARA, "sdispls[0] is 18446744073709551615");
    const auto batch = [&](HcclSendRecvItem item) { return HcclBatchSendRecv(&item, 1, comm_, stream_); };
    Refuses(
        [&] {
            return batch({static_cast<HcclSendRecvType>(2), it, 1, kFloat, 0});
        },
        HCCL_E_PARA, "sendRecvType is 2");
    Refuses([&] { return batch({HCCL_SEND, nullptr, 1, kFloat, 0}); }, HCCL_E_PTR, "sendRecvInfo[0].buf is null");
    Refuses([&] { return batch({HCCL_SEND, it, 1, kNoType, 0}); }, HCCL_E_PARA, "sendRecvInfo[0].dataType is 13");
    Refuses([&] { return batch({HCCL_SEND, it, 1, kFloat, 1}); }, HCCL_E_PARA, "sendRecvInfo[0].remoteRank is 1");
    Refuses([&] { return batch({HCCL_SEND, it, 1, kFloat, 0}); }, HCCL_E_PARA, "without a receive; add the receive");
    Refuses([&] { return HcclBatchSendRecv(nullptr, 0, comm_, stream_); }, HCCL_E_PARA, "itemNum is 0");
}

// The runtime's refusals of buffers and streams keep their texts.
TEST_F(ArgumentsTest, BuffersAndStreamsThatAreNone) {
    const Floats memory({1});
    const Floats other({1});
    float on_stack[2] = {};
    const auto reduce = [&](void* recv, uint64_t count, aclrtStream stream) {
        return HcclAllReduce(memory.get(), recv, count, kFloat, HCCL_REDUCE_SUM, comm_, stream);
    };
    Refuses([&] { return reduce(other.get(), 1 << 20, stream_); }, HCCL_E_PARA, "HcclAllReduce");
    const auto garbage = reinterpret_cast<aclrtStream>(0x77);  // NOLINT
    Refuses([&] { return reduce(other.get(), 1, garbage); }, HCCL_E_PARA, "stream");
    HCCL_FAILS(reduce(on_stack, 1, stream_), HCCL_E_PARA, "host memory");
}

TEST(ErrorString, NamesEachCode) {
    for (const HcclResult code :
         {HCCL_SUCCESS, HCCL_E_PARA, HCCL_E_PTR, HCCL_E_MEMORY, HCCL_E_INTERNAL, HCCL_E_NOT_SUPPORT, HCCL_E_REMOTE}) {
        EXPECT_STRNE(HcclGetErrorString(code), "unknown") << code;
    }
    EXPECT_STREQ(HcclGetErrorString(static_cast<HcclResult>(99)), "unknown");
}

}  // namespace
}  // namespace hccl
