//! Generates random numbers. Each is computed from its index alone, so that parts are independent.

use crate::algo::math::distribution::{below_32, below_64, between, dropped_below, normal, truncated_normal, unit};
use crate::algo::math::float::{from_brain, from_half, to_brain, to_half};
use crate::algo::math::philox;
use crate::backend::{Distribution, Number, RandomElement, RandomNum, Span};
use crate::runtime::shared::Shared;
use crate::transfer::memcpy::{in_shares, part};

/// The number of bytes that could be copied in the time of generating one byte.
const EFFORT: usize = 16;

/// Returns the cost, as the number of bytes that could be copied in that time.
pub(crate) fn effort(job: &RandomNum) -> usize {
    job.dst.len.saturating_mul(EFFORT)
}

/// Generates all numbers.
pub(crate) fn make(shared: &Shared, job: &RandomNum) {
    let count = read(shared, job.count).min(job.room());
    let [first, second] = job.parameters.map(|number| read(shared, number));
    let key = read(shared, job.seed);
    let counter = job.counter.map(|span| shared.pointer(&span).cast::<u128>());
    // SAFETY: the core checked the 16 bytes, which need not be aligned to all of them.
    let start = counter.map_or(0, |at| unsafe { at.read_unaligned() });
    let piece = Generation { shared, job, count, key, start };
    macro_rules! integers {
        ($number:ty, $fill:ident) => {{
            let (min, max) = (first as $number, second as $number);
            piece.$fill(min as _, if min < max { max.abs_diff(min) } else { 0 });
        }};
    }
    match (job.distribution, job.element) {
        (Distribution::Dropout, element) => {
            let below = dropped_below(element.single(first));
            piece.fill::<u8, 1>(|byte| [piece.mask(byte, below)]);
        }
        (Distribution::Uniform, RandomElement::Int32) => integers!(i32, integers_32),
        (Distribution::Uniform, RandomElement::UInt32) => integers!(u32, integers_32),
        (Distribution::Uniform, RandomElement::Int64) => integers!(i64, integers_64),
        (Distribution::Uniform, RandomElement::UInt64) => integers!(u64, integers_64),
        (_, RandomElement::Float32) => {
            piece.floats([first, second].map(|bits| bits as u32), f32::from_bits, f32::to_bits)
        }
        (_, RandomElement::Float16) => piece.floats([first, second].map(|bits| bits as u16), from_half, to_half),
        (_, RandomElement::BFloat16) => piece.floats([first, second].map(|bits| bits as u16), from_brain, to_brain),
        (
            Distribution::Normal | Distribution::TruncatedNormal,
            RandomElement::Int32 | RandomElement::UInt32 | RandomElement::Int64 | RandomElement::UInt64,
        ) => unreachable!("other distributions are of floating point numbers"),
    }
    if let Some(counter) = counter {
        let used = u128::from(count.div_ceil(job.per_block()));
        // SAFETY: `start` came from these 16 bytes, which the operation may write, at any alignment.
        unsafe { counter.write_unaligned(start.wrapping_add(used)) };
    }
}

/// Returns the bits of a number, with zeros above them.
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

/// The parameters of the generation.
struct Generation<'a> {
    shared: &'a Shared,
    job: &'a RandomNum,
    count: u64,
    key: u64,
    start: u128,
}

impl Generation<'_> {
    /// Returns a block of the generator. `index` counts from `start`.
    #[inline(always)]
    fn block(&self, index: u64) -> [u32; 4] {
        philox::block(self.key, self.start.wrapping_add(u128::from(index)))
    }

    /// Fills the destination with groups of elements. `group` returns each by its number.
    fn fill<T: Copy, const N: usize>(&self, group: impl Fn(u64) -> [T; N] + Sync) {
        let len = self.job.bytes(self.count);
        if len == 0 {
            return;
        }
        let dst = part(&self.job.dst, 0, len);
        // Parts end at multiples of a power of two in memory, so no element is cut.
        in_shares(self.shared, &dst, &|to, offset, len| {
            let to = to.cast::<T>();
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

    /// Returns eight bits, the first one lowest. Bits after the last one are 0.
    #[inline(always)]
    fn mask(&self, byte: u64, below: u64) -> u8 {
        let mut mask = 0;
        for (half, first) in [(0, 8 * byte), (1, 8 * byte + 4)] {
            for (index, word) in self.block(2 * byte + half).into_iter().enumerate() {
                let bit = first + index as u64;
                let kept = bit < self.count && u64::from(word) >= below;
                mask |= u8::from(kept) << (bit % 8);
            }
        }
        mask
    }

    fn integers_32(&self, min: u32, range: u32) {
        self.fill(|block| {
            let [a, b, c, d] = self.block(block);
            [[a, b], [c, d]].map(|words| min.wrapping_add(below_32(words, range)))
        });
    }

    fn integers_64(&self, min: u64, range: u64) {
        self.fill(|block| [min.wrapping_add(below_64(self.block(block), range))]);
    }

    /// Generates numbers of a type that is stored in `T` and computed in single precision.
    fn floats<T: Copy>(&self, parameters: [T; 2], widen: impl Fn(T) -> f32 + Sync, narrow: impl Fn(f32) -> T + Sync) {
        let [first, second] = parameters.map(&widen);
        let scaled = |number: f32| narrow(first + second * number);
        // A number that is rounded up to the upper bound becomes the lower one, which has half as many neighbours as
        // others. So all numbers are equally likely.
        let uniform = |word| {
            let number = narrow(between(unit(word), first, second));
            if widen(number) < second { number } else { narrow(first) }
        };
        match self.job.distribution {
            Distribution::Uniform => self.fill(|block| self.block(block).map(uniform)),
            Distribution::TruncatedNormal => {
                self.fill(|block| self.block(block).map(|word| scaled(truncated_normal(word))));
            }
            Distribution::Dropout | Distribution::Normal => {
                self.fill(|block| self.block(block).map(|word| scaled(normal(word))))
            }
        }
    }
}
