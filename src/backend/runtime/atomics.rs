//! Atomic operations of kernels.

/// On signed numbers. This and the others are bits of the result of [`crate::backend::Driver::atomics`].
pub const SIGNED: u32 = 1;
/// On unsigned numbers.
pub const UNSIGNED: u32 = 2;
/// Without the old value as a result.
pub const REDUCTION: u32 = 4;
/// On 8 bits.
pub const SCALAR_8: u32 = 8;
/// On 16 bits.
pub const SCALAR_16: u32 = 16;
/// On 32 bits.
pub const SCALAR_32: u32 = 32;
/// On 64 bits.
pub const SCALAR_64: u32 = 64;
/// On 128 bits.
pub const SCALAR_128: u32 = 128;
/// On four times 32 bits.
pub const VECTOR_32X4: u32 = 256;

/// The first operation on floating-point numbers.
pub const FLOAT_ADD: u32 = 10;
