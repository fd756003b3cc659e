// PORTACL_HCCL: one process plays a rank of a large world.
#include <cstdlib>
#include <numeric>

#include "tests/support.h"

namespace hccl {
namespace {

class FakeTest : public WithStream {
  protected:
    void SetUp() override {
        WithStream::SetUp();
        setenv("PORTACL_HCCL", "fake:3/256", 1);
        HcclRootInfo info;
        HCCL_OK(HcclGetRootInfo(&info));
        HCCL_OK(HcclCommInitRootInfo(256, &info, 3, &comm_));
    }
    void TearDown() override {
        HCCL_OK(HcclCommDestroy(comm_));
        unsetenv("PORTACL_HCCL");
        WithStream::TearDown();
    }

    HcclComm comm_ = nullptr;
};

std::vector<float> Numbers(size_t count) {
    std::vector<float> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.0f);
    return numbers;
}

TEST_F(FakeTest, GatheredPartsAreThoseOfThisRank) {
    const Floats send({5, 6});
    const Floats recv(std::vector<float>(2 * 256, -1));
    HCCL_OK(HcclAllGather(send.get(), recv.get(), 2, kFloat, comm_, stream_));
    ACL_OK(aclrtSynchronizeStream(stream_));
    const std::vector<float> values = recv.values();
    for (size_t index = 0; index < values.size(); index++) ASSERT_EQ(values[index], index % 2 == 0 ? 5 : 6) << index;
}

TEST_F(FakeTest, EachCollectiveWritesItsBuffer) {
    const Floats send(Numbers(256));
    const Floats recv(std::vector<float>(256, -1));
    const Floats one({-1});
    HCCL_OK(HcclAllReduce(send.get(), recv.get(), 256, kFloat, HCCL_REDUCE_SUM, comm_, stream_));
    ACL_OK(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(recv.values(), Numbers(256));
    HCCL_OK(HcclReduceScatter(send.get(), one.get(), 1, kFloat, HCCL_REDUCE_SUM, comm_, stream_));
    ACL_OK(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(one.values(), (std::vector<float>{4}));
    HCCL_OK(HcclAlltoAll(send.get(), 1, kFloat, recv.get(), 1, kFloat, comm_, stream_));
    ACL_OK(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(recv.values(), Numbers(256));
    HCCL_OK(HcclRecv(one.get(), 1, kFloat, 7, comm_, stream_));
    ACL_OK(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(one.values(), (std::vector<float>{0}));
    HCCL_OK(HcclScatter(send.get(), one.get(), 1, kFloat, 3, comm_, stream_));
    ACL_OK(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(one.values(), (std::vector<float>{4}));
    HCCL_OK(HcclScatter(nullptr, one.get(), 1, kFloat, 0, comm_, stream_));
    HCCL_OK(HcclSend(send.get(), 1, kFloat, 7, comm_, stream_));
    HCCL_OK(HcclReduce(send.get(), nullptr, 256, kFloat, HCCL_REDUCE_SUM, 0, comm_, stream_));
    HCCL_OK(HcclBroadcast(recv.get(), 256, kFloat, 0, comm_, stream_));
    HCCL_OK(HcclBarrier(comm_, stream_));
    HcclSendRecvItem items[] = {{HCCL_SEND, send.get(), 1, kFloat, 2}, {HCCL_RECV, recv.get(), 1, kFloat, 4}};
    HCCL_OK(HcclBatchSendRecv(items, 2, comm_, stream_));
    ACL_OK(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(one.values(), (std::vector<float>{0}));
    EXPECT_EQ(recv.values()[0], 0);
    EXPECT_EQ(recv.values()[1], 2);
}

TEST_F(FakeTest, PartsOfDifferentSizesAreFilled) {
    std::vector<uint64_t> sends(256, 0);
    std::vector<uint64_t> receives(256, 0);
    const std::vector<uint64_t> first(256, 0);
    sends[9] = 1;
    receives[9] = 3;
    const Floats send({5});
    const Floats recv({-1, -1, -1, -1});
    HCCL_OK(HcclAlltoAllV(send.get(), sends.data(), first.data(), kFloat, recv.get(), receives.data(), first.data(),
                          kFloat, comm_, stream_));
    ACL_OK(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(recv.values(), (std::vector<float>{5, 0, 0, -1}));
}

TEST_F(FakeTest, ASmallerGroupIsAllowed) {
    HcclRootInfo info;
    HcclComm comm = nullptr;
    HCCL_OK(HcclGetRootInfo(&info));
    HCCL_OK(HcclCommInitRootInfo(8, &info, 0, &comm));
    HCCL_OK(HcclCommDestroy(comm));
    comm = nullptr;
    HCCL_FAILS(HcclCommInitRootInfo(256, &info, 4, &comm), HCCL_E_PARA, "rank 3 of 256");
    HCCL_FAILS(HcclCommInitRootInfo(257, &info, 4, &comm), HCCL_E_PARA, "Hccl");
    EXPECT_EQ(comm, nullptr);
}

TEST_F(FakeTest, GroupsArePlayedAsWell) {
    const uint32_t ranks[] = {255, 3, 9};
    HcclComm group = nullptr;
    HCCL_FAILS(HcclCreateSubCommConfig(&comm_, 3, ranks, 1, 0, nullptr, &group), HCCL_E_PARA, "allowed: 1, the index");
    HCCL_OK(HcclCreateSubCommConfig(&comm_, 3, ranks, 1, 1, nullptr, &group));
    const Floats send(Numbers(3));
    const Floats one({-1});
    HCCL_OK(HcclReduceScatter(send.get(), one.get(), 1, kFloat, HCCL_REDUCE_SUM, group, stream_));
    ACL_OK(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(one.values(), (std::vector<float>{2}));
    HCCL_OK(HcclCommDestroy(group));
}

TEST_F(FakeTest, OtherValuesAreRefused) {
    HcclRootInfo info;
    for (const char* value :
         {"fake", "fake:", "fake:3", "fake:3/3", "fake:-1/3", "fake:1/3x", "real", "fake:1/99999999999"}) {
        setenv("PORTACL_HCCL", value, 1);
        HCCL_FAILS(HcclGetRootInfo(&info), HCCL_E_PARA, value);
    }
    setenv("PORTACL_HCCL", "fake:3/256", 1);
}

}  // namespace
}  // namespace hccl
