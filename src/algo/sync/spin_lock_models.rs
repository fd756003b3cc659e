use loom::sync::Arc as Shared;
use loom::thread;

use super::*;
use crate::tests::model;

#[test]
fn loom_who_locks_sees_what_the_last_holder_did() {
    model(|| {
        let lock = Shared::new(SpinLock::new(0));
        let other = {
            let lock = lock.clone();
            thread::spawn(move || usize::from(lock.try_lock().map(|mut held| *held += 1).is_some()))
        };
        *lock.lock() += 1;
        let added = other.join().unwrap();
        assert_eq!(*lock.lock(), 1 + added);
    });
}
