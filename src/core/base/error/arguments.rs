//! Checks of arguments, and the errors for them. `advice` says what to pass instead.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::{Code, Error, Result, error_with, invalid_param, param_invalid};
use crate::algo::count::Count;

/// Fails for a null address or handle.
#[inline]
pub(crate) fn not_null<T: Default + PartialEq>(argument: &str, value: T, advice: impl Display) -> Result<()> {
    if value == T::default() { Err(invalid_param!("{argument} is null; {advice}")) } else { Ok(()) }
}

/// Fails for a null address of something that is not empty. `size` states its size in the error.
#[inline]
pub(crate) fn not_null_for(argument: impl Display, addr: usize, size: impl Display) -> Result<()> {
    if addr == 0 { Err(invalid_param!("{argument} is null, but {size}")) } else { Ok(()) }
}

/// Fails for a number that is 0.
#[inline]
pub(crate) fn not_zero<T: Default + PartialEq>(argument: &str, value: T, advice: impl Display) -> Result<()> {
    if value == T::default() { Err(invalid_param!("{argument} is 0; {advice}")) } else { Ok(()) }
}

/// Fails for an address that is not a multiple of `bytes`. `units` names what it must be aligned to.
#[inline]
pub fn aligned(argument: &str, addr: usize, bytes: usize, units: impl Display) -> Result<()> {
    ensure!(
        addr.is_multiple_of(bytes),
        error_with!(Code::AddrUnaligned, "{argument} {addr:#x} is not aligned to {units}")
    );
    Ok(())
}

/// Returns the error for an address inside of `what` where the call needs the start of it.
#[cold]
pub(crate) fn not_its_start(argument: &str, addr: usize, what: &str, base: usize, len: usize) -> Error {
    let (offset, len) = (Count(addr - base, "byte"), Count(len, "byte"));
    param_invalid!("{argument} {addr:#x} points {offset} into the {what} of {len} at {base:#x}; pass its start")
}

/// Returns the element of `all` that has this number in C; `allowed` names the elements.
pub fn numbered<T: Copy>(argument: &str, number: i32, all: &[T], allowed: &str) -> Result<T> {
    let found = usize::try_from(number).ok().and_then(|index| all.get(index));
    found.copied().ok_or_else(|| invalid_param!("{argument} is {number}; allowed: {allowed}"))
}

/// Fails for a number that is not in `all`, the numbers of C's `enumeration`. Returns the number as an index.
pub(crate) fn enumerated(
    argument: impl Display,
    number: i32,
    all: RangeInclusive<i32>,
    enumeration: &str,
) -> Result<usize> {
    if all.contains(&number) {
        return Ok(number as usize);
    }
    let (first, last) = all.into_inner();
    Err(invalid_param!("{argument} is {number}; allowed: the values of {enumeration}, {first} to {last}"))
}

/// Fails for flags in calls for which the API defines none.
#[inline]
pub(crate) fn no_flags(argument: &str, flags: impl Into<u64>) -> Result<()> {
    let flags = flags.into();
    if flags == 0 { Ok(()) } else { Err(invalid_param!("{argument} is {flags:#x}; it must be 0")) }
}
