// Pools of locations in tests.
#pragma once

#include <vector>

#include "support/pool/mem_pool.h"

namespace portacl_test {

using Bytes = std::vector<unsigned char>;

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM, kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr int kPinned = ACL_MEM_ALLOCATION_TYPE_PINNED, kManaged = PORTACL_MEM_ALLOCATION_TYPE_MANAGED;
constexpr int kDevice = ACL_MEM_LOCATION_TYPE_DEVICE, kHost = ACL_MEM_LOCATION_TYPE_HOST,
              kNode = ACL_MEM_LOCATION_TYPE_HOST_NUMA, kNearest = PORTACL_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
              kAnywhere = ACL_MEM_LOCATION_TYPE_MANAGED;

inline aclrtMemAllocationType Type(int type) {
    return static_cast<aclrtMemAllocationType>(type);
}

inline aclrtMemLocation LocationAt(int type, uint32_t id = 0) {
    return {id, static_cast<aclrtMemLocationType>(type)};
}

inline uint64_t Support(portaclMemPoolSupport what) {
    uint64_t value = 0;
    ACL_EXPECT_OK(portaclDeviceGetMemPoolSupport(0, what, &value));
    return value;
}

inline bool HasManaged() {
    return Support(PORTACL_MEM_POOL_SUPPORT_MANAGED) != 0;
}

inline aclrtMemPool Default(int location, int type, uint32_t id = 0) {
    auto pool = aclrtMemPool{};
    const aclrtMemLocation place = LocationAt(location, id);
    ACL_EXPECT_OK(portaclMemGetDefaultMemPool(&pool, &place, Type(type)));
    return pool;
}

inline aclrtMemPool Current(int location, int type, uint32_t id = 0) {
    auto pool = aclrtMemPool{};
    const aclrtMemLocation place = LocationAt(location, id);
    ACL_EXPECT_OK(portaclMemGetMemPool(&pool, &place, Type(type)));
    return pool;
}

inline uint64_t Property(aclrtMemPool pool, portaclMemPoolProperty what) {
    auto value = Poison<uint64_t>();
    ACL_EXPECT_OK(portaclMemPoolGetProperty(pool, what, &value));
    return value;
}

inline aclrtMemPoolProps Props(int location, int type) {
    aclrtMemPoolProps props = PoolProps();
    props.allocType = Type(type);
    props.location = LocationAt(location);
    return props;
}

inline portaclMemPoolProps SizedProps(int location = kDevice, int type = kPinned) {
    portaclMemPoolProps props{};
    props.size = sizeof props;
    props.allocType = Type(type);
    props.location = LocationAt(location);
    return props;
}

}  // namespace portacl_test
