// Copies, fills, reductions and random numbers with a count of 0 succeed, whatever their pointers,
// sizes, kinds and types. Other checks stay: the stream, the current context of calls that need
// one, and calls from host functions.
#include <climits>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/base/every_function.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"
#include "support/transfer/batch.h"
#include "support/transfer/random_num.h"

using namespace portacl_test;

namespace {

using Bytes = std::vector<unsigned char>;

// The arguments that a count of 0 makes irrelevant.
struct Operands {
    const char* text;
    void* dst;
    void* src;
    // Destination size, pitch, offset, number of attributes.
    size_t size;
    // Kind, type, distribution.
    int number;
};

struct CopyCall {
    const char* name;
    bool has_stream;
    std::function<aclError(const Operands&, aclrtStream)> call;
};

template <typename T>
T* As(void* pointer) {
    return static_cast<T*>(pointer);
}

aclrtMemcpyKind Kind(const Operands& o) {
    return static_cast<aclrtMemcpyKind>(o.number);
}

std::vector<CopyCall> Copies() {
    return {
        {"aclrtMemcpy", false,
         [](const Operands& o, aclrtStream) { return aclrtMemcpy(o.dst, o.size, o.src, 0, Kind(o)); }},
        {"aclrtMemcpyAsync", true,
         [](const Operands& o, aclrtStream stream) {
             return aclrtMemcpyAsync(o.dst, o.size, o.src, 0, Kind(o), stream);
         }},
        {"aclrtMemcpyAsyncWithCondition", true,
         [](const Operands& o, aclrtStream stream) {
             return aclrtMemcpyAsyncWithCondition(o.dst, o.size, o.src, 0, Kind(o), stream);
         }},
        {"aclrtMemcpyAsyncWithOffset", true,
         [](const Operands& o, aclrtStream stream) {
             return aclrtMemcpyAsyncWithOffset(As<void*>(o.dst), o.size, o.size, As<const void*>(o.src), 0, o.size,
                                               Kind(o), stream);
         }},
        {"aclrtMemcpy2d", false,
         [](const Operands& o, aclrtStream) { return aclrtMemcpy2d(o.dst, o.size, o.src, o.size, 0, 5, Kind(o)); }},
        {"aclrtMemcpy2d", false,
         [](const Operands& o, aclrtStream) {
             return aclrtMemcpy2d(o.dst, o.size, o.src, o.size, SIZE_MAX, 0, Kind(o));
         }},
        {"aclrtMemcpy2dAsync", true,
         [](const Operands& o, aclrtStream stream) {
             return aclrtMemcpy2dAsync(o.dst, o.size, o.src, o.size, 0, 5, Kind(o), stream);
         }},
        {"aclrtMemcpy2dAsync", true,
         [](const Operands& o, aclrtStream stream) {
             return aclrtMemcpy2dAsync(o.dst, o.size, o.src, o.size, SIZE_MAX, 0, Kind(o), stream);
         }},
    };
}

std::vector<CopyCall> CopiesOfSymbols() {
    return {
        {"aclrtMemcpyToSymbol", false,
         [](const Operands& o, aclrtStream) { return aclrtMemcpyToSymbol(o.dst, o.src, 0, o.size, Kind(o)); }},
        {"aclrtMemcpyToSymbolAsync", true,
         [](const Operands& o, aclrtStream stream) {
             return aclrtMemcpyToSymbolAsync(o.dst, o.src, 0, o.size, Kind(o), stream);
         }},
        {"aclrtMemcpyFromSymbol", false,
         [](const Operands& o, aclrtStream) {
             return aclrtMemcpyFromSymbol(o.dst, o.size, o.src, 0, o.size, Kind(o));
         }},
        {"aclrtMemcpyFromSymbolAsync", true,
         [](const Operands& o, aclrtStream stream) {
             return aclrtMemcpyFromSymbolAsync(o.dst, o.size, o.src, 0, o.size, Kind(o), stream);
         }},
    };
}

// An empty batch; and below, one copy of 0 bytes with a valid attribute.
std::vector<CopyCall> Batches() {
    const auto none = [](auto call) {
        return [call](const Operands& o, aclrtStream stream) {
            auto index = Poison<size_t>();
            const aclError code =
                call(As<void*>(o.dst), As<size_t>(o.dst), As<void*>(o.src), As<size_t>(o.src), size_t{0},
                     As<aclrtMemcpyBatchAttr>(o.dst), As<size_t>(o.src), o.size, &index, stream);
            if (code == ACL_SUCCESS) {
                EXPECT_TRUE(IsPoison(index) || index == kNone) << index;
            }
            return code;
        };
    };
    std::vector<CopyCall> calls = {
        {"aclrtMemcpyBatch", false,
         none([](auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto h, auto i, aclrtStream) {
             return aclrtMemcpyBatch(a, b, c, d, e, f, g, h, i);
         })},
        {"aclrtMemcpyBatchV2", false,
         none([](auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto h, size_t*, aclrtStream) {
             return aclrtMemcpyBatchV2(a, b, c, d, e, f, g, h);
         })},
        {"aclrtMemcpyBatchAsync", true,
         none([](auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto h, auto i, aclrtStream s) {
             return aclrtMemcpyBatchAsync(a, b, c, d, e, f, g, h, i, s);
         })},
        {"aclrtMemcpyBatchAsyncV2", true,
         none([](auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto h, size_t*, aclrtStream s) {
             return aclrtMemcpyBatchAsyncV2(a, b, c, d, e, f, g, h, s);
         })},
    };
    return calls;
}

std::vector<CopyCall> Others() {
    return {
        {"aclrtMemset", false, [](const Operands& o, aclrtStream) { return aclrtMemset(o.dst, o.size, o.number, 0); }},
        {"aclrtMemsetAsync", true,
         [](const Operands& o, aclrtStream stream) { return aclrtMemsetAsync(o.dst, o.size, o.number, 0, stream); }},
        {"aclrtMemsetD32", false, [](const Operands& o, aclrtStream) { return aclrtMemsetD32(o.dst, o.size, 7, 0); }},
        {"aclrtMemsetD32Async", true,
         [](const Operands& o, aclrtStream stream) { return aclrtMemsetD32Async(o.dst, o.size, 7, 0, stream); }},
        {"aclrtReduceAsync", true,
         [](const Operands& o, aclrtStream stream) {
             return aclrtReduceAsync(o.dst, o.src, 0, static_cast<aclrtReduceKind>(o.number),
                                     static_cast<aclDataType>(o.number), stream, nullptr);
         }},
        {"aclrtRandomNumAsync", true,
         [](const Operands& o, aclrtStream stream) {
             auto task = Poison<aclrtRandomNumTaskInfo>();
             task.dataType = static_cast<aclDataType>(o.number);
             task.randomNumFuncParaInfo.funcType = static_cast<aclrtRandomNumFuncType>(o.number);
             task.randomResultAddr = o.dst;
             task.randomCounterAddr = o.src;
             task.randomNum = Number(uint64_t{0});
             return aclrtRandomNumAsync(&task, stream, nullptr);
         }},
    };
}

std::vector<CopyCall> EveryCall() {
    std::vector<CopyCall> all;
    for (auto make : {Copies, CopiesOfSymbols, Batches, Others})
        for (auto& call : make()) all.push_back(std::move(call));
    return all;
}

class CountZero : public WithDevice {
  protected:
    // Device and host memory with other memory, null, and invalid addresses.
    std::vector<Operands> EveryOperands() {
        const auto none = [](uintptr_t address) { return reinterpret_cast<void*>(address); };
        return {
            {"valid", device_->At(), host_.data(), host_.size(), ACL_MEMCPY_HOST_TO_DEVICE},
            {"no room", device_->At(), host_.data(), 0, ACL_MEMCPY_HOST_TO_DEVICE},
            {"a kind that does not fit", device_->At(), host_.data(), 8, ACL_MEMCPY_HOST_TO_HOST},
            {"null", nullptr, nullptr, 0, ACL_MEMCPY_DEFAULT},
            {"null, and any size", nullptr, nullptr, SIZE_MAX, ACL_MEMCPY_DEVICE_TO_DEVICE},
            {"no addresses", none(7), none(9), 3, 3},
            {"the end of the address space", none(UINTPTR_MAX), none(UINTPTR_MAX), SIZE_MAX, 4},
            {"numbers that do not exist", none(1), nullptr, 1, -1},
            {"large numbers", nullptr, none(1), 1, INT_MAX},
            {"a small number", host_.data(), device_->At(), 1, INT_MIN},
        };
    }

    void SetUp() override {
        WithDevice::SetUp();
        if (!HasFatalFailure()) device_.emplace(Bytes(64, 0xAB));
    }
    void TearDown() override {
        EXPECT_EQ(device_->Download(), Bytes(64, 0xAB));
        EXPECT_EQ(host_, Bytes(64, 0xCD));
        device_.reset();
        WithDevice::TearDown();
    }

    std::optional<DeviceMemory> device_;
    Bytes host_ = Bytes(64, 0xCD);
};

}  // namespace

TEST_F(CountZero, SucceedsWithAnyOperands) {
    const Stream stream;
    for (const CopyCall& call : EveryCall()) {
        for (const Operands& operands : EveryOperands()) {
            SCOPED_TRACE(operands.text);
            EXPECT_TRUE(Returned(call.name, call.call(operands, stream), 0));
            if (call.has_stream) {
                EXPECT_TRUE(Returned(call.name, call.call(operands, nullptr), 0));
            }
        }
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtSynchronizeStream(nullptr));
}

TEST_F(CountZero, StreamsAreStillChecked) {
    aclrtStream destroyed = nullptr;
    ACL_OK(aclrtCreateStream(&destroyed));
    ACL_OK(aclrtDestroyStream(destroyed));
    for (const CopyCall& call : EveryCall()) {
        if (!call.has_stream) continue;
        for (const Operands& operands : EveryOperands()) {
            SCOPED_TRACE(operands.text);
            for (void* none : {reinterpret_cast<void*>(8), reinterpret_cast<void*>(UINTPTR_MAX), destroyed})
                EXPECT_TRUE(FailedSaying(call.name, call.call(operands, none), ACL_ERROR_RT_PARAM_INVALID,
                                         {"stream", Shown(none)}));
        }
    }
}

// Calls without a stream need no context. The default stream belongs to one.
TEST_F(CountZero, WithoutACurrentContext) {
    OnNewThread([this] {
        for (const CopyCall& call : EveryCall()) {
            const aclError wanted = call.has_stream ? ACL_ERROR_RT_CONTEXT_NULL : ACL_SUCCESS;
            for (const Operands& operands : EveryOperands()) {
                SCOPED_TRACE(operands.text);
                EXPECT_TRUE(Returned(call.name, call.call(operands, nullptr), wanted));
            }
        }
    });
}

TEST_F(CountZero, IsRefusedInsideAHostFunction) {
    struct CopyCalls {
        std::vector<CopyCall> calls = EveryCall();
        std::vector<Operands> operands;
        std::vector<aclError> codes;
    } inside;
    inside.operands = EveryOperands();
    const auto call_all = [](void* argument) {
        auto& inside = *static_cast<CopyCalls*>(argument);
        for (const CopyCall& call : inside.calls)
            for (const Operands& operands : inside.operands) inside.codes.push_back(call.call(operands, nullptr));
    };
    ACL_OK(aclrtLaunchHostFunc(nullptr, call_all, &inside));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(inside.codes,
              std::vector<aclError>(inside.calls.size() * inside.operands.size(), ACL_ERROR_RT_PARAM_INVALID));
}

// A copy of 0 bytes among others: its pointers and destination size are not read, its attribute is.
TEST_F(CountZero, CopiesOfBatches) {
    for (const Batcher& batcher : Batchers()) {
        SCOPED_TRACE(batcher.name);
        for (const Operands& operands : EveryOperands()) {
            SCOPED_TRACE(operands.text);
            const DeviceMemory target(Bytes(64, 1));
            Batch batch;
            batch.Add(operands.dst, operands.size, operands.src, 0)
                .Add(target.At(), host_.data(), 64)
                .Add(operands.src, operands.size, operands.dst, 0)
                .Up();
            EXPECT_TRUE(Returned(batcher.name, batcher.Run(batch), 0));
            EXPECT_EQ(target.Download(), host_);

            Batch nothing;
            nothing.Add(operands.dst, operands.size, operands.src, 0).Up();
            EXPECT_TRUE(Returned(batcher.name, batcher.Run(nothing), 0));
        }
    }
}

// The description of a copy of 0 bytes may contain anything, and so may the copy that it describes.
TEST_F(CountZero, DescribedCopies) {
    const DeviceMemory description(Bytes(64, 0xEE));
    constexpr auto kKind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
    for (const Operands& o : EveryOperands()) {
        SCOPED_TRACE(o.text);
        ACL_OK(aclrtSetMemcpyDesc(description.At(), kKind, o.src, o.dst, 0, nullptr));
        ACL_OK(aclrtMemcpyAsyncWithDesc(description.At(), kKind, nullptr));
        ACL_OK(aclrtSynchronizeStream(nullptr));
    }
}

// Checks that do not concern the data stay.
TEST_F(CountZero, OtherArgumentsAreStillChecked) {
    constexpr aclError kBad = ACL_ERROR_INVALID_PARAM;
    int reserve = 0;
    ACL_FAILS_SAYING(
        kBad, aclrtReduceAsync(nullptr, nullptr, 0, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, nullptr, &reserve),
        "reserve");
    ACL_FAILS_SAYING(kBad, aclrtRandomNumAsync(nullptr, nullptr, nullptr), "taskInfo");
    auto task = RandomNumbers(kUniform, ACL_FLOAT, 0.0f, 1.0f, nullptr, 0);
    ACL_FAILS_SAYING(kBad, aclrtRandomNumAsync(&task, nullptr, &reserve), "reserve");
    task.randomNum.size = 3;
    ACL_FAILS_SAYING(kBad, aclrtRandomNumAsync(&task, nullptr, nullptr), "randomNum");
    task.randomNum.size = 8;
    task.randomNum.isAddr = 2;
    ACL_FAILS_SAYING(kBad, aclrtRandomNumAsync(&task, nullptr, nullptr), "randomNum");
    ACL_FAILS_SAYING(kBad, aclrtMemcpyBatch(nullptr, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, nullptr),
                     "failIndex");
    ACL_FAILS_SAYING(
        kBad, aclrtMemcpyBatchAsync(nullptr, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, nullptr, nullptr),
        "failIndex");
    ACL_FAILS_SAYING(kBad, aclrtSetMemcpyDesc(nullptr, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, nullptr, nullptr, 0, nullptr),
                     "desc");
    const DeviceMemory description(64);
    ACL_FAILS_SAYING(
        kBad, aclrtSetMemcpyDesc(description.At(), static_cast<aclrtMemcpyKind>(99), nullptr, nullptr, 0, nullptr),
        "kind", "99");
}

// A function that copies or fills and is missing in the table would not be tested here.
TEST(CountZeroTable, HasEveryFunction) {
    std::set<std::string> tested = {// Of these a test of their own.
                                    "aclrtSetMemcpyDesc", "aclrtMemcpyAsyncWithDesc",
                                    // It has no count.
                                    "aclrtGetMemcpyDescSize"};
    for (const CopyCall& call : EveryCall()) tested.insert(call.name);
    for (const EveryFunction& function : EveryFunctionOfTheApi())
        for (const char* part : {"Memcpy", "Memset", "Reduce", "RandomNum"})
            if (function.name.find(part) != std::string::npos) {
                EXPECT_EQ(tested.count(function.name), 1u) << function.name;
            }
}
