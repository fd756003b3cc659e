//! Checks what streams and the host do (`PORTACL_CHECK`).
//!
//! Streams do not know what is checked. The region of checks implements [`Checker`] and installs it. Without a checker
//! a submission pays nothing: [`decorators`] are one word.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::backend::stream::decorators;
use crate::backend::{Event, Op, Position, Wait};
use crate::core::base::error::Result;
use crate::core::order::accesses::{GraphRun, GraphRuns};
use crate::core::order::known::Known;

/// Sees operations before they are submitted.
pub trait Checker: Sync {
    /// The stream with this handle is given an operation; `submit` queues it.
    fn submit(&self, stream: u64, op: Op<'_>, submit: &mut dyn FnMut(Op<'_>) -> Result<Position>) -> Result<Position>;

    /// The host does this now, ordered with no stream.
    fn host_does(&self, op: &Op<'_>);

    /// The stream with this handle is about to be given a run of a graph. `runs`: it is one of these.
    fn runs_graph(&self, stream: u64, run: &Arc<GraphRun>, runs: Option<&Arc<GraphRuns>>);

    /// A run of a graph in this stream allocates memory.
    fn graph_allocates(&self, stream: u64, addr: usize, len: usize);

    /// The host begins to wait, and knows this afterwards. Returns when the wait is a long one; `None`: never.
    fn host_waits(&self, known: &[Known]) -> Option<Instant>;

    /// The wait is a long one.
    fn host_waits_long(&self, awaited: &Awaited<'_>);

    /// The host knows more operations to be complete than before.
    fn host_knows(&self);

    /// Pending operations were dropped, or the host may have learned in a way that is not followed that they are
    /// complete.
    fn may_be_over(&self);

    /// Another process may write this memory from now on.
    fn is_shared(&self, addr: usize, len: usize);
}

/// What the host waits for.
pub enum Awaited<'a> {
    /// The stream with this handle.
    Stream(u64),
    /// An event.
    Event(&'a Arc<dyn Event>),
}

/// The begin of a wait of the host.
pub struct HostWait(Option<(&'static dyn Checker, Option<Instant>)>);

impl HostWait {
    /// Begins now. After it the host knows this.
    #[inline]
    pub fn begin(known: &[Known]) -> Self {
        Self(installed().map(|checker| (checker, checker.host_waits(known))))
    }

    /// Waits until the deadline. In between the checker sees a wait that is a long one.
    #[inline]
    pub fn wait(
        &self,
        awaited: &Awaited<'_>,
        deadline: Option<Instant>,
        mut wait: impl FnMut(Option<Instant>) -> Result<Wait>,
    ) -> Result<Wait> {
        let Some((checker, Some(long))) = self.0 else { return wait(deadline) };
        if deadline.is_none_or(|deadline| long < deadline) {
            if wait(Some(long))? == Wait::Done {
                return Ok(Wait::Done);
            }
            checker.host_waits_long(awaited);
        }
        wait(deadline)
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
