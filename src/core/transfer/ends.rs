//! The ends of a transfer: the memory at its addresses, and whether the transfer may use it.
//!
//! [`find`] finds both ends of a copy. Its steps have one order: the memory of the destination and of the source, what
//! the call expects of them, then access, destination first. [`find_end`] finds one end, that of a fill or an operand.
//! Frequent calls try [`at_once`] or [`end_at_once`] before, which return the same for most ends.

use std::fmt::Display;

use crate::backend::{self, Place, Span};
use crate::base::error::{Result, param_invalid};
use crate::memory::allocation::{Allocation, CopyEnd, Kind};
use crate::memory::{self, Held};
use crate::runtime::device::Device;
use crate::transfer::synchronous::CallingThread;

/// An end as the call passes it.
#[derive(Clone, Copy)]
pub struct End<A> {
    /// The name of the argument, for texts.
    pub argument: A,
    /// The first byte.
    pub addr: usize,
    /// The number of bytes, not 0.
    pub len: usize,
}

/// The ends of a copy. They keep the devices of their memory open.
pub struct FoundEnds {
    /// The destination.
    pub dst: Span,
    /// The source.
    pub src: Span,
    /// Whether both are in host memory or on the user's device.
    pub are_local: bool,
    /// References to the other devices.
    pub held: [Held; 2],
}

impl FoundEnds {
    /// Returns the copy between them.
    #[inline]
    pub fn copy(&self, stage_source: bool) -> backend::Copy {
        backend::Copy { dst: self.dst, src: self.src, stage_source }
    }
}

/// What a call expects of the ends of a copy.
pub trait Expect {
    /// Whether ends in these places certainly pass the checks.
    fn accepts(&self, dst: Place, src: Place) -> bool;

    /// Fails for an end that contradicts the call, whatever the other one is.
    fn check_end(&self, _which: CopyEnd, _argument: impl Display, _span: &Span) -> Result<()> {
        Ok(())
    }

    /// Fails for ends that contradict the call.
    fn check(&mut self, dst: &Span, src: &Span) -> Result<()>;
}

/// The memory that a call takes at an end.
#[derive(Clone, Copy)]
pub enum Takes {
    /// Device memory.
    Device,
    /// All memory but pageable host memory, for which the text says what to do.
    Locked(&'static str),
}

/// The owner of the accesses.
pub enum Own<'a> {
    /// Operations of this device's streams.
    Device(&'a Device),
    /// A synchronous call, which reaches the memory on all devices.
    Thread(&'a mut CallingThread),
}

impl<'a> Own<'a> {
    #[inline]
    fn device(self) -> Result<&'a Device> {
        match self {
            Self::Device(device) => Ok(device),
            Self::Thread(thread) => Ok(thread.device()?),
        }
    }
}

/// Returns the ends that [`find`] finds if they are certain, as most are: each is in one allocation that is page-locked
/// or on this device, or, if `PAGEABLE`, in host memory that no driver knows. Then they need no reference.
///
/// Always inlined: the ends would go through memory.
#[inline(always)]
pub(crate) fn at_once<const PAGEABLE: bool>(
    dst: End<&'static str>,
    src: End<&'static str>,
    own: &Device,
    expect: &impl Expect,
) -> Option<FoundEnds> {
    let (dst, src) =
        (one_at_once::<PAGEABLE>(CopyEnd::Dst, dst, own)?, one_at_once::<PAGEABLE>(CopyEnd::Src, src, own)?);
    let is_certain = expect.accepts(dst.place, src.place) && !memory::must_ask();
    is_certain.then_some(FoundEnds { dst, src, are_local: true, held: [None, None] })
}

/// Returns the end that [`find_end`] finds if it is certain: it is in one allocation on this device.
#[inline(always)]
pub(crate) fn end_at_once(dst: End<&'static str>, own: &Device) -> Option<Span> {
    let span = one_at_once::<false>(CopyEnd::Dst, dst, own)?;
    (matches!(span.place, Place::Device(_)) && !memory::must_ask()).then_some(span)
}

/// Returns the memory of an end if it is certain. Access is not checked.
#[inline(always)]
fn one_at_once<const PAGEABLE: bool>(which: CopyEnd, end: End<&'static str>, own: &Device) -> Option<Span> {
    let End { addr, len, .. } = end;
    let host = Span { addr, len, place: Place::Pageable };
    if PAGEABLE && memory::is_plain(addr) {
        return addr.checked_add(len).map(|_| host);
    }
    let Some(found) = Allocation::reach_end(which, addr) else {
        return (PAGEABLE && memory::is_ordinary(addr, len)).then_some(host);
    };
    let place = match Kind::place_of(found) {
        Place::Device(id) if id == own.id => Place::Device(id),
        Place::Pinned => Place::Pinned,
        Place::Device(_) | Place::Pageable => return None,
    };
    (len <= found.left.get()).then_some(Span { addr, len, place })
}

/// Finds the ends of a copy, which reaches the memory on all devices.
#[inline(always)]
pub fn find<A: Display + Copy>(dst: End<A>, src: End<A>, own: Own<'_>, expect: &mut impl Expect) -> Result<FoundEnds> {
    // A closure for both would be a function that gets and returns its values in memory.
    let dst_span = memory::span(dst.argument, dst.addr, dst.len)?;
    expect.check_end(CopyEnd::Dst, dst.argument, &dst_span)?;
    let src_span = memory::span(src.argument, src.addr, src.len)?;
    expect.check_end(CopyEnd::Src, src.argument, &src_span)?;
    expect.check(&dst_span, &src_span)?;
    let own = own.device()?;
    let held_dst = memory::hold_other(dst.argument, &dst_span, own, true)?;
    let held_src = memory::hold_other(src.argument, &src_span, own, false)?;
    let is_local = |place| !matches!(place, Place::Device(id) if id != own.id);
    let are_local = is_local(dst_span.place) && is_local(src_span.place);
    Ok(FoundEnds { dst: dst_span, src: src_span, are_local, held: [held_dst, held_src] })
}

/// Finds the end of an operation that reads it, or writes it. Returns a reference that keeps its device open.
#[inline]
pub(crate) fn find_end(end: End<&str>, writes: bool, own: Own<'_>, takes: Takes) -> Result<(Span, Held)> {
    let End { argument, addr, len } = end;
    let span = memory::span(argument, addr, len)?;
    match (takes, span.place) {
        (Takes::Device, Place::Pinned | Place::Pageable) => return Err(memory::host_memory(argument, addr)),
        (Takes::Locked(remedy), Place::Pageable) => {
            return Err(param_invalid!("{argument} {addr:#x} is not memory from this library{remedy}"));
        }
        (Takes::Device, Place::Device(_)) | (Takes::Locked(_), Place::Pinned | Place::Device(_)) => (),
    }
    let held = match own {
        Own::Device(device) => memory::check_reach(argument, &span, device, writes)?,
        Own::Thread(thread) => memory::hold_other(argument, &span, thread.device()?, writes)?,
    };
    Ok((span, held))
}

/// Finds the device memory that an operation of a stream of `device` reads, or writes, as [`find_end`] does.
pub(crate) fn operand(argument: &str, addr: usize, len: usize, device: &Device, writes: bool) -> Result<(Span, Held)> {
    find_end(End { argument, addr, len }, writes, Own::Device(device), Takes::Device)
}
