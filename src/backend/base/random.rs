//! Unpredictable numbers.

use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

use crate::algo::host::system_call::{named, refused_by};

/// Returns unpredictable bytes, which differ at each call.
pub fn random() -> io::Result<[u8; 16]> {
    let mut bytes = [0; 16];
    // The system returns all of these few bytes at once, or the call fails.
    match getrandom(&mut bytes, GetRandomFlags::empty()).map_err(refused_by("getrandom"))? {
        16 => Ok(bytes),
        _ => Err(named("getrandom", io::ErrorKind::UnexpectedEof.into())),
    }
}
