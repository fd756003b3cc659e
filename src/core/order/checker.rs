//! Checks what streams and the host do (`PORTACL_CHECK`).
//!
//! Streams do not know what is checked. The region of checks implements [`Checker`] and installs it. Without a checker
//! a submission pays nothing: [`decorators`] are one word.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::backend::stream::decorators;
use crate::backend::{Event, Op, Position, Wait, trace};
use crate::base::error::Result;
use crate::order::accesses::{GraphRun, GraphRuns};
use crate::order::known::Known;

/// Sees operations before they are submitted.
pub trait Checker: Sync {
    /// Called for each operation of the stream with this handle; `submit` enqueues it.
    fn submit(&self, stream: u64, op: Op<'_>, submit: &mut dyn FnMut(Op<'_>) -> Result<Position>) -> Result<Position>;

    /// Called when the host does this itself; `run` does it. No stream orders it.
    fn host_does(&self, op: Op<'_>, run: &mut dyn FnMut(Op<'_>) -> Result<()>) -> Result<()>;

    /// Called before a run of a graph is submitted to the stream with this handle. `runs`: the graph's runs, which
    /// follow each other.
    fn runs_graph(&self, stream: u64, run: &Arc<GraphRun>, runs: Option<&Arc<GraphRuns>>);

    /// Called when a run of a graph in this stream allocates memory.
    fn graph_allocates(&self, stream: u64, addr: usize, len: usize);

    /// Called when the host begins a wait, after which it knows `known`. Returns when the wait counts as long; `None`:
    /// never.
    fn host_waits(&self, known: &[Known]) -> Option<Instant>;

    /// Called when a wait of the host has become a long one.
    fn host_waits_long(&self, awaited: &Awaited<'_>);

    /// Called when the host has learned that more operations are complete.
    fn host_knows(&self);

    /// Called when pending operations were dropped, or when the host may have learned in a way that the library does
    /// not see that they are complete.
    fn may_be_over(&self);

    /// Called when another process may write this memory from now on.
    fn is_shared(&self, addr: usize, len: usize);
}

/// The object that the host waits for.
pub enum Awaited<'a> {
    /// The stream with this handle.
    Stream(u64),
    /// An event.
    Event(&'a Arc<dyn Event>),
}

/// A wait of the host that has begun. `None`: nothing sees it.
pub struct HostWait(Option<ObservedWait>);

/// What sees a wait.
struct ObservedWait {
    /// The checker, and when the wait counts as long for it.
    checker: Option<(&'static dyn Checker, Option<Instant>)>,
}

impl HostWait {
    /// Begins a wait. After it the host knows `known`.
    #[inline]
    pub fn begin(known: &[Known]) -> Self {
        let checker = || installed().map(|checker| (checker, checker.host_waits(known)));
        Self(decorators::any().then(|| ObservedWait { checker: checker() }))
    }

    /// Waits until the deadline. If the wait becomes a long one, the checker sees it.
    #[inline]
    pub fn wait(
        &self,
        awaited: &Awaited<'_>,
        deadline: Option<Instant>,
        mut wait: impl FnMut(Option<Instant>) -> Result<Wait>,
    ) -> Result<Wait> {
        let Some(seen) = &self.0 else { return wait(deadline) };
        seen.wait(awaited, deadline, &mut wait)
    }
}

impl Drop for ObservedWait {
    /// Notes the wait in a trace: once for all that a call waits for.
    #[cold]
    fn drop(&mut self) {
        trace::waited();
    }
}

impl ObservedWait {
    #[cold]
    fn wait(
        &self,
        awaited: &Awaited<'_>,
        deadline: Option<Instant>,
        wait: &mut dyn FnMut(Option<Instant>) -> Result<Wait>,
    ) -> Result<Wait> {
        let Some((checker, Some(long))) = self.checker else { return wait(deadline) };
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

/// Installs the checker of all streams, for the rest of the process.
pub fn install(checker: &'static dyn Checker) {
    INSTALLED.get_or_init(|| checker);
    decorators::add_checker();
}

/// Returns the checker, if there is one.
#[inline]
pub fn installed() -> Option<&'static dyn Checker> {
    if decorators::has(decorators::CHECKER) { INSTALLED.get().copied() } else { None }
}
