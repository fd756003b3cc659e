//! Tests of the order inside a stream and between streams.

use crate::backend::Calls;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;

#[test]
fn operations_of_a_stream_run_in_order() {
    in_all_modes(|bench| {
        for len in [64, 4096, 60_000, MIB + 12] {
            let (a, b, ones) = (bench.alloc(len).addr, bench.alloc(len).addr, bench.alloc(len).addr);
            let stream = bench.stream();
            stream.fill(fill(ones, len, 1)).unwrap();
            stream.fill(fill(a, len, 3)).unwrap();
            for _ in 0..20 {
                stream.copy(copy(device(b, len), device(a, len))).unwrap();
                stream.reduce(add(b, ones, len)).unwrap();
                stream.copy(copy(device(a, len), device(b, len))).unwrap();
            }
            sync(&stream);
            assert!(bench.read(a, len).iter().all(|&byte| byte == 23), "{len}");
        }
    });
}

#[test]
fn host_functions_see_what_was_before_them_and_nothing_after() {
    in_all_modes(|bench| {
        let host = bench.driver.alloc_host(4096).unwrap();
        let stream = bench.stream();
        let seen = Arc::new(AtomicUsize::new(0));
        for round in 1..=20u8 {
            stream.fill(Fill::bytes(pinned(host.addr, 4096), round)).unwrap();
            let (seen, addr) = (Arc::clone(&seen), host.addr);
            let look = move || {
                assert!(crate::backend::inside_host_function());
                let first = std::ptr::with_exposed_provenance::<u8>(addr);
                // SAFETY: the block lives until the end of the test, and its stream does nothing
                // else meanwhile.
                let both = unsafe { (first.read(), first.add(4095).read()) };
                if both == (round, round) {
                    seen.fetch_add(1, Ordering::Relaxed);
                }
            };
            stream.host_fn(host_fn(look)).unwrap();
        }
        sync(&stream);
        assert_eq!(seen.load(Ordering::Relaxed), 20);
        assert!(!crate::backend::inside_host_function());
    });
}

/// Checks that a chain of waits through many streams takes a bounded part of the caller's stack.
#[test]
fn a_long_chain_of_streams_is_followed_on_a_small_stack() {
    let bench = Bench::new(true);
    let streams: Vec<_> = (0..4000).map(|_| bench.stream()).collect();
    let gate = Gate::close(&streams[0]);
    for pair in streams.windows(2) {
        let event = bench.event();
        pair[0].record(&event).unwrap();
        pair[1].wait(&event, None).unwrap();
    }
    let last = streams.last().unwrap();
    let position = last.submitted().unwrap();
    std::thread::scope(|scope| {
        let drain = || last.drain_up_to(position).unwrap();
        std::thread::Builder::new().stack_size(256 << 10).spawn_scoped(scope, drain).unwrap();
    });
    assert!(!last.is_idle().unwrap());
    gate.open();
    sync(last);
}

#[test]
fn events_order_a_chain_of_streams() {
    in_all_modes(|bench| {
        const LEN: usize = 1024;
        let (sum, ones) = (bench.alloc(LEN).addr, bench.alloc(LEN).addr);
        let first = bench.stream();
        first.fill(fill(ones, LEN, 1)).unwrap();
        first.fill(fill(sum, LEN, 0)).unwrap();
        let gate = Gate::close(&first);
        let mut last = first;
        for _ in 0..100 {
            let (event, stream) = (bench.event(), bench.stream());
            last.record(&event).unwrap();
            stream.wait(&event, None).unwrap();
            stream.reduce(add(sum, ones, LEN)).unwrap();
            last = stream;
        }
        assert!(!last.is_idle().unwrap());
        gate.open();
        sync(&last);
        assert!(bench.read(sum, LEN).iter().all(|&byte| byte == 100));
    });
}

#[test]
fn two_streams_hand_work_back_and_forth() {
    in_all_modes(|bench| {
        const LEN: usize = 256;
        let (sum, ones) = (bench.alloc(LEN).addr, bench.alloc(LEN).addr);
        let streams = [bench.stream(), bench.stream()];
        streams[0].fill(fill(ones, LEN, 1)).unwrap();
        streams[0].fill(fill(sum, LEN, 0)).unwrap();
        let gate = Gate::close(&streams[0]);
        let event = bench.event();
        for turn in 0..200 {
            streams[turn % 2].reduce(add(sum, ones, LEN)).unwrap();
            streams[turn % 2].record(&event).unwrap();
            streams[(turn + 1) % 2].wait(&event, None).unwrap();
        }
        gate.open();
        sync(&streams[0]);
        assert!(bench.read(sum, LEN).iter().all(|&byte| byte == 200));
    });
}

#[test]
fn a_wait_keeps_the_record_that_it_saw() {
    in_all_modes(|bench| {
        let (a, b, waiter) = (bench.stream(), bench.stream(), bench.stream());
        let event = bench.event();
        let (gate_a, gate_b) = (Gate::close(&a), Gate::close(&b));
        a.record(&event).unwrap();
        waiter.wait(&event, None).unwrap();
        b.record(&event).unwrap();
        gate_a.open();
        // The event stands for work of b now, which is held up. The wait was for work of a.
        sync(&waiter);
        assert!(!event.is_complete().unwrap());
        let soon = Instant::now() + Duration::from_millis(20);
        assert_eq!(event.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
        gate_b.open();
        assert_eq!(event.synchronize(None).unwrap(), Wait::Done);
        assert!(event.is_complete().unwrap());
    });
}

#[test]
fn an_event_without_record_blocks_no_wait() {
    in_all_modes(|bench| {
        let (stream, event) = (bench.stream(), bench.event());
        stream.wait(&event, None).unwrap();
        sync(&stream);
        assert!(event.is_complete().unwrap());
        assert_eq!(event.synchronize(None).unwrap(), Wait::Done);
    });
}

#[test]
fn waiting_for_an_own_record_is_free() {
    in_all_modes(|bench| {
        let (stream, event) = (bench.stream(), bench.event());
        let gate = Gate::close(&stream);
        stream.record(&event).unwrap();
        stream.wait(&event, None).unwrap();
        gate.open();
        sync(&stream);
    });
}

#[test]
fn events_and_streams_may_go_while_waits_are_queued() {
    in_all_modes(|bench| {
        let (first, second) = (bench.stream(), bench.stream());
        let done = Arc::new(AtomicBool::new(false));
        let gate = Gate::close(&first);
        let event = bench.event();
        first.record(&event).unwrap();
        second.wait(&event, None).unwrap();
        let flag = Arc::clone(&done);
        second.host_fn(host_fn(move || flag.store(true, Ordering::Release))).unwrap();
        drop((event, first, second));
        gate.open();
        let deadline = Instant::now() + Duration::from_secs(60);
        while !done.load(Ordering::Acquire) {
            assert!(Instant::now() < deadline, "hangs");
            std::thread::yield_now();
        }
    });
}

#[test]
fn an_event_of_another_device_can_be_waited_for() {
    in_all_modes(|bench| {
        let other = bench.driver.open(1).unwrap();
        let theirs = other.create_stream(StreamOptions { priority: Priority::Level(7), ..Default::default() }).unwrap();
        let (stream, event) = (bench.stream(), other.create_event(false).unwrap());
        let gate = Gate::close(&theirs);
        theirs.record(&event).unwrap();
        stream.wait(&event, None).unwrap();
        assert!(!stream.is_idle().unwrap());
        gate.open();
        sync(&stream);
    });
}

#[test]
fn elapsed_time_has_a_sign() {
    in_all_modes(|bench| {
        let (stream, start, end) = (bench.stream(), bench.event(), bench.event());
        stream.record(&start).unwrap();
        stream.host_fn(host_fn(|| std::thread::sleep(Duration::from_millis(30)))).unwrap();
        stream.record(&end).unwrap();
        sync(&stream);
        let forth = end.elapsed_ms(&*start).unwrap();
        assert!((30.0..10_000.0).contains(&forth), "{forth}");
        assert_eq!(start.elapsed_ms(&*end).unwrap(), -forth);
        let silent = bench.device.create_event(false).unwrap();
        stream.record(&silent).unwrap();
        sync(&stream);
        assert!(silent.elapsed_ms(&*start).is_err());
    });
}

#[test]
fn a_pageable_source_can_be_reused_at_once() {
    in_all_modes(|bench| {
        let len = 3000;
        let target = bench.alloc(len).addr;
        let host = bench.driver.alloc_host(len).unwrap();
        for stage_source in [false, true] {
            let stream = bench.stream();
            let gate = Gate::close(&stream);
            let mut bytes = vec![5u8; len];
            let src = if stage_source {
                bench.device.fill(Fill::bytes(pinned(host.addr, len), 5)).unwrap();
                pinned(host.addr, len)
            } else {
                pageable(&mut bytes)
            };
            stream.copy(Copy { dst: device(target, len), src, stage_source }).unwrap();
            bytes.fill(6);
            bench.device.fill(Fill::bytes(pinned(host.addr, len), 6)).unwrap();
            gate.open();
            sync(&stream);
            assert!(bench.read(target, len).iter().all(|&byte| byte == 5), "{stage_source}");
        }
    });
}

#[test]
fn large_pageable_copies_are_over_on_return_and_in_order() {
    in_all_modes(|bench| {
        for len in [100, 3 * MIB + 5] {
            let (a, b) = (bench.alloc(len).addr, bench.alloc(len).addr);
            let stream = bench.stream();
            let mut bytes: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
            let expected = bytes.clone();
            let slow = || host_fn(|| std::thread::sleep(Duration::from_millis(10)));
            stream.host_fn(slow()).unwrap();
            stream.copy(copy(device(a, len), pageable(&mut bytes))).unwrap();
            bytes.fill(0);
            stream.host_fn(slow()).unwrap();
            stream.copy(copy(device(b, len), device(a, len))).unwrap();
            stream.copy(copy(pageable(&mut bytes), device(b, len))).unwrap();
            assert!(bytes == expected, "{len}");
        }
    });
}

#[test]
fn a_bounded_wait_cancels_nothing() {
    in_all_modes(|bench| {
        let (stream, target) = (bench.stream(), bench.alloc(64).addr);
        let gate = Gate::close(&stream);
        stream.fill(fill(target, 64, 9)).unwrap();
        let begin = Instant::now();
        let soon = begin + Duration::from_millis(30);
        assert_eq!(stream.synchronize(Some(soon)).unwrap(), Wait::TimedOut);
        assert!(begin.elapsed() >= Duration::from_millis(30));
        assert_eq!(stream.synchronize(Some(begin)).unwrap(), Wait::TimedOut);
        gate.open();
        sync(&stream);
        assert_eq!(bench.read(target, 64), [9; 64]);
    });
}

#[test]
fn a_traced_wait_is_for_the_latest_record() {
    let driver = crate::open(Options { memory_per_device: Some(16 << 20), ..Default::default() }).unwrap();
    let device = driver.open(0).unwrap();
    let event: Arc<dyn crate::backend::Event> = device.create_event(false).unwrap();
    assert_eq!(crate::backend::trace::dependency::latest(&event), None);
    let first = crate::backend::trace::dependency::recorded(&event);
    let second = crate::backend::trace::dependency::recorded(&event);
    assert!(second > first);
    assert_eq!(crate::backend::trace::dependency::latest(&event), Some(second));
    // Another event may take this one's place in memory.
    drop(event);
    for _ in 0..100 {
        let other: Arc<dyn crate::backend::Event> = device.create_event(false).unwrap();
        assert_eq!(crate::backend::trace::dependency::latest(&other), None);
    }
}
