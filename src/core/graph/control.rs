//! Control flow of graphs: labels, jumps, and streams that start others.

use std::sync::Arc;

use super::capture::Capture;
use super::condition::Conditional;
use super::label::{Label, LabelList};
use super::recorder::capture_of;
use crate::algo::map::slot_table::{Handle, Ref};
use crate::backend::{Place, Span};
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::handles;
use crate::core::memory;
use crate::core::stream::{self, Stream};

/// A comparison, as `aclrtCondition` numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// ==
    Equal,
    /// !=
    NotEqual,
    /// >
    Greater,
    /// >=
    GreaterOrEqual,
    /// <
    Less,
    /// <=
    LessOrEqual,
}

impl Condition {
    fn from_number(number: i32) -> Result<Self> {
        let all = [Self::Equal, Self::NotEqual, Self::Greater, Self::GreaterOrEqual, Self::Less, Self::LessOrEqual];
        usize::try_from(number).ok().and_then(|index| all.get(index).copied()).ok_or_else(|| {
            Error::invalid_param(format_args!("cond is {number}; allowed: ACL_RT_EQUAL 0 to ACL_RT_LESS_OR_EQUAL 5"))
        })
    }

    /// Whether it holds.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
        }
    }
}

/// Control flow of a stream of a graph, by values in memory when a run reaches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// A target: the label with this handle.
    Label(u64),
    /// Jumps to the label with the index that is read there; an index beyond the list selects the last one.
    SwitchLabel {
        /// The place of the index, of 32 bits.
        index: Span,
        /// The handles of the labels.
        labels: Box<[u64]>,
    },
    /// Starts another stream, and goes on.
    Start(Handle),
    /// Compares two values, starts one of two streams, and ends. Without a second stream it goes on instead if the
    /// condition is false.
    SwitchStream {
        /// A signed number of 32 or 64 bits.
        left: Span,
        /// As long as `left`.
        right: Span,
        /// The comparison.
        condition: Condition,
        /// Started if it is true.
        then: Handle,
        /// Started if it is false.
        otherwise: Option<Handle>,
    },
    /// Runs other graphs, or none, by a value.
    Conditional(Conditional),
}

impl Control {
    /// The memory that it reads.
    pub fn spans(&self) -> [Option<Span>; 2] {
        match self {
            Self::Label(_) | Self::Start(_) => [None; 2],
            Self::SwitchLabel { index, .. } => [Some(*index), None],
            Self::SwitchStream { left, right, .. } => [Some(*left), Some(*right)],
            Self::Conditional(conditional) => [Some(conditional.value), None],
        }
    }

    /// The streams that it may start.
    pub fn starts(&self) -> impl Iterator<Item = Handle> {
        let streams = match self {
            Self::Label(_) | Self::SwitchLabel { .. } | Self::Conditional(_) => [None; 2],
            Self::Start(stream) => [Some(*stream), None],
            Self::SwitchStream { then, otherwise, .. } => [Some(*then), *otherwise],
        };
        streams.into_iter().flatten()
    }
}

/// The stream of a call, and the graph that it is bound to.
fn resolve(raw: u64) -> Result<(Ref<'static, Stream>, Arc<Capture>)> {
    let stream = stream::resolve(raw)?;
    let building = capture_of(&stream).filter(|capture| capture.is_built);
    match building {
        Some(building) => Ok((stream, building)),
        None => Err(Error::new(
            Code::StreamModel,
            format_args!(
                "stream {:#x} is bound to no graph: labels, jumps and streams that start others exist in graphs that \
                 are built; call aclmdlRIBindStream first",
                stream.handle.raw()
            ),
        )),
    }
}

/// Another stream of the same graph.
fn bound_there(argument: &str, raw: u64, building: &Arc<Capture>) -> Result<Handle> {
    let stream = handles::get::<Stream>(argument, raw)?;
    if capture_of(&stream).is_some_and(|own| Arc::ptr_eq(&own, building)) {
        return Ok(stream.handle);
    }
    Err(Error::new(
        Code::StreamModel,
        format_args!(
            "{argument} {raw:#x} is not bound to modelRI {:#x}, as `stream` is; call aclmdlRIBindStream first",
            building.graph.raw()
        ),
    ))
}

/// Numbers of this many bytes in memory of the stream's device.
fn number_at(argument: &str, addr: usize, len: usize, stream: &Stream) -> Result<Span> {
    if addr == 0 {
        return Err(Error::invalid_param(format_args!(
            "{argument} is null; it must be the address of {len} bytes of device memory"
        )));
    }
    if !addr.is_multiple_of(len) {
        return Err(Error::new(
            Code::AddrUnaligned,
            format_args!("{argument} {addr:#x} is not a multiple of {len} bytes"),
        ));
    }
    let (span, _held) = memory::device_span(argument, addr, len, &stream.device, false)?;
    if span.place != Place::Device(stream.device.id) && !memory::is_managed(addr) {
        return Err(Error::unsupported(format_args!(
            "{argument} {addr:#x} is memory of another device, and a graph is of one device, here {}",
            stream.device.id
        )));
    }
    Ok(span)
}

/// aclrtSetLabel.
pub fn set_label(label: u64, stream: u64) -> Result<()> {
    handles::check_not_null::<Label>("label", label)?;
    let (stream, building) = resolve(stream)?;
    let label = handles::get::<Label>("label", label)?;
    label.check_device("label", stream.device.owner)?;
    building.check()?;
    label.set(building.graph)?;
    building.add_control(stream.handle, Control::Label(label.handle.raw()))
}

/// aclrtSwitchLabelByIndex. `addr` is the address of the index.
pub fn switch_label(addr: usize, max: u32, list: u64, stream: u64) -> Result<()> {
    handles::check_not_null::<LabelList>("labelList", list)?;
    if max == 0 {
        return Err(Error::invalid_param("maxValue is 0; it must be at least 1"));
    }
    let (stream, building) = resolve(stream)?;
    let list = handles::get::<LabelList>("labelList", list)?;
    list.check_device(stream.device.owner)?;
    let index = number_at("ptr", addr, size_of::<u32>(), &stream)?;
    let labels = list.labels.get(..max as usize).ok_or_else(|| {
        Error::param_invalid(format_args!("maxValue is {max}; labelList has {} labels", list.labels.len()))
    })?;
    building.add_control(stream.handle, Control::SwitchLabel { index, labels: labels.into() })
}

/// aclrtActiveStream.
pub fn start(started: u64, stream: u64) -> Result<()> {
    handles::check_not_null::<Stream>("activeStream", started)?;
    let (stream, building) = resolve(stream)?;
    let started = bound_there("activeStream", started, &building)?;
    building.add_control(stream.handle, Control::Start(started))
}

/// The arguments of aclrtSwitchStream, as numbers: addresses, enumerators, streams.
pub struct Switch {
    /// `leftValue`.
    pub left: usize,
    /// `cond`.
    pub condition: i32,
    /// `rightValue`.
    pub right: usize,
    /// `dataType`.
    pub data_type: i32,
    /// `trueStream`.
    pub then: u64,
    /// `falseStream`, or 0.
    pub otherwise: u64,
}

/// aclrtSwitchStream.
pub fn switch_stream(switch: &Switch, stream: u64) -> Result<()> {
    handles::check_not_null::<Stream>("trueStream", switch.then)?;
    let condition = Condition::from_number(switch.condition)?;
    let len = match switch.data_type {
        0 => size_of::<i32>(),
        1 => size_of::<i64>(),
        other => {
            return Err(Error::invalid_param(format_args!(
                "dataType is {other}; allowed: ACL_RT_SWITCH_INT32 0 and ACL_RT_SWITCH_INT64 1"
            )));
        }
    };
    let (stream, building) = resolve(stream)?;
    let left = number_at("leftValue", switch.left, len, &stream)?;
    let right = number_at("rightValue", switch.right, len, &stream)?;
    let then = bound_there("trueStream", switch.then, &building)?;
    let otherwise = match switch.otherwise {
        0 => None,
        raw => Some(bound_there("falseStream", raw, &building)?),
    };
    let control = Control::SwitchStream { left, right, condition, then, otherwise };
    building.add_control(stream.handle, control)
}

/// A number that is read from memory: its bytes.
pub fn signed(bytes: &[u8]) -> i64 {
    match bytes.try_into() {
        Ok(four) => i64::from(i32::from_ne_bytes(four)),
        Err(_) => bytes.try_into().map_or(0, i64::from_ne_bytes),
    }
}
