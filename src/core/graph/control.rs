//! Calls that record control flow in graphs that are built: labels, jumps, and streams that start others.

use std::sync::Arc;

use super::capture::{Capture, capture_of};
use super::label::{self, Label, LabelList};
use super::task::control::{Condition, Control};
use crate::algo::map::slot_table::{Handle, Ref};
use crate::backend::{Place, Span};
use crate::base::error::{Code, Result, arguments, error_with, param_invalid, unsupported};
use crate::base::handles;
use crate::memory;
use crate::stream::{self, Stream};
use crate::transfer::ends;

/// Returns the stream of a call, and the graph that it is bound to.
fn resolve(raw: u64) -> Result<(Ref<'static, Stream>, Arc<Capture>)> {
    let stream = stream::resolve(raw)?;
    match capture_of(&stream).filter(|capture| capture.is_built) {
        Some(building) => Ok((stream, building)),
        None => Err(error_with!(
            Code::StreamModel,
            "{stream} is not bound to a graph from aclmdlRIBuildBegin, and only such graphs have labels, jumps and \
             starts of streams; call aclmdlRIBindStream first, with a stream that has ACL_STREAM_PERSISTENT"
        )),
    }
}

/// Returns another stream of the same graph.
fn bound_there(argument: &str, raw: u64, building: &Arc<Capture>) -> Result<Handle> {
    let stream = handles::get::<Stream>(argument, raw)?;
    if capture_of(&stream).is_some_and(|own| Arc::ptr_eq(&own, building)) {
        return Ok(stream.handle);
    }
    Err(error_with!(
        Code::StreamModel,
        "{argument} {raw:#x} is not bound to modelRI {:#x}, the graph of `stream`; call aclmdlRIBindStream first",
        building.graph.raw()
    ))
}

/// Returns the span of numbers of this many bytes in memory of the stream's device.
fn number_at(argument: &str, addr: usize, len: usize, stream: &Stream) -> Result<Span> {
    arguments::not_null(argument, addr, format_args!("it must be the address of {len} bytes of device memory"))?;
    arguments::aligned(argument, addr, len, format_args!("{len} bytes"))?;
    let (span, _held) = ends::operand(argument, addr, len, &stream.device, false)?;
    if span.place != Place::Device(stream.device.id) && !memory::is_managed(addr) {
        return Err(unsupported!(
            "{argument} {addr:#x} is not memory on device {}, the device of the graph; allocate it there",
            stream.device.id
        ));
    }
    Ok(span)
}

/// Implements aclrtSetLabel.
pub fn set_label(label: u64, stream: u64) -> Result<()> {
    handles::check_not_null::<Label>("label", label)?;
    let (stream, building) = resolve(stream)?;
    let label = handles::get::<Label>("label", label)?;
    label::check_device("label", label.owner, "the stream", stream.device.owner)?;
    building.check()?;
    label.set(building.graph)?;
    building.add_control(stream.handle, Control::Label(label.handle.raw()), None)
}

/// Implements aclrtSwitchLabelByIndex. `addr` is the address of the index.
pub fn switch_label(addr: usize, max: u32, list: u64, stream: u64) -> Result<()> {
    handles::check_not_null::<LabelList>("labelList", list)?;
    arguments::not_zero("maxValue", max, "it must be at least 1")?;
    let (stream, building) = resolve(stream)?;
    let list = handles::get::<LabelList>("labelList", list)?;
    label::check_device("labelList", list.owner, "the stream", stream.device.owner)?;
    let index = number_at("ptr", addr, size_of::<u32>(), &stream)?;
    let count = list.labels.len();
    let too_many = || param_invalid!("maxValue is {max}; allowed: 1 to {count}, the number of labels in labelList");
    let labels = list.labels.get(..max as usize).ok_or_else(too_many)?;
    building.add_control(stream.handle, Control::SwitchLabel { index, labels: labels.into() }, None)
}

/// Implements aclrtActiveStream.
pub fn start(started: u64, stream: u64) -> Result<()> {
    handles::check_not_null::<Stream>("activeStream", started)?;
    let (stream, building) = resolve(stream)?;
    let started = bound_there("activeStream", started, &building)?;
    building.add_control(stream.handle, Control::Start(started), None)
}

/// Implements aclrtSwitchStream. `left` and `right` are the addresses of the values; `otherwise` is `falseStream`, or
/// 0.
pub fn switch_stream(
    [left, right]: [usize; 2],
    condition: i32,
    data_type: i32,
    [if_true, if_false]: [u64; 2],
    stream: u64,
) -> Result<()> {
    handles::check_not_null::<Stream>("trueStream", if_true)?;
    let condition = Condition::from_number(condition)?;
    let lens = [size_of::<i32>(), size_of::<i64>()];
    let allowed = "ACL_RT_SWITCH_INT32 0 and ACL_RT_SWITCH_INT64 1";
    let len = arguments::numbered("dataType", data_type, &lens, allowed)?;
    let (stream, building) = resolve(stream)?;
    let left = number_at("leftValue", left, len, &stream)?;
    let right = number_at("rightValue", right, len, &stream)?;
    let if_true = bound_there("trueStream", if_true, &building)?;
    let other = || bound_there("falseStream", if_false, &building);
    let if_false = if if_false == 0 { None } else { Some(other()?) };
    let control = Control::SwitchStream { left, right, condition, if_true, if_false };
    building.add_control(stream.handle, control, None)
}
