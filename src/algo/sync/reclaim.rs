//! Deferred release: drops objects that lock-free readers may still use when no reader can.
//!
//! Readers pin their thread, which is two plain stores to private memory: every call of the API does it. A releasing
//! thread bears the whole cost. It makes the kernel put a barrier into every thread (`membarrier`), so that a thread
//! that it then finds unpinned sees what was unlinked before, and waits for those it finds pinned. If the kernel has no
//! such barrier, readers have a fence.
//!
//! Loom's model cannot contain this. Under loom a stand-in gives exactly the ordering that readers and releasers rely
//! on and no more, so that loom checks the protocols that use it.
//!
//! A deferred object never runs its destructor inside an unrelated call: [`flush_deferred`] drops it, and callers call
//! that where they hold no lock. One flush at a time checks the threads, for all that wait for it. So the cost of a
//! flush does not grow when many threads flush at once.
//!
//! `crossbeam-epoch` is no replacement: its pin contains a full barrier, which was about half of the time of the
//! shortest calls.

#[cfg(loom)]
mod model;
#[cfg(not(loom))]
mod real;

#[cfg(loom)]
pub use self::model::{Pin, flush_deferred, flush_if_many, flush_in_turn, heavy_barrier, light_barrier, number, pin};
#[cfg(not(loom))]
pub use self::real::{
    Pin, Unchanged, count_pinned, flush_deferred, flush_if_many, flush_in_turn, forget_other_threads, heavy_barrier,
    is_pinned, light_barrier, number, pin,
};
