//! Random numbers: each is computed from its index alone, so that pieces are independent.

use crate::algo::math::distribution::{below_32, below_64, between, dropped_below, normal, truncated_normal, unit};
use crate::algo::math::{float, philox};
use crate::backend::cpu::runtime::shared::Shared;
use crate::backend::cpu::transfer::memcpy::{in_pieces, part};
use crate::backend::{Distribution, Number, RandomElement, RandomNum, Span};

/// A random number takes about as long as copying this many times its bytes.
const EFFORT: usize = 16;

/// Its cost, in bytes that could be copied meanwhile.
pub fn effort(job: &RandomNum) -> usize {
    job.dst.len.saturating_mul(EFFORT)
}

/// Generates all numbers.
pub fn make(shared: &Shared, job: &RandomNum) {
    let count = read(shared, job.count).min(job.room());
    let [first, second] = job.parameters.map(|number| read(shared, number));
    let key = read(shared, job.seed);
    let counter = job.counter.map(|span| shared.pointer(&span).cast::<u128>());
    // SAFETY: the core checked the 16 bytes, which need not be aligned to all of them.
    let start = counter.map_or(0, |at| unsafe { at.read_unaligned() });
    let piece = Piece { shared, job, count, blocks: Blocks { key, start } };
    match (job.distribution, job.element) {
        (Distribution::Dropout, element) => {
            let below = dropped_below(single(element, first));
            piece.fill::<u8, 1>(|byte| [piece.mask(byte, below)]);
        }
        (Distribution::Uniform, RandomElement::Int32) => {
            let (min, max) = (first as i32, second as i32);
            let range = if min < max { max.wrapping_sub(min) as u32 } else { 0 };
            piece.fill(|block| piece.integers_32(block, min as u32, range));
        }
        (Distribution::Uniform, RandomElement::UInt32) => {
            let (min, max) = (first as u32, second as u32);
            piece.fill(|block| piece.integers_32(block, min, max.saturating_sub(min)));
        }
        (Distribution::Uniform, RandomElement::Int64) => {
            let (min, max) = (first as i64, second as i64);
            let range = if min < max { max.wrapping_sub(min) as u64 } else { 0 };
            piece.fill(|block| piece.integer_64(block, min as u64, range));
        }
        (Distribution::Uniform, RandomElement::UInt64) => {
            let range = second.saturating_sub(first);
            piece.fill(|block| piece.integer_64(block, first, range));
        }
        (_, RandomElement::Float32) => piece.floats::<f32>(first, second),
        (_, RandomElement::Float16) => piece.floats::<Half>(first, second),
        (_, RandomElement::BFloat16) => piece.floats::<Brain>(first, second),
        _ => unreachable!("other distributions are of floating point numbers"),
    }
    if let Some(counter) = counter {
        let used = u128::from(count.div_ceil(job.per_block()));
        // SAFETY: as for the read. All numbers are generated.
        unsafe { counter.write_unaligned(start.wrapping_add(used)) };
    }
}

/// The bits of a number, zeros above them.
fn read(shared: &Shared, number: Number) -> u64 {
    let span: Span = match number {
        Number::Known(bits) => return bits,
        Number::At(span) => span,
    };
    let mut bytes = [0; size_of::<u64>()];
    // SAFETY: the core checked the range, of eight bytes at most.
    unsafe { shared.pointer(&span).copy_to_nonoverlapping(bytes.as_mut_ptr(), span.len) };
    u64::from_le_bytes(bytes)
}

fn single(element: RandomElement, bits: u64) -> f32 {
    match element {
        RandomElement::Float16 => Half::widen(bits),
        RandomElement::BFloat16 => Brain::widen(bits),
        _ => f32::widen(bits),
    }
}

/// The blocks of the generator from a counter on.
#[derive(Clone, Copy)]
struct Blocks {
    key: u64,
    start: u128,
}

impl Blocks {
    #[inline(always)]
    fn at(self, index: u64) -> [u32; 4] {
        philox::block(self.key, self.start.wrapping_add(u128::from(index)))
    }
}

/// The parameters of the generation.
struct Piece<'a> {
    shared: &'a Shared,
    job: &'a RandomNum,
    count: u64,
    blocks: Blocks,
}

impl Piece<'_> {
    /// Fills the destination with groups of elements, each by its number.
    fn fill<T: Copy, const N: usize>(&self, group: impl Fn(u64) -> [T; N] + Sync) {
        let len = self.job.bytes(self.count);
        if len == 0 {
            return;
        }
        let dst = part(&self.job.dst, 0, len);
        // Pieces end at multiples of a power of two in memory, so no element is cut.
        in_pieces(self.shared, &dst, &|offset, len| {
            let to = self.shared.pointer(&part(&dst, offset, len)).cast::<T>();
            let (first, count) = (offset / size_of::<T>(), len / size_of::<T>());
            let mut done = 0;
            while done < count {
                let place = first + done;
                let made = group((place / N) as u64);
                let skipped = place % N;
                let some = (N - skipped).min(count - done);
                // SAFETY: the core checked range and alignment; these elements lie inside the piece.
                unsafe {
                    to.add(done).copy_from_nonoverlapping(made.as_ptr().add(skipped), some);
                }
                done += some;
            }
        });
    }

    /// Eight bits, the first one lowest; those after the last one are 0.
    #[inline(always)]
    fn mask(&self, byte: u64, below: u64) -> u8 {
        let mut mask = 0;
        for (half, first) in [(0, 8 * byte), (1, 8 * byte + 4)] {
            for (index, word) in self.blocks.at(2 * byte + half).into_iter().enumerate() {
                let bit = first + index as u64;
                let kept = bit < self.count && u64::from(word) >= below;
                mask |= u8::from(kept) << (bit % 8);
            }
        }
        mask
    }

    #[inline(always)]
    fn integers_32(&self, block: u64, min: u32, range: u32) -> [u32; 2] {
        let [a, b, c, d] = self.blocks.at(block);
        [[a, b], [c, d]].map(|words| min.wrapping_add(below_32(words, range)))
    }

    #[inline(always)]
    fn integer_64(&self, block: u64, min: u64, range: u64) -> [u64; 1] {
        [min.wrapping_add(below_64(self.blocks.at(block), range))]
    }

    fn floats<T: Float + Sync>(&self, first: u64, second: u64) {
        let (first, second) = (T::widen(first), T::widen(second));
        let scaled = |number: f32| T::narrow(first + second * number);
        match self.job.distribution {
            Distribution::Uniform => {
                self.fill(|block| self.blocks.at(block).map(|word| uniform::<T>(word, first, second)));
            }
            Distribution::TruncatedNormal => {
                self.fill(|block| self.blocks.at(block).map(|word| scaled(truncated_normal(word))));
            }
            _ => self.fill(|block| self.blocks.at(block).map(|word| scaled(normal(word)))),
        }
    }
}

/// A number that is rounded up to `max` becomes `min`, which has half as many neighbours as others: so all are equally
/// likely.
#[inline(always)]
fn uniform<T: Float>(word: u32, min: f32, max: f32) -> T {
    let number = T::narrow(between(unit(word), min, max));
    if number.as_single() < max { number } else { T::narrow(min) }
}

/// The storage of a floating point element, which is computed in single precision.
trait Float: Copy {
    fn widen(bits: u64) -> f32;
    fn narrow(value: f32) -> Self;
    fn as_single(self) -> f32;
}

impl Float for f32 {
    fn widen(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }

    #[inline(always)]
    fn narrow(value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn as_single(self) -> f32 {
        self
    }
}

macro_rules! short_float {
    ($(#[$about:meta] $t:ident, $from:ident, $to:ident;)*) => {$(
        #[$about]
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        struct $t(u16);

        impl Float for $t {
            fn widen(bits: u64) -> f32 {
                float::$from(bits as u16)
            }

            #[inline(always)]
            fn narrow(value: f32) -> Self {
                Self(float::$to(value))
            }

            #[inline(always)]
            fn as_single(self) -> f32 {
                float::$from(self.0)
            }
        }
    )*};
}
short_float! {
    /// The bits of a half.
    Half, from_half, to_half;
    /// The bits of a brain float.
    Brain, from_brain, to_brain;
}
