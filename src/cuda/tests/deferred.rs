//! Tests of frees of pools' memory that reach the driver later, or never. The test double counts the calls of the
//! driver.

use std::sync::Arc;

use super::pool::{MIB, PRIVATE, fill, pools, wait};
use super::*;
use crate::backend::{
    Access, Calls, Fill, Home, MemoryPlace, Pool, PoolAttribute, PoolKind, PoolOptions, PoolSharing, Pools,
};

/// Returns the number of frees that reached the driver. If it does not count them, prints that and returns `None`.
fn frees() -> Option<u64> {
    of_double(calls("cuMemFreeAsync"))
}

fn allocs() -> u64 {
    calls("cuMemAllocFromPoolAsync").unwrap()
}

fn used(pool: &dyn Pool) -> u64 {
    pool.get(PoolAttribute::UsedCurrent).unwrap()
}

/// A pool, and a stream that defers a free of a block of this length. It exists only where calls are counted.
struct Deferring<'a> {
    setup: &'a Setup,
    pools: &'a dyn Pools,
    pool: Box<dyn Pool>,
    stream: Arc<dyn Stream>,
    before: u64,
}

impl<'a> Deferring<'a> {
    fn new(setup: &'a Setup, len: usize) -> Option<Self> {
        let before = frees()?;
        let pools = pools(setup)?;
        let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
        pool.free(pool.alloc(len, &*stream).unwrap(), &*stream).unwrap();
        assert_eq!(frees(), Some(before), "not submitted yet");
        Some(Self { setup, pools, pool, stream, before })
    }

    fn submitted(&self) -> u64 {
        frees().unwrap() - self.before
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn a_loop_reuses_its_blocks_without_a_call_of_the_driver() {
    let setup = Setup::new();
    let Some(before) = frees() else { return };
    let Some(pools) = pools(&setup) else { return };
    let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
    let mut seen = Vec::new();
    let asked = allocs();
    for _ in 0..10 {
        let lens = [MIB, 2 * MIB, MIB, 3];
        let blocks = lens.map(|len| pool.alloc(len, &*stream).unwrap());
        for (block, len) in blocks.iter().zip(lens) {
            assert!(
                block.len >= len
                    && !blocks.iter().any(|other| { other.addr < block.addr && block.addr < other.addr + other.len })
            );
            fill(&stream, *block, 1);
        }
        blocks.iter().rev().for_each(|&block| pool.free(block, &*stream).unwrap());
        let mut addresses = blocks.map(|block| block.addr);
        addresses.sort_unstable();
        seen.push(addresses);
    }
    assert_eq!((allocs() - asked, frees().unwrap() - before), (4, 0));
    assert!(seen.iter().all(|addresses| *addresses == seen[0]), "{seen:x?}");
    wait(&stream);
    assert_eq!((allocs() - asked, frees().unwrap() - before), (4, 4));
    assert_eq!((used(&*pool), pool.get(PoolAttribute::ReservedCurrent).unwrap()), (0, 0));
    assert_eq!(pool.get(PoolAttribute::UsedHigh).unwrap() >> 20, 4);
}

/// Checks that each free reaches the driver once, even if there are more than a stream can defer.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn each_free_reaches_the_driver_once_beyond_the_limit_of_deferred_frees() {
    let setup = Setup::new();
    let Some(before) = frees() else { return };
    let Some(pools) = pools(&setup) else { return };
    let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
    let blocks: Vec<_> = (0..100).map(|_| pool.alloc(5000, &*stream).unwrap()).collect();
    blocks.into_iter().for_each(|block| pool.free(block, &*stream).unwrap());
    assert!((1..100).contains(&(frees().unwrap() - before)));
    assert_eq!(used(&*pool), 0);
    assert_eq!(frees().unwrap() - before, 100);
}

type Step = fn(&Deferring<'_>);

/// The length in bytes of the block that is deferred.
const LEN: usize = MIB;

/// The operations on the stream. Each must submit the stream's deferred frees.
const STREAM_STEPS: [(&str, Step); 15] = [
    ("fill", |it| {
        let memory = it.setup.on_device(8);
        it.stream.fill(Fill::bytes(memory.span(), 1)).unwrap();
    }),
    ("host function", |it| {
        Gate::close(&it.stream).open();
    }),
    ("record", |it| {
        let event = it.setup.device.create_event(false).unwrap();
        it.stream.record(&event).unwrap();
    }),
    ("wait for an event", |it| {
        let event = it.setup.device.create_event(false).unwrap();
        it.setup.stream().record(&event).unwrap();
        it.stream.wait(&event, None).unwrap();
    }),
    ("question", |it| {
        assert!(!it.stream.is_known_idle());
        let _ = it.stream.is_idle().unwrap();
    }),
    ("synchronize", |it| wait(&it.stream)),
    ("bounded synchronize", |it| {
        let _ = it.stream.synchronize(Some(Instant::now() + LONG)).unwrap();
    }),
    ("wait for an event of another stream", |it| {
        let event = it.setup.device.create_event(false).unwrap();
        it.setup.stream().record(&event).unwrap();
        let _ = event.synchronize(None).unwrap();
    }),
    ("allocation of another length", |it| {
        let block = it.pool.alloc(LEN - 1, &*it.stream).unwrap();
        it.pool.free_now(block).unwrap();
    }),
    ("allocation of another pool", |it| {
        let other = it.pools.create(PRIVATE).unwrap();
        other.free_now(other.alloc(LEN, &*it.stream).unwrap()).unwrap();
    }),
    ("the driver's own stream", |it| {
        it.stream.native().unwrap();
    }),
    ("abandon", |it| {
        it.stream.abandon();
        assert_eq!(used(&*it.pool), 0);
    }),
    ("synchronize of another stream", |it| wait(&it.setup.stream())),
    ("retire", |it| it.stream.retire()),
    ("device memory that is not there", |it| {
        let total = it.setup.device.info().total_memory as usize;
        assert!(it.setup.device.alloc(2 * total, PagePolicy::NormalOnly).is_err());
    }),
];

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn each_operation_on_the_stream_submits_deferred_frees_first() {
    let setup = Setup::new();
    for (name, step) in STREAM_STEPS {
        let Some(it) = Deferring::new(&setup, LEN) else { return };
        step(&it);
        assert_eq!(it.submitted(), 1, "{name}");
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn each_call_for_the_pool_submits_deferred_frees_first() {
    let steps: [(&str, Step); 7] = [
        ("an attribute", |it| assert_eq!(used(&*it.pool), 0)),
        ("another attribute", |it| it.pool.set(PoolAttribute::AllowOpportunistic, 0).unwrap()),
        ("trim", |it| it.pool.trim(0).unwrap()),
        ("access", |it| it.pool.set_access(0, Access::ReadWrite).unwrap()),
        ("allocation in another stream", |it| {
            let block = it.pool.alloc(MIB, &*it.setup.stream()).unwrap();
            it.pool.free_now(block).unwrap();
        }),
        ("free at once", |it| {
            let block = it.pool.alloc(1, &*it.setup.stream()).unwrap();
            it.pool.free_now(block).unwrap();
        }),
        ("no memory", |it| {
            let total = it.setup.device.info().total_memory as usize;
            let small = it.pools.create(PRIVATE).unwrap();
            assert!(small.alloc(total, &*it.setup.stream()).is_err());
        }),
    ];
    let setup = Setup::new();
    for (name, step) in steps {
        let Some(it) = Deferring::new(&setup, MIB) else { return };
        step(&it);
        assert_eq!(it.submitted(), 1, "{name}");
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn pools_and_streams_may_end_with_deferred_frees() {
    let setup = Setup::new();
    let Some(it) = Deferring::new(&setup, MIB) else { return };
    drop(it.pool);
    assert_eq!(frees().unwrap() - it.before, 1, "a pool");
    let Some(Deferring { pool, stream, before, .. }) = Deferring::new(&setup, MIB) else { return };
    drop(stream);
    assert_eq!(used(&*pool), 0);
    assert_eq!(frees().unwrap() - before, 1, "a stream");
    // The device ends both, so nothing of them may be left in the driver.
    let Some(Deferring { pool, stream, before, .. }) = Deferring::new(&setup, MIB) else { return };
    let kept = std::mem::ManuallyDrop::new(pool);
    drop(setup);
    assert_eq!(frees().unwrap() - before, 1, "a device");
    drop((std::mem::ManuallyDrop::into_inner(kept), stream));
    assert_eq!(frees().unwrap() - before, 1);
}

/// Checks a stream that another library uses, a pool that other processes have, and host memory.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn frees_in_shared_streams_and_pools_are_not_deferred() {
    let setup = Setup::new();
    let Some(before) = frees() else { return };
    let Some(pools) = pools(&setup) else { return };
    let given = setup.stream();
    let native = given.native().unwrap();
    let adopted = setup.device.adopt_stream(native, StreamOptions::default()).unwrap();
    let own = setup.stream();
    let shared = PoolOptions { sharing: PoolSharing::Descriptor, ..PRIVATE };
    let host = PoolOptions { place: MemoryPlace::Host(None), ..PRIVATE };
    let mut submitted = 0;
    for (stream, options) in [(&given, PRIVATE), (&adopted, PRIVATE), (&own, shared), (&own, host)] {
        let pool = pools.create(options).unwrap();
        for _ in 0..3 {
            pool.free(pool.alloc(MIB, &**stream).unwrap(), &**stream).unwrap();
            submitted += 1;
            assert_eq!(frees().unwrap() - before, submitted, "{options:?}");
        }
    }
    // It is dropped before the stream that it is around.
    drop(adopted);
    wait(&given);
}

/// Checks that streams which take turns do not defer for a while, and that one that is alone again does.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn streams_that_share_a_pool_leave_it_to_the_driver() {
    let setup = Setup::new();
    let Some(it) = Deferring::new(&setup, MIB) else { return };
    let (pool, first, second) = (&it.pool, &it.stream, setup.stream());
    let pair = |stream: &Arc<dyn Stream>| {
        pool.free(pool.alloc(MIB, &**stream).unwrap(), &**stream).unwrap();
    };
    pair(&second);
    assert_eq!(it.submitted(), 2, "what was deferred, and its own");
    for round in 0..20 {
        pair(first);
        pair(&second);
        assert_eq!(it.submitted(), 4 + 2 * round);
    }
    for stream in [first, &second] {
        let before = allocs();
        (0..1000).for_each(|_| pair(stream));
        assert!(allocs() - before < 500, "{}", allocs() - before);
    }
    assert_eq!(used(&**pool), 0);
}

/// Checks that each block belongs to one thread at a time, and that all are freed to the driver in the end.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn threads_with_streams_of_one_pool_and_of_one_stream() {
    let setup = Setup::new();
    let Some(pools) = pools(&setup) else { return };
    let counted = calls("cuMemFreeAsync").map(|before| (before, allocs()));
    let pool = pools.create(PRIVATE).unwrap();
    pool.set(PoolAttribute::ReleaseThreshold, u64::MAX).unwrap();
    let streams = [0, 1].map(|_| setup.stream());
    let owned = parking_lot::Mutex::new(std::collections::HashSet::new());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|thread| {
                let (pool, owned, stream) = (&pool, &owned, &streams[thread % 2]);
                scope.spawn(move || {
                    for round in 0..600_usize {
                        let lens = [MIB, 4096 * (1 + round / 100 % 2)];
                        let blocks = lens.map(|len| pool.alloc(len, &**stream).unwrap());
                        assert!(blocks.iter().all(|block| owned.lock().insert(block.addr)));
                        if round % 50 == 7 {
                            fill(stream, blocks[0], 1);
                        }
                        for block in blocks {
                            assert!(owned.lock().remove(&block.addr));
                            pool.free(block, &**stream).unwrap();
                        }
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                assert!(used(&*pool) <= pool.get(PoolAttribute::UsedHigh).unwrap());
                streams.iter().for_each(wait);
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        done.store(true, Ordering::Relaxed);
    });
    streams.iter().for_each(wait);
    assert_eq!(used(&*pool), 0);
    if let Some((freed, asked)) = counted {
        assert_eq!(frees().unwrap() - freed, allocs() - asked);
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn closing_the_device_returns_the_error_of_a_deferred_free() {
    let mut setup = Setup::new();
    let Some(before) = frees() else { return };
    let Some(pools) = pools(&setup) else { return };
    let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
    let block = pool.alloc(MIB, &*stream).unwrap();
    pool.free(block, &*stream).unwrap();
    fail("cuMemFreeAsync:1:999").unwrap();
    wait(&stream);
    assert_eq!(frees(), Some(before + 1));
    // The driver can still free it.
    pool.free_now(block).unwrap();
    drop((pool, stream));
    let refused = setup.device.close().unwrap_err();
    assert!(refused.text().contains("cuMemFreeAsync"), "{}", refused.text());
    setup.device = setup.driver.open(0).unwrap();
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn what_does_not_fit_is_requested_from_the_driver_once_unless_frees_make_room() {
    let setup = Setup::new();
    if frees().is_none() {
        return;
    }
    let Some(pools) = pools(&setup) else { return };
    let (pool, stream) = (pools.create(PRIVATE).unwrap(), setup.stream());
    let free = usize::try_from(setup.device.free_memory().unwrap()).unwrap();
    let (half, most) = (free / 2, free - free / 4);
    let block = pool.alloc(half, &*stream).unwrap();
    let before = allocs();
    assert_eq!(pool.alloc(most, &*stream).unwrap_err().kind(), FaultKind::OutOfDeviceMemory);
    assert_eq!(allocs() - before, 1);
    pool.free(block, &*stream).unwrap();
    let block = pool.alloc(most, &*setup.stream()).unwrap();
    assert_eq!(allocs() - before, 3);
    // Managed memory may be on the host, whatever the device has.
    let kind = PoolKind::Managed(Some(Home::Device(0)));
    if let Ok(managed) = pools.create(PoolOptions { kind, ..PRIVATE }) {
        fail("cuMemAllocFromPoolAsync:1:2").unwrap();
        managed.free_now(managed.alloc(most, &*stream).unwrap()).unwrap();
    }
    pool.free_now(block).unwrap();
}
