//! The operations that may conflict with later ones, by number.

use crate::core::check::operation::Operation;
use crate::core::order::accesses::Mode;

/// A use of memory.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// The number of the operation.
    pub by: u64,
    /// How it uses the memory.
    pub mode: Mode,
}

/// The operations that uses name, by number.
#[derive(Default)]
pub struct Operations {
    pub kept: Vec<Operation>,
    /// The number of the first one.
    pub from: u64,
}

impl Operations {
    /// `None`: it is complete.
    pub fn get(&self, used: &Use) -> Option<&Operation> {
        self.kept.get(used.by.checked_sub(self.from)? as usize)
    }

    pub fn add(&mut self, operation: Operation) -> u64 {
        self.kept.push(operation);
        self.next() - 1
    }

    pub fn next(&self) -> u64 {
        self.from + self.kept.len() as u64
    }

    pub fn clear(&mut self) {
        self.from = self.next();
        self.kept.clear();
    }

    /// Whether a use that is known stays when another one is added. A write replaces the uses before it, because what
    /// conflicts with them later conflicts with the write as well. Another use replaces those of its stream that have
    /// the same mode. Open operations are an exception, because they may come after what is submitted later. An open
    /// operation replaces only open ones of its stream. Only an open operation of its stream replaces it.
    pub fn stays(&self, known: &Use, added: &Use, is_open: impl Fn(&Operation) -> bool) -> bool {
        let Some(operation) = self.get(known) else { return false };
        let Some(later) = self.get(added) else { return true };
        let is_same = later.line() == operation.line();
        if added.mode != Mode::Write && (known.mode != added.mode || !is_same) {
            return true;
        }
        match (is_open(operation), is_open(later)) {
            (false, false) => false,
            (true, true) => !is_same,
            _ => true,
        }
    }
}
