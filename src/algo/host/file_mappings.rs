//! The parts of files that are mapped in the process, by `/proc/self/maps`: two addresses of one part are the same
//! memory.

use std::fs;
use std::ops::Range;

/// A part of a file that is mapped, so that its writes are seen by all who map it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMapping {
    /// The addresses.
    pub addrs: Range<usize>,
    /// The file: the numbers of its device and of its inode.
    pub file: (u64, u64),
    /// The offset of the first address in the file.
    pub offset: u64,
}

impl FileMapping {
    /// Returns the address of a part of the file in this mapping. `None`: it is not mapped here, or another file is.
    pub fn addr_of(&self, file: (u64, u64), offset: u64) -> Option<usize> {
        let distance = offset.checked_sub(self.offset).filter(|_| self.file == file)? as usize;
        (distance < self.addrs.len()).then(|| self.addrs.start + distance)
    }
}

/// Returns all shared mappings of files. Empty if the system does not say.
pub fn all() -> Vec<FileMapping> {
    fs::read_to_string("/proc/self/maps").map(|text| parse(&text)).unwrap_or_default()
}

/// Parses lines such as `7f00-7f10 rw-s 00002000 00:01 2049 /memfd:name (deleted)`.
fn parse(text: &str) -> Vec<FileMapping> {
    text.lines().filter_map(mapping).collect()
}

fn mapping(line: &str) -> Option<FileMapping> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    let addrs = hex(start)? as usize..hex(end)? as usize;
    let is_shared = words.next()?.ends_with('s');
    let offset = hex(words.next()?)?;
    let (major, minor) = words.next()?.split_once(':')?;
    let inode: u64 = words.next()?.parse().ok()?;
    let file = (hex(major)? << 32 | hex(minor)?, inode);
    (is_shared && inode != 0).then_some(FileMapping { addrs, file, offset })
}

#[cfg(test)]
#[path = "file_mappings_tests.rs"]
mod tests;
