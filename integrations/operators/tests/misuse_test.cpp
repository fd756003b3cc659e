// Tests misuse of the two phases: each call returns a code and a text, nothing crashes, and no memory is kept forever.
#include <aclnnop/aclnn_binary_cross_entropy.h>
#include <aclnnop/aclnn_cat.h>
#include <aclnnop/aclnn_mul.h>
#include <malloc.h>
#include <portacl/portacl.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "protocol.h"

using namespace protocol;

namespace {

// Returns the bytes of the process's heap in use.
size_t HeapInUse() {
    return mallinfo2().uordblks;
}

class Misuse : public Protocol {
  protected:
    // Blocks the stream until Open().
    void Close() {
        EXPECT_EQ(ACL_SUCCESS, aclrtLaunchHostFunc(
                                   stream_, [](void* self) { static_cast<Misuse*>(self)->Pass(); }, this));
        arrived_.get_future().wait();
    }
    void Open() { open_.set_value(); }
    // Launches as many operators as would keep megabytes if their work was never released.
    void LaunchMany(const aclTensor* a, const aclTensor* out) {
        for (int i = 0; i < kMany; ++i) ASSERT_EQ(ACL_SUCCESS, Run(PrepareAdd(a, a, out)));
    }
    // Returns the bytes in use when as many operators have run and were released.
    size_t HeapAfter(const aclTensor* a, Tensor& out) {
        LaunchMany(a, out);
        EXPECT_EQ(ACL_SUCCESS, Wait());
        size_t before = 0;
        do {
            before = HeapInUse();
            EXPECT_EQ(ACL_SUCCESS, aclDestroyAclOpExecutor(PrepareAdd(a, a, out)));
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        } while (HeapInUse() + kLeast < before);
        out.Set({5});
        return HeapInUse();
    }
    // Runs a first phase, which releases finished work. Threads may release some of it a moment after the stream is
    // idle.
    void ExpectReleased(size_t before, const aclTensor* a, const aclTensor* out) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        do {
            ASSERT_EQ(ACL_SUCCESS, aclDestroyAclOpExecutor(PrepareAdd(a, a, out)));
        } while (HeapInUse() > before + kMany * kLeast / 4 && std::chrono::steady_clock::now() < end);
        EXPECT_LT(HeapInUse(), before + kMany * kLeast / 4);
    }

    // Runs the graph of LaunchMany twice, and destroys it.
    void ExpectGraphOwns(aclmdlRI graph, size_t before, const aclTensor* a, Tensor& out) {
        for (int i = 0; i < 2; ++i) {
            out.Set({5});
            ASSERT_EQ(ACL_SUCCESS, aclmdlRIExecute(graph, -1)) << Text();
            EXPECT_EQ(out.Get(), Floats{2});
        }
        EXPECT_GT(HeapInUse(), before + kMany * kLeast);
        ASSERT_EQ(ACL_SUCCESS, aclmdlRIDestroy(graph));
        // PORTACL_CHECK keeps what the run uses until the next operation.
        EXPECT_EQ(ACL_SUCCESS, Run(PrepareAdd(a, a, out)));
        EXPECT_EQ(ACL_SUCCESS, Wait());
        ExpectReleased(before, a, out);
    }

    static constexpr int kMany = 4000;
    static constexpr int kLong = 100;
    // The least bytes that an operator between its phases has.
    static constexpr size_t kLeast = 150;

  private:
    void Pass() {
        arrived_.set_value();
        open_.get_future().wait();
    }
    std::promise<void> arrived_, open_;
};

TEST_F(Misuse, AnObjectIsDestroyedOnceAndAsWhatItIs) {
    const int64_t numbers[] = {1, 2};
    const float fractions[] = {1, 2};
    aclIntArray* const ints = aclCreateIntArray(numbers, 2);
    aclFloatArray* const floats = aclCreateFloatArray(fractions, 2);
    ASSERT_NE(ints, nullptr);
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclDestroyTensor(reinterpret_cast<aclTensor*>(ints)), "is an int array");
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclDestroyScalarList(reinterpret_cast<aclScalarList*>(floats)),
               "is a float array");
    uint64_t size = 0;
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclGetIntArraySize(reinterpret_cast<aclIntArray*>(floats), &size),
               "is a float array");
    EXPECT_EQ(ACL_SUCCESS, aclGetIntArraySize(ints, &size));
    EXPECT_EQ(size, 2U);
    EXPECT_EQ(ACL_SUCCESS, aclDestroyIntArray(ints));
    EXPECT_EQ(ACL_SUCCESS, aclDestroyFloatArray(floats));
    EXPECT_EQ(ACL_SUCCESS, aclDestroyTensor(nullptr));
    // Twice, and used after its end. Other objects of the kind do not take its place at once.
    for (int i = 0; i < 100; ++i) EXPECT_NE(aclCreateIntArray(numbers, 2), ints);
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclDestroyIntArray(ints), "was destroyed");
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclGetIntArraySize(ints, &size), "was destroyed");
}

TEST_F(Misuse, OperatorsRefuseObjectsOfOtherKindsAndDestroyedOnes) {
    const int64_t numbers[] = {1};
    Tensor a({1}, {1}), out({1}, {5});
    aclIntArray* const ints = aclCreateIntArray(numbers, 1);
    aclTensor* const gone = a.Make({1}, nullptr, 0);
    ASSERT_EQ(ACL_SUCCESS, aclDestroyTensor(gone));
    uint64_t workspace = 0;
    aclOpExecutor* executor = nullptr;
    float one = 1;
    aclScalar* const alpha = aclCreateScalar(&one, ACL_FLOAT);
    ExpectText(ACLNN_ERR_PARAM_INVALID,
               aclnnAddGetWorkspaceSize(reinterpret_cast<aclTensor*>(ints), a, alpha, out, &workspace, &executor),
               "self is an int array");
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclnnAddGetWorkspaceSize(a, gone, alpha, out, &workspace, &executor),
               "was destroyed");
    aclDestroyIntArray(ints);
    aclDestroyScalar(alpha);
}

TEST_F(Misuse, AnElementIsInOneListAndNoLaterThanItDestroyed) {
    Tensor a({1}, {1});
    aclTensor* const one = a.Make({1}, nullptr, 0);
    aclTensor* const two = a.Make({1}, nullptr, 0);
    const aclTensor* const twice[] = {two, one, one};
    EXPECT_EQ(aclCreateTensorList(twice, 3), nullptr);
    EXPECT_NE(Text().find("value[2] is in a list already"), std::string::npos) << Text();
    // The failed list owns none of them.
    const aclTensor* const both[] = {one, two};
    aclTensorList* const list = aclCreateTensorList(both, 2);
    ASSERT_NE(list, nullptr) << Text();
    // A program may destroy an element, which it can use no longer. The list can.
    EXPECT_EQ(ACL_SUCCESS, aclDestroyTensor(one));
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclDestroyTensor(one), "was destroyed");
    aclDataType type;
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclGetDataType(one, &type), "was destroyed");
    const aclTensor* const again[] = {one};
    EXPECT_EQ(aclCreateTensorList(again, 1), nullptr);
    uint64_t size = 0;
    EXPECT_EQ(ACL_SUCCESS, aclGetTensorListSize(list, &size));
    EXPECT_EQ(size, 2u);
    EXPECT_EQ(ACL_SUCCESS, aclDestroyTensorList(list));
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclDestroyTensorList(list), "was destroyed");
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclDestroyTensor(two), "was destroyed");
}

TEST_F(Misuse, NoProductOfSizesWraps) {
    Tensor a({1}, {1});
    const int64_t none[] = {0, 0}, large = int64_t{1} << 61, half = int64_t{1} << 32;
    const auto refused = [&](const std::vector<int64_t>& sizes, const int64_t* strides,
                             const std::vector<int64_t>& storage) {
        aclTensor* const made = aclCreateTensor(sizes.data(), sizes.size(), ACL_FLOAT, strides, 0, ACL_FORMAT_ND,
                                                storage.data(), storage.size(), a.Memory());
        EXPECT_EQ(made, nullptr);
        aclDestroyTensor(made);
    };
    refused({large}, nullptr, {large});
    refused({large + 1}, nullptr, {large + 1});
    refused({1}, nullptr, {half, half});
    refused({half, half}, nullptr, {1});
    refused({half, half}, none, {1});
    refused({large, large, large}, nullptr, {1});
    const int64_t number = 1;
    const aclTensor* const element = a;
    EXPECT_EQ(aclCreateIntArray(&number, uint64_t{1} << 61), nullptr);
    EXPECT_EQ(aclCreateTensorList(&element, uint64_t{1} << 61), nullptr);
    EXPECT_NE(Text().find("size is"), std::string::npos) << Text();
}

TEST_F(Misuse, LaunchesThatAnAbortDropsAreReleased) {
    Tensor a({1}, {1}), out({1}, {5});
    const size_t before = HeapAfter(a, out);
    Close();
    LaunchMany(a, out);
    EXPECT_GT(HeapInUse(), before + kMany * kLeast) << "the bound of this test finds no leak";
    ASSERT_EQ(ACL_SUCCESS, aclrtStreamAbort(stream_));
    Open();
    ASSERT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(out.Get(), Floats{5});
    ExpectReleased(before, a, out);
}

TEST_F(Misuse, LaunchesBehindAFailureAreReleased) {
    Tensor a({1}, {1}), two({1}, {2}), out({1}, {5});
    const size_t before = HeapAfter(a, out);
    ASSERT_EQ(ACL_SUCCESS, aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
    Close();
    uint64_t size = 0;
    aclOpExecutor* fails = nullptr;
    ASSERT_EQ(ACL_SUCCESS, aclnnBinaryCrossEntropyGetWorkspaceSize(two, two, nullptr, 0, out, &size, &fails)) << Text();
    ASSERT_EQ(ACL_SUCCESS, aclnnBinaryCrossEntropy(nullptr, size, fails, stream_));
    LaunchMany(a, out);
    Open();
    ExpectText(ACLNN_ERR_INNER, Wait(), "aclnnBinaryCrossEntropy: all elements of input");
    aclOpExecutor* refused = PrepareAdd(a, a, out);
    ExpectText(ACLNN_ERR_INNER, Run(refused), "was stopped");
    EXPECT_EQ(out.Get(), Floats{5});
    ExpectReleased(before, a, out);
}

TEST_F(Misuse, LaunchesOfAStreamThatIsDestroyedAreReleased) {
    Tensor a({1}, {1}), out({1}, {5});
    const size_t before = HeapAfter(a, out);
    Close();
    LaunchMany(a, out);
    ASSERT_EQ(ACL_SUCCESS, aclrtDestroyStreamForce(stream_));
    Open();
    ASSERT_EQ(ACL_SUCCESS, aclrtCreateStream(&stream_));
    EXPECT_EQ(out.Get(), Floats{5});
    ExpectReleased(before, a, out);
}

TEST_F(Misuse, LongListsAreReleased) {
    Tensor a({1}, {1}), out({1}, {5});
    Tensor all({1000}, Floats(1000, 0));
    const size_t before = HeapAfter(a, out);
    std::vector<aclTensor*> elements;
    for (int i = 0; i < 1000; ++i) elements.push_back(a.Make({1}, nullptr, 0));
    aclTensorList* const list = aclCreateTensorList(elements.data(), elements.size());
    const auto join = [&] {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        EXPECT_EQ(ACL_SUCCESS, aclnnCatGetWorkspaceSize(list, 0, all, &size, &executor)) << Text();
        return aclnnCat(nullptr, size, executor, stream_);
    };
    for (int i = 0; i < kLong; ++i) ASSERT_EQ(ACL_SUCCESS, join()) << Text();
    ASSERT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(all.Get(), Floats(1000, 1));
    Close();
    for (int i = 0; i < kLong; ++i) ASSERT_EQ(ACL_SUCCESS, join()) << Text();
    EXPECT_GT(HeapInUse(), before + kLong * 1000 * sizeof(void*)) << "the bound of this test finds no leak";
    ASSERT_EQ(ACL_SUCCESS, aclrtStreamAbort(stream_));
    Open();
    ASSERT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(ACL_SUCCESS, aclDestroyTensorList(list));
    ExpectReleased(before, a, out);
}

TEST_F(Misuse, LaunchesOfACapturedGraphAreReleasedWithIt) {
    Tensor a({1}, {1}), out({1}, {5});
    const size_t before = HeapAfter(a, out);
    aclmdlRI graph = nullptr;
    ASSERT_EQ(ACL_SUCCESS, aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    LaunchMany(a, out);
    ASSERT_EQ(ACL_SUCCESS, aclmdlRICaptureEnd(stream_, &graph));
    ExpectGraphOwns(graph, before, a, out);
}

TEST_F(Misuse, LaunchesOfABuiltGraphAreReleasedWithIt) {
    Tensor a({1}, {1}), out({1}, {5});
    const size_t before = HeapAfter(a, out);
    aclrtStream bound = nullptr;
    aclmdlRI graph = nullptr;
    ASSERT_EQ(ACL_SUCCESS, aclrtCreateStreamWithConfig(&bound, 0, ACL_STREAM_PERSISTENT));
    ASSERT_EQ(ACL_SUCCESS, aclmdlRIBuildBegin(&graph, 0));
    ASSERT_EQ(ACL_SUCCESS, aclmdlRIBindStream(graph, bound, 0));
    std::swap(stream_, bound);
    LaunchMany(a, out);
    std::swap(stream_, bound);
    ASSERT_EQ(ACL_SUCCESS, aclmdlRIEndTask(graph, bound));
    ASSERT_EQ(ACL_SUCCESS, aclmdlRIBuildEnd(graph, nullptr));
    ExpectGraphOwns(graph, before, a, out);
    EXPECT_EQ(ACL_SUCCESS, aclrtDestroyStream(bound));
}

TEST_F(Misuse, FirstPhasesWithoutASecondOneStayBounded) {
    const Tensor a({1}, {1}), out({1}, {0});
    const auto prepare = [&] {
        for (int i = 0; i < 20'000; ++i) PrepareAdd(a, a, out);
    };
    prepare();
    const size_t before = HeapInUse();
    prepare();
    EXPECT_LT(HeapInUse(), before + 100'000);
}

TEST_F(Misuse, AWorkspaceIsIgnored) {
    // All operators ask for 0 bytes, so nothing reads it.
    const Tensor a({1}, {1}), out({1}, {0});
    for (void* workspace : {static_cast<void*>(nullptr), reinterpret_cast<void*>(16)})
        for (const uint64_t size : {uint64_t{0}, uint64_t{1}, UINT64_MAX})
            EXPECT_EQ(ACL_SUCCESS, aclnnAdd(workspace, size, PrepareAdd(a, a, out), stream_)) << Text();
    EXPECT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(out.Get(), Floats{2});
}

TEST_F(Misuse, WrongStreamsAreNamed) {
    const Tensor a({1}, {1}), out({1}, {0});
    aclrtStream gone = nullptr;
    ASSERT_EQ(ACL_SUCCESS, aclrtCreateStream(&gone));
    ASSERT_EQ(ACL_SUCCESS, aclrtDestroyStream(gone));
    int local = 0;
    for (aclrtStream wrong : {gone, static_cast<aclrtStream>(&local), static_cast<aclrtStream>(one_)}) {
        aclOpExecutor* executor = PrepareAdd(a, a, out);
        EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, aclnnAdd(nullptr, 0, executor, wrong));
        EXPECT_NE(Text().find("aclnnAdd"), std::string::npos) << Text();
        // The executor is used up.
        ExpectText(ACLNN_ERR_PARAM_INVALID, Run(executor), "was used by an earlier call");
    }
    EXPECT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(out.Get(), Floats{0});
}

TEST_F(Misuse, MemoryThatWasFreedBetweenThePhasesIsNamed) {
    const Tensor a({1}, {1});
    aclOpExecutor* executor = nullptr;
    {
        const Tensor out({1}, {0});
        executor = PrepareAdd(a, a, out);
    }
    EXPECT_NE(ACL_SUCCESS, Run(executor));
    EXPECT_NE(Text().find("aclnnAdd"), std::string::npos) << Text();
    EXPECT_EQ(ACL_SUCCESS, Wait());
}

TEST_F(Misuse, PhasesOnAnotherThread) {
    const Tensor a({1}, {1}), out({1}, {0});
    aclOpExecutor* executor = nullptr;
    std::thread([&] { executor = PrepareAdd(a, a, out); }).join();
    EXPECT_EQ(ACL_SUCCESS, Run(executor));
    EXPECT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(out.Get(), Floats{2});
    executor = PrepareAdd(a, a, out);
    // The stream determines the device.
    int code = ACL_SUCCESS;
    std::string text;
    std::thread([&] {
        code = Run(executor);
        text = Text();
    }).join();
    EXPECT_TRUE(code == ACL_SUCCESS || text.find("aclnnAdd") != std::string::npos) << code << ": " << text;
    EXPECT_EQ(ACL_SUCCESS, Wait());
}

TEST_F(Misuse, OneExecutorOnManyThreadsRunsOnce) {
    const Tensor a({1}, {1}), sum({1}, {0});
    for (int round = 0; round < 100; ++round) {
        aclOpExecutor* executor = PrepareAdd(sum, a, sum);
        std::atomic<int> ran{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                if (aclrtSetDevice(0) == ACL_SUCCESS) ran += Run(executor) == ACL_SUCCESS;
            });
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(1, ran);
    }
    EXPECT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(sum.Get(), Floats{100});
}

TEST_F(Misuse, AfterFinalize) {
    aclOpExecutor* executor = nullptr;
    {
        const Tensor a({1}, {1}), out({1}, {0});
        executor = PrepareAdd(a, a, out);
    }
    End();
    EXPECT_NE(ACL_SUCCESS, Run(executor));
    EXPECT_NE(Text().find("aclnnAdd"), std::string::npos) << Text();
    Begin();
}

}  // namespace
