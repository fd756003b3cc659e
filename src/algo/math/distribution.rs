//! Converts random words to random numbers of a distribution. It uses only additions, multiplications, divisions and
//! square roots, each rounded once, so that all machines compute the same bits, as `cuda/kernels/random_num.cu`
//! does.

#![allow(clippy::excessive_precision, reason = "the coefficients are written as they were published")]

/// The distance from the mean, in standard deviations, at which truncated normal numbers end.
pub const TRUNCATED_AT: f32 = 2.0;

/// Returns the number below which words are bits that are dropped.
pub fn dropped_below(ratio: f32) -> u64 {
    // This is exact, because the factor is a power of two. For 0 no word is less. NaN counts as 1; other values are
    // clamped.
    (ratio.min(1.0) * 4_294_967_296.0) as u64
}

/// Returns a number in [0, 1) with 24 bits.
pub fn unit(word: u32) -> f32 {
    (word >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Maps a number in [0, 1) to a range.
pub fn between(unit: f32, min: f32, max: f32) -> f32 {
    min + (max - min) * unit
}

/// Returns a whole number less than `range`, and 0 for 0. It is uniform to within 2 to the -32.
pub fn below_32(words: [u32; 2], range: u32) -> u32 {
    below_64([0, 0, words[0], words[1]], range.into()) as u32
}

/// Returns a whole number less than `range`, and 0 for 0. It is uniform to within 2 to the -64.
#[inline]
pub fn below_64(words: [u32; 4], range: u64) -> u64 {
    let pair = |low, high| u128::from(words[low]) | u128::from(words[high]) << 32;
    let (low, high) = (pair(0, 1), pair(2, 3));
    let range = u128::from(range);
    ((high * range + ((low * range) >> 64)) >> 64) as u64
}

/// Returns a number of the standard normal distribution.
#[inline]
pub fn normal(word: u32) -> f32 {
    with_sign(word, upper_quantile(half_unit(word)))
}

/// Returns a number of that distribution, truncated at [`TRUNCATED_AT`].
#[inline]
pub fn truncated_normal(word: u32) -> f32 {
    /// The share of the normal distribution below -2.
    const BELOW: f32 = 0.022_750_132;
    const INSIDE: f32 = 0.954_499_74;
    let magnitude = upper_quantile(BELOW + INSIDE * half_unit(word));
    with_sign(word, if magnitude > TRUNCATED_AT { TRUNCATED_AT } else { magnitude })
}

/// Returns a number in (0, 0.5] with 31 bits, as far as single precision has them.
fn half_unit(word: u32) -> f32 {
    ((word & 0x7fff_ffff) as f32 + 0.5) * (1.0 / 4_294_967_296.0)
}

/// Returns the magnitude with the highest bit of the word as the sign.
fn with_sign(word: u32, magnitude: f32) -> f32 {
    f32::from_bits(magnitude.to_bits() | word & 0x8000_0000)
}

/// Returns the value that a normal number exceeds with this probability, from 2 to the -33 to a half, to about seven
/// digits: M. Wichura, "Algorithm AS 241: the percentage points of the normal distribution" (1988), PPND7.
#[inline]
fn upper_quantile(probability: f32) -> f32 {
    let q = 0.5 - probability;
    if q <= 0.425 {
        let r = 0.180625 - q * q;
        let above = ((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179;
        let below = ((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1.0;
        return q * above / below;
    }
    let r = minus_ln(probability).sqrt() - 1.6;
    let above = ((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777;
    let below = (0.12021132975 * r + 0.73700164250) * r + 1.0;
    above / below
}

/// Returns minus the natural logarithm of a normal number less than 1: the logarithm of the power of two, and twice the
/// series of the inverse hyperbolic tangent for the rest, from the square root of a half to that of two.
#[inline]
fn minus_ln(x: f32) -> f32 {
    const SQRT_2_BITS: u32 = 0x3fb5_04f3;
    const ONE_BITS: u32 = 0x3f80_0000;
    let bits = x.to_bits();
    let fraction = bits & 0x007f_ffff | ONE_BITS;
    let is_large = u32::from(fraction > SQRT_2_BITS);
    let power = (bits >> 23) as i32 - 127 + is_large as i32;
    let rest = f32::from_bits(fraction - (is_large << 23)) - 1.0;
    let s = rest / (rest + 2.0);
    let z = s * s;
    let series = ((z * (1.0 / 9.0) + 1.0 / 7.0) * z + 1.0 / 5.0) * z + 1.0 / 3.0;
    let ln = (s * z * series + s) * 2.0;
    -(power as f32 * std::f32::consts::LN_2 + ln)
}

#[cfg(test)]
#[path = "distribution_tests.rs"]
mod tests;
