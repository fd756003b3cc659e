//! Reductions. Loops are written so that the compiler makes vector code of them.

use half::bf16;
use half::slice::HalfFloatSliceExt;

use super::Shared;
use super::copy::{in_pieces, part};
use crate::backend::{Element, Reduce, ReduceOp};

/// Elements that are converted at a time.
const CHUNK: usize = 256;

/// Does a reduction, in pieces if it is large.
pub(super) fn reduce(shared: &Shared, job: &Reduce) {
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
    // SAFETY: the caller's promise, passed on.
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
            Element::BFloat16 => {
                let (dst, src) = (dst.cast::<bf16>(), src.cast());
                let lift = |f: fn(f32, f32) -> f32| {
                    move |a: bf16, b: bf16| bf16::from_f32(f(a.to_f32(), b.to_f32()))
                };
                match op {
                    ReduceOp::Sum => {
                        each(dst, src, count, |a, b| bf16::from_f32(a.to_f32() + b.to_f32()));
                    }
                    ReduceOp::Max => each(dst, src, count, lift(max)),
                    ReduceOp::Min => each(dst, src, count, lift(min)),
                }
            }
            Element::Float16 => {
                let (dst, src) = (dst.cast(), src.cast());
                match op {
                    ReduceOp::Sum => halves(dst, src, count, |a, b| a + b),
                    ReduceOp::Max => halves(dst, src, count, max),
                    ReduceOp::Min => halves(dst, src, count, min),
                }
            }
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
        // SAFETY: the caller's promise.
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
    // SAFETY: the caller's promise.
    unsafe {
        match op {
            ReduceOp::Sum => each(dst, src, count, T::wrapping_sum),
            ReduceOp::Max => each(dst, src, count, T::max),
            ReduceOp::Min => each(dst, src, count, T::min),
        }
    }
}

/// Half precision: through single precision, a chunk at a time, because processors convert
/// several numbers at once. A sum of two halves that was rounded to single precision rounds to the
/// same half as the exact sum: 24 bits are at least twice 11 and two.
///
/// # Safety
/// As for [`reduce_bytes`], in elements.
unsafe fn halves(
    dst: *mut half::f16,
    src: *const half::f16,
    count: usize,
    f: impl Fn(f32, f32) -> f32,
) {
    let mut raw = [half::f16::ZERO; CHUNK];
    let (mut a, mut b) = ([0f32; CHUNK], [0f32; CHUNK]);
    for from in (0..count).step_by(CHUNK) {
        let len = CHUNK.min(count - from);
        // SAFETY: the caller's promise; `raw` has room for a chunk.
        unsafe {
            raw.as_mut_ptr().copy_from_nonoverlapping(src.add(from), len);
            raw[..len].convert_to_f32_slice(&mut b[..len]);
            raw.as_mut_ptr().copy_from_nonoverlapping(dst.add(from), len);
            raw[..len].convert_to_f32_slice(&mut a[..len]);
        }
        for (a, &b) in a[..len].iter_mut().zip(&b[..len]) {
            *a = f(*a, b);
        }
        raw[..len].convert_from_f32_slice(&a[..len]);
        // SAFETY: the caller's promise.
        unsafe { dst.add(from).copy_from_nonoverlapping(raw.as_ptr(), len) };
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
