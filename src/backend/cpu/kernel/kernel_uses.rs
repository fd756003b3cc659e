//! The memory that a launch uses, as its kernel says: NAME_portacl_uses of `include/portacl/kernel.h`.

use std::ffi::c_void;

use crate::backend::kernel::argument_block;
use crate::backend::stream::host_fn::as_user_code;
use crate::backend::{Does, Use};

/// `PORTACL_PARAMETER_WRITTEN`.
pub const WRITTEN: u32 = 2;
/// `PORTACL_USE_PARTLY`.
const PARTLY: u32 = 4;

/// Room for the ranges of most launches.
const ROOM: usize = 64;

/// `portaclUse`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawUse {
    address: *const c_void,
    bytes: usize,
    flags: u32,
}

const NONE: RawUse = RawUse { address: std::ptr::null(), bytes: 0, flags: 0 };

impl From<RawUse> for Use {
    fn from(RawUse { address, bytes, flags }: RawUse) -> Self {
        let does = match (flags & WRITTEN != 0, flags & PARTLY != 0) {
            (true, _) => Does::Write,
            (false, true) => Does::MayRead,
            (false, false) => Does::Read,
        };
        Self { addr: address.addr(), len: bytes, does }
    }
}

/// The function's type: it gets arguments, and writes at most as many ranges as there is room for. It returns how many
/// there are.
pub type Uses = unsafe extern "C" fn(*const c_void, *mut RawUse, usize) -> usize;

/// What a launch with these arguments uses. The caller keeps the function loaded.
pub fn of_launch(uses: Uses, arguments: &[u8]) -> Option<Vec<Use>> {
    // If there is no memory for them, the kernel is one that does not say.
    let mut block = argument_block(arguments.len()).ok()?;
    // SAFETY: a block for arguments has room for as many bytes, and is no part of them.
    unsafe { block.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(arguments.as_ptr(), arguments.len()) };
    let mut found = vec![NONE; ROOM];
    loop {
        let room = found.len();
        // SAFETY: the header promises that it reads no more than the arguments, and writes no more than `room` ranges.
        let count = as_user_code(|| unsafe { uses(block.as_ptr().cast(), found.as_mut_ptr(), room) });
        found.resize(count, NONE);
        if count <= room {
            return Some(found.into_iter().map(Use::from).collect());
        }
    }
}

#[cfg(test)]
#[path = "kernel_uses_tests.rs"]
mod tests;
