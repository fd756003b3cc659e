//! Makes the allocator fail in tests, in builds with debug assertions only: counts allocations and makes some fail.
//!
//! | variable | what |
//! |---|---|
//! | `PORTACL_TEST_HOST_FAULT` | `N`: the N-th allocation fails; `N+`: that one and all later ones |
//! | `PORTACL_TEST_HOST_RESERVE` | bytes of the reserve that may be in use before calls are refused |

use std::ffi::CStr;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};

use crate::host::environment::unallocated;

const UNREAD: u64 = u64::MAX;
const NONE: usize = usize::MAX;

/// The number of allocations so far.
static COUNT: AtomicU64 = AtomicU64::new(0);
/// The number of the first allocation that fails; then that of the first after it that does not. [`UNREAD`] before the
/// first use.
static FROM: AtomicU64 = AtomicU64::new(UNREAD);
static TO: AtomicU64 = AtomicU64::new(0);
static ALLOWED_USE: AtomicUsize = AtomicUsize::new(NONE);
static REFUSED: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicI64 = AtomicI64::new(0);

/// Reads the variables again. The count goes on.
#[cold]
pub fn read() {
    let all = unallocated(c"PORTACL_TEST_HOST_FAULT");
    let (first, from_there_on) = all.map_or((0, false), number);
    TO.store(if from_there_on { UNREAD } else { first + 1 }, Ordering::Relaxed);
    let size = |name| unallocated(name).map_or(NONE, |text| number(text).0 as usize);
    ALLOWED_USE.store(size(c"PORTACL_TEST_HOST_RESERVE"), Ordering::Relaxed);
    FROM.store(if first == 0 { UNREAD - 1 } else { first }, Ordering::Relaxed);
}

/// Returns the number of the digits, and whether a plus follows.
fn number(text: &CStr) -> (u64, bool) {
    let digits = text.to_bytes().iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
    (number, text.to_bytes().ends_with(b"+"))
}

#[cfg(any(test, debug_assertions))]
crate::thread::per_thread::per_thread! {
    static IS_WITHOUT: std::cell::Cell<bool> = std::cell::Cell::new(false);
}

/// Runs `body` while all allocations of this thread fail.
#[cfg(any(test, debug_assertions))]
pub fn without_memory<R>(body: impl FnOnce() -> R) -> R {
    IS_WITHOUT.set(true);
    let result = body();
    IS_WITHOUT.set(false);
    result
}

/// Counts an allocation. Returns whether it fails.
pub fn next_fails() -> bool {
    #[cfg(any(test, debug_assertions))]
    if IS_WITHOUT.get() {
        return true;
    }
    let number = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    if FROM.load(Ordering::Relaxed) == UNREAD {
        read();
    }
    let from = FROM.load(Ordering::Relaxed);
    let fails = number >= from && number < TO.load(Ordering::Relaxed);
    if fails {
        REFUSED.fetch_add(1, Ordering::Relaxed);
    }
    fails
}

/// Counts an allocated block, if it is not null.
pub fn count(block: *mut u8) {
    LIVE.fetch_add(i64::from(!block.is_null()), Ordering::Relaxed);
}

/// Counts a freed block.
pub fn count_free() {
    LIVE.fetch_sub(1, Ordering::Relaxed);
}

/// Returns the counts so far: allocations, those that failed, blocks that are not freed, bytes of the reserve in use.
pub fn counts() -> String {
    let [all, refused] = [&COUNT, &REFUSED].map(|count| count.load(Ordering::Relaxed));
    let (live, reserve) = (LIVE.load(Ordering::Relaxed), super::reserve::usage().0);
    format!("all {all} refused {refused} live {live} reserve {reserve}")
}

pub(super) fn allowed_use() -> Option<usize> {
    Some(ALLOWED_USE.load(Ordering::Relaxed)).filter(|limit| *limit != NONE)
}
