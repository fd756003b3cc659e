//! Runs streams on a thread. Only a limited number of host functions run at once, and never on the last thread that
//! serves.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::{Executor, SPARES, TURN};
use crate::algo::queue::stream_queue::Claim;
use crate::algo::thread::thread_attributes;
use crate::backend::Result;
use crate::stream::operation;
use crate::stream::queue::Queue;

/// A thread that runs streams: a thread of the executor, or one that helps while it waits.
pub(crate) struct Runner<'a> {
    executor: &'a Arc<Executor>,
    /// A stream that an operation of this thread has resumed. It runs next on this thread, where its data is cached,
    /// without a wake-up.
    local: Option<Arc<Queue>>,
    /// True for a thread of the program, which calls no host functions.
    helper: bool,
}

impl<'a> Runner<'a> {
    pub(crate) fn new(executor: &'a Arc<Executor>, helper: bool) -> Self {
        Self { executor, local: None, helper }
    }

    /// Runs a claimed stream, and the streams that it resumes.
    pub(crate) fn run(&mut self, queue: &Arc<Queue>, claim: Claim<'_, operation::Task>) {
        let executor: &'a Executor = self.executor;
        let ready = &executor.ready;
        let mut operations = 0;
        let mut turn_is_over = || {
            operations += 1;
            executor.schedule.is_some() || (operations >= TURN && ready.load(Ordering::Relaxed) > 0)
        };
        queue.run(claim, self, &mut turn_is_over);
        let mut hops = 0;
        let has_hopped_enough = || {
            hops += 1;
            hops >= TURN && ready.load(Ordering::Relaxed) > 0
        };
        self.run_resumed(has_hopped_enough, &mut turn_is_over);
    }

    /// Runs the streams that this thread's operations resume, each until `stop` returns true. When `enough` returns
    /// true, others may run the next one.
    pub(crate) fn run_resumed(&mut self, mut enough: impl FnMut() -> bool, stop: &mut dyn FnMut() -> bool) {
        while let Some(next) = self.local.take() {
            if enough() {
                return next.list_resumed();
            }
            if let Some(claim) = next.operations.claim_resumed() {
                next.run(claim, self, stop);
            }
        }
    }

    /// Accepts streams that can resume: they have operations, and are neither listed nor claimed.
    pub(crate) fn resumed(&mut self, queues: Vec<Arc<Queue>>) {
        let mut queues = queues.into_iter();
        if self.local.is_none() && self.executor.schedule.is_none() {
            self.local = queues.next();
        }
        if queues.len() > 0 {
            self.executor.push_all(queues.filter(|queue| queue.operations.must_list()));
        }
    }

    /// Lets others run the streams that this thread has resumed, because it will be busy for a while.
    pub(crate) fn flush(&mut self) {
        if let Some(queue) = self.local.take() {
            queue.list_resumed();
        }
    }

    /// Whether this thread may call a host function now. If so, it reports the function's return; if not, the stream
    /// must be held. Fails if it never may, because no other thread can be created to serve in its place.
    pub(crate) fn enter_user_code(&mut self) -> Result<bool> {
        if self.helper {
            return Ok(false);
        }
        self.flush();
        let executor = self.executor;
        let mut pool = executor.pool.lock();
        if pool.in_user >= pool.permits && executor.schedule.is_none() {
            return Ok(false);
        }
        if pool.threads == pool.in_user + 1 {
            // This is the last thread outside user code, so another one is needed first.
            pool.threads += 1;
            drop(pool);
            executor.start()?;
            pool = executor.pool.lock();
        }
        pool.in_user += 1;
        let call = pool.call_if_needed(executor.cores);
        drop(pool);
        executor.answer(call);
        // From here on the thread is like one of the program.
        executor.schedule.iter().for_each(|schedule| schedule.begin_user_code());
        Ok(true)
    }

    /// Whether this thread's stack is large enough for kernels.
    pub(crate) fn may_run_kernels(&self) -> bool {
        !self.helper || thread_attributes::has_deep_stack()
    }

    /// Ends the user code of this stream, which has returned.
    pub(crate) fn leave_user_code(&mut self, stream: u64) {
        let executor = self.executor;
        executor.schedule.iter().for_each(|schedule| schedule.end_user_code(stream));
        let mut pool = executor.pool.lock();
        pool.in_user -= 1;
        if pool.held.is_empty() {
            if pool.in_user < executor.cores {
                pool.permits = executor.cores + SPARES;
            }
            return;
        }
        // One more host function may run, and this thread may have other work first.
        pool.progress = Some(Instant::now());
        let call = pool.call_one(executor.cores);
        drop(pool);
        executor.answer(call);
    }

    /// Holds a stream whose user code this thread may not call. The stream stays marked as listed.
    pub(crate) fn hold(&mut self, queue: Arc<Queue>) {
        if self.helper {
            return self.executor.push(queue);
        }
        let mut pool = self.executor.pool.lock();
        if pool.held.is_empty() {
            pool.progress = Some(Instant::now());
        }
        pool.held.push_back(queue);
    }
}
