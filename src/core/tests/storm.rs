//! Everything at once: threads that use, create and destroy objects without coordination. Every result is accepted, but
//! nothing may panic, block or leak.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::RwLock;

use super::*;
use crate::backend::Options;
use crate::runtime::context;
use crate::stream::event;

/// The duration of one storm.
const STORM: Duration = Duration::from_millis(300);
const SHARED: usize = 16;

/// The handles and addresses of all threads, by device. Each thread uses what others created.
#[derive(Default)]
struct Shared {
    streams: [AtomicU64; SHARED],
    events: [AtomicU64; SHARED],
    memory: [AtomicU64; SHARED],
}

/// Locked for reading while memory is used, and for writing while some is freed: a program must ensure this much
/// itself.
static USING: RwLock<()> = RwLock::new(());

/// True when a set would begin another session. Until then, sets are allowed.
static FINALIZING: RwLock<bool> = RwLock::new(false);

fn set(id: i32) -> bool {
    let finalizing = FINALIZING.read();
    !*finalizing && device::set(id).is_ok()
}

/// Numbers that look random (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % bound
    }
}

/// One call with an object of any thread.
fn one_call(random: &mut Random, all: &[Shared], id: i32, buffer: &mut [u8]) {
    let shared = &all[id as usize];
    let pick = |random: &mut Random, list: &[AtomicU64]| list[random.below(SHARED)].load(Ordering::Relaxed);
    let put =
        |random: &mut Random, list: &[AtomicU64], raw: u64| list[random.below(SHARED)].swap(raw, Ordering::Relaxed);
    let stream = pick(random, &shared.streams);
    let event = pick(random, &shared.events);
    let host = buffer.as_mut_ptr().expose_provenance();
    let copy = |dst, src, kind| memcpy::CopyArgs { dst, dest_max: 4096, src, count: 4096, kind };
    let with_memory = |random: &mut Random, call: &dyn Fn(usize) -> Result<(), Error>| {
        let _using = USING.read();
        call(pick(random, &shared.memory) as usize)
    };
    // Errors are accepted.
    let _ = match random.below(22) {
        0 => stream::create(0).and_then(|raw| stream::destroy(put(random, &shared.streams, raw), false)),
        1 => event::create_ex(8).and_then(|raw| event::destroy(put(random, &shared.events, raw))),
        2 | 3 => memory::malloc(4096, 0).and_then(|addr| {
            let _freeing = USING.write();
            memory::free(put(random, &shared.memory, addr as u64) as usize)
        }),
        4 => memory::malloc_host(4096).and_then(memory::free_host),
        5 => with_memory(random, &|addr| memcpy::copy(copy(addr, host, 1))),
        6 => with_memory(random, &|addr| memcpy::copy(copy(host, addr, 2))),
        7 => with_memory(random, &|addr| memcpy::copy_async(copy(addr, host, 1), stream)),
        8 => with_memory(random, &|addr| memcpy::copy_async(copy(host, addr, 2), stream)),
        9 | 10 => with_memory(random, &|addr| memset::set_async(memset::FillArgs::bytes(addr, 4096, 1, 4096), stream)),
        11 | 12 => event::record(event, stream),
        13 | 14 => event::wait(stream, event),
        15 => event::synchronize(event, 1),
        16 => stream::synchronize(stream),
        17 => stream::device::synchronize(),
        18 => context::create(id).and_then(|context| context::destroy(context.raw())),
        19 => {
            set(id);
            Ok(())
        }
        _ => with_memory(random, &|addr| {
            // The memory may be of any device.
            let other = &all[addr / 4096 % all.len()];
            let from = other.memory[addr / 8192 % SHARED].load(Ordering::Relaxed) as usize;
            memory::pointer_attributes(from.max(1))?;
            memset::set(memset::FillArgs::bytes(from, 4096, 1, 4096))?;
            memcpy::copy(copy(addr, from, 3))?;
            memcpy::copy_async(copy(addr, from, 3), stream)
        }),
    };
}

/// Several threads on each device, while one resets devices.
fn storm(devices: i32, seed: u64) {
    *FINALIZING.write() = false;
    let stop = Arc::new(AtomicBool::new(false));
    let shared: Arc<Vec<Shared>> = Arc::new((0..devices).map(|_| Shared::default()).collect());
    let users: Vec<_> = (0..4)
        .map(|number| {
            let id = number % devices;
            let (stop, shared) = (Arc::clone(&stop), Arc::clone(&shared));
            Running::start(move || {
                let mut random = Random(seed + number as u64);
                let mut buffer = vec![0; 4096];
                while !stop.load(Ordering::Relaxed) {
                    set(id);
                    for _ in 0..random.below(200) {
                        one_call(&mut random, &shared, id, &mut buffer);
                    }
                    let _ = device::reset(id);
                }
            })
        })
        .collect();
    let mut random = Random(seed);
    let start = Instant::now();
    while start.elapsed() < STORM {
        std::thread::sleep(Duration::from_micros(random.below(3000) as u64));
        let _ = device::reset_force(random.below(devices as usize) as i32);
    }
    *FINALIZING.write() = true;
    // All other threads are inside calls meanwhile.
    runtime::finalize().unwrap();
    stop.store(true, Ordering::Relaxed);
    users.into_iter().for_each(|user| user.join());
}

#[test]
fn over_the_script() {
    let mut bench = Bench::new();
    for seed in 1..4 {
        storm(2, seed * 77_777);
        bench.next_life().assert_nothing_left();
    }
}

#[test]
fn over_the_cpu_backend() {
    let _alone = ONE_AT_A_TIME.lock();
    for asynchronous in [false, true] {
        let options = Options {
            devices: Some(2),
            memory_per_device: Some(64 << 20),
            asynchronous,
            seed: 3,
            ..Default::default()
        };
        begin_over(portacl_cpu::open(options).unwrap(), LONG);
        storm(2, 12_345);
        assert_eq!(allocation::Allocation::at_most(), 0, "allocations left");
    }
}

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn over_the_cuda_backend() {
    let _alone = ONE_AT_A_TIME.lock();
    let driver = portacl_cuda::open().unwrap_or_else(|fault| panic!("there is no CUDA driver: {}", fault.text()));
    let devices = driver.device_count().min(2) as i32;
    begin_over(driver, LONG);
    storm(devices, 4_711);
    assert_eq!(allocation::Allocation::at_most(), 0, "allocations left");
}
