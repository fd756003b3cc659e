//! The file behind shared memory: its content, which processes may import it, and for how long.
//!
//! The file lies in memory, has no name, and has its final length from the beginning, with holes. Its seals prevent any
//! process from shortening it, so that a process that has mapped it reads it without a fault.
//!
//! | at | what |
//! |---|---|
//! | 0 | the header, written once: the place and size of the memory |
//! | 4 KiB | a record for each range that has a name now |
//! | 2 MiB | the memory |
//!
//! The exporter holds a lock on the file by a separate opening of it. The lock ends when the exporter closes the
//! memory, or when its process ends in any way, so importers need not contact the process. A forked child shares that
//! opening, and so keeps imports possible as long as it lives.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::fs::FileExt;

use parking_lot::Mutex;

use crate::algo::host::descriptor::Descriptor;
use crate::algo::host::system_call::named;
use crate::algo::math::mix::mix;
use crate::backend::base::memory_file;
use crate::backend::base::random::random;
use crate::backend::{Fault, FaultKind, MemoryPlace, PointerExport, Result};
use crate::base::bytes::words;
use crate::base::files;

/// The offset of the memory in the file.
pub(crate) const MEMORY: u64 = 2 << 20;
/// The byte of the exporter's lock, which stands for the whole file.
const LOCK: usize = 0;
const RECORDS: u64 = 4096;
const RECORD: usize = 32;
/// The maximum number of named ranges of one file at a time.
const MOST_NAMES: usize = (MEMORY - RECORDS) as usize / RECORD;

const HEADER: usize = 56;
const HEADER_MAGIC: u64 = u64::from_le_bytes(*b"portaclM");
const NAME_MAGIC: u64 = u64::from_le_bytes(*b"portaclP");
/// The version of the format. Processes with different versions do not share memory.
const VERSION: u64 = 1;

/// The remedy for a descriptor of another file.
const FROM_EXPORT: &str = "pass a descriptor from portaclMemPoolExportToShareableHandle";
/// The remedy for a file that a process has changed. Another export of the pool would be the same file.
const NEW_POOL: &str = "a process has written to the file; create and export another pool in the exporting process";

/// The file's identity, which is different for each file.
type Identity = [u64; 2];
/// The mask of the lower half of a word.
const LOWER: u64 = u32::MAX as u64;

/// A file of this process.
pub(crate) struct SharedFile {
    pub file: Descriptor,
    identity: Identity,
    state: Mutex<SharedNames>,
}

struct SharedNames {
    /// The opening that has the lock, or `None` once closed.
    door: Option<Descriptor>,
    /// The names by offset in the memory.
    names: HashMap<u64, Name>,
    /// The records of former names that no name uses now.
    vacant: Vec<u32>,
    /// The serial number of the last name.
    serial: u64,
}

/// A named range, and its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Name {
    slot: u32,
    serial: u64,
    offset: u64,
    len: u64,
}

impl SharedFile {
    /// Creates a file for `size` bytes of memory, none of them allocated yet. Devices are counted by their number among
    /// all.
    pub(crate) fn new(place: MemoryPlace, size: u64) -> io::Result<Self> {
        let file = files::sealed_file(c"portacl-shared", MEMORY + size)?;
        let identity = words(&random()?);
        let header = Header { place, size, identity }.to_bytes();
        file.file()?.write_all_at(&header, 0).map_err(|error| named("pwrite", error))?;
        let door = memory_file::reopen(file.get()?)?;
        memory_file::lock(&door, LOCK, libc::F_OFD_SETLK, libc::F_WRLCK)?;
        let state = SharedNames { door: Some(door), names: HashMap::new(), vacant: Vec::new(), serial: 0 };
        Ok(Self { file, identity, state: Mutex::new(state) })
    }

    /// Names a range, or returns the name that it has.
    pub(crate) fn export(&self, offset: u64, len: u64) -> Result<PointerExport> {
        let mut state = self.state.lock();
        if let Some(name) = state.names.get(&offset)
            && name.len == len
        {
            return Ok(name.to_bytes(self.identity));
        }
        self.forget(&mut state, offset);
        let slot = match state.vacant.pop() {
            Some(slot) => slot,
            None if state.names.len() < MOST_NAMES => state.names.len() as u32,
            None => {
                return Err(Fault::out_of_host_memory(format!(
                    "{MOST_NAMES} pointers of this pool are exported, which is the maximum; free exported allocations"
                )));
            }
        };
        state.serial += 1;
        let name = Name { slot, serial: state.serial, offset, len };
        if let Err(error) = self.write_record(slot, &name.record(self.identity)) {
            state.vacant.push(slot);
            return Err(Fault::out_of_host_memory(format!(
                "the pointer cannot be exported, because the file that the pool shares cannot be written: {error}"
            )));
        }
        state.names.insert(offset, name);
        Ok(name.to_bytes(self.identity))
    }

    /// Removes the name of the range that begins at this offset.
    pub(crate) fn withdraw(&self, offset: u64) {
        self.forget(&mut self.state.lock(), offset);
    }

    fn forget(&self, state: &mut SharedNames, offset: u64) {
        if let Some(name) = state.names.remove(&offset) {
            // The record is in memory already, so overwriting it cannot fail. A stale name would only lead to other
            // contents.
            let _ = self.write_record(name.slot, &[0; RECORD]);
            state.vacant.push(name.slot);
        }
    }

    fn write_record(&self, slot: u32, record: &[u8; RECORD]) -> io::Result<()> {
        self.file.file()?.write_all_at(record, record_at(slot)).map_err(|error| named("pwrite", error))
    }

    /// Ends imports.
    pub(crate) fn close(&self) {
        if let Some(door) = self.state.lock().door.take() {
            // This also ends the lock for a forked child that has this file open. If it fails, the lock ends with the
            // last of these processes.
            let _ = memory_file::lock(&door, LOCK, libc::F_OFD_SETLK, libc::F_UNLCK);
        }
    }
}

/// A file of another process, or an import of this process's own memory.
pub(crate) struct ImportedFile {
    pub file: Descriptor,
    header: Header,
}

impl ImportedFile {
    /// Opens the file of a descriptor. Fails if it is no such file.
    pub(crate) fn open(descriptor: BorrowedFd<'_>) -> Result<Self> {
        let number = descriptor.as_raw_fd();
        let refused = |why: String| Fault::invalid(format!("descriptor {number} {why}"));
        let foreign = |why: &str| refused(format!("does not belong to an exported memory pool: {why}; {FROM_EXPORT}"));
        let unknown = |error: io::Error| {
            Fault::new(FaultKind::Driver, format!("descriptor {number} cannot be inspected: {error}"))
        };
        ensure!(memory_file::is_sealed(descriptor).map_err(unknown)?, foreign("its file has no seals"));
        let kept = descriptor.try_clone_to_owned().map_err(|error| named("dup", error)).and_then(Descriptor::new);
        let kept = kept.map_err(|error| {
            Fault::out_of_host_memory(format!(
                "descriptor {number} cannot be duplicated: {error}. If too many are open, close some, or raise \
                 ulimit -n"
            ))
        })?;
        let file = kept.file().map_err(unknown)?;
        let mut bytes = [0; HEADER];
        match file.read_exact_at(&mut bytes, 0) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(foreign("its file is too short")),
            read => read.map_err(|error| unknown(named("pread", error)))?,
        }
        let header = Header::from_bytes(&bytes).map_err(&refused)?;
        let len = file.metadata().map_err(|error| unknown(named("fstat", error)))?.len();
        if header.size.checked_add(MEMORY) != Some(len) {
            let size = header.size;
            return Err(refused(format!(
                "has a damaged file: the file has {len} bytes, but its header describes {size} bytes of memory after \
                 the first {MEMORY} bytes; {NEW_POOL}"
            )));
        }
        let imported = Self { file: kept, header };
        imported.check_open()?;
        Ok(imported)
    }

    /// Returns the place of the memory. Devices are counted by their number among all.
    pub(crate) fn place(&self) -> MemoryPlace {
        self.header.place
    }

    /// Returns the range with this name: offset in the memory, and length.
    pub(crate) fn locate(&self, export: &PointerExport) -> Result<(u64, u64)> {
        let (name, identity) = Name::from_bytes(export).map_err(Fault::invalid)?;
        let of_another = || {
            Fault::invalid(
                "the pointer was exported from another pool; import that pool, and import the pointer from it",
            )
        };
        ensure!(identity == self.header.identity, of_another());
        self.check_open()?;
        let mut record = [0; RECORD];
        // The file is long enough for all records.
        let read = self.file.file().and_then(|file| {
            file.read_exact_at(&mut record, record_at(name.slot)).map_err(|error| named("pread", error))
        });
        read.map_err(|error| {
            Fault::new(FaultKind::Driver, format!("the exported pointer cannot be looked up: {error}"))
        })?;
        if record != name.record(identity) {
            return Err(Fault::invalid(
                "the exporting process has already freed the exported pointer; free it there only after all importing \
                 processes have freed it",
            ));
        }
        let end = name.offset.checked_add(name.len);
        if name.len == 0 || end.is_none_or(|end| end > self.header.size) {
            return Err(Fault::invalid(format!(
                "the exported pointer is damaged: it has {} bytes at offset {} in a pool of {} bytes; export another \
                 allocation in the exporting process",
                name.len, name.offset, self.header.size
            )));
        }
        Ok((name.offset, name.len))
    }

    fn check_open(&self) -> Result<()> {
        match memory_file::lock(&self.file, LOCK, libc::F_OFD_GETLK, libc::F_WRLCK) {
            Ok(libc::F_UNLCK) => Err(Fault::invalid(
                "the exported memory pool and its pointers cannot be imported any longer: the exporting process has \
                 destroyed the pool, has ended, or has closed the descriptors of this library (closefrom); keep the \
                 pool there until all of its pointers are imported",
            )),
            Ok(_) => Ok(()),
            Err(error) => Err(Fault::new(
                FaultKind::Driver,
                format!("it is unknown whether the exported memory pool still exists: {error}"),
            )),
        }
    }
}

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    place: MemoryPlace,
    size: u64,
    identity: Identity,
}

impl Header {
    fn to_bytes(self) -> [u8; HEADER] {
        let (kind, number) = match self.place {
            MemoryPlace::Device(number) => (0, number),
            MemoryPlace::Host(Some(node)) => (1, node),
            MemoryPlace::Host(None) => (2, 0),
        };
        let [low, high] = self.identity;
        let words = [HEADER_MAGIC, VERSION | kind << 32, number.into(), self.size, low, high];
        to_bytes(&words, checksum(&words))
    }

    /// Parses a header. The error is the end of a sentence about the file.
    fn from_bytes(bytes: &[u8; HEADER]) -> std::result::Result<Self, String> {
        let [magic, format, which, size, low, high, sum] = words(bytes);
        ensure!(
            magic == HEADER_MAGIC,
            format!("does not belong to an exported memory pool: its file has no header of a pool; {FROM_EXPORT}")
        );
        let (version, kind) = (format & LOWER, format >> 32);
        if version != VERSION {
            return Err(format!(
                "belongs to a memory pool from another version of this library (layout {version}, here {VERSION}); \
                 both processes need the same version"
            ));
        }
        let expected = checksum(&[magic, format, which, size, low, high]);
        ensure!(sum == expected, format!("has a damaged file: the checksum of its header is wrong; {NEW_POOL}"));
        let place = match kind {
            0 => MemoryPlace::Device(which as u32),
            1 => MemoryPlace::Host(Some(which as u32)),
            2 => MemoryPlace::Host(None),
            _ => {
                return Err(format!("has a damaged file: its memory has the unknown kind {kind}; {NEW_POOL}"));
            }
        };
        Ok(Self { place, size, identity: [low, high] })
    }
}

impl Name {
    /// Returns the name's record in the file, while it is named.
    fn record(&self, identity: Identity) -> [u8; RECORD] {
        let words = [self.serial, self.offset, self.len];
        to_bytes(&words, checksum(&words) ^ checksum(&identity))
    }

    fn to_bytes(self, [low, high]: Identity) -> PointerExport {
        let format = VERSION | u64::from(self.slot) << 32;
        let words = [NAME_MAGIC, format, low, high, self.serial, self.offset, self.len];
        to_bytes(&words, checksum(&words))
    }

    /// Parses a name and the file's identity.
    fn from_bytes(bytes: &PointerExport) -> std::result::Result<(Self, Identity), String> {
        let [magic, format, low, high, serial, offset, len, sum] = words(bytes);
        if magic != NAME_MAGIC || sum != checksum(&[magic, format, low, high, serial, offset, len]) {
            return Err(
                "exportData is not an exported pointer; pass the data from portaclMemPoolExportPointer".to_owned()
            );
        }
        let (version, slot) = (format & LOWER, (format >> 32) as u32);
        if version != VERSION {
            return Err(format!(
                "the pointer was exported by another version of this library (layout {version}, here {VERSION}); both \
                 processes need the same version"
            ));
        }
        ensure!(
            (slot as usize) < MOST_NAMES,
            "the exported pointer is damaged; export it again in the exporting process".to_owned()
        );
        Ok((Self { slot, serial, offset, len }, [low, high]))
    }
}

fn record_at(slot: u32) -> u64 {
    RECORDS + u64::from(slot) * RECORD as u64
}

/// Returns the words as bytes, followed by a checksum. [`words`] is the inverse.
fn to_bytes<const N: usize>(words: &[u64], sum: u64) -> [u8; N] {
    let mut bytes = [0; N];
    for (place, word) in bytes.chunks_exact_mut(8).zip(words.iter().chain([&sum])) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Returns a checksum that distinguishes damaged from valid content. It is no protection against forgery.
fn checksum(words: &[u64]) -> u64 {
    words.iter().fold(size_of_val(words) as u64, |sum, word| mix(sum ^ word))
}

#[cfg(test)]
#[path = "shared_file_tests.rs"]
mod tests;
