use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::base::arena::HUGE;
use crate::base::files;
use crate::base::pages::{self, Mapping, Source};

/// A thread counts in a page while the page is replaced by copies of itself. No count is lost.
#[test]
fn no_write_is_lost_while_pages_are_replaced() {
    let len = HUGE as usize;
    let mut file = files::sealed_file(c"portacl-device", len as u64).unwrap();
    let mapping = Mapping::new(len, Source::File(file.get().unwrap(), 0), 0).unwrap();
    if WriteBarrier::new().and_then(|barrier| barrier.hold(mapping.addr(), len)).is_err() {
        println!("skipped: this kernel has no barrier for writes");
        return;
    }
    let word = || {
        // SAFETY: the mapping is there as long as the test, with access, and an atomic is valid with any bytes.
        unsafe { &*std::ptr::with_exposed_provenance::<AtomicU64>(mapping.addr() + len / 2) }
    };
    const COUNTS: u64 = 200_000;
    std::thread::scope(|scope| {
        let counting = scope.spawn(|| (0..COUNTS).for_each(|_| _ = word().fetch_add(1, Ordering::Relaxed)));
        while !counting.is_finished() {
            let next = files::sealed_file(c"portacl-device", len as u64).unwrap();
            let barrier = WriteBarrier::new().unwrap();
            barrier.hold(mapping.addr(), len).unwrap();
            let held = word().load(Ordering::Relaxed);
            assert_eq!(word().load(Ordering::Relaxed), held, "no thread writes");
            next.file().unwrap().write_all_at(&held.to_le_bytes(), len as u64 / 2).unwrap();
            pages::replace(mapping.addr(), len, Source::File(next.get().unwrap(), 0), 0).unwrap();
            drop(barrier);
            file = next;
        }
    });
    assert_eq!(word().load(Ordering::Relaxed), COUNTS);
    drop(file);
}
