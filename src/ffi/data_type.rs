//! Data types: sizes and conversions.

use std::mem::MaybeUninit;

use crate::core::error::Error;
use crate::ffi::guard::guard_value;
use crate::ffi::types::{aclDataType, aclFloat16};

/// The size of a data type in bytes, 0 if it has none.
///
/// @return 0; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclDataTypeSize(dataType: MaybeUninit<aclDataType>) -> usize {
    guard_value("aclDataTypeSize", 0, || {
        Err(Error::unsupported("sizes of data types are not available; use a table in the program"))
    })
}

/// Converts half precision to single precision.
///
/// @return 0; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFloat16ToFloat(value: aclFloat16) -> f32 {
    guard_value("aclFloat16ToFloat", 0.0, || {
        Err(Error::unsupported("conversions are not available; convert in the program"))
    })
}

/// Converts single precision to half precision, to nearest even.
///
/// @return 0; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFloatToFloat16(value: f32) -> aclFloat16 {
    guard_value("aclFloatToFloat16", 0, || {
        Err(Error::unsupported("conversions are not available; convert in the program"))
    })
}
