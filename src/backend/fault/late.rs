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
static WAITING: Mutex<(usize, BTreeMap<usize, (Weak<Late>, Fault)>)> =
    Mutex::new((0, BTreeMap::new()));

impl Late {
    /// What to queue in place of an operation that is to fail.
    pub(super) fn failing_operation(self: &Arc<Self>, fault: Fault) -> HostFn {
        let mut waiting = WAITING.lock();
        let (last, faults) = &mut *waiting;
        // Those that an abandoned stream has dropped.
        faults.retain(|_, (stream, _)| stream.strong_count() > 0);
        *last += 1;
        faults.insert(*last, (Arc::downgrade(self), fault));
        // SAFETY: the argument is a number, and the function takes any.
        unsafe { HostFn::new(fail, std::ptr::without_provenance_mut(*last)) }
    }

    /// The first failure since the last call.
    pub(super) fn take(&self) -> Option<Fault> {
        self.failure.lock().take()
    }
}

/// The turn of failure number `argument` has come.
unsafe extern "C" fn fail(argument: *mut c_void) {
    let found = WAITING.lock().1.remove(&argument.addr());
    if let Some((stream, fault)) = found
        && let Some(stream) = stream.upgrade()
    {
        stream.failure.lock().get_or_insert(fault);
    }
}
