//! The stand-in for loom's models.

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;

use loom::sync::atomic::{AtomicUsize, Ordering, fence};

/// One execution's reclamation. The two marks make loom explore every order of the steps and
/// carry the two edges that epochs guarantee: a release happens after everything that readers
/// did before they left, and before everything that later readers do. Readers get no edge
/// among each other.
struct Domain {
    left: AtomicUsize,
    released: AtomicUsize,
    books: Books,
}

/// State that loom does not see. Its threads are coroutines of one thread, and none yields in here.
struct Books(RefCell<(usize, Vec<Arc<dyn Any + Send + Sync>>)>);

// SAFETY: loom runs an execution on one thread, so nothing really shares the `Books`.
unsafe impl Sync for Books {}
// SAFETY: all of loom's threads are coroutines of one thread, so the value never moves to
// another.
unsafe impl Send for Books {}

loom::lazy_static! {
    static ref DOMAIN: Domain = Domain {
        left: AtomicUsize::new(0),
        released: AtomicUsize::new(0),
        books: Books(RefCell::new((0, Vec::new()))),
    };
}

impl Domain {
    /// Releases objects that no reader has. Loom may switch threads before an access of a mark and nowhere else, so
    /// each change of the books is one step with the access right before it.
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

/// Keeps objects that this thread can find from being released, while it lives.
pub struct Pin(PhantomData<*const ()>);

/// Orders two threads that each store, call this or [`heavy_barrier`], and load: at least one sees the other's store.
pub fn light_barrier() {
    fence(Ordering::SeqCst);
}

/// Orders two threads that each store, call this or [`light_barrier`], and load: at least one sees the other's store.
pub fn heavy_barrier() {
    fence(Ordering::SeqCst);
}

/// Pins the current thread.
pub fn pin() -> Pin {
    DOMAIN.released.fetch_add(0, Ordering::Acquire);
    DOMAIN.books.0.borrow_mut().0 += 1;
    Pin(PhantomData)
}

impl Pin {
    /// Releases `object` when no thread is pinned any more.
    pub fn defer_drop<T: Any + Send + Sync>(self, object: Arc<T>) {
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

/// Drops the objects that no thread can use. Returns `true` if none is left.
pub fn flush_deferred() -> bool {
    DOMAIN.release_if_unseen();
    DOMAIN.books.0.borrow().1.is_empty()
}

/// Drops the objects that no thread can use, always: loom releases at any moment.
pub fn flush_in_turn() {
    flush_deferred();
}

/// Drops the objects that no thread can use, however many there are.
pub fn flush_if_many() {
    flush_deferred();
}

/// Returns `None`: models name the seats of their threads.
pub fn number() -> Option<usize> {
    None
}
