//! Data types: sizes and conversions.

use std::mem::MaybeUninit;

use crate::base::{enum_value, guard_value_anywhere};
use crate::core::transfer::data_type;
use crate::types::{aclDataType, aclFloat16};

/// Returns the size of an element of a type. Works at any time, also in a forked child.
///
/// @param dataType an aclDataType.
/// @return bytes; 0 for types without a size in whole bytes (ACL_DT_UNDEFINED, ACL_STRING, types of less than 8 bits)
///     and for any other number, which is not a failure.
/// @note Thread-safe. Follows aclDataTypeSize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclDataTypeSize(dataType: MaybeUninit<aclDataType>) -> usize {
    guard_value_anywhere("aclDataTypeSize", 0, || Ok(data_type::size(enum_value(dataType))))
}

/// Converts half precision to single precision, exactly; a NaN stays a NaN. Works at any time, also in a forked child.
///
/// @param value the bits of an IEEE 754 half-precision number.
/// @return the same number.
/// @note Thread-safe. Follows aclFloat16ToFloat of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFloat16ToFloat(value: aclFloat16) -> f32 {
    guard_value_anywhere("aclFloat16ToFloat", 0.0, || Ok(data_type::from_half(value)))
}

/// Converts single precision to half precision, rounded to nearest even, with the same sign. Magnitudes from 65520 on
/// become infinite, those below 2 to the power of -14 a multiple of 2 to the power of -24; a NaN stays a NaN. Works at
/// any time, also in a forked child.
///
/// @param value a number.
/// @return the bits of an IEEE 754 half-precision number.
/// @note Thread-safe. Follows aclFloatToFloat16 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFloatToFloat16(value: f32) -> aclFloat16 {
    guard_value_anywhere("aclFloatToFloat16", 0, || Ok(data_type::to_half(value)))
}
