//! Tests of pinned memory: its limit, its lifetime and its alignment.

use super::*;
use crate::backend::Calls;

const HUGE: usize = 2 * MIB;

#[test]
fn pinned_memory_stays_while_operations_use_it() {
    in_all_modes(|bench| {
        for len in [4096, 4 * MIB] {
            let (stream, target) = (bench.stream(), bench.alloc(len).addr);
            let host = bench.driver.alloc_host(len).unwrap();
            bench.device.fill(Fill::bytes(pinned(host.addr, len), 1)).unwrap();
            let gate = Gate::close(&stream);
            stream.copy(copy(device(target, len), pinned(host.addr, len))).unwrap();
            bench.driver.free_host(host).unwrap();
            let other = bench.driver.alloc_host(len).unwrap();
            assert_ne!(other.addr, host.addr);
            bench.device.fill(Fill::bytes(pinned(other.addr, len), 2)).unwrap();
            gate.open();
            sync(&stream);
            assert!(bench.read(target, len).iter().all(|&byte| byte == 1));
            bench.driver.free_host(other).unwrap();
        }
    });
}

#[test]
fn pinned_memory_is_aligned_and_apart() {
    let bench = Bench::new(false);
    let mut blocks = Vec::new();
    for len in [1, 64, 511, 4000, 4096, 5000, MIB, MIB + 1, HUGE - 1, HUGE, HUGE + 1, 5 * MIB] {
        for _ in 0..3 {
            let block = bench.driver.alloc_host(len).unwrap();
            assert!(block.len >= len);
            assert_eq!(block.addr % if len >= 4096 { 4096 } else { 512 }, 0);
            assert!(len < HUGE || block.addr % HUGE == 0);
            bench.device.fill(Fill::bytes(pinned(block.addr, len), 1)).unwrap();
            blocks.push(block);
        }
    }
    blocks.sort_by_key(|block| block.addr);
    assert!(blocks.windows(2).all(|pair| pair[0].addr + pair[0].len <= pair[1].addr));
    for block in blocks {
        bench.driver.free_host(block).unwrap();
    }
}

#[test]
fn large_pinned_memory_is_used_again() {
    let bench = Bench::new(false);
    let first = bench.driver.alloc_host(8 * MIB).unwrap();
    bench.driver.free_host(first).unwrap();
    let second = bench.driver.alloc_host(7 * MIB).unwrap();
    assert_eq!((second.addr, second.len), (first.addr, first.len));
    // The cached block is there only once.
    let third = bench.driver.alloc_host(8 * MIB).unwrap();
    assert_ne!(third.addr, first.addr);
    bench.driver.free_host(second).unwrap();
    bench.driver.free_host(third).unwrap();
    assert!(bench.driver.host.make_room());
    assert!(!bench.driver.host.make_room());
}

/// Checks that cached memory does not use up the limit on locked memory.
#[test]
fn kept_pinned_memory_makes_room_under_the_limit() {
    const INSIDE: &str = "PORTACL_TEST_INSIDE";
    if std::env::var_os(INSIDE).is_none() {
        // The test runs in a separate process, because the limit is for all that a process has locked.
        #[expect(clippy::disallowed_methods, reason = "a thread of the tests")]
        let name = std::thread::current().name().expect("tests have names").to_owned();
        let program = std::env::current_exe().unwrap();
        let output = std::process::Command::new(program)
            .args(["--exact", &name, "--nocapture", "--test-threads=1"])
            .env(INSIDE, "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    limit_locked_memory(8 << 20);
    let bench = Bench::new(false);
    // If the limit is still lower, nothing is locked, before and after.
    let unlocked = || bench.driver.host.unlocked_bytes();
    let first = bench.driver.alloc_host(6 * MIB).unwrap();
    let nothing = if unlocked() == 0 { 0 } else { u64::MAX };
    bench.driver.free_host(first).unwrap();
    // The cached block is too small for this one, and both together are too large.
    let second = bench.driver.alloc_host(4 * MIB).unwrap();
    assert!(unlocked() <= nothing, "{}", unlocked());
    bench.driver.free_host(second).unwrap();
    let own = vec![1_u8; 6 * MIB];
    let addr = own.as_ptr().expose_provenance().next_multiple_of(4096);
    bench.driver.register_host(addr, 5 * MIB).unwrap();
    assert!(unlocked() <= nothing, "{}", unlocked());
    bench.driver.unregister_host(addr, 5 * MIB).unwrap();
}

/// Removes the calling thread's right to lock more memory than the limit, and lowers the limit.
fn limit_locked_memory(bytes: u64) {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    const CAPABILITY_VERSION_3: u32 = 0x2008_0522;
    let header = Header { version: CAPABILITY_VERSION_3, pid: 0 };
    let none = [0u32; 6];
    // SAFETY: both arguments have the layout and size that version 3 wants; capabilities belong
    // to the thread, so no other test is affected.
    let dropped = unsafe { libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) };
    assert_eq!(dropped, 0);
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: reads and writes the structure that it is given.
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_MEMLOCK, &raw mut limit), 0);
        limit.rlim_cur = limit.rlim_cur.min(bytes);
        assert_eq!(libc::setrlimit(libc::RLIMIT_MEMLOCK, &raw const limit), 0);
    }
}

#[test]
fn pinned_memory_beyond_the_limit_is_had_unlocked() {
    // The test runs on a separate thread, because the rights that it drops cannot be restored.
    let test = || {
        limit_locked_memory(4 << 20);
        let bench = Bench::new(false);
        let block = bench.driver.alloc_host(16 * MIB).unwrap();
        bench.device.fill(Fill::bytes(pinned(block.addr, block.len), 1)).unwrap();
        assert_eq!(bench.driver.host.unlocked_bytes(), 16 << 20);
        bench.driver.free_host(block).unwrap();
        // When the block is used again, it is not locked, either.
        let again = bench.driver.alloc_host(16 * MIB).unwrap();
        assert_eq!((again.addr, bench.driver.host.unlocked_bytes()), (block.addr, 32 << 20));
        bench.driver.free_host(again).unwrap();
    };
    std::thread::spawn(test).join().unwrap();
}
