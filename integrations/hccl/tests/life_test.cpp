// The life of communicators, and a world of one rank, which needs neither network nor engine.
#include <cstring>
#include <set>

#include "tests/support.h"

namespace hccl {
namespace {

class LifeTest : public WithStream {};

TEST_F(LifeTest, ACommunicatorKnowsItsRankSizeAndName) {
    const HcclComm comm = NewAlone();
    uint32_t size = 7;
    uint32_t rank = 7;
    char name[128] = {};
    HcclResult error = HCCL_E_INTERNAL;
    HCCL_OK(HcclGetRankSize(comm, &size));
    HCCL_OK(HcclGetRankId(comm, &rank));
    HCCL_OK(HcclGetCommName(comm, name));
    HCCL_OK(HcclGetCommAsyncError(comm, &error));
    EXPECT_EQ(size, 1u);
    EXPECT_EQ(rank, 0u);
    EXPECT_EQ(std::string(name).substr(0, 8), "portacl-");
    EXPECT_EQ(error, HCCL_SUCCESS);
    HCCL_OK(HcclCommDestroy(comm));
}

TEST_F(LifeTest, AWorldOfOneComputes) {
    const HcclComm comm = NewAlone();
    const Floats send({1, 2, 3});
    const auto check = [&](const std::function<HcclResult(void*)>& call) {
        const Floats recv({0, 0, 0});
        HCCL_OK(call(recv.get()));
        ACL_OK(aclrtSynchronizeStream(stream_));
        EXPECT_EQ(recv.values(), send.values());
    };
    check([&](void* recv) {
        return HcclAllReduce(send.get(), recv, 3, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream_);
    });
    check([&](void* recv) {
        return HcclReduce(send.get(), recv, 3, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_MAX, 0, comm, stream_);
    });
    check([&](void* recv) {
        return HcclReduceScatter(send.get(), recv, 3, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream_);
    });
    check([&](void* recv) { return HcclAllGather(send.get(), recv, 3, HCCL_DATA_TYPE_FP32, comm, stream_); });
    check([&](void* recv) { return HcclScatter(send.get(), recv, 3, HCCL_DATA_TYPE_FP32, 0, comm, stream_); });
    check([&](void* recv) {
        return HcclAlltoAll(send.get(), 3, HCCL_DATA_TYPE_FP32, recv, 3, HCCL_DATA_TYPE_FP32, comm, stream_);
    });
    check([&](void* recv) {
        HcclSendRecvItem items[] = {{HCCL_RECV, recv, 3, HCCL_DATA_TYPE_FP32, 0},
                                    {HCCL_SEND, send.get(), 3, HCCL_DATA_TYPE_FP32, 0}};
        return HcclBatchSendRecv(items, 2, comm, stream_);
    });
    HCCL_OK(HcclBroadcast(send.get(), 3, HCCL_DATA_TYPE_FP32, 0, comm, stream_));
    HCCL_OK(HcclBarrier(comm, stream_));
    HCCL_OK(HcclAllReduce(send.get(), send.get(), 3, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream_));
    HCCL_FAILS(HcclSend(send.get(), 3, HCCL_DATA_TYPE_FP32, 0, comm, stream_), HCCL_E_NOT_SUPPORT, "HcclSend");
    ACL_OK(aclrtSynchronizeStream(stream_));
    HCCL_OK(HcclCommDestroy(comm));
}

TEST_F(LifeTest, PartsLieWhereTheDisplacementsSay) {
    const HcclComm comm = NewAlone();
    const Floats send({1, 2, 3});
    const Floats recv({0, 0, 0});
    const uint64_t count = 2;
    const uint64_t from = 1;
    const uint64_t to = 0;
    HCCL_OK(HcclAlltoAllV(send.get(), &count, &from, HCCL_DATA_TYPE_FP32, recv.get(), &count, &to, HCCL_DATA_TYPE_FP32,
                          comm, stream_));
    ACL_OK(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(recv.values(), (std::vector<float>{2, 3, 0}));
    HCCL_OK(HcclCommDestroy(comm));
}

TEST_F(LifeTest, CommunicatorsOfAllDevicesOfAProcess) {
    int32_t device = 0;
    HcclComm comm = nullptr;
    HCCL_OK(HcclCommInitAll(1, &device, &comm));
    HCCL_OK(HcclCommDestroy(comm));
    device = 1000;
    HCCL_FAILS(HcclCommInitAll(1, &device, &comm), HCCL_E_PARA, "devices[0] is 1000");
    HCCL_FAILS(HcclCommInitAll(0, &device, &comm), HCCL_E_PARA, "ndev is 0; allowed: 1 to 65536");
    HCCL_FAILS(HcclCommInitAll(65537, &device, &comm), HCCL_E_PARA, "ndev is 65537; allowed: 1 to 65536");
}

TEST_F(LifeTest, NamesDiffer) {
    std::set<std::string> names;
    for (int index = 0; index < 1000; index++) {
        const HcclComm comm = NewAlone();
        char name[128] = {};
        HCCL_OK(HcclGetCommName(comm, name));
        names.insert(name);
        HCCL_OK(HcclCommDestroy(comm));
    }
    EXPECT_EQ(names.size(), 1000u);
}

TEST_F(LifeTest, ADestroyedCommunicatorIsRefused) {
    const HcclComm comm = NewAlone();
    HCCL_OK(HcclCommDestroy(comm));
    HCCL_FAILS(HcclCommDestroy(comm), HCCL_E_PARA, "Hccl");
    uint32_t size = 0;
    HCCL_FAILS(HcclGetRankSize(comm, &size), HCCL_E_PARA, "not a live communicator");
}

TEST_F(LifeTest, ForeignRootInformationIsRefused) {
    HcclRootInfo info;
    HcclComm comm = nullptr;
    std::memset(&info, 0x5a, sizeof info);
    HCCL_FAILS(HcclCommInitRootInfo(1, &info, 0, &comm), HCCL_E_PARA, "Hccl");
    HCCL_OK(HcclGetRootInfo(&info));
    HCCL_FAILS(HcclCommInitRootInfo(0, &info, 0, &comm), HCCL_E_PARA, "nRanks is 0");
    HCCL_FAILS(HcclCommInitRootInfo(1, &info, 1, &comm), HCCL_E_PARA, "rank is 1");
    // Every length that the bytes can hold.
    for (size_t first = 34; first < 38; first++) {
        HcclRootInfo damaged = info;
        std::memset(damaged.internal + first, 0xff, 2);
        HCCL_FAILS(HcclCommInitRootInfo(2, &damaged, 0, &comm), HCCL_E_PARA, "Hccl");
    }
    EXPECT_EQ(comm, nullptr);
    HCCL_OK(HcclCommInitRootInfo(1, &info, 0, &comm));
    HCCL_OK(HcclCommDestroy(comm));
}

}  // namespace
}  // namespace hccl
