//! The memory at an address.

use std::fmt;

use crate::algo::count::Count;
use crate::backend::{self, Foreign, Place, Span};
use crate::base::error::{Error, Result, invalid_param, param_invalid};
use crate::memory::allocation::backing::backing;
use crate::memory::allocation::{Allocation, Kind};
use crate::memory::{access, virtual_memory};
use crate::runtime;

/// Returns the memory at `addr`, for a transfer of `len` (not 0) bytes that stays inside it.
///
/// Always inlined: its result would go through memory, in stores of other sizes than the loads, which stalls the
/// processor.
#[inline(always)]
pub fn span(argument: impl fmt::Display, addr: usize, len: usize) -> Result<Span> {
    let known = if is_plain(addr) { None } else { Allocation::reach(addr) };
    match known {
        None => unknown_span(argument, addr, len),
        Some(found) if len > found.left.get() => beyond_one(argument, addr, len, Kind::of(found)),
        Some(found) => Ok(Span { addr, len, place: Kind::place_of(found) }),
    }
}

/// Whether it is certainly pageable host memory, which belongs to no allocation and no driver.
#[inline(always)]
pub(crate) fn is_plain(addr: usize) -> bool {
    // The order matters: known memory was checked before.
    debug_assert!(Allocation::known(addr).is_none() || backend::may_know(addr), "{addr:#x}");
    !backend::may_know(addr)
}

/// Whether it is pageable host memory although a driver may know it, if [`must_ask`](super::hold::must_ask) is false.
#[inline(never)]
pub(crate) fn is_ordinary(addr: usize, len: usize) -> bool {
    addr.checked_add(len).is_some() && foreign(addr) == Foreign::Unknown
}

/// Returns the span of memory that this library did not allocate.
#[inline]
fn unknown_span(argument: impl fmt::Display, addr: usize, len: usize) -> Result<Span> {
    ensure!(addr.checked_add(len).is_some(), beyond_all(argument, addr, len));
    match foreign(addr) {
        Foreign::Unknown if is_idle_in_pool(addr) => Err(stale(argument, addr)),
        Foreign::Unknown => Ok(Span { addr, len, place: Place::Pageable }),
        Foreign::Known(place) => Ok(Span { addr, len, place }),
        Foreign::Stale => Err(stale(argument, addr)),
    }
}

/// Returns the span of memory that continues past the end of an allocation: adjacent mappings are used together.
#[cold]
fn beyond_one(argument: impl fmt::Display, addr: usize, len: usize, kind: Kind) -> Result<Span> {
    let is_mapped = matches!(kind, Kind::Mapped(_) | Kind::HostMapped(_));
    if is_mapped && virtual_memory::are_side_by_side(addr, len, kind) {
        return Ok(Span { addr, len, place: kind.place() });
    }
    Err(outside(argument, addr, len))
}

/// Whether the address is idle pool memory.
#[inline]
pub(super) fn is_idle_in_pool(addr: usize) -> bool {
    access::is_host_memory_restricted()
        && runtime::existing_session().is_some_and(|session| (backing().is_idle)(&*session.driver, addr))
}

#[cold]
pub(crate) fn beyond_all(argument: impl fmt::Display, addr: usize, len: usize) -> Error {
    let len = Count(len, "byte");
    invalid_param!("{argument} {addr:#x} plus {len} is beyond the end of the address space")
}

/// Returns what the backend knows about memory that is in no allocation.
#[inline]
pub(super) fn foreign(addr: usize) -> Foreign {
    if backend::may_know(addr) { ask_backend(addr) } else { Foreign::Unknown }
}

#[inline(never)]
fn ask_backend(addr: usize) -> Foreign {
    runtime::glance().map_or(Foreign::Unknown, |session| session.driver.foreign(addr))
}

#[cold]
pub(crate) fn stale(argument: impl fmt::Display, addr: usize) -> Error {
    if let Some(error) = virtual_memory::unusable(&argument, addr) {
        return error;
    }
    param_invalid!(
        "{argument} {addr:#x} is in an address range of this library, but not in a live allocation: it was freed, is \
         past the end of an allocation, or was released with its device or session"
    )
}

#[cold]
pub(crate) fn outside(argument: impl fmt::Display, addr: usize, len: usize) -> Error {
    // Another thread has freed the memory meanwhile.
    let Some(allocation) = Allocation::find(addr) else { return stale(argument, addr) };
    let Allocation { base, len: all, kind, .. } = allocation;
    let left = Count(all - (addr - base), "byte");
    let (len, all) = (Count(len, "byte"), Count(all, "byte"));
    let (what, remedy) = if let Kind::Registered { .. } = kind {
        ("registration", "; to use more, register the whole range")
    } else if let Kind::Mapped(_) | Kind::HostMapped(_) = kind {
        (
            "mapping",
            ", or up to the end of accessible mappings on the same device or NUMA node that follow without a gap",
        )
    } else {
        ("allocation", "")
    };
    param_invalid!(
        "{argument} {addr:#x} plus {len} runs past the end of its {what} of {all} at {base:#x}; allowed: at most \
         {left}{remedy}"
    )
}
