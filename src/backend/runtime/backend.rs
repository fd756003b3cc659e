//! What a backend is before it is opened.

use std::ffi::CStr;
use std::sync::Arc;

use crate::schedule::Schedule;
use crate::{Driver, Result};

/// A backend that is compiled into the library. The library lists its backends in `src/ffi/assembly.rs`, and opens
/// one of them.
#[derive(Debug)]
pub struct Backend {
    /// [`Driver::name`], and the value of `PORTACL_BACKEND` that chooses it.
    pub name: &'static CStr,
    /// Whether its streams can follow a schedule.
    pub takes_schedules: bool,
    /// Whether a process that has opened it has forked children that cannot use it, even if it has opened no device.
    pub binds_process: bool,
    /// Returns the number of devices that it will have once it is open, if it can find out without binding the process.
    pub count_unopened: fn() -> Option<u32>,
    /// Opens it with the devices that the function selects from the given number, in that order. A device holds no
    /// memory or threads before it is opened. A fault of kind [`NoDevice`](crate::FaultKind::NoDevice) says what is
    /// missing on this machine.
    pub open: Opening,
}

/// The function that opens a backend.
pub type Opening = fn(&Options, &mut dyn FnMut(u32) -> Vec<u32>) -> Result<Arc<dyn Driver>>;

/// The settings of the process for a backend, which ignores those that it does not have.
#[derive(Clone, Default)]
pub struct Options {
    /// The number of devices, at most 64. `None`: the backend's default.
    pub devices: Option<u32>,
    /// The number of bytes of memory on each device, as a private limit, rounded up to 2 MiB. `None`: each can have
    /// nearly all memory of this machine, and all together have no more than that.
    pub memory_per_device: Option<u64>,
    /// Nothing runs in the caller, no thread helps, and operations are delayed at random, so that a missing
    /// synchronization becomes visible.
    pub asynchronous: bool,
    /// The seed of the delays.
    pub seed: u64,
    /// The host has no access to device memory: an access faults, and a text explains it.
    pub guard: bool,
    /// The program's access to pinned memory can be closed while operations use it. Valid only with `guard`.
    pub closes_pinned: bool,
    /// The schedule that gives the order of operations, without delays. Valid only with `asynchronous`.
    pub schedule: Option<Arc<Schedule>>,
}
