/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Reductions of one range of device memory into another.
 */

#ifndef PORTACL_REDUCE_HPP
#define PORTACL_REDUCE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "span.hpp"
#include "stream.hpp"

namespace portacl {

/** The type of the C API for a C++ type. Specialize it for the program's own type of half precision, with `value`
 * ACL_FLOAT16, or ACL_BF16 for bfloat16. @tparam T the type. */
template <typename T>
struct DataType {
    /** The enumerator. */
    static constexpr aclDataType value = ACL_DT_UNDEFINED;
};
/** 8 bits, with a sign. */
template <>
struct DataType<std::int8_t> {
    /** The enumerator. */
    static constexpr aclDataType value = ACL_INT8;
};
/** 16 bits, with a sign. */
template <>
struct DataType<std::int16_t> {
    /** The enumerator. */
    static constexpr aclDataType value = ACL_INT16;
};
/** 32 bits, with a sign. */
template <>
struct DataType<std::int32_t> {
    /** The enumerator. */
    static constexpr aclDataType value = ACL_INT32;
};
/** Single precision. */
template <>
struct DataType<float> {
    /** The enumerator. */
    static constexpr aclDataType value = ACL_FLOAT;
};

/** How two elements become one. */
enum class Reduction {
    /** Their sum; integers wrap around. */
    sum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
    /** The greater one; a number wins over a NaN. */
    max = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX,
    /** The smaller one; a number wins over a NaN. */
    min = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN,
};

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_reduction(std::size_t dst, std::size_t src,
                                                                    SourceLocation where) {
    throw Error(ACL_ERROR_INVALID_PARAM,
                "portacl::reduce_async: dst.size() is " + std::to_string(dst) + "; allowed: at least src.size(), " +
                    std::to_string(src) + ". Pass a larger dst, or a subspan of src",
                where);
}

template <typename T, typename U>
void reduce_async(DeviceSpan<T> dst, DeviceSpan<U> src, Reduction how, StreamRef stream, SourceLocation where) {
    static_assert(!std::is_const_v<T>, "the destination is read only");
    static_assert(std::is_same_v<T, std::remove_const_t<U>>, "the operands have elements of different types");
    static_assert(DataType<T>::value != ACL_DT_UNDEFINED,
                  "elements are int8_t, int16_t, int32_t, float, or a type with a specialization of portacl::DataType");
    if (dst.size() < src.size()) refuse_reduction(dst.size(), src.size(), where);
    check(aclrtReduceAsync(dst.data(), src.data(), src.size_bytes(), static_cast<aclrtReduceKind>(how),
                           DataType<T>::value, stream.get(), nullptr),
          where);
}

}  // namespace detail

/**
 * Enqueues dst[i] = how(dst[i], src[i]) for each element of the source. Both are a DeviceBuffer, AsyncBuffer or
 * DeviceSpan.
 *
 * @param dst one operand, and the result: at least as many elements, of the same type.
 * @param src the other operand.
 * @param how sum, maximum or minimum.
 * @param stream the stream; null: the default stream.
 * @param where the source location of the call.
 */
template <typename Dst, typename Src>
void reduce_async(const Dst& dst, const Src& src, Reduction how, StreamRef stream,
                  SourceLocation where = SourceLocation::current()) {
    detail::reduce_async(view(dst), view(src), how, stream, where);
}

}  // namespace portacl

#endif /* PORTACL_REDUCE_HPP */
