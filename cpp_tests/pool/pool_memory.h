// Where the memory of pools is, and whether an address is memory of a pool.
#pragma once

#include "support/pool/mem_pool.h"

namespace portacl_test {

// Properties of a pool at a location.
inline aclrtMemPoolProps PropsAt(int type, uint32_t id) {
    aclrtMemPoolProps props = PoolProps();
    props.location.type = static_cast<aclrtMemLocationType>(type);
    props.location.id = id;
    return props;
}

// The attributes of a pool's memory.
inline void ExpectKnown(void* memory, size_t size, int type, uint32_t id) {
    auto reported = Poison<aclrtPtrAttributes>();
    ACL_OK(aclrtPointerGetAttributes(static_cast<char*>(memory) + size - 1, &reported));
    EXPECT_EQ(reported.location.type, type);
    EXPECT_EQ(reported.location.id, id);
    void* base = nullptr;
    size_t length = 0;
    ACL_OK(aclrtMemGetAddressRange(static_cast<char*>(memory) + size - 1, &base, &length));
    EXPECT_EQ(base, memory);
    EXPECT_GE(length, size);
}

// No allocation has this address any more.
inline void ExpectUnknown(void* memory) {
    constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
    void* base = nullptr;
    size_t length = 0;
    ACL_FAILS(kDead, aclrtMemGetAddressRange(memory, &base, &length));
    ACL_FAILS(kDead, aclrtMemset(memory, 1, 0, 1));
    ACL_FAILS(kDead, aclrtFree(memory));
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(memory, nullptr));
}

}  // namespace portacl_test
