//! Converts short floating point numbers from and to single precision, without branches. The compiler vectorizes loops
//! over these functions, which is several times as fast as converting one by one. The tests compare them with the
//! `half` crate.

/// 1.0 times 2 to the power of -14, the smallest normal half, in single precision.
const SMALLEST_NORMAL_HALF: u32 = 113 << 23;

/// Converts a half (its bits) to single precision.
#[inline(always)]
pub fn from_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    // Exponent and mantissa move to the places that a single has for them.
    let magnitude = u32::from(half & 0x7fff) << 13;
    let normal = magnitude + (112 << 23);
    let infinite_or_nan = magnitude + (224 << 23);
    // With the smallest normal's exponent the mantissa gets its leading one, which is subtracted exactly.
    let lifted = f32::from_bits(magnitude + SMALLEST_NORMAL_HALF);
    let subnormal = (lifted - f32::from_bits(SMALLEST_NORMAL_HALF)).to_bits();
    let magnitude = if magnitude >= 31 << 23 {
        infinite_or_nan
    } else if magnitude < 1 << 23 {
        subnormal
    } else {
        normal
    };
    f32::from_bits(sign | magnitude)
}

/// Converts a single to a half (its bits), rounded to nearest even.
#[inline(always)]
pub fn to_half(single: f32) -> u16 {
    const HALF_INFINITY: u32 = 0x7c00;
    const HALF_NAN: u32 = 0x7e00;
    /// A number near which the last bit of a single is worth as much as the last bit of a subnormal half.
    const ALIGNER: f32 = 0.5;
    let bits = single.to_bits();
    let sign = bits >> 16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    let odd = magnitude >> 13 & 1;
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
    let aligned = f32::from_bits(magnitude) + ALIGNER;
    let subnormal = aligned.to_bits().wrapping_sub(ALIGNER.to_bits());
    let special = if single.is_nan() { HALF_NAN } else { HALF_INFINITY };
    let magnitude = if magnitude >= 143 << 23 {
        special
    } else if magnitude < SMALLEST_NORMAL_HALF {
        subnormal
    } else {
        normal
    };
    (sign | magnitude) as u16
}

/// Converts a brain float (its bits) to single precision.
pub fn from_brain(brain: u16) -> f32 {
    f32::from_bits(u32::from(brain) << 16)
}

/// Converts a single to a brain float (its bits), rounded to nearest even.
#[inline]
pub fn to_brain(single: f32) -> u16 {
    let bits = single.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    let quiet_nan = bits >> 16 | 0x40;
    (if single.is_nan() { quiet_nan } else { rounded }) as u16
}

#[cfg(test)]
#[path = "float_tests.rs"]
mod tests;
