// Tests the two phases of operators from C++: what they compute, when, and what misuse returns.
#include "protocol.h"

#include <aclnnop/aclnn_binary_cross_entropy.h>
#include <aclnnop/aclnn_cat.h>
#include <aclnnop/aclnn_mul.h>

#include <random>
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
    const int64_t large[] = {1 << 20};
    EXPECT_EQ(nullptr, memory.Make({4}, large, 0));
    EXPECT_NE(Text().find("index 0 to 3145728 (counted from 0), but the storage has 6 elements"), std::string::npos)
        << Text();
}

TEST_F(Protocol, AViewIsInsideOfItsAllocationWhateverStorageIsStated) {
    const Tensor memory({6}, {0, 1, 2, 3, 4, 5}), out({2}, {0, 0});
    const auto make = [&](std::vector<int64_t> sizes, int64_t offset, std::vector<int64_t> storage, aclFormat format) {
        return aclCreateTensor(sizes.data(), sizes.size(), ACL_FLOAT, nullptr, offset, format, storage.data(),
                               storage.size(), memory.Memory());
    };
    // Callers resize storages, and pass storages of private formats with the shape of their blocks.
    aclTensor* const behind = make({2}, 4, {2}, ACL_FORMAT_ND);
    aclTensor* const blocks = make({2}, 1, {1, 1, 2, 3}, ACL_FORMAT_FRACTAL_NZ);
    ASSERT_NE(behind, nullptr) << Text();
    ASSERT_NE(blocks, nullptr) << Text();
    ASSERT_EQ(ACL_SUCCESS, Run(PrepareAdd(behind, blocks, out)));
    ASSERT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(out.Get(), (Floats{5, 7}));
    EXPECT_EQ(nullptr, make({2}, 1 << 20, {2}, ACL_FORMAT_ND));
    EXPECT_EQ(nullptr, make({2}, -1, {2}, ACL_FORMAT_ND));
    EXPECT_EQ(nullptr, make({2}, 0, {-2}, ACL_FORMAT_ND));
    aclTensor* const empty = make({0}, 0, {-2}, ACL_FORMAT_ND);
    EXPECT_NE(empty, nullptr) << Text();
    for (const aclTensor* const made : {behind, blocks, empty}) EXPECT_EQ(ACL_SUCCESS, aclDestroyTensor(made));
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
    ExpectText(ACLNN_ERR_PARAM_INVALID, Run(reinterpret_cast<aclOpExecutor*>(stream_)), "or was never created");
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

// A program may run the second phase on another thread, which falls behind when the machine is busy.
TEST_F(Protocol, ManyExecutorsWaitForTheirTurn) {
    const Tensor one({1}, {1}), sum({1}, {0});
    std::vector<aclOpExecutor*> waiting(10000);
    for (int i = 0; i < 2; ++i) {
        for (auto& executor : waiting) executor = PrepareAdd(sum, one, sum);
        for (aclOpExecutor* const executor : waiting) ASSERT_EQ(ACL_SUCCESS, Run(executor)) << Text();
        ASSERT_EQ(ACL_SUCCESS, Wait());
        EXPECT_EQ(sum.Get(), Floats{10000.0f * static_cast<float>(i + 1)});
    }
}

TEST_F(Protocol, ExecutorsThatAreNeverUsedAreDropped) {
    const Tensor a({1}, {1}), out({1}, {0});
    aclOpExecutor* first = PrepareAdd(a, a, out);
    aclOpExecutor* kept = PrepareAdd(a, a, out);
    ASSERT_EQ(ACL_SUCCESS, aclSetAclOpExecutorRepeatable(kept));
    std::vector<aclOpExecutor*> more(68000);
    for (auto& executor : more) executor = PrepareAdd(a, a, out);
    ExpectText(ACLNN_ERR_PARAM_INVALID, Run(first), "newer ones waited");
    ExpectText(ACLNN_ERR_PARAM_INVALID, Run(more[100]), "newer ones waited");
    EXPECT_EQ(ACL_SUCCESS, Run(more.back()));
    EXPECT_EQ(ACL_SUCCESS, Run(kept));
    EXPECT_EQ(ACL_SUCCESS, aclDestroyAclOpExecutor(kept));
    EXPECT_EQ(ACL_SUCCESS, Wait());
}

TEST_F(Protocol, AWrongShapeIsRefusedByTheFirstPhase) {
    const Tensor a({2}, {1, 2}), b({3}, {1, 2, 3}), out({2}, {7, 7});
    const auto prepare = [&](const aclTensor* self, const aclTensor* other, const aclTensor* result) {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        return aclnnAddGetWorkspaceSize(self, other, one_, result, &size, &executor);
    };
    // What was accepted or refused before changes nothing.
    for (int i = 0; i < 3; ++i) {
        ExpectText(ACLNN_ERR_PARAM_INVALID, prepare(a, b, out),
                   "aclnnAddGetWorkspaceSize: The size of tensor a (2) must match");
        ExpectText(ACLNN_ERR_PARAM_INVALID, prepare(b, b, out), "had shape [2]");
        EXPECT_EQ(out.Get(), (i == 0 ? Floats{7, 7} : Floats{2, 4}));
        ASSERT_EQ(ACL_SUCCESS, Run(PrepareAdd(a, a, out)));
        ASSERT_EQ(ACL_SUCCESS, Wait());
        EXPECT_EQ(out.Get(), (Floats{2, 4}));
    }
    // A view of the same memory whose elements are at one place is none to write to.
    const int64_t stride = 0;
    aclTensor* const one = out.Make({2}, &stride, 0);
    ExpectText(ACLNN_ERR_PARAM_INVALID, prepare(a, a, one), "single memory location");
    aclDestroyTensor(one);
    EXPECT_EQ(ACL_SUCCESS, Wait());
}

TEST_F(Protocol, WrongDataFailsTheStream) {
    const Tensor a({1}, {2}), out({1}, {7});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(ACL_SUCCESS, aclnnBinaryCrossEntropyGetWorkspaceSize(a, a, nullptr, 0, out, &size, &executor)) << Text();
    ASSERT_EQ(ACL_SUCCESS, aclnnBinaryCrossEntropy(nullptr, size, executor, stream_));
    ExpectText(ACLNN_ERR_INNER, Wait(), "aclnnBinaryCrossEntropy: all elements of input should be between 0 and 1");
    EXPECT_EQ(out.Get(), Floats{7});
}

TEST_F(Protocol, ListsHaveAnyLength) {
    for (const size_t count : {255u, 256u, 257u, 1000u}) {
        const Tensor memory(std::vector<int64_t>{static_cast<int64_t>(count)}, Floats(count, 1));
        std::vector<aclTensor*> elements;
        Floats wanted;
        for (size_t i = 0; i < count; ++i) {
            elements.push_back(memory.Make({1}, nullptr, static_cast<int64_t>(i)));
            wanted.push_back(static_cast<float>(i));
        }
        Tensor out({static_cast<int64_t>(count)}, Floats(count, 0));
        aclTensorList* const list = aclCreateTensorList(elements.data(), count);
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        ASSERT_EQ(ACL_SUCCESS, aclnnCatGetWorkspaceSize(list, 0, out, &size, &executor)) << Text();
        ASSERT_EQ(ACL_SUCCESS, aclSetAclOpExecutorRepeatable(executor));
        const_cast<Tensor&>(memory).Set(wanted);
        ASSERT_EQ(ACL_SUCCESS, aclnnCat(nullptr, size, executor, stream_)) << Text();
        ASSERT_EQ(ACL_SUCCESS, Wait()) << Text();
        EXPECT_EQ(out.Get(), wanted);
        aclmdlRI graph = nullptr;
        ASSERT_EQ(ACL_SUCCESS, aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
        ASSERT_EQ(ACL_SUCCESS, aclnnCat(nullptr, size, executor, stream_)) << Text();
        ASSERT_EQ(ACL_SUCCESS, aclmdlRICaptureEnd(stream_, &graph));
        for (int i = 0; i < 2; ++i) {
            out.Set(Floats(count, 0));
            ASSERT_EQ(ACL_SUCCESS, aclmdlRIExecute(graph, -1)) << Text();
            EXPECT_EQ(out.Get(), wanted);
        }
        EXPECT_EQ(ACL_SUCCESS, aclmdlRIDestroy(graph));
        EXPECT_EQ(ACL_SUCCESS, aclDestroyAclOpExecutor(executor));
        aclDestroyTensorList(list);
    }
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

// Checks any order of calls against a model that says what each returns.
TEST_F(Protocol, AnyOrderOfCallsReturnsWhatItsExecutorsAreFor) {
    enum class State { kNone, kPrepared, kRepeatable };
    struct Slot {
        aclOpExecutor* executor = nullptr;
        State state = State::kNone;
    };
    for (unsigned seed = 0; seed < 20; ++seed) {
        const Tensor a({1}, {1}), sum({1}, {0});
        std::mt19937 random(seed);
        std::vector<Slot> slots(8);
        float wanted = 0;
        for (int step = 0; step < 500; ++step) {
            Slot& slot = slots[random() % slots.size()];
            const bool lives = slot.state != State::kNone;
            const auto expect = [&](bool succeeds, int code) {
                EXPECT_EQ(succeeds                   ? ACL_SUCCESS
                          : slot.executor == nullptr ? ACLNN_ERR_PARAM_NULLPTR
                                                     : ACLNN_ERR_PARAM_INVALID,
                          code)
                    << "seed " << seed << ", step " << step << ": " << Text();
                return succeeds;
            };
            switch (random() % 6) {
                case 0:
                    // An unused executor may stay.
                    slot = {PrepareAdd(sum, a, sum), State::kPrepared};
                    break;
                case 1:
                case 2:
                    if (expect(lives, Run(slot.executor))) {
                        wanted += 1;
                        if (slot.state == State::kPrepared) slot.state = State::kNone;
                    }
                    break;
                case 3:
                    if (expect(lives, aclSetAclOpExecutorRepeatable(slot.executor))) slot.state = State::kRepeatable;
                    break;
                case 4:
                    if (expect(lives, aclDestroyAclOpExecutor(slot.executor))) slot.state = State::kNone;
                    break;
                default:
                    expect(false, aclnnMul(nullptr, 0, slot.executor, stream_));
                    expect(slot.state == State::kRepeatable, aclSetTensorAddr(slot.executor, 2, sum, sum.Memory()));
            }
        }
        EXPECT_EQ(ACL_SUCCESS, Wait());
        EXPECT_EQ(sum.Get(), Floats{wanted});
        for (const Slot& slot : slots) {
            if (slot.state == State::kNone) continue;
            EXPECT_EQ(ACL_SUCCESS, aclDestroyAclOpExecutor(slot.executor));
        }
    }
}
