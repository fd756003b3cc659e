//! The memory that operations of a stream may use: references and access checks for memory that is not on the caller's
//! device.
//!
//! Copies reach the memory on all devices. Every other operation reaches its own device's memory and managed memory. It
//! reaches pool memory and mappings on another device if its device has access to them. One function checks access
//! for all of them, including copies ([`hold_other`]): a read needs read access, a write needs read-write access.

use std::fmt;
use std::sync::Arc;

use super::is_managed;
use super::span::{foreign, is_idle_in_pool, stale};
use crate::backend::{Foreign, Place, Span};
use crate::base::error::{Error, Result, param_invalid};
use crate::memory::access;
use crate::memory::allocation::backing::backing;
use crate::memory::allocation::{Allocation, Kind, MemorySource};
use crate::memory::virtual_memory::access as mapped;
use crate::runtime::device::Device;

/// A reference that keeps the other device open until the operation is enqueued.
pub type Held = Option<Arc<Device>>;

/// Whether some memory is restricted to some devices. Memory on the caller's device and page-locked memory count as
/// well.
#[inline(always)]
pub(crate) fn must_ask() -> bool {
    // `|` instead of `||` needs one branch for both.
    access::is_host_memory_restricted() | mapped::restricted_exist()
}

/// Whether memory in this place needs no reference and no access check.
#[inline(always)]
fn is_local(place: Place, own: &Device) -> bool {
    match place {
        Place::Device(id) => id == own.id && !mapped::restricted_exist(),
        Place::Pinned => !access::is_host_memory_restricted() && !mapped::restricted_exist(),
        Place::Pageable => true,
    }
}

/// Returns a reference to the device of a span on another device, which could be closed otherwise. The caller holds it
/// while it uses the span. Fails if the caller's device may not use pool memory.
#[inline]
pub(crate) fn hold_other(argument: impl fmt::Display, span: &Span, own: &Device, writes: bool) -> Result<Held> {
    match span.place {
        place if is_local(place, own) => Ok(None),
        Place::Device(id) if id != own.id => hold_device(argument, span, own, writes),
        Place::Device(_) => mapped::check(argument, span, own, writes).map(|()| None),
        Place::Pageable | Place::Pinned => check_access(argument, span, own, writes).map(|_| None),
    }
}

/// Fails if a pointer argument of a kernel is to memory that the kernel cannot use: freed memory, or pool memory
/// or a mapping without access for its device. Accepts null and the end of an allocation. Does not check host memory.
#[inline]
pub(crate) fn check_pointer(argument: impl fmt::Display, addr: usize, own: &Device, writes: bool) -> Result<()> {
    match Allocation::reach(addr) {
        Some(found) if is_local(Kind::place_of(found), own) => Ok(()),
        Some(found) => check_reached(argument, addr, Kind::of(found), own, writes),
        None => check_unknown(argument, addr),
    }
}

#[cold]
fn check_reached(argument: impl fmt::Display, addr: usize, kind: Kind, own: &Device, writes: bool) -> Result<()> {
    match check_access(&argument, &Span { addr, len: 1, place: kind.place() }, own, writes)? {
        Some(_) => Ok(()),
        None => check_unknown(argument, addr),
    }
}

/// Fails if a mapping, or a pool, does not give the caller's device access. Returns the allocation of the first byte.
#[cold]
fn check_access(argument: impl fmt::Display, span: &Span, own: &Device, writes: bool) -> Result<Option<Allocation>> {
    mapped::check(&argument, span, own, writes)?;
    let found = Allocation::find(span.addr);
    if let Some(allocation) = &found {
        (backing().check_access)(&argument, span.addr, allocation, own.id, writes)?;
    }
    Ok(found)
}

#[cold]
fn check_unknown(argument: impl fmt::Display, addr: usize) -> Result<()> {
    if addr == 0 || Allocation::reach(addr - 1).is_some() {
        return Ok(());
    }
    match foreign(addr) {
        Foreign::Stale => Err(stale(argument, addr)),
        Foreign::Unknown if is_idle_in_pool(addr) => Err(stale(argument, addr)),
        Foreign::Unknown | Foreign::Known(_) => Ok(()),
    }
}

#[cold]
fn hold_device(argument: impl fmt::Display, span: &Span, own: &Device, writes: bool) -> Result<Held> {
    let addr = span.addr;
    let device = match check_access(&argument, span, own, writes)? {
        Some(allocation) => allocation.device(),
        // Memory that only the driver knows needs no reference.
        None if matches!(foreign(addr), Foreign::Known(_)) => return Ok(None),
        None => None,
    };
    let gone = || {
        param_invalid!(
            "{argument} {addr:#x}: during this call, another thread has freed this memory or reset its device; free \
             the memory, and reset the device, after the call"
        )
    };
    device.map(Some).ok_or_else(gone)
}

/// Fails if operations of this device's streams do not reach a span, or may not use it.
pub(crate) fn check_reach(argument: &str, span: &Span, device: &Device, writes: bool) -> Result<Held> {
    match span.place {
        Place::Device(id) if id != device.id && !reaches(span, device, writes) => {
            Err(of_another_device(argument, span.addr, id, device))
        }
        Place::Pageable | Place::Pinned | Place::Device(_) => hold_other(argument, span, device, writes),
    }
}

/// Whether operations of `device` reach memory on another device. Access to pools is not checked here.
#[cold]
fn reaches(span: &Span, device: &Device, writes: bool) -> bool {
    match Allocation::find(span.addr).map(|found| found.kind.source()) {
        Some(MemorySource::Pool) => true,
        Some(MemorySource::Mapping) => mapped::is_granted(span, device, writes),
        Some(MemorySource::Device(_) | MemorySource::Backend | MemorySource::Caller) | None => is_managed(span.addr),
    }
}

#[cold]
fn of_another_device(argument: &str, addr: usize, id: u32, device: &Device) -> Error {
    param_invalid!(
        "{argument} {addr:#x} is memory on device {id}, but this operation is for device {0}; use a stream or context \
         of device {id}, or pass memory that is on device {0}",
        device.id
    )
}
