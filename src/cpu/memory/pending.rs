//! Frees memory that pending operations still use: keeps the users of memory, and defers frees.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use crate::backend::{Block, Wait};

/// The number of deferred blocks that an ordinary call checks.
pub(crate) const REAP: usize = 8;

/// A stream, as a user of memory.
pub(crate) trait MemoryUser: Send + Sync {
    /// Marks the stream as being on the list of [`Users`]. Returns false if it was there before.
    fn enlist(&self) -> bool;

    /// Marks the stream as not being on the list. Returns false if it uses memory. The caller holds the list's lock.
    fn delist_if_unused(&self) -> bool;

    /// Returns the last operation that is pending and may use a byte of the range.
    fn last_use_of(&self, addr: usize, len: usize) -> Option<u64>;

    /// Whether the operation is complete.
    fn has_finished(&self, ticket: u64) -> bool;

    /// Blocks until the operation is complete, or until the deadline.
    fn wait_for(self: Arc<Self>, ticket: u64, deadline: Option<Instant>) -> Wait;
}

/// The streams that may have pending operations on memory. The list may contain others, which [`Self::fence`] removes.
#[derive(Default)]
pub(crate) struct Users {
    list: Mutex<Vec<Arc<dyn MemoryUser>>>,
    len: AtomicUsize,
}

impl Users {
    /// Adds a stream that enqueues an operation on memory and is not on the list.
    pub(crate) fn add(&self, stream: &Arc<impl MemoryUser + 'static>) {
        let mut list = self.list.lock();
        if stream.enlist() {
            list.push(Arc::clone(stream) as _);
            self.len.store(list.len(), Ordering::SeqCst);
        }
    }

    /// Whether no stream is on the list, so that no memory is in use. This is one load.
    pub(crate) fn is_empty(&self) -> bool {
        self.len.load(Ordering::SeqCst) == 0
    }

    /// Returns the pending operations that were enqueued before this call and use `len` bytes at `addr`: for each
    /// stream the number of the last of them. Usually there are none.
    pub(crate) fn fence(&self, addr: usize, len: usize) -> Fence {
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

    /// Removes all streams, when nothing runs any more. A stream that was abandoned with pending work would stay on the
    /// list, and keep the whole backend alive by its reference.
    pub(crate) fn clear(&self) {
        let streams = std::mem::take(&mut *self.list.lock());
        self.len.store(0, Ordering::SeqCst);
        // Dropping the streams may call this function again.
        drop(streams);
    }

    /// Removes a stream whose owner has dropped it, if it uses no memory.
    pub(crate) fn forget(&self, stream: &Arc<impl MemoryUser>) {
        let mut list = self.list.lock();
        if stream.delist_if_unused() {
            let address = Arc::as_ptr(stream).addr();
            list.retain(|other| Arc::as_ptr(other).addr() != address);
            self.len.store(list.len(), Ordering::SeqCst);
        }
    }
}

/// The operations that must be complete before memory is freed.
pub(crate) struct Fence(Vec<(Arc<dyn MemoryUser>, u64)>);

impl Fence {
    pub(crate) fn has_passed(&mut self) -> bool {
        self.0.retain(|(stream, ticket)| !stream.has_finished(*ticket));
        self.0.is_empty()
    }

    /// Returns the streams to wait for, each with the number of its operation.
    pub(crate) fn streams(&self) -> impl Iterator<Item = (&Arc<dyn MemoryUser>, u64)> {
        self.0.iter().map(|(stream, ticket)| (stream, *ticket))
    }
}

/// Things, mostly blocks of memory, that were freed while operations were using them.
pub(crate) struct Deferred<T = Block> {
    list: Mutex<VecDeque<(T, Fence)>>,
    len: AtomicUsize,
}

impl<T> Deferred<T> {
    pub(crate) fn new() -> Self {
        Self { list: Mutex::new(VecDeque::new()), len: AtomicUsize::new(0) }
    }

    /// Frees `given` by calling `give`: now if the fence has passed, otherwise when it has.
    pub(crate) fn free(&self, given: T, mut fence: Fence, give: impl FnOnce(T)) {
        if fence.has_passed() {
            return give(given);
        }
        let mut list = self.list.lock();
        list.push_back((given, fence));
        self.len.store(list.len(), Ordering::Release);
    }

    /// Frees, by calling `give`, what nothing uses any more. Checks at most `limit` entries, and others the next time.
    /// Returns true if it freed any.
    pub(crate) fn reap(&self, limit: usize, give: impl Fn(T)) -> bool {
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

    /// Drops all entries, when nothing runs any more.
    pub(crate) fn clear(&self) {
        let all = std::mem::take(&mut *self.list.lock());
        self.len.store(0, Ordering::Release);
        // The entries are dropped without the lock, because a drop may run code.
        drop(all);
    }
}
