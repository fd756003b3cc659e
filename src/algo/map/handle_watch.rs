//! A callback for the creation and removal of handles.

use std::sync::OnceLock;

use super::slot_table::Handle;

/// A change of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was created and is not published yet.
    Created,
    /// It was removed.
    Removed,
}

static WATCHER: OnceLock<fn(Handle, Change)> = OnceLock::new();

/// Sets the callback for handles of all tables, which runs on the thread that creates or removes one. It looks no
/// handle up. There is one callback: a second call does nothing.
pub fn watch(watcher: fn(Handle, Change)) {
    // Fails if there is one.
    let _ = WATCHER.set(watcher);
}

/// Calls it, if there is one.
#[inline]
pub fn notify(handle: Handle, change: Change) {
    if let Some(watcher) = WATCHER.get() {
        watcher(handle, change);
    }
}
