//! Tests of failures, of abandoned streams, and of the end.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::algo::thread::asleep::wait_until_asleep;
use crate::backend::{
    Calls, Failure, FaultKind, Heard, Observer, RepeatedFn, Result, inside_host_function, thread_number,
};
use crate::runtime::shared::Shared;
use crate::stream::CpuStream;
use crate::stream::operation::{GraphRun, Operation};
use crate::stream::queue::Queue;

/// A run of a graph that panics.
struct Panicking;

impl GraphRun for Panicking {
    fn has_user_code(&self) -> bool {
        false
    }

    fn runs_kernels(&self) -> bool {
        false
    }

    fn effort(&self) -> usize {
        0
    }

    fn run_all(&self, _shared: &Shared) -> Result<()> {
        panic!("a test's panic")
    }

    fn run_to_user_code(&mut self, _shared: &Shared) -> Option<RepeatedFn> {
        unreachable!("it has no user code")
    }

    fn has_called(&mut self) {}

    fn failure(&self) -> Option<Fault> {
        None
    }

    fn drop_for(&self, _why: &Fault) {}

    fn end(&self) -> Vec<Arc<Queue>> {
        Vec::new()
    }
}

fn panic_in(stream: &Arc<dyn Stream>) {
    let stream: &dyn Any = &**stream;
    let queue = stream.downcast_ref::<CpuStream>().unwrap().inner();
    queue.push(queue.submit().unwrap(), Operation::Graph(Box::new(Panicking)));
}

#[test]
fn a_panic_becomes_a_failure_and_the_stream_goes_on() {
    in_all_modes(|bench| {
        let (heard, target) = (Arc::new(Heard::default()), bench.alloc(64).addr);
        let stream = bench.device.create_stream(heard.options()).unwrap();
        stream.fill(fill(target, 64, 1)).unwrap();
        panic_in(&stream);
        stream.fill(fill(target, 64, 2)).unwrap();
        sync(&stream);
        let [failure] = &heard.take()[..] else { panic!("not one failure") };
        assert_eq!(failure.fault.kind(), FaultKind::Execution);
        assert!(failure.fault.text().contains("a test's panic"), "{}", failure.fault.text());
        assert_eq!((failure.position, failure.thread), (Some(2), Some(thread_number())));
        assert_eq!(bench.read(target, 64), [2; 64]);
    });
}

/// Checks that user code is notified on a thread of the library before the failure completes, and that only its stream
/// waits.
#[test]
fn a_failure_callback_blocks_only_its_stream() {
    in_all_modes(|bench| {
        let (heard, target) = (Arc::new(Heard::default()), bench.alloc(64).addr);
        let stream = bench.device.create_stream(heard.options()).unwrap();
        let other = bench.stream();
        let (event, me) = (bench.event(), thread_number());
        let (begin, begun) = channel();
        let (end, ended) = channel::<()>();
        heard.on_next_failure(HostFn::from_closure(move || {
            assert!(inside_host_function());
            begin.send(thread_number()).unwrap();
            let _ = ended.recv();
        }));
        panic_in(&stream);
        stream.record(&event).unwrap();
        // This thread helps, if that is possible, and must not be the one that runs the callback.
        let soon = Instant::now() + Duration::from_millis(20);
        assert_eq!(stream.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
        assert_ne!(begun.recv().unwrap(), me);
        assert!(!event.is_complete().unwrap());
        other.fill(fill(target, 64, 1)).unwrap();
        sync(&other);
        drop(end);
        sync(&stream);
        assert!(event.is_complete().unwrap());
    });
}

/// Checks that an observer may abandon the stream whose operation has failed.
#[test]
fn a_failure_can_stop_its_stream() {
    struct Stop(Mutex<Option<Arc<dyn Stream>>>);
    impl Observer for Stop {
        fn failed(&self, _failure: Failure) -> Option<HostFn> {
            self.0.lock().take()?.abandon();
            Some(HostFn::from_closure(|| ()))
        }
    }
    in_all_modes(|bench| {
        let stop = Arc::new(Stop(Mutex::new(None)));
        let options = StreamOptions { observer: Some(stop.clone()), ..Default::default() };
        let (stream, target) = (bench.device.create_stream(options).unwrap(), bench.alloc(64).addr);
        *stop.0.lock() = Some(Arc::clone(&stream));
        bench.device.fill(fill(target, 64, 1)).unwrap();
        let gate = Gate::close(&stream);
        panic_in(&stream);
        stream.fill(fill(target, 64, 2)).unwrap();
        gate.open();
        sync(&stream);
        assert_eq!(stream.fill(fill(target, 64, 3)).unwrap_err().kind(), FaultKind::Abandoned);
        assert_eq!(bench.read(target, 64), [1; 64]);
    });
}

#[test]
fn abandoned_work_is_dropped_and_no_wait_blocks_on_it() {
    in_all_modes(|bench| {
        let (stream, waiter) = (bench.stream(), bench.stream());
        let (target, event) = (bench.alloc(64).addr, bench.event());
        let called = Arc::new(AtomicBool::new(false));
        bench.device.fill(fill(target, 64, 1)).unwrap();
        let gate = Gate::close(&stream);
        stream.fill(fill(target, 64, 2)).unwrap();
        let flag = Arc::clone(&called);
        stream.host_fn(host_fn(move || flag.store(true, Ordering::Relaxed))).unwrap();
        stream.record(&event).unwrap();
        waiter.wait(&event, None).unwrap();
        stream.abandon();
        sync(&waiter);
        assert!(event.is_complete().unwrap());
        assert!(!stream.is_idle().unwrap(), "what has started goes on");
        let fault = stream.fill(fill(target, 64, 3)).unwrap_err();
        assert_eq!(fault.kind(), FaultKind::Abandoned);
        assert!(stream.record(&event).is_err() && stream.wait(&event, None).is_err());
        gate.open();
        sync(&stream);
        assert!(!called.load(Ordering::Relaxed));
        assert_eq!(bench.read(target, 64), [1; 64]);
    });
}

#[test]
fn an_abandoned_wait_ends() {
    in_all_modes(|bench| {
        let (first, second) = (bench.stream(), bench.stream());
        let (event, behind) = (bench.event(), bench.event());
        let gate = Gate::close(&first);
        first.record(&event).unwrap();
        second.wait(&event, None).unwrap();
        second.record(&behind).unwrap();
        second.abandon();
        sync(&second);
        assert!(behind.is_complete().unwrap());
        assert!(!event.is_complete().unwrap());
        gate.open();
        sync(&first);
    });
}

#[test]
fn abandoning_ends_a_pageable_copy_that_has_not_begun() {
    in_all_modes(|bench| {
        let (stream, source) = (bench.stream(), bench.alloc(64).addr);
        let gate = Gate::close(&stream);
        let (send, number) = channel();
        let copier = {
            let stream = Arc::clone(&stream);
            std::thread::spawn(move || {
                send.send(thread_number()).unwrap();
                let mut bytes = [0u8; 64];
                stream.copy(copy(pageable(&mut bytes), device(source, 64)))
            })
        };
        wait_until_asleep(number.recv().unwrap(), || copier.is_finished());
        stream.abandon();
        let fault = copier.join().unwrap().unwrap_err();
        assert_eq!(fault.kind(), FaultKind::Abandoned);
        gate.open();
        sync(&stream);
    });
}

#[test]
fn shutdown_joins_all_threads_and_a_new_driver_works() {
    for asynchronous in [false, true, false] {
        let bench = Bench::new(asynchronous);
        let (stream, target) = (bench.stream(), bench.alloc(MIB).addr);
        stream.fill(fill(target, MIB, 1)).unwrap();
        stream.host_fn(host_fn(|| ())).unwrap();
        sync(&stream);
        drop(stream);
        bench.device.close().unwrap();
        assert!(bench.driver.shutdown(Duration::from_secs(20)));
        assert_eq!(bench.threads(), 0);
    }
}

#[test]
fn shutdown_leaves_user_code_behind_that_never_returns() {
    let bench = Bench::new(false);
    let (stuck, other) = (bench.stream(), bench.stream());
    let gate = Gate::close(&stuck);
    other.host_fn(host_fn(|| ())).unwrap();
    sync(&other);
    bench.device.close().unwrap();
    let begin = Instant::now();
    assert!(!bench.driver.shutdown(Duration::from_secs(2)));
    assert!((1..20).contains(&begin.elapsed().as_secs()));
    assert_eq!(bench.threads(), 1);
    // When the function returns after all, nothing happens.
    gate.open();
    let deadline = Instant::now() + Duration::from_secs(60);
    while bench.threads() > 0 {
        assert!(Instant::now() < deadline, "the thread never ends");
        std::thread::yield_now();
    }
    assert!(stuck.is_idle().unwrap());
}

#[test]
fn a_device_can_be_opened_again() {
    in_all_modes(|bench| {
        let (stream, event) = (bench.stream(), bench.event());
        let block = bench.alloc(4 * MIB);
        stream.fill(fill(block.addr, block.len, 1)).unwrap();
        stream.record(&event).unwrap();
        sync(&stream);
        bench.device.free(block).unwrap();
        bench.device.close().unwrap();
        assert!(stream.fill(fill(block.addr, 1, 1)).is_err());
        let again = bench.driver.open(0).unwrap();
        assert_eq!(again.free_memory().unwrap(), again.info().total_memory);
        let block = again.alloc(4 * MIB, PagePolicy::HugeFirst).unwrap();
        again.fill(fill(block.addr, block.len, 2)).unwrap();
        drop((stream, event));
    });
}
