//! Copies and fills, synchronously and in a stream. Copies of rows are in `memcpy_2d.rs`.
//!
//! Copies of pageable host memory go to the driver, which stages them through pinned buffers; staging in the library
//! would cost the same host copy (`bench_cuda` measures both). [`run_pageable`] keeps the driver from waiting inside
//! such a copy. A copy between devices names both contexts, and a synchronous one runs on a stream of one of the two
//! devices, so neither needs access to the other's memory.

use std::slice;
use std::sync::Arc;

use cudarc::driver::sys::{CUdeviceptr, CUstream_st};

use crate::backend::{Copy, Fill, Pattern, Place, Position, Result, Span};
use crate::runtime::{DeviceState, Raw};
use crate::stream::host_fn;
use crate::stream::state::StreamState;
use crate::transfer::memcpy_batch::OneCall;

pub(crate) fn device_pointer(span: Span) -> CUdeviceptr {
    span.addr as CUdeviceptr
}

pub(crate) fn is_host(place: Place) -> bool {
    matches!(place, Place::Pageable | Place::Pinned)
}

/// Returns the devices at both ends of a copy that does not stay on one, if both are open.
pub(crate) fn peers(device: &DeviceState, dst: Place, src: Place) -> Option<(Arc<DeviceState>, Arc<DeviceState>)> {
    match (dst, src) {
        (Place::Device(to), Place::Device(from)) if to != from => {
            device.driver.device(to).zip(device.driver.device(from))
        }
        (Place::Device(_) | Place::Pageable | Place::Pinned, _) => None,
    }
}

/// Copies between two ranges of host memory.
///
/// # Safety
/// Both are live, and writable or readable respectively.
pub(crate) unsafe fn copy_host(copy: &Copy) {
    let src: *const u8 = std::ptr::with_exposed_provenance(copy.src.addr);
    let dst: *mut u8 = std::ptr::with_exposed_provenance_mut(copy.dst.addr);
    // SAFETY: the caller vouches for both host ranges; they may be the same, hence no
    // `nonoverlapping`.
    unsafe { std::ptr::copy(src, dst, copy.dst.len) };
}

/// # Safety
/// The range is live and writable. (The core checked that the pattern fits it.)
pub(crate) unsafe fn fill_host(fill: &Fill) {
    let dst: *mut u8 = std::ptr::with_exposed_provenance_mut(fill.dst.addr);
    // SAFETY: the fill's owner vouches for `fill.dst.len` bytes of host memory at this address
    // until it has run.
    unsafe { fill.write_to(dst, fill.dst.len) };
}

/// Whether a copy has an end on `device`, and none on another.
#[inline(always)]
pub(super) fn stays_on(device: &DeviceState, copy: &Copy) -> bool {
    let here = device.context.ordinal;
    match (copy.dst.place, copy.src.place) {
        (Place::Device(to), Place::Device(from)) => to == here && from == here,
        (Place::Device(end), _) | (_, Place::Device(end)) => end == here,
        (Place::Pageable | Place::Pinned, Place::Pageable | Place::Pinned) => false,
    }
}

/// Submits a copy to the driver. At least one end is on a device.
pub(crate) fn issue_copy(device: &DeviceState, stream: Raw<CUstream_st>, copy: &Copy) -> Result<()> {
    if stays_on(device, copy) { issue_on_device(device, stream, copy) } else { issue_crossing(device, stream, copy) }
}

/// Submits a copy to the driver that stays on this device.
#[inline(always)]
fn issue_on_device(device: &DeviceState, stream: Raw<CUstream_st>, copy: &Copy) -> Result<()> {
    // SAFETY: both ranges passed the core's checks, and their owners may free them only after the
    // stream.
    device.call_here(|api| unsafe {
        let (dst, src, len) = (copy.dst.addr, copy.src.addr, copy.dst.len);
        match (is_host(copy.dst.place), is_host(copy.src.place)) {
            (false, false) => api.memcpy_dtod_async(dst as CUdeviceptr, src as CUdeviceptr, len, stream.0),
            (false, true) => {
                let src = std::ptr::with_exposed_provenance(src);
                api.memcpy_htod_async(dst as CUdeviceptr, src, len, stream.0)
            }
            (true, _) => {
                let dst = std::ptr::with_exposed_provenance_mut(dst);
                api.memcpy_dtoh_async(dst, src as CUdeviceptr, len, stream.0)
            }
        }
    })
}

/// Submits a copy to the driver with an end on another device, or on one that another library uses.
#[inline(never)]
fn issue_crossing(device: &DeviceState, stream: Raw<CUstream_st>, copy: &Copy) -> Result<()> {
    let (dst, src) = (device_pointer(copy.dst), device_pointer(copy.src));
    if let Some((to, from)) = peers(device, copy.dst.place, copy.src.place) {
        let (to, from) = (to.context.raw, from.context.raw);
        // SAFETY: the core has checked both ranges and keeps both devices open.
        return device.call(|api| unsafe { api.memcpy_peer_async(dst, to.0, src, from.0, copy.dst.len, stream.0) });
    }
    // SAFETY: the core has checked both ranges; the driver finds out by the addresses where they
    // are.
    device.call(|api| unsafe { api.memcpy_async(dst, src, copy.dst.len, stream.0) })
}

fn issue_fill(device: &DeviceState, stream: Raw<CUstream_st>, fill: &Fill) -> Result<()> {
    // SAFETY: the range passed the core's checks, and its device memory outlives the enqueued fill.
    device.call(|api| unsafe {
        let (dst, count) = (device_pointer(fill.dst), fill.dst.len / fill.pattern.size());
        match fill.pattern {
            Pattern::Byte(value) => api.memset_d8_async(dst, value, count, stream.0),
            Pattern::Word(value) => api.memset_d32_async(dst, value, count, stream.0),
        }
    })
}

/// Returns the device whose stream runs a synchronous copy or fill, or `None` for this device. That is this device if
/// an end is on it. Otherwise it is the device of one end, which reaches its own memory even without access to the
/// other's.
pub(crate) fn other_doer(device: &DeviceState, dst: Place, src: Place) -> Option<Arc<DeviceState>> {
    let here = device.context.ordinal;
    [dst, src]
        .into_iter()
        .try_fold(None, |other, place| match place {
            Place::Device(ordinal) if ordinal == here => Err(()),
            Place::Device(ordinal) => Ok(other.or_else(|| device.driver.device(ordinal))),
            Place::Pageable | Place::Pinned => Ok(other),
        })
        .unwrap_or_default()
}

/// Copies synchronously, ordered with nothing.
pub(crate) fn copy_now(device: &DeviceState, copy: &Copy) -> Result<()> {
    if is_host(copy.dst.place) && is_host(copy.src.place) {
        // SAFETY: the core has checked both ranges.
        unsafe { copy_host(copy) };
        return Ok(());
    }
    let other = other_doer(device, copy.dst.place, copy.src.place);
    let device = other.as_deref().unwrap_or(device);
    device.on_library_stream(|stream| issue_copy(device, stream, copy))
}

/// Copies synchronously: submits to each device all its copies, and waits for it once.
pub(crate) fn copy_batch_now(device: &DeviceState, copies: &[Copy]) -> Result<()> {
    let (on_host, mut left): (Vec<&Copy>, Vec<&Copy>) =
        copies.iter().partition(|copy| is_host(copy.dst.place) && is_host(copy.src.place));
    // SAFETY: the core has checked both ranges of each.
    on_host.into_iter().for_each(|copy| unsafe { copy_host(copy) });
    while let Some(first) = left.first() {
        let doer = |copy: &Copy| other_doer(device, copy.dst.place, copy.src.place);
        let other = doer(first);
        let is_same = |copy: &&Copy| doer(copy).as_ref().map(Arc::as_ptr) == other.as_ref().map(Arc::as_ptr);
        let (now, later): (Vec<&Copy>, Vec<&Copy>) = left.into_iter().partition(is_same);
        let device = other.as_deref().unwrap_or(device);
        device.on_library_stream(|stream| match OneCall::of(device, &now) {
            Some(all) => all.issue(device, stream),
            None => now.iter().try_for_each(|copy| issue_copy(device, stream, copy)),
        })?;
        left = later;
    }
    Ok(())
}

/// Fills synchronously, ordered with nothing. The driver fills only memory of the stream's device.
pub(crate) fn fill_now(device: &DeviceState, fill: &Fill) -> Result<()> {
    let place = fill.dst.place;
    if is_host(place) {
        // SAFETY: the core has checked the range.
        unsafe { fill_host(fill) };
        return Ok(());
    }
    let other = other_doer(device, place, place);
    let owner = other.as_deref().unwrap_or(device);
    owner.on_library_stream(|stream| issue_fill(owner, stream, fill))
}

/// Enqueues a copy.
#[inline(always)]
pub(crate) fn queue_copy(stream: &Arc<StreamState>, copy: &Copy) -> Result<Position> {
    let device = &stream.device;
    if !must_wait(copy) && stays_on(device, copy) {
        return stream.submit(
            #[inline(always)]
            || issue_on_device(device, stream.raw, copy),
        );
    }
    // The caller waits for it, or it has an end on another device, or none on the stream's device.
    queue_batch(stream, slice::from_ref(copy))
}

/// Enqueues copies, and waits once for those that have to be waited for.
#[inline(never)]
pub(crate) fn queue_batch(stream: &Arc<StreamState>, copies: &[Copy]) -> Result<Position> {
    let enqueue = || match OneCall::of(&stream.device, copies) {
        // No capture takes such a call, and other libraries may capture a stream that they know.
        Some(all) if !stream.is_shared() => stream.submit(|| all.issue(&stream.device, stream.raw)),
        _ => copies.iter().try_fold(0, |_, copy| submit_copy(stream, copy)),
    };
    if copies.iter().any(Copy::is_pageable) {
        return run_pageable(stream, || copy_batch_now(&stream.device, copies), enqueue);
    }
    let queued = enqueue();
    // The wait takes place even if one of several was refused, because the others may be using the caller's memory.
    let may_be_used = queued.is_ok() || copies.len() > 1;
    let done = if may_be_used && copies.iter().any(must_wait) { stream.finish() } else { Ok(()) };
    queued.and_then(|position| done.map(|()| position))
}

/// Whether this library waits for the copy itself. What the driver promises for pageable memory differs between
/// versions and machines: some let the device read it in place, later. The library also waits if the source has to be
/// free on return.
fn must_wait(copy: &Copy) -> bool {
    copy.stage_source || copy.is_pageable()
}

pub(crate) fn is_pageable(places: [Place; 2]) -> bool {
    places.contains(&Place::Pageable)
}

/// The number of times that a copy of pageable memory waits for its stream to be idle while other threads submit to it.
const TRIES: usize = 8;

/// Runs copies of pageable memory, and returns when they are complete.
///
/// A driver that waits inside such a copy holds a lock of the context. Calls of other threads would wait as well, and
/// what it waits for may need one of them: the work before it in the stream, and other streams' work before it in the
/// hardware queue. So `now` runs the copies on a stream of the library, when the program's stream is idle. `enqueue`
/// submits them to the program's stream instead if that is never idle, or if other libraries submit to it.
pub(crate) fn run_pageable(
    stream: &StreamState,
    now: impl Fn() -> Result<()>,
    enqueue: impl FnOnce() -> Result<Position>,
) -> Result<Position> {
    for _ in 0..TRIES {
        if !stream.is_known_idle() {
            stream.finish()?;
        }
        if stream.is_lent() {
            break;
        }
        if let Some(done) = stream.run_while_idle(&now) {
            return done;
        }
    }
    let queued = enqueue();
    // The wait takes place even if a part was refused, because the rest may be using the caller's memory.
    let done = stream.finish();
    queued.and_then(|position| done.map(|()| position))
}

fn submit_copy(stream: &Arc<StreamState>, copy: &Copy) -> Result<Position> {
    if is_host(copy.dst.place) && is_host(copy.src.place) {
        // The driver copies between host ranges on the calling thread, out of order. A host function copies in order.
        let copy = copy.clone();
        // SAFETY: the copy's ranges are host memory that the program keeps until the stream has run the
        // function.
        return host_fn::queue(stream, boxed(move || unsafe { copy_host(&copy) }));
    }
    note_places(stream, [copy.dst.place, copy.src.place]);
    stream.submit(|| issue_copy(&stream.device, stream.raw, copy))
}

/// Boxes a job that is too large for a stream's slot.
fn boxed(job: impl FnOnce() + Send + 'static) -> Box<dyn FnOnce() + Send> {
    Box::new(job)
}

/// Notes that the next operation uses memory in these places. Host memory does not count.
pub(crate) fn note_places(stream: &StreamState, places: [Place; 2]) {
    stream.note_use_of(places.into_iter().filter(|place| !is_host(*place)));
}

/// Enqueues a fill.
pub(crate) fn queue_fill(stream: &Arc<StreamState>, fill: &Fill) -> Result<Position> {
    let device = &stream.device;
    if !is_host(fill.dst.place) {
        stream.note_use_of([fill.dst.place]);
        return stream.submit(|| issue_fill(device, stream.raw, fill));
    }
    let job = *fill;
    // SAFETY: the job copies a fill whose destination stays valid until the stream has run this
    // function.
    let position = host_fn::queue(stream, boxed(move || unsafe { fill_host(&job) }))?;
    if fill.dst.place == Place::Pageable {
        stream.finish()?;
    }
    Ok(position)
}
