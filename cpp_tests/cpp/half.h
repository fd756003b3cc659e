// A program's own type of half precision, in reductions of portacl.hpp.
#pragma once

#include <portacl/portacl.hpp>

#include <cstdint>

namespace portacl_test {

struct Half {
    std::uint16_t bits;
};

}  // namespace portacl_test

template <>
struct portacl::DataType<portacl_test::Half> {
    static constexpr aclDataType value = ACL_FLOAT16;
};
