//! Core pools over a backend that rejects calls, fails and blocks.

use std::sync::Barrier;

use super::script::Thing;
use super::*;
use crate::backend::FaultKind;
use crate::base::release_failure;
use crate::memory::access::Location;
use crate::memory::memory_hook::{self, Event, MemoryHook, Moment, Refusal, Scope};
use crate::pool::mem_pool::{self, Props};

const MIB: usize = 1 << 20;
/// Minimum number of bytes of a segment, if they are available.
const SEGMENT: usize = 32 * MIB;

/// Numbers of attributes.
const FOLLOW: i32 = 1;
const OPPORTUNISTIC: i32 = 2;
const INTERNAL: i32 = 3;
const THRESHOLD: i32 = 4;
const RESERVED: i32 = 5;
const USED: i32 = 7;

/// Creates a pool on `device` that never frees memory by itself.
fn pool_on(device: u32, max_size: usize) -> u64 {
    let pool = mem_pool::create(Props {
        alloc_type: 0,
        handle_type: 0,
        location: Location { kind: Location::DEVICE, id: device },
        max_size,
        usage: 0,
    });
    let pool = pool.unwrap();
    mem_pool::set_attribute(pool, THRESHOLD, u64::MAX).unwrap();
    pool
}

fn forbid(pool: u64, switches: &[i32]) {
    switches.iter().for_each(|&switch| mem_pool::set_attribute(pool, switch, 0).unwrap());
}

fn attribute(pool: u64, number: i32) -> usize {
    mem_pool::get_attribute(pool, number).unwrap() as usize
}

fn alloc(len: usize, pool: u64, stream: u64) -> usize {
    mem_pool::malloc_async(len, pool, stream).unwrap()
}

fn free(addr: usize, stream: u64) {
    mem_pool::free_async(addr, stream).unwrap();
}

/// Begins work that occupies a stream until `finish`, before all later work.
fn begin(stream: &(u64, Arc<ScriptStream>)) {
    stream.1.begin();
    let event = crate::stream::event::create_plain().unwrap();
    crate::stream::event::record(event, stream.0).unwrap();
}

/// A device is reset while a stream of it runs that was destroyed by force, and that has freed memory of another
/// device.
#[test]
fn what_runs_after_its_device_has_not_finished() {
    let bench = Bench::new();
    let gone = bench.stream();
    device::set(1).unwrap();
    let other = bench.stream();
    let pool = pool_on(1, 0);
    device::set(0).unwrap();
    begin(&gone);
    let memory = alloc(SEGMENT, pool, gone.0);
    free(memory, gone.0);
    stream::destroy(gone.0, true).unwrap();
    device::reset_force(0).unwrap();

    device::set(1).unwrap();
    let other_block = alloc(SEGMENT, pool, other.0);
    assert_ne!(other_block, memory, "it is in use");
    mem_pool::trim_to(pool, 0).unwrap();
    assert_eq!(attribute(pool, RESERVED), 2 * SEGMENT);
    gone.1.finish();
    // The memory is reused opportunistically, with no wait of the host.
    assert_eq!(alloc(SEGMENT, pool, other.0), memory);
}

#[test]
fn the_end_of_what_ran_after_its_device_is_seen_by_the_next_wait() {
    let bench = Bench::new();
    let gone = bench.stream();
    device::set(1).unwrap();
    let other = bench.stream();
    let pool = pool_on(1, 0);
    forbid(pool, &[FOLLOW, OPPORTUNISTIC, INTERNAL]);
    device::set(0).unwrap();
    begin(&gone);
    let memory = alloc(SEGMENT, pool, gone.0);
    free(memory, gone.0);
    stream::destroy(gone.0, true).unwrap();
    device::reset_force(0).unwrap();
    device::set(1).unwrap();
    stream::synchronize(other.0).unwrap();
    let other_block = alloc(SEGMENT, pool, other.0);
    assert_ne!(other_block, memory, "it is in use");
    gone.1.finish();
    stream::synchronize(other.0).unwrap();
    assert_eq!(alloc(SEGMENT, pool, other.0), memory);
}

/// A session may end before such a stream does.
#[test]
fn nothing_is_left_of_streams_that_run_on_when_the_library_ends() {
    let bench = Bench::new();
    let gone = bench.stream();
    let pool = pool_on(0, 0);
    begin(&gone);
    free(alloc(1, pool, gone.0), gone.0);
    stream::destroy(gone.0, true).unwrap();
    // The bench checks that every stream is dropped, also this one.
    drop(gone);
}

#[test]
fn a_stream_that_takes_no_more_is_not_waited_for() {
    let bench = Bench::new();
    let (gone, other) = (bench.stream(), bench.stream());
    let pool = pool_on(0, SEGMENT);
    begin(&gone);
    let memory = alloc(SEGMENT, pool, gone.0);
    free(memory, gone.0);
    stream::destroy(gone.0, true).unwrap();
    fails(mem_pool::malloc_async(SEGMENT, pool, other.0), Code::MemoryAllocation, &["maxSize"]);
    assert_eq!(other.1.limits(), []);
    gone.1.finish();
    assert_eq!(alloc(SEGMENT, pool, other.0), memory);
}

#[test]
fn a_device_with_little_memory_allocates_as_much_as_is_needed() {
    let bench = Bench::new();
    let (stream, pool) = (bench.stream().0, pool_on(0, 0));
    bench.script.fail_next("alloc", FaultKind::OutOfDeviceMemory, "there is less than that");
    alloc(3 * MIB, pool, stream);
    assert_eq!(attribute(pool, RESERVED), 4 * MIB);
}

#[test]
fn a_device_that_refuses_for_another_reason_is_not_asked_again() {
    let bench = Bench::new();
    let (stream, pool) = (bench.stream().0, pool_on(0, 0));
    bench.script.fail_next("alloc", FaultKind::Execution, "it is broken");
    fails(mem_pool::malloc_async(1, pool, stream), Code::AicoreException, &["it is broken"]);
    assert_eq!((attribute(pool, RESERVED), attribute(pool, USED)), (0, 0));
    alloc(1, pool, stream);
}

/// Running work is awaited, other pools free unused memory, and the next try succeeds.
#[test]
fn short_of_memory_other_pools_release_unused_segments() {
    let bench = Bench::new();
    let (stream, pool, other) = (bench.stream().0, pool_on(0, 0), pool_on(0, 0));
    let used = alloc(1, other, stream);
    free(alloc(SEGMENT, other, stream), stream);
    stream::synchronize(stream).unwrap();
    assert_eq!(attribute(other, RESERVED), 2 * SEGMENT);
    // Twice a segment: the least is what the request needs.
    bench.script.fail_next("alloc", FaultKind::OutOfDeviceMemory, "there is none");
    alloc(2 * SEGMENT, pool, stream);
    assert_eq!(attribute(other, RESERVED), SEGMENT);
    free(used, stream);
}

#[test]
fn an_allocation_fails_unchanged_if_no_wait_can_be_added() {
    let bench = Bench::new();
    let (first, second) = (bench.stream(), bench.stream());
    let pool = pool_on(0, SEGMENT);
    forbid(pool, &[FOLLOW, OPPORTUNISTIC]);
    begin(&first);
    let memory = alloc(SEGMENT, pool, first.0);
    free(memory, first.0);
    bench.script.fail_next("create_event", FaultKind::OutOfHostMemory, "no event today");
    fails(mem_pool::malloc_async(SEGMENT, pool, second.0), Code::BadAlloc, &["no event today"]);
    assert_eq!(second.1.limits(), []);
    assert_eq!(attribute(pool, USED), 0);
    assert_eq!(alloc(SEGMENT, pool, second.0), memory);
    assert_eq!(second.1.limits(), [None]);
    first.1.finish();
}

#[test]
fn only_an_explicit_trim_returns_errors_of_the_device() {
    let bench = Bench::new();
    let (stream, pool) = (bench.stream().0, pool_on(0, 0));
    let broken = || bench.script.fail_next("free", FaultKind::Execution, "not taken");
    free(alloc(1, pool, stream), stream);
    stream::synchronize(stream).unwrap();
    broken();
    fails(mem_pool::trim_to(pool, 0), Code::AicoreException, &["not taken"]);
    assert_eq!(attribute(pool, RESERVED), 0);
    assert_eq!(bench.script.live(Thing::DeviceBlock), 0);

    // A synchronize does not return this failure.
    free(alloc(1, pool, stream), stream);
    mem_pool::set_attribute(pool, THRESHOLD, 0).unwrap();
    let before = release_failure::count();
    broken();
    stream::synchronize(stream).unwrap();
    assert_eq!(release_failure::count(), before + 1);
    assert_eq!(attribute(pool, RESERVED), 0);
}

#[test]
fn a_limit_leaves_room_for_less_than_a_segment() {
    let bench = Bench::new();
    let (stream, pool) = (bench.stream().0, pool_on(0, SEGMENT + 4 * MIB));
    alloc(SEGMENT, pool, stream);
    alloc(3 * MIB, pool, stream);
    assert_eq!(attribute(pool, RESERVED), SEGMENT + 4 * MIB);
    fails(mem_pool::malloc_async(2 * MIB, pool, stream), Code::MemoryAllocation, &["maxSize", "37748736"]);
}

/// Free segments that are too short are freed for a longer one if they suffice, and stay otherwise.
#[test]
fn at_its_limit_a_pool_releases_short_segments_for_a_longer_one() {
    let bench = Bench::new();
    let ((stream, native), pool) = (bench.stream(), pool_on(0, 2 * SEGMENT));
    forbid(pool, &[FOLLOW, OPPORTUNISTIC, INTERNAL]);
    let other = bench.stream().0;
    let full = || mem_pool::malloc_async(SEGMENT + 16 * MIB, pool, other);
    let halves = [(); 2].map(|()| alloc(SEGMENT / 2, pool, stream));
    free(halves[0], stream);
    stream::synchronize(stream).unwrap();
    fails(full(), Code::MemoryAllocation, &["maxSize", "50331648"]);
    assert_eq!((attribute(pool, RESERVED), attribute(pool, USED)), (SEGMENT, SEGMENT / 2));
    // The memory is freed, but the host has not seen that.
    begin(&(stream, Arc::clone(&native)));
    free(halves[1], stream);
    fails(full(), Code::MemoryAllocation, &["maxSize"]);
    assert_eq!(attribute(pool, RESERVED), SEGMENT);
    native.finish();
    stream::synchronize(stream).unwrap();
    let longer = full().unwrap();
    assert_eq!(attribute(pool, RESERVED), SEGMENT + 16 * MIB);
    assert_eq!(bench.script.live(Thing::DeviceBlock), 1);
    fails(full(), Code::MemoryAllocation, &["maxSize"]);
    free(longer, other);
}

/// Memory that a pool allocates while it is destroyed is freed.
#[test]
fn a_pool_that_is_destroyed_while_it_grows_takes_nothing() {
    let bench = Bench::new();
    let (stream, pool) = (bench.stream().0, pool_on(0, 0));
    bench.script.close_gate("alloc");
    let inside = on_device(0, move || mem_pool::malloc_async(1, pool, stream));
    wait_until("the call to be inside", || bench.script.at_gate() == 1);
    mem_pool::destroy(pool).unwrap();
    bench.script.open_gate();
    fails(inside.join(), Code::ParamInvalid, &["memPool", "destroyed"]);
    assert_eq!(bench.script.live(Thing::DeviceBlock), 0);
}

/// A thread that needs a segment waits for one that another thread adds now, and is served from it.
#[test]
fn threads_that_grow_a_pool_at_once_share_a_segment() {
    let bench = Bench::new();
    let (stream, pool) = (bench.stream().0, pool_on(0, 0));
    bench.script.close_gate("alloc");
    let first = on_device(0, move || alloc(MIB, pool, stream));
    wait_until("the call to be inside", || bench.script.at_gate() == 1);
    let second = on_device(0, move || alloc(MIB, pool, stream));
    second.assert_blocked();
    bench.script.open_gate();
    assert_ne!(first.join(), second.join());
    assert_eq!(attribute(pool, RESERVED), SEGMENT);
}

/// Between hooks nothing is held: both threads have found the pool too small before one of them makes it grow.
#[test]
fn threads_that_grow_a_pool_between_hooks_share_a_segment() {
    struct Together(Barrier);
    impl MemoryHook for Together {
        fn before(&self, moment: Moment, _event: &Event) -> std::result::Result<(), Refusal> {
            if moment == Moment::Alloc {
                self.0.wait();
            }
            Ok(())
        }
    }
    let bench = Bench::new();
    let (stream, pool) = (bench.stream().0, pool_on(0, 0));
    let hook = Box::new(Together(Barrier::new(2)));
    let id = memory_hook::register("together", Scope::Process, hook).unwrap();
    let threads = [(); 2].map(|()| on_device(0, move || alloc(MIB, pool, stream)));
    let [first, second] = threads.map(Running::join);
    memory_hook::unregister(id).unwrap();
    assert_ne!(first, second);
    assert_eq!(attribute(pool, RESERVED), SEGMENT);
    assert_eq!(bench.script.live(Thing::DeviceBlock), 1);
}

/// The last free of a pool without a handle frees its memory, whether the free is complete or pending.
#[test]
fn a_destroyed_pool_ends_with_its_last_free() {
    let bench = Bench::new();
    let (stream, pool) = (bench.stream().0, pool_on(0, 0));
    let memory = [alloc(1, pool, stream), alloc(1, pool, stream)];
    mem_pool::destroy(pool).unwrap();
    assert_eq!(bench.script.live(Thing::DeviceBlock), 1);
    free(memory[0], stream);
    assert_eq!(bench.script.live(Thing::DeviceBlock), 1);
    bench.script.fail_next("free", FaultKind::Execution, "not taken");
    fails(mem_pool::free_async(memory[1], stream), Code::AicoreException, &["not taken"]);
    assert_eq!(bench.script.live(Thing::DeviceBlock), 0);
    fails(mem_pool::free_async(memory[1], stream), Code::ParamInvalid, &["freed"]);
}
