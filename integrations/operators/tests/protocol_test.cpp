// Tests the two phases of operators from C++: what they compute, when, and what misuse returns.
#include "protocol.h"

#include <aclnnop/aclnn_cat.h>
#include <aclnnop/aclnn_mul.h>

#include <thread>

using namespace protocol;

TEST_F(Protocol, AnOperatorComputes) {
    const Tensor a({2, 2}, {1, 2, 3, 4}), b({2}, {10, 20}), out({2, 2}, {0, 0, 0, 0});
    ASSERT_EQ(ACL_SUCCESS, Run(PrepareAdd(a, b, out))) << Text();
    ASSERT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(out.Get(), (Floats{11, 22, 13, 24}));
}

TEST_F(Protocol, ArgumentsMayGoBetweenThePhases) {
    Tensor a({2}, {1, 2}), b({2}, {3, 4}), out({2}, {0, 0});
    aclOpExecutor* executor = PrepareAdd(a, b, out);
    a.Destroy(), b.Destroy(), out.Destroy();
    ASSERT_EQ(ACL_SUCCESS, Run(executor)) << Text();
    ASSERT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(out.Get(), (Floats{4, 6}));
}

TEST_F(Protocol, ViewsHaveStridesAndOffsets) {
    const Tensor memory({6}, {0, 1, 2, 3, 4, 5});
    const int64_t strides[] = {2};
    aclTensor* odd = memory.Make({3}, strides, 1);
    const Tensor out({3}, {0, 0, 0});
    ASSERT_EQ(ACL_SUCCESS, Run(PrepareAdd(odd, odd, out)));
    aclDestroyTensor(odd);
    ASSERT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(out.Get(), (Floats{2, 6, 10}));
    EXPECT_EQ(nullptr, memory.Make({4}, strides, 0));
    EXPECT_NE(Text().find("index 0 to 6 (counted from 0), but the storage has 6 elements"), std::string::npos);
    EXPECT_EQ(nullptr, memory.Make({6}, nullptr, 0, ACL_FORMAT_FRACTAL_NZ));
    EXPECT_NE(Text().find("format is 29"), std::string::npos);
}

TEST_F(Protocol, NullArgumentsAreNamed) {
    const Tensor a({1}, {1});
    aclOpExecutor* executor = nullptr;
    uint64_t size = 0;
    const auto prepare = [&](const aclTensor* self, const aclScalar* alpha, uint64_t* s, aclOpExecutor** e) {
        return aclnnAddGetWorkspaceSize(self, a, alpha, a, s, e);
    };
    ExpectText(ACLNN_ERR_PARAM_NULLPTR, prepare(nullptr, one_, &size, &executor), "self is null");
    ExpectText(ACLNN_ERR_PARAM_NULLPTR, prepare(a, nullptr, &size, &executor), "alpha is null");
    ExpectText(ACLNN_ERR_PARAM_NULLPTR, prepare(a, one_, nullptr, &executor), "workspaceSize is null");
    ExpectText(ACLNN_ERR_PARAM_NULLPTR, prepare(a, one_, &size, nullptr), "executor is null");
    ExpectText(ACLNN_ERR_PARAM_NULLPTR, Run(nullptr), "executor is null");
    // The reason of a failed creation is part of the text.
    ExpectText(ACLNN_ERR_PARAM_NULLPTR, prepare(a.Make({-1}, nullptr, 0), one_, &size, &executor), "viewDims[0] is -1");
}

TEST_F(Protocol, AnExecutorIsForOneCall) {
    const Tensor a({1}, {1}), out({1}, {0});
    aclOpExecutor* executor = PrepareAdd(a, a, out);
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclnnMul(nullptr, 0, executor, stream_),
               "executor is for aclnnAdd; pass one that aclnnMulGetWorkspaceSize returned");
    EXPECT_EQ(ACL_SUCCESS, Run(executor));
    ExpectText(ACLNN_ERR_PARAM_INVALID, Run(executor), "was used by an earlier call");
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclDestroyAclOpExecutor(executor), "was used by an earlier call");
    ExpectText(ACLNN_ERR_PARAM_INVALID, Run(reinterpret_cast<aclOpExecutor*>(stream_)), "or never created");
    EXPECT_EQ(ACL_SUCCESS, Wait());
}

TEST_F(Protocol, ARepeatableExecutorServesManyCalls) {
    Tensor a({1}, {1}), out({1}, {0}), other({1}, {0});
    aclOpExecutor* executor = PrepareAdd(a, a, out);
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclSetTensorAddr(executor, 2, out, other.Memory()), "Repeatable");
    ASSERT_EQ(ACL_SUCCESS, aclSetAclOpExecutorRepeatable(executor));
    for (const float value : {1.0f, 2.0f, 3.0f}) {
        a.Set({value});
        ASSERT_EQ(ACL_SUCCESS, Run(executor));
        ASSERT_EQ(ACL_SUCCESS, Wait());
        EXPECT_EQ(out.Get(), Floats{2 * value});
    }
    ASSERT_EQ(ACL_SUCCESS, aclSetTensorAddr(executor, 2, out, other.Memory()));
    ASSERT_EQ(ACL_SUCCESS, Run(executor));
    ASSERT_EQ(ACL_SUCCESS, aclDestroyAclOpExecutor(executor));
    ExpectText(ACLNN_ERR_PARAM_INVALID, Run(executor), "destroyed");
    ASSERT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(other.Get(), Floats{6});
}

TEST_F(Protocol, ExecutorsThatAreNeverUsedAreDropped) {
    const Tensor a({1}, {1}), out({1}, {0});
    aclOpExecutor* first = PrepareAdd(a, a, out);
    aclOpExecutor* kept = PrepareAdd(a, a, out);
    ASSERT_EQ(ACL_SUCCESS, aclSetAclOpExecutorRepeatable(kept));
    std::vector<aclOpExecutor*> more(5000);
    for (auto& executor : more) executor = PrepareAdd(a, a, out);
    ExpectText(ACLNN_ERR_PARAM_INVALID, Run(first), "newer ones waited");
    ExpectText(ACLNN_ERR_PARAM_INVALID, Run(more[100]), "newer ones waited");
    EXPECT_EQ(ACL_SUCCESS, Run(more.back()));
    EXPECT_EQ(ACL_SUCCESS, Run(kept));
    EXPECT_EQ(ACL_SUCCESS, aclDestroyAclOpExecutor(kept));
    EXPECT_EQ(ACL_SUCCESS, Wait());
}

TEST_F(Protocol, AWrongShapeFailsTheStream) {
    const Tensor a({2}, {1, 2}), b({3}, {1, 2, 3}), out({2}, {7, 7});
    ASSERT_EQ(ACL_SUCCESS, Run(PrepareAdd(a, b, out)));
    ExpectText(ACLNN_ERR_INNER, Wait(), "aclnnAdd: The size of tensor a (2) must match");
    ASSERT_EQ(ACL_SUCCESS, Run(PrepareAdd(b, b, out)));
    ExpectText(ACLNN_ERR_PARAM_INVALID, Wait(), "had shape [2]");
    EXPECT_EQ(out.Get(), (Floats{7, 7}));
    ASSERT_EQ(ACL_SUCCESS, Run(PrepareAdd(a, a, out)));
    ASSERT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(out.Get(), (Floats{2, 4}));
}

TEST_F(Protocol, ListsOwnTheirElements) {
    Tensor a({2}, {1, 2}), b({1}, {3}), out({3}, {0, 0, 0});
    const aclTensor* elements[] = {a.Make({2}, nullptr, 0), b.Make({1}, nullptr, 0)};
    aclTensorList* list = aclCreateTensorList(elements, 2);
    uint64_t count = 0, size = 0;
    EXPECT_EQ(ACL_SUCCESS, aclGetTensorListSize(list, &count));
    EXPECT_EQ(2u, count);
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(ACL_SUCCESS, aclnnCatGetWorkspaceSize(list, 0, out, &size, &executor));
    aclDestroyTensorList(list);
    ASSERT_EQ(ACL_SUCCESS, aclnnCat(nullptr, size, executor, stream_));
    ASSERT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(out.Get(), (Floats{1, 2, 3}));
}

TEST_F(Protocol, AGraphRunsOperatorsAgain) {
    const Tensor a({1}, {1}), sum({1}, {0});
    ASSERT_EQ(ACL_SUCCESS, Run(PrepareAdd(a, a, sum)));
    ASSERT_EQ(ACL_SUCCESS, Wait());
    aclmdlRI graph = nullptr;
    ASSERT_EQ(ACL_SUCCESS, aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    ASSERT_EQ(ACL_SUCCESS, Run(PrepareAdd(sum, a, sum))) << Text();
    ASSERT_EQ(ACL_SUCCESS, aclmdlRICaptureEnd(stream_, &graph));
    for (int i = 0; i < 3; ++i) ASSERT_EQ(ACL_SUCCESS, aclmdlRIExecuteAsync(graph, stream_));
    ASSERT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(sum.Get(), Floats{5});
    EXPECT_EQ(ACL_SUCCESS, aclmdlRIDestroy(graph));
}

TEST_F(Protocol, OperatorsWorkAfterAnotherInit) {
    for (int i = 0; i < 2; ++i) {
        {
            const Tensor a({1}, {1}), out({1}, {0});
            ASSERT_EQ(ACL_SUCCESS, Run(PrepareAdd(a, a, out))) << Text();
            ASSERT_EQ(ACL_SUCCESS, Wait());
            EXPECT_EQ(out.Get(), Floats{2});
        }
        End();
        Begin();
    }
}

TEST_F(Protocol, ThreadsHaveTheirOwnStreams) {
    std::vector<std::thread> threads;
    for (int device = 0; device < 4; ++device) {
        threads.emplace_back([device, this] {
            ASSERT_EQ(ACL_SUCCESS, aclrtSetDevice(device));
            aclrtStream stream = nullptr;
            ASSERT_EQ(ACL_SUCCESS, aclrtCreateStream(&stream));
            const Tensor one({1}, {1}), sum({1}, {0});
            for (int i = 0; i < 500; ++i)
                ASSERT_EQ(ACL_SUCCESS, aclnnAdd(nullptr, 0, PrepareAdd(sum, one, sum), stream)) << Text();
            ASSERT_EQ(ACL_SUCCESS, aclrtSynchronizeStream(stream));
            EXPECT_EQ(sum.Get(), Floats{500});
            EXPECT_EQ(ACL_SUCCESS, aclrtDestroyStream(stream));
        });
    }
    for (std::thread& thread : threads) thread.join();
}
