// What aclrtMemcpyBatch, its V2, and both asynchronous forms refuse.

#include <limits>

#include "support/gate.h"
#include "support/memory/places.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/transfer/batch.h"

using namespace portacl_test;

namespace {

using Bytes = std::vector<unsigned char>;

class MemcpyBatchArguments : public WithDevice {};

TEST_F(MemcpyBatchArguments, NullArrays) {
    DeviceMemory device(Pattern(10));
    Bytes host(10, 1);
    Batch batch;
    batch.Add(device.At(), host.data(), 10).Up();
    const char* const names[] = {"dsts", "destMaxs", "srcs", "sizes", "attrs", "attrsIndexes"};
    for (size_t null = 0; null < std::size(names); ++null) {
        auto* dsts = null == 0 ? nullptr : batch.dsts.data();
        auto* dest_maxs = null == 1 ? nullptr : batch.dest_maxs.data();
        auto* srcs = null == 2 ? nullptr : batch.srcs.data();
        auto* sizes = null == 3 ? nullptr : batch.sizes.data();
        auto* attrs = null == 4 ? nullptr : batch.attrs.data();
        auto* indexes = null == 5 ? nullptr : batch.attrs_indexes.data();
        const std::string says = std::string(names[null]) + " is null, but numBatches is 1";
        size_t index = 0;
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemcpyBatch(dsts, dest_maxs, srcs, sizes, 1, attrs, indexes, 1, &index), says);
        EXPECT_EQ(index, kNone);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemcpyBatchV2(dsts, dest_maxs, srcs, sizes, 1, attrs, indexes, 1), says);
        index = 0;
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemcpyBatchAsync(dsts, dest_maxs, srcs, sizes, 1, attrs, indexes, 1, &index, nullptr),
                         says);
        EXPECT_EQ(index, kNone);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemcpyBatchAsyncV2(dsts, dest_maxs, srcs, sizes, 1, attrs, indexes, 1, nullptr), says);
    }
    for (const Batcher& batcher : Batchers()) {
        if (!batcher.has_index) continue;
        EXPECT_TRUE(FailedSaying(batcher.name, batcher.call(batch, nullptr, nullptr), ACL_ERROR_INVALID_PARAM,
                                 {"failIndex is null"}));
    }
    EXPECT_EQ(device.Download(), Pattern(10));
}

TEST_F(MemcpyBatchArguments, BadAttributes) {
    Four four;
    auto refused = [&](std::initializer_list<std::string> words) {
        for (const Batcher& batcher : Batchers())
            EXPECT_TRUE(FailedSaying(batcher.name, batcher.Run(four.batch), ACL_ERROR_INVALID_PARAM, words));
        four.batch.attrs.clear();
        four.batch.attrs_indexes.clear();
    };
    const auto down = OnDevice0(), host = Host();
    // `data()` of an empty vector may be null; with reserved capacity it is not.
    four.batch.attrs.reserve(1);
    four.batch.attrs_indexes.reserve(1);
    refused({"numAttrs is 0", "1 to 4 (numBatches)"});
    for (size_t i = 0; i < 5; ++i) four.batch.Attribute(i, down, host);
    refused({"numAttrs is 5", "1 to 4 (numBatches)"});
    four.batch.Attribute(1, down, host);
    refused({"attrsIndexes[0] is 1", "0"});
    four.batch.Attribute(0, down, host).Attribute(0, down, host);
    refused({"attrsIndexes[1] is 0", "greater than"});
    four.batch.Attribute(0, down, host).Attribute(2, down, host).Attribute(1, down, host);
    refused({"attrsIndexes[2] is 1", "2"});
    four.batch.Attribute(0, down, host).Attribute(4, down, host);
    refused({"attrsIndexes[1] is 4", "greater than attrsIndexes[0] (0)", "numBatches (4)"});
    four.batch.Attribute(0, down, host).Attribute(kNone, down, host);
    refused({"attrsIndexes[1] is " + std::to_string(kNone)});
    for (int type : {-1, 5, 100, std::numeric_limits<int>::min()}) {
        four.batch.Attribute(0, down, host).Attribute(3, At(type), host);
        refused({"attrs[1].dstLoc.type is " + std::to_string(type), "4"});
        four.batch.Attribute(0, down, At(type));
        refused({"attrs[0].srcLoc.type is " + std::to_string(type), "4"});
    }
    EXPECT_EQ(four.device.Download(), Bytes(4000, 1));
}

// All copies are checked before the first one runs, and the invalid one is named.
TEST_F(MemcpyBatchArguments, OneBadEntry) {
    for (size_t bad = 0; bad < 4; ++bad) {
        Four four;
        four.batch.Up();
        const std::string at = "[" + std::to_string(bad) + "]";
        auto refused = [&](aclError wanted, std::initializer_list<std::string> words) {
            for (const Batcher& batcher : Batchers())
                EXPECT_TRUE(FailedSaying(batcher.name, batcher.Run(four.batch, bad), wanted, words));
        };
        const Batch good = four.batch;
        four.batch.dsts[bad] = nullptr;
        refused(ACL_ERROR_INVALID_PARAM, {"dsts" + at + " is null", "sizes" + at + " is 1000"});
        four.batch = good;
        four.batch.srcs[bad] = nullptr;
        refused(ACL_ERROR_INVALID_PARAM, {"srcs" + at + " is null", "sizes" + at + " is 1000"});
        four.batch = good;
        four.batch.dest_maxs[bad] = 999;
        refused(ACL_ERROR_INVALID_PARAM, {"sizes" + at + " 1000", "destMaxs" + at + " 999"});
        four.batch = good;
        four.batch.dest_maxs[bad] = kNone;
        for (size_t size : {size_t{4000 + 4096}, kNone / 2, kNone}) {
            four.batch.sizes[bad] = size;
            refused(ACL_ERROR_RT_PARAM_INVALID,
                    {"dsts" + at, Shown(four.batch.dsts[bad]), std::to_string(size), "past the end"});
        }
        four.batch = good;
        // Freed memory is not host memory.
        void* freed = DeviceMemory(1000).Release();
        ACL_OK(aclrtFree(freed));
        four.batch.dsts[bad] = freed;
        refused(ACL_ERROR_RT_PARAM_INVALID, {"dsts" + at, Shown(freed)});
        EXPECT_EQ(four.device.Download(), Bytes(4000, 1));
    }
}

TEST_F(MemcpyBatchArguments, TooManyCopies) {
    Four four;
    four.batch.Up();
    Batch& b = four.batch;
    size_t index = 0;
    ACL_FAILS_SAYING(ACL_ERROR_BAD_ALLOC,
                     aclrtMemcpyBatch(b.dsts.data(), b.dest_maxs.data(), b.srcs.data(), b.sizes.data(), kNone,
                                      b.attrs.data(), b.attrs_indexes.data(), 1, &index),
                     "numBatches is " + std::to_string(kNone));
    EXPECT_EQ(index, kNone);
    ACL_FAILS_SAYING(ACL_ERROR_BAD_ALLOC,
                     aclrtMemcpyBatchAsyncV2(b.dsts.data(), b.dest_maxs.data(), b.srcs.data(), b.sizes.data(), kNone,
                                             b.attrs.data(), b.attrs_indexes.data(), kNone, nullptr),
                     "numAttrs is " + std::to_string(kNone));
    EXPECT_EQ(four.device.Download(), Bytes(4000, 1));
}

TEST_F(MemcpyBatchArguments, InvalidStreams) {
    Four four;
    four.batch.Up();
    aclrtStream dead = Stream().Release();
    ACL_OK(aclrtDestroyStream(dead));
    Event event;
    int local = 0;
    for (const Batcher& batcher : Batchers()) {
        if (!batcher.asynchronous) continue;
        for (aclrtStream stream :
             {dead, static_cast<aclrtStream>(&local), static_cast<aclrtStream>(static_cast<aclrtEvent>(event))}) {
            size_t index = 0;
            EXPECT_TRUE(FailedSaying(batcher.name, batcher.call(four.batch, &index, stream), ACL_ERROR_RT_PARAM_INVALID,
                                     {"stream"}));
            EXPECT_EQ(index, batcher.has_index ? kNone : 0);
        }
    }
    EXPECT_EQ(four.device.Download(), Bytes(4000, 1));
}

TEST_F(MemcpyBatchArguments, NeedsADeviceInThisThread) {
    Four four;
    four.batch.Up();
    OnNewThread([&] {
        for (const Batcher& batcher : Batchers())
            EXPECT_TRUE(Failed(batcher.name, batcher.Run(four.batch), ACL_ERROR_RT_CONTEXT_NULL));
    });
    EXPECT_EQ(four.device.Download(), Bytes(4000, 1));
    OnNewThread([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        for (const Batcher& batcher : Batchers()) EXPECT_TRUE(Returned(batcher.name, batcher.Run(four.batch), 0));
    });
    EXPECT_EQ(four.device.Download(), four.host);
}

TEST_F(MemcpyBatchArguments, RefusedInsideAHostFunction) {
    static Four* four;
    static aclError codes[4];
    Four memory;
    memory.batch.Up();
    four = &memory;
    const auto function = [](void*) {
        const std::vector<Batcher> batchers = Batchers();
        for (size_t i = 0; i < batchers.size(); ++i) codes[i] = batchers[i].Run(four->batch);
    };
    ACL_OK(aclrtLaunchHostFunc(nullptr, function, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    for (aclError code : codes) EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(memory.device.Download(), Bytes(4000, 1));
}

TEST_F(MemcpyBatchArguments, AfterFinalize) {
    void* device = DeviceMemory(100).Release();
    Bytes host(100, 1);
    Batch batch;
    batch.Add(device, host.data(), 100).Up();
    ACL_OK(aclFinalize());
    for (const Batcher& batcher : Batchers())
        EXPECT_TRUE(Failed(batcher.name, batcher.Run(batch), ACL_ERROR_RT_CONTEXT_NULL));
    ACL_OK(aclInit(nullptr));
}

}  // namespace
