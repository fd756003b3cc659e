//! Processes that share objects, as the kernel knows them: the calling one, and the one at the other end of a
//! connection.

use std::os::fd::AsFd;
use std::path::Path;
use std::{fs, io};

use rustix::event::{self, PollFd, PollFlags};
use rustix::process::geteuid;
use rustix::time::Timespec;

use super::listener::entries;
use super::socket::Connection;
use super::{trouble, unserved};
use crate::algo::host::system_call::named;
use crate::algo::math::mix::mix;
use crate::{Fault, FaultKind, Result};

/// The bits of a start time. The kernel counts hundredths of a second since the boot.
pub(super) const START_BITS: u32 = 48;

/// A process that shares objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) id: i32,
    /// The process's start time, as the kernel counts it.
    pub(super) start: u64,
    pub(super) user: u32,
    /// A number that identifies this boot of this machine, and the namespaces of network and processes.
    pub(super) space: u32,
}

impl Process {
    /// Returns the calling process.
    pub(super) fn current() -> Result<Self> {
        const STAT: &str = "/proc/self/stat";
        let id = std::process::id().cast_signed();
        let stat = fs::read_to_string(STAT).map_err(|error| unserved(&named(STAT, error)))?;
        let (shown, start) = parse(&stat)
            .ok_or_else(|| unserved(&named(STAT, io::Error::other("the start time of this process is missing"))))?;
        ensure!(shown == id, of_another_namespace(id, shown));
        let user = geteuid().as_raw();
        check_user(user)?;
        Ok(Self { id, start, user, space: space()? })
    }
}

fn of_another_namespace(id: i32, shown: i32) -> Fault {
    Fault::unsupported(format!(
        "nothing can be shared with other processes: /proc shows this process as {shown}, but its id is {id}, so /proc \
         belongs to another process namespace; mount /proc of this namespace (mount -t proc proc /proc)"
    ))
}

/// Fails if `user`, the calling process's, stands for all users without a number in its user namespace: other users'
/// processes would count as this user's.
fn check_user(user: u32) -> Result<()> {
    /// The number if the kernel does not say another one.
    const USUAL: u32 = 65534;
    let overflow = fs::read_to_string("/proc/sys/kernel/overflowuid").ok().and_then(|text| text.trim().parse().ok());
    if user != overflow.unwrap_or(USUAL) {
        return Ok(());
    }
    const MAP: &str = "/proc/self/uid_map";
    let map = fs::read_to_string(MAP).map_err(|error| unserved(&named(MAP, error)))?;
    if is_identity(&map) { Ok(()) } else { Err(unmapped(user)) }
}

/// Whether a user namespace's map has all users, by the numbers that they have outside of it.
fn is_identity(map: &str) -> bool {
    let first = map.lines().next().unwrap_or_default();
    let numbers: Vec<u32> = first.split_ascii_whitespace().flat_map(str::parse).collect();
    numbers == [0, 0, u32::MAX]
}

fn unmapped(user: u32) -> Fault {
    Fault::unsupported(format!(
        "nothing can be shared with other processes: this process runs as user {user}, which in this user namespace \
         (container) stands for all users that the namespace does not map; run it as another user that \
         /proc/self/uid_map contains"
    ))
}

/// Returns the process id and the start time in the text of a `stat`.
fn parse(stat: &str) -> Option<(i32, u64)> {
    // The second field is a name in brackets, which may contain anything.
    let (before, behind) = (stat.split_once('(')?.0, stat.rsplit_once(')')?.1);
    let start: u64 = behind.split_ascii_whitespace().nth(19)?.parse().ok()?;
    Some((before.trim().parse().ok()?, start & ((1 << START_BITS) - 1)))
}

/// Returns the start time of a process, or `None` if there is no such process.
pub(super) fn start_of(id: i32) -> io::Result<Option<u64>> {
    match fs::read_to_string(format!("/proc/{id}/stat")) {
        Ok(stat) => Ok(parse(&stat).map(|(_, start)| start)),
        // The process ended before the file was opened, or after that.
        Err(error) if error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the text that the kernel has for this thread's namespace of a kind.
fn own_namespace(kind: &str) -> io::Result<String> {
    namespace(Path::new("/proc/thread-self"), kind)
}

/// Returns the text that the kernel has for a process's namespace of a kind.
fn namespace_of(process: i32, kind: &str) -> io::Result<String> {
    let process = format!("/proc/{process}");
    match namespace(Path::new(&process), kind) {
        // The process's first thread has ended, and others go on.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let threads = entries(&format!("{process}/task"))?;
            threads.iter().find_map(|thread| namespace(thread, kind).ok()).ok_or(error)
        }
        found => found,
    }
}

/// `of`: the folder of a process or a thread.
fn namespace(of: &Path, kind: &str) -> io::Result<String> {
    let path = of.join("ns").join(kind);
    let target = fs::read_link(&path).map(|target| target.to_string_lossy().into_owned());
    target.map_err(|error| named(&path.to_string_lossy(), error))
}

fn space() -> Result<u32> {
    const BOOT: &str = "/proc/sys/kernel/random/boot_id";
    let boot = fs::read_to_string(BOOT).map_err(|error| named(BOOT, error));
    let all = [own_namespace("net"), own_namespace("pid"), boot];
    let mut sum = 0;
    for part in all {
        let part = part.map_err(|error| unserved(&error))?;
        sum = part.bytes().fold(mix(sum), |sum, byte| mix(sum ^ u64::from(byte)));
    }
    Ok(sum as u32)
}

/// A process that has connected: its id, and its start time, because ids are reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Caller {
    pub(super) id: i32,
    pub(super) start: u64,
}

/// Returns the process with this id, which has connected.
pub(super) fn connected(id: i32) -> Result<Caller> {
    ensure!(id > 0, outside("process"));
    let start = start_of(id).map_err(|error| trouble(&named(&format!("/proc/{id}/stat"), error)))?;
    Ok(Caller { id, start: start.ok_or_else(|| ended(id))? })
}

/// Checks that the process at the other end of a connection to the server still is the one that has connected, and is
/// one of the same namespaces. The caller has checked its user.
pub(super) fn check_caller(connection: &Connection, caller: Caller) -> Result<()> {
    let id = caller.id;
    // The descriptor keeps the id from being reused. Kernels before 6.5 have none: then the start times decide.
    let alive = connection.peer_descriptor();
    let is_same = || connected(id).map(|now| now == caller);
    ensure!(is_same()?, ended(id));
    let refused = |error| trouble(&error);
    for (kind, name) in [("net", "network"), ("pid", "process"), ("user", "user")] {
        let there = namespace_of(id, kind).map_err(refused)?;
        ensure!(there == own_namespace(kind).map_err(refused)?, outside(name));
    }
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let has_ended = alive.is_some_and(|alive| {
        let mut asked = [PollFd::from_borrowed_fd(alive.as_fd(), PollFlags::IN)];
        event::poll(&mut asked, Some(&now)).is_ok() && !asked[0].revents().is_empty()
    });
    ensure!(!has_ended && is_same()?, ended(id));
    Ok(())
}

fn ended(id: i32) -> Fault {
    Fault::invalid(format!("the importing process {id} has ended"))
}

fn outside(namespace: &str) -> Fault {
    let id = std::process::id();
    Fault::new(
        FaultKind::InvalidArgument,
        format!(
            "process {id} refuses this process, which is in another {namespace} namespace (container); run both \
             processes in the same namespace"
        ),
    )
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
