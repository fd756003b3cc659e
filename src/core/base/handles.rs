//! Handles that programs hold: their kinds, the table of each kind, and the error for a handle that names nothing.

use std::sync::Arc;

use crate::algo::map::slot_table::{self, Handle, Ref, SlotTable, Status};
use crate::algo::sync::reclaim::Pin;
use crate::core::base::error::{Error, Result, invalid_param, param_invalid};

/// Kinds of handles. The number is part of each handle's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A context.
    Context = 1,
    /// A stream.
    Stream = 2,
    /// An event.
    Event = 3,
    /// A data buffer.
    DataBuffer = 4,
    /// A loaded binary.
    Binary = 5,
    /// A kernel of a binary.
    Function = 6,
    /// A memory pool.
    MemPool = 7,
    /// A pool's state, which lives until the last of its memory is freed. Programs never see it.
    PoolState = 8,
    /// A stream's lane in the stream order. Programs never see it.
    Lane = 9,
    /// Physical memory.
    Physical = 10,
    /// A notify.
    Notify = 11,
    /// A notify that counts.
    CountedNotify = 12,
    /// An allocator description.
    Allocator = 20,
    /// A buffer.
    Buffer = 21,
    /// A profiling configuration.
    ProfilingConfig = 30,
    /// A stamp.
    Stamp = 31,
    /// A step.
    Step = 32,
    /// A binary description.
    BinaryImage = 40,
    /// A list of kernel arguments.
    ArgsList = 41,
    /// A graph.
    Graph = 50,
    /// A label.
    Label = 51,
    /// A list of labels.
    LabelList = 52,
    /// A stream of a graph.
    GraphStream = 55,
    /// A task of a graph.
    GraphTask = 56,
    /// A task group.
    TaskGroup = 57,
    /// A condition.
    Condition = 58,
}

/// Each kind that programs can hold, with its name in failure texts.
const NOUNS: [(Kind, &str); 24] = [
    (Kind::Context, "context"),
    (Kind::Stream, "stream"),
    (Kind::Event, "event"),
    (Kind::DataBuffer, "data buffer"),
    (Kind::Binary, "binary"),
    (Kind::Function, "kernel"),
    (Kind::MemPool, "memory pool"),
    (Kind::Physical, "physical memory"),
    (Kind::Notify, "notify"),
    (Kind::CountedNotify, "counted notify"),
    (Kind::Allocator, "allocator description"),
    (Kind::Buffer, "buffer"),
    (Kind::ProfilingConfig, "profiling configuration"),
    (Kind::Stamp, "stamp"),
    (Kind::Step, "step"),
    (Kind::BinaryImage, "binary description"),
    (Kind::ArgsList, "list of arguments"),
    (Kind::Graph, "graph"),
    (Kind::Label, "label"),
    (Kind::LabelList, "list of labels"),
    (Kind::GraphStream, "stream of a graph"),
    (Kind::GraphTask, "task of a graph"),
    (Kind::TaskGroup, "task group"),
    (Kind::Condition, "condition"),
];

/// The name of a kind that programs can hold.
fn noun_of(kind: u8) -> Option<&'static str> {
    NOUNS.iter().find(|(known, _)| *known as u8 == kind).map(|(_, noun)| *noun)
}

/// A type whose objects have handles. `object!` implements it, next to the type.
pub trait Object: Send + Sync + Sized + 'static {
    /// The kind of its handles.
    const KIND: Kind;
    /// The table of all live objects.
    fn table() -> &'static SlotTable<Self>;
    /// The name of its kind in failure texts.
    fn noun() -> &'static str {
        noun_of(Self::KIND as u8).unwrap_or("internal object")
    }
}

/// Takes all objects that `wanted` picks out of their table.
pub fn take_all<T: Object>(wanted: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
    taken(wanted).collect()
}

/// Removes and drops all objects that `wanted` picks. Needs no host memory.
pub fn drop_all<T: Object>(wanted: impl Fn(&T) -> bool) {
    taken(wanted).for_each(drop);
}

fn taken<T: Object>(wanted: impl Fn(&T) -> bool) -> impl Iterator<Item = Arc<T>> {
    let table = T::table();
    let all = table.live().filter(move |(_, object)| wanted(object));
    all.filter_map(|(handle, _)| table.remove(handle))
}

/// `object!(Type, Name)` makes the table of a type's handles, of kind [`Kind::Name`](Kind).
macro_rules! object {
    ($type:ty, $kind:ident) => {
        impl $crate::core::base::handles::Object for $type {
            const KIND: $crate::core::base::handles::Kind = $crate::core::base::handles::Kind::$kind;
            fn table() -> &'static $crate::algo::map::slot_table::SlotTable<Self> {
                static TABLE: $crate::algo::map::slot_table::SlotTable<$type> =
                    $crate::algo::map::slot_table::SlotTable::new($crate::core::base::handles::Kind::$kind as u8);
                &TABLE
            }
        }
    };
}
pub(crate) use object;

/// For handles that are looked up after other checks: null is reported before those.
#[inline]
pub fn check_not_null<T: Object>(argument: &str, raw: u64) -> Result<()> {
    if raw == 0 { Err(bad::<T>(argument, raw)) } else { Ok(()) }
}

/// The live object behind what a program passed as `argument`; for calls that do not block.
#[inline]
pub fn get<T: Object>(argument: &str, raw: u64) -> Result<Ref<'static, T>> {
    T::table().get_raw(raw).ok_or_else(|| bad::<T>(argument, raw))
}

/// As [`get`], under a pin of the caller.
#[inline]
pub fn get_pinned<'a, T: Object>(argument: &str, raw: u64, pin: &'a Pin) -> Result<&'a T> {
    T::table().get_raw_pinned(raw, pin).ok_or_else(|| bad::<T>(argument, raw))
}

/// As [`get`], for calls that block: holds the object itself.
#[inline]
pub fn get_arc<T: Object>(argument: &str, raw: u64) -> Result<Arc<T>> {
    get::<T>(argument, raw).map(|object| object.to_arc())
}

/// Takes the object out: its handle is dead from here on, for every thread.
pub fn remove<T: Object>(argument: &str, raw: u64) -> Result<Arc<T>> {
    let removed = Handle::from_raw(raw).and_then(|handle| T::table().remove(handle));
    removed.ok_or_else(|| bad::<T>(argument, raw))
}

/// As [`remove`], for calls that do nothing else with the object.
pub fn destroy<T: Object>(argument: &str, raw: u64) -> Result<()> {
    drop(remove::<T>(argument, raw)?);
    slot_table::flush_if_many();
    Ok(())
}

/// The error for a handle that names no live object.
#[cold]
fn bad<T: Object>(argument: &str, raw: u64) -> Error {
    let noun = T::noun();
    if raw == 0 {
        return invalid_param!("{argument} is null; it must be a live {noun} handle");
    }
    let Some(handle) = Handle::from_raw(raw) else {
        return param_invalid!("{argument} {raw:#x} is not a handle of this library");
    };
    match noun_of(handle.kind()) {
        Some(other) if other != noun => {
            param_invalid!("{argument} {raw:#x} is a handle of kind {other}, not of kind {noun}")
        }
        Some(_) if T::table().status(handle) == Status::Destroyed => {
            param_invalid!("{argument} {raw:#x}: this {noun} was destroyed or went with its device")
        }
        _ => param_invalid!("{argument} {raw:#x} is no {noun} handle"),
    }
}
