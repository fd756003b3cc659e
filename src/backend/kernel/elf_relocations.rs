//! Checks the relocations of a shared object: what they change, which symbols they use, and the functions that the
//! loader calls.

use std::collections::BTreeMap;

use object::elf::PF_W;

use super::elf_tables::{Checked, RELA, Tables, word};

const RELA_SIZE: u64 = 8;
const JUMPS: u64 = 23;
const JUMPS_SIZE: u64 = 2;
const RELATIVE_COUNT: u64 = 0x6fff_fff9;
const RELR: u64 = 36;
const RELR_SIZE: u64 = 35;
const TEXT_RELOCATIONS: u64 = 22;
const FLAGS: u64 = 30;
const HAS_TEXT_RELOCATIONS: u64 = 4;
/// The tables of functions that run at the beginning and at the end, each by its address and its size.
const FUNCTIONS: [(u64, u64); 2] = [(25, 27), (26, 28)];

/// No address of a function.
const NOWHERE: u64 = u64::MAX;

/// The types of relocations of one processor that need more than their place.
struct Types {
    relative: u64,
    /// Calls a function for its value.
    indirect: u64,
    /// Copies a variable, which only programs have.
    copy: u64,
    /// Writes the address of a symbol.
    symbol: [u64; 3],
    /// Of thread-local variables. The last is twice as long.
    thread_local: [u64; 4],
}

const TYPES: Types = if cfg!(target_arch = "aarch64") {
    Types {
        relative: 1027,
        indirect: 1032,
        copy: 1024,
        symbol: [257, 1025, 1026],
        thread_local: [1028, 1029, 1030, 1031],
    }
} else {
    Types { relative: 8, indirect: 37, copy: 5, symbol: [1, 6, 7], thread_local: [16, 17, 18, 36] }
};

impl Types {
    fn has(&self, kind: u64) -> bool {
        [0, self.relative, self.indirect].contains(&kind)
            || self.symbol.contains(&kind)
            || self.thread_local.contains(&kind)
    }
}

/// Returns how many symbols the relocations reach.
pub(super) fn check(tables: &Tables<'_>) -> Checked<u64> {
    let has_text = tables.entry(TEXT_RELOCATIONS).is_some()
        || tables.entry(FLAGS).is_some_and(|flags| flags & HAS_TEXT_RELOCATIONS != 0);
    let rights = if has_text { 0 } else { PF_W.0 };
    let mut functions = Functions::of(tables)?;
    check_packed(tables, &mut functions)?;
    let mut reach = 0;
    for (addr, size) in [(RELA, RELA_SIZE), (JUMPS, JUMPS_SIZE)] {
        let Some((_, bytes)) = tables.table(addr, size)? else { continue };
        ensure!(bytes.len() % 24 == 0, "its relocations have an invalid size");
        // The loader asserts that the first ones are of that type.
        let count = if addr == RELA { tables.entry(RELATIVE_COUNT).unwrap_or(0) } else { 0 };
        for at in (0..bytes.len() as u64).step_by(24) {
            let [place, info, addend] = [0, 8, 16].map(|field| word(bytes, at + field).unwrap_or_default());
            let (kind, index) = (info & 0xffff_ffff, info >> 32);
            let len = if kind == TYPES.thread_local[3] { 16 } else { 8 };
            let is_data = tables.has(place, len, rights) && !tables.is_dynamic(place, len);
            ensure!(kind == 0 || is_data, "a relocation writes outside of writable data, or into the dynamic section");
            ensure!(at / 24 >= count || info == TYPES.relative, "DT_RELACOUNT counts a non-relative relocation");
            ensure!(kind != TYPES.copy, "a relocation copies a variable, which only executables may do");
            ensure!(has_text || TYPES.has(kind), "a relocation has a type that this library does not support");
            ensure!(kind != TYPES.indirect || tables.is_code(addend), "a relocation calls an address outside of code");
            let needs_none = kind == 0 || kind == TYPES.relative || kind == TYPES.indirect;
            ensure!(index == 0 || kind != TYPES.relative, "a relative relocation has a symbol");
            ensure!(index != 0 || needs_none || TYPES.thread_local.contains(&kind), "a relocation has no symbol");
            let symbol = tables.symbol(index)?;
            let is_found = index == 0 || symbol.is_defined || !symbol.is_local;
            ensure!(is_found, "a relocation refers to a local, hidden or protected symbol that is not defined");
            if TYPES.thread_local.contains(&kind) {
                let is_known = index == 0 || symbol.kind == 6;
                ensure!(is_known, "a thread-local relocation has a symbol that is not thread-local");
                let is_here = tables.has_thread_locals || index != 0 && !symbol.is_defined;
                ensure!(is_here, "a thread-local relocation is in a file without thread-local variables");
            }
            reach = reach.max(index + 1);
            let of_symbol = symbol.is_defined.then(|| symbol.value.wrapping_add(addend));
            match kind {
                0 => {}
                _ if kind == TYPES.relative => functions.set(place, Some(addend)),
                _ if TYPES.symbol.contains(&kind) => functions.set(place, of_symbol),
                _ => functions.set(place, Some(NOWHERE)),
            }
        }
    }
    functions.check(tables)?;
    Ok(reach)
}

/// The tables of functions that the loader calls.
struct Functions<'a> {
    /// Each with its address.
    tables: Vec<(u64, &'a [u8])>,
    /// The values that relocations give to their words; `None` for those of another object's symbol.
    values: BTreeMap<u64, Option<u64>>,
}

impl<'a> Functions<'a> {
    fn of(tables: &Tables<'a>) -> Checked<Self> {
        let mut found = Vec::new();
        for (addr, size) in FUNCTIONS {
            found.extend(tables.table(addr, size)?);
        }
        ensure!(found.iter().all(|(_, bytes)| bytes.len() % 8 == 0), "DT_INIT_ARRAY or DT_FINI_ARRAY has a wrong size");
        Ok(Self { tables: found, values: BTreeMap::new() })
    }

    /// Sets the value of a word, if it is one of a table.
    fn set(&mut self, place: u64, value: Option<u64>) {
        let is_near = |addr: u64, len: usize| place < addr.saturating_add(len as u64) && addr < place.saturating_add(8);
        if self.tables.iter().any(|(addr, bytes)| is_near(*addr, bytes.len())) {
            self.values.insert(place, value);
        }
    }

    fn check(&self, tables: &Tables<'_>) -> Checked {
        for (addr, bytes) in &self.tables {
            for at in (0..bytes.len() as u64).step_by(8) {
                let place = addr + at;
                // A word without a relocation is no address of this process.
                let mut changes = self.values.range(place.saturating_sub(7)..place + 8);
                let is_code = |value: u64| tables.is_code(value);
                let is_whole = changes.next().is_some_and(|(at, value)| *at == place && value.is_none_or(is_code));
                ensure!(
                    is_whole && changes.next().is_none(),
                    "DT_INIT_ARRAY or DT_FINI_ARRAY has an entry that is not the address of code"
                );
            }
        }
        Ok(())
    }
}

/// Checks relocations in the packed form: an even word is a place, an odd one a set of places behind it.
fn check_packed(tables: &Tables<'_>, functions: &mut Functions<'_>) -> Checked {
    let Some((_, bytes)) = tables.table(RELR, RELR_SIZE)? else { return Ok(()) };
    ensure!(bytes.len() % 8 == 0, "its packed relocations have an invalid size");
    let mut change = |place: u64| -> Checked {
        let is_data = tables.has(place, 8, PF_W.0) && !tables.is_dynamic(place, 8);
        ensure!(is_data, "a packed relocation writes outside of writable data, or into the dynamic section");
        functions.set(place, tables.file_at(place, 8).and_then(|bytes| word(bytes, 0)).or(Some(0)));
        Ok(())
    };
    let mut next = 0_u64;
    for at in (0..bytes.len() as u64).step_by(8) {
        let entry = word(bytes, at).unwrap_or_default();
        if entry & 1 == 0 {
            change(entry)?;
            next = entry.saturating_add(8);
            continue;
        }
        for bit in (0..63).filter(|bit| entry >> (bit + 1) & 1 == 1) {
            change(next.saturating_add(8 * bit))?;
        }
        next = next.saturating_add(8 * 63);
    }
    Ok(())
}
