//! Copies and fills, at once and in a stream.

use std::sync::Arc;

use cudarc::driver::sys::{CUdeviceptr, CUstream_st};

use super::context::Raw;
use super::device::DeviceState;
use super::host_fn;
use super::stream::StreamState;
use crate::backend::{Copy, Fill, Pattern, Place, Result, Span};

fn device_pointer(span: Span) -> CUdeviceptr {
    span.addr as CUdeviceptr
}

fn is_host(place: Place) -> bool {
    matches!(place, Place::Pageable | Place::Pinned)
}

/// Copies between two ranges of host memory.
///
/// # Safety
/// Both are live, and writable or readable respectively.
unsafe fn copy_host(copy: &Copy) {
    let src: *const u8 = std::ptr::with_exposed_provenance(copy.src.addr);
    let dst: *mut u8 = std::ptr::with_exposed_provenance_mut(copy.dst.addr);
    // SAFETY: as promised by the caller; the ranges may be the same, hence no `nonoverlapping`.
    unsafe { std::ptr::copy(src, dst, copy.dst.len) };
}

/// # Safety
/// The range is live and writable. (The core checked that the pattern fits it.)
unsafe fn fill_host(fill: &Fill) {
    let dst: *mut u8 = std::ptr::with_exposed_provenance_mut(fill.dst.addr);
    // SAFETY: as promised by the caller.
    unsafe { fill.write_to(dst, fill.dst.len) };
}

/// Gives the driver a copy of which at least one end is on a device.
fn issue_copy(device: &DeviceState, stream: Raw<CUstream_st>, copy: &Copy) -> Result<()> {
    let Copy { dst, src, .. } = *copy;
    let here = Place::Device(device.context().ordinal());
    // SAFETY: the core has checked both ranges; they stay alive until the stream is past them.
    device.call(|api| unsafe {
        if dst.place == here && src.place == here {
            api.memcpy_dtod_async(device_pointer(dst), device_pointer(src), dst.len, stream.0)
        } else if dst.place == here && is_host(src.place) {
            let src = std::ptr::with_exposed_provenance(src.addr);
            api.memcpy_htod_async(device_pointer(dst), src, dst.len, stream.0)
        } else if src.place == here && is_host(dst.place) {
            let host = std::ptr::with_exposed_provenance_mut(dst.addr);
            api.memcpy_dtoh_async(host, device_pointer(src), dst.len, stream.0)
        } else {
            // One end is on another device: the driver finds out by the addresses, and goes
            // through the host where the devices do not reach each other.
            api.memcpy_async(device_pointer(dst), device_pointer(src), dst.len, stream.0)
        }
    })
}

fn issue_fill(device: &DeviceState, stream: Raw<CUstream_st>, fill: &Fill) -> Result<()> {
    // SAFETY: the core has checked the range; it stays alive until the stream is past it.
    device.call(|api| unsafe {
        let (dst, count) = (device_pointer(fill.dst), fill.dst.len / fill.pattern.size());
        match fill.pattern {
            Pattern::Byte(value) => api.memset_d8_async(dst, value, count, stream.0),
            Pattern::Word(value) => api.memset_d32_async(dst, value, count, stream.0),
        }
    })
}

/// Copies at once, in order with nothing.
pub(super) fn copy_now(device: &DeviceState, copy: &Copy) -> Result<()> {
    if is_host(copy.dst.place) && is_host(copy.src.place) {
        // SAFETY: the core has checked both ranges.
        unsafe { copy_host(copy) };
        return Ok(());
    }
    device.on_own_stream(|stream| issue_copy(device, stream, copy))
}

/// Fills at once, in order with nothing. The driver fills only memory of the stream's own device.
pub(super) fn fill_now(device: &DeviceState, fill: &Fill) -> Result<()> {
    let owner = match fill.dst.place {
        Place::Pageable | Place::Pinned => {
            // SAFETY: the core has checked the range.
            unsafe { fill_host(fill) };
            return Ok(());
        }
        Place::Device(ordinal) if ordinal == device.context().ordinal() => None,
        Place::Device(ordinal) => device.driver().device(ordinal),
    };
    let owner = owner.as_deref().unwrap_or(device);
    owner.on_own_stream(|stream| issue_fill(owner, stream, fill))
}

/// Queues a copy.
pub(super) fn queue_copy(stream: &Arc<StreamState>, copy: &Copy) -> Result<()> {
    let job = *copy;
    if is_host(copy.dst.place) && is_host(copy.src.place) {
        // The driver copies between host ranges on the calling thread, out of order.
        // SAFETY: the core has checked both ranges; they stay alive until the stream is past them.
        host_fn::queue(stream, move || unsafe { copy_host(&job) })?;
    } else {
        let here = Place::Device(stream.device().context().ordinal());
        if [copy.dst, copy.src].iter().any(|span| !is_host(span.place) && span.place != here) {
            stream.note_crossing();
        }
        stream.submit(|| issue_copy(stream.device(), stream.raw(), copy))?;
    }
    // What the driver promises for pageable memory differs between versions and machines (some
    // let the device read it in place, later), so this waits itself. So it does for a source that
    // has to be free on return.
    let pageable = |span: Span| span.place == Place::Pageable;
    if pageable(copy.dst) || pageable(copy.src) || copy.stage_source {
        stream.finish()?;
    }
    Ok(())
}

/// Queues a fill.
pub(super) fn queue_fill(stream: &Arc<StreamState>, fill: &Fill) -> Result<()> {
    let device = stream.device();
    if !is_host(fill.dst.place) {
        return stream.submit(|| issue_fill(device, stream.raw(), fill));
    }
    let job = *fill;
    // SAFETY: the core has checked the range; it stays alive until the stream is past it.
    host_fn::queue(stream, move || unsafe { fill_host(&job) })?;
    if fill.dst.place == Place::Pageable {
        stream.finish()?;
    }
    Ok(())
}
