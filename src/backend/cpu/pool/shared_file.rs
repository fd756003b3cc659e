//! The file behind shared memory: its content, which processes may import it, and for how long.
//!
//! It lies in memory, has no name, and has its final length from the beginning, with holes. Its seals prevent any
//! process from shortening it, so that a process that has mapped it reads it without a fault.
//!
//! | at | what |
//! |---|---|
//! | 0 | the header, written once: the place and size of the memory |
//! | 4 KiB | a record for each range that has a name now |
//! | 2 MiB | the memory |
//!
//! The exporter holds a lock on it, by a separate opening of the file, which ends when it closes the memory and when
//! its process ends in any way: importers need not contact the process. A forked child shares that open file, and so
//! keeps imports possible as long as it lives.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;

use parking_lot::Mutex;

use crate::algo::host::system_call::named;
use crate::algo::math::mix::mix;
use crate::backend::base::memory_file;
use crate::backend::base::random::random;
use crate::backend::cpu::base::files;
use crate::backend::{Fault, FaultKind, MemoryPlace, PointerExport, Result};

/// The offset of the memory.
pub const MEMORY: u64 = 2 << 20;
/// The byte of the exporter's lock, which stands for all.
const LOCK: usize = 0;
const RECORDS: u64 = 4096;
const RECORD: usize = 32;
/// The most named ranges of one file at a time.
const MOST_NAMES: usize = (MEMORY - RECORDS) as usize / RECORD;

const HEADER: usize = 56;
const HEADER_MAGIC: [u8; 8] = *b"portaclM";
const NAME_MAGIC: [u8; 8] = *b"portaclP";
/// The version of the format. Processes with different versions do not share memory.
const VERSION: u32 = 1;

/// A file of this process.
pub struct SharedFile {
    pub file: File,
    /// Different for each.
    identity: [u8; 16],
    state: Mutex<State>,
}

struct State {
    /// Has the lock; `None`: closed.
    door: Option<File>,
    /// By offset in the memory.
    names: HashMap<u64, Name>,
    vacant: Vec<u32>,
    /// The number of used records.
    records: u32,
    /// The serial of the last name.
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
    /// For `size` bytes of memory, none of them allocated yet. Devices are counted by their number among all.
    pub fn new(place: MemoryPlace, size: u64) -> io::Result<Self> {
        let file = files::sealed_file(c"portacl-shared", MEMORY + size)?;
        let identity = random()?;
        let header = Header { place, size, identity }.to_bytes();
        file.write_all_at(&header, 0).map_err(|error| named("pwrite", error))?;
        let door = memory_file::reopen(&file)?;
        memory_file::lock(&door, LOCK, libc::F_OFD_SETLK, libc::F_WRLCK)?;
        let state = State { door: Some(door), names: HashMap::new(), vacant: Vec::new(), records: 0, serial: 0 };
        Ok(Self { file, identity, state: Mutex::new(state) })
    }

    /// A new descriptor of it, closed in programs that this process starts.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        self.file.as_fd().try_clone_to_owned()
    }

    /// Names a range, or returns the name that it has.
    pub fn export(&self, offset: u64, len: u64) -> Result<PointerExport> {
        let mut state = self.state.lock();
        if let Some(name) = state.names.get(&offset)
            && name.len == len
        {
            return Ok(name.to_bytes(&self.identity));
        }
        self.forget(&mut state, offset);
        let slot = match state.vacant.pop() {
            Some(slot) => slot,
            None if (state.records as usize) < MOST_NAMES => {
                state.records += 1;
                state.records - 1
            }
            None => {
                return Err(Fault::out_of_host_memory(format!(
                    "{MOST_NAMES} pointers of this pool are exported, the most; free some"
                )));
            }
        };
        state.serial += 1;
        let name = Name { slot, serial: state.serial, offset, len };
        if let Err(error) = self.write_record(slot, &name.record(&self.identity)) {
            state.vacant.push(slot);
            return Err(Fault::out_of_host_memory(format!("the name of a pointer cannot be written: pwrite: {error}")));
        }
        state.names.insert(offset, name);
        Ok(name.to_bytes(&self.identity))
    }

    /// The range that begins there loses its name.
    pub fn withdraw(&self, offset: u64) {
        self.forget(&mut self.state.lock(), offset);
    }

    fn forget(&self, state: &mut State, offset: u64) {
        if let Some(name) = state.names.remove(&offset) {
            // The record is in memory already: overwriting it cannot fail. A stale name would only lead to other
            // contents.
            let _ = self.write_record(name.slot, &[0; RECORD]);
            state.vacant.push(name.slot);
        }
    }

    fn write_record(&self, slot: u32, record: &[u8; RECORD]) -> io::Result<()> {
        self.file.write_all_at(record, record_at(slot))
    }

    /// Ends imports.
    pub fn close(&self) {
        if let Some(door) = self.state.lock().door.take() {
            // Also for a forked child that has this file open. If this fails, the lock ends with the last of them.
            let _ = memory_file::lock(&door, LOCK, libc::F_OFD_SETLK, libc::F_UNLCK);
        }
    }
}

/// A file of another process, or an import of this process's own.
pub struct ImportedFile {
    pub file: File,
    header: Header,
}

impl ImportedFile {
    /// Opens the file of a descriptor, if it is one.
    pub fn open(descriptor: BorrowedFd<'_>) -> Result<Self> {
        let number = descriptor.as_raw_fd();
        let refused = |why: String| Fault::invalid(format!("descriptor {number} {why}"));
        let foreign = |why: &str| refused(format!("is not of an exported memory pool: {why}"));
        let unknown = |error: io::Error| {
            Fault::new(FaultKind::Driver, format!("descriptor {number} cannot be looked at: {error}"))
        };
        if !memory_file::is_sealed(descriptor).map_err(unknown)? {
            return Err(foreign("a file without the seals of one"));
        }
        let file = descriptor.try_clone_to_owned().map(File::from).map_err(|error| {
            Fault::out_of_host_memory(format!("descriptor {number} cannot be duplicated: dup: {error}"))
        })?;
        let mut bytes = [0; HEADER];
        match file.read_exact_at(&mut bytes, 0) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(foreign("it is too short")),
            read => read.map_err(|error| unknown(named("pread", error)))?,
        }
        let header = Header::from_bytes(&bytes).map_err(&refused)?;
        let len = file.metadata().map_err(|error| unknown(named("fstat", error)))?.len();
        if header.size.checked_add(MEMORY) != Some(len) {
            let size = header.size;
            return Err(refused(format!("is damaged: {len} bytes, where {size} bytes of memory are said to be")));
        }
        let imported = Self { file, header };
        imported.check_open()?;
        Ok(imported)
    }

    /// The place of the memory; devices are counted by their number among all.
    pub fn place(&self) -> MemoryPlace {
        self.header.place
    }

    /// The range with this name: offset in the memory, and length.
    pub fn locate(&self, export: &PointerExport) -> Result<(u64, u64)> {
        let (name, identity) = Name::from_bytes(export).map_err(Fault::invalid)?;
        if identity != self.header.identity {
            return Err(Fault::invalid("the pointer was exported from another pool than this one"));
        }
        self.check_open()?;
        let mut record = [0; RECORD];
        // The file is long enough for all records.
        self.file.read_exact_at(&mut record, record_at(name.slot)).map_err(|error| {
            Fault::new(FaultKind::Driver, format!("the exported pointer cannot be looked up: pread: {error}"))
        })?;
        if record != name.record(&identity) {
            return Err(Fault::invalid(
                "the pointer that was exported has been freed by its process; free it there last",
            ));
        }
        let end = name.offset.checked_add(name.len);
        if name.len == 0 || end.is_none_or(|end| end > self.header.size) {
            return Err(Fault::invalid(format!(
                "the exported pointer is damaged: {} bytes at {} of a pool of {}",
                name.len, name.offset, self.header.size
            )));
        }
        Ok((name.offset, name.len))
    }

    fn check_open(&self) -> Result<()> {
        match memory_file::lock(&self.file, LOCK, libc::F_OFD_GETLK, libc::F_WRLCK) {
            Ok(libc::F_UNLCK) => {
                Err(Fault::invalid("the exported memory pool is no more: its process has destroyed it, or ended"))
            }
            Ok(_) => Ok(()),
            Err(error) => Err(Fault::new(
                FaultKind::Driver,
                format!("whether the exported memory pool is still there cannot be asked: {error}"),
            )),
        }
    }
}

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    place: MemoryPlace,
    size: u64,
    identity: [u8; 16],
}

impl Header {
    fn to_bytes(self) -> [u8; HEADER] {
        let (kind, number) = match self.place {
            MemoryPlace::Device(number) => (0, number),
            MemoryPlace::Host(Some(node)) => (1, node),
            MemoryPlace::Host(None) => (2, 0),
        };
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&HEADER_MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&u32::to_le_bytes(kind));
        bytes[16..24].copy_from_slice(&u64::from(number).to_le_bytes());
        bytes[24..32].copy_from_slice(&self.size.to_le_bytes());
        bytes[32..48].copy_from_slice(&self.identity);
        let sum = checksum(&bytes[..48]);
        bytes[48..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Parses it; the error is the end of a sentence about the file.
    fn from_bytes(bytes: &[u8; HEADER]) -> std::result::Result<Self, String> {
        if bytes[..8] != HEADER_MAGIC {
            return Err("is not of an exported memory pool: it begins differently".to_owned());
        }
        let version = number(&bytes[8..12]);
        if version != u64::from(VERSION) {
            return Err(format!(
                "is of a memory pool of another version of this library (layout {version}, here \
                 {VERSION}); both processes need the same"
            ));
        }
        if number(&bytes[48..]) != checksum(&bytes[..48]) {
            return Err("is damaged: the checksum of its header is wrong".to_owned());
        }
        let which = number(&bytes[16..24]) as u32;
        let place = match number(&bytes[12..16]) {
            0 => MemoryPlace::Device(which),
            1 => MemoryPlace::Host(Some(which)),
            2 => MemoryPlace::Host(None),
            kind => return Err(format!("is damaged: it has memory of unknown kind {kind}")),
        };
        let identity = bytes[32..48].try_into().expect("16 bytes");
        Ok(Self { place, size: number(&bytes[24..32]), identity })
    }
}

impl Name {
    /// Its record in the file, while it is named.
    fn record(&self, identity: &[u8; 16]) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        for (at, number) in [self.serial, self.offset, self.len].iter().enumerate() {
            bytes[at * 8..][..8].copy_from_slice(&number.to_le_bytes());
        }
        let sum = checksum(&bytes[..24]) ^ checksum(identity);
        bytes[24..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn to_bytes(self, identity: &[u8; 16]) -> PointerExport {
        let mut bytes = [0; 64];
        bytes[..8].copy_from_slice(&NAME_MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.slot.to_le_bytes());
        bytes[16..32].copy_from_slice(identity);
        for (at, number) in [self.serial, self.offset, self.len].iter().enumerate() {
            bytes[32 + at * 8..][..8].copy_from_slice(&number.to_le_bytes());
        }
        let sum = checksum(&bytes[..56]);
        bytes[56..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Parses a name and the file's identity.
    fn from_bytes(bytes: &PointerExport) -> std::result::Result<(Self, [u8; 16]), String> {
        if bytes[..8] != NAME_MAGIC || number(&bytes[56..]) != checksum(&bytes[..56]) {
            return Err("these bytes are not those of an exported pointer".to_owned());
        }
        let version = number(&bytes[8..12]);
        if version != u64::from(VERSION) {
            return Err(format!(
                "the pointer was exported by another version of this library (layout {version}, \
                 here {VERSION}); both processes need the same"
            ));
        }
        let slot = number(&bytes[12..16]) as u32;
        if slot as usize >= MOST_NAMES {
            return Err(format!("the exported pointer is damaged: it is number {slot}"));
        }
        let [serial, offset, len] = [32, 40, 48].map(|at| number(&bytes[at..at + 8]));
        let identity = bytes[16..32].try_into().expect("16 bytes");
        Ok((Self { slot, serial, offset, len }, identity))
    }
}

fn record_at(slot: u32) -> u64 {
    RECORDS + u64::from(slot) * RECORD as u64
}

/// Up to 8 bytes, the least significant first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Distinguishes damaged from valid content; it is no protection against forgery.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |sum, chunk| mix(sum ^ number(chunk)))
}
