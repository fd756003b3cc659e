use half::{bf16, f16};

use super::*;

fn check(value: f32, result: u16, expected: u16, is_nan: bool) {
    // For a NaN only the class is compared.
    assert!(result == expected || is_nan, "{value:e}: {result:#x} instead of {expected:#x}");
}

fn check_both(value: f32) {
    let (half, brain) = (f16::from_bits(to_half(value)), bf16::from_bits(to_brain(value)));
    assert!(half.is_nan() == value.is_nan() && brain.is_nan() == value.is_nan(), "{value:e}");
    check(value, half.to_bits(), f16::from_f32(value).to_bits(), value.is_nan());
    check(value, brain.to_bits(), bf16::from_f32(value).to_bits(), value.is_nan());
}

/// Returns every short number, or under Miri some of each exponent.
fn short_numbers() -> impl Iterator<Item = u16> {
    (0..=u16::MAX).step_by(if cfg!(miri) { 61 } else { 1 })
}

#[test]
fn all_short_numbers_widen_exactly() {
    for bits in short_numbers() {
        let (half, brain) = (f16::from_bits(bits), bf16::from_bits(bits));
        for (wide, expected) in [(from_half(bits), half.to_f32()), (from_brain(bits), brain.to_f32())] {
            let same = wide.to_bits() == expected.to_bits();
            assert!(same || wide.is_nan() && expected.is_nan(), "{bits:#x}: {wide}");
        }
    }
}

#[test]
fn singles_round_to_nearest_even() {
    // The values are near every short number and every midpoint between two.
    for bits in short_numbers() {
        for lower in [0u32, 1, 0x7fff, 0x8000, 0x8001, 0xffff] {
            check_both(f32::from_bits(u32::from(bits) << 16 | lower));
        }
        let half = from_half(bits).to_bits();
        for offset in [0, 1, 0xfff, 0x1000, 0x1001, 0x1fff] {
            check_both(f32::from_bits(half.wrapping_add(offset)));
        }
    }
}
