//! Operations that fail when their turn comes: host functions of ours in their place.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::backend::{Fault, HostFn};

/// Failures of one stream whose turn has come, the first one first.
#[derive(Default)]
pub(super) struct Late {
    /// The first failure that nobody was told of.
    failure: Mutex<Option<Fault>>,
}

/// Failures whose turn has not come, by the number that is the argument of their host function.
/// Not a pointer: an abandoned stream may drop an operation, or run it after its owner is gone.
struct Waiting {
    last: usize,
    faults: BTreeMap<usize, (Weak<Late>, Fault)>,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting { last: 0, faults: BTreeMap::new() });

impl Late {
    /// What to queue in place of an operation that is to fail.
    pub(super) fn failing_operation(self: &Arc<Self>, fault: Fault) -> HostFn {
        let mut waiting = WAITING.lock();
        // Those that an abandoned stream has dropped.
        waiting.faults.retain(|_, (stream, _)| stream.strong_count() > 0);
        waiting.last += 1;
        let number = waiting.last;
        waiting.faults.insert(number, (Arc::downgrade(self), fault));
        // SAFETY: the argument is a number, and the function takes any.
        unsafe { HostFn::new(fail, std::ptr::without_provenance_mut(number)) }
    }

    /// The first failure since the last call.
    pub(super) fn take(&self) -> Option<Fault> {
        self.failure.lock().take()
    }
}

/// The turn of failure number `argument` has come.
unsafe extern "C" fn fail(argument: *mut c_void) {
    let found = WAITING.lock().faults.remove(&argument.addr());
    if let Some((stream, fault)) = found
        && let Some(stream) = stream.upgrade()
    {
        stream.failure.lock().get_or_insert(fault);
    }
}
