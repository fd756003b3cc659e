//! Random numbers on a device, as `docs/random_numbers.md` defines them.

use std::fmt::Display;

use crate::backend::{Distribution, Number, Op, RandomElement, RandomNum, Span};
use crate::base::error::{Result, arguments, invalid_param, unsupported};
use crate::memory::Held;
use crate::memory::allocation::Allocation;
use crate::runtime::device::Device;
use crate::stream;
use crate::transfer::ends;

/// Length and alignment of the counter, in bytes.
const COUNTER: usize = 16;
const COUNTER_ALIGNMENT: usize = 8;

/// A number from C, or its address.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// 1 if it is an address.
    pub is_address: u8,
    /// The number, or the address.
    pub bytes: [u8; 8],
    /// The number of bytes of the number.
    pub size: u8,
}

/// The arguments of aclrtRandomNumAsync as they came from C.
pub struct RandomNumArgs {
    /// An `aclDataType`.
    pub data_type: i32,
    /// An `aclrtRandomNumFuncType`.
    pub function: i32,
    /// The parameters of the distribution; some have only one.
    pub parameters: (Value, Option<Value>),
    /// The destination.
    pub result: usize,
    /// The address of the counter; 0 for none.
    pub counter: usize,
    /// The seed.
    pub seed: Value,
    /// The number of random numbers.
    pub count: Value,
}

fn distribution(function: i32) -> Result<Distribution> {
    const ALL: [Distribution; 4] =
        [Distribution::Dropout, Distribution::Uniform, Distribution::Normal, Distribution::TruncatedNormal];
    arguments::numbered("funcType", function, &ALL, "the values of aclrtRandomNumFuncType, 0 to 3")
}

fn element(data_type: i32, distribution: Distribution) -> Result<RandomElement> {
    let element = match data_type {
        0 => RandomElement::Float32,
        1 => RandomElement::Float16,
        27 => RandomElement::BFloat16,
        3 => RandomElement::Int32,
        8 => RandomElement::UInt32,
        9 => RandomElement::Int64,
        10 => RandomElement::UInt64,
        other if (0..=41).contains(&other) => {
            return Err(unsupported!(
                "dataType is {other}; allowed: ACL_FLOAT 0, ACL_FLOAT16 1 and ACL_BF16 27, and for uniform numbers \
                 also ACL_INT32 3, ACL_UINT32 8, ACL_INT64 9 and ACL_UINT64 10"
            ));
        }
        other => {
            return Err(invalid_param!(
                "dataType is {other}; allowed: ACL_FLOAT 0, ACL_FLOAT16 1 and ACL_BF16 27, and for uniform numbers \
                 also ACL_INT32 3, ACL_UINT32 8, ACL_INT64 9 and ACL_UINT64 10"
            ));
        }
    };
    if !element.is_float() && distribution != Distribution::Uniform {
        return Err(unsupported!(
            "dataType is {data_type}; allowed for this funcType: ACL_FLOAT 0, ACL_FLOAT16 1 and ACL_BF16 27; use \
             integer types with uniform numbers only"
        ));
    }
    Ok(element)
}

/// Checks that the size of a value is one of `sizes`. Returns whether it is an address, and its bits.
fn checked(argument: &str, value: Value, sizes: &[usize]) -> Result<(bool, u64)> {
    let Value { is_address, mut bytes, size } = value;
    if !sizes.contains(&size.into()) {
        let sizes: Vec<_> = sizes.iter().map(usize::to_string).collect();
        return Err(invalid_param!("{argument}.size is {size}; allowed: {}", sizes.join(" or ")));
    }
    match is_address {
        0 => bytes[usize::from(size)..].fill(0),
        1 => {}
        _ => {
            return Err(invalid_param!(
                "{argument}.isAddr is {is_address}; allowed: 0 for a number, 1 for its address"
            ));
        }
    }
    Ok((is_address == 1, u64::from_le_bytes(bytes)))
}

fn check_order<T: PartialOrd + Display>(min: T, max: T) -> Result<()> {
    if min > max { Err(invalid_param!("min {min} is more than max {max}")) } else { Ok(()) }
}

fn check_finite(argument: &str, number: f32) -> Result<()> {
    ensure!(number.is_finite(), invalid_param!("{argument} is {number}; it must be a finite number"));
    Ok(())
}

/// Fails for parameters that are known now and that the distribution cannot have.
fn check_known(distribution: Distribution, element: RandomElement, parameters: [(bool, u64); 2]) -> Result<()> {
    let are_known = parameters.iter().all(|(is_address, _)| !is_address);
    if !element.is_float() {
        let [min, max] = parameters.map(|(_, bits)| match element {
            RandomElement::Int32 => i128::from(bits as i32),
            RandomElement::Int64 => i128::from(bits as i64),
            RandomElement::UInt32
            | RandomElement::UInt64
            | RandomElement::Float16
            | RandomElement::BFloat16
            | RandomElement::Float32 => i128::from(bits),
        });
        return if are_known { check_order(min, max) } else { Ok(()) };
    }
    // A number that is not known yet counts as 0, which every distribution can have.
    let [first, second] = parameters.map(|(is_address, bits)| if is_address { 0.0 } else { element.single(bits) });
    match distribution {
        Distribution::Dropout => {
            ensure!((0.0..=1.0).contains(&first), invalid_param!("dropoutRation is {first}; allowed: from 0 to 1"));
        }
        Distribution::Uniform => {
            check_finite("min", first)?;
            check_finite("max", second)?;
            if are_known {
                check_order(first, second)?;
                let too_far = "further apart than single precision can represent";
                ensure!((second - first).is_finite(), invalid_param!("max {second} and min {first} are {too_far}"));
            }
        }
        Distribution::Normal | Distribution::TruncatedNormal => {
            check_finite("mean", first)?;
            check_finite("stddev", second)?;
            ensure!((0.0..).contains(&second), invalid_param!("stddev is {second}; it must not be negative"));
        }
    }
    Ok(())
}

/// The memory of an operation, and the references that it holds meanwhile.
struct Operands<'a> {
    device: &'a Device,
    held: Vec<Held>,
}

impl Operands<'_> {
    /// Returns the device memory of `len` bytes at an address.
    fn at(&mut self, argument: &str, addr: u64, len: usize, alignment: usize, writes: bool) -> Result<Span> {
        let addr = addr as usize;
        arguments::not_null(argument, addr, "it must be device memory")?;
        arguments::aligned(argument, addr, alignment, format_args!("{alignment} bytes"))?;
        let (span, held) = ends::operand(argument, addr, len, self.device, writes)?;
        self.held.push(held);
        Ok(span)
    }

    /// Returns a number of `size` bytes, which is passed now or read from memory later.
    fn number(&mut self, argument: &str, (is_address, bits): (bool, u64), size: u8) -> Result<Number> {
        if !is_address {
            return Ok(Number::Known(bits));
        }
        let size = usize::from(size);
        self.at(argument, bits, size, size, false).map(Number::At)
    }

    /// Returns the result's memory: `count` numbers with elements of `unit` bytes. If the count is read later, returns
    /// all memory from `addr` on.
    fn result(&mut self, addr: usize, count: (bool, u64), distribution: Distribution, unit: usize) -> Result<Span> {
        const ARGUMENT: &str = "randomResultAddr";
        let (is_address, count) = count;
        if is_address {
            let start = self.at(ARGUMENT, addr as u64, unit, unit, true)?;
            let found = Allocation::find(addr).ok_or_else(|| {
                unsupported!(
                    "{ARGUMENT} {addr:#x} is not in an allocation of this library (it is memory from another library, \
                     or a variable of a kernel binary), so its size is unknown; pass memory from aclrtMalloc, or pass \
                     randomNum as a number (isAddr 0)"
                )
            })?;
            let left = found.base + found.len - addr;
            return Ok(Span { len: left - left % unit, ..start });
        }
        let bytes = if distribution.makes_bits() { Some(count.div_ceil(8)) } else { count.checked_mul(unit as u64) };
        let bytes = bytes.filter(|bytes| *bytes <= isize::MAX as u64).ok_or_else(|| {
            invalid_param!("randomNum is {count}; {count} numbers of {unit} bytes each exceed the address space")
        })?;
        self.at(ARGUMENT, addr as u64, bytes as usize, unit, true)
    }
}

/// Implements aclrtRandomNumAsync.
pub fn random_num_async(request: RandomNumArgs, stream: u64) -> Result<()> {
    let count = checked("randomNum", request.count, &[4, 8])?;
    if count == (false, 0) {
        return stream::resolve(stream).map(drop);
    }
    let distribution = distribution(request.function)?;
    let element = element(request.data_type, distribution)?;
    let names = match distribution {
        Distribution::Dropout => ["dropoutRation", ""],
        Distribution::Uniform => ["min", "max"],
        Distribution::Normal | Distribution::TruncatedNormal => ["mean", "stddev"],
    };
    let size = [element.size()];
    let (first, second) = request.parameters;
    let parameters =
        [checked(names[0], first, &size)?, second.map_or(Ok((false, 0)), |value| checked(names[1], value, &size))?];
    let seed = checked("randomSeed", request.seed, &[4, 8])?;
    check_known(distribution, element, parameters)?;
    let stream = stream::resolve(stream)?;
    let mut operands = Operands { device: &stream.device, held: Vec::new() };
    // An element has as many bytes as the type of the result.
    let unit = if distribution == Distribution::Dropout { 1 } else { element.size() };
    let dst = operands.result(request.result, count, distribution, unit)?;
    let counter = match request.counter {
        0 => None,
        addr => Some(operands.at("randomCounterAddr", addr as u64, COUNTER, COUNTER_ALIGNMENT, true)?),
    };
    let job = RandomNum {
        dst,
        distribution,
        element,
        parameters: [
            operands.number(names[0], parameters[0], first.size)?,
            operands.number(names[1], parameters[1], second.map_or(0, |value| value.size))?,
        ],
        seed: operands.number("randomSeed", seed, request.seed.size)?,
        count: operands.number("randomNum", count, request.count.size)?,
        counter,
    };
    let is_inside = |read: &Span| read.addr < dst.addr + dst.len && dst.addr < read.addr + read.len;
    if let Some(read) = job.words().chain(counter).find(is_inside) {
        return Err(invalid_param!(
            "the memory at {:#x} (an argument with isAddr 1, or randomCounterAddr) overlaps the output \
             (randomResultAddr {:#x}, {} bytes: the rest of the allocation if randomNum is an address); pass an \
             address outside of the output",
            read.addr,
            dst.addr,
            dst.len
        ));
    }
    stream.submit(Op::RandomNum(job)).map(drop)
}
