//! Data types, by their numbers in `aclDataType`.

/// Convert half precision from and to single precision.
pub use crate::algo::math::float::{from_half, to_half};

/// Returns the bytes of one element; 0 for types without a size in whole bytes (strings, types of less than 8 bits,
/// undefined) and for unknown numbers.
pub fn size(data_type: i32) -> usize {
    match data_type {
        // INT8, UINT8, BOOL, HIFLOAT8, FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E8M0
        2 | 4 | 12 | 34..=37 => 1,
        // FLOAT16, INT16, UINT16, BF16
        1 | 6 | 7 | 27 => 2,
        // FLOAT, INT32, UINT32, COMPLEX32
        0 | 3 | 8 | 33 => 4,
        // INT64, UINT64, DOUBLE, COMPLEX64
        9..=11 | 16 => 8,
        // COMPLEX128
        17 => 16,
        _ => 0,
    }
}
