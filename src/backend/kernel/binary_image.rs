//! Checks the format of a program's file before it is loaded: neither the system's loader nor a GPU driver survives
//! every file, and a program for other hardware gets a clear error.

use std::error::Error;

use object::LittleEndian;
use object::elf::{ELFCLASS64, ELFDATA2LSB, ELFMAG, EM_CUDA, ET_DYN, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};

use super::elf_tables;
use crate::algo::count::Count;
use crate::{Fault, Result};

/// The machine of code for NVIDIA GPUs.
pub const MACHINE_CUDA: u16 = EM_CUDA.0;
/// The type of a shared object.
pub const SHARED_OBJECT: u16 = ET_DYN.0;
/// The machine of shared objects that this process can load: `EM_X86_64` or `EM_AARCH64`.
pub const THIS_MACHINE: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
const FATBIN_MAGIC: u32 = 0xba55_ed50;

/// The kind of a program, according to its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Image {
    /// A 64-bit little-endian ELF file, complete according to its headers.
    Elf {
        /// The number of its processor.
        machine: u16,
        /// The number of its type: object, executable or shared object.
        kind: u16,
    },
    /// A complete collection of programs for several kinds of GPUs.
    Fatbin,
    /// Text for the compiler of a CUDA driver.
    Ptx,
}

impl Image {
    /// Returns the format of the bytes. Fails with [`Unsupported`](crate::FaultKind::Unsupported) if it is unknown, and
    /// with [`InvalidArgument`](crate::FaultKind::InvalidArgument) if the program is incomplete.
    pub fn of(bytes: &[u8]) -> Result<Self> {
        if bytes.starts_with(&ELFMAG) {
            return elf(bytes);
        }
        if bytes.starts_with(&FATBIN_MAGIC.to_le_bytes()) {
            return fatbin(bytes);
        }
        if is_ptx(bytes) {
            return Ok(Self::Ptx);
        }
        let first: Vec<String> = bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        Err(Fault::unsupported(format!(
            "the kernel binary of {} begins with {} in hexadecimal, which is not a known format; the cpu backend loads \
             ELF shared objects, the cuda backend PTX text, cubin and fatbin files",
            Count(bytes.len(), "byte"),
            first.join(" ")
        )))
    }

    /// Returns the format's name in texts.
    pub fn in_words(self) -> String {
        match self {
            Self::Elf { machine: MACHINE_CUDA, .. } => "a cubin, for CUDA devices".to_owned(),
            Self::Elf { machine, kind: SHARED_OBJECT } => format!("an ELF shared object with e_machine {machine}"),
            Self::Elf { machine, kind } => format!("an ELF file with e_type {kind} and e_machine {machine}"),
            Self::Fatbin => "a fatbin, for CUDA devices".to_owned(),
            Self::Ptx => "PTX text, for CUDA devices".to_owned(),
        }
    }
}

/// Parses an ELF file. The parts that its headers name must exist, because loaders read them without a check of its
/// length.
fn elf(bytes: &[u8]) -> Result<Image> {
    if let [_, _, _, _, class, order, ..] = *bytes
        && (class, order) != (ELFCLASS64.0, ELFDATA2LSB.0)
    {
        return Err(Fault::unsupported(format!(
            "the ELF file is of class {class} and byte order {order}; allowed: class 2 (64-bit) and byte order 1 \
             (little-endian)"
        )));
    }
    let header = header_of_whole(bytes).map_err(|why| {
        let len = bytes.len();
        Fault::invalid(format!("the ELF file of {len} bytes is cut off or damaged: {why}; build or copy it again"))
    })?;
    let (machine, kind) = (header.e_machine(LittleEndian).0, header.e_type(LittleEndian).0);
    if (machine, kind) == (THIS_MACHINE, SHARED_OBJECT) {
        let headers = header.program_headers(LittleEndian, bytes).unwrap_or_default();
        elf_tables::check(bytes, headers).map_err(|why| {
            let len = bytes.len();
            Fault::invalid(format!(
                "the shared object of {len} bytes is unsafe to load: {why}; build it again with -shared and -fPIC, or \
                 copy it again"
            ))
        })?;
    }
    Ok(Image::Elf { machine, kind })
}

/// Returns the header of an ELF file that has every part that its headers name.
fn header_of_whole(bytes: &[u8]) -> std::result::Result<&FileHeader64<LittleEndian>, Box<dyn Error>> {
    let header = FileHeader64::<LittleEndian>::parse(bytes)?;
    let segments = header.program_headers(LittleEndian, bytes)?;
    let whole = segments.iter().all(|segment| segment.data(LittleEndian, bytes).is_ok());
    ensure!(whole, "a segment ends past the end of the file".into());
    let sections = header.section_headers(LittleEndian, bytes)?;
    let whole = sections.iter().all(|section| section.data(LittleEndian, bytes).is_ok());
    ensure!(whole, "a section ends past the end of the file".into());
    Ok(header)
}

fn fatbin(bytes: &[u8]) -> Result<Image> {
    // The file begins with magic number and version. Then the lengths of this header and of the rest follow.
    let needed = bytes.first_chunk::<16>().map_or(16, |&[_, _, _, _, _, _, low, high, ref rest @ ..]| {
        u64::from_le_bytes(*rest).saturating_add(u16::from_le_bytes([low, high]).into())
    });
    let len = bytes.len();
    let cut_off = || {
        Fault::invalid(format!("the fatbin is cut off: it has {len} bytes and needs {needed}; build or copy it again"))
    };
    ensure!(needed <= len as u64, cut_off());
    Ok(Image::Fatbin)
}

/// Whether the bytes are text whose first word, after comments, is `.version`.
fn is_ptx(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    loop {
        rest = rest.trim_ascii_start();
        if let Some(comment) = rest.strip_prefix(b"//") {
            let end = comment.iter().position(|byte| *byte == b'\n').unwrap_or(comment.len());
            rest = &comment[end..];
        } else if let Some(comment) = rest.strip_prefix(b"/*") {
            let end = comment.windows(2).position(|pair| pair == b"*/");
            let Some(end) = end else { return false };
            rest = &comment[end + 2..];
        } else {
            return rest.starts_with(b".version");
        }
    }
}

#[cfg(test)]
#[path = "binary_image_tests.rs"]
mod tests;
