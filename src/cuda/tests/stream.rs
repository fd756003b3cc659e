//! Tests of streams, events and host functions.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::{Gate, LONG, Setup, calls, has_queues, pageable, pattern, source, symbol, wait_until};
use crate::backend::{Calls, Copy, FaultKind, Fill, HostFn, Span, Wait};
use crate::stream::state::WALKED;

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_stream_keeps_its_order() {
    let setup = Setup::new();
    let stream = setup.stream();
    assert!(stream.is_idle().unwrap());
    let len = 10_000;
    let (first, second) = (setup.on_device(len), setup.on_device(len));
    let (from, to) = (setup.pinned(len), setup.pinned(len));
    from.bytes().copy_from_slice(&pattern(len));
    to.bytes().fill(0);

    let gate = Gate::close(&stream);
    let queue = |dst: Span, src: Span| {
        stream.copy(Copy { dst, src, stage_source: false }).unwrap();
    };
    queue(first.span(), from.span());
    queue(second.span(), first.span());
    stream.fill(Fill::bytes(first.span(), 1)).unwrap();
    queue(to.span(), second.span());
    assert!(!stream.is_idle().unwrap());
    let soon = Instant::now() + Duration::from_millis(20);
    assert_eq!(stream.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
    assert!(Instant::now() >= soon);
    assert!(to.bytes().iter().all(|byte| *byte == 0), "copied before its turn");

    gate.open();
    assert_eq!(stream.synchronize(Some(Instant::now() + LONG)).unwrap(), Wait::Done);
    assert!(*to.bytes() == *pattern(len));
    assert!(stream.is_idle().unwrap());
    assert_eq!(gate.entered(), 1);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn pageable_and_staged_memory_is_free_on_return() {
    let setup = Setup::new();
    let stream = setup.stream();
    for len in [100, 300_000] {
        let device = setup.on_device(len);
        let mut bytes = pattern(len);
        let src = pageable(&mut bytes);
        stream.copy(Copy { dst: device.span(), src, stage_source: false }).unwrap();
        bytes.fill(0);
        let dst = pageable(&mut bytes);
        stream.copy(Copy { dst, src: device.span(), stage_source: false }).unwrap();
        assert!(bytes == pattern(len), "{len} bytes of pageable memory");

        let pinned = setup.pinned(len);
        pinned.bytes().fill(3);
        let staged = Copy { dst: device.span(), src: pinned.span(), stage_source: true };
        stream.copy(staged).unwrap();
        pinned.bytes().fill(4);
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
        assert!(setup.read(&device).iter().all(|byte| *byte == 3));
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn host_memory_is_copied_and_filled_in_order() {
    let setup = Setup::new();
    let stream = setup.stream();
    let (from, to) = (setup.pinned(5000), setup.pinned(5000));
    from.bytes().fill(1);
    to.bytes().fill(0);
    let gate = Gate::close(&stream);
    stream.fill(Fill::bytes(from.span(), 8)).unwrap();
    stream.copy(Copy { dst: to.span(), src: from.span(), stage_source: false }).unwrap();
    assert!(to.bytes().iter().all(|byte| *byte == 0));
    gate.open();
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    assert!(to.bytes().iter().all(|byte| *byte == 8));
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn events_order_streams_and_measure_time() {
    let setup = Setup::new();
    let (first, second) = (setup.stream(), setup.stream());
    let event = setup.device.create_event(false).unwrap();
    assert!(event.is_complete().unwrap(), "never recorded");
    assert_eq!(event.synchronize(None).unwrap(), Wait::Done);
    second.wait(&event, None).unwrap();
    assert_eq!(second.synchronize(None).unwrap(), Wait::Done);

    let start = setup.device.create_event(true).unwrap();
    let end = setup.device.create_event(true).unwrap();
    first.record(&start).unwrap();
    // The time counts from the moment when the record completes, which may be late on a busy machine.
    assert_eq!(start.synchronize(None).unwrap(), Wait::Done);
    let gate = Gate::close(&first);
    first.record(&event).unwrap();
    second.wait(&event, None).unwrap();
    drop(event);
    second.record(&end).unwrap();
    assert!(!end.is_complete().unwrap());
    let soon = Instant::now() + Duration::from_millis(20);
    assert_eq!(end.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
    gate.open();
    assert_eq!(end.synchronize(None).unwrap(), Wait::Done);
    assert!(end.is_complete().unwrap() && start.is_complete().unwrap());
    let ms = end.elapsed_ms(&*start).unwrap();
    assert!(ms >= 15.0, "the gate was closed for 20 ms, {ms} were measured");
    assert!(start.elapsed_ms(&*end).unwrap() < 0.0);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn an_abandoned_stream_takes_nothing_and_starts_no_host_function() {
    let setup = Setup::new();
    let stream = setup.stream();
    let gate = Gate::close(&stream);
    let skipped = Arc::new(Gate::default());
    skipped.open();
    // The gate's reference is lost with the call that is skipped.
    skipped.queue(&stream);
    wait_until("the host function to start", || gate.entered() == 1);
    stream.abandon();
    let memory = setup.on_device(16);
    let fault = stream.fill(Fill::bytes(memory.span(), 1)).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::Abandoned);
    // The stream is dropped while it is busy.
    drop(stream);
    drop(memory);
    gate.open();
    wait_until("the memory and the stream to be released", || {
        setup.device.free_memory().unwrap();
        Arc::strong_count(&gate) == 1
    });
    assert_eq!(skipped.entered(), 0);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_host_function_holds_up_its_own_stream_only() {
    let setup = Setup::new();
    if symbol::<*const c_void>("cuStreamWaitValue32_v2").is_none() {
        println!("skipped: this driver runs host functions itself, one at a time");
        return;
    }
    if !has_queues(2) {
        return;
    }
    let (first, second) = (setup.stream(), setup.stream());
    let memory = setup.pinned(16);
    memory.bytes().fill(0);
    let closed = Gate::close(&first);
    first.fill(Fill::bytes(memory.span(), 1)).unwrap();
    let passed = Arc::new(Gate::default());
    passed.open();
    for _ in 0..5 {
        passed.queue(&second);
    }
    let soon = Instant::now() + LONG;
    assert_eq!(second.synchronize(Some(soon)).unwrap(), Wait::Done);
    assert_eq!(passed.entered(), 5);
    assert!(!first.is_idle().unwrap());
    assert!(memory.bytes().iter().all(|byte| *byte == 0));
    closed.open();
    assert_eq!(first.synchronize(None).unwrap(), Wait::Done);
    assert!(memory.bytes().iter().all(|byte| *byte == 1));
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn host_functions_of_a_stream_run_one_after_the_other() {
    static LATEST: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn follow(number: *mut c_void) {
        let number = number.addr() as u32;
        let before = LATEST.load(Ordering::SeqCst);
        std::thread::sleep(Duration::from_micros(50));
        assert_eq!(LATEST.swap(number, Ordering::SeqCst), before);
        assert_eq!(before + 1, number);
    }
    let setup = Setup::new();
    LATEST.store(0, Ordering::SeqCst);
    // The second stream uses the words of the first.
    for range in [1..51, 51..101] {
        let stream = setup.stream();
        for number in range {
            let argument = std::ptr::without_provenance_mut(number);
            // SAFETY: the function takes a number.
            stream.host_fn(unsafe { HostFn::new(follow, argument) }).unwrap();
        }
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    }
    assert_eq!(LATEST.load(Ordering::SeqCst), 100);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn threads_share_a_stream() {
    let setup = Setup::new();
    let stream = setup.stream();
    let memories: Vec<_> = (0..4).map(|_| setup.on_device(4096)).collect();
    std::thread::scope(|scope| {
        for (index, memory) in memories.iter().enumerate() {
            let stream = &stream;
            let span = memory.span();
            scope.spawn(move || {
                for round in 0..20 {
                    let value = (index * 20 + round) as u8;
                    stream.fill(Fill::bytes(span, value)).unwrap();
                }
                assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
            });
        }
    });
    for (index, memory) in memories.iter().enumerate() {
        let expected = (index * 20 + 19) as u8;
        assert!(setup.read(memory).iter().all(|byte| *byte == expected));
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn streams_come_and_go_while_memory_is_freed() {
    let setup = Setup::new();
    std::thread::scope(|scope| {
        for value in 0..4 {
            let setup = &setup;
            scope.spawn(move || {
                for _ in 0..30 {
                    let stream = setup.stream();
                    let memory = setup.on_device(4096);
                    let pinned = setup.pinned(4096);
                    pinned.bytes().fill(value);
                    let (dst, src) = (memory.span(), pinned.span());
                    stream.copy(Copy { dst, src, stage_source: false }).unwrap();
                    // The stream and the memory are dropped before the work is complete.
                    drop(stream);
                }
            });
        }
    });
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_stream_among_many_walks_over_no_others() {
    let setup = Setup::new();
    let others: Vec<_> = (0..100).map(|_| setup.stream()).collect();
    let memory = setup.on_device(4096);
    for has_work in [true, false] {
        let before = WALKED.load(Ordering::Relaxed);
        let stream = setup.stream();
        stream.fill(Fill::bytes(memory.span(), 1)).unwrap();
        stream.limit_waits(Instant::now() + LONG);
        if !has_work {
            assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
        }
        drop(stream);
        let walked = WALKED.load(Ordering::Relaxed) - before;
        assert!(walked < others.len(), "walked over {walked} streams");
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_free_walks_over_no_idle_streams() {
    let setup = Setup::new();
    let others: Vec<_> = (0..100).map(|_| setup.stream()).collect();
    let (memory, stream) = (setup.on_device(4096), setup.stream());
    for other in &others {
        other.fill(Fill::bytes(memory.span(), 1)).unwrap();
        assert_eq!(other.synchronize(None).unwrap(), Wait::Done);
    }
    // This one finds that all are idle.
    drop(setup.on_device(4096));
    let before = WALKED.load(Ordering::Relaxed);
    for is_busy in [false, true] {
        let gate = is_busy.then(|| Gate::close(&stream));
        (0..10).for_each(|_| drop(setup.on_device(4096)));
        gate.inspect(|gate| gate.open());
    }
    let walked = WALKED.load(Ordering::Relaxed) - before;
    assert!(walked < others.len(), "walked over {walked} streams");
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
}

/// A creation of a stream waits while the queue that it will share is held up.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_call_creates_no_stream_of_the_driver() {
    let setup = Setup::new();
    let (held, stream) = (setup.stream(), setup.stream());
    if !has_queues(2) || calls("").is_none() {
        println!("skipped: needs the test double and 2 hardware queues");
        return;
    }
    let (len, event) = (300_000, setup.device.create_event(false).unwrap());
    let gate = Gate::close(&held);
    held.record(&event).unwrap();
    let before = calls("cuStreamCreateWithPriority").unwrap();
    std::thread::scope(|scope| {
        // More threads than the library has streams for synchronous calls.
        for _ in 0..8 {
            scope.spawn(|| {
                let (device, pinned) = (setup.on_device(len), setup.pinned(len));
                let mut bytes = pattern(len);
                let copy = |dst, src| Copy { dst, src, stage_source: false };
                let (there, here) = (device.span(), pinned.span());
                let batch = [copy(there, source(&bytes)), Copy { stage_source: true, ..copy(there, here) }];
                setup.device.copy_batch(&batch).unwrap();
                setup.device.fill(Fill::bytes(there, 1)).unwrap();
                setup.device.copy(copy(here, there)).unwrap();
                stream.copy(copy(there, source(&bytes))).unwrap();
                stream.copy(copy(pageable(&mut bytes), there)).unwrap();
                stream.fill(Fill::bytes(there, 2)).unwrap();
                stream.copy(copy(here, there)).unwrap();
            });
        }
    });
    if let Err(fault) = stream.wait(&event, Some(Duration::from_millis(1))) {
        assert_eq!(fault.kind(), FaultKind::Unsupported);
    }
    assert_eq!(stream.synchronize(Some(Instant::now() + LONG)).unwrap(), Wait::Done);
    gate.open();
    assert_eq!(held.synchronize(Some(Instant::now() + LONG)).unwrap(), Wait::Done);
    assert_eq!(calls("cuStreamCreateWithPriority"), Some(before));
    drop(setup.stream());
    assert_eq!(calls("cuStreamCreateWithPriority"), Some(before + 1), "streams are created by another call");
}
