//! Finds out what the other threads of the process do: they run, sleep for a time, or wait for something.
//!
//! The system's list of threads shows it (`/proc/self/task`), also for threads that the library has never seen. A
//! thread that another one has woken counts as running from that moment on.

use std::collections::HashMap;
use std::fs;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, RawDir};

use crate::algo::thread::state::state;

/// The system's number of a thread.
pub type Tid = u32;

/// The time that a thread spends in one place before it counts as waiting. A lock that is only taken for a moment does
/// not count.
const WAITS: Duration = Duration::from_micros(300);
/// The same time for system calls that mostly return by themselves.
const WAITS_LONG: Duration = Duration::from_millis(20);
/// The duration of a sleep below which a thread counts as one that comes back by itself.
const SLEEPS: Duration = Duration::from_millis(500);
/// The processor time without a call of the library after which a thread counts as waiting in a loop.
const SPINS: Duration = Duration::from_millis(50);
/// The same time after the next turn, for a thread that counts as waiting in a loop already.
const SPINS_ON: Duration = Duration::from_millis(2);

/// What a thread did at the last check.
struct Seen {
    /// The system call, its arguments and the stack pointer, or nothing while the thread runs.
    place: String,
    since: Instant,
    /// The thread's processor time at which it counts as waiting in a loop.
    spins_at: Duration,
}

/// The threads that are neither at a call nor in the library's hands.
#[derive(Default)]
pub struct Threads(HashMap<Tid, Seen>);

impl Threads {
    /// Whether no thread runs, except those that `is_known`.
    pub fn are_quiet(&mut self, is_known: impl Fn(Tid) -> bool) -> bool {
        // The threads are checked twice: a thread may wake one that has been checked already, and end before it is
        // checked itself.
        self.seem_quiet(&is_known) && self.seem_quiet(&is_known)
    }

    fn seem_quiet(&mut self, is_known: &impl Fn(Tid) -> bool) -> bool {
        let tasks = tasks();
        self.0.retain(|tid, _| tasks.contains(tid) && !is_known(*tid));
        tasks.into_iter().filter(|&tid| !is_known(tid)).all(|tid| self.is_quiet(tid))
    }

    /// Notes that an actor goes on, so that threads that wait in loops may have reason to leave them. All threads are
    /// quiet then, so those without a place wait in loops.
    pub fn note_turn(&mut self) {
        for (&tid, seen) in self.0.iter_mut().filter(|(_, seen)| seen.place.is_empty()) {
            seen.spins_at = processor_time(tid) + SPINS_ON;
        }
    }

    fn is_quiet(&mut self, tid: Tid) -> bool {
        let read = fs::read_to_string(format!("/proc/self/task/{tid}/syscall"));
        // The thread has ended. The first thread stays listed, without a stack.
        let Some(place) = read.ok().filter(|place| !place.starts_with("-1 0x0 0x0")) else { return true };
        // -1 means that the thread is interrupted, as by a page that is read.
        let shows_none = place.starts_with("running") || place.starts_with("-1");
        // From the moment in which a thread is woken until an idle processor begins to run it, the system still shows
        // the call in which it waited. Only its state is that of a thread that runs.
        let runs = shows_none || state(tid).is_none_or(|state| state == 'R');
        let place = if runs { String::new() } else { place };
        let (now, used) = (Instant::now(), processor_time(tid));
        let seen =
            self.0.entry(tid).or_insert_with(|| Seen { place: String::new(), since: now, spins_at: used + SPINS });
        if seen.place != place {
            (seen.place, seen.since) = (place, now);
        }
        if runs {
            return used >= seen.spins_at;
        }
        let is_quiet = now - seen.since >= patience(&seen.place);
        if is_quiet {
            seen.spins_at = used + SPINS;
        }
        is_quiet
    }
}

/// Returns the threads of this process.
fn tasks() -> Vec<Tid> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(folder) = rustix::fs::open("/proc/self/task", flags, Mode::empty()) else { return Vec::new() };
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut entries = RawDir::new(folder, &mut buffer);
    let mut tasks = Vec::new();
    while let Some(Ok(entry)) = entries.next() {
        tasks.extend(entry.file_name().to_str().ok().and_then(|name| name.parse::<Tid>().ok()));
    }
    tasks
}

/// Returns the time that a thread spends in this system call before it counts as waiting.
fn patience(place: &str) -> Duration {
    match place.split(' ').next().and_then(|number| number.parse().ok()) {
        Some(libc::SYS_futex) => WAITS,
        Some(libc::SYS_nanosleep | libc::SYS_clock_nanosleep) => SLEEPS,
        _ => WAITS_LONG,
    }
}

/// Returns the processor time of a thread of this process.
fn processor_time(tid: Tid) -> Duration {
    /// The kernel's number of the clock "processor time of a thread", in the lowest bits of a clock's id.
    const OF_THREAD: i32 = 6;
    let clock = !(tid as i32) << 3 | OF_THREAD;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one value to `time`. It fails for a thread that has ended, and then writes nothing.
    unsafe { libc::clock_gettime(clock, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
#[path = "threads_tests.rs"]
mod tests;
