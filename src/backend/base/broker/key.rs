//! Keys: the names of offers for other processes.
//!
//! A key contains its process (id and start time, because ids are reused), its namespaces, a random number in the name
//! of the process's socket, which is another one after the library was finalized, and a secret: a random number for the
//! offer. The text of a key has all of that; its number has room for less of it.

use std::fmt;

use super::process::{Process, START_BITS, start_of};
use super::unserved;
use crate::algo::host::system_call::named;
use crate::{Fault, Result};

/// The maximum number of bytes of a key's text, without the terminating zero.
pub const MOST_TEXT: usize = 64;

/// The prefix of all texts. It names the library and the format.
const PREFIX: &str = "pacl3";

/// The bits of a number that name the process (the kernel uses no more), its namespaces, and the secret.
const PROCESS_BITS: u32 = 22;
const SPACE_BITS: u32 = 12;
const SHORT_BITS: u32 = 30;

const _: () = assert!(PROCESS_BITS + SPACE_BITS + SHORT_BITS == u64::BITS);

const fn low(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// The bits of the secret in a text.
const SECRET_BITS: u32 = 80;
/// The mask of the secret's bits in a text.
const SECRET: u128 = (1 << SECRET_BITS) - 1;

/// The longest text: the prefix, and the parts in hexadecimal digits after a dash each.
const _: () =
    assert!(PREFIX.len() + 5 + ((PROCESS_BITS + 2 + START_BITS + 32 + 32 + SECRET_BITS) / 4) as usize <= MOST_TEXT);

/// A key, which names an offer of a process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key {
    process: i32,
    /// The namespaces. A number has only [`SPACE_BITS`] of them.
    space: u32,
    /// The short number of the offer within the process.
    pub(super) short: u32,
    /// The parts that a number does not have.
    whole: Option<Whole>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Whole {
    /// The start time of the process.
    start: u64,
    /// The random number in the name of the process's socket.
    door: u32,
    secret: u128,
}

impl Key {
    /// Creates the key of an offer of this process, whose socket has the random number `door`.
    pub(super) fn new(own: &Process, door: u32, secret: [u8; 16]) -> Self {
        let secret = u128::from_le_bytes(secret) & SECRET;
        Self::whole(own.id, own.space, Whole { start: own.start, door, secret })
    }

    fn whole(process: i32, space: u32, whole: Whole) -> Self {
        let short = (whole.secret as u64 & low(SHORT_BITS)) as u32;
        Self { process, space, short, whole: Some(whole) }
    }

    /// Returns the key with this text.
    pub fn from_text(text: &[u8]) -> Result<Self> {
        Self::parse(text).ok_or_else(|| {
            Fault::invalid(format!(
                "{:?} is not a key of this version of the library; pass the whole key that the export returned, and \
                 use one version in both processes",
                String::from_utf8_lossy(&text[..text.len().min(MOST_TEXT)])
            ))
        })
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let text = str::from_utf8(text).ok().filter(|text| text.len() <= MOST_TEXT)?;
        let mut parts = text.split('-');
        if parts.next() != Some(PREFIX) {
            return None;
        }
        let mut next = || u128::from_str_radix(parts.next()?, 16).ok();
        let process = next().filter(|process| (1..=u128::from(low(PROCESS_BITS))).contains(process))? as i32;
        let start = u64::try_from(next()?).ok().filter(|start| *start <= low(START_BITS))?;
        let space = u32::try_from(next()?).ok()?;
        let door = u32::try_from(next()?).ok()?;
        let secret = next().filter(|secret| *secret <= SECRET)?;
        let key = Self::whole(process, space, Whole { start, door, secret });
        // The text must be exactly the one that the key's formatting writes.
        (key.to_string() == text).then_some(key)
    }

    /// Returns the key with this number.
    pub fn from_number(number: u64) -> Result<Self> {
        let process = (number >> (SPACE_BITS + SHORT_BITS)) as i32;
        ensure!(
            process != 0,
            Fault::invalid(format!(
                "{number:#x} is not a shareable handle of this library; pass the one that the export returned"
            ))
        );
        Ok(Self {
            process,
            space: (number >> SHORT_BITS & low(SPACE_BITS)) as u32,
            short: (number & low(SHORT_BITS)) as u32,
            whole: None,
        })
    }

    /// Returns the key as a number.
    pub fn number(&self) -> u64 {
        let space = u64::from(self.space) & low(SPACE_BITS);
        (self.process as u64) << (SPACE_BITS + SHORT_BITS) | space << SHORT_BITS | u64::from(self.short)
    }

    /// Returns the full secret, or `None` for a key that was a number.
    pub(super) fn secret(&self) -> Option<u128> {
        self.whole.map(|whole| whole.secret)
    }

    /// Returns the random number in the name of the process's socket, or `None` for a key that was a number.
    pub(super) fn door(&self) -> Option<u32> {
        self.whole.map(|whole| whole.door)
    }

    /// Whether this key, from a text or from a number, names the offer with the key `offered`.
    pub(super) fn names(&self, offered: &Self) -> bool {
        self == offered || self.whole.is_none() && self.number() == offered.number()
    }

    /// Whether the key names an offer of the calling process.
    pub fn is_current_process(&self) -> Result<bool> {
        let own = Process::current()?;
        Ok(self.exporter(&own).is_ok_and(|exporter| exporter == own))
    }

    /// Returns the exporting process, which must be alive.
    pub(super) fn exporter(&self, own: &Process) -> Result<Process> {
        let bits = if self.whole.is_some() { u32::MAX } else { low(SPACE_BITS) as u32 };
        if self.space != own.space & bits {
            return Err(Fault::unsupported(
                "it is wrong, or was exported on another machine, before this machine was booted, or in another \
                 network or process namespace (container); pass the key that the export returned, run both processes \
                 in the same namespaces (docker: --network and --pid), or send the data over the network",
            ));
        }
        let Self { process, .. } = *self;
        let start = start_of(process)
            .map_err(|error| unserved(&named(&format!("/proc/{process}/stat, of the exporting process"), error)))?;
        let start = start.filter(|now| self.whole.is_none_or(|whole| whole.start == *now));
        let start = start.ok_or_else(|| {
            Fault::invalid(format!("the exporting process {process} has ended; keep it running until the import"))
        })?;
        Ok(Process { id: process, start, ..own.clone() })
    }
}

impl fmt::Display for Key {
    /// Writes the key's text. The text of a key that was a number is not valid.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { process, space, whole, .. } = self;
        match whole {
            Some(Whole { start, door, secret }) => {
                write!(f, "{PREFIX}-{process:x}-{start:x}-{space:x}-{door:x}-{secret:020x}")
            }
            None => write!(f, "{:#x}", self.number()),
        }
    }
}

#[cfg(test)]
#[path = "key_tests.rs"]
mod tests;
