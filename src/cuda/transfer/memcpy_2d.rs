//! Copies rows, synchronously and in a stream.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::sys::{
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER, CUcontext, CUdevice_attribute, CUdeviceptr, CUmemorytype,
    CUstream_st,
};

use crate::backend::{Copy2d, Place, Position, Result, Rows};
use crate::runtime::{DeviceState, Raw};
use crate::stream::state::StreamState;
use crate::transfer::memcpy::{
    self, device_pointer, is_host, is_pageable, note_places, other_doer, peers, run_pageable,
};

/// Returns the largest distance between rows that the driver's functions accept. So far it is the same for all devices.
pub(crate) fn max_pitch(device: &DeviceState) -> Result<usize> {
    let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_PITCH;
    let pitch = device.driver.device_attribute(device.context.ordinal, attribute)?;
    Ok(if pitch > 0 { pitch as usize } else { i32::MAX as usize })
}

/// Whether the driver accepts rows at this distance. It is queried only about large distances.
pub(crate) fn takes_pitch(device: &DeviceState, pitch: usize) -> Result<bool> {
    const ALWAYS: usize = 4 << 10;
    Ok(pitch <= ALWAYS || pitch <= max_pitch(device)?)
}

/// One side of a copy, as the driver's structures have it.
struct Side {
    kind: CUmemorytype,
    host: *mut c_void,
    device: CUdeviceptr,
}

impl Side {
    fn new(rows: &Rows, here: Place) -> Self {
        let place = rows.span.place;
        if is_host(place) {
            let host = std::ptr::with_exposed_provenance_mut(rows.span.addr);
            return Self { kind: CUmemorytype::CU_MEMORYTYPE_HOST, host, device: 0 };
        }
        let kind = if place == here {
            CUmemorytype::CU_MEMORYTYPE_DEVICE
        } else {
            // The driver finds the device by the address.
            CUmemorytype::CU_MEMORYTYPE_UNIFIED
        };
        Self { kind, host: std::ptr::null_mut(), device: device_pointer(rows.span) }
    }
}

/// Fills a structure of the driver with a copy. The arguments are the places that it has for its addresses, and the
/// fields that not all such structures have.
macro_rules! rows {
    ($kind:ident { $copy:ident, $dst_here:expr, $src_here:expr $(, $field:ident: $value:expr)* $(,)? }) => {{
        let (dst, src) = (Side::new(&$copy.dst, $dst_here), Side::new(&$copy.src, $src_here));
        $kind {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: src.kind,
            srcHost: src.host,
            srcDevice: src.device,
            srcArray: std::ptr::null_mut(),
            srcPitch: $copy.src.pitch,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: dst.kind,
            dstHost: dst.host,
            dstDevice: dst.device,
            dstArray: std::ptr::null_mut(),
            dstPitch: $copy.dst.pitch,
            WidthInBytes: $copy.width,
            Height: $copy.height,
            $($field: $value,)*
        }
    }};
}

/// Submits a copy of rows to the driver.
fn issue(device: &DeviceState, stream: Raw<CUstream_st>, copy: &Copy2d) -> Result<()> {
    if !takes_pitch(device, copy.dst.pitch.max(copy.src.pitch))? {
        let mut rows = 0..copy.height;
        return rows.try_for_each(|row| memcpy::issue_copy(device, stream, &copy.row(row)));
    }
    if let Some((to, from)) = peers(device, copy.dst.span.place, copy.src.span.place) {
        let job = between(copy, to.context.raw.0, from.context.raw.0);
        // SAFETY: the core has checked every row on both devices and keeps both open, so their contexts exist; `job`
        // lives during the call.
        return device.call(|api| unsafe { api.memcpy_3d_peer_async(&job, stream.0) });
    }
    let here = Place::Device(device.context.ordinal);
    let job = rows!(CUDA_MEMCPY2D { copy, here, here });
    // SAFETY: the core has checked every row of both pitched ranges, and `job` lives during the
    // call.
    device.call(|api| unsafe { api.memcpy_2d_async(&job, stream.0) })
}

/// Copies rows synchronously, ordered with nothing.
pub(crate) fn copy_now(device: &DeviceState, copy: &Copy2d) -> Result<()> {
    let other = other_doer(device, copy.dst.span.place, copy.src.span.place);
    let device = other.as_deref().unwrap_or(device);
    device.on_library_stream(|stream| issue(device, stream, copy))
}

/// Returns the copy as a box of one layer, for a node of a graph.
pub(crate) fn layer(copy: &Copy2d, device: &DeviceState) -> CUDA_MEMCPY3D {
    let here = Place::Device(device.context.ordinal);
    rows!(CUDA_MEMCPY3D {
        copy,
        here,
        here,
        srcZ: 0,
        srcLOD: 0,
        reserved0: std::ptr::null_mut(),
        srcHeight: copy.height,
        dstZ: 0,
        dstLOD: 0,
        reserved1: std::ptr::null_mut(),
        dstHeight: copy.height,
        Depth: 1,
    })
}

/// Returns the copy as a box of one layer, for the function that copies between the memory on two devices.
fn between(copy: &Copy2d, dst_context: CUcontext, src_context: CUcontext) -> CUDA_MEMCPY3D_PEER {
    rows!(CUDA_MEMCPY3D_PEER {
        copy,
        copy.dst.span.place,
        copy.src.span.place,
        srcZ: 0,
        srcLOD: 0,
        srcContext: src_context,
        srcHeight: copy.height,
        dstZ: 0,
        dstLOD: 0,
        dstContext: dst_context,
        dstHeight: copy.height,
        Depth: 1,
    })
}

/// Enqueues a copy of rows. Waits for pageable memory, as in `memcpy.rs`.
pub(crate) fn queue(stream: &Arc<StreamState>, copy: &Copy2d) -> Result<Position> {
    let places = [copy.dst.span.place, copy.src.span.place];
    let enqueue = || {
        note_places(stream, places);
        stream.submit(|| issue(&stream.device, stream.raw, copy))
    };
    if is_pageable(places) { run_pageable(stream, || copy_now(&stream.device, copy), enqueue) } else { enqueue() }
}
