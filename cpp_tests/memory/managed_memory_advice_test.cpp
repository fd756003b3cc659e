// Advice about managed memory, prefetches, and the attributes that queries return.

#include <limits>
#include <string>

#include "support/gate.h"
#include "support/memory/managed_memory.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using Bytes = std::vector<unsigned char>;

constexpr size_t kGrain = kManagedGrain;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

constexpr aclrtMemManagedLocation Place(int type, int id = 0) {
    return {static_cast<aclrtMemManagedLocationType>(type), id};
}

constexpr int kDevice = ACL_MEM_LOCATIONTYPE_DEVICE, kHost = ACL_MEM_LOCATIONTYPE_HOST;

// The numbers of an attribute.
std::vector<int32_t> Attribute(const void* at, size_t size, int attribute, size_t room = 1) {
    std::vector<int32_t> data(room, 77);
    ExpectOk("aclrtMemManagedGetAttr", aclrtMemManagedGetAttr(static_cast<aclrtMemManagedRangeAttribute>(attribute), at,
                                                              size, data.data(), room * sizeof(int32_t)));
    return data;
}

// Attributes of the second of three units of 2 MiB, and of all three.
class Advice : public WithDevice {
  protected:
    static aclError Advise(const void* at, size_t size, int advice, aclrtMemManagedLocation place) {
        return aclrtMemManagedAdvise(at, size, static_cast<aclrtMemManagedAdviseType>(advice), place);
    }
};

TEST_F(Advice, IsKeptForItsRange) {
    ManagedMemory managed(3 * kGrain, 1);
    const void *const all = managed.At(), *const second = managed.At(kGrain);
    EXPECT_EQ(Attribute(all, 3 * kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 0);
    ACL_OK(Advise(second, kGrain, ACL_MEM_ADVISE_SET_READ_MOSTLY, Place(99, -5)));
    EXPECT_EQ(Attribute(second, kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 1);
    EXPECT_EQ(Attribute(all, 3 * kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 0);
    ACL_OK(Advise(all, 3 * kGrain, ACL_MEM_ADVISE_SET_READ_MOSTLY, Place(0)));
    EXPECT_EQ(Attribute(all, 3 * kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 1);
    ACL_OK(Advise(second, kGrain, ACL_MEM_ADVISE_UNSET_READ_MOSTLY, Place(0)));
    EXPECT_EQ(Attribute(all, 2 * kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 0);
    EXPECT_EQ(Attribute(all, kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 1);
    EXPECT_TRUE(managed.Copy() == Bytes(3 * kGrain, 1));
}

TEST_F(Advice, PreferredLocation) {
    ManagedMemory managed(2 * kGrain);
    const auto reported = [&](size_t size) {
        std::vector<int32_t> all;
        for (int attribute :
             {ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE,
              ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID})
            all.push_back(Attribute(managed.At(), size, attribute)[0]);
        return all;
    };
    using Numbers = std::vector<int32_t>;
    EXPECT_EQ(reported(2 * kGrain), (Numbers{-2, 0, 0}));
    ACL_OK(Advise(managed.At(), kGrain, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, Place(kDevice, 0)));
    EXPECT_EQ(reported(kGrain), (Numbers{0, kDevice, 0}));
    EXPECT_EQ(reported(2 * kGrain), (Numbers{-2, 0, 0})) << "not all of it";
    ACL_OK(Advise(managed.At(), 2 * kGrain, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, Place(kHost, 5)));
    EXPECT_EQ(reported(2 * kGrain), (Numbers{-1, kHost, 0}));
    ACL_OK(Advise(managed.At(), 2 * kGrain, ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION, Place(0)));
    EXPECT_EQ(reported(2 * kGrain), (Numbers{-2, 0, 0}));
}

TEST_F(Advice, AccessedBy) {
    ManagedMemory managed(2 * kGrain);
    const auto reported = [&](size_t size, size_t room) {
        return Attribute(managed.At(), size, ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, room);
    };
    using Numbers = std::vector<int32_t>;
    EXPECT_EQ(reported(2 * kGrain, 2), (Numbers{-2, -2}));
    ACL_OK(Advise(managed.At(), 2 * kGrain, ACL_MEM_ADVISE_SET_ACCESSED_BY, Place(kDevice, 0)));
    ACL_OK(Advise(managed.At(), 2 * kGrain, ACL_MEM_ADVISE_SET_ACCESSED_BY, Place(kDevice, 0)));
    ACL_OK(Advise(managed.At(), kGrain, ACL_MEM_ADVISE_SET_ACCESSED_BY, Place(kHost)));
    EXPECT_EQ(reported(kGrain, 3), (Numbers{-1, 0, -2}));
    EXPECT_EQ(reported(2 * kGrain, 3), (Numbers{0, -2, -2}));
    EXPECT_EQ(reported(kGrain, 1), (Numbers{-1})) << "as many as there is room for";
    ACL_OK(Advise(managed.At(), kGrain, ACL_MEM_ADVISE_UNSET_ACCESSED_BY, Place(kDevice, 0)));
    EXPECT_EQ(reported(kGrain, 2), (Numbers{-1, -2}));
}

TEST_F(Advice, EndsWithTheMemory) {
    // The address may be allocated again.
    for (int round = 0; round < 3; ++round) {
        ManagedMemory managed(kGrain);
        EXPECT_EQ(Attribute(managed.At(), kGrain, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)[0], 0);
        ACL_OK(Advise(managed.At(), kGrain, ACL_MEM_ADVISE_SET_READ_MOSTLY, Place(0)));
    }
}

TEST_F(Advice, SeveralAttributes) {
    ManagedMemory managed(kGrain);
    ACL_OK(Advise(managed.At(), kGrain, ACL_MEM_ADVISE_SET_READ_MOSTLY, Place(0)));
    ACL_OK(Advise(managed.At(), kGrain, ACL_MEM_ADVISE_SET_ACCESSED_BY, Place(kHost)));
    aclrtMemManagedRangeAttribute which[] = {ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY};
    int32_t by[2] = {77, 77}, mostly = 77;
    void* data[] = {by, &mostly};
    size_t sizes[] = {sizeof by, sizeof mostly};
    ACL_OK(aclrtMemManagedGetAttrs(which, 2, managed.At(), kGrain, data, sizes));
    EXPECT_EQ(by[0], -1);
    EXPECT_EQ(by[1], -2);
    EXPECT_EQ(mostly, 1);
    // If one attribute is invalid, none is returned.
    by[0] = mostly = 77;
    sizes[1] = 2;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemManagedGetAttrs(which, 2, managed.At(), kGrain, data, sizes),
                     "dataSizes) is 2");
    sizes[1] = 4;
    data[1] = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemManagedGetAttrs(which, 2, managed.At(), kGrain, data, sizes),
                     "data[1]");
    data[1] = &mostly;
    for (const char* null : {"attributes", "data", "dataSizes"})
        EXPECT_TRUE(FailedSaying("aclrtMemManagedGetAttrs",
                                 aclrtMemManagedGetAttrs(*null == 'a' ? nullptr : which, 2, managed.At(), kGrain,
                                                         null == std::string("data") ? nullptr : data,
                                                         null == std::string("dataSizes") ? nullptr : sizes),
                                 ACL_ERROR_INVALID_PARAM, {null, "null"}));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemManagedGetAttrs(which, 0, managed.At(), kGrain, data, sizes),
                     "numAttributes");
    for (size_t many : {SIZE_MAX, SIZE_MAX / 16})
        ACL_FAILS_SAYING(ACL_ERROR_BAD_ALLOC, aclrtMemManagedGetAttrs(which, many, managed.At(), kGrain, data, sizes),
                         std::to_string(many));
    EXPECT_EQ(by[0], 77);
    EXPECT_EQ(mostly, 77);
}

// Every call reports an invalid range in the same way.
struct Ranged {
    const char* name;
    aclError (*call)(const void*, size_t);
};

const Ranged kRanged[] = {
    {"aclrtMemManagedAdvise",
     [](const void* at, size_t size) {
         return aclrtMemManagedAdvise(at, size, ACL_MEM_ADVISE_SET_READ_MOSTLY, Place(0));
     }},
    {"aclrtMemManagedGetAttr",
     [](const void* at, size_t size) {
         int32_t data = 0;
         return aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, at, size, &data, 4);
     }},
    {"aclrtMemManagedGetAttrs",
     [](const void* at, size_t size) {
         auto which = ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
         int32_t number = 0;
         void* data = &number;
         size_t room = 4;
         return aclrtMemManagedGetAttrs(&which, 1, at, size, &data, &room);
     }},
    {"aclrtMemManagedPrefetchAsync",
     [](const void* at, size_t size) { return aclrtMemManagedPrefetchAsync(at, size, Place(kHost), 0, nullptr); }},
    {"aclrtMemManagedPrefetchBatchAsync",
     [](const void* at, size_t size) {
         auto place = Place(kHost);
         size_t first = 0;
         return aclrtMemManagedPrefetchBatchAsync(&at, &size, 1, &place, &first, 1, 0, nullptr);
     }},
};

TEST_F(Advice, BadRanges) {
    ManagedMemory managed(2 * kGrain);
    DeviceMemory device(2 * kGrain);
    PinnedMemory pinned(2 * kGrain);
    void* gone = ManagedMemory(kGrain).Release();
    ACL_OK(aclrtFree(gone));
    const size_t most = std::numeric_limits<size_t>::max();
    for (const Ranged& one : kRanged) {
        SCOPED_TRACE(one.name);
        EXPECT_TRUE(FailedSaying(one.name, one.call(nullptr, kGrain), ACL_ERROR_INVALID_PARAM,
                                 {"null", "aclrtMemAllocManaged"}));
        for (size_t size : {size_t{0}, size_t{1}, kGrain + 1, most})
            EXPECT_TRUE(FailedSaying(one.name, one.call(managed.At(), size), ACL_ERROR_INVALID_PARAM,
                                     {std::to_string(size), std::to_string(kGrain)}));
        EXPECT_TRUE(FailedSaying(one.name, one.call(managed.At(4096), kGrain), ACL_ERROR_RT_ADDR_UNALIGNED,
                                 {Shown(managed.At(4096))}));
        for (size_t size : {2 * kGrain, most - kGrain + 1})
            EXPECT_TRUE(FailedSaying(one.name, one.call(managed.At(kGrain), size), kDead,
                                     {Shown(managed.At(kGrain)), std::to_string(size)}));
        for (void* other : {device.At(), gone})
            EXPECT_TRUE(FailedSaying(one.name, one.call(other, kGrain), kDead, {Shown(other)}));
        EXPECT_TRUE(Returned(one.name, one.call(managed.At(), 2 * kGrain), 0));
        if (std::string(one.name).find("Prefetch") == std::string::npos)
            OnNewThread([&] { EXPECT_TRUE(Returned(one.name, one.call(managed.At(), 2 * kGrain), 0)); });
    }
}

TEST_F(Advice, BadArguments) {
    ManagedMemory managed(kGrain);
    const auto fails = [&](aclError code, int advice, aclrtMemManagedLocation place,
                           std::initializer_list<std::string> words) {
        EXPECT_TRUE(FailedSaying("aclrtMemManagedAdvise", Advise(managed.At(), kGrain, advice, place), code, words));
    };
    for (int advice : {-1, 6, std::numeric_limits<int>::max()})
        fails(ACL_ERROR_INVALID_PARAM, advice, Place(kHost), {"advise is", "0 to 5"});
    for (int type : {0, 5, -1})
        fails(ACL_ERROR_INVALID_PARAM, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, Place(type), {"type of location is"});
    fails(ACL_ERROR_INVALID_PARAM, ACL_MEM_ADVISE_SET_ACCESSED_BY, Place(ACL_MEM_LOCATIONTYPE_HOST_NUMA),
          {"type of location is 3"});
    fails(ACL_ERROR_INVALID_PARAM, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, Place(ACL_MEM_LOCATIONTYPE_HOST_NUMA, -1),
          {"id of location is -1"});
    for (int id : {-1, 1000})
        fails(ACL_ERROR_RT_INVALID_DEVICEID, ACL_MEM_ADVISE_SET_ACCESSED_BY, Place(kDevice, id),
              {"location", std::to_string(id)});
    int32_t data[2] = {77, 77};
    for (int attribute : {0, 9, -1})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemManagedGetAttr(static_cast<aclrtMemManagedRangeAttribute>(attribute), managed.At(),
                                                kGrain, data, 4),
                         "attribute is", "1 to 8");
    for (size_t room : {size_t{0}, size_t{3}, size_t{8}})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed.At(), kGrain, data, room),
                         "dataSizes) is", std::to_string(room));
    for (size_t room : {size_t{0}, size_t{6}})
        ACL_FAILS(ACL_ERROR_INVALID_PARAM,
                  aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, managed.At(), kGrain, data, room));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed.At(), kGrain, nullptr, 4),
                     "data", "null");
    EXPECT_EQ(data[0], 77);
}

TEST_F(Advice, RefusedInsideAHostFunction) {
    struct AdviceCalls {
        void* memory;
        std::vector<aclError> codes;
    };
    ManagedMemory managed(kGrain);
    auto* state = MakeImmortal<AdviceCalls>();
    state->memory = managed.At();
    ACL_OK(aclrtLaunchHostFunc(
        nullptr,
        [](void* argument) {
            auto* state = static_cast<AdviceCalls*>(argument);
            void* none = nullptr;
            state->codes.push_back(aclrtMemAllocManaged(&none, 1, ACL_RT_MEM_ATTACH_GLOBAL));
            for (const Ranged& one : kRanged) state->codes.push_back(one.call(state->memory, kGrain));
        },
        state));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(state->codes, std::vector<aclError>(6, kDead));
}

class Prefetch : public WithDevice {};

TEST_F(Prefetch, IsKeptAndInStreamOrder) {
    ManagedMemory managed(2 * kGrain, 1);
    Stream stream;
    const auto last = [&](size_t size) {
        std::vector<int32_t> all;
        for (int attribute :
             {ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
              ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID})
            all.push_back(Attribute(managed.At(), size, attribute)[0]);
        return all;
    };
    using Numbers = std::vector<int32_t>;
    EXPECT_EQ(last(2 * kGrain), (Numbers{-2, 0, 0}));
    ACL_OK(aclrtMemManagedPrefetchAsync(managed.At(), 2 * kGrain, Place(kDevice, 0), 0, stream));
    EXPECT_EQ(last(2 * kGrain), (Numbers{0, kDevice, 0}));
    ACL_OK(aclrtMemsetAsync(managed.At(), 2 * kGrain, 5, 2 * kGrain, stream));
    ACL_OK(aclrtMemManagedPrefetchAsync(managed.At(), kGrain, Place(kHost), 0, stream));
    EXPECT_EQ(last(kGrain), (Numbers{-1, kHost, 0}));
    EXPECT_EQ(last(2 * kGrain), (Numbers{-2, 0, 0}));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(managed.Copy() == Bytes(2 * kGrain, 5));
    // Freed while the prefetch is pending.
    Gate gate;
    ACL_OK(gate.Hold(stream));
    void* address = ManagedMemory(kGrain).Release();
    ACL_OK(aclrtMemManagedPrefetchAsync(address, kGrain, Place(kDevice, 0), 0, stream));
    ACL_OK(aclrtFree(address));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(Prefetch, Batch) {
    ManagedMemory managed(4 * kGrain, 1);
    const void* at[] = {managed.At(), managed.At(kGrain), managed.At(2 * kGrain)};
    size_t sizes[] = {kGrain, kGrain, 2 * kGrain};
    aclrtMemManagedLocation places[] = {Place(kDevice, 0), Place(kHost)};
    size_t firsts[] = {0, 2};
    ACL_OK(aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, places, firsts, 2, 0, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    const int kLast = ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
    EXPECT_EQ(Attribute(managed.At(), 2 * kGrain, kLast)[0], 0);
    EXPECT_EQ(Attribute(managed.At(2 * kGrain), 2 * kGrain, kLast)[0], -1);

    // The whole batch is checked before any of it is submitted.
    ManagedMemory fresh(kGrain);
    const void* good_and_bad[] = {fresh.At(), fresh.At(), nullptr};
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemManagedPrefetchBatchAsync(good_and_bad, sizes, 3, places, firsts, 2, 0, nullptr),
                     "ptrs[2]");
    places[1] = Place(kDevice, 1000);
    at[0] = at[1] = at[2] = fresh.At();
    ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID,
                     aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, places, firsts, 2, 0, nullptr), "prefetchLocs[1]",
                     "1000");
    EXPECT_EQ(Attribute(fresh.At(), kGrain, kLast)[0], -2);
    places[1] = Place(kHost);
    for (auto wrong : {std::pair<size_t, size_t>{1, 2}, {0, 0}, {0, 3}}) {
        size_t bad[] = {wrong.first, wrong.second};
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, places, bad, 2, 0, nullptr),
                         "prefetchLocIdxs");
    }
    for (size_t count : {size_t{0}, size_t{4}})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, places, firsts, count, 0, nullptr),
                         "numPrefetchLocs");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemManagedPrefetchBatchAsync(at, sizes, 0, places, firsts, 1, 0, nullptr), "count is 0");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, places, firsts, 2, 1, nullptr), "flags is 0x1");
    EXPECT_TRUE(FailedSaying("aclrtMemManagedPrefetchBatchAsync",
                             aclrtMemManagedPrefetchBatchAsync(nullptr, sizes, 3, places, firsts, 2, 0, nullptr),
                             ACL_ERROR_INVALID_PARAM, {"ptrs is null"}));
    EXPECT_TRUE(FailedSaying("aclrtMemManagedPrefetchBatchAsync",
                             aclrtMemManagedPrefetchBatchAsync(at, nullptr, 3, places, firsts, 2, 0, nullptr),
                             ACL_ERROR_INVALID_PARAM, {"sizes is null"}));
    EXPECT_TRUE(FailedSaying("aclrtMemManagedPrefetchBatchAsync",
                             aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, nullptr, firsts, 2, 0, nullptr),
                             ACL_ERROR_INVALID_PARAM, {"prefetchLocs is null"}));
    EXPECT_TRUE(FailedSaying("aclrtMemManagedPrefetchBatchAsync",
                             aclrtMemManagedPrefetchBatchAsync(at, sizes, 3, places, nullptr, 2, 0, nullptr),
                             ACL_ERROR_INVALID_PARAM, {"prefetchLocIdxs is null"}));
}

TEST_F(Prefetch, BadArguments) {
    ManagedMemory managed(kGrain);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemManagedPrefetchAsync(managed.At(), kGrain, Place(kHost), 4, nullptr), "flags is 0x4");
    for (int type : {0, 5})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemManagedPrefetchAsync(managed.At(), kGrain, Place(type), 0, nullptr),
                         "type of location is");
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID,
              aclrtMemManagedPrefetchAsync(managed.At(), kGrain, Place(kDevice, 99), 0, nullptr));
    aclrtStream dead = Stream().Release();
    ACL_OK(aclrtDestroyStream(dead));
    Event event;
    for (aclrtStream wrong : {dead, reinterpret_cast<aclrtStream>(uintptr_t{0x1234}),
                              static_cast<aclrtStream>(static_cast<aclrtEvent>(event))})
        ACL_FAILS(kDead, aclrtMemManagedPrefetchAsync(managed.At(), kGrain, Place(kHost), 0, wrong));
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL,
                  aclrtMemManagedPrefetchAsync(managed.At(), kGrain, Place(kHost), 0, nullptr));
    });
    EXPECT_EQ(Attribute(managed.At(), kGrain, ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION)[0], -2);
}

}  // namespace
