//! Notifies: counts that streams change, and wait for. Each has a word in a page of memory (`notify/page.rs`), which
//! processors change atomically, so that only one wait can consume a count. Backends decide when, in the order of their
//! streams.
//!
//! Another process that imports a notify gets its page. Notifies share pages until they are exported: then the word
//! moves to a page without other notifies (`notify/moved.rs`).

mod moved;
mod page;
mod record;

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use parking_lot::Mutex;

use self::moved::Moved;
use self::page::{Page, SLOTS};
use self::record::Role;
pub use self::record::SharedEvent;
use super::watch::{ByteRange, Condition};
use crate::base::clock;
use crate::{Fault, FaultKind, Result};

/// The interval at which a wait checks whether the other process still lives.
const PEER_INTERVAL: Duration = Duration::from_millis(20);

/// The prefix of a notify's [parcel](Notify::export); versions with another one are incompatible.
const MAGIC: [u8; 8] = *b"portaclN";
const PARCEL: usize = 16;

/// A change of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sets the count to this value.
    Set(u32),
    /// Adds this value and wraps around.
    Add(u32),
    /// Sets these bits.
    Or(u32),
    /// Clears all other bits.
    And(u32),
}

impl Change {
    /// Returns the count after the change.
    pub fn of(self, count: u32) -> u32 {
        match self {
            Self::Set(value) => value,
            Self::Add(value) => count.wrapping_add(value),
            Self::Or(value) => count | value,
            Self::And(value) => count & value,
        }
    }
}

/// The condition of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The count is less than this.
    Less(u32),
    /// The count equals this.
    Equal(u32),
    /// The count is greater than this.
    Greater(u32),
    /// The count is at least this.
    AtLeast(u32),
    /// The count has all of these bits.
    Bits(u32),
}

impl Until {
    /// Whether this count satisfies the condition.
    pub fn holds(self, count: u32) -> bool {
        match self {
            Self::Less(value) => count < value,
            Self::Equal(value) => count == value,
            Self::Greater(value) => count > value,
            Self::AtLeast(value) => count >= value,
            Self::Bits(value) => count & value == value,
        }
    }
}

/// A wait for a notify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotifyWait {
    /// The condition for the end of the wait.
    pub until: Until,
    /// Whether the count becomes 0 at the end of the wait, atomically.
    pub clear: bool,
    /// The timeout (greater than 0), which counts from the time when the stream reaches the wait.
    pub limit: Option<Duration>,
}

/// A notify of this process, or an imported one.
pub struct Notify {
    page: Arc<Page>,
    slot: usize,
    /// The serial number of this use of the slot. If the slot has another number, this notify has ended.
    serial: u32,
    /// The new place of the word, if it has moved.
    moved: OnceLock<Moved>,
    owner: Owner,
    /// The time of the latest check of the other process, in milliseconds.
    asked: AtomicU64,
}

enum Owner {
    /// This process, and the number of times that processes which had imported it have died.
    Here { deaths: AtomicU64 },
    /// Another process.
    Peer,
    /// The notify is a part of an event.
    Event(Arc<SharedEvent>, Role),
}

/// Returns the count and the serial number in the word.
fn parts(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

fn word(count: u32, serial: u32) -> u64 {
    u64::from(serial) << 32 | u64::from(count)
}

fn serial_of(page: &Page, slot: usize) -> u32 {
    parts(page.line(slot).word.load(Ordering::Acquire)).1
}

impl Notify {
    /// Returns the address range of the word, by which waits are found. It stays the same when the word moves.
    pub fn range(&self) -> ByteRange {
        let line = self.page.line(self.slot);
        let word = if let Owner::Event(..) = self.owner { &line.over } else { &line.word };
        (std::ptr::from_ref(word).addr(), size_of::<u64>())
    }

    /// Returns the event that the notify is a part of.
    pub fn event(&self) -> Option<&Arc<SharedEvent>> {
        if let Owner::Event(event, _) = &self.owner { Some(event) } else { None }
    }

    /// Sets the count now.
    pub fn set(&self, count: u32) {
        self.change(Change::Set(count));
    }

    /// Returns the current count.
    pub fn count(&self) -> u32 {
        self.load().map_or(0, |(_, word)| parts(word).0)
    }

    /// Changes the count now. A notify that has ended does not change.
    pub fn change(&self, change: Change) {
        if let Owner::Event(event, part) = &self.owner {
            return part.signal(event);
        }
        while let Some((place, before)) = self.load() {
            let after = word(change.of(parts(before).0), self.serial);
            // Release: a thread that reads the count sees earlier writes.
            if place.compare_exchange(before, after, Ordering::Release, Ordering::Relaxed).is_ok() {
                break;
            }
        }
    }

    /// Returns the word and its value, or `None` if the notify has ended.
    fn load(&self) -> Option<(&AtomicU64, u64)> {
        let place = &self.page.line(self.slot).word;
        // Acquire: pairs with the Release in `change`, and with that of a move.
        let word = place.load(Ordering::Acquire);
        if parts(word).1 == self.serial { Some((place, word)) } else { self.load_moved() }
    }

    /// Whether the notify is a record of an event, which waits need until it completes or is dropped.
    pub fn is_record(&self) -> bool {
        matches!(&self.owner, Owner::Event(_, Role::Record { .. }))
    }

    /// Releases the waits of a record that will not complete. Other notifies do not change.
    pub fn drop_record(&self) {
        if let Owner::Event(event, part) = &self.owner {
            part.signal(event);
        }
    }

    /// Ends a wait if its condition holds. Fails if it cannot hold any more, because the notify has ended. `deaths` is
    /// [`Self::deaths`] at the beginning of the wait.
    fn try_take(&self, wait: &NotifyWait, deaths: u64) -> Result<bool> {
        if let Owner::Event(event, part) = &self.owner {
            return part.is_over(event, deaths);
        }
        while let Some((place, before)) = self.load() {
            if !wait.until.holds(parts(before).0) {
                return self.check_peers(deaths).map(|()| false);
            }
            let cleared = word(0, self.serial);
            if !wait.clear || place.compare_exchange(before, cleared, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return Ok(true);
            }
        }
        Err(gone())
    }

    /// Returns the condition of a wait that begins now.
    pub(crate) fn condition(self: &Arc<Self>, wait: NotifyWait) -> Condition {
        let (notify, deaths) = (Arc::clone(self), self.deaths());
        Box::new(move || notify.try_take(&wait, deaths))
    }

    /// Returns how many times processes that had imported it have died, as far as is known.
    fn deaths(&self) -> u64 {
        match &self.owner {
            Owner::Here { deaths } => deaths.load(Ordering::Relaxed),
            Owner::Peer => 0,
            Owner::Event(event, _) => event.deaths(),
        }
    }

    /// Fails if no peer is left.
    fn check_peers(&self, deaths_before: u64) -> Result<()> {
        ensure!(self.deaths() == deaths_before, died());
        let now = clock::now().as_millis() as u64;
        let asked = self.asked.load(Ordering::Relaxed);
        if now.saturating_sub(asked) < PEER_INTERVAL.as_millis() as u64 {
            return Ok(());
        }
        self.asked.store(now, Ordering::Relaxed);
        let (page, slot) = self.place();
        match &self.owner {
            Owner::Peer if !page.is_open() => Err(gone()),
            Owner::Here { deaths } if page.importers_died(slot) => {
                deaths.fetch_add(1, Ordering::Relaxed);
                Err(died())
            }
            Owner::Here { .. } | Owner::Peer | Owner::Event(..) => Ok(()),
        }
    }

    /// Returns what another process needs to import the notify, now and later.
    pub fn export(&self) -> Result<(Vec<u8>, OwnedFd)> {
        let exported = self.move_out().and_then(|()| self.place().0.export());
        let descriptor = exported.map_err(|error| {
            Fault::out_of_host_memory(format!(
                "the notify or event cannot be exported: {error}. If too many files are open, close some, or raise \
                 ulimit -n"
            ))
        })?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend((self.place().1 as u32).to_le_bytes());
        bytes.extend(self.serial.to_le_bytes());
        Ok((bytes, descriptor))
    }

    /// Imports the notify that another process has [exported](Self::export).
    pub(crate) fn import(bytes: &[u8], descriptor: BorrowedFd<'_>) -> Result<Arc<Self>> {
        let damaged = |why: &str| {
            let text = format!("the notify or event of the other process cannot be imported: {why}");
            Fault::invalid(text)
        };
        let bytes: &[u8; PARCEL] = bytes.try_into().map_err(|_| {
            damaged("the export has the wrong size; both processes need the same version of this library")
        })?;
        ensure!(
            bytes[..8] == MAGIC,
            damaged("the export has no header of a notify; both processes need the same version of this library")
        );
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let (slot, serial) = (number(8) as usize, number(12));
        ensure!(slot < SLOTS && serial != 0, damaged("the export names no notify"));
        let page = Page::import(descriptor, slot).map_err(|error| {
            if error.kind() == io::ErrorKind::InvalidData { damaged(&error.to_string()) } else { no_page(error) }
        })?;
        let is_there = || serial_of(&page, slot) == serial && page.is_open();
        ensure!(is_there(), gone());
        page.enter(slot);
        if !is_there() {
            page.leave(slot);
            return Err(gone());
        }
        let (page, owner) = (Arc::new(page), Owner::Peer);
        Ok(Arc::new(Self { page, slot, serial, moved: OnceLock::new(), owner, asked: AtomicU64::new(0) }))
    }
}

impl Drop for Notify {
    fn drop(&mut self) {
        match &self.owner {
            Owner::Here { .. } => {
                if let Some(moved) = self.moved.get() {
                    moved.end();
                }
                self.page.release(self.slot);
            }
            Owner::Peer if serial_of(&self.page, self.slot) == self.serial => {
                self.page.leave(self.slot);
            }
            // The line was reused, or is free.
            Owner::Peer => {}
            Owner::Event(..) => self.drop_record(),
        }
    }
}

#[cold]
fn gone() -> Fault {
    Fault::invalid(
        "the event or notify does not exist any longer: the exporting process has destroyed it, reset its device, or \
         ended; let that process keep it until no other process uses it",
    )
}

#[cold]
fn died() -> Fault {
    Fault::invalid(
        "all processes that had imported the notify or event have died, so the wait for it has ended; record it in this \
         process, or let another process import it, and wait again",
    )
}

/// Creates notifies in pages. A page exists as long as one of its notifies.
#[derive(Default)]
pub struct Notifies(Mutex<Vec<Weak<Page>>>);

/// The notifies of this process.
pub static NOTIFIES: Notifies = Notifies(Mutex::new(Vec::new()));

impl Notifies {
    /// Creates a notify with the count 0.
    pub fn create(&self) -> Result<Arc<Notify>> {
        let mut pages = self.0.lock();
        pages.retain(|page| page.strong_count() > 0);
        let found = pages.iter().rev().filter_map(Weak::upgrade).find_map(|page| Some((page.take()?, page)));
        let (place, page) = match found {
            Some(found) => found,
            None => {
                let page = Page::new(SLOTS).map(Arc::new).map_err(no_page)?;
                pages.push(Arc::downgrade(&page));
                (page.take().expect("a new page has room"), page)
            }
        };
        drop(pages);
        Ok(Self::begin(page, place))
    }

    /// Creates a notify as [`Self::create`] does, on a page without others. Its word does not move when it is exported.
    pub fn create_alone(&self) -> Result<Arc<Notify>> {
        let page = Page::new(1).map(Arc::new).map_err(no_page)?;
        let place = page.take().expect("a new page has room");
        Ok(Self::begin(page, place))
    }

    fn begin(page: Arc<Page>, (slot, serial): (usize, u32)) -> Arc<Notify> {
        page.line(slot).issued.store(0, Ordering::Relaxed);
        page.line(slot).over.store(0, Ordering::Relaxed);
        page.line(slot).word.store(word(0, serial), Ordering::Release);
        let owner = Owner::Here { deaths: AtomicU64::new(0) };
        Arc::new(Notify { page, slot, serial, moved: OnceLock::new(), owner, asked: AtomicU64::new(0) })
    }
}

fn no_page(error: io::Error) -> Fault {
    let text = format!(
        "the system refused memory for a notify or event: {error}. If too many files are open, close some, or raise \
         ulimit -n"
    );
    Fault::new(FaultKind::OutOfResources, text)
}

#[cfg(test)]
#[path = "notify_tests.rs"]
mod tests;
