//! Tests of device memory and pinned memory.

use super::*;
use crate::backend::{Calls, FaultKind};

const HUGE: usize = 2 * MIB;

#[test]
fn blocks_are_aligned_and_apart() {
    let bench = Bench::new(false);
    let sizes = [1, 32, 512, 513, 3584, 3585, 4095, 4096, 4128, 65536, MIB, MIB + 32, HUGE, HUGE + 32];
    let mut blocks = Vec::new();
    for round in 0..3 {
        for len in sizes {
            blocks.push((bench.alloc(len), len, HUGE));
            let policy = PagePolicy::NormalOnly;
            blocks.push((bench.device.alloc(len + round, policy).unwrap(), len + round, 4096));
        }
    }
    for (block, len, most) in &blocks {
        assert!(block.len >= *len);
        let align = [512, 4096, *most][usize::from(*len >= 4096) + usize::from(*len >= HUGE)];
        assert_eq!(block.addr % align, 0, "{len}");
    }
    blocks.sort_by_key(|(block, ..)| block.addr);
    assert!(blocks.windows(2).all(|pair| pair[0].0.addr + pair[0].0.len <= pair[1].0.addr));
    let used: usize = blocks.iter().map(|(block, ..)| block.len).sum();
    let total = bench.device.info().total_memory;
    assert_eq!(bench.device.free_memory().unwrap(), total - used as u64);
    for (block, ..) in blocks {
        bench.device.free(block).unwrap();
    }
    assert_eq!(bench.device.free_memory().unwrap(), total);
}

#[test]
fn ordinary_pages_fill_a_device_of_any_size() {
    for len in [MIB + 4096, 2 * MIB + 4096, 4 * MIB + 4096] {
        let bench = Bench::with_memory(false, 64 << 20);
        let fit = 64 * MIB / len;
        for number in 0..fit {
            let block = bench.device.alloc(len, PagePolicy::NormalOnly);
            assert!(block.is_ok(), "{number} of {fit} with {len} bytes");
        }
        assert!(bench.device.alloc(len, PagePolicy::NormalOnly).is_err());
    }
}

#[test]
fn many_small_allocations_fit() {
    let bench = Bench::new(false);
    let blocks: Vec<_> = (0..100_000).map(|_| bench.alloc(96)).collect();
    for (index, block) in blocks.iter().enumerate().step_by(997) {
        bench.device.fill(fill(block.addr, 96, index as u8)).unwrap();
    }
    for (index, block) in blocks.iter().enumerate().step_by(997) {
        assert_eq!(bench.read(block.addr, 96), [index as u8; 96]);
    }
    for block in blocks {
        bench.device.free(block).unwrap();
    }
}

#[test]
fn the_limit_holds_and_the_text_says_why() {
    let bench = Bench::with_memory(false, 16 << 20);
    let first = bench.alloc(10 * MIB);
    for policy in [PagePolicy::HugeFirst, PagePolicy::NormalOnly, PagePolicy::HugeOnly] {
        let fault = bench.device.alloc(7 * MIB, policy).unwrap_err();
        assert_eq!(fault.kind(), FaultKind::OutOfDeviceMemory);
        let asked = (7 * MIB).to_string();
        for word in [asked.as_str(), "6291456", "16777216", "PORTACL_CPU_MEMORY"] {
            assert!(fault.text().contains(word), "no {word} in: {}", fault.text());
        }
    }
    for len in [usize::MAX, 1 << 60] {
        let fault = bench.device.alloc(len, PagePolicy::HugeOnly).unwrap_err();
        assert_eq!(fault.kind(), FaultKind::OutOfDeviceMemory);
    }
    bench.device.free(first).unwrap();
    assert_eq!(bench.alloc(16 * MIB).len, 16 * MIB);
}

#[test]
fn a_freed_block_is_not_allocated_while_operations_use_it() {
    in_all_modes(|bench| {
        let total = bench.device.info().total_memory as usize;
        let stream = bench.stream();
        let (kept, target) = (bench.alloc(4096), bench.alloc(total / 2));
        bench.device.fill(fill(target.addr, 4096, 1)).unwrap();
        let gate = Gate::close(&stream);
        stream.copy(copy(device(kept.addr, 4096), device(target.addr, 4096))).unwrap();
        bench.device.free(target).unwrap();
        // Only the freed block has room, and that is in use.
        let fault = bench.device.alloc(total / 2, PagePolicy::HugeFirst).unwrap_err();
        assert_eq!(fault.kind(), FaultKind::OutOfDeviceMemory);
        gate.open();
        sync(&stream);
        assert_eq!(bench.read(kept.addr, 4096), [1; 4096]);
        assert_eq!(bench.alloc(total / 2).addr, target.addr);
    });
}

#[test]
fn a_block_that_no_operation_uses_is_free_at_once() {
    in_all_modes(|bench| {
        let total = bench.device.info().total_memory as usize;
        let (stream, other) = (bench.stream(), bench.alloc(4096));
        let gate = Gate::close(&stream);
        stream.fill(fill(other.addr, 4096, 1)).unwrap();
        let block = bench.alloc(total / 2);
        bench.device.free(block).unwrap();
        assert_eq!(bench.alloc(total / 2).addr, block.addr);
        gate.open();
        sync(&stream);
    });
}

#[test]
fn page_policies_get_what_the_kernel_confirms() {
    in_all_modes(page_policies);
}

fn page_policies(bench: Bench) {
    let page_size = |block| bench.driver.page_size(block);
    let normal = bench.device.alloc(8 * MIB, PagePolicy::NormalOnly).unwrap();
    bench.device.fill(fill(normal.addr, normal.len, 1)).unwrap();
    assert_eq!(page_size(normal), 4096);

    let fault = bench.device.alloc(1 << 30, PagePolicy::Huge1GOnly).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::OutOfDeviceMemory);
    assert!(fault.text().contains("1 GiB"), "{}", fault.text());

    // This finds out whether the kernel gives 2 MiB pages of memory files at all.
    let Ok(only) = bench.device.alloc(100, PagePolicy::HugeOnly) else {
        let huge_first = bench.alloc(8 * MIB);
        assert_eq!(page_size(huge_first), 4096);
        return;
    };
    assert_eq!((only.len, page_size(only)), (HUGE, HUGE));
    let only = bench.device.alloc(2 * HUGE + 32, PagePolicy::HugeOnly).unwrap();
    assert_eq!((only.len, page_size(only)), (2 * HUGE + 4096, HUGE));
    let only = bench.device.alloc(2 * HUGE + 64, PagePolicy::HugeOnly).unwrap();
    assert_eq!((only.len, page_size(only)), (3 * HUGE, HUGE));

    // The kernel's page size agrees with its result of the request: before the first use here, and also afterwards.
    let failures = || bench.driver.shared.memory_of(0).unwrap().huge_failures();
    let expected = |before| if failures() == before { HUGE } else { 4096 };
    let before = failures();
    let first = bench.alloc(8 * MIB + 32);
    assert_eq!(page_size(first), expected(before));
    bench.device.fill(fill(first.addr, first.len, 7)).unwrap();
    assert_eq!(page_size(first), expected(before));

    // Here an operation has used the pages before the query.
    let before = failures();
    let second = bench.alloc(8 * MIB);
    bench.device.fill(fill(second.addr, second.len, 9)).unwrap();
    assert_eq!(page_size(second), expected(before));
    assert!(bench.read(second.addr, second.len).iter().all(|&byte| byte == 9));

    // The content survives when its pages are made huge.
    let third = bench.alloc(8 * MIB);
    let own = crate::base::bytes::address(third.addr + bench.driver.shared.library_view);
    // SAFETY: the block is live and not shared.
    unsafe { own.write_bytes(3, third.len) };
    let before = failures();
    assert_eq!(page_size(third), expected(before));
    assert!(bench.read(third.addr, third.len).iter().all(|&byte| byte == 3));

    let small = bench.alloc(4096);
    assert_eq!(page_size(small), 4096);
}

#[test]
fn freed_memory_goes_back_to_the_system() {
    in_all_modes(freed_memory);
}

fn freed_memory(bench: Bench) {
    let resident = || {
        let memory = bench.driver.shared.memory_of(0).unwrap();
        memory.resident_bytes()
    };
    let block = bench.alloc(64 * MIB);
    assert_eq!(resident(), 0);
    bench.device.fill(fill(block.addr, block.len, 1)).unwrap();
    assert!(resident() >= 64 << 20);
    bench.device.free(block).unwrap();
    assert_eq!(resident(), 0);
}

/// Returns the kernel's protection of an address.
pub(super) fn access(addr: usize) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let line = maps.lines().find(|line| {
        let (start, rest) = line.split_once('-').unwrap();
        let (end, _) = rest.split_once(' ').unwrap();
        let number = |text| usize::from_str_radix(text, 16).unwrap();
        (number(start)..number(end)).contains(&addr)
    });
    line.map_or("none", |line| line.split(' ').nth(1).unwrap()).to_owned()
}

#[test]
fn in_guard_mode_a_device_is_out_of_the_hosts_reach_and_all_else_is_not() {
    for (bench, expected) in [(Bench::guarded(), "---s"), (Bench::new(false), "rw-s")] {
        for len in [100, 4096, 3 * MIB, 100 * MIB] {
            let block = bench.alloc(len);
            bench.device.fill(fill(block.addr, len, 5)).unwrap();
            for addr in [block.addr, block.addr + block.len - 1] {
                assert_eq!(access(addr), expected);
            }
            bench.device.free(block).unwrap();
            assert_eq!(access(block.addr), expected);
        }
        for len in [100, 3 * MIB] {
            let host = bench.driver.alloc_host(len).unwrap();
            assert_eq!(access(host.addr), "rw-p");
            bench.driver.free_host(host).unwrap();
        }
    }
}

#[test]
fn large_copies_keep_every_byte() {
    in_all_modes(|bench| {
        let len = 40 * MIB + 77;
        let (a, b) = (bench.alloc(len + 64).addr, bench.alloc(len + 64).addr);
        let mut pattern: Vec<u8> = (0..len).map(|i| (i * 7 + i / 4099) as u8).collect();
        for (from, to) in [(0, 0), (1, 0), (3, 35)] {
            let stream = bench.stream();
            stream.fill(fill(b, len + 64, 0)).unwrap();
            stream.copy(copy(device(a + from, len), pageable(&mut pattern))).unwrap();
            stream.copy(copy(device(b + to, len), device(a + from, len))).unwrap();
            sync(&stream);
            assert!(bench.read(b + to, len) == pattern, "{from} {to}");
            assert_eq!(bench.read(b + to + len, 1), [0]);
        }
    });
}

#[test]
fn a_driver_with_impossible_memory_is_refused() {
    for memory_per_device in [0, u64::MAX] {
        let memory_per_device = Some(memory_per_device);
        let options = Options { memory_per_device, ..Options::default() };
        let fault = crate::open(options).err().expect("must be refused");
        assert!(fault.text().contains("PORTACL_CPU_MEMORY"));
    }
    let driver = crate::open(Options::default()).unwrap();
    assert_eq!((driver.device_count(), driver.name()), (4, "cpu"));
}

#[test]
fn copies_between_devices_work() {
    in_all_modes(|bench| {
        let other = bench.driver.open(1).unwrap();
        let len = 5 * MIB;
        let theirs = other.alloc(len, PagePolicy::HugeFirst).unwrap();
        let dst = Span { addr: theirs.addr, len, place: Place::Device(1) };
        let (stream, ours) = (bench.stream(), bench.alloc(len).addr);
        stream.fill(fill(ours, len, 6)).unwrap();
        stream.copy(copy(dst, device(ours, len))).unwrap();
        stream.fill(fill(ours, len, 0)).unwrap();
        stream.copy(copy(device(ours, len), dst)).unwrap();
        sync(&stream);
        assert!(bench.read(ours, len).iter().all(|&byte| byte == 6));
        other.free(theirs).unwrap();
        other.close().unwrap();
    });
}
