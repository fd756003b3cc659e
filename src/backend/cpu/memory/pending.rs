//! Freeing memory that queued operations still use: the users of memory, and deferred frees.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use crate::backend::{Block, Wait};

/// Deferred blocks that an ordinary call checks.
pub const REAP: usize = 8;

/// A stream, as a user of memory.
pub trait MemoryUser: Send + Sync {
    /// Notes that it is on the list of [`Users`]; false if it was before.
    fn enlist(&self) -> bool;

    /// Notes that it is not on the list, under the list's lock; false if it uses memory.
    fn delist_if_unused(&self) -> bool;

    /// The last operation that is queued or runs and may use a byte of the range.
    fn last_use_of(&self, addr: usize, len: usize) -> Option<u64>;

    /// True when the operation is complete.
    fn has_finished(&self, ticket: u64) -> bool;

    /// Blocks until the operation is complete, or until the deadline.
    fn wait_for(self: Arc<Self>, ticket: u64, deadline: Option<Instant>) -> Wait;
}

/// The streams that may have queued operations on memory: a superset, tidied by [`Self::fence`].
#[derive(Default)]
pub struct Users {
    list: Mutex<Vec<Arc<dyn MemoryUser>>>,
    len: AtomicUsize,
}

impl Users {
    /// Called by a stream that queues an operation on memory and is not on the list.
    pub fn add(&self, stream: &Arc<impl MemoryUser + 'static>) {
        let mut list = self.list.lock();
        if stream.enlist() {
            list.push(Arc::clone(stream) as _);
            self.len.store(list.len(), Ordering::SeqCst);
        }
    }

    /// No memory is in use. One load.
    pub fn is_empty(&self) -> bool {
        self.len.load(Ordering::SeqCst) == 0
    }

    /// The queued operations before this call that use `len` bytes at `addr` and are not complete: for each stream the
    /// last of them, by number. Usually none.
    pub fn fence(&self, addr: usize, len: usize) -> Fence {
        let mut fence = Vec::new();
        if self.is_empty() {
            return Fence(fence);
        }
        let mut list = self.list.lock();
        list.retain(|stream| {
            let busy = !stream.delist_if_unused();
            if busy && let Some(ticket) = stream.last_use_of(addr, len) {
                fence.push((Arc::clone(stream), ticket));
            }
            busy
        });
        self.len.store(list.len(), Ordering::SeqCst);
        Fence(fence)
    }

    /// Removes all of them, when nothing runs any more: a stream that was abandoned with pending work would stay on the
    /// list, and keep the whole backend alive by its reference.
    pub fn clear(&self) {
        let streams = std::mem::take(&mut *self.list.lock());
        self.len.store(0, Ordering::SeqCst);
        // Their drop may call this again.
        drop(streams);
    }

    /// Removes a stream whose owner has dropped it, if it uses no memory.
    pub fn forget(&self, stream: &Arc<impl MemoryUser>) {
        let mut list = self.list.lock();
        if stream.delist_if_unused() {
            let address = Arc::as_ptr(stream).addr();
            list.retain(|other| Arc::as_ptr(other).addr() != address);
            self.len.store(list.len(), Ordering::SeqCst);
        }
    }
}

/// Operations that must be complete.
pub struct Fence(Vec<(Arc<dyn MemoryUser>, u64)>);

impl Fence {
    pub fn has_passed(&mut self) -> bool {
        self.0.retain(|(stream, ticket)| !stream.has_finished(*ticket));
        self.0.is_empty()
    }

    /// The streams to wait for.
    pub fn streams(&self) -> impl Iterator<Item = (&Arc<dyn MemoryUser>, u64)> {
        self.0.iter().map(|(stream, ticket)| (stream, *ticket))
    }
}

/// Freed while operations were using it: mostly blocks of memory.
pub struct Deferred<T = Block> {
    list: Mutex<VecDeque<(T, Fence)>>,
    len: AtomicUsize,
}

impl<T> Deferred<T> {
    pub fn new() -> Self {
        Self { list: Mutex::new(VecDeque::new()), len: AtomicUsize::new(0) }
    }

    /// Frees it, by `give`: now if the fence has passed, or when it has.
    pub fn free(&self, given: T, mut fence: Fence, give: impl FnOnce(T)) {
        if fence.has_passed() {
            return give(given);
        }
        let mut list = self.list.lock();
        list.push_back((given, fence));
        self.len.store(list.len(), Ordering::Release);
    }

    /// Frees, by `give`, what nothing uses any more. Checks at most `limit` entries, and others the next time. True if
    /// there were any.
    pub fn reap(&self, limit: usize, give: impl Fn(T)) -> bool {
        if self.len.load(Ordering::Acquire) == 0 {
            return false;
        }
        let mut ready = Vec::new();
        let mut list = self.list.lock();
        for _ in 0..limit.min(list.len()) {
            let Some((given, mut fence)) = list.pop_front() else { break };
            if fence.has_passed() {
                ready.push(given);
            } else {
                list.push_back((given, fence));
            }
        }
        self.len.store(list.len(), Ordering::Release);
        drop(list);
        let any = !ready.is_empty();
        ready.into_iter().for_each(give);
        any
    }

    /// Drops everything, when nothing runs any more.
    pub fn clear(&self) {
        let all = std::mem::take(&mut *self.list.lock());
        self.len.store(0, Ordering::Release);
        // Not under the lock: a drop may run code.
        drop(all);
    }
}
