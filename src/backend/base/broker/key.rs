//! Keys: the names of offers for other processes.
//!
//! A key contains its process (id and start time, because ids are reused), its namespaces, and a random number for the
//! offer. The text of a key has all of that; its number has room for less of it.

use std::path::Path;
use std::{fmt, fs, io};

use rustix::process::geteuid;

use super::unserved;
use crate::algo::host::system_call::named;
use crate::algo::math::mix::mix;
use crate::backend::{Fault, Result};

/// The maximum number of bytes of a key's text, without the terminating zero.
pub const MOST_TEXT: usize = 64;

/// The prefix of all texts. It names the library and the format.
const PREFIX: &str = "pacl1";

/// The bits of a number that name the process (the kernel uses no more), its namespaces, and the secret.
const PROCESS_BITS: u32 = 22;
const SPACE_BITS: u32 = 12;
const SHORT_BITS: u32 = 30;

const _: () = assert!(PROCESS_BITS + SPACE_BITS + SHORT_BITS == u64::BITS);

const fn low(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// The mask of the secret's bits in a text.
const SECRET: u128 = (1 << 96) - 1;

/// A process that shares objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) id: i32,
    /// The process's start time, as the kernel counts it.
    pub(super) start: u64,
    pub(super) user: u32,
    /// A number that identifies this boot of this machine, and the namespaces of network and processes.
    space: u32,
}

impl Process {
    /// Returns the calling process.
    pub(super) fn current() -> Result<Self> {
        let id = std::process::id().cast_signed();
        let unknown = || io::Error::other("it does not say when this process began");
        let start = start_of(id).and_then(|start| start.ok_or_else(unknown));
        let start = start.map_err(|error| unserved(&named("/proc/self/stat", error)))?;
        Ok(Self { id, start, user: geteuid().as_raw(), space: space()? })
    }

    /// Returns the name of the process's socket: `name`, followed by the process's identity.
    pub(super) fn address(&self, name: &str) -> String {
        format!("{name}-{}-{}-{:x}", self.user, self.id, self.start)
    }
}

/// Returns the start time of a process, or `None` if there is no such process.
fn start_of(id: i32) -> io::Result<Option<u64>> {
    let stat = match fs::read_to_string(format!("/proc/{id}/stat")) {
        Ok(stat) => stat,
        // The process ended before the file was opened, or after that.
        Err(error) if error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    // The second field is a name in brackets, which may contain anything.
    let start = stat.rsplit_once(')').and_then(|(_, behind)| {
        let field = behind.split_ascii_whitespace().nth(19)?;
        field.parse().ok()
    });
    Ok(start)
}

fn space() -> Result<u32> {
    let link = |name: &str| {
        let path = Path::new("/proc/self/ns").join(name);
        let target = fs::read_link(&path).map(|target| target.to_string_lossy().into_owned());
        target.map_err(|error| named(&path.to_string_lossy(), error))
    };
    const BOOT: &str = "/proc/sys/kernel/random/boot_id";
    let boot = fs::read_to_string(BOOT).map_err(|error| named(BOOT, error));
    let all = [link("net"), link("pid"), boot];
    let mut sum = 0;
    for part in all {
        let part = part.map_err(|error| unserved(&error))?;
        sum = part.bytes().fold(mix(sum), |sum, byte| mix(sum ^ u64::from(byte)));
    }
    Ok(sum as u32)
}

/// A key, which names an offer of a process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key {
    process: i32,
    /// The namespaces. A number has only [`SPACE_BITS`] of them.
    space: u32,
    /// The short number of the offer within the process.
    pub(super) short: u32,
    /// The start time of the process, and the full secret. A number has neither.
    whole: Option<(u64, u128)>,
}

impl Key {
    pub(super) fn new(own: &Process, secret: [u8; 16]) -> Self {
        Self::whole(own.id, own.space, own.start, u128::from_le_bytes(secret) & SECRET)
    }

    fn whole(process: i32, space: u32, start: u64, secret: u128) -> Self {
        let short = (secret as u64 & low(SHORT_BITS)) as u32;
        Self { process, space, short, whole: Some((start, secret)) }
    }

    /// Returns the key with this text.
    pub fn from_text(text: &[u8]) -> Result<Self> {
        Self::parse(text).ok_or_else(|| {
            Fault::invalid(format!(
                "{:?} is no key of this library; pass on what the export gave, all of it",
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
        let process = i32::try_from(next()?).ok().filter(|process| *process > 0)?;
        let start = u64::try_from(next()?).ok()?;
        let space = u32::try_from(next()?).ok()?;
        let secret = next().filter(|secret| *secret <= SECRET)?;
        let key = Self::whole(process, space, start, secret);
        // The text must be exactly the one that the key's formatting writes.
        (key.to_string() == text).then_some(key)
    }

    /// Returns the key with this number.
    pub fn from_number(number: u64) -> Result<Self> {
        let process = (number >> (SPACE_BITS + SHORT_BITS)) as i32;
        ensure!(process != 0, Fault::invalid(format!("{number:#x} is no handle that this library has exported")));
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
        self.whole.map(|(_, secret)| secret)
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
                "it was exported on another machine, before this one was booted, or in another network or \
                 process namespace (container); run both processes in the same ones (docker: --network and \
                 --pid), or send the data over the network",
            ));
        }
        let Self { process, .. } = *self;
        let start = start_of(process).map_err(|error| {
            unserved(&named(&format!("/proc/{process}/stat, of the process that has exported this"), error))
        })?;
        let start = start.filter(|now| self.whole.is_none_or(|(start, _)| start == *now));
        let start =
            start.ok_or_else(|| Fault::invalid(format!("process {process}, which has exported this, has ended")))?;
        Ok(Process { id: process, start, ..own.clone() })
    }
}

impl fmt::Display for Key {
    /// Writes the key's text. The text of a key that was a number is not valid.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { process, space, whole, .. } = self;
        match whole {
            Some((start, secret)) => write!(f, "{PREFIX}-{process:x}-{start:x}-{space:x}-{secret:024x}"),
            None => write!(f, "{:#x}", self.number()),
        }
    }
}

#[cfg(test)]
#[path = "key_tests.rs"]
mod tests;
