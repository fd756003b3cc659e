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

/// The types of relocations of one processor that need more than their place.
struct Types {
    relative: u64,
    /// Calls a function for its value.
    indirect: u64,
    /// Copies a variable, which only programs have.
    copy: u64,
    /// Of thread-local variables. The last is twice as long.
    thread_local: [u64; 4],
}

const TYPES: Types = if cfg!(target_arch = "aarch64") {
    Types { relative: 1027, indirect: 1032, copy: 1024, thread_local: [1028, 1029, 1030, 1031] }
} else {
    Types { relative: 8, indirect: 37, copy: 5, thread_local: [16, 17, 18, 36] }
};

/// Returns how many symbols the relocations reach.
pub(super) fn check(tables: &Tables<'_>) -> Checked<u64> {
    let has_text = tables.entry(TEXT_RELOCATIONS).is_some()
        || tables.entry(FLAGS).is_some_and(|flags| flags & HAS_TEXT_RELOCATIONS != 0);
    let rights = if has_text { 0 } else { PF_W.0 };
    let mut functions = Functions::of(tables)?;
    let mut reach = 0;
    for (addr, size) in [(RELA, RELA_SIZE), (JUMPS, JUMPS_SIZE)] {
        let Some((_, bytes)) = tables.table(addr, size)? else { continue };
        ensure!(bytes.len() % 24 == 0, "its relocations have another size");
        // The loader asserts that the first ones are of that type.
        let count = if addr == RELA { tables.entry(RELATIVE_COUNT).unwrap_or(0) } else { 0 };
        for at in (0..bytes.len() as u64).step_by(24) {
            let [place, info, addend] = [0, 8, 16].map(|field| word(bytes, at + field).unwrap_or_default());
            let (kind, index) = (info & 0xffff_ffff, info >> 32);
            let len = if kind == TYPES.thread_local[3] { 16 } else { 8 };
            ensure!(tables.has(place, len, rights), "a relocation changes what is no data");
            ensure!(at / 24 >= count || info == TYPES.relative, "its first relocations are of another type");
            ensure!(kind != TYPES.copy, "it copies a variable, as only programs do");
            ensure!(kind != TYPES.indirect || tables.is_code(addend), "a relocation calls what is no code");
            let needs_none = kind == 0 || kind == TYPES.relative || kind == TYPES.indirect;
            ensure!(index != 0 || needs_none || TYPES.thread_local.contains(&kind), "a relocation has no symbol");
            let symbol = tables.symbol(index)?;
            let is_found = index == 0 || symbol.is_defined || !symbol.is_local;
            ensure!(is_found, "a relocation has a symbol of the object that it does not define");
            if TYPES.thread_local.contains(&kind) {
                let is_known = index == 0 || symbol.kind == 6;
                let is_here = tables.has_thread_locals || index != 0 && !symbol.is_defined;
                ensure!(is_known && is_here, "a relocation takes something else for a thread-local variable");
            }
            reach = reach.max(index + 1);
            let value = (index == 0).then_some(addend);
            functions.set(place, value.filter(|_| kind == TYPES.relative));
        }
    }
    check_packed(tables, &mut functions)?;
    functions.check(tables)?;
    Ok(reach)
}

/// The tables of functions that the loader calls.
struct Functions<'a> {
    /// Each with its address.
    tables: Vec<(u64, &'a [u8])>,
    /// The values that relocations give to their words; `None` for those of a symbol, which is checked with the others.
    values: BTreeMap<u64, Option<u64>>,
}

impl<'a> Functions<'a> {
    fn of(tables: &Tables<'a>) -> Checked<Self> {
        let mut found = Vec::new();
        for (addr, size) in FUNCTIONS {
            found.extend(tables.table(addr, size)?);
        }
        ensure!(found.iter().all(|(_, bytes)| bytes.len() % 8 == 0), "a table of functions has another size");
        Ok(Self { tables: found, values: BTreeMap::new() })
    }

    /// Sets the value of a word, if it is one of a table.
    fn set(&mut self, place: u64, value: Option<u64>) {
        if self.tables.iter().any(|(addr, bytes)| place.wrapping_sub(*addr) < bytes.len() as u64) {
            self.values.insert(place, value);
        }
    }

    fn check(&self, tables: &Tables<'_>) -> Checked {
        for (addr, bytes) in &self.tables {
            for at in (0..bytes.len() as u64).step_by(8) {
                let is_function = match self.values.get(&(addr + at)) {
                    Some(value) => value.is_none_or(|value| tables.is_code(value)),
                    // The loader calls nothing for these.
                    None => matches!(word(bytes, at), Some(0 | u64::MAX)),
                };
                ensure!(is_function, "a table of functions has an entry that is no code");
            }
        }
        Ok(())
    }
}

/// Checks relocations in the packed form: an even word is a place, an odd one a set of places behind it.
fn check_packed(tables: &Tables<'_>, functions: &mut Functions<'_>) -> Checked {
    let Some((_, bytes)) = tables.table(RELR, RELR_SIZE)? else { return Ok(()) };
    ensure!(bytes.len() % 8 == 0, "its packed relocations have another size");
    let mut change = |place: u64| -> Checked {
        ensure!(tables.has(place, 8, PF_W.0), "a packed relocation changes what is no data");
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
