//! Checks the tables of a shared object that the system's loader follows without a check: a damaged offset would end
//! the process. What a correct table cannot show stays unchecked: the code itself, and which of the object's own places
//! a relocation changes.

use std::collections::BTreeMap;
use std::ops::Range;

use object::LittleEndian;
use object::elf::{PF_R, PF_W, PF_X, PT_DYNAMIC, PT_GNU_PROPERTY, PT_GNU_RELRO, PT_LOAD, PT_NOTE, PT_PHDR, PT_TLS};
use object::pod::bytes_of_slice;
use object::read::elf::ProgramHeader;

use super::elf_relocations;

/// What is wrong with the file.
pub(super) type Why = &'static str;
pub(super) type Checked<T = ()> = Result<T, Why>;

pub(super) const NEEDED: u64 = 1;
const PLT_SIZE: u64 = 2;
const HASH: u64 = 4;
const STRINGS: u64 = 5;
const SYMBOLS: u64 = 6;
pub(super) const RELA: u64 = 7;
const STRINGS_SIZE: u64 = 10;
const INIT: u64 = 12;
const FINI: u64 = 13;
const REL: u64 = 17;
const PLT_KIND: u64 = 20;
const JUMPS: u64 = 23;
const GNU_HASH: u64 = 0x6fff_fef5;
/// Tables whose entries have a size that the loader asserts: RELA, SYMTAB and RELR, with the tag that names the size.
const ENTRIES: [(u64, u64, u64); 3] = [(RELA, 9, 24), (SYMBOLS, 11, 24), (36, 37, 8)];
/// NEEDED, SONAME, RPATH, RUNPATH, AUXILIARY, FILTER, CONFIG, DEPAUDIT and AUDIT.
const NAMES: [u64; 9] = [NEEDED, 14, 15, 29, 0x7fff_fffd, 0x7fff_ffff, 0x6fff_fefa, 0x6fff_fefb, 0x6fff_fefc];

const PAGE: u64 = 4096;
/// The most bytes and the greatest alignment of thread-local variables.
const MOST_THREAD_LOCAL: u64 = 1 << 30;
const GREATEST_ALIGNMENT: u64 = 1 << 26;

/// A part of the file that becomes memory.
pub(super) struct Segment<'a> {
    addr: u64,
    len: u64,
    flags: u32,
    /// The bytes of the file at its beginning.
    bytes: &'a [u8],
}

/// A shared object as the loader sees it.
pub(super) struct Tables<'a> {
    segments: Vec<Segment<'a>>,
    /// The entries of the dynamic section by tag. Of several with one tag the loader uses the last.
    entries: BTreeMap<u64, u64>,
    /// Where the dynamic section is in memory. The loader reads it until the object is unloaded.
    dynamic: Range<u64>,
    pub(super) needed: Vec<u64>,
    strings: &'a [u8],
    pub(super) has_thread_locals: bool,
}

/// A symbol.
pub(super) struct Symbol {
    name: u64,
    pub(super) kind: u8,
    pub(super) is_defined: bool,
    is_absolute: bool,
    /// Whether the loader takes it for one of this object, whatever the others define.
    pub(super) is_local: bool,
    pub(super) value: u64,
    size: u64,
}

pub(super) fn word(bytes: &[u8], at: u64) -> Option<u64> {
    let bytes = bytes.get(usize::try_from(at).ok()?..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*bytes))
}

pub(super) fn half(bytes: &[u8], at: u64) -> Option<u64> {
    let bytes = bytes.get(usize::try_from(at).ok()?..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*bytes).into())
}

pub(super) fn short(bytes: &[u8], at: u64) -> Option<u64> {
    let bytes = bytes.get(usize::try_from(at).ok()?..)?.first_chunk::<2>()?;
    Some(u16::from_le_bytes(*bytes).into())
}

/// Checks a shared object for this processor.
pub(super) fn check(bytes: &[u8], headers: &[object::elf::ProgramHeader64<LittleEndian>]) -> Checked {
    let mut tables = Tables {
        segments: segments(bytes, headers)?,
        entries: BTreeMap::new(),
        dynamic: 0..0,
        needed: Vec::new(),
        strings: &[],
        has_thread_locals: false,
    };
    let mut is_dynamic = false;
    for header in headers {
        let (addr, len) = (header.p_vaddr.get(LittleEndian), header.p_memsz.get(LittleEndian));
        match header.p_type(LittleEndian) {
            PT_DYNAMIC => {
                ensure!(!is_dynamic, "it has two dynamic sections");
                is_dynamic = true;
                tables.read_dynamic(addr, header.p_flags(LittleEndian).0)?;
            }
            PT_PHDR => {
                // The loader reads them there from now on.
                let here = tables.file_at(addr, len).map(<[u8]>::as_ptr_range);
                let are_here = here == Some(bytes_of_slice(headers).as_ptr_range());
                ensure!(are_here, "the address of its program headers (PT_PHDR) is wrong");
            }
            PT_NOTE | PT_GNU_PROPERTY => tables.check_notes(addr, len, header.p_align.get(LittleEndian))?,
            PT_TLS => {
                let (filled, align) = (header.p_filesz.get(LittleEndian), header.p_align.get(LittleEndian));
                tables.file_at(addr, filled).ok_or("its thread-local variables are outside of its segments")?;
                let is_small = filled <= len && len <= MOST_THREAD_LOCAL;
                let is_aligned = align == 0 || align.is_power_of_two() && align <= GREATEST_ALIGNMENT;
                ensure!(is_small && is_aligned, "its thread-local variables have an invalid size or alignment");
                tables.has_thread_locals = true;
            }
            PT_GNU_RELRO => {
                ensure!(
                    tables.is_in_data_pages(addr, len),
                    "its range PT_GNU_RELRO is not inside a writable segment without code"
                );
            }
            _ => {}
        }
    }
    ensure!(is_dynamic, "it has no dynamic section");
    tables.check_names()?;
    let count = tables.check_hashes()?;
    let used = elf_relocations::check(&tables)?;
    let count = count.max(used);
    for index in 0..count {
        tables.check_symbol(&tables.symbol(index)?)?;
    }
    tables.check_versions(count)
}

/// Returns the parts that become memory. The loader maps the first to the last as one range.
fn segments<'a>(bytes: &'a [u8], headers: &[object::elf::ProgramHeader64<LittleEndian>]) -> Checked<Vec<Segment<'a>>> {
    let mut all: Vec<Segment<'a>> = Vec::new();
    for header in headers.iter().filter(|header| header.p_type(LittleEndian) == PT_LOAD) {
        let (addr, len) = (header.p_vaddr.get(LittleEndian), header.p_memsz.get(LittleEndian));
        ensure!(addr.saturating_add(len) < 1 << 46, "a segment is outside of the address space");
        let file = header.data(LittleEndian, bytes).map_err(|()| "a segment ends past the end of the file")?;
        ensure!(file.len() as u64 <= len, "a segment has more bytes in the file than in memory");
        let is_constant = header.p_flags(LittleEndian).0 & PF_W.0 == 0;
        ensure!(
            !is_constant || file.len() as u64 == len,
            "a read-only segment has fewer bytes in the file than in memory"
        );
        let offset = header.p_offset.get(LittleEndian);
        ensure!(offset % PAGE == addr % PAGE, "a segment's address and file offset differ modulo the page size");
        let before = all.last().map_or(0, |last: &Segment<'_>| (last.addr + last.len).next_multiple_of(PAGE));
        ensure!(before <= addr / PAGE * PAGE, "its segments overlap, share a page or are not in ascending order");
        ensure!(header.p_flags(LittleEndian).0 & PF_R.0 != 0, "a segment cannot be read");
        all.push(Segment { addr, len, flags: header.p_flags(LittleEndian).0, bytes: file });
    }
    ensure!(!all.is_empty(), "it has no segment");
    Ok(all)
}

impl<'a> Tables<'a> {
    fn segment(&self, addr: u64, len: u64) -> Option<&Segment<'a>> {
        let fits = |segment: &&Segment<'_>| {
            let from = addr.checked_sub(segment.addr)?;
            (from <= segment.len && len <= segment.len - from).then_some(())
        };
        self.segments.iter().find(|segment| fits(segment).is_some())
    }

    /// Whether the bytes are in memory with these rights.
    pub(super) fn has(&self, addr: u64, len: u64, rights: u32) -> bool {
        self.segment(addr, len).is_some_and(|segment| segment.flags & rights == rights)
    }

    /// Whether the bytes are in the pages of writable memory without code. Some linkers round the end of the range that
    /// the loader protects up to a page, which the loader does not go beyond.
    fn is_in_data_pages(&self, addr: u64, len: u64) -> bool {
        const PAGE: u64 = 4 << 10;
        let Some(segment) = self.segment(addr, 1) else { return false };
        let is_data = segment.flags & (PF_W.0 | PF_X.0) == PF_W.0;
        let end = (segment.addr + segment.len).checked_next_multiple_of(PAGE);
        is_data && addr.checked_add(len).zip(end).is_some_and(|(last, end)| last <= end)
    }

    /// Whether the bytes are part of the dynamic section.
    pub(super) fn is_dynamic(&self, addr: u64, len: u64) -> bool {
        addr < self.dynamic.end && self.dynamic.start < addr.saturating_add(len)
    }

    /// Whether there may be a function.
    pub(super) fn is_code(&self, addr: u64) -> bool {
        self.has(addr, 1, PF_X.0)
    }

    /// Returns bytes of the file by their address in memory.
    pub(super) fn file_at(&self, addr: u64, len: u64) -> Option<&'a [u8]> {
        self.file_from(addr)?.get(..usize::try_from(len).ok()?)
    }

    /// Returns the bytes of the file from an address to the end of its segment.
    pub(super) fn file_from(&self, addr: u64) -> Option<&'a [u8]> {
        let segment = self.segment(addr, 1)?;
        segment.bytes.get((addr - segment.addr) as usize..)
    }

    pub(super) fn entry(&self, tag: u64) -> Option<u64> {
        self.entries.get(&tag).copied()
    }

    /// Returns the table that two entries describe by its address and its size; `None` if there is none.
    pub(super) fn table(&self, addr: u64, size: u64) -> Checked<Option<(u64, &'a [u8])>> {
        let (addr, size) = match (self.entry(addr), self.entry(size)) {
            (Some(addr), Some(size)) => (addr, size),
            (None, None) => return Ok(None),
            (Some(_), None) | (None, Some(_)) => {
                return Err("a table of its dynamic section lacks its address or size");
            }
        };
        let bytes = if size == 0 { Some(&[][..]) } else { self.file_at(addr, size) };
        Ok(Some((addr, bytes.ok_or("a table of its dynamic section is not inside a segment")?)))
    }

    fn read_dynamic(&mut self, addr: u64, flags: u32) -> Checked {
        // The loader writes there unless the flags forbid it.
        ensure!(flags & PF_W.0 == 0 || self.has(addr, 16, PF_W.0), "its dynamic section is not in a writable segment");
        let bytes = self.file_from(addr).ok_or("its dynamic section is outside of its segments")?;
        for at in (0_u64..).step_by(16) {
            let entry = word(bytes, at).zip(word(bytes, at + 8));
            let (tag, value) = entry.ok_or("its dynamic section has no end (DT_NULL)")?;
            self.dynamic = addr..addr + at + 16;
            match tag {
                0 => break,
                NEEDED => self.needed.push(value),
                _ => {}
            }
            self.entries.insert(tag, value);
        }
        let has = |tag| self.entry(tag).is_some();
        ensure!(has(STRINGS) && has(STRINGS_SIZE) && has(SYMBOLS), "it lacks DT_SYMTAB, DT_STRTAB or DT_STRSZ");
        let is_known = |(table, tag, size)| !has(table) || self.entry(tag) == Some(size);
        ensure!(ENTRIES.into_iter().all(is_known), "DT_RELAENT, DT_SYMENT or DT_RELRENT is missing or wrong");
        ensure!(self.entry(REL).is_none(), "it has relocations without addends");
        Ok(())
    }

    fn check_notes(&self, addr: u64, len: u64, align: u64) -> Checked {
        let why = "a note is not inside its segment, or the segment is not loaded";
        let mut rest = self.file_at(addr, len).ok_or(why)?;
        let align = if align == 8 { 8 } else { 4 };
        while rest.len() >= 12 {
            let (name, text) = half(rest, 0).zip(half(rest, 4)).ok_or(why)?;
            let start = (12 + name).next_multiple_of(align);
            let end = start + text;
            ensure!(end <= rest.len() as u64, why);
            rest = rest.get(end.next_multiple_of(align) as usize..).unwrap_or_default();
        }
        Ok(())
    }

    /// Checks the names and the functions of the dynamic section.
    fn check_names(&mut self) -> Checked {
        if let Some((_, strings)) = self.table(STRINGS, STRINGS_SIZE)? {
            ensure!(strings.last().is_none_or(|last| *last == 0), "DT_STRTAB has no terminating zero");
            self.strings = strings;
        }
        let names = NAMES.into_iter().filter_map(|tag| self.entry(tag)).chain(self.needed.iter().copied());
        for name in names {
            self.check_name(name)?;
        }
        let functions = [INIT, FINI].into_iter().filter_map(|tag| self.entry(tag));
        ensure!({ functions }.all(|addr| self.is_code(addr)), "its function DT_INIT or DT_FINI is outside of code");
        // The loader asserts the kind, and reads the table where there is one.
        let jumps = [JUMPS, PLT_SIZE, PLT_KIND].map(|tag| self.entry(tag));
        let is_whole = matches!(jumps, [None, None, None] | [Some(_), Some(_), Some(RELA)]);
        ensure!(is_whole, "its jump relocations lack DT_JMPREL, DT_PLTRELSZ or DT_PLTREL, or have no addends");
        Ok(())
    }

    pub(super) fn check_name(&self, offset: u64) -> Checked {
        ensure!(offset < self.strings.len() as u64, "a name is outside of DT_STRTAB");
        Ok(())
    }

    pub(super) fn name(&self, offset: u64) -> &'a [u8] {
        let rest = &self.strings[offset as usize..];
        &rest[..rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len())]
    }

    pub(super) fn symbol(&self, index: u64) -> Checked<Symbol> {
        let found = || {
            let addr = self.entry(SYMBOLS)?.checked_add(index.checked_mul(24)?)?;
            let bytes = self.file_at(addr, 24)?;
            let section = short(bytes, 6)?;
            Some(Symbol {
                name: half(bytes, 0)?,
                kind: bytes[4] & 0xf,
                is_defined: section != 0,
                is_absolute: section == 0xfff1,
                is_local: bytes[4] >> 4 == 0 || bytes[5] & 3 != 0,
                value: word(bytes, 8)?,
                size: word(bytes, 16)?,
            })
        };
        found().ok_or("a relocation or a hash table refers to a symbol outside of the symbol table")
    }

    fn check_symbol(&self, symbol: &Symbol) -> Checked {
        const VARIABLE: u8 = 1;
        const FUNCTION: u8 = 2;
        const THREAD_LOCAL: u8 = 6;
        const CHOICE: u8 = 10;
        self.check_name(symbol.name)?;
        let is_inside = match symbol.kind {
            _ if !symbol.is_defined || symbol.is_absolute => true,
            FUNCTION | CHOICE => self.is_code(symbol.value),
            VARIABLE => self.has(symbol.value, symbol.size, 0),
            THREAD_LOCAL => self.has_thread_locals,
            _ => self.has(symbol.value, 0, 0),
        };
        ensure!(is_inside, "a symbol is outside of the segments, or in a segment of the wrong kind");
        Ok(())
    }

    /// Checks the tables by which the loader finds symbols. Returns how many symbols they reach.
    fn check_hashes(&self) -> Checked<u64> {
        let old = self.entry(HASH).map_or(Some(0), |addr| self.reach_of_hash(addr));
        let new = self.entry(GNU_HASH).map_or(Some(0), |addr| self.reach_of_gnu_hash(addr));
        old.zip(new).map(|(old, new)| old.max(new)).ok_or("a hash table is damaged")
    }

    fn reach_of_hash(&self, addr: u64) -> Option<u64> {
        let bytes = self.file_from(addr)?;
        let (buckets, count) = half(bytes, 0).zip(half(bytes, 4))?;
        let end = bytes.get(..usize::try_from(8 + 4 * (buckets + count)).ok()?);
        let in_bucket = |bucket| half(bytes, 8 + 4 * bucket);
        let behind = |index| half(bytes, 8 + 4 * (buckets + index));
        end.filter(|_| buckets != 0)?;
        let mut seen = vec![false; count as usize];
        for bucket in 0..buckets {
            let mut index = in_bucket(bucket)?;
            // Each symbol is in one chain, once.
            while index != 0 {
                let is_new = seen.get_mut(index as usize).map(|seen| !std::mem::replace(seen, true));
                is_new.filter(|is_new| *is_new)?;
                index = behind(index)?;
            }
        }
        Some(count)
    }

    fn reach_of_gnu_hash(&self, addr: u64) -> Option<u64> {
        let bytes = self.file_from(addr)?;
        let [buckets, first, words] = [half(bytes, 0)?, half(bytes, 4)?, half(bytes, 8)?];
        (buckets != 0 && words.is_power_of_two()).then_some(())?;
        let (table, chains) = (16 + 8 * words, 16 + 8 * words + 4 * buckets);
        bytes.get(..usize::try_from(chains).ok()?)?;
        let mut last = 0;
        for bucket in 0..buckets {
            let index = half(bytes, table + 4 * bucket)?;
            (index == 0 || index >= first).then_some(())?;
            last = last.max(index);
        }
        if last == 0 {
            return Some(first);
        }
        // Every other chain ends before this one does, because an odd entry ends each of them.
        while half(bytes, chains + 4 * (last - first))? & 1 == 0 {
            last += 1;
        }
        Some(last + 1)
    }
}
