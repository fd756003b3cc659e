//! Who sees the failures of calls.

use std::sync::OnceLock;

/// Sees a failure: the call, its code and the text.
pub type FailureWatch = fn(&str, i32, &str);

static WATCH: OnceLock<FailureWatch> = OnceLock::new();

/// Sets the function that sees all later failures.
pub fn watch_failures(watch: FailureWatch) {
    WATCH.get_or_init(|| watch);
}

/// A call has failed.
pub(super) fn failed(call: &str, code: i32, text: &str) {
    if let Some(watch) = WATCH.get() {
        watch(call, code, text);
    }
}
