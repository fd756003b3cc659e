//! A thread that runs streams.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Executor, TURN};
use crate::algo::queue::stream_queue::Claim;
use crate::algo::thread::thread_attributes;
use crate::backend::Result;
use crate::backend::cpu::stream::operation;
use crate::backend::cpu::stream::queue::Queue;

/// A thread that runs streams: one of the executor's, or one that waits and helps.
pub struct Runner<'a> {
    executor: &'a Arc<Executor>,
    /// A stream that an operation of this thread has resumed: it runs next, here, where its data is cached, without a
    /// wake-up.
    local: Option<Arc<Queue>>,
    helper: bool,
    hops: u32,
}

impl<'a> Runner<'a> {
    /// A thread of the executor.
    pub fn worker(executor: &'a Arc<Executor>) -> Self {
        Self { executor, local: None, helper: false, hops: 0 }
    }

    /// A thread of the program: it calls no host functions.
    pub fn helper(executor: &'a Arc<Executor>) -> Self {
        Self { executor, local: None, helper: true, hops: 0 }
    }

    /// Runs a claimed stream, and the streams that it resumes.
    pub fn run(&mut self, queue: &Arc<Queue>, claim: Claim<'_, operation::Task>) {
        self.hops = 0;
        let executor: &'a Executor = self.executor;
        let ready = &executor.ready;
        let mut operations = 0;
        let mut turn_is_over = || {
            operations += 1;
            executor.schedule.is_some() || (operations >= TURN && ready.load(Ordering::Relaxed) > 0)
        };
        queue.run(claim, self, &mut turn_is_over);
        while let Some(next) = self.local.take() {
            self.hops += 1;
            if self.hops >= TURN && ready.load(Ordering::Relaxed) > 0 {
                self.put_back(next);
            } else if let Some(claim) = next.operations.claim_resumed() {
                next.run(claim, self, &mut turn_is_over);
            }
        }
    }

    /// Streams that can resume: queued, not listed, and not claimed.
    pub fn resumed(&mut self, queues: Vec<Arc<Queue>>) {
        let mut queues = queues.into_iter();
        if self.local.is_none() && self.executor.schedule.is_none() {
            self.local = queues.next();
        }
        if queues.len() > 0 {
            self.executor.push_all(queues.filter(|queue| queue.operations.must_list()));
        }
    }

    pub fn take_local(&mut self) -> Option<Arc<Queue>> {
        self.local.take()
    }

    /// Lists a resumed stream for any thread.
    pub fn put_back(&self, queue: Arc<Queue>) {
        if queue.operations.must_list() {
            self.executor.push(queue);
        }
    }

    /// This thread will be busy for a while: others may run the streams that it has resumed.
    pub fn flush(&mut self) {
        if let Some(queue) = self.local.take() {
            self.put_back(queue);
        }
    }

    /// Whether this thread may call a host function now: then it reports its return; otherwise the stream must be held.
    /// A fault: never, because no other thread can be created to serve meanwhile.
    pub fn enter_user_code(&mut self) -> Result<bool> {
        if self.helper {
            return Ok(false);
        }
        self.flush();
        self.executor.enter_user_code()
    }

    /// Whether this thread's stack is large enough for kernels.
    pub fn may_run_kernels(&self) -> bool {
        !self.helper || thread_attributes::has_deep_stack()
    }

    /// The user code of this stream has returned.
    pub fn leave_user_code(&mut self, stream: u64) {
        self.executor.leave_user_code(stream);
    }

    /// Holds a stream whose user code this thread may not call; it is marked as listed.
    pub fn hold(&mut self, queue: Arc<Queue>) {
        if self.helper {
            self.executor.push(queue);
        } else {
            self.executor.hold(queue);
        }
    }
}
