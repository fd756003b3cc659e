//! Device memory for the library's internal use, without hooks.

use super::device_memory::{self, take};
use crate::backend::{Fill, PagePolicy, Place, Span};
use crate::core::base::error::Result;
use crate::core::memory::allocation::{Allocation, Kind};
use crate::core::memory::memory_stats::DeviceTallies;
use crate::core::runtime::device::Device;

/// Zeros that a device keeps until it ends; not reported to hooks.
pub fn zeros_of_device(device: &Device, len: usize) -> Result<usize> {
    let tally = &DeviceTallies::of(device).device;
    let pages = PagePolicy::NormalOnly;
    let block = take(device, len, pages, Kind::Device(device.id)).inspect_err(|_| tally.failed())?;
    tally.made(block.len);
    let addr = block.addr;
    let dst = Span { addr, len, place: Place::Device(device.id) };
    if let Err(fault) = device.native.fill(Fill::bytes(dst, 0)) {
        // The first failure is the one to return.
        let _ = device_memory::free_unhooked(addr);
        return Err(fault.into());
    }
    Ok(addr)
}

/// A word of a graph, initially 0; not counted and not reported to hooks.
pub fn word_of_graph(device: &Device) -> Result<Span> {
    let len = size_of::<u64>();
    let block = take(device, len, PagePolicy::NormalOnly, Kind::Graph(device.id))?;
    let word = Span { addr: block.addr, len, place: Place::Device(device.id) };
    if let Err(fault) = device.native.fill(Fill::bytes(word, 0)) {
        // The first failure is the one to return.
        let _ = free_word_of_graph(device, word);
        return Err(fault.into());
    }
    Ok(word)
}

/// Frees it. Does nothing if it was released with its device.
pub fn free_word_of_graph(device: &Device, word: Span) -> Result<()> {
    let is_it = |found: &Allocation| found.owner == device.owner && found.kind == Kind::Graph(device.id);
    match Allocation::take(word.addr, is_it) {
        Some(allocation) => Ok(device.native.free(allocation.block())?),
        None => Ok(()),
    }
}
