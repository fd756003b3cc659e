//! The end of a session: in time, after the timeout, and during calls of other threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::script::Thing;
use super::*;

#[test]
fn a_finalize_ends_everything_and_a_new_life_begins() {
    let mut bench = Bench::new();
    let ((raw, work), memory) = (bench.stream(), memory::malloc(64, 0).unwrap());
    let pinned = memory::malloc_host(64).unwrap();
    drop(work);
    runtime::finalize().unwrap();
    bench.script.assert_nothing_left();
    fails(runtime::finalize(), Code::RepeatFinalize, &["aclInit"]);
    fails(stream::synchronize(raw), Code::ParamInvalid, &["released with its device"]);
    fails(memory::free(memory), Code::ParamInvalid, &["not a live allocation"]);
    fails(memory::free_host(pinned), Code::ParamInvalid, &["not a live allocation"]);
    fails(memory::malloc(64, 0), Code::ContextNull, &["finalized"]);
    fails(memory::malloc_host(64), Code::ContextNull, &["finalized"]);
    fails(device::reset(0), Code::ContextNull, &["finalized"]);
    assert_eq!(runtime::device_count().unwrap(), 2);

    bench.next_life();
    fails(stream::synchronize(raw), Code::ParamInvalid, &["released with its device"]);
    fails(memory::malloc(64, 0), Code::ContextNull, &["aclrtSetDevice"]);
    device::set(0).unwrap();
    memory::malloc(64, 0).unwrap();
}

#[test]
fn references_are_counted_down() {
    let mut bench = Bench::new();
    fails(runtime::init(None), Code::RepeatInitialize, &["is now 2"]);
    let (left, ended) = runtime::finalize_reference();
    assert_eq!((left, ended.is_ok()), (1, true));
    device::current().unwrap();
    let (left, ended) = runtime::finalize_reference();
    assert_eq!((left, ended.is_ok()), (0, true));
    bench.script.assert_nothing_left();
    let (left, ended) = runtime::finalize_reference();
    assert_eq!(left, 0);
    fails(ended, Code::RepeatFinalize, &["nothing to finalize"]);
    bench.next_life();
}

#[test]
fn finalize_times_out_on_work_that_does_not_end() {
    let mut bench = Bench::with_patience(Duration::from_millis(50));
    let (_, work) = bench.stream();
    let (memory, pinned) = (memory::malloc(64, 0).unwrap(), memory::malloc_host(64).unwrap());
    on_device(1, || memory::malloc(64, 0).unwrap()).join();
    work.begin();
    let start = Instant::now();
    fails(runtime::finalize(), Code::Failure, &["50 ms", "PORTACL_FINALIZE_TIMEOUT_MS"]);
    assert!(start.elapsed() < LONG / 2, "{:?}", start.elapsed());
    assert!(work.is_abandoned());
    // Addresses become invalid, but the memory stays for the work, and its device stays open. The other device has
    // ended.
    fails(memory::free(memory), Code::ParamInvalid, &[]);
    fails(memory::free_host(pinned), Code::ParamInvalid, &[]);
    for thing in [Thing::OpenDevice, Thing::DeviceBlock, Thing::HostBlock] {
        assert_eq!(bench.script.live(thing), 1, "{thing:?}");
    }
    bench.script.assert_kept();

    bench.next_life();
    device::set(0).unwrap();
    work.finish();
    stream::device::synchronize().unwrap();
}

#[test]
fn a_reset_that_outlives_its_session_takes_nothing_of_the_next() {
    let mut bench = Bench::with_patience(Duration::from_millis(50));
    let (_, work) = bench.stream();
    memory::malloc(64, 0).unwrap();
    work.begin();
    let reset = Running::start(|| device::reset(0));
    wait_until("the reset to wait", || work.waiting() == 1);
    fails(runtime::finalize(), Code::Failure, &["50 ms"]);

    let before = bench.next_life();
    device::set(0).unwrap();
    let ((raw, busy), memory) = (bench.stream(), memory::malloc(64, 0).unwrap());
    let event = crate::stream::event::create_plain().unwrap();
    work.finish();
    drop(work);
    reset.join().unwrap();
    drop(busy);
    stream::synchronize(raw).unwrap();
    assert!(!crate::stream::event::is_complete(event).unwrap());
    memory::free(memory).unwrap();
    before.assert_kept();
    assert_eq!(before.live(Thing::DeviceBlock), 0, "the late reset took its own");
}

#[test]
fn a_finalize_waits_for_calls_that_are_inside() {
    for call in ["alloc_host", "free_host", "open"] {
        let mut bench = Bench::new();
        let pinned = memory::malloc_host(64).unwrap();
        bench.script.close_gate(call);
        let inside = Running::start(move || match call {
            "alloc_host" => memory::malloc_host(64).map(drop),
            "free_host" => memory::free_host(pinned),
            _ => device::set(1),
        });
        wait_until("the call to be inside", || bench.script.at_gate() == 1);
        let finalize = Running::start(runtime::finalize);
        finalize.assert_blocked();
        assert!(!bench.script.has_ended());
        bench.script.open_gate();
        inside.join().unwrap();
        finalize.join().unwrap();
        bench.script.assert_nothing_left();
        bench.next_life();
    }
}

#[test]
fn threads_that_go_on_during_a_finalize_get_errors_only() {
    let mut bench = Bench::new();
    let stop = Arc::new(AtomicBool::new(false));
    let rounds: Arc<[AtomicUsize; 3]> = Arc::default();
    let wait_for_rounds = |more| {
        for count in rounds.iter() {
            let before = count.load(Ordering::Relaxed);
            wait_until("rounds", || count.load(Ordering::Relaxed) >= before + more);
        }
    };
    let threads: Vec<_> = (0..3)
        .map(|id| {
            let (stop, rounds) = (Arc::clone(&stop), Arc::clone(&rounds));
            on_device(id % 2, move || {
                while !stop.load(Ordering::Relaxed) {
                    rounds[id as usize].fetch_add(1, Ordering::Relaxed);
                    // All results are right: the script and the counts show whether the calls were correct.
                    let _ = stream::create(0).map(|raw| stream::destroy(raw, false));
                    let _ = memory::malloc(64, 0).map(memory::free);
                    let _ = memory::malloc_host(64).map(memory::free_host);
                    let _ = device::reset(id % 2);
                    // This is not called after the end, when it would begin a session.
                    if !runtime::is_finalized() {
                        let _ = memory::malloc_host(64);
                    }
                }
            })
        })
        .collect();
    wait_for_rounds(10);
    runtime::finalize().unwrap();
    bench.script.assert_nothing_left();
    wait_for_rounds(10);
    stop.store(true, Ordering::Relaxed);
    threads.into_iter().for_each(|thread| thread.join());
    bench.script.assert_nothing_left();
    bench.next_life();
}
