//! Random numbers that a device generates.

use crate::Span;
use crate::algo::math::float::{from_brain, from_half};

/// The distribution of random numbers. The kernels of the CUDA backend number them in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Bits that are 0 with the probability in the first parameter. The element is the type of that parameter only.
    Dropout,
    /// Uniform in the range from the first parameter (inclusive) to the second (exclusive).
    Uniform,
    /// Normal, with the first parameter as mean and the second as standard deviation.
    Normal,
    /// Normal, and truncated at two standard deviations from the mean.
    TruncatedNormal,
}

/// The type of random numbers, and of their distribution's parameters. The kernels of the CUDA backend number them in
/// the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomElement {
    /// 32-bit signed integer, uniform only.
    Int32,
    /// 32-bit unsigned integer, uniform only.
    UInt32,
    /// 64-bit signed integer, uniform only.
    Int64,
    /// 64-bit unsigned integer, uniform only.
    UInt64,
    /// IEEE half precision.
    Float16,
    /// The upper half of a single-precision number.
    BFloat16,
    /// IEEE single precision.
    Float32,
}

impl Distribution {
    /// Whether the numbers are single bits, not elements.
    pub const fn makes_bits(self) -> bool {
        match self {
            Self::Dropout => true,
            Self::Uniform | Self::Normal | Self::TruncatedNormal => false,
        }
    }
}

impl RandomElement {
    /// Returns the size of one element in bytes.
    pub const fn size(self) -> usize {
        match self {
            Self::Float16 | Self::BFloat16 => 2,
            Self::Int32 | Self::UInt32 | Self::Float32 => 4,
            Self::Int64 | Self::UInt64 => 8,
        }
    }

    /// Whether the type is a floating point number.
    pub const fn is_float(self) -> bool {
        match self {
            Self::Float16 | Self::BFloat16 | Self::Float32 => true,
            Self::Int32 | Self::UInt32 | Self::Int64 | Self::UInt64 => false,
        }
    }

    /// Returns the number that the bits of a floating point number stand for.
    pub fn single(self, bits: u64) -> f32 {
        match self {
            Self::Float16 => from_half(bits as u16),
            Self::BFloat16 => from_brain(bits as u16),
            Self::Int32 | Self::UInt32 | Self::Int64 | Self::UInt64 | Self::Float32 => f32::from_bits(bits as u32),
        }
    }
}

/// A number that an operation uses.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// The number's bits, zero-extended.
    Known(u64),
    /// A number that is in memory when the stream reaches the operation: as many bytes as the number has, aligned to
    /// that, on the stream's device or managed.
    At(Span),
}

impl Number {
    /// Returns the bits, if they are known.
    pub const fn known(self) -> Option<u64> {
        if let Self::Known(bits) = self { Some(bits) } else { None }
    }

    /// Returns the number's place in memory, if it is there.
    pub const fn at(self) -> Option<Span> {
        if let Self::At(span) = self { Some(span) } else { None }
    }
}

/// Random numbers of Philox 4x32-10, as `docs/random_numbers.md` defines them. Input words lie outside of `dst` and on
/// the stream's device, or are managed; so is `dst`, which is aligned to the element.
#[derive(Clone, Copy, Debug)]
pub struct RandomNum {
    /// The destination. If the count is in memory, this is the most that the numbers may take.
    pub dst: Span,
    /// The distribution.
    pub distribution: Distribution,
    /// The element type.
    pub element: RandomElement,
    /// The distribution's parameters, of the element's type.
    pub parameters: [Number; 2],
    /// The generator's key.
    pub seed: Number,
    /// The count of numbers: bits of dropout, otherwise elements.
    pub count: Number,
    /// The number of the first block (16 bytes aligned to 8), to which the used blocks are added at the end. `None`
    /// stands for 0.
    pub counter: Option<Span>,
}

impl RandomNum {
    /// Returns the count of numbers that one block of the generator yields.
    pub const fn per_block(&self) -> u64 {
        match self.distribution {
            Distribution::Uniform => match self.element {
                RandomElement::Int32 | RandomElement::UInt32 => 2,
                RandomElement::Int64 | RandomElement::UInt64 => 1,
                RandomElement::Float16 | RandomElement::BFloat16 | RandomElement::Float32 => 4,
            },
            Distribution::Dropout | Distribution::Normal | Distribution::TruncatedNormal => 4,
        }
    }

    /// Returns the count of numbers that fit into the destination.
    pub const fn room(&self) -> u64 {
        let len = self.dst.len;
        if self.distribution.makes_bits() { len as u64 * 8 } else { (len / self.element.size()) as u64 }
    }

    /// Returns the number of bytes of `count` numbers.
    pub const fn bytes(&self, count: u64) -> usize {
        if self.distribution.makes_bits() { count.div_ceil(8) as usize } else { count as usize * self.element.size() }
    }

    /// Returns the words that are read, except the counter.
    pub fn words(&self) -> impl Iterator<Item = Span> {
        let [first, second] = self.parameters;
        [first, second, self.seed, self.count].into_iter().filter_map(Number::at)
    }
}
