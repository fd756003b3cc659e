use super::*;
use crate::sync::reclaim::flush_deferred;

#[cfg(not(loom))]
#[test]
fn a_replaced_value_lives_until_its_last_reader_ends() {
    let place = Published::new();
    assert!(place.get().is_none());
    assert!(place.replace(Some(Arc::new(1))).is_none());
    let seen = place.get().expect("put there above");
    let old = place.replace(Some(Arc::new(2))).expect("put there above");
    flush_deferred();
    assert_eq!((*seen, *old, Arc::strong_count(&old)), (1, 1, 2));
    drop(seen);
    while Arc::strong_count(&old) > 1 {
        flush_deferred();
    }
    assert_eq!(place.get_arc().as_deref(), Some(&2));
    assert_eq!(place.replace(None).as_deref(), Some(&2));
    assert!(place.get().is_none());
}

/// Checks that a reader sees the old object or the new one, whole, and that neither is released while it reads.
#[cfg(loom)]
#[test]
fn a_reader_keeps_what_it_sees() {
    use crate::tests::model;
    use loom::cell::UnsafeCell;

    /// Loom reports an access that races with the destructor's.
    struct Watched(UnsafeCell<u32>);
    // SAFETY: the cell is how loom finds out whether this is true.
    unsafe impl Sync for Watched {}
    // SAFETY: loom reports a drop of `Watched` on another thread that races with a read.
    unsafe impl Send for Watched {}
    impl Drop for Watched {
        fn drop(&mut self) {
            self.0.with_mut(|_| ());
        }
    }
    let watched = |value| Arc::new(Watched(UnsafeCell::new(value)));

    model(move || {
        let place = Arc::new(Published::new());
        place.replace(Some(watched(1)));
        let reader = {
            let place = place.clone();
            loom::thread::spawn(move || {
                if let Some(seen) = place.get() {
                    // SAFETY: loom checks that it does not change.
                    let value = seen.0.with(|value| unsafe { *value });
                    assert!(value == 1 || value == 2);
                }
            })
        };
        drop(place.replace(Some(watched(2))));
        flush_deferred();
        reader.join().expect("the reader panicked");
        flush_deferred();
    });
}
