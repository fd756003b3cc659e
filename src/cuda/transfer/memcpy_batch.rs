//! Many copies in one call of the driver.
//!
//! A driver call takes some microseconds, as long as a small copy, so a batch of small copies takes as long as its
//! calls. Drivers of CUDA 12.8 and later take all copies in one.

use std::borrow::Borrow;

use cudarc::driver::sys::{
    CUdeviceptr, CUmemLocation, CUmemLocationType, CUmemcpyAttributes, CUmemcpySrcAccessOrder, CUstream_st,
};

use super::memcpy::stays_on;
use crate::algo::host::grow::Grow;
use crate::backend::{Copy, Fault, Result};
use crate::runtime::{DeviceState, Raw};

/// Copies as the driver takes them in one call.
pub(super) struct OneCall {
    dsts: Vec<CUdeviceptr>,
    srcs: Vec<CUdeviceptr>,
    lens: Vec<usize>,
}

impl OneCall {
    /// Returns the copies for one call. Returns `None` if they have to be submitted one by one: there is one only, the
    /// driver has no such call, or no host memory is left for the lists; one of them has an end on another device, or
    /// has to be complete when the call returns, which the driver does not promise for a batch.
    pub(super) fn of(device: &DeviceState, copies: &[impl Borrow<Copy>]) -> Option<Self> {
        let fits = |copy: &Copy| stays_on(device, copy) && !copy.stage_source && !copy.is_pageable();
        let copies = || copies.iter().map(Borrow::borrow);
        if copies().len() < 2 || !device.driver.api.has_copy_batches() || !copies().all(fits) {
            return None;
        }
        let (mut dsts, mut srcs, mut lens) = (Vec::new(), Vec::new(), Vec::new());
        let count = copies().len();
        dsts.make_room(count).and_then(|()| srcs.make_room(count)).and_then(|()| lens.make_room(count)).ok()?;
        for copy in copies() {
            dsts.push(copy.dst.addr as CUdeviceptr);
            srcs.push(copy.src.addr as CUdeviceptr);
            lens.push(copy.dst.len);
        }
        Some(Self { dsts, srcs, lens })
    }

    /// Submits them to the driver. The driver refuses all of them if one is wrong.
    pub(super) fn issue(mut self, device: &DeviceState, stream: Raw<CUstream_st>) -> Result<()> {
        let anywhere = CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_INVALID, id: 0 };
        let mut attributes = CUmemcpyAttributes {
            srcAccessOrder: CUmemcpySrcAccessOrder::CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
            srcLocHint: anywhere,
            dstLocHint: anywhere,
            flags: 0,
        };
        let (mut first, mut failed) = (0, usize::MAX);
        let (dsts, srcs, lens) = (self.dsts.as_mut_ptr(), self.srcs.as_mut_ptr(), self.lens.as_mut_ptr());
        let count = self.lens.len();
        // SAFETY: lists of `count` elements, which the driver reads during the call, and places for one attribute and
        // for an index. All ranges passed the core's checks, and their owners may free them only after the stream.
        let issued = device.call(|api| unsafe {
            let (attributes, first, failed) = (&raw mut attributes, &raw mut first, &raw mut failed);
            api.memcpy_batch_async(dsts, srcs, lens, count, attributes, first, 1, failed, stream.0)
        });
        issued.map_err(|fault| self.explain(fault, failed))
    }

    /// Adds the copy that the driver has found wrong.
    fn explain(&self, fault: Fault, failed: usize) -> Fault {
        match self.lens.get(failed) {
            Some(len) => {
                let (dst, src) = (self.dsts[failed], self.srcs[failed]);
                fault.with_text(|said| format!("{said} (the copy of {len} bytes from {src:#x} to {dst:#x})"))
            }
            None => fault,
        }
    }
}

#[cfg(test)]
#[path = "memcpy_batch_tests.rs"]
mod tests;
