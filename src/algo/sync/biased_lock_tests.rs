use super::*;

impl<T> BiasedLock<T> {
    fn is_biased(&self) -> bool {
        self.owner.load(Ordering::Relaxed) != NOBODY
    }

    /// Biases it to the caller at once.
    #[cfg(loom)]
    fn bias_now(&self) {
        let mut habit = self.others.lock();
        self.bias(&mut habit, reader_id());
    }
}

#[cfg(not(loom))]
mod real {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;

    use super::*;
    use crate::algo::sync::reclaim;

    /// Whether this kernel has the barrier, without which no lock is ever biased.
    fn has_barrier() -> bool {
        drop(reclaim::pin());
        has_kernel_barrier()
    }

    fn take_often<T>(lock: &BiasedLock<T>) {
        drop(reclaim::pin());
        (0..=HABIT).for_each(|_| drop(lock.lock()));
    }

    #[test]
    fn it_is_biased_to_who_takes_it_often_in_a_row_until_another_comes() {
        let lock = BiasedLock::new(0_u64);
        drop(reclaim::pin());
        (0..HABIT).for_each(|_| *lock.lock() += 1);
        assert!(!lock.is_biased(), "one time is missing");
        *lock.lock() += 1;
        assert_eq!(lock.is_biased(), has_barrier());
        *lock.lock() += 1;
        assert_eq!(*lock.try_lock().unwrap(), u64::from(HABIT) + 2);
        thread::scope(|scope| drop(scope.spawn(|| *lock.lock() += 1)));
        assert!(!lock.is_biased());
        assert_eq!(*lock.lock(), u64::from(HABIT) + 3);
        take_often(&lock);
        assert_eq!(lock.is_biased(), has_barrier(), "again");
    }

    #[test]
    fn it_is_biased_to_one_thread_only() {
        let lock = BiasedLock::new(());
        take_often(&lock);
        thread::scope(|scope| {
            scope.spawn(|| {
                take_often(&lock);
                assert!(!lock.is_biased());
            });
        });
    }

    #[test]
    fn a_thread_without_a_reader_takes_it_too() {
        let lock = BiasedLock::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                (0..2 * HABIT).for_each(|_| *lock.lock() += 1);
                assert!(!lock.is_biased());
            });
        });
        assert_eq!(*lock.lock(), 2 * HABIT);
    }

    #[test]
    fn who_finds_it_held_waits_or_is_told() {
        let lock = BiasedLock::new(0);
        take_often(&lock);
        let (tell, hear) = mpsc::channel();
        thread::scope(|scope| {
            let mut held = lock.lock();
            scope.spawn(|| {
                assert!(lock.try_lock().is_none(), "held by the thread that it is biased to");
                assert!(lock.try_lock().is_none(), "still, though it is biased no more");
                tell.send(()).unwrap();
                *lock.lock() += 1;
            });
            hear.recv().unwrap();
            assert_eq!(*held, 0);
            *held = 10;
        });
        let held = lock.lock();
        assert_eq!(*held, 11);
        assert!(lock.try_lock().is_none());
    }

    #[test]
    fn its_own_holder_is_told_as_well() {
        let lock = BiasedLock::new(());
        take_often(&lock);
        let _held = lock.lock();
        assert!(lock.try_lock().is_none());
        assert!(lock.try_lock().is_none());
    }

    /// One thread makes the lock biased again and again, while others keep taking it.
    #[test]
    fn one_thread_at_a_time_has_the_value() {
        const TIMES: usize = 200_000;
        let lock = BiasedLock::new(0_usize);
        let (inside, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let add = || {
            let mut held = lock.lock();
            assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0);
            *held += 1;
            inside.fetch_sub(1, Ordering::Relaxed);
        };
        let biased = AtomicUsize::new(0);
        let others: usize = thread::scope(|scope| {
            let others: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        drop(reclaim::pin());
                        let mut times = 0;
                        while !is_over.load(Ordering::Relaxed) {
                            biased.fetch_add(usize::from(lock.is_biased()), Ordering::Relaxed);
                            add();
                            times += 1;
                            (0..200).for_each(|_| std::hint::spin_loop());
                            thread::yield_now();
                        }
                        times
                    })
                })
                .collect();
            drop(reclaim::pin());
            (0..TIMES).for_each(|_| add());
            is_over.store(true, Ordering::Relaxed);
            others.into_iter().map(|other| other.join().unwrap()).sum()
        });
        assert_eq!(*lock.lock(), TIMES + others);
        assert!(!has_barrier() || biased.load(Ordering::Relaxed) > 0, "it was never biased");
    }
}

#[cfg(loom)]
mod loom_biased_lock {
    use loom::sync::Arc as Shared;
    use loom::thread;

    use super::*;
    use crate::algo::tests::model;

    #[test]
    fn loom_the_thread_that_it_is_biased_to_and_another() {
        model(|| {
            let lock = Shared::new(BiasedLock::new(0));
            lock.bias_now();
            assert!(lock.is_biased());
            let other = {
                let lock = lock.clone();
                thread::spawn(move || *lock.lock() += 1)
            };
            *lock.lock() += 1;
            *lock.lock() += 1;
            other.join().unwrap();
            assert_eq!(*lock.lock(), 3);
        });
    }

    #[test]
    fn loom_it_is_biased_again_while_another_comes() {
        model(|| {
            let lock = Shared::new(BiasedLock::new(0));
            lock.bias_now();
            let other = {
                let lock = lock.clone();
                thread::spawn(move || *lock.lock() += 1)
            };
            *lock.lock() += 1;
            lock.bias_now();
            *lock.lock() += 1;
            other.join().unwrap();
            assert_eq!(*lock.lock(), 3);
        });
    }

    #[test]
    fn loom_who_only_tries_disturbs_nobody() {
        model(|| {
            let lock = Shared::new(BiasedLock::new(0));
            lock.bias_now();
            let other = {
                let lock = lock.clone();
                thread::spawn(move || {
                    let tried = lock.try_lock().map(|mut held| *held += 1).is_some();
                    usize::from(tried)
                })
            };
            *lock.lock() += 1;
            let added = other.join().unwrap();
            assert_eq!(*lock.lock(), 1 + added);
        });
    }

    #[test]
    fn loom_two_others_at_once() {
        model(|| {
            let lock = Shared::new(BiasedLock::new(0));
            lock.bias_now();
            let others = [(); 2].map(|()| {
                let lock = lock.clone();
                thread::spawn(move || *lock.lock() += 1)
            });
            *lock.lock() += 1;
            others.into_iter().for_each(|other| other.join().unwrap());
            assert_eq!(*lock.lock(), 3);
        });
    }
}
