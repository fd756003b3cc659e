//! Pages of shared memory that contain the words of notifies.
//!
//! A page is a file in memory without a name, which no process can shorten. A process that has its descriptor can read
//! and write all of it, so a page that is exported has one notify. It begins with a header. After that each
//! notify has a cache line: the word, the number of processes that have imported it and, if it is an event, its records
//! (`record.rs`).
//!
//! Locks on bytes of the file show which processes live, because locks end with their process. The exporter locks the
//! first byte, and importers of a line lock the first byte of the line.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use parking_lot::Mutex;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use crate::algo::host::descriptor::Descriptor;
use crate::algo::host::system_call::{named, refused_by};
use crate::base::memory_file;

const SIZE: usize = 4096;
/// The length of a cache line, so that notifies do not slow each other down.
const LINE: usize = 64;
/// The number of notifies per page.
pub(super) const SLOTS: usize = SIZE / LINE - 1;

/// The prefix of a page; versions with another one are incompatible.
const MAGIC: u64 = u64::from_le_bytes(*b"portaclW");

/// The byte of the exporter's lock.
const DOOR: usize = 0;

/// The line of a notify.
#[repr(C, align(64))]
pub(super) struct NotifyLine {
    /// The word of a notify.
    pub(super) word: AtomicU64,
    pub(super) importers: AtomicU32,
    /// The number of an event's latest record.
    pub(super) issued: AtomicU32,
    /// The completed records of an event.
    pub(super) over: AtomicU64,
}

const _: () = assert!(size_of::<NotifyLine>() == LINE);

#[repr(C)]
struct Lines {
    magic: AtomicU64,
    lines: [NotifyLine; SLOTS],
}

const _: () = assert!(size_of::<Lines>() == SIZE);

/// A mapped page.
pub(super) struct Page {
    file: Descriptor,
    mapping: NonNull<Lines>,
    /// Whether the page has room for one notify only.
    is_for_one: bool,
    state: Mutex<FreeSlots>,
}

// SAFETY: the mapping contains atomics, which threads, and processes, may share.
unsafe impl Send for Page {}
// SAFETY: all threads reach the mapped words of a page through atomic operations only.
unsafe impl Sync for Page {}

#[derive(Default)]
struct FreeSlots {
    /// The free lines of a page of this process. The last one is used next.
    vacant: Vec<usize>,
    /// The latest serial number.
    serial: u32,
    /// The opening that has the exporter's lock. It is separate, so that no passed descriptor keeps the lock.
    door: Option<Descriptor>,
}

impl Page {
    /// Creates a page with room for this number of notifies.
    pub(super) fn new(slots: usize) -> io::Result<Self> {
        let file = memory_file::create(c"portacl-notify", SIZE as u64)?;
        memory_file::seal(file.get()?)?;
        let page = Self::map(file, slots == 1)?;
        page.lines().magic.store(MAGIC, Ordering::Release);
        page.state.lock().vacant = (0..slots).rev().collect();
        Ok(page)
    }

    /// Maps the page behind a descriptor of another process. This process imports a line of it. The error of a file
    /// that is no such page has the kind `InvalidData`.
    pub(super) fn import(descriptor: BorrowedFd<'_>, slot: usize) -> io::Result<Self> {
        let another = || {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "the file descriptor in the export belongs to no notify; both processes need the same version of this \
                 library",
            )
        };
        // Files of other kinds are not opened: a terminal could become that of this process, and a file system could
        // let it wait forever.
        ensure!(memory_file::is_sealed(descriptor)?, another());
        let file = memory_file::reopen(descriptor)?;
        let len = file.file()?.metadata().map_err(|error| named("fstat", error))?.len();
        ensure!(len == SIZE as u64, another());
        let page = Self::map(file, false)?;
        ensure!(
            page.lines().magic.load(Ordering::Acquire) == MAGIC,
            io::Error::new(
                io::ErrorKind::InvalidData,
                "the exported file descriptor refers to no notify; both processes need the same version of this library"
            )
        );
        // The lock precedes the count: a counted process without a lock is dead.
        memory_file::lock(&page.file, at(slot), libc::F_OFD_SETLK, libc::F_RDLCK)?;
        Ok(page)
    }

    /// Counts this process as an importer of the line.
    pub(super) fn enter(&self, slot: usize) {
        self.line(slot).importers.fetch_add(1, Ordering::AcqRel);
    }

    fn map(file: Descriptor, is_for_one: bool) -> io::Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping of a whole file, which cannot become shorter.
        let mapped = unsafe { mmap(null_mut(), SIZE, access, MapFlags::SHARED, file.get()?, 0) };
        let mapping = NonNull::new(mapped.map_err(refused_by("mmap"))?.cast());
        let mapping = mapping.expect("the system maps nothing at address 0 unless asked to");
        Ok(Self { file, mapping, is_for_one, state: Mutex::default() })
    }

    fn lines(&self) -> &Lines {
        // SAFETY: as large, and there as long as the page; any bytes are atomics.
        unsafe { self.mapping.as_ref() }
    }

    pub(super) fn line(&self, slot: usize) -> &NotifyLine {
        &self.lines().lines[slot]
    }

    /// Whether a notify on the page has no neighbours.
    pub(super) fn is_for_one(&self) -> bool {
        self.is_for_one
    }

    /// Returns a free slot and its serial number, or `None` if all are in use.
    pub(super) fn take(&self) -> Option<(usize, u32)> {
        let mut state = self.state.lock();
        let slot = state.vacant.pop()?;
        // 0 marks a free slot.
        state.serial = state.serial.checked_add(1).unwrap_or(1);
        Some((slot, state.serial))
    }

    /// Frees the slot of a notify that has ended.
    pub(super) fn release(&self, slot: usize) {
        self.line(slot).word.store(0, Ordering::Release);
        self.line(slot).importers.store(0, Ordering::Release);
        self.state.lock().vacant.push(slot);
    }

    /// Returns a descriptor for other processes, which can use the page from now on.
    pub(super) fn export(&self) -> io::Result<OwnedFd> {
        let mut state = self.state.lock();
        if state.door.is_none() {
            let door = memory_file::reopen(self.file.get()?)?;
            memory_file::lock(&door, DOOR, libc::F_OFD_SETLK, libc::F_WRLCK)?;
            state.door = Some(door);
        }
        self.file.duplicate()
    }

    /// Closes the page as if its process had died.
    #[cfg(test)]
    pub(super) fn close(&self) {
        self.state.lock().door = None;
    }

    /// Whether the page's exporter lives.
    pub(super) fn is_open(&self) -> bool {
        is_locked(&self.file, DOOR)
    }

    /// Whether processes that had imported this line have died, and none is left. Returns true once.
    pub(super) fn importers_died(&self, slot: usize) -> bool {
        let importers = &self.line(slot).importers;
        let before = importers.load(Ordering::Acquire);
        before != 0
            && !is_locked(&self.file, at(slot))
            && importers.compare_exchange(before, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Counts this process no longer as an importer of the line.
    pub(super) fn leave(&self, slot: usize) {
        // The count is 0 if the death of all importers was reported.
        let fewer = |importers: u32| importers.checked_sub(1);
        let importers = &self.line(slot).importers;
        let _ = importers.try_update(Ordering::AcqRel, Ordering::Relaxed, fewer);
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: this page's mapping, which is not in use any more.
        let _ = unsafe { munmap(self.mapping.as_ptr().cast(), SIZE) };
    }
}

/// Returns the byte of the lock on a line.
fn at(slot: usize) -> usize {
    (slot + 1) * LINE
}

/// Whether another opening of the file has a lock on a byte. If the query fails, the process counts as alive.
fn is_locked(file: &Descriptor, byte: usize) -> bool {
    let kind = memory_file::lock(file, byte, libc::F_OFD_GETLK, libc::F_WRLCK);
    kind.map_or(true, |kind| kind != libc::F_UNLCK)
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
