//! Unpredictable numbers.

use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

use crate::algo::host::system_call::{named, refused_by};

/// Unpredictable bytes, different each time.
pub(in crate::backend) fn random() -> io::Result<[u8; 16]> {
    let mut bytes = [0; 16];
    // Few bytes come at once, or the call fails.
    match getrandom(&mut bytes, GetRandomFlags::empty()).map_err(refused_by("getrandom"))? {
        16 => Ok(bytes),
        _ => Err(named("getrandom", io::ErrorKind::UnexpectedEof.into())),
    }
}
