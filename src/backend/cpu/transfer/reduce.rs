//! Reductions. The compiler vectorizes these loops.

use crate::algo::math::float::{from_brain, from_half, to_brain, to_half};
use crate::backend::cpu::runtime::shared::Shared;
use crate::backend::cpu::transfer::memcpy::{in_pieces, part};
use crate::backend::{Element, Reduce, ReduceOp};

/// Does a reduction, in pieces if it is large.
pub fn reduce(shared: &Shared, job: &Reduce) {
    // Pieces end at multiples of a power of two, so an aligned element is never cut.
    in_pieces(shared, &job.dst, &|offset, len| {
        let dst = shared.pointer(&part(&job.dst, offset, len));
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
    // SAFETY: the caller vouches for both ranges, with elements of the type that the match chooses.
    unsafe {
        match element {
            Element::Int8 => integers::<i8>(dst.cast(), src.cast(), count, op),
            Element::Int16 => integers::<i16>(dst.cast(), src.cast(), count, op),
            Element::Int32 => integers::<i32>(dst.cast(), src.cast(), count, op),
            Element::Float32 => {
                let (dst, src) = (dst.cast::<f32>(), src.cast());
                match op {
                    ReduceOp::Sum => each(dst, src, count, |a, b| a + b),
                    ReduceOp::Max => each(dst, src, count, max),
                    ReduceOp::Min => each(dst, src, count, min),
                }
            }
            Element::BFloat16 => short(dst.cast(), src.cast(), count, op, from_brain, to_brain),
            // A sum of two halves that was rounded to single precision rounds to the same half as
            // the exact sum: 24 bits are at least twice 11 and two. So it is with brain floats.
            Element::Float16 => short(dst.cast(), src.cast(), count, op, from_half, to_half),
        }
    }
}

/// Elements of 16 bits that are computed in single precision.
///
/// # Safety
/// As for [`reduce_bytes`], in elements.
#[inline(always)]
unsafe fn short(
    dst: *mut u16,
    src: *const u16,
    count: usize,
    op: ReduceOp,
    widen: impl Fn(u16) -> f32,
    narrow: impl Fn(f32) -> u16,
) {
    // SAFETY: `each` gets the ranges of `count` elements that this function's caller vouches for.
    unsafe {
        match op {
            ReduceOp::Sum => each(dst, src, count, |a, b| narrow(widen(a) + widen(b))),
            ReduceOp::Max => each(dst, src, count, |a, b| narrow(max(widen(a), widen(b)))),
            ReduceOp::Min => each(dst, src, count, |a, b| narrow(min(widen(a), widen(b)))),
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

trait Integer: Ord + Copy {
    fn wrapping_sum(self, other: Self) -> Self;
}

macro_rules! integer {
    ($($t:ty)*) => {$(
        impl Integer for $t {
            #[inline(always)]
            fn wrapping_sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
        }
    )*};
}
integer!(i8 i16 i32);

/// # Safety
/// As for [`reduce_bytes`], in elements.
unsafe fn integers<T: Integer>(dst: *mut T, src: *const T, count: usize, op: ReduceOp) {
    // SAFETY: the ranges go to `each` as the caller passed them, with the same number of elements.
    unsafe {
        match op {
            ReduceOp::Sum => each(dst, src, count, T::wrapping_sum),
            ReduceOp::Max => each(dst, src, count, T::max),
            ReduceOp::Min => each(dst, src, count, T::min),
        }
    }
}

/// The larger; a number beats a NaN, and +0 is larger than -0.
#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    // Equal numbers differ at most in the sign of zero: plus wins.
    let equal = f32::from_bits(a.to_bits() & b.to_bits());
    let larger = if a > b { a } else { b };
    let number = if a == b { equal } else { larger };
    if b.is_nan() { a } else { number }
}

/// The smaller; a number beats a NaN, and -0 is smaller than +0.
#[inline(always)]
fn min(a: f32, b: f32) -> f32 {
    let equal = f32::from_bits(a.to_bits() | b.to_bits());
    let smaller = if a < b { a } else { b };
    let number = if a == b { equal } else { smaller };
    if b.is_nan() { a } else { number }
}
