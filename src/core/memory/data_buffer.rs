//! Data buffers: an address and a size under one handle. They use no device, so they work at any time and outlive
//! aclFinalize.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::algo::map::slot_table::Handle;
use crate::base::error::{Error, Result};
use crate::base::handles::{self, Object};

/// The caller's memory, as the caller described it. It is checked when it is used, not here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The first byte.
    pub addr: usize,
    /// The length in bytes.
    pub size: usize,
}

/// A data buffer.
pub struct DataBuffer(Mutex<Extent>);

handles::object!(DataBuffer, DataBuffer);

/// Implements aclCreateDataBuffer.
pub fn create(extent: Extent) -> Result<Handle> {
    let buffer = Arc::new(DataBuffer(Mutex::new(extent)));
    DataBuffer::table().insert(buffer).ok_or_else(|| Error::no_more("data buffers"))
}

/// Implements aclDestroyDataBuffer.
pub fn destroy(raw: u64) -> Result<()> {
    handles::destroy::<DataBuffer>("dataBuffer", raw)
}

/// Implements aclUpdateDataBuffer.
pub fn update(raw: u64, extent: Extent) -> Result<()> {
    *handles::get::<DataBuffer>("dataBuffer", raw)?.0.lock() = extent;
    Ok(())
}

/// Returns the address and size of the buffer.
pub fn extent(raw: u64) -> Result<Extent> {
    Ok(*handles::get::<DataBuffer>("dataBuffer", raw)?.0.lock())
}
