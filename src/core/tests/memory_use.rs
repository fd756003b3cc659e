//! Checks of addresses before the backend is called.

use super::*;
use crate::backend::FaultKind;
use crate::stream::event;

fn copy(dst: usize, src: usize, count: usize, kind: i32) -> memcpy::CopyArgs {
    memcpy::CopyArgs { dst, dest_max: usize::MAX, src, count, kind }
}

#[test]
fn a_stream_fills_memory_of_its_own_device_only() {
    let _bench = Bench::new();
    let (here, pinned) = (memory::malloc(64, 0).unwrap(), memory::malloc_host(64).unwrap());
    let there = on_device(1, || memory::malloc(64, 0).unwrap()).join();
    for addr in [here, pinned] {
        memset::set_async(memset::FillArgs::bytes(addr, 64, 1, 64), 0).unwrap();
    }
    let result = memset::set_async(memset::FillArgs::bytes(there, 64, 1, 64), 0);
    fails(result, Code::ParamInvalid, &["devPtr", "device 1", "device 0"]);
    memset::set(memset::FillArgs::bytes(there, 64, 1, 64)).unwrap();
}

#[test]
fn nothing_reaches_past_the_end_of_an_allocation() {
    let _bench = Bench::new();
    let dst = memory::malloc(100, 0).unwrap();
    let room = allocation::Allocation::find(dst).unwrap().len;
    for (offset, count) in [(0, room + 1), (1, room), (room - 1, 2), (1, usize::MAX)] {
        let result = memcpy::copy(copy(dst + offset, 64, count, 4));
        fails(result, Code::ParamInvalid, &["dst", &count.to_string()]);
        let result = memset::set_async(memset::FillArgs::bytes(dst + offset, usize::MAX, 1, count), 0);
        fails(result, Code::ParamInvalid, &["devPtr", &count.to_string()]);
    }
    let beyond = memcpy::copy(copy(dst, usize::MAX - 5, 64, 4));
    fails(beyond, Code::InvalidParam, &["src", "64 bytes"]);
    memcpy::copy(copy(dst + room - 1, 64, 1, 4)).unwrap();
}

/// Nulls, enumerators and sizes are reported before dead handles and missing contexts.
#[test]
fn invalid_arguments_are_reported_before_invalid_handles() {
    let bench = Bench::new();
    let (dead, _) = bench.stream();
    stream::destroy(dead, true).unwrap();
    let addr = memory::malloc(64, 0).unwrap();
    let short = memcpy::CopyArgs { dst: addr, dest_max: 1, src: 64, count: 2, kind: 1 };
    let reduce = |count, kind| reduce::reduce_async(addr, 0, count, kind, 3, dead);
    let wrong = [
        ("dst", memcpy::copy_async(copy(0, 64, 1, 1), dead)),
        ("kind is 99", memcpy::copy_async(copy(addr, 64, 1, 99), dead)),
        ("destMax 1", memcpy::copy_async(short, dead)),
        ("devPtr", memset::set_async(memset::FillArgs::bytes(0, 1, 0, 1), dead)),
        ("maxCount 1", memset::set_async(memset::FillArgs::bytes(addr, 1, 0, 2), dead)),
        ("src", reduce(4, 10)),
        ("kind is 9", reduce(4, 9)),
        ("count is 3 bytes", reduce(3, 10)),
        ("event", event::record(0, dead)),
        ("event", event::wait(dead, 0)),
    ];
    for (words, result) in wrong {
        fails(result, Code::InvalidParam, &[words]);
    }
    // If there is nothing to do the stream must still be valid.
    fails(memcpy::copy_async(copy(0, 0, 0, 99), dead), Code::ParamInvalid, &["destroyed"]);
    fails(memset::set_async(memset::FillArgs::bytes(0, 0, 0, 0), dead), Code::ParamInvalid, &["destroyed"]);
    thread::set_current(None);
    fails(memcpy::copy_async(copy(0, 64, 1, 1), 0), Code::InvalidParam, &["dst"]);
    fails(memcpy::copy_async(copy(addr, 64, 1, 1), 0), Code::ContextNull, &[]);
}

/// The count is checked first: 0 bytes are no error, whatever the other arguments are.
#[test]
fn nothing_is_nothing() {
    let bench = Bench::new();
    bench.script.fail_next("copy", FaultKind::Driver, "asked for nothing");
    memcpy::copy(copy(0, 0, 0, 99)).unwrap();
    memcpy::copy_async(copy(0, 0, 0, 99), 0).unwrap();
    memset::set(memset::FillArgs::bytes(0, 0, 0, 0)).unwrap();
    memset::set_async(memset::FillArgs::bytes(0, 0, 0, 0), 0).unwrap();
    let memory = memory::malloc(64, 0).unwrap();
    fails(memcpy::copy_async(copy(memory, memory, 1, 4), 0), Code::DrvInternalError, &["asked"]);
}
