//! The steps of the regions above this one when the session, a device or a context begins and ends.
//!
//! This region runs the steps and does not know what they do. `core/assembly.rs` lists them, in the order in which they
//! run.

pub mod driver;

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::algo::map::slot_table::Handle;
use crate::backend::Driver;
use crate::core::base::config::Environment;
use crate::core::base::error::Result;
use crate::core::base::owner::Owner;
use crate::core::base::teardown_errors::TeardownErrors;
use crate::core::runtime::open_device::Device;

/// The steps, each list in its order.
pub struct Lifecycle {
    /// Creates the default stream of a new context.
    pub create_default_stream: fn(&Arc<Device>, Handle) -> Result<Handle>,
    /// The handles of live streams.
    pub stream_handles: fn(StreamsOf) -> Vec<u64>,
    /// Whether a stream with this handle is live.
    pub stream_is_live: fn(u64) -> bool,
    /// Removes the streams of the context that had this handle, and waits for their work.
    pub drain_context: fn(u64, &mut TeardownErrors),
    /// Removes the streams of a device and waits for their work. Waits for values in memory end at the first time, the
    /// wait at the second one.
    pub drain_device: fn(&Arc<Device>, Instant, Option<Instant>, &mut TeardownErrors),
    /// Apply the environment, before the backend opens.
    pub session_opening: &'static [fn(&Environment) -> Result<()>],
    /// Reports before a finalize releases anything. They get the name of the call.
    pub session_teardown: &'static [fn(&str)],
    /// Waits until threads of the program have left the library; false: not before the deadline.
    pub session_left: fn(Instant) -> bool,
    /// Remove handles that belong to no device. They run until no call uses the session.
    pub session_handles: &'static [fn()],
    /// Host memory.
    pub session_memory: &'static [Release<HostMemory>],
    /// State of the session that needs neither memory nor handles.
    pub session_state: &'static [fn()],
    /// Stops threads of the library; false: not before the deadline.
    pub session_threads: fn(Instant) -> bool,
    /// The backend is closed, or did not open.
    pub session_closed: &'static [fn()],
    /// A finalize is complete.
    pub session_ended: &'static [fn()],
    /// Reports before a context is destroyed.
    pub context_teardown: &'static [fn(Handle)],
    /// Reports before a device is released. They get the name of the call.
    pub device_teardown: &'static [fn(&Device, &str)],
    /// Remove handles of a device after its streams. They run until no call uses the device.
    pub device_handles: &'static [fn(&Arc<Device>)],
    /// State about a device that no call uses any more.
    pub device_state: &'static [fn(&Device)],
    /// Memory of a device.
    pub device_memory: &'static [Release<Device>],
    /// Callbacks that had to wait until no lock is held.
    pub late_callbacks: &'static [fn()],
}

/// The host memory of a session.
pub struct HostMemory {
    /// The backend that it comes from.
    pub driver: Arc<dyn Driver>,
    /// The owner id that it carries.
    pub owner: Owner,
}

/// How one kind of memory is released with its owner.
pub struct Release<T> {
    /// Frees it.
    pub free: fn(&T, &mut TeardownErrors),
    /// Forgets it without freeing: work that did not end in time may still use it.
    pub abandon: fn(&T),
}

/// A set of streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamsOf {
    /// Those of the device with this id.
    Device(u32),
    /// Those of this context.
    Context(Handle),
}

static LIFECYCLE: OnceLock<&'static Lifecycle> = OnceLock::new();

/// Sets the steps. The first call of the process does it before anything else.
pub fn install(lifecycle: &'static Lifecycle) {
    LIFECYCLE.get_or_init(|| lifecycle);
}

/// The steps.
pub fn lifecycle() -> &'static Lifecycle {
    LIFECYCLE.get().expect("the first call installs them")
}
