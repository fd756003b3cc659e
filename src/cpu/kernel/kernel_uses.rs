//! The memory that a launch uses, as its kernel reports it by the function NAME_portacl_uses of
//! `include/portacl/kernel.h`.

use std::ffi::c_void;

use crate::algo::thread::cancellation;
use crate::backend::kernel::argument_block;
use crate::backend::stream::host_fn::as_user_code;
use crate::backend::{Does, Use};

/// The flag `PORTACL_PARAMETER_WRITTEN`.
pub(crate) const WRITTEN: u32 = 2;
/// The flag `PORTACL_USE_PARTLY`.
const PARTLY: u32 = 4;

/// The number of ranges for which the first call has room; most launches have no more.
const ROOM: usize = 64;

/// The structure `portaclUse` of the header.
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

/// The type of the function that reports uses. It gets arguments and an array with room for ranges, writes at most as
/// many, and returns how many there are.
pub(crate) type Uses = unsafe extern "C" fn(*const c_void, *mut RawUse, usize) -> usize;

/// Returns what a launch with these arguments uses. The caller keeps the function loaded.
pub(crate) fn of_launch(uses: Uses, arguments: &[u8]) -> Option<Vec<Use>> {
    // Without memory for them the kernel counts as one that reports nothing.
    let mut block = argument_block(arguments.len()).ok()?;
    // SAFETY: a block for arguments has room for as many bytes, and is no part of them.
    unsafe { block.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(arguments.as_ptr(), arguments.len()) };
    let mut found = vec![NONE; ROOM];
    loop {
        let room = found.len();
        // SAFETY: the header promises that it reads no more than the arguments, and writes no more than `room` ranges.
        let code = || unsafe { uses(block.as_ptr().cast(), found.as_mut_ptr(), room) };
        let count = cancellation::without(|| as_user_code(code));
        found.resize(count, NONE);
        if count <= room {
            return Some(found.into_iter().map(Use::from).collect());
        }
    }
}

#[cfg(test)]
#[path = "kernel_uses_tests.rs"]
mod tests;
