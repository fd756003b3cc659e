// The counters of a pool.
#pragma once

#include <cstdint>

#include "support/pool/mem_pool.h"

namespace portacl_test {

struct Figures {
    uint64_t reserved, reserved_high, used, used_high;
};

inline Figures Ask(aclrtMemPool pool) {
    const Figures figures = {
        PoolAttribute(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT),
        PoolAttribute(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH),
        PoolAttribute(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT),
        PoolAttribute(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH),
    };
    EXPECT_LE(figures.used, figures.reserved);
    EXPECT_LE(figures.reserved, figures.reserved_high);
    EXPECT_LE(figures.used, figures.used_high);
    EXPECT_LE(figures.used_high, figures.reserved_high);
    return figures;
}

}  // namespace portacl_test
