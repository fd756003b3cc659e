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

    pub fn is_some_and(&self, used: &Use, is: impl Fn(&Operation) -> bool) -> bool {
        self.get(used).is_some_and(is)
    }

    /// Whether the use stays when another one by the operation with this number is added. A write replaces all earlier
    /// uses, because what conflicts with them later conflicts with it as well, except open ones, which may come after
    /// it. Another use replaces those of its stream.
    pub fn stays(&self, known: &Use, added: &Use, is_open: impl Fn(&Operation) -> bool) -> bool {
        let Some(operation) = self.get(known) else { return false };
        if added.mode == Mode::Write {
            return is_open(operation);
        }
        known.mode != added.mode || self.get(added).is_none_or(|later| later.line() != operation.line())
    }
}
