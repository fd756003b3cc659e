//! Bits and numbers of the atomic operations of kernels.

/// The operation works on signed numbers. This and the others are bits of the result of
/// [`crate::Driver::atomics`].
pub const SIGNED: u32 = 1;
/// The operation works on unsigned numbers.
pub const UNSIGNED: u32 = 2;
/// The operation works without the old value as a result.
pub const REDUCTION: u32 = 4;
/// The operation works on 8 bits.
pub const SCALAR_8: u32 = 8;
/// The operation works on 16 bits.
pub const SCALAR_16: u32 = 16;
/// The operation works on 32 bits.
pub const SCALAR_32: u32 = 32;
/// The operation works on 64 bits.
pub const SCALAR_64: u32 = 64;
/// The operation works on 128 bits.
pub const SCALAR_128: u32 = 128;
/// The operation works on four times 32 bits.
pub const VECTOR_32X4: u32 = 256;

/// The number of the first operation on floating-point numbers.
pub const FLOAT_ADD: u32 = 10;
