//! Tests of pools of the driver.

use super::*;
use crate::backend::{
    Access, Calls, Fill, Foreign, MemoryPlace, Pattern, Pool, PoolAttribute, PoolKind, PoolOptions, PoolSharing, Pools,
};

pub(super) const MIB: usize = 1 << 20;

pub(super) const PRIVATE: PoolOptions = PoolOptions {
    place: MemoryPlace::Device(0),
    kind: PoolKind::Pinned,
    sharing: PoolSharing::None,
    max_size: None,
    decompression: false,
};

/// Returns the driver's pools. If it is too old for them, prints that and returns `None`.
pub(super) fn pools(setup: &Setup) -> Option<&dyn Pools> {
    let pools = setup.driver.pools().unwrap();
    match pools.create(PRIVATE) {
        Ok(_) => Some(pools),
        Err(fault) => {
            assert_eq!(fault.kind(), FaultKind::Unsupported, "{}", fault.text());
            assert!(fault.text().contains("use aclrtMalloc"), "{}", fault.text());
            println!("skipped: {}", fault.text());
            None
        }
    }
}

pub(super) fn span(block: Block) -> Span {
    Span { addr: block.addr, len: block.len, place: Place::Device(0) }
}

pub(super) fn fill(stream: &Arc<dyn Stream>, block: Block, value: u8) {
    stream.fill(Fill { dst: span(block), pattern: Pattern::Byte(value) }).unwrap();
}

pub(super) fn read(setup: &Setup, block: Block) -> Vec<u8> {
    let mut bytes = vec![0_u8; block.len];
    setup.copy(pageable(&mut bytes), span(block));
    bytes
}

pub(super) fn wait(stream: &Arc<dyn Stream>) {
    let _ = stream.synchronize(None).unwrap();
}

fn reserved(pool: &dyn Pool) -> u64 {
    pool.get(PoolAttribute::ReservedCurrent).unwrap()
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn no_context_is_queried_unless_the_driver_needs_one() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
    let take_and_give = || {
        pool.free(pool.alloc(4096, &*stream).unwrap(), &*stream).unwrap();
        // This submits the deferred free.
        pool.free(pool.alloc(4097, &*stream).unwrap(), &*stream).unwrap();
    };
    let asked = || calls("cuCtxGetCurrent");
    take_and_give();
    let before = asked();
    // This also works on a thread on which no context is current.
    std::thread::scope(|scope| scope.spawn(take_and_give).join().unwrap());
    take_and_give();
    assert_eq!(asked(), before);
    for call in ["cuMemAllocFromPoolAsync", "cuMemFreeAsync"] {
        if fail(&format!("{call}:1:201")).is_none() {
            return;
        }
        let before = asked();
        std::thread::scope(|scope| scope.spawn(take_and_give).join().unwrap());
        assert!(asked() > before, "{call}");
    }
    wait(&stream);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn blocks_come_and_go_in_stream_order() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
    for len in [1, 255, 4096, 3 * MIB] {
        let block = pool.alloc(len, &*stream).unwrap();
        assert!(block.len >= len && block.addr.is_multiple_of(256), "{block:?}");
        fill(&stream, block, 7);
        wait(&stream);
        assert!(read(&setup, block).iter().all(|&byte| byte == 7));
        pool.free(block, &*stream).unwrap();
        // The same stream may use it again at once.
        let again = pool.alloc(len, &*stream).unwrap();
        assert_eq!(again.addr, block.addr);
        pool.free(again, &*stream).unwrap();
    }
    assert!(pool.get(PoolAttribute::UsedHigh).unwrap() >= 3 * MIB as u64);
    wait(&stream);
    assert_eq!(pool.get(PoolAttribute::UsedCurrent).unwrap(), 0);
    assert_eq!(reserved(&*pool), 0, "the release threshold is 0");
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn attributes_can_be_set_and_asked() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
    for switch in [
        PoolAttribute::FollowEventDependencies,
        PoolAttribute::AllowOpportunistic,
        PoolAttribute::AllowInternalDependencies,
    ] {
        assert_eq!(pool.get(switch).unwrap(), 1, "{switch:?}");
        pool.set(switch, 0).unwrap();
        assert_eq!(pool.get(switch).unwrap(), 0, "{switch:?}");
    }
    let keep = u64::MAX - 5;
    pool.set(PoolAttribute::ReleaseThreshold, keep).unwrap();
    assert_eq!(pool.get(PoolAttribute::ReleaseThreshold).unwrap(), keep);
    let block = pool.alloc(4 * MIB, &*stream).unwrap();
    pool.free(block, &*stream).unwrap();
    wait(&stream);
    let kept = reserved(&*pool);
    assert!(kept >= 4 * MIB as u64);
    assert_eq!(pool.get(PoolAttribute::ReservedHigh).unwrap(), kept);
    pool.trim(4 * MIB).unwrap();
    assert!(reserved(&*pool) >= 4 * MIB as u64);
    pool.trim(0).unwrap();
    assert_eq!(reserved(&*pool), 0);
    assert_eq!(pool.get(PoolAttribute::ReservedHigh).unwrap(), kept);
    pool.set(PoolAttribute::ReservedHigh, 0).unwrap();
    pool.set(PoolAttribute::UsedHigh, 0).unwrap();
    assert_eq!(pool.get(PoolAttribute::ReservedHigh).unwrap(), 0);
    assert_eq!(pool.get(PoolAttribute::UsedHigh).unwrap(), 0);
}

/// Checks that a wait calls the driver if there are pools, even for a stream that is known to be idle.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn every_wait_releases_memory_above_the_threshold() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
    let event = setup.device.create_event(false).unwrap();
    let soon = || Some(Instant::now() + LONG);
    let waits: [&dyn Fn() -> crate::backend::Result<Wait>; 4] =
        [&|| stream.synchronize(None), &|| stream.synchronize(soon()), &|| event.synchronize(None), &|| {
            event.synchronize(soon())
        }];
    for (index, wait) in waits.iter().enumerate() {
        let block = pool.alloc(MIB, &*stream).unwrap();
        pool.free(block, &*stream).unwrap();
        stream.record(&event).unwrap();
        wait_until("the stream to be idle", || stream.is_idle().unwrap());
        assert_ne!(reserved(&*pool), 0, "wait {index}: no thread has waited yet");
        assert_eq!(wait().unwrap(), Wait::Done);
        assert_eq!(reserved(&*pool), 0, "wait {index}");
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_free_without_a_stream_waits_for_what_uses_the_block() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
    let block = pool.alloc(MIB, &*stream).unwrap();
    let gate = Gate::close(&stream);
    fill(&stream, block, 3);
    pool.free_now(block).unwrap();
    assert_eq!(pool.get(PoolAttribute::UsedCurrent).unwrap(), MIB as u64);
    gate.open();
    wait(&stream);
    assert_eq!(pool.get(PoolAttribute::UsedCurrent).unwrap(), 0);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_freed_address_is_stale_as_long_as_its_pool_lives() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
    let blocks = [1, MIB, 8 * MIB].map(|len| pool.alloc(len, &*stream).unwrap());
    for block in blocks {
        pool.free(block, &*stream).unwrap();
        assert_eq!(setup.driver.foreign(block.addr), Foreign::Stale);
        assert_eq!(setup.driver.foreign(block.addr + block.len - 1), Foreign::Stale);
    }
    wait(&stream);
    drop(pool);
    for block in blocks {
        assert_eq!(setup.driver.foreign(block.addr), Foreign::Stale, "where it was");
    }
    let mut own = [0_u8; 8];
    assert_eq!(setup.driver.foreign(pageable(&mut own).addr), Foreign::Unknown);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_pool_has_no_more_than_it_may() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let pool = pools.create(PoolOptions { max_size: Some(4 * MIB as u64), ..PRIVATE }).unwrap();
    let stream = setup.stream();
    let block = pool.alloc(3 * MIB, &*stream).unwrap();
    let refused = pool.alloc(2 * MIB, &*stream).unwrap_err();
    assert_eq!(refused.kind(), FaultKind::OutOfDeviceMemory);
    assert!(refused.text().contains("cuMemAllocFromPoolAsync"), "{}", refused.text());
    assert_eq!(pool.get(PoolAttribute::UsedCurrent).unwrap(), 3 * MIB as u64);
    let rest = pool.alloc(MIB, &*stream).unwrap();
    for block in [block, rest] {
        pool.free(block, &*stream).unwrap();
    }
    wait(&stream);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn frees_that_come_by_themselves_are_waited_for() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let Some(()) = fail("") else { return };
    let total = setup.device.info().total_memory;
    let (pool, first, second) = (pools.create(PRIVATE).unwrap(), setup.stream(), setup.stream());
    pool.set(PoolAttribute::ReleaseThreshold, u64::MAX).unwrap();
    for switch in [
        PoolAttribute::FollowEventDependencies,
        PoolAttribute::AllowOpportunistic,
        PoolAttribute::AllowInternalDependencies,
    ] {
        pool.set(switch, 0).unwrap();
    }
    let len = total as usize - 64 * MIB;
    let swap = |from: &Arc<dyn Stream>, block, to: &Arc<dyn Stream>| {
        pool.free(block, &**from).unwrap();
        pool.alloc(len, &**to)
    };
    let block = pool.alloc(len, &*first).unwrap();
    fill(&first, Block { len: MIB, ..block }, 1);
    let block = swap(&first, block, &second).unwrap();
    // These frees are not after user code, nor after what waits for it.
    let gate = Gate::close(&second);
    let out_of_memory = swap(&second, block, &first).unwrap_err();
    assert_eq!(out_of_memory.kind(), FaultKind::OutOfDeviceMemory);
    assert!(out_of_memory.text().contains("bytes are free"), "{}", out_of_memory.text());
    gate.open();
    wait_until("the stream to be idle", || second.is_idle().unwrap());
    let block = pool.alloc(len, &*first).expect("the gate is behind it");
    let (gate, event) = (Gate::close(&second), setup.device.create_event(false).unwrap());
    second.record(&event).unwrap();
    first.wait(&event, None).unwrap();
    assert_eq!(swap(&first, block, &second).unwrap_err().kind(), FaultKind::OutOfDeviceMemory);
    gate.open();
    wait(&first);
    let block = pool.alloc(len, &*second).unwrap();
    pool.free(block, &*second).unwrap();
    wait(&second);
}

/// Checks that the driver's pool is not destroyed before its memory is free: a driver would keep the memory until a
/// later call for a pool.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_destroyed_pool_ends_at_the_next_wait_after_its_last_free() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let Some(destroyed) = of_double(calls("cuMemPoolDestroy")) else { return };
    let free = setup.device.free_memory().unwrap();
    let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
    let block = pool.alloc(4 * MIB, &*stream).unwrap();
    let gate = Gate::close(&stream);
    pool.free(block, &*stream).unwrap();
    drop(pool);
    assert_ne!(setup.device.free_memory().unwrap(), free, "the free is pending");
    assert_eq!(calls("cuMemPoolDestroy"), Some(destroyed), "too early");
    gate.open();
    wait(&stream);
    assert_eq!(calls("cuMemPoolDestroy"), Some(destroyed + 1));
    assert_eq!(setup.device.free_memory().unwrap(), free);
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_pool_may_end_before_its_blocks_and_the_device_takes_both() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let stream = setup.stream();
    let [dropped, kept] = [0, 1].map(|_| pools.create(PRIVATE).unwrap());
    let block = dropped.alloc(MIB, &*stream).unwrap();
    dropped.free(block, &*stream).unwrap();
    drop(dropped);
    wait(&stream);
    let block = kept.alloc(MIB, &*stream).unwrap();
    kept.free_now(block).unwrap();
    // The setup closes the device while the pool exists. The pool's handle is then invalid.
    drop(stream);
    let kept = std::mem::ManuallyDrop::new(kept);
    drop(setup);
    drop(std::mem::ManuallyDrop::into_inner(kept));
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn memory_of_the_host_can_be_a_pool() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let stream = setup.stream();
    for place in [MemoryPlace::Host(None), MemoryPlace::Host(Some(0))] {
        let pool = pools.create(PoolOptions { place, ..PRIVATE }).unwrap();
        let block = pool.alloc(10_000, &*stream).unwrap();
        wait(&stream);
        let start = std::ptr::with_exposed_provenance_mut::<u8>(block.addr);
        // SAFETY: a live block of host memory, which nothing else uses.
        unsafe { start.write_bytes(9, block.len) };
        pool.free_now(block).unwrap();
        let block = pool.alloc(10_000, &*stream).unwrap();
        pool.free(block, &*stream).unwrap();
        wait(&stream);
        assert_eq!(reserved(&*pool), 0);
    }
    let nowhere = pools.create(PoolOptions { place: MemoryPlace::Host(Some(4000)), ..PRIVATE });
    let fault = nowhere.err().unwrap();
    assert_eq!(fault.kind(), FaultKind::Unsupported);
    assert!(fault.text().contains("NUMA node 4000"), "{}", fault.text());
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn access_is_granted_and_revoked() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    if !has_peers(&setup) {
        return;
    }
    let pool = pools.create(PRIVATE).unwrap();
    assert_eq!(pool.access(0).unwrap(), Access::ReadWrite);
    assert_eq!(pool.access(1).unwrap(), Access::None);
    for access in [Access::ReadWrite, Access::None] {
        pool.set_access(1, access).unwrap();
        assert_eq!(pool.access(1).unwrap(), access);
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_stream_of_another_device_takes_memory() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    if !has_peers(&setup) {
        return;
    }
    let other = setup.driver.open(1).unwrap();
    let stream = other.create_stream(StreamOptions::default()).unwrap();
    let pool = pools.create(PRIVATE).unwrap();
    pool.set_access(1, Access::ReadWrite).unwrap();
    let block = pool.alloc(MIB, &*stream).unwrap();
    let gate = Gate::close(&stream);
    pool.free_now(block).unwrap();
    assert_eq!(pool.get(PoolAttribute::UsedCurrent).unwrap(), MIB as u64, "it may use it");
    gate.open();
    wait(&stream);
    assert_eq!(pool.get(PoolAttribute::UsedCurrent).unwrap(), 0);
    drop((pool, stream));
    other.close().unwrap();
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn pool_calls_return_the_errors_of_the_driver() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let Some(()) = fail("cuMemPoolCreate:1:2") else { return };
    let fault = pools.create(PRIVATE).err().unwrap();
    assert_eq!(fault.kind(), FaultKind::OutOfDeviceMemory);
    let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
    fail("cuMemAllocFromPoolAsync:1:999,cuMemFreeAsync:1:999").unwrap();
    assert_eq!(pool.alloc(1, &*stream).unwrap_err().kind(), FaultKind::Driver);
    let options = PoolOptions { sharing: PoolSharing::Descriptor, ..PRIVATE };
    let undeferred = pools.create(options).unwrap();
    let block = undeferred.alloc(1, &*stream).unwrap();
    assert_eq!(undeferred.free(block, &*stream).unwrap_err().kind(), FaultKind::Driver);
    undeferred.free(block, &*stream).unwrap();
    fail("cuMemAllocFromPoolAsync:1:2").unwrap();
    let block = pool.alloc(1, &*stream).expect("it is tried again");
    pool.free(block, &*stream).unwrap();
    wait(&stream);
}
