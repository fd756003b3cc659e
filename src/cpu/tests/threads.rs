//! Tests of the number of threads, and of which of them hold others up.

use crate::backend::Calls;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[test]
fn ten_thousand_blocked_streams_need_few_threads() {
    in_all_modes(|bench| {
        const LEN: usize = 512;
        let (sum, ones) = (bench.alloc(LEN).addr, bench.alloc(LEN).addr);
        bench.device.fill(fill(ones, LEN, 1)).unwrap();
        bench.device.fill(fill(sum, LEN, 0)).unwrap();
        let (first, event) = (bench.stream(), bench.event());
        let gate = Gate::close(&first);
        first.record(&event).unwrap();
        let streams: Vec<_> = (0..10_000).map(|_| bench.stream()).collect();
        let ran = Arc::new(AtomicUsize::new(0));
        for stream in &streams {
            stream.wait(&event, None).unwrap();
            let ran = Arc::clone(&ran);
            stream.host_fn(host_fn(move || _ = ran.fetch_add(1, Ordering::Relaxed))).unwrap();
        }
        run_other_work(&bench);
        assert!(bench.threads() <= bench.cores() + 8, "{} threads", bench.threads());
        assert_eq!(ran.load(Ordering::Relaxed), 0);
        gate.open();
        streams.iter().for_each(sync);
        assert_eq!(ran.load(Ordering::Relaxed), 10_000);
    });
}

#[test]
fn blocked_host_functions_stall_only_their_own_streams() {
    in_all_modes(|bench| {
        let blocked = bench.cores() * 4 + 20;
        let held: Vec<_> = (0..blocked).map(|_| bench.stream()).collect();
        let gates: Vec<_> = held.iter().map(Gate::queue).collect();
        // All functions begin, although none returns.
        for (_, begun) in &gates {
            begun.recv_timeout(Duration::from_secs(60)).expect("a host function never begins");
        }
        let (stream, target) = (bench.stream(), bench.alloc(2 * MIB).addr);
        for value in 1..=10 {
            let (call, called) = channel();
            stream.fill(fill(target, 2 * MIB, value)).unwrap();
            stream.host_fn(host_fn(move || call.send(()).unwrap())).unwrap();
            called.recv_timeout(Duration::from_secs(60)).expect("held up by other streams");
        }
        sync(&stream);
        assert!(bench.read(target, 2 * MIB).iter().all(|&byte| byte == 10));
        assert!(held.iter().all(|stream| !stream.is_idle().unwrap()));
        drop(gates);
        held.iter().for_each(sync);
        // The threads that are not needed any more end.
        let deadline = Instant::now() + Duration::from_secs(60);
        while bench.threads() > bench.cores() + 8 {
            assert!(Instant::now() < deadline, "{} threads stay", bench.threads());
            std::thread::yield_now();
        }
    });
}

#[test]
fn many_short_host_functions_start_few_threads() {
    let bench = Bench::new(false);
    let streams: Vec<_> = (0..500).map(|_| bench.stream()).collect();
    let most = Arc::new(AtomicUsize::new(0));
    for stream in &streams {
        let (most, executor) = (Arc::clone(&most), Arc::clone(&bench.driver.executor));
        let count = move || {
            // The function takes some time, as work does.
            std::thread::sleep(Duration::from_micros(200));
            most.fetch_max(executor.threads(), Ordering::Relaxed);
        };
        stream.host_fn(host_fn(count)).unwrap();
    }
    streams.iter().for_each(sync);
    // More than usual may be started while a loaded machine runs none of them.
    assert!(most.load(Ordering::Relaxed) <= bench.cores() + 60, "{most:?} threads");
}

#[test]
fn a_waiting_thread_runs_what_it_waits_for() {
    let bench = Bench::new(false);
    let (first, second, event) = (bench.stream(), bench.stream(), bench.event());
    let target = bench.alloc(MIB).addr;
    // No other thread can run it: all threads of the executor are stopped.
    assert!(bench.driver.executor.stop(Duration::from_secs(10)));
    first.fill(fill(target, MIB, 1)).unwrap();
    first.record(&event).unwrap();
    second.wait(&event, None).unwrap();
    second.fill(fill(target, MIB, 2)).unwrap();
    sync(&second);
    assert!(bench.read(target, MIB).iter().all(|&byte| byte == 2));
    first.fill(fill(target, MIB, 3)).unwrap();
    first.record(&event).unwrap();
    assert_eq!(event.synchronize(None).unwrap(), Wait::Done);
    assert!(bench.read(target, MIB).iter().all(|&byte| byte == 3));
}

#[test]
fn short_operations_on_an_idle_stream_are_over_on_return() {
    let bench = Bench::new(false);
    let (stream, event) = (bench.stream(), bench.event());
    let target = bench.alloc(65536).addr;
    stream.fill(fill(target, 65536, 4)).unwrap();
    assert!(stream.is_idle().unwrap());
    stream.record(&event).unwrap();
    assert!(event.is_complete().unwrap());
    assert_eq!(bench.threads(), 1);
}

#[test]
fn threads_that_submit_at_once_do_not_lose_operations() {
    in_all_modes(|bench| {
        const LEN: usize = 256;
        const THREADS: usize = 4;
        const ROUNDS: usize = 100;
        let ones = bench.alloc(LEN).addr;
        bench.device.fill(fill(ones, LEN, 1)).unwrap();
        let streams: Vec<_> = (0..3).map(|_| (bench.stream(), bench.alloc(LEN).addr)).collect();
        for (stream, sum) in &streams {
            stream.fill(fill(*sum, LEN, 0)).unwrap();
        }
        let calls = Arc::new(AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (bench, streams, calls) = (&bench, &streams, &calls);
                scope.spawn(move || {
                    let event = bench.event();
                    for round in 0..ROUNDS {
                        let (stream, sum) = &streams[(thread + round) % streams.len()];
                        let (other, _) = &streams[(thread + round + 1) % streams.len()];
                        other.record(&event).unwrap();
                        stream.wait(&event, None).unwrap();
                        if round < 30 {
                            stream.reduce(add(*sum, ones, LEN)).unwrap();
                        }
                        let calls = Arc::clone(calls);
                        let count = move || _ = calls.fetch_add(1, Ordering::Relaxed);
                        if round % 4 == 0 {
                            stream.host_fn(host_fn(count)).unwrap();
                        }
                        if round % 16 == 0 {
                            sync(stream);
                        }
                    }
                });
            }
        });
        streams.iter().for_each(|(stream, _)| sync(stream));
        assert_eq!(calls.load(Ordering::Relaxed), THREADS * ROUNDS / 4);
        let total: u32 = streams.iter().map(|(_, sum)| u32::from(bench.read(*sum, LEN)[0])).sum();
        assert_eq!(total as usize, THREADS * 30);
    });
}
