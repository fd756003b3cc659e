//! Live objects of the program. Not included are objects that the library creates itself: default contexts, streams and
//! pools; and objects that end with another one and have no call that destroys them: kernels, lists of their arguments,
//! tasks and streams of graphs. Memory with a handle, and memory of buffers, is in the list of live memory.

use std::sync::Arc;

use super::End;
use super::record::{self, Record};
use crate::algo::map::slot_table::Handle;
use crate::core::base::handles::{Kind, Object};
use crate::core::base::owner::Owner;
use crate::core::graph::Graph;
use crate::core::graph::label::{Label, LabelList};
use crate::core::kernel::Binary;
use crate::core::kernel::binary_image::BinaryImage;
use crate::core::memory::allocation::{Allocation, Kind as MemoryIs};
use crate::core::memory::data_buffer::DataBuffer;
use crate::core::memory::virtual_memory;
use crate::core::pool::mem_pool::MemPool;
use crate::core::pool::mem_pool::pool::Home;
use crate::core::profiling::Config;
use crate::core::profiling::prof_stamp::Stamp;
use crate::core::profiling::prof_step::Step;
use crate::core::runtime::context::Context;
use crate::core::stream::Stream;
use crate::core::stream::allocator::Description;
use crate::core::stream::event::Event;
use crate::core::stream::notify::{CountedNotify, Notify};

/// What an object ends with, if the program does not destroy it.
enum Life {
    /// With this opening of a device.
    Device(Owner),
    /// With a context, or before that with this opening of a device.
    Context(Handle, Owner),
    Session,
    Process,
}

impl Life {
    fn ends_with(&self, end: End<'_>) -> bool {
        match (self, end) {
            (Self::Context(context, _), End::Context(ended)) => *context == ended,
            (Self::Device(owner) | Self::Context(_, owner), End::Device(device)) => *owner == device.owner,
            (_, End::Context(_) | End::Device(_)) => false,
            (Self::Process, End::Session) => false,
            (_, End::Session | End::Process) => true,
        }
    }
}

/// A live object.
pub(super) struct LiveObject {
    /// Its name in the report.
    pub noun: &'static str,
    /// Its handle or its first address.
    pub name: u64,
    /// Bytes of a range; otherwise 0.
    pub len: usize,
    /// Its origin, if that was recorded.
    pub record: Option<Record>,
}

/// Whether handles of this kind are listed here.
pub(super) fn is_reported(kind: u8) -> bool {
    const REPORTED: [Kind; 15] = [
        Kind::Context,
        Kind::Stream,
        Kind::Event,
        Kind::DataBuffer,
        Kind::Binary,
        Kind::BinaryImage,
        Kind::MemPool,
        Kind::Notify,
        Kind::CountedNotify,
        Kind::Allocator,
        Kind::ProfilingConfig,
        Kind::Stamp,
        Kind::Step,
        Kind::Graph,
        Kind::Label,
    ];
    REPORTED.iter().any(|known| *known as u8 == kind) || kind == Kind::LabelList as u8
}

/// How many there are, with those of the library.
pub(super) fn at_most() -> usize {
    let on_devices = [
        Context::table().len(),
        Stream::table().len(),
        Event::table().len(),
        Binary::table().len(),
        Notify::table().len(),
        CountedNotify::table().len(),
        Graph::table().len(),
        Label::table().len(),
        LabelList::table().len(),
        MemPool::table().len(),
    ];
    let of_the_process = [
        DataBuffer::table().len(),
        BinaryImage::table().len(),
        Description::table().len(),
        Config::table().len(),
        Stamp::table().len(),
        Step::table().len(),
    ];
    on_devices.iter().chain(&of_the_process).sum()
}

/// The objects that end with this, kind by kind, the oldest handle of each first.
pub(super) fn all_that_end_with(end: End<'_>) -> Vec<LiveObject> {
    let mut all = Vec::new();
    of_devices(end, &mut all);
    of_process(end, &mut all);
    addresses(end, &mut all);
    all
}

/// Adds the objects of a type; `life` returns `None` for those that the library creates itself.
fn add<T: Object>(end: End<'_>, all: &mut Vec<LiveObject>, life: impl Fn(&Arc<T>) -> Option<Life>) {
    debug_assert!(is_reported(T::KIND as u8), "its origin is not recorded");
    let mut objects: Vec<_> = T::table().live().collect();
    objects.retain(|(_, object)| life(object).is_some_and(|life| life.ends_with(end)));
    objects.sort_unstable_by_key(|(handle, _)| handle.raw());
    all.extend(objects.into_iter().map(|(handle, _)| LiveObject {
        noun: T::noun(),
        name: handle.raw(),
        len: 0,
        record: record::of_object(handle.raw()),
    }));
}

fn of_devices(end: End<'_>, all: &mut Vec<LiveObject>) {
    let unless = |own: bool, owner| (!own).then_some(Life::Device(owner));
    add::<Context>(end, all, |it| unless(it.is_primary, it.device.owner));
    add::<Stream>(end, all, |it| (!it.is_default).then(|| Life::Context(it.context, it.device.owner)));
    add::<Event>(end, all, |it| unless(false, it.device.owner));
    add::<Binary>(end, all, |it| unless(false, it.device.owner));
    add::<Notify>(end, all, |it| unless(false, it.device().owner));
    add::<CountedNotify>(end, all, |it| unless(false, it.device().owner));
    add::<Graph>(end, all, |it| unless(it.is_body(), it.device.owner));
    add::<Label>(end, all, |it| unless(false, it.owner));
    add::<LabelList>(end, all, |it| unless(false, it.owner));
    add::<MemPool>(end, all, |it| match it.pool.home {
        _ if it.is_default => None,
        Home::Device(_, owner) => Some(Life::Device(owner)),
        Home::Host | Home::HostNode(_) => Some(Life::Session),
    });
}

fn of_process(end: End<'_>, all: &mut Vec<LiveObject>) {
    add::<DataBuffer>(end, all, |_| Some(Life::Process));
    add::<BinaryImage>(end, all, |_| Some(Life::Process));
    add::<Description>(end, all, |_| Some(Life::Process));
    add::<Config>(end, all, |_| Some(Life::Process));
    add::<Stamp>(end, all, |_| Some(Life::Process));
    add::<Step>(end, all, |_| Some(Life::Process));
}

/// Reserved addresses and registrations, which have no handles.
fn addresses(end: End<'_>, all: &mut Vec<LiveObject>) {
    if !Life::Session.ends_with(end) {
        return;
    }
    let range = |noun, (base, len): (usize, usize)| LiveObject { noun, name: base as u64, len, record: None };
    let reserved = virtual_memory::reserved();
    all.extend(reserved.into_iter().map(|it| range("range of addresses", it)));
    let mut registered: Vec<_> = Allocation::all()
        .filter(|it| matches!(it.kind, MemoryIs::Registered { .. }))
        .map(|it| (it.base, it.len))
        .collect();
    registered.sort_unstable();
    all.extend(registered.into_iter().map(|it| range("registration of host memory", it)));
}
