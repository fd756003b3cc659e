//! Checks what streams and the host do (`PORTACL_CHECK`).
//!
//! Streams do not know what is checked. The region of checks implements [`Checker`] and installs it. Without a checker
//! a submission pays nothing: [`decorators`] are one word.

use std::sync::OnceLock;

use crate::backend::stream::decorators;
use crate::backend::{Op, Position};
use crate::core::base::error::Result;
use crate::core::order::accesses::Accesses;
use crate::core::order::effects::Effects;

/// Sees operations before they are submitted.
pub trait Checker: Sync {
    /// The stream with this handle is given an operation; `submit` queues it.
    fn submit(&self, stream: u64, op: Op<'_>, submit: &mut dyn FnMut(Op<'_>) -> Result<Position>) -> Result<Position>;

    /// The host does this now, ordered with no stream.
    fn host_does(&self, op: &Op<'_>);

    /// The stream with this handle is about to be given a run of a graph.
    fn runs_graph(&self, stream: u64, run: &GraphRun);

    /// A run of a graph in this stream allocates memory.
    fn graph_allocates(&self, stream: u64, addr: usize, len: usize);

    /// Another process may write this memory from now on.
    fn is_shared(&self, addr: usize, len: usize);
}

/// What a run of a graph does, for the checker.
#[derive(Debug, Default)]
pub struct GraphRun {
    /// In the order of its tasks.
    pub effects: Effects,
    /// The same memory, each byte once.
    pub accesses: Accesses,
}

impl GraphRun {
    /// Of these effects.
    pub fn of(effects: Effects) -> Self {
        let accesses = Accesses::of(&effects).merged();
        Self { effects, accesses }
    }
}

static INSTALLED: OnceLock<&dyn Checker> = OnceLock::new();

/// Installs the checker of all streams. It stays.
pub fn install(checker: &'static dyn Checker) {
    INSTALLED.get_or_init(|| checker);
    decorators::add_checker();
}

/// The checker, if there is one.
#[inline]
pub fn installed() -> Option<&'static dyn Checker> {
    if decorators::has(decorators::CHECKER) { INSTALLED.get().copied() } else { None }
}
