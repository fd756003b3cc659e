//! Numbers that nobody can guess.

use std::io;

use crate::algo::host::system_call::refused;

/// Bytes that nobody can guess, and that are never the same again.
pub(in crate::backend) fn random() -> io::Result<[u8; 16]> {
    let mut bytes = [0; 16];
    // SAFETY: as many bytes as there is room for. So few come at once, or not at all.
    match unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) } {
        16 => Ok(bytes),
        _ => Err(refused("getrandom")),
    }
}
