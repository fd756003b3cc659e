//! Tests of registered and managed memory, of stale addresses, and of the bytes of blocks.

use super::*;
use crate::backend::{Calls, FaultKind, Foreign, Usage};

/// Returns the number of bytes that the kernel reports as locked in the mapping around `addr`.
fn locked_at(addr: usize) -> u64 {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut inside = false;
    for line in maps.lines() {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        let number = |text| usize::from_str_radix(text, 16);
        if let Some((Ok(first), Ok(end))) = range.map(|(first, end)| (number(first), number(end))) {
            inside = (first..end).contains(&addr);
        } else if let Some(rest) = line.strip_prefix("Locked:").filter(|_| inside) {
            return rest.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10;
        }
    }
    panic!("{addr:#x} is not mapped");
}

const PAGE: usize = 4096;

/// Memory of one test, at a multiple of the page.
struct Own(Vec<u8>);

impl Own {
    fn new(pages: usize) -> Self {
        Self(vec![1; (pages + 1) * PAGE])
    }

    fn addr(&self) -> usize {
        self.0.as_ptr().expose_provenance().next_multiple_of(PAGE)
    }
}

/// Whether this process may lock a few pages. If not, nothing is locked, there is nothing to check, and it prints that.
fn may_lock(bench: &Bench) -> bool {
    let own = Own::new(2);
    let before = bench.driver.unlocked_host_bytes();
    bench.driver.register_host(own.addr(), 2 * PAGE).unwrap();
    bench.driver.unregister_host(own.addr(), 2 * PAGE).unwrap();
    let may = bench.driver.unlocked_host_bytes() == before;
    if !may {
        println!("skipped: this process may not lock memory");
    }
    may
}

#[test]
fn pages_are_locked_until_the_last_registration_goes() {
    let bench = Bench::new(false);
    if !may_lock(&bench) {
        return;
    }
    let (own, len) = (Own::new(8), 3 * PAGE - 100);
    let addr = own.addr();
    assert_eq!(bench.driver.register_host(addr, len).unwrap(), addr);
    assert!(locked_at(addr) > 0);
    assert!(locked_at(addr + 2 * PAGE) > 0, "the last page counts as a whole");
    assert_eq!(locked_at(addr + 3 * PAGE), 0);
    // This is the situation while pending work keeps the first registration.
    bench.driver.register_host(addr + PAGE, PAGE).unwrap();
    bench.driver.unregister_host(addr, len).unwrap();
    assert_eq!([locked_at(addr), locked_at(addr + 2 * PAGE)], [0, 0]);
    assert!(locked_at(addr + PAGE) > 0);
    bench.driver.unregister_host(addr + PAGE, PAGE).unwrap();
    assert_eq!(locked_at(addr + PAGE), 0);
}

#[test]
fn memory_stays_locked_while_operations_use_it() {
    in_all_modes(|bench| {
        if !may_lock(&bench) {
            return;
        }
        let (own, len) = (Own::new(40), 40 * PAGE);
        let (addr, target) = (own.addr(), bench.alloc(len).addr);
        let stream = bench.stream();
        bench.driver.register_host(addr, len).unwrap();
        let gate = Gate::close(&stream);
        stream.copy(copy(device(target, len), pinned(addr, len))).unwrap();
        bench.driver.unregister_host(addr, len).unwrap();
        assert!(locked_at(addr) > 0, "unlocked under a copy");
        // A new registration of a part does not disturb the other, and is not disturbed.
        bench.driver.register_host(addr + PAGE, PAGE).unwrap();
        gate.open();
        sync(&stream);
        assert!(bench.read(target, len).iter().all(|&byte| byte == 1));
        // Any call that allocates or frees host memory looks for ended registrations.
        let block = bench.driver.alloc_host(64).unwrap();
        bench.driver.free_host(block).unwrap();
        assert_eq!(locked_at(addr), 0);
        assert!(locked_at(addr + PAGE) > 0);
        bench.driver.unregister_host(addr + PAGE, PAGE).unwrap();
        assert_eq!(locked_at(addr + PAGE), 0);
    });
}

#[test]
fn the_end_of_a_driver_unlocks_what_operations_kept() {
    let bench = Bench::new(false);
    if !may_lock(&bench) {
        return;
    }
    let own = Own::new(1);
    let stream = bench.stream();
    bench.driver.register_host(own.addr(), PAGE).unwrap();
    let gate = Gate::close(&stream);
    let target = bench.alloc(PAGE).addr;
    stream.copy(copy(device(target, PAGE), pinned(own.addr(), PAGE))).unwrap();
    bench.driver.unregister_host(own.addr(), PAGE).unwrap();
    gate.open();
    sync(&stream);
    drop(stream);
    assert!(locked_at(own.addr()) > 0);
    bench.device.close().unwrap();
    assert!(bench.driver.shutdown(Duration::from_secs(20)));
    assert_eq!(locked_at(own.addr()), 0);
}

#[test]
fn managed_memory_is_within_the_hosts_reach_until_it_is_freed() {
    in_all_modes(|bench| {
        let (stream, len) = (bench.stream(), 4 * MIB);
        let block = bench.device.alloc_managed(len).unwrap();
        assert!(block.addr.is_multiple_of(2 * MIB) && block.len == len);
        let bytes: *mut u8 = std::ptr::with_exposed_provenance_mut(block.addr);
        // SAFETY: managed memory may be written by the host, the block has `len` bytes, and no
        // operation is pending.
        unsafe { bytes.write_bytes(3, len) };
        assert!(bench.read(block.addr, len).iter().all(|&byte| byte == 3));
        stream.fill(fill(block.addr, len, 4)).unwrap();
        sync(&stream);
        // SAFETY: the stream is idle, and the `len` bytes of the block are initialised by the fills
        // above.
        assert!(unsafe { std::slice::from_raw_parts(bytes, len) }.iter().all(|&byte| byte == 4));
        // Pending work does not need the host's access.
        let gate = Gate::close(&stream);
        let target = bench.alloc(len).addr;
        stream.copy(copy(device(target, len), device(block.addr, len))).unwrap();
        bench.device.free(block).unwrap();
        let guarded = bench.driver.shared.library_view != 0;
        assert_eq!(crate::backend::base::probe::is_readable(block.addr), !guarded);
        gate.open();
        sync(&stream);
        assert!(bench.read(target, len).iter().all(|&byte| byte == 4));
        // New memory at the same place is as inaccessible as before.
        let next = bench.device.alloc_managed(len).unwrap();
        bench.device.free(next).unwrap();
        let plain = bench.alloc(len);
        assert_eq!(crate::backend::base::probe::is_readable(plain.addr), !guarded);
    });
}

#[test]
fn managed_memory_counts_towards_the_devices_limit() {
    let bench = Bench::new(false);
    let plain = bench.alloc(200 * MIB);
    let fault = bench.device.alloc_managed(100 * MIB).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::OutOfDeviceMemory);
    assert!(fault.text().contains("are free"), "{}", fault.text());
    bench.device.free(plain).unwrap();
    bench.device.alloc_managed(100 * MIB).unwrap();
}

#[test]
fn addresses_without_a_block_are_stale_where_a_device_has_its_memory() {
    in_all_modes(|bench| {
        let foreign = |addr| bench.driver.foreign(addr);
        let own = Own::new(1);
        let block = bench.alloc(5 * MIB);
        bench.device.free(block).unwrap();
        for addr in [block.addr, block.addr + 5 * MIB, block.addr + 200 * MIB] {
            assert_eq!(foreign(addr), Foreign::Stale);
        }
        let code = Bench::new as *const () as usize;
        for addr in [own.addr(), code, 0, 8, usize::MAX] {
            assert_eq!(foreign(addr), Foreign::Unknown);
        }
        // The same is true of host memory, whether or not its pages were released to the system.
        for len in [64, 5000, 3 * MIB] {
            let host = bench.driver.alloc_host(len).unwrap();
            bench.driver.free_host(host).unwrap();
            assert_eq!(foreign(host.addr + len / 2), Foreign::Stale, "{len} bytes");
        }
        // The memory of a closed device is gone, unless the place was reused.
        bench.device.close().unwrap();
        let now = if crate::backend::base::probe::is_readable(block.addr) { Foreign::Unknown } else { Foreign::Stale };
        assert_eq!(foreign(block.addr), now);
        let again = bench.driver.open(0).unwrap();
        assert_eq!(foreign(again.alloc(1, PagePolicy::NormalOnly).unwrap().addr), Foreign::Stale);
        again.close().unwrap();
    });
}

#[test]
fn usage_counts_blocks_by_kind_until_nothing_uses_them() {
    in_all_modes(|bench| {
        let usage = || {
            let usage = bench.device.memory_usage();
            let free = bench.device.free_memory().unwrap();
            let total = bench.device.info().total_memory;
            assert_eq!(usage.device.current + usage.managed.current, total - free);
            (usage.device, usage.managed)
        };
        let nothing = Usage { current: 0, peak: 0 };
        assert_eq!(usage(), (nothing, nothing));
        let (small, large) = (bench.alloc(100), bench.alloc(3 * MIB + 32));
        let managed = bench.device.alloc_managed(4 * MIB).unwrap();
        let all = (small.len + large.len) as u64;
        let of = |current, peak| Usage { current, peak };
        assert_eq!(usage(), (of(all, all), of(4 << 20, 4 << 20)));
        let stream = bench.stream();
        let gate = Gate::close(&stream);
        stream.fill(fill(large.addr, large.len, 1)).unwrap();
        bench.device.free(large).unwrap();
        bench.device.free(managed).unwrap();
        assert_eq!(usage(), (of(all, all), of(0, 4 << 20)));
        gate.open();
        sync(&stream);
        assert_eq!(usage(), (of(small.len as u64, all), of(0, 4 << 20)));
        bench.device.free(small).unwrap();
        assert_eq!(usage(), (of(0, all), of(0, 4 << 20)));
    });
}
