//! Reduces memory. The compiler vectorizes these loops.

use crate::algo::math::float::{from_brain, from_half, to_brain, to_half};
use crate::backend::{Element, Reduce, ReduceOp};
use crate::runtime::shared::Shared;
use crate::transfer::memcpy::{in_shares, part};

/// Runs a reduction, in parts if it is large.
pub(crate) fn reduce(shared: &Shared, job: &Reduce) {
    // Parts end at multiples of a power of two, so an aligned element is never cut.
    in_shares(shared, &job.dst, &|dst, offset, len| {
        let src = shared.pointer(&part(&job.src, offset, len)).cast_const();
        // SAFETY: the core checked both ranges and their alignment; this piece lies inside them.
        unsafe { reduce_bytes(dst, src, len, job.op, job.element) };
    });
}

/// Reduces `len` bytes at `src` into those at `dst`.
///
/// # Safety
/// Both ranges are readable, `dst` is writable, both are aligned to the element and a whole number
/// of elements long, and they are the same or do not overlap.
unsafe fn reduce_bytes(dst: *mut u8, src: *const u8, len: usize, op: ReduceOp, element: Element) {
    let count = len / element.size();
    macro_rules! reduce {
        ($sum:expr, $max:expr, $min:expr) => {
            match op {
                ReduceOp::Sum => each(dst.cast(), src.cast(), count, $sum),
                ReduceOp::Max => each(dst.cast(), src.cast(), count, $max),
                ReduceOp::Min => each(dst.cast(), src.cast(), count, $min),
            }
        };
    }
    // These elements have 16 bits and are computed in single precision.
    macro_rules! short {
        ($widen:ident, $narrow:ident) => {{
            let sum = |a, b| $narrow($widen(a) + $widen(b));
            let larger = |a, b| $narrow(max($widen(a), $widen(b)));
            let smaller = |a, b| $narrow(min($widen(a), $widen(b)));
            reduce!(sum, larger, smaller)
        }};
    }
    // SAFETY: the caller vouches for both ranges, with elements of the type that the match chooses.
    unsafe {
        match element {
            Element::Int8 => reduce!(i8::wrapping_add, i8::max, i8::min),
            Element::Int16 => reduce!(i16::wrapping_add, i16::max, i16::min),
            Element::Int32 => reduce!(i32::wrapping_add, i32::max, i32::min),
            Element::Float32 => reduce!(|a: f32, b| a + b, max, min),
            Element::BFloat16 => short!(from_brain, to_brain),
            // A sum of two halves that was rounded to single precision rounds to the same half as the exact sum: 24
            // bits are at least twice 11 and two. The same is true of brain floats.
            Element::Float16 => short!(from_half, to_half),
        }
    }
}

/// Applies `f` to each pair.
///
/// # Safety
/// As for [`reduce_bytes`], in elements.
#[inline(always)]
unsafe fn each<T>(dst: *mut T, src: *const T, count: usize, f: impl Fn(T, T) -> T) {
    for index in 0..count {
        // SAFETY: `index` is below `count`, and the caller vouches for `count` elements at both
        // addresses.
        unsafe {
            let at = dst.add(index);
            at.write(f(at.read(), src.add(index).read()));
        }
    }
}

/// Returns the larger number. A number beats a NaN, and +0 is larger than -0.
#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    // Equal numbers differ at most in the sign of zero: plus wins.
    let equal = f32::from_bits(a.to_bits() & b.to_bits());
    let larger = if a > b { a } else { b };
    let number = if a == b { equal } else { larger };
    if b.is_nan() { a } else { number }
}

/// Returns the smaller number. A number beats a NaN, and -0 is smaller than +0.
#[inline(always)]
fn min(a: f32, b: f32) -> f32 {
    let equal = f32::from_bits(a.to_bits() | b.to_bits());
    let smaller = if a < b { a } else { b };
    let number = if a == b { equal } else { smaller };
    if b.is_nan() { a } else { number }
}
