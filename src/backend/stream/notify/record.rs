//! Events shared by processes: notifies whose records have numbers. So a wait is for the record that was the latest
//! when the wait was enqueued, even if another process records the event later.
//!
//! The line of an event has the number of the latest record, and a word with the completed ones: all up to a number,
//! and of the next 32 those whose bits are set. A stream with a record, or a wait for one, gets a part of the event
//! that represents it.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{Notify, Owner, serial_of};
use crate::algo::thread::pause::Backoff;
use crate::{Event, Fault, Result, Wait};

/// The number of records after the first incomplete one that are tracked.
const WINDOW: u32 = u32::BITS;

/// The interval at which a wait of the host checks whether the record can still complete.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Returns the completed records in the word: all up to the first number, and by bits the next ones.
fn parts(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

/// Returns the distance between two numbers that wrap around.
fn distance(number: u32, from: u32) -> i32 {
    number.wrapping_sub(from).cast_signed()
}

/// Whether the record with this number is complete.
fn has(word: u64, number: u32) -> bool {
    let (all, bits) = parts(word);
    match distance(number, all) {
        ..=0 => true,
        behind => behind.cast_unsigned() <= WINDOW && (bits >> (behind - 1)) & 1 != 0,
    }
}

/// Returns the word with that record complete as well, or `None` if it is too far ahead.
fn with(word: u64, number: u32) -> Option<u64> {
    let (mut all, mut bits) = parts(word);
    let behind = distance(number, all);
    if behind > WINDOW.cast_signed() {
        return None;
    }
    if behind > 0 {
        bits |= 1 << (behind - 1);
    }
    while bits & 1 != 0 {
        bits >>= 1;
        all = all.wrapping_add(1);
    }
    Some(u64::from(all) << 32 | u64::from(bits))
}

/// Returns the word with all records up to that one complete as well, or `None` if they are.
fn up_to(word: u64, number: u32) -> Option<u64> {
    let (all, bits) = parts(word);
    let further = distance(number, all);
    if further <= 0 {
        return None;
    }
    let bits = bits.checked_shr(further.cast_unsigned()).unwrap_or(0);
    // The next ones can be complete already.
    with(u64::from(number) << 32 | u64::from(bits), number)
}

/// The role of a part of an event.
pub(super) enum Role {
    /// A record.
    Record { number: u32, is_over: AtomicBool },
    /// A wait for a record.
    Wait { number: u32 },
}

impl Role {
    /// Releases the waits of a record that a stream has reached or dropped.
    pub(super) fn signal(&self, event: &SharedEvent) {
        if let Self::Record { number, is_over } = self
            && !is_over.swap(true, Ordering::Relaxed)
        {
            event.finish(*number);
        }
    }

    /// Whether the awaited record is complete.
    pub(super) fn is_over(&self, event: &SharedEvent, deaths: u64) -> Result<bool> {
        match self {
            Self::Wait { number } => event.is_over(*number, deaths),
            Self::Record { is_over, .. } => Ok(is_over.load(Ordering::Relaxed)),
        }
    }
}

/// The value of a process that has no latest record.
const NONE: u64 = u64::MAX;

/// An event that other processes can import, or an imported one.
pub struct SharedEvent {
    notify: Arc<Notify>,
    /// The number of this process's latest record. A wait for it needs no other process.
    own: AtomicU64,
    /// The completed records that are too far ahead to be noted yet.
    late: Mutex<Vec<u32>>,
    /// The incomplete records of this process. The lock is held while a number is issued.
    pending: Mutex<Vec<u32>>,
}

impl SharedEvent {
    /// Creates the event of a separate notify, which is [alone](super::Notifies::create_alone) or imported: the numbers
    /// of an event do not move.
    pub fn new(notify: Arc<Notify>) -> Arc<Self> {
        Arc::new(Self { notify, own: AtomicU64::new(NONE), late: Mutex::default(), pending: Mutex::default() })
    }

    /// Returns what another process needs to import the event.
    pub fn export(&self) -> Result<(Vec<u8>, OwnedFd)> {
        self.notify.export()
    }

    fn issued(&self) -> u32 {
        self.notify.page.line(self.notify.slot).issued.load(Ordering::Acquire)
    }

    fn part(self: &Arc<Self>, part: Role) -> Arc<Notify> {
        let Notify { page, slot, serial, .. } = &*self.notify;
        Arc::new(Notify {
            page: Arc::clone(page),
            slot: *slot,
            serial: *serial,
            moved: OnceLock::new(),
            owner: Owner::Event(Arc::clone(self), part),
            asked: AtomicU64::new(0),
        })
    }

    /// Creates the next record, which becomes the latest. Its stream signals it by any [change](super::Change).
    pub fn record(self: &Arc<Self>) -> Arc<Notify> {
        let issued = &self.notify.page.line(self.notify.slot).issued;
        let mut pending = self.pending.lock();
        let number = issued.fetch_add(1, Ordering::AcqRel).wrapping_add(1);
        pending.push(number);
        drop(pending);
        self.own.store(u64::from(number), Ordering::Relaxed);
        self.part(Role::Record { number, is_over: AtomicBool::new(false) })
    }

    /// Undoes a record that was not enqueued. If no later one was created, the previous one is the latest again.
    pub fn take_back(&self, record: &Notify) {
        let Owner::Event(_, Role::Record { number, is_over }) = &record.owner else { return };
        self.own.store(NONE, Ordering::Relaxed);
        let issued = &self.notify.page.line(self.notify.slot).issued;
        let before = number.wrapping_sub(1);
        let mut pending = self.pending.lock();
        let taken = issued.compare_exchange(*number, before, Ordering::AcqRel, Ordering::Relaxed);
        // Otherwise its end makes it complete.
        pending.retain(|other| other != number || taken.is_err());
        is_over.store(taken.is_ok(), Ordering::Relaxed);
    }

    /// Returns the latest record as of now, for a stream to wait for.
    pub fn latest(self: &Arc<Self>) -> Arc<Notify> {
        self.part(Role::Wait { number: self.issued() })
    }

    pub(super) fn deaths(&self) -> u64 {
        self.notify.deaths()
    }

    /// Whether the event still exists. If not, all of its records are complete, because they keep it.
    fn is_there(&self) -> bool {
        serial_of(&self.notify.page, self.notify.slot) == self.notify.serial
    }

    /// Notes that a record is complete. Returns false if it is too far ahead.
    fn note(&self, number: u32) -> bool {
        let over = &self.notify.page.line(self.notify.slot).over;
        // Release: a thread that reads the word sees earlier writes.
        let noted = over.try_update(Ordering::AcqRel, Ordering::Acquire, |word| with(word, number));
        noted.is_ok()
    }

    fn finish(&self, number: u32) {
        if self.is_there() && !self.note(number) {
            self.late.lock().push(number);
        }
        self.pending.lock().retain(|other| *other != number);
        self.note_late();
    }

    /// Whether a record is complete because it is none of this process, which has created the event, and because no
    /// other process can complete one: each has left after its last record, with what it could not note.
    fn is_left_complete(&self, number: u32) -> bool {
        let Owner::Here { deaths } = &self.notify.owner else { return false };
        let line = self.notify.page.line(self.notify.slot);
        let pending = self.pending.lock();
        // Before the importers: one that comes later issues later numbers.
        let issued = self.issued();
        if deaths.load(Ordering::Relaxed) != 0 || line.importers.load(Ordering::Acquire) != 0 {
            return false;
        }
        let first = pending.iter().min_by_key(|number| distance(**number, issued));
        let last = first.map_or(issued, |first| first.wrapping_sub(1));
        let _ = line.over.fetch_update(Ordering::AcqRel, Ordering::Acquire, |word| up_to(word, last));
        distance(number, issued) <= 0 && !pending.contains(&number)
    }

    fn note_late(&self) {
        let mut late = self.late.lock();
        let mut left = late.len() + 1;
        while late.len() < left {
            left = late.len();
            late.retain(|&number| !self.note(number));
        }
    }

    fn is_over(&self, number: u32, deaths: u64) -> Result<bool> {
        let over = || has(self.notify.page.line(self.notify.slot).over.load(Ordering::Acquire), number);
        if over() {
            return Ok(true);
        }
        self.note_late();
        if over() || !self.is_there() || self.is_left_complete(number) {
            return Ok(true);
        }
        if self.own.load(Ordering::Relaxed) == u64::from(number) {
            return Ok(false);
        }
        match self.notify.check_peers(deaths) {
            Ok(()) => Ok(false),
            // The record is checked again: it may have completed as the last action of the other process.
            Err(_) if over() => Ok(true),
            Err(_) => Err(Fault::invalid(
                "the other process died before its record of the event was complete; record the event again",
            )),
        }
    }

    /// Waits as [`Event::synchronize`] does. `look` fails once the record cannot complete any more.
    pub fn synchronize_while<E: From<Fault>>(
        &self,
        deadline: Option<Instant>,
        look: impl Fn() -> std::result::Result<(), E>,
    ) -> std::result::Result<Wait, E> {
        let (number, deaths) = (self.issued(), self.deaths());
        let mut sleeps = Backoff::default();
        let mut next_look = Instant::now() + LOOK_INTERVAL;
        while !self.is_over(number, deaths)? {
            let now = Instant::now();
            let left = deadline.map_or(Duration::MAX, |deadline| deadline.duration_since(now));
            if left.is_zero() {
                return Ok(Wait::TimedOut);
            }
            if now >= next_look {
                look()?;
                next_look = now + LOOK_INTERVAL;
            }
            sleeps.sleep(left);
        }
        Ok(Wait::Done)
    }
}

impl Event for SharedEvent {
    fn is_complete(&self) -> Result<bool> {
        self.is_over(self.issued(), self.deaths())
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.synchronize_while(deadline, || Ok(()))
    }

    fn time_ns(&self) -> Result<u64> {
        Err(Fault::unsupported("events shared between processes have no timestamps"))
    }
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
