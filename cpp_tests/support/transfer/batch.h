// The arrays of a batch of copies, and the four calls that take them.
#pragma once

#include <functional>
#include <limits>

#include "support/objects.h"

namespace portacl_test {

// The value of `failIndex` if no copy is the cause.
constexpr size_t kNone = std::numeric_limits<size_t>::max();

inline aclrtMemLocation At(int type, uint32_t id = 0) {
    aclrtMemLocation location;
    location.id = id;
    location.type = static_cast<aclrtMemLocationType>(type);
    return location;
}

inline aclrtMemLocation Host() {
    return At(ACL_MEM_LOCATION_TYPE_HOST);
}
inline aclrtMemLocation OnDevice0() {
    return At(ACL_MEM_LOCATION_TYPE_DEVICE, 0);
}

// The arguments of a call.
struct Batch {
    std::vector<void*> dsts, srcs;
    std::vector<size_t> dest_maxs, sizes, attrs_indexes;
    std::vector<aclrtMemcpyBatchAttr> attrs;

    Batch& Add(void* dst, const void* src, size_t size) { return Add(dst, size, src, size); }
    Batch& Add(void* dst, size_t room, const void* src, size_t size) {
        dsts.push_back(dst);
        dest_maxs.push_back(room);
        srcs.push_back(const_cast<void*>(src));
        sizes.push_back(size);
        return *this;
    }

    // Applies to the copies from number `first` on.
    Batch& Attribute(size_t first, aclrtMemLocation dst, aclrtMemLocation src) {
        // The reserved bytes may have any value.
        auto attribute = Poison<aclrtMemcpyBatchAttr>();
        attribute.dstLoc = dst;
        attribute.srcLoc = src;
        attrs.push_back(attribute);
        attrs_indexes.push_back(first);
        return *this;
    }
    Batch& Up() { return Attribute(0, OnDevice0(), Host()); }
    Batch& Down() { return Attribute(0, Host(), OnDevice0()); }
};

// The calls under one signature. `fail_index` keeps its pattern if the call has no such output.
struct Batcher {
    const char* name;
    bool asynchronous;
    bool has_index;
    std::function<aclError(Batch&, size_t* fail_index, aclrtStream)> call;

    // Calls on the default stream, waits for it, and checks the index.
    aclError Run(Batch& batch, size_t wanted_index = kNone) const {
        auto index = Poison<size_t>();
        aclError code = call(batch, &index, nullptr);
        if (has_index)
            EXPECT_EQ(index, wanted_index) << name;
        else
            EXPECT_TRUE(IsPoison(index));
        if (code == 0 && asynchronous) code = aclrtSynchronizeStream(nullptr);
        return code;
    }
};

inline std::vector<Batcher> Batchers() {
    return {{"aclrtMemcpyBatch", false, true,
             [](Batch& b, size_t* index, aclrtStream) {
                 return aclrtMemcpyBatch(b.dsts.data(), b.dest_maxs.data(), b.srcs.data(), b.sizes.data(),
                                         b.sizes.size(), b.attrs.data(), b.attrs_indexes.data(), b.attrs.size(), index);
             }},
            {"aclrtMemcpyBatchV2", false, false,
             [](Batch& b, size_t*, aclrtStream) {
                 return aclrtMemcpyBatchV2(b.dsts.data(), b.dest_maxs.data(), b.srcs.data(), b.sizes.data(),
                                           b.sizes.size(), b.attrs.data(), b.attrs_indexes.data(), b.attrs.size());
             }},
            {"aclrtMemcpyBatchAsync", true, true,
             [](Batch& b, size_t* index, aclrtStream stream) {
                 return aclrtMemcpyBatchAsync(b.dsts.data(), b.dest_maxs.data(), b.srcs.data(), b.sizes.data(),
                                              b.sizes.size(), b.attrs.data(), b.attrs_indexes.data(), b.attrs.size(),
                                              index, stream);
             }},
            {"aclrtMemcpyBatchAsyncV2", true, false, [](Batch& b, size_t*, aclrtStream stream) {
                 return aclrtMemcpyBatchAsyncV2(b.dsts.data(), b.dest_maxs.data(), b.srcs.data(), b.sizes.data(),
                                                b.sizes.size(), b.attrs.data(), b.attrs_indexes.data(), b.attrs.size(),
                                                stream);
             }}};
}

// Four valid copies.
struct Four {
    Four() : device(std::vector<unsigned char>(4000, 1)), host(Pattern(4000)) {
        for (size_t i = 0; i < 4; ++i) batch.Add(device.At(1000 * i), &host[1000 * i], 1000);
    }

    DeviceMemory device;
    std::vector<unsigned char> host;
    Batch batch;
};

}  // namespace portacl_test
