//! The core over a scripted backend, which does on demand what real ones do not: fail late, reject any call, block.

mod copy_jobs;
mod core_pool;
mod create;
mod device_facts;
mod event_use;
mod failures;
mod finalize;
mod host_memory;
mod memory_use;
mod pool_order;
mod release;
mod report;
mod script;
mod state_callbacks;
mod storm;

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use self::script::{Script, ScriptStream};
use crate::algo::thread::asleep::wait_until_asleep;
use crate::assembly::{self, Checker};
use crate::backend::{Driver, thread_number};
use crate::base::error::{Code, Error};
use crate::base::handles;
use crate::memory::{self, allocation};
use crate::runtime::{self, device, thread};
use crate::stream::{self, Stream};
use crate::transfer::{memcpy, memset, reduce};

/// The core's state belongs to the process: one test at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A time that is longer than anything here takes.
const LONG: Duration = Duration::from_secs(20);

/// Begins a session over `driver`, with the regions assembled as by the first call of a program.
fn begin_over(driver: Arc<dyn Driver>, patience: Duration) {
    static NO_CHECKS: Checker = Checker { arm: |_| Ok(()), session_ended: || {}, device_ended: || {} };
    assembly::install(&[], &NO_CHECKS);
    runtime::begin_with(driver, patience);
}

/// A session over a script with two devices, of which the first is set.
struct Bench {
    script: Arc<Script>,
    _alone: MutexGuard<'static, ()>,
}

impl Bench {
    /// Begins a session in which every wait of a finalize ends in time.
    fn new() -> Self {
        Self::with_patience(LONG)
    }

    /// Begins a session. `patience`: how long a finalize waits for work that does not end.
    fn with_patience(patience: Duration) -> Self {
        let alone = ONE_AT_A_TIME.lock();
        let script = Script::begin(patience);
        device::set(0).unwrap();
        Self { script, _alone: alone }
    }

    /// Begins another session after the end of this one. Returns the script of the one that ended.
    fn next_life(&mut self) -> Arc<Script> {
        std::mem::replace(&mut self.script, Script::begin(LONG))
    }

    /// Creates a stream of the current context: its handle and the script's stream.
    fn stream(&self) -> (u64, Arc<ScriptStream>) {
        let raw = stream::create(0).unwrap();
        (raw, native(raw))
    }
}

impl Drop for Bench {
    /// Ends the session, and checks that nothing is left.
    fn drop(&mut self) {
        let ended = runtime::finalize();
        if !std::thread::panicking() {
            ended.unwrap();
            self.script.assert_nothing_left();
        }
    }
}

fn native(raw: u64) -> Arc<ScriptStream> {
    ScriptStream::of(handles::get::<Stream>("stream", raw).unwrap().native())
}

/// Starts `body` in a thread that has set device `id`.
fn on_device<R: Send + 'static>(id: i32, body: impl FnOnce() -> R + Send + 'static) -> Running<R> {
    let (is_set, set) = channel();
    let running = Running::start(move || {
        device::set(id).unwrap();
        is_set.send(()).unwrap();
        body()
    });
    set.recv_timeout(LONG).unwrap();
    running
}

/// A thread that a test watches.
struct Running<R> {
    thread: JoinHandle<R>,
    /// The thread's number in the kernel.
    number: u32,
}

impl<R: Send + 'static> Running<R> {
    fn start(body: impl FnOnce() -> R + Send + 'static) -> Self {
        let (send, receive) = channel();
        let thread = std::thread::spawn(move || {
            send.send(thread_number()).unwrap();
            body()
        });
        Self { thread, number: receive.recv_timeout(LONG).unwrap() }
    }

    fn assert_blocked(&self) {
        wait_until_asleep(self.number, || self.thread.is_finished());
        assert!(!self.thread.is_finished(), "it did not wait");
    }

    fn join(self) -> R {
        wait_until("a thread to end", || self.thread.is_finished());
        self.thread.join().unwrap()
    }
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < LONG, "waited too long for {what}");
        std::thread::sleep(Duration::from_micros(100));
    }
}

#[track_caller]
fn fails<T: std::fmt::Debug>(result: Result<T, Error>, code: Code, words: &[&str]) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), code, "{error:?}");
    for word in words {
        assert!(error.text().contains(word), "{word:?} is not in: {error:?}");
    }
}
