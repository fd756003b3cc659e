//! Host code in a stream.
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
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};

use cudarc::driver::sys::CUdeviceptr;

use super::call_slots::ROOM;
use super::state::{StreamCalls, StreamState};
use super::words::{GREATER_EQUAL, Words, at};
use crate::backend::{Delivery, Fault, Position, Result, Ticket};

/// The argument of a call by the driver, in a slot of the stream.
struct Call<F> {
    /// The stream's own reference keeps it alive.
    stream: *const StreamState,
    aborts: u64,
    done: (usize, u32),
    function: F,
}

/// The turn of a call in the stream.
struct Turn {
    stream: Arc<StreamState>,
    /// How often the stream was aborted when this was enqueued.
    aborts: u64,
    /// The word to write afterwards, and what.
    done: Option<(usize, u32)>,
}

impl Turn {
    /// It is skipped.
    fn is_dropped(&self) -> bool {
        self.stream.has_dropped(self.aborts)
    }
}

/// If the stream waits, it continues when this is dropped.
impl Drop for Turn {
    fn drop(&mut self) {
        if let Some((addr, number)) = self.done
            && let Some(words) = self.stream.device.words.get()
        {
            // Release: the device sees what was written before it goes on, and the slot is free.
            at(addr).store(number, Ordering::Release);
            words.end_job();
        }
    }
}

/// A call that the stream has reached, or that is boxed for the driver.
struct Begun<F> {
    function: F,
    /// Dropped last: what the function has is dropped before the stream goes on.
    turn: Turn,
}

impl<F: FnOnce()> Begun<F> {
    fn run(self) {
        if !self.turn.is_dropped() {
            (self.function)();
        }
    }
}

impl Begun<Box<dyn Delivery>> {
    /// Delivers, with the ticket that `ticket` makes.
    fn deliver(self, ticket: impl FnOnce(Turn) -> Ticket) {
        if !self.turn.is_dropped() {
            self.function.deliver(ticket(self.turn));
        }
    }
}

/// Enqueues a call of `function` on another thread. Later work of the stream waits for it. The function does not call
/// the driver. It is skipped if the stream is abandoned or aborted before, and on a device that fails before (the
/// driver then drops the call, and the few bytes of its argument leak).
pub fn queue<F: FnOnce() + Send + 'static>(stream: &Arc<StreamState>, function: F) -> Result<Position> {
    queue_and_wait(stream, function, run_on_driver_thread::<F>, run_on_worker::<F>)
}

/// As [`queue`], for a function of the program or, if it `calls_driver`, a task of a graph.
pub fn queue_call<F: FnOnce() + Send + 'static>(
    stream: &Arc<StreamState>,
    function: F,
    calls_driver: bool,
) -> Result<Position> {
    let entry = if calls_driver {
        prepare_task(stream)?;
        run_on_worker_later::<F>
    } else {
        run_on_worker::<F>
    };
    queue_and_wait(stream, function, run_on_driver_thread::<F>, entry)
}

/// Makes sure that a task which calls the driver has a thread for that.
#[cold]
fn prepare_task(stream: &StreamState) -> Result<()> {
    let device = &stream.device;
    device.require_words("a graph cannot have tasks that change; capture it anew, without task groups")?;
    let ready = device.driver.graph_workers.ensure_thread();
    ready.map_err(|error| Fault::no_thread("for tasks of graphs", &error))
}

/// Enqueues `delivery`. With `wait`, later work of the stream waits for the ticket. It is dropped, undelivered, if the
/// stream is abandoned or aborted before.
pub fn hand_over(stream: &Arc<StreamState>, delivery: Box<dyn Delivery>, wait: bool) -> Result<Position> {
    if wait {
        queue_and_wait(stream, delivery, deliver_and_wait, deliver)
    } else {
        stream.submit(|| launch_boxed(stream, deliver_unawaited, delivery))
    }
}

type Entry = unsafe extern "C" fn(*mut c_void);

/// Has the driver call `entry`, after which the stream waits for its word; or `without_word`, if streams cannot wait.
///
/// Inlined by force, with what it calls: otherwise each step would copy the function in memory.
#[inline(always)]
fn queue_and_wait<F: Send + 'static>(
    stream: &Arc<StreamState>,
    function: F,
    without_word: Entry,
    entry: Entry,
) -> Result<Position> {
    stream.submit_with_calls(
        #[inline(always)]
        |place| {
            let Some(words) = stream.device.words.get() else {
                return launch_boxed(stream, without_word, function);
            };
            let calls = match place {
                Some(calls) => calls,
                None => place.insert(StreamCalls::new(words, stream)?),
            };
            launch(stream, calls, entry, function)
        },
    )
}

/// `entry` takes a `Call<F>` from a slot. The stream then waits until its word says that the call is complete.
#[inline(always)]
fn launch<F: Send + 'static>(
    stream: &Arc<StreamState>,
    calls: &mut StreamCalls,
    entry: Entry,
    function: F,
) -> Result<()> {
    const { assert!(size_of::<Call<F>>() <= ROOM && align_of::<Call<F>>() <= align_of::<u64>()) }
    stream.note_dependence();
    let StreamCalls { word, slots, .. } = calls;
    let (addr, number) = (word.addr, word.number.wrapping_add(1));
    // Acquire, with the Release of the jobs, which have read their slots before.
    let slot = slots.take(word.number, || at(addr).load(Ordering::Acquire)).cast();
    let (aborts, done) = (stream.aborts(), (addr, number));
    // SAFETY: a slot has room for it, and only this function uses it until the driver gets it.
    unsafe { slot.write(Call { stream: Arc::as_ptr(stream), aborts, done, function }) };
    let mut is_taken = false;
    let queued = stream.device.call_here(|api| {
        // SAFETY: `entry` reads a `Call<F>`, which the slot contains; the driver passes the slot to
        // it exactly once.
        unsafe { api.launch_host_func(stream.raw.0, Some(entry), slot.as_ptr().cast()) }?;
        is_taken = true;
        word.number = number;
        // SAFETY: a live stream, and its word, which lives as long.
        unsafe { api.stream_wait_value(stream.raw.0, addr as CUdeviceptr, number, GREATER_EQUAL) }
    });
    if !is_taken {
        // SAFETY: the driver has refused the function, so `entry` never runs and the call in the
        // slot is dropped here.
        unsafe { slot.drop_in_place() };
    }
    queued
}

/// `entry` takes a box of a `Begun<F>`. The stream does not wait for its end.
#[cold]
fn launch_boxed<F: Send + 'static>(stream: &Arc<StreamState>, entry: Entry, function: F) -> Result<()> {
    stream.note_dependence();
    let turn = Turn { stream: Arc::clone(stream), aborts: stream.aborts(), done: None };
    let call = Box::into_raw(Box::new(Begun { function, turn }));
    let queued = stream.device.call_here(|api| {
        // SAFETY: `entry` takes the box behind `call`, which `into_raw` has released for it.
        unsafe { api.launch_host_func(stream.raw.0, Some(entry), call.cast()) }
    });
    if queued.is_err() {
        // SAFETY: the driver has refused the function, so this thread takes the box behind `call` instead.
        drop(unsafe { Box::from_raw(call) });
    }
    queued
}

/// # Safety
/// `call` is the slot of [`launch`], whose function is an `F`. The driver calls once.
unsafe fn begin<F>(call: *mut c_void) -> Begun<F> {
    let call = NonNull::new(call.cast::<Call<F>>()).expect("a slot");
    // SAFETY: the slot contains an initialised `Call<F>`, and the driver calls each function once.
    let Call { stream, aborts, done, function } = unsafe { call.read() };
    // SAFETY: [`StreamCalls`] keeps it until the word says that this call is complete.
    let stream = unsafe {
        Arc::increment_strong_count(stream);
        Arc::from_raw(stream)
    };
    let done = stream.device.words.get().is_some_and(Words::begin_job).then_some(done);
    Begun { function, turn: Turn { stream, aborts, done } }
}

/// # Safety
/// `call` is the box of [`launch_boxed`], whose function is an `F`. Called once.
unsafe fn take_box<F>(call: *mut c_void) -> Begun<F> {
    // SAFETY: `call` came from Box::into_raw with this type, and no other function takes it.
    *unsafe { Box::from_raw(call.cast()) }
}

unsafe extern "C" fn run_on_driver_thread<F: FnOnce() + Send>(call: *mut c_void) {
    // SAFETY: the driver's only call.
    unsafe { take_box::<F>(call) }.run();
}

unsafe extern "C" fn run_on_worker<F: FnOnce() + Send + 'static>(call: *mut c_void) {
    // SAFETY: the driver calls this with the slot that `launch` filled with a `Call<F>`.
    let begun = unsafe { begin::<F>(call) };
    let device = Arc::clone(&begun.turn.stream.device);
    if let Err(job) = device.driver.workers.start(Box::new(move || begun.run())) {
        // There is no thread for it.
        job();
    }
}

/// As [`run_on_worker`], for a function that may not run on the driver's thread.
unsafe extern "C" fn run_on_worker_later<F: FnOnce() + Send + 'static>(call: *mut c_void) {
    // SAFETY: the slot of `queue_call`, once; it contains a `Call<F>`.
    let begun = unsafe { begin::<F>(call) };
    let device = Arc::clone(&begun.turn.stream.device);
    device.driver.graph_workers.start_or_queue(Box::new(move || begun.run()));
}

unsafe extern "C" fn deliver(call: *mut c_void) {
    // SAFETY: `launch` queued this function with a slot that contains a boxed delivery.
    unsafe { begin::<Box<dyn Delivery>>(call) }.deliver(|turn| Ticket::new(move || drop(turn)));
}

/// As [`deliver`], where the stream does not wait.
unsafe extern "C" fn deliver_unawaited(call: *mut c_void) {
    // SAFETY: `launch_boxed` queued this function with a box that contains a delivery.
    unsafe { take_box::<Box<dyn Delivery>>(call) }.deliver(|_turn| Ticket::unawaited());
}

/// As [`deliver`], on the driver's thread until the ticket is dropped.
unsafe extern "C" fn deliver_and_wait(call: *mut c_void) {
    // SAFETY: the argument is the box that `launch_boxed` made for this very function.
    let begun = unsafe { take_box::<Box<dyn Delivery>>(call) };
    let (go_on, gone) = mpsc::channel::<()>();
    begun.deliver(|turn| Ticket::new(move || drop((go_on, turn))));
    // An error says that the other end is dropped, as it should be.
    let _ = gone.recv();
}
