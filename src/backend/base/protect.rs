//! Access rights of pages.

use std::io;

use rustix::mm::{MprotectFlags, mprotect};

use crate::Access;
use crate::algo::host::system_call::refused_by;

/// Sets the access that the program has to a range of one of the library's mappings.
pub fn set_access(addr: usize, len: usize, access: Access) -> io::Result<()> {
    let access = match access {
        Access::None => MprotectFlags::empty(),
        Access::Read => MprotectFlags::READ,
        Access::ReadWrite => MprotectFlags::READ | MprotectFlags::WRITE,
    };
    // SAFETY: the caller owns the range; the library does not use these addresses in guard mode.
    unsafe { mprotect(addr as *mut _, len, access) }.map_err(refused_by("mprotect"))
}
