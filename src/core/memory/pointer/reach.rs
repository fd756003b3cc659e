//! Which memory the operations of a stream may use.
//!
//! Copies reach the memory of all devices. Every other operation reaches its own device's memory, managed memory, and
//! memory on another device that its device has access to: of a pool, and mappings. Access is checked in one place for
//! all of them, copies included ([`hold_other`]): reading needs read access, writing needs read-write access.

use std::sync::Arc;

use super::hold::hold_other;
use super::span::span;
use super::{host_memory, is_managed};
use crate::backend::{Place, Span};
use crate::core::base::error::{Error, Result, param_invalid};
use crate::core::memory::allocation::{Allocation, Kind};
use crate::core::memory::virtual_memory::access as mapped;
use crate::core::runtime::device::Device;

/// A reference that keeps the other device open until the operation is queued.
pub type Held = Option<Arc<Device>>;

/// Device memory that an operation of a stream of `device` reads, or writes.
pub fn device_span(argument: &str, addr: usize, len: usize, device: &Device, writes: bool) -> Result<(Span, Held)> {
    let span = span(argument, addr, len)?;
    match span.place {
        Place::Device(_) => {
            let held = check_reach(argument, &span, device, writes)?;
            Ok((span, held))
        }
        Place::Pinned | Place::Pageable => Err(host_memory(argument, addr)),
    }
}

/// Fails if operations of this device's streams do not reach a span, or may not use it.
pub fn check_reach(argument: &str, span: &Span, device: &Device, writes: bool) -> Result<Held> {
    match span.place {
        Place::Device(id) if id != device.id && !reaches(span, device, writes) => {
            Err(of_another_device(argument, span.addr, id, device))
        }
        _ => hold_other(argument, span, device, writes),
    }
}

/// Whether operations of `device` reach memory of another one. The access to a pool is not checked here.
#[cold]
fn reaches(span: &Span, device: &Device, writes: bool) -> bool {
    match Allocation::find(span.addr).map(|found| found.kind) {
        Some(Kind::Pool(_)) => true,
        Some(Kind::Mapped(_)) => mapped::is_granted(span, device, writes),
        _ => is_managed(span.addr),
    }
}

#[cold]
fn of_another_device(argument: &str, addr: usize, id: u32, device: &Device) -> Error {
    param_invalid!(
        "{argument} {addr:#x} is memory of device {id}, the stream is on device {}; use a stream of device \
         {id}, or copy the memory over first",
        device.id
    )
}
