//! Runs host code in a stream.
//!
//! The driver runs the host functions of all streams one after the other. A long one, or one that waits for another
//! stream, would delay the others. So the driver's function only starts the job on a thread of the library. The
//! stream then waits for a word in pinned memory, which that thread writes when the job is complete. If the driver
//! does not let streams wait for words, the job runs on the driver's thread. It also runs there if the system
//! refuses a thread, unless it calls the driver, which no function on that thread may do.
//!
//! A delivery to the core works in the same way, without a thread of the library: its ticket writes the word.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};

use cudarc::driver::sys::CUdeviceptr;

use super::state::{ROOM, StreamCalls, StreamState};
use super::words::{GREATER_EQUAL, Words, at};
use crate::backend::{Fault, Position, Result, Ticket, thread_number};

/// States of a call: the driver has not called yet, it has, or the submission has failed and the job is not to run.
const PENDING: u32 = 0;
const BEGUN: u32 = 1;
const REVOKED: u32 = 2;

/// The argument of a call by the driver, in a slot of the stream.
struct Call<F> {
    /// The stream. Its own reference keeps it alive.
    stream: *const StreamState,
    aborts: u64,
    position: Position,
    /// The address of the word to write afterwards, and its value.
    word: usize,
    number: u32,
    state: AtomicU32,
    job: F,
}

/// The turn of a call in the stream.
struct Turn {
    stream: Arc<StreamState>,
    /// The number of the stream's aborts when this was enqueued.
    aborts: u64,
    position: Position,
    /// The word to write afterwards, and its value.
    done: Option<(usize, u32)>,
}

/// The arrival of a stream at an operation of the host, for which it waits until this is dropped.
pub(crate) struct Arrival {
    /// The position of the operation. The call that enqueues the operation may return it later.
    position: Position,
    ticket: Ticket,
}

impl Arrival {
    /// Reports that the operation, which `thread` enqueued, has failed. Then the stream goes on.
    pub(crate) fn fail(self, stream: &StreamState, fault: Fault, thread: u32) {
        stream.fail(fault, Some(self.position), Some(thread), self.ticket);
    }
}

impl From<Arrival> for Ticket {
    fn from(arrival: Arrival) -> Self {
        arrival.ticket
    }
}

impl Turn {
    /// Runs `job`, unless it is skipped: then the job is dropped before the stream goes on.
    fn pass_to(self, job: impl FnOnce(Self)) {
        if !self.stream.has_dropped(self.aborts) {
            job(self);
        }
    }
}

/// Lets the stream continue, if it waits for this turn.
impl Drop for Turn {
    fn drop(&mut self) {
        if let Some((addr, number)) = self.done
            && let Some(words) = self.stream.device.words.get()
        {
            // Release: the device sees earlier writes before it goes on, and the slot is free.
            at(addr).store(number, Ordering::Release);
            words.end_job();
        }
    }
}

/// Enqueues a call of `function` on another thread. Later work of the stream waits for it. The function does not call
/// the driver. It is skipped if the stream is abandoned or aborted before. It is also skipped on a device that fails
/// before: the driver then drops the call, and the few bytes of its argument leak.
pub(crate) fn queue<F: FnOnce() + Send + 'static>(stream: &Arc<StreamState>, function: F) -> Result<Position> {
    queue_turn(stream, false, move |turn| {
        let device = Arc::clone(&turn.stream.device);
        let job = move || turn.pass_to(|_turn| function());
        if device.words.get().is_none() {
            return job();
        }
        if let Err(job) = device.driver.workers.start(Box::new(job)) {
            // The system has refused a thread for it.
            job();
        }
    })
}

/// Enqueues as [`queue`] does, for a task of a graph, which calls the driver. So the task may not run on the driver's
/// thread.
#[cold]
pub(crate) fn queue_task<F: FnOnce() + Send + 'static>(stream: &Arc<StreamState>, function: F) -> Result<Position> {
    let device = &stream.device;
    device.require_words("a graph cannot contain task groups; capture the graph again without them")?;
    let ready = device.driver.graph_workers.ensure_thread();
    ready.map_err(|error| Fault::no_thread("for tasks of graphs", &error))?;
    queue_turn(stream, true, move |turn| {
        let device = Arc::clone(&turn.stream.device);
        device.driver.graph_workers.start_or_queue(Box::new(move || turn.pass_to(|_turn| function())));
    })
}

/// Enqueues a call of `deliver` with the stream's arrival. Later work of the stream waits until that is dropped. If the
/// stream is abandoned or aborted before, `deliver` is dropped without the call.
pub(crate) fn deliver<F: FnOnce(Arrival) + Send + 'static>(stream: &Arc<StreamState>, deliver: F) -> Result<Position> {
    queue_turn(stream, true, move |turn| {
        let position = turn.position;
        if turn.stream.device.words.get().is_some() {
            return turn.pass_to(|turn| deliver(Arrival { position, ticket: Ticket::new(move || drop(turn)) }));
        }
        let (go_on, gone) = mpsc::channel::<()>();
        turn.pass_to(move |turn| deliver(Arrival { position, ticket: Ticket::new(move || drop((go_on, turn))) }));
        // An error says that the other end is dropped, which is expected.
        let _ = gone.recv();
    })
}

/// Enqueues as [`deliver`] does, but the stream does not wait.
pub(crate) fn deliver_unawaited<F: FnOnce() + Send + 'static>(
    stream: &Arc<StreamState>,
    deliver: F,
) -> Result<Position> {
    stream.submit_in_places(1, |_| {
        refuse_in_capture(stream)?;
        launch_boxed(stream, move |turn| turn.pass_to(|_turn| deliver()))
    })
}

/// Fails if another library captures the stream. Its graph would call the driver's function at each launch, and the
/// argument of the function exists for one call.
#[inline]
fn refuse_in_capture(stream: &StreamState) -> Result<()> {
    stream.refuse_in_capture(
        "the captured graph cannot contain this operation, which runs on the host; submit it before or after the \
         capture",
    )
}

/// Has the driver call `job` with its turn. The stream then waits until the turn is dropped. If streams cannot wait for
/// words, it waits until `job` returns. `calls_driver`: the library may call the driver until then. After an error the
/// job does not run. If it has begun when the driver refuses the wait, the call succeeds, the stream fails, and it
/// counts as busy until the job returns.
///
/// The function and what it calls are always inlined, because each step would otherwise copy the closure in memory.
#[inline(always)]
fn queue_turn<F: FnOnce(Turn) + Send + 'static>(
    stream: &Arc<StreamState>,
    calls_driver: bool,
    job: F,
) -> Result<Position> {
    let mut unordered = None;
    let queued = stream.submit_in_places(
        1,
        #[inline(always)]
        |submitting| {
            refuse_in_capture(stream)?;
            let Some(words) = stream.device.words.get() else { return launch_boxed(stream, job) };
            let calls = match &mut submitting.calls {
                Some(calls) => calls,
                none => none.insert(StreamCalls::new(words, stream)?),
            };
            let queued = launch(stream, calls, job, &mut unordered);
            if calls_driver {
                submitting.keep_room();
            }
            if unordered.is_some() {
                stream.note_unordered(submitting);
            }
            queued
        },
    );
    if let Some(fault) = unordered {
        stream.fail(fault, queued.as_ref().ok().copied(), Some(thread_number()), ());
    }
    queued
}

/// Passes `job` in a slot. The stream then waits until its word says that the call is complete. If the driver refuses
/// that wait when the job has begun, `unordered` receives the failure.
#[inline(always)]
fn launch<F: FnOnce(Turn) + Send + 'static>(
    stream: &Arc<StreamState>,
    calls: &mut StreamCalls,
    job: F,
    unordered: &mut Option<Fault>,
) -> Result<()> {
    const { assert!(size_of::<Call<F>>() <= ROOM && align_of::<Call<F>>() <= align_of::<u64>()) }
    stream.note_dependence();
    let StreamCalls { word, slots, .. } = calls;
    let (addr, number) = (word.addr, word.number.wrapping_add(1));
    // Acquire: pairs with the Release of the jobs, which have read their slots before.
    let slot = slots.take(word.number, || at(addr).load(Ordering::Acquire)).cast();
    let (aborts, position, state) = (stream.aborts(), stream.next_position(), AtomicU32::new(PENDING));
    // SAFETY: a slot has room for it, and only this function uses it until the driver gets it.
    unsafe { slot.write(Call { stream: Arc::as_ptr(stream), aborts, position, word: addr, number, state, job }) };
    let mut is_taken = false;
    let queued = stream.device.call_here(|api| {
        // SAFETY: `call_slot` reads a `Call<F>`, which the slot contains; the driver passes the slot to
        // it exactly once.
        unsafe { api.launch_host_func(stream.raw.0, Some(call_slot::<F>), slot.as_ptr().cast()) }?;
        is_taken = true;
        word.number = number;
        // SAFETY: a live stream, and its word, which lives as long.
        unsafe { api.stream_wait_value(stream.raw.0, addr as CUdeviceptr, number, GREATER_EQUAL) }
    });
    if !is_taken {
        // SAFETY: the driver has refused the function, so `call_slot` never runs and the call in the
        // slot is dropped here.
        unsafe { slot.drop_in_place() };
        return queued;
    }
    queued.or_else(|fault| {
        // SAFETY: the slot is not used again before the caller releases the lock of submissions, and the driver's
        // thread accesses this field as an atomic only.
        let state = unsafe { &(*slot.as_ptr()).state };
        // Relaxed: nothing is passed. The job is the driver's in either case.
        if state.compare_exchange(PENDING, REVOKED, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            return Err(fault);
        }
        *unordered = Some(fault);
        Ok(())
    })
}

/// # Safety
/// `call` is the slot of [`launch`] for a job of this type. The driver calls once.
unsafe extern "C" fn call_slot<F: FnOnce(Turn)>(call: *mut c_void) {
    let call = NonNull::new(call.cast::<Call<F>>()).expect("a slot");
    // SAFETY: the slot contains an initialised `Call<F>`, of which the other thread accesses this field only.
    let state = unsafe { &(*call.as_ptr()).state };
    // Relaxed: as in `launch`.
    let is_revoked = state.compare_exchange(PENDING, BEGUN, Ordering::Relaxed, Ordering::Relaxed).is_err();
    // SAFETY: the slot contains an initialised `Call<F>`, and the driver calls each function once.
    let Call { stream, aborts, position, word, number, state: _, job } = unsafe { call.read() };
    // SAFETY: [`StreamCalls`] keeps it until the word says that this call is complete.
    let stream = unsafe {
        Arc::increment_strong_count(stream);
        Arc::from_raw(stream)
    };
    let done = stream.device.words.get().is_some_and(Words::begin_job).then_some((word, number));
    let turn = Turn { stream, aborts, position, done };
    if is_revoked {
        // Before the stream goes on, and its device may close.
        drop(job);
        drop(turn);
    } else {
        job(turn);
    }
}

/// Passes `job` in a box. The stream waits until it returns.
#[cold]
fn launch_boxed<F: FnOnce(Turn) + Send + 'static>(stream: &Arc<StreamState>, job: F) -> Result<()> {
    stream.note_wait();
    let (aborts, position) = (stream.aborts(), stream.next_position());
    let turn = Turn { stream: Arc::clone(stream), aborts, position, done: None };
    let call = Box::into_raw(Box::new((job, turn)));
    let queued = stream.device.call_here(|api| {
        // SAFETY: `call_box` takes the box behind `call`, which `into_raw` has released for it.
        unsafe { api.launch_host_func(stream.raw.0, Some(call_box::<F>), call.cast()) }
    });
    if queued.is_err() {
        // SAFETY: the driver has refused the function, so this thread takes the box behind `call` instead.
        drop(unsafe { Box::from_raw(call) });
    }
    queued
}

/// # Safety
/// `call` is the box of [`launch_boxed`] for a job of this type. Called once.
unsafe extern "C" fn call_box<F: FnOnce(Turn)>(call: *mut c_void) {
    // SAFETY: `call` came from Box::into_raw with this type, and no other function takes it.
    let (job, turn) = *unsafe { Box::from_raw(call.cast::<(F, Turn)>()) };
    job(turn);
}
