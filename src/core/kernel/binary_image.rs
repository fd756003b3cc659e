//! Programs that are described before they are loaded: their bytes under a handle. They use no device, so they work at
//! any time and outlive aclFinalize.

use std::sync::Arc;

use crate::algo::map::slot_table::Handle;
use crate::core::base::error::{Error, Result};
use crate::core::base::handles::{self, Object};
use crate::core::kernel;

/// The bytes of a program.
pub struct BinaryImage(Box<[u8]>);

handles::object!(BinaryImage, BinaryImage);

/// aclrtCreateBinary: the handle.
pub fn create(bytes: &[u8]) -> Result<u64> {
    let image = Arc::new(BinaryImage(bytes.into()));
    BinaryImage::table().insert(image).map(Handle::raw).ok_or_else(|| Error::no_more("binaries"))
}

/// aclrtDestroyBinary.
pub fn destroy(raw: u64) -> Result<()> {
    handles::destroy::<BinaryImage>("binary", raw)
}

/// aclrtBinaryLoad: the handle of the program on the current device.
pub fn load(raw: u64) -> Result<u64> {
    kernel::load(&handles::get_arc::<BinaryImage>("binary", raw)?.0)
}
