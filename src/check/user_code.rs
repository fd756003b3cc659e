//! User code that streams run, as the checker submits it: it notes when it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::sync::{SyncStep, Why};
use crate::backend::{Delivery, HostFn, HostTask, Op, Payload, Position, Ticket};
use crate::core::base::error::Result;
use crate::core::order::known::Known;

/// Submits a host function as one that notes when it runs. The host then knows all before it to be complete.
pub(super) fn submit_host_fn(
    known: Known,
    function: HostFn,
    step: Option<&SyncStep>,
    submit: &mut dyn FnMut(Op<'_>) -> Result<Position>,
) -> Result<Position> {
    if function.calls_backend() {
        return submit(Op::HostFn(Payload::new(&mut Some(function))));
    }
    let is_running = running_of(step);
    let watched = HostFn::from_closure(move || {
        known.is_seen();
        is_running.iter().for_each(|is_running| is_running.store(true, Ordering::Release));
        function.run();
        is_running.iter().for_each(|is_running| is_running.store(false, Ordering::Release));
    });
    submit(Op::HostFn(Payload::new(&mut Some(watched))))
}

/// Returns the task as one that notes when it runs. As before a host function, the host knows all before it to be
/// complete.
pub(super) fn observed(known: Known, task: &Arc<HostTask>, step: Option<&SyncStep>) -> Arc<HostTask> {
    let is_running = running_of(step);
    task.observed(move || {
        known.is_seen();
        let set = move |runs| is_running.iter().for_each(|is_running| is_running.store(runs, Ordering::Release));
        set(true);
        move || set(false)
    })
}

/// Returns the flag that says whether the function of this step runs.
fn running_of(step: Option<&SyncStep>) -> Option<Arc<AtomicBool>> {
    if let Some(SyncStep::Stops(Why::Function(it))) = step { Some(Arc::clone(it)) } else { None }
}

/// Work that is handed over. As before a host function, the host knows all before it to be complete.
pub(super) struct WatchedDelivery {
    pub delivery: Box<dyn Delivery>,
    pub known: Known,
}

impl Delivery for WatchedDelivery {
    fn deliver(self: Box<Self>, ticket: Ticket) {
        self.known.is_seen();
        self.delivery.deliver(ticket);
    }
}
