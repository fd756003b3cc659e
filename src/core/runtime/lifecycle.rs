//! The steps of the regions above this one when the session, a device or a context begins and ends.
//!
//! This region runs the steps and does not know what they do. `core/assembly.rs` lists them, in the order in which they
//! run.

pub mod driver;

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::algo::map::slot_table::Handle;
use crate::backend::Driver;
use crate::base::config::Environment;
use crate::base::error::Result;
use crate::base::owner::Owner;
use crate::base::teardown_errors::TeardownErrors;
use crate::runtime::open_device::Device;

/// The steps. Each list is in the order in which its steps run.
pub struct Lifecycle {
    /// Creates the default stream of a new context.
    pub create_default_stream: fn(&Arc<Device>, Handle) -> Result<Handle>,
    /// Returns the handles of live streams.
    pub stream_handles: fn(StreamsOf) -> Vec<u64>,
    /// Whether a stream with this handle is live.
    pub stream_is_live: fn(u64) -> bool,
    /// Removes the streams of the context of this device that had this handle, and waits for their work.
    pub drain_context: fn(&Device, Handle, &mut TeardownErrors),
    /// Removes the streams of a device and waits for their work. At the first time it ends waits for values in memory,
    /// at the second one its wait for the work.
    pub drain_device: fn(&Arc<Device>, Instant, Option<Instant>, &mut TeardownErrors),
    /// Applies the environment, before the backend opens.
    pub session_opening: &'static [fn(&Environment) -> Result<()>],
    /// Reports before a finalize releases anything. Each step gets the name of the call.
    pub session_teardown: &'static [fn(&str)],
    /// Waits until threads of the program have left the library. Returns false if they have not before the deadline.
    pub session_left: fn(Instant) -> bool,
    /// Removes handles that belong to no device. The steps run repeatedly until no call uses the session.
    pub session_handles: &'static [fn()],
    /// The kinds of host memory.
    pub session_memory: &'static [ReleaseSteps<HostMemory>],
    /// Clears state of the session that needs neither memory nor handles.
    pub session_state: &'static [fn()],
    /// Stops threads of the library. Returns false if they have not stopped before the deadline.
    pub session_threads: fn(Instant) -> bool,
    /// Called when the backend is closed, or did not open.
    pub session_closed: &'static [fn()],
    /// Called when a finalize is complete.
    pub session_ended: &'static [fn()],
    /// Reports before a context is destroyed.
    pub context_teardown: &'static [fn(Handle)],
    /// Reports before a device is released. Each step gets the name of the call.
    pub device_teardown: &'static [fn(&Device, &str)],
    /// Removes handles of a device after its streams. The steps run repeatedly until no call uses the device.
    pub device_handles: &'static [fn(&Arc<Device>)],
    /// Clears state about a device that no call uses any more.
    pub device_state: &'static [fn(&Device)],
    /// The kinds of device memory.
    pub device_memory: &'static [ReleaseSteps<Device>],
    /// Runs callbacks that had to wait until no lock is held.
    pub late_callbacks: &'static [fn()],
}

/// The host memory of a session.
pub struct HostMemory {
    /// The backend that the memory comes from.
    pub driver: Arc<dyn Driver>,
    /// The owner id of the memory.
    pub owner: Owner,
}

/// The ways to release one kind of memory with its owner.
pub struct ReleaseSteps<T> {
    /// Frees the memory.
    pub free: fn(&T, &mut TeardownErrors),
    /// Forgets the memory without freeing it: work that did not end in time may still use it.
    pub abandon: fn(&T),
}

/// A set of streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamsOf {
    /// The streams of the device with this id.
    Device(u32),
    /// The streams of this context.
    Context(Handle),
}

static LIFECYCLE: OnceLock<&'static Lifecycle> = OnceLock::new();

/// Sets the steps. The first call of the process does it before anything else.
pub fn install(lifecycle: &'static Lifecycle) {
    LIFECYCLE.get_or_init(|| lifecycle);
}

/// Returns the steps.
pub fn lifecycle() -> &'static Lifecycle {
    LIFECYCLE.get().expect("the first call installs them")
}
