//! Deferred release: what lock-free readers may still look at is dropped when none of them can.
//!
//! The real build uses crossbeam's epochs. Under loom, whose model cannot contain them, a stand-in
//! gives exactly the ordering that epochs guarantee and no more, so that loom checks our own
//! protocols on top.
//!
//! A deferred object never runs its destructor inside an unrelated call: epochs only move it to
//! `GRAVEYARD`, and [`flush_deferred`], which callers place where they hold no lock, drops it.

#[cfg(not(loom))]
pub use self::real::{Pin, flush_deferred, pin};

#[cfg(loom)]
pub use self::model::{Pin, flush_deferred, pin};

#[cfg(not(loom))]
mod real {
    use std::any::Any;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crossbeam_epoch as epoch;
    use parking_lot::Mutex;

    /// Deferred objects that a reader may still see.
    static PENDING: AtomicUsize = AtomicUsize::new(0);

    /// Deferred objects that no reader can see any more, waiting for [`flush_deferred`].
    static GRAVEYARD: Mutex<Vec<Arc<dyn Any + Send + Sync>>> = Mutex::new(Vec::new());

    /// How often [`flush_deferred`] tries: an epoch passes per round when nobody is pinned, two
    /// must pass, and each round looks at eight bags of garbage at most.
    const ROUNDS: usize = 64;

    /// While it lives, nothing that this thread can find is released.
    pub struct Pin(epoch::Guard);

    /// Pins the current thread. Costs a few nanoseconds and writes only memory of this thread.
    #[inline]
    pub fn pin() -> Pin {
        Pin(epoch::pin())
    }

    impl Pin {
        /// Releases `object`, which new readers cannot find any more, when the present ones are
        /// gone.
        pub fn defer_drop<T: Any + Send + Sync>(&self, object: Arc<T>) {
            PENDING.fetch_add(1, Ordering::Relaxed);
            self.0.defer(move || {
                GRAVEYARD.lock().push(object);
                PENDING.fetch_sub(1, Ordering::Release);
            });
            // Out of this thread's own bag, so that any thread can finish the work: this one may
            // sleep for the rest of its life.
            self.0.flush();
        }
    }

    /// Drops the deferred objects that no reader can see any more; `true` when none is left.
    ///
    /// In a quiet process one call drops everything. A thread that is just looking something up
    /// (this one included, while it holds a [`Pin`]) keeps later objects alive: then call again
    /// some time. Destructors run here, on the calling thread; hold no lock that they need.
    pub fn flush_deferred() -> bool {
        for _ in 0..ROUNDS {
            if PENDING.load(Ordering::Acquire) == 0 {
                break;
            }
            epoch::pin().flush();
        }
        // A statement of its own: the lock is released before the destructors run.
        let dead = std::mem::take(&mut *GRAVEYARD.lock());
        drop(dead);
        PENDING.load(Ordering::Acquire) == 0
    }
}

#[cfg(loom)]
mod model {
    use std::any::Any;
    use std::cell::RefCell;
    use std::marker::PhantomData;
    use std::sync::Arc;

    use loom::sync::atomic::{AtomicUsize, Ordering};

    /// One execution's reclamation. The two marks make loom explore every order of the steps and
    /// carry the two edges that epochs guarantee: a release happens after everything that readers
    /// did before they left, and before everything that later readers do. Readers get no edge
    /// among each other.
    struct Domain {
        left: AtomicUsize,
        released: AtomicUsize,
        books: Books,
    }

    /// Not visible to loom. Its threads are coroutines of one thread, and nobody yields in here.
    struct Books(RefCell<(usize, Vec<Arc<dyn Any + Send + Sync>>)>);

    // SAFETY: see `Books`; loom runs an execution on one thread.
    unsafe impl Sync for Books {}
    // SAFETY: as above.
    unsafe impl Send for Books {}

    loom::lazy_static! {
        static ref DOMAIN: Domain = Domain {
            left: AtomicUsize::new(0),
            released: AtomicUsize::new(0),
            books: Books(RefCell::new((0, Vec::new()))),
        };
    }

    impl Domain {
        /// Loom may switch threads before an access of a mark and nowhere else, so each change of
        /// the books is one step with the access right before it.
        fn release_if_unseen(&self) {
            let nothing_to_do = {
                let books = self.books.0.borrow();
                books.0 != 0 || books.1.is_empty()
            };
            if nothing_to_do {
                return;
            }
            self.released.fetch_add(1, Ordering::Release);
            self.left.fetch_add(0, Ordering::Acquire);
            let dead = {
                let mut books = self.books.0.borrow_mut();
                if books.0 == 0 { std::mem::take(&mut books.1) } else { Vec::new() }
            };
            drop(dead);
        }
    }

    /// While it lives, nothing that this thread can find is released.
    pub struct Pin(PhantomData<*const ()>);

    /// Pins the current thread.
    pub fn pin() -> Pin {
        DOMAIN.released.fetch_add(0, Ordering::Acquire);
        DOMAIN.books.0.borrow_mut().0 += 1;
        Pin(PhantomData)
    }

    impl Pin {
        /// Releases `object` when nobody is pinned any more.
        pub fn defer_drop<T: Any + Send + Sync>(&self, object: Arc<T>) {
            DOMAIN.books.0.borrow_mut().1.push(object);
        }
    }

    impl Drop for Pin {
        fn drop(&mut self) {
            DOMAIN.left.fetch_add(1, Ordering::Release);
            DOMAIN.books.0.borrow_mut().0 -= 1;
            DOMAIN.release_if_unseen();
        }
    }

    /// Drops what nobody can see; `true` when none is left.
    pub fn flush_deferred() -> bool {
        DOMAIN.release_if_unseen();
        DOMAIN.books.0.borrow().1.is_empty()
    }
}
