//! A function that is called when handles come and go.

use std::sync::OnceLock;

use super::slot_table::Handle;

/// What happens to a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nobody has it yet.
    Made,
    /// It is dead.
    Removed,
}

static WATCHER: OnceLock<fn(Handle, Change)> = OnceLock::new();

/// Has a function called about handles of all tables from now on, on the thread that makes or removes one. It looks
/// no handle up. There is one such function: a second one changes nothing.
pub fn watch(watcher: fn(Handle, Change)) {
    // Fails where there is one.
    let _ = WATCHER.set(watcher);
}

/// Tells it, if there is one.
#[inline]
pub fn tell(handle: Handle, change: Change) {
    if let Some(watcher) = WATCHER.get() {
        watcher(handle, change);
    }
}
