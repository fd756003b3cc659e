//! Handles that programs hold: their kinds, the table of each kind, and the error for a handle that names nothing.

use std::sync::Arc;

use crate::algo::map::slot_table::{self, Handle, Ref, SlotTable};
use crate::algo::sync::reclaim::Pin;
use crate::base::error::{Code, Error, Result, invalid_param, param_invalid};

/// Declares the kinds: their numbers, and their names in failure texts. Kinds that programs never see have no name.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal $($noun:literal)?,)+) => {
        /// Kinds of handles. The number is part of each handle's bits.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $kind = $number,)+
        }

        /// Returns the name of a kind that programs can hold.
        fn noun_of(kind: u8) -> Option<&'static str> {
            match kind {
                $($($number => Some($noun),)?)+
                _ => None,
            }
        }
    };
}

kinds! {
    /// A context.
    Context = 1 "context",
    /// A stream.
    Stream = 2 "stream",
    /// An event.
    Event = 3 "event",
    /// A data buffer.
    DataBuffer = 4 "data buffer",
    /// A loaded binary.
    Binary = 5 "binary",
    /// A kernel of a binary.
    Function = 6 "kernel",
    /// A memory pool.
    MemPool = 7 "memory pool",
    /// A pool's state, which lives until the last of its memory is freed. Programs never see it.
    PoolState = 8,
    /// A stream's lane in the stream order. Programs never see it.
    Lane = 9,
    /// Physical memory.
    Physical = 10 "physical memory",
    /// A notify.
    Notify = 11 "notify",
    /// A notify that counts.
    CountedNotify = 12 "counted notify",
    /// A task of the host that runs.
    HostTask = 13 "task",
    /// An allocator description.
    Allocator = 20 "allocator description",
    /// A buffer.
    Buffer = 21 "buffer",
    /// A profiling configuration.
    ProfilingConfig = 30 "profiling configuration",
    /// A stamp.
    Stamp = 31 "stamp",
    /// A step.
    Step = 32 "step",
    /// A binary description.
    BinaryImage = 40 "binary description",
    /// A list of kernel arguments.
    ArgsList = 41 "list of arguments",
    /// A graph.
    Graph = 50 "graph",
    /// A label.
    Label = 51 "label",
    /// A list of labels.
    LabelList = 52 "list of labels",
    /// A stream of a graph.
    GraphStream = 55 "stream of a graph",
    /// A task of a graph.
    GraphTask = 56 "task of a graph",
    /// A task group.
    TaskGroup = 57 "task group",
    /// A condition.
    Condition = 58 "condition",
}

/// A type whose objects have handles. `object!` implements it, next to the type.
pub trait Object: Send + Sync + Sized + 'static {
    /// The kind of the type's handles.
    const KIND: Kind;
    /// Returns the table of all live objects.
    fn table() -> &'static SlotTable<Self>;
    /// Returns the name of the kind in failure texts.
    fn noun() -> &'static str {
        noun_of(Self::KIND as u8).unwrap_or("internal object")
    }
    /// Whether programs destroy the object. They may do so late, too: after it was released with its owner.
    fn is_destroyed_by_program(&self) -> bool {
        false
    }
}

/// Removes all objects that `wanted` picks from their table, because their owner is released, and returns them.
pub(crate) fn take_all<T: Object>(wanted: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
    taken(wanted).collect()
}

/// Removes all objects that `wanted` picks from their table, because their owner is released, and drops them. Needs no
/// host memory.
pub(crate) fn drop_all<T: Object>(wanted: impl Fn(&T) -> bool) {
    taken(wanted).for_each(drop);
}

fn taken<T: Object>(wanted: impl Fn(&T) -> bool) -> impl Iterator<Item = Arc<T>> {
    let all = T::table().live().filter(move |(_, object)| wanted(object));
    all.filter_map(|(handle, object)| take(handle, &*object))
}

/// Removes an object from its table, because its owner is released. Returns `None` if another thread has removed it.
pub fn take<T: Object>(handle: Handle, object: &T) -> Option<Arc<T>> {
    match object.is_destroyed_by_program() {
        true => T::table().remove_with_owner(handle),
        false => T::table().remove(handle),
    }
}

/// `object!(Type, Name)` creates the table of a type's handles, which are of kind [`Kind::Name`](Kind). A third
/// argument is the body of [`Object::is_destroyed_by_program`].
macro_rules! object {
    ($type:ty, $kind:ident $(, $is_destroyed:expr)?) => {
        impl $crate::base::handles::Object for $type {
            const KIND: $crate::base::handles::Kind = $crate::base::handles::Kind::$kind;
            fn table() -> &'static $crate::algo::map::slot_table::SlotTable<Self> {
                static TABLE: $crate::algo::map::slot_table::SlotTable<$type> =
                    $crate::algo::map::slot_table::SlotTable::new($crate::base::handles::Kind::$kind as u8);
                &TABLE
            }
            $(
                fn is_destroyed_by_program(&self) -> bool {
                    let is_destroyed: fn(&Self) -> bool = $is_destroyed;
                    is_destroyed(self)
                }
            )?
        }
    };
}
pub(crate) use object;

/// Fails for null. A call that looks the handle up after other checks uses it to report null first.
#[inline]
pub(crate) fn check_not_null<T: Object>(argument: &str, raw: u64) -> Result<()> {
    if raw == 0 { Err(bad::<T>(argument, raw)) } else { Ok(()) }
}

/// Returns the live object of a handle that a program passed as `argument`. For calls that do not block.
#[inline]
pub fn get<T: Object>(argument: &str, raw: u64) -> Result<Ref<'static, T>> {
    T::table().get_raw(raw).ok_or_else(|| bad::<T>(argument, raw))
}

/// Returns the error of a table that could not create a handle: it has no free slot, which `is_full` says, or the host
/// has no memory.
#[cold]
pub(crate) fn no_handle<T: Object>(full: Code, is_full: &str) -> Error {
    match T::table().is_full() {
        true => Error::new(full, is_full),
        false => Error::new(Code::BadAlloc, "the host has no memory left for another handle; free host memory"),
    }
}

/// Returns the live object as [`get`] does, under a pin of the caller.
#[inline]
pub(crate) fn get_pinned<'a, T: Object>(argument: &str, raw: u64, pin: &'a Pin) -> Result<&'a T> {
    T::table().get_raw_pinned(raw, pin).ok_or_else(|| bad::<T>(argument, raw))
}

/// Returns the live object as [`get`] does, for calls that block: the result holds the object itself.
#[inline]
pub fn get_arc<T: Object>(argument: &str, raw: u64) -> Result<Arc<T>> {
    get::<T>(argument, raw).map(|object| object.to_arc())
}

/// Removes the object from its table and returns it. From here on its handle is dead for every thread.
pub fn remove<T: Object>(argument: &str, raw: u64) -> Result<Arc<T>> {
    let removed = Handle::from_raw(raw).and_then(|handle| T::table().remove(handle));
    removed.ok_or_else(|| bad::<T>(argument, raw))
}

/// Removes the object from its table and returns it, for a call that destroys it. Returns `None` for one that was
/// released with its owner: the first late destroy succeeds and has nothing to do.
pub fn end<T: Object>(argument: &str, raw: u64) -> Result<Option<Arc<T>>> {
    unless_late::<T, _>(raw, remove::<T>(argument, raw))
}

/// Returns what a call that destroys an object has found, or `None` as [`end`] does.
pub(crate) fn unless_late<T: Object, R>(raw: u64, found: Result<R>) -> Result<Option<R>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) => destroy_late::<T>(raw).then_some(None).ok_or(error),
    }
}

#[cold]
fn destroy_late<T: Object>(raw: u64) -> bool {
    Handle::from_raw(raw).is_some_and(|handle| T::table().destroy_late(handle))
}

/// Whether the object was released with its owner, and the program has not destroyed it yet.
#[cold]
pub fn is_late<T: Object>(raw: u64) -> bool {
    Handle::from_raw(raw).is_some_and(|handle| T::table().is_late(handle))
}

/// Destroys the object's handle as [`end`] does, for calls that do nothing else with the object.
pub fn destroy<T: Object>(argument: &str, raw: u64) -> Result<()> {
    drop(end::<T>(argument, raw)?);
    slot_table::flush_if_many();
    Ok(())
}

/// Returns the error for a handle that names no live object.
#[cold]
fn bad<T: Object>(argument: &str, raw: u64) -> Error {
    let noun = T::noun();
    if raw == 0 {
        return invalid_param!("{argument} is null; it must be a live handle of kind {noun}");
    }
    let Some(handle) = Handle::from_raw(raw) else {
        return param_invalid!("{argument} {raw:#x} is not a handle of this library");
    };
    match noun_of(handle.kind()) {
        Some(other) if other != noun => {
            param_invalid!("{argument} {raw:#x} is a handle of kind {other}, not of kind {noun}")
        }
        Some(_) if T::table().is_late(handle) => {
            param_invalid!(
                "{argument} {raw:#x}: this {noun} was released with its device, context or session; create a new one"
            )
        }
        Some(_) if T::table().was_destroyed(handle) => {
            param_invalid!("{argument} {raw:#x}: this {noun} was destroyed, by a call or with its device")
        }
        Some(_) | None => param_invalid!("{argument} {raw:#x} is not a handle of kind {noun}"),
    }
}
