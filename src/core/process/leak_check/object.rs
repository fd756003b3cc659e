//! Live objects of the program. Three kinds are not included: objects that the library creates itself (default
//! contexts, streams and pools), those of libraries beside it (portaclLeakCheckPause), and objects that end with
//! another one and have no call that destroys them (kernels, lists of their arguments, tasks and streams of graphs).
//! Memory with a handle, and memory of buffers, is in the list of live memory.

use std::sync::Arc;

use super::record::{OBJECTS, is_of_library};
use super::{Leak, Teardown};
use crate::algo::count::Count;
use crate::algo::map::slot_table::Handle;
use crate::base::handles::Object;
use crate::base::owner::Owner;
use crate::graph::Graph;
use crate::graph::label::{Label, LabelList};
use crate::kernel::{Binary, BinaryImage};
use crate::memory::allocation::{Allocation, Kind as MemoryIs};
use crate::memory::data_buffer::DataBuffer;
use crate::memory::virtual_memory;
use crate::pool::mem_pool::MemPool;
use crate::profiling::Config;
use crate::profiling::prof_stamp::Stamp;
use crate::profiling::prof_step::Step;
use crate::runtime::context::Context;
use crate::stream::Stream;
use crate::stream::allocator::Description;
use crate::stream::event::Event;
use crate::stream::notify::{CountedNotify, Notify};

/// The end of an object that the program does not destroy.
enum Life {
    /// It ends with this opening of a device.
    Device(Owner),
    /// It ends with a context, or earlier with this opening of a device.
    Context(Handle, Owner),
    Session,
    Process,
}

impl Life {
    fn ends_with(&self, end: Teardown<'_>) -> bool {
        match (self, end) {
            (Self::Context(context, _), Teardown::Context(ended)) => *context == ended,
            (Self::Device(owner) | Self::Context(_, owner), Teardown::Device(device)) => *owner == device.owner,
            (_, Teardown::Context(_) | Teardown::Device(_)) => false,
            (Self::Process, Teardown::Session) => false,
            (_, Teardown::Session | Teardown::Process) => true,
        }
    }
}

/// Returns the objects that end at this end, kind by kind, the oldest handle of each first. Reserved addresses and
/// registrations, which have no handles, follow.
pub(super) fn all_that_end_with(end: Teardown<'_>) -> Vec<Leak> {
    let mut all = Vec::new();
    objects(end, &mut all);
    if !Life::Session.ends_with(end) {
        return all;
    }
    let range = |noun, (base, len): (usize, usize)| {
        let what = format!("{noun} {base:#x} of {}", Count(len, "byte"));
        Leak { noun, what, memory: None, record: None }
    };
    let reserved = virtual_memory::reserved();
    all.extend(reserved.into_iter().map(|it| range("range of addresses", it)));
    let mut registered: Vec<_> = Allocation::all()
        .filter(|it| matches!(it.kind, MemoryIs::Registered { .. }))
        .map(|it| (it.base, it.len))
        .collect();
    registered.sort_unstable();
    all.extend(registered.into_iter().map(|it| range("registration of host memory", it)));
    all
}

/// Adds the objects of a type.
fn add<T: Object>(end: Teardown<'_>, all: &mut Vec<Leak>, life: impl Fn(&Arc<T>) -> Option<Life>) {
    let mut objects: Vec<_> = T::table().live().collect();
    let ends = |object: &Arc<T>| life(object).is_some_and(|life| life.ends_with(end));
    objects.retain(|(handle, object)| ends(object) && !is_of_library(handle.raw()));
    objects.sort_unstable_by_key(|(handle, _)| handle.raw());
    let noun = T::noun();
    all.extend(objects.into_iter().map(|(handle, _)| Leak {
        noun,
        what: format!("{noun} {:#x}", handle.raw()),
        memory: None,
        record: OBJECTS.lock().get(&handle.raw()).cloned(),
    }));
}

/// The types whose objects are listed, each with the life of an object: `None` for those that the library creates.
macro_rules! listed {
    ($($type:ty => $life:expr,)+) => {
        /// Whether handles of this kind are listed here.
        pub(super) fn is_reported(kind: u8) -> bool {
            [$(<$type>::KIND),+].iter().any(|known| *known as u8 == kind)
        }

        /// Returns the number of these objects, including those of the library.
        pub(super) fn at_most() -> usize {
            [$(<$type>::table().count()),+].iter().sum()
        }

        fn objects(end: Teardown<'_>, all: &mut Vec<Leak>) {
            $(add::<$type>(end, all, $life);)+
        }
    };
}

listed! {
    Context => |it| (!it.is_primary).then_some(Life::Device(it.device.owner)),
    Stream => |it| (!it.is_default).then(|| Life::Context(it.context, it.device.owner)),
    Event => |it| Some(Life::Device(it.device.owner)),
    Binary => |it| Some(Life::Device(it.device.owner)),
    Notify => |it| Some(Life::Device(it.device.owner)),
    CountedNotify => |it| Some(Life::Device(it.device.owner)),
    Graph => |it| it.body.is_none().then_some(Life::Device(it.device.owner)),
    Label => |it| Some(Life::Device(it.owner)),
    LabelList => |it| Some(Life::Device(it.owner)),
    MemPool => |it| (!it.is_default).then(|| it.pool.home.opening.map_or(Life::Session, Life::Device)),
    DataBuffer => |_| Some(Life::Process),
    BinaryImage => |_| Some(Life::Process),
    Description => |_| Some(Life::Process),
    Config => |_| Some(Life::Process),
    Stamp => |_| Some(Life::Process),
    Step => |_| Some(Life::Process),
}
