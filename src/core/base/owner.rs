//! The owner of an object: an opening of a device, or a session.

use std::sync::atomic::{AtomicU32, Ordering};

/// One opening of a device or, for host memory, one session.
///
/// A device id is not enough: teardown of one opening must not take objects of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner(pub u32);

impl Owner {
    /// Creates an owner that is different from all others.
    #[expect(clippy::new_without_default, reason = "each one is different")]
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
