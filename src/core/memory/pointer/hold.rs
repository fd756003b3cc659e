//! References and access checks for memory that is not on the caller's device.

use std::fmt;
use std::sync::Arc;

use super::span::{foreign, is_idle_in_pool, stale};
use crate::backend::{Foreign, Place, Span};
use crate::core::base::error::{Result, param_invalid};
use crate::core::memory::access;
use crate::core::memory::allocation::backing::backing;
use crate::core::memory::allocation::{Allocation, Kind};
use crate::core::memory::virtual_memory::access as mapped;
use crate::core::runtime::device::Device;

/// Whether some memory is restricted to some devices, including memory of the caller's device and page-locked memory.
#[inline(always)]
pub fn must_ask() -> bool {
    // Not `||`: one branch for both.
    access::is_host_memory_restricted() | mapped::restricted_exist()
}

/// Whether memory in this place needs no reference and no access check.
#[inline(always)]
pub fn is_local(place: Place, own: &Device) -> bool {
    match place {
        Place::Device(id) => id == own.id && !mapped::restricted_exist(),
        Place::Pinned => !access::is_host_memory_restricted() && !mapped::restricted_exist(),
        Place::Pageable => true,
    }
}

/// A reference that the caller holds while it uses a span on another device, which could be closed otherwise. Fails if
/// the caller's device may not use memory of a pool.
#[inline]
pub fn hold_other(argument: impl fmt::Display, span: &Span, own: &Device, writes: bool) -> Result<Option<Arc<Device>>> {
    match span.place {
        place if is_local(place, own) => Ok(None),
        Place::Device(id) if id != own.id => hold_device(argument, span, own, writes),
        Place::Device(_) => mapped::check(argument, span, own, writes).map(|()| None),
        _ => check_pinned(argument, span, own, writes).map(|()| None),
    }
}

/// Fails if a pointer argument of a kernel is to memory that the kernel cannot use: freed memory, or memory of a pool
/// or a mapping without access for its device. Null and the end of an allocation are accepted; host memory is left to
/// the device.
#[inline]
pub fn check_pointer(argument: impl fmt::Display, addr: usize, own: &Device, writes: bool) -> Result<()> {
    match Allocation::reach(addr) {
        Some(found) if is_local(Kind::of(found).place(), own) => Ok(()),
        Some(found) => check_reached(argument, addr, Kind::of(found), own, writes),
        None => check_unknown(argument, addr),
    }
}

#[cold]
fn check_reached(argument: impl fmt::Display, addr: usize, kind: Kind, own: &Device, writes: bool) -> Result<()> {
    let span = Span { addr, len: 1, place: kind.place() };
    mapped::check(&argument, &span, own, writes)?;
    match Allocation::find(addr) {
        Some(allocation) => (backing().check_access)(&argument, addr, &allocation, own.id, writes),
        None => check_unknown(argument, addr),
    }
}

#[cold]
fn check_unknown(argument: impl fmt::Display, addr: usize) -> Result<()> {
    if addr == 0 || Allocation::reach(addr - 1).is_some() {
        return Ok(());
    }
    match foreign(addr) {
        Foreign::Stale => Err(stale(argument, addr)),
        Foreign::Unknown if is_idle_in_pool(addr) => Err(stale(argument, addr)),
        _ => Ok(()),
    }
}

#[cold]
fn hold_device(argument: impl fmt::Display, span: &Span, own: &Device, writes: bool) -> Result<Option<Arc<Device>>> {
    let addr = span.addr;
    match Allocation::find(addr) {
        Some(allocation) => {
            if let Some(device) = allocation.device() {
                (backing().check_access)(&argument, addr, &allocation, own.id, writes)?;
                mapped::check(&argument, span, own, writes)?;
                return Ok(Some(device));
            }
        }
        // Memory that only the driver knows needs no reference.
        None if matches!(foreign(addr), Foreign::Known(_)) => return Ok(None),
        None => {}
    }
    Err(param_invalid!("{argument} {addr:#x} is memory of a device that another thread has reset meanwhile"))
}

#[cold]
fn check_pinned(argument: impl fmt::Display, span: &Span, own: &Device, writes: bool) -> Result<()> {
    mapped::check(&argument, span, own, writes)?;
    match Allocation::find(span.addr) {
        Some(allocation) => (backing().check_access)(&argument, span.addr, &allocation, own.id, writes),
        None => Ok(()),
    }
}
