//! Reductions: `dst` accumulates `src`, element by element.

use crate::backend::{Element, Op, Reduce, ReduceOp};
use crate::base::error::{Result, arguments, invalid_param, unsupported};
use crate::stream;
use crate::transfer::ends;

fn reduce_op(kind: i32) -> Result<ReduceOp> {
    match kind {
        10 => Ok(ReduceOp::Sum),
        11 => Ok(ReduceOp::Max),
        12 => Ok(ReduceOp::Min),
        13 => Err(unsupported!(
            "kind is ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL 13; allowed: 10 (sum), 11 (max) and 12 (min) of aclrtReduceKind"
        )),
        _ => Err(invalid_param!("kind is {kind}; allowed: 10 (sum), 11 (max) and 12 (min) of aclrtReduceKind")),
    }
}

fn element(data_type: i32) -> Result<Element> {
    /// The values that aclDataType has.
    const KNOWN: [i32; 27] =
        [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 27, 29, 30, 33, 34, 35, 36, 37, 38, 39, 40, 41];
    const ALLOWED: &str = "ACL_FLOAT 0, ACL_FLOAT16 1, ACL_INT8 2, ACL_INT32 3, ACL_INT16 6 and ACL_BF16 27";
    match data_type {
        0 => Ok(Element::Float32),
        1 => Ok(Element::Float16),
        2 => Ok(Element::Int8),
        3 => Ok(Element::Int32),
        6 => Ok(Element::Int16),
        27 => Ok(Element::BFloat16),
        other if KNOWN.contains(&other) => Err(unsupported!(
            "type is {other}, which this call cannot reduce; allowed: {ALLOWED}; convert the data first, or \
             reduce in a host function"
        )),
        other => Err(invalid_param!("type is {other}; allowed: {ALLOWED}")),
    }
}

/// Implements aclrtReduceAsync for `count` bytes.
pub fn reduce_async(dst: usize, src: usize, count: u64, kind: i32, data_type: i32, stream: u64) -> Result<()> {
    if count == 0 {
        return stream::resolve(stream).map(drop);
    }
    let op = reduce_op(kind)?;
    let element = element(data_type)?;
    let (count, size) = (count as usize, element.size());
    ensure!(
        count.is_multiple_of(size),
        invalid_param!("count is {count} bytes; it must be a multiple of {size} bytes, the size of an element")
    );
    arguments::not_null_for("dst", dst, format_args!("count is {count}"))?;
    arguments::not_null_for("src", src, format_args!("count is {count}"))?;
    let stream = stream::resolve(stream)?;
    let operand = |argument: &str, addr: usize, writes: bool| {
        arguments::aligned(argument, addr, size, format_args!("the element size of {size} bytes"))?;
        ends::operand(argument, addr, count, &stream.device, writes)
    };
    let (dst, _held_dst) = operand("dst", dst, true)?;
    let (src, _held_src) = operand("src", src, false)?;
    let reduce = Reduce { dst, src, op, element };
    stream.submit(Op::Reduce(reduce)).map(drop)
}
