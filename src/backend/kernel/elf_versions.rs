//! Checks the versions of a shared object's symbols. The loader follows offsets in the lists, and takes the number of a
//! symbol's version for an index.

use super::elf_tables::{Checked, Tables, half, short};

const VERSIONS: u64 = 0x6fff_fff0;
const DEFINED_VERSIONS: u64 = 0x6fff_fffc;
const NEEDED_VERSIONS: u64 = 0x6fff_fffe;

impl Tables<'_> {
    /// Checks the versions of symbols: each number has an entry in one of the two lists.
    pub(super) fn check_versions(&self, symbols: u64) -> Checked {
        let needed = self.entry(NEEDED_VERSIONS).map_or(Some(0), |addr| self.most_needed(addr));
        let defined = self.entry(DEFINED_VERSIONS).map_or(Some(0), |addr| self.most_defined(addr));
        let most = needed.zip(defined).map(|(needed, defined)| needed.max(defined));
        let most = most.ok_or("a list of versions is damaged, or names a library that DT_NEEDED lacks")?;
        let Some(addr) = self.entry(VERSIONS) else {
            ensure!(most == 0, "it has a list of versions, but no table of versions (DT_VERSYM)");
            return Ok(());
        };
        let all = symbols
            .checked_mul(2)
            .and_then(|size| self.file_at(addr, size))
            .ok_or("its table of versions (DT_VERSYM) does not lie inside a segment")?;
        let is_known = |index: u64| short(all, 2 * index).is_some_and(|number| number & 0x7fff <= most.max(1));
        ensure!((0..symbols).all(is_known), "a symbol has a version that the lists of versions lack");
        Ok(())
    }

    /// Returns the greatest number of a version that another library defines.
    fn most_needed(&self, addr: u64) -> Option<u64> {
        let bytes = self.file_from(addr)?;
        let names: Vec<&[u8]> = self.needed.iter().map(|name| self.name(*name)).collect();
        let (mut at, mut most) = (0, 0);
        loop {
            let file = half(bytes, at + 4)?;
            self.check_name(file).ok()?;
            // The loader asserts it.
            names.contains(&self.name(file)).then_some(())?;
            let mut each = at + half(bytes, at + 8)?;
            loop {
                self.check_name(half(bytes, each + 8)?).ok()?;
                most = most.max(short(bytes, each + 6)? & 0x7fff);
                match half(bytes, each + 12)? {
                    0 => break,
                    next => each += next,
                }
            }
            match half(bytes, at + 12)? {
                0 => return Some(most),
                next => at += next,
            }
        }
    }

    /// Returns the greatest number of a version that the object defines.
    fn most_defined(&self, addr: u64) -> Option<u64> {
        let bytes = self.file_from(addr)?;
        let (mut at, mut most) = (0, 0);
        loop {
            most = most.max(short(bytes, at + 4)? & 0x7fff);
            self.check_name(half(bytes, at + half(bytes, at + 12)?)?).ok()?;
            match half(bytes, at + 16)? {
                0 => return Some(most),
                next => at += next,
            }
        }
    }
}
