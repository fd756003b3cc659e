//! Tests of memory in several processes. The processes are two drivers of one process, which share no state.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

use super::memory::access;
use super::*;
use crate::backend::{Calls, FaultKind, MemoryPlace, PointerExport, Pool, PoolAttribute, SharedMemory};
use crate::base::files;
use crate::pool::shared_file::{MEMORY, SharedFile};

const HUGE: usize = 2 * MIB;

fn import(bench: &Bench, descriptor: impl AsFd) -> Box<dyn Pool> {
    let (pool, place) = bench.driver.import_memory(descriptor.as_fd(), 0).unwrap();
    assert_eq!(place, MemoryPlace::Device(0));
    pool
}

/// Returns why the driver does not import this.
fn refused(descriptor: BorrowedFd<'_>) -> String {
    let bench = Bench::new(false);
    let fault = bench.driver.import_memory(descriptor, 0).err().expect("it is refused");
    assert_eq!(fault.kind(), FaultKind::InvalidArgument);
    fault.text().to_owned()
}

fn refused_name(imported: &dyn Pool, name: &PointerExport) -> String {
    let fault = imported.import_block(name).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::InvalidArgument);
    fault.text().to_owned()
}

/// Runs a test with an exporter, its memory with a block of 4 MiB, and an importer.
fn both_sides(test: impl Fn(&Bench, &Arc<dyn SharedMemory>, Block, &Bench)) {
    for (guard_here, guard_there) in [(false, false), (true, false), (false, true), (true, true)] {
        let bench = |guard| if guard { Bench::guarded() } else { Bench::new(false) };
        let (exporter, importer) = (bench(guard_here), bench(guard_there));
        let shared = exporter.device.share().unwrap();
        let block = shared.alloc(4 * MIB).unwrap();
        test(&exporter, &shared, block, &importer);
    }
}

#[test]
fn what_one_side_writes_the_other_one_reads() {
    both_sides(|exporter, shared, block, importer| {
        // The range neither begins nor ends with a page.
        let (at, len) = (block.addr + 3 * 4096 + 768, HUGE + 1000);
        exporter.device.fill(fill(at - 1, len + 2, 1)).unwrap();
        exporter.device.fill(fill(at, len, 2)).unwrap();
        let name = shared.export_range(at, len).unwrap();
        assert_eq!(shared.export_range(at, len).unwrap(), name, "the same name again");

        let imported = import(importer, shared.export().unwrap());
        let there = imported.import_block(&name).unwrap();
        assert_eq!((there.len, there.addr % 4096), (len, 768));
        assert_eq!(importer.read(there.addr, len), vec![2; len]);

        importer.device.fill(fill(there.addr, len, 3)).unwrap();
        assert_eq!(exporter.read(at, len), vec![3; len]);
        assert_eq!(exporter.read(at - 1, 1), [1], "nothing in front of it was written");
        assert_eq!(exporter.read(at + len, 1), [1], "nothing behind it was written");

        // Another import of the same block has another address. Each is freed separately.
        let again = imported.import_block(&name).unwrap();
        assert_ne!(again.addr, there.addr);
        let mapped = || imported.get(PoolAttribute::UsedCurrent).unwrap();
        assert_eq!(mapped(), 2 * len as u64);
        imported.free_now(there).unwrap();
        assert_eq!(importer.read(again.addr, len), vec![3; len]);
        assert_eq!(mapped(), len as u64);
        imported.free_now(again).unwrap();
        assert_eq!(mapped(), 0);
        assert_eq!(importer.driver.shared.imports.count(), 0);
    });
}

#[test]
fn only_the_exporter_pays() {
    both_sides(|exporter, shared, block, importer| {
        let total = exporter.device.info().total_memory;
        let free = |bench: &Bench| bench.device.free_memory().unwrap();
        let used = |bench: &Bench| bench.device.memory_usage().device.current;
        assert_eq!((block.len, block.addr % HUGE), (4 * MIB, 0));
        assert_eq!((free(exporter), used(exporter)), (total - (4 << 20), 4 << 20));
        let name = shared.export_range(block.addr, block.len).unwrap();
        let imported = import(importer, shared.export().unwrap());
        let there = imported.import_block(&name).unwrap();
        assert_eq!((free(importer), used(importer)), (total, 0));
        imported.free_now(there).unwrap();
        exporter.device.free(block).unwrap();
        assert_eq!((free(exporter), used(exporter)), (total, 0));

        let fault = shared.alloc(257 * MIB).unwrap_err();
        assert_eq!(fault.kind(), FaultKind::OutOfDeviceMemory);
        assert!(fault.text().contains("PORTACL_CPU_MEMORY"), "{}", fault.text());
    });
}

#[test]
fn blocks_are_whole_pages_and_all_of_the_device() {
    let bench = Bench::new(false);
    let shared = bench.device.share().unwrap();
    let blocks: Vec<_> = (0..128).map(|_| shared.alloc(2 * MIB).unwrap()).collect();
    assert!(blocks.iter().all(|block| block.len == HUGE && block.addr % HUGE == 0));
    assert!(bench.device.alloc(1, PagePolicy::NormalOnly).is_err());
    for block in blocks {
        bench.device.free(block).unwrap();
    }
    bench.device.free(bench.alloc(256 * MIB)).unwrap();
}

/// Checks that shared memory is not shared any more after it was freed.
#[test]
fn importers_see_nothing_of_what_comes_after() {
    both_sides(|exporter, shared, block, importer| {
        exporter.device.fill(fill(block.addr, block.len, 1)).unwrap();
        let descriptor = shared.export().unwrap();
        let name = shared.export_range(block.addr, block.len).unwrap();
        let there = import(importer, &descriptor).import_block(&name).unwrap();
        assert!(file_bytes(&descriptor) >= 4 << 20);

        exporter.device.free(block).unwrap();
        assert_eq!(access(block.addr), access(exporter.alloc(512).addr), "the device's own file");
        assert!(file_bytes(&descriptor) < 1 << 20, "its pages went back to the system");
        let all = exporter.alloc(200 * MIB);
        exporter.device.fill(fill(all.addr, all.len, 2)).unwrap();
        assert!(importer.read(there.addr, there.len).iter().all(|&byte| byte == 0));
    });
}

fn file_bytes(descriptor: &OwnedFd) -> u64 {
    files::file_bytes(descriptor.as_fd())
}

#[test]
fn names_end_with_their_range() {
    both_sides(|_, shared, block, importer| {
        let imported = import(importer, shared.export().unwrap());
        let [first, second] = [0, 4096].map(|at| shared.export_range(block.addr + at, 4096).unwrap());
        shared.withdraw(block.addr);
        shared.withdraw(block.addr + 512);
        assert!(refused_name(&*imported, &first).contains("freed"));
        imported.import_block(&second).unwrap();

        // The next range at the same place, of the same length, has another name, ...
        let third = shared.export_range(block.addr, 4096).unwrap();
        assert_ne!(third, first);
        assert!(refused_name(&*imported, &first).contains("freed"));
        imported.import_block(&third).unwrap();
        // ... as has one of another length.
        let longer = shared.export_range(block.addr, 8192).unwrap();
        assert!(refused_name(&*imported, &third).contains("freed"));
        imported.import_block(&longer).unwrap();
    });
}

#[test]
fn closed_memory_stays_readable_and_cannot_be_imported() {
    both_sides(|exporter, shared, block, importer| {
        exporter.device.fill(fill(block.addr, block.len, 5)).unwrap();
        let descriptor = shared.export().unwrap();
        let name = shared.export_range(block.addr, block.len).unwrap();
        let imported = import(importer, &descriptor);
        let there = imported.import_block(&name).unwrap();
        shared.close();
        assert!(refused_name(&*imported, &name).contains("cannot be imported any longer"));
        assert!(refused(descriptor.as_fd()).contains("cannot be imported any longer"));
        assert_eq!(importer.read(there.addr, there.len), vec![5; 4 * MIB]);
        // The exporter goes on, too.
        assert_eq!(exporter.read(block.addr, 100), [5; 100]);
    });
}

#[test]
fn what_ends_with_its_exporter_is_readable_until_it_is_freed() {
    let importer = Bench::new(false);
    let exporter = Bench::new(false);
    let shared = exporter.device.share().unwrap();
    let block = shared.alloc(HUGE).unwrap();
    exporter.device.fill(fill(block.addr, block.len, 6)).unwrap();
    let descriptor = shared.export().unwrap();
    let name = shared.export_range(block.addr, block.len).unwrap();
    let imported = import(&importer, &descriptor);
    let there = imported.import_block(&name).unwrap();
    // There is neither a close nor a free of the import.
    exporter.device.close().unwrap();
    drop(shared);
    assert!(refused_name(&*imported, &name).contains("cannot be imported any longer"));
    assert_eq!(importer.read(there.addr, there.len), vec![6; HUGE]);
    assert_eq!(importer.read(there.addr, there.len), vec![6; HUGE]);
    imported.free_now(there).unwrap();
    assert_eq!(importer.driver.shared.imports.count(), 0);
}

#[test]
fn queued_operations_keep_what_was_imported() {
    both_sides(|exporter, shared, block, importer| {
        exporter.device.fill(fill(block.addr, block.len, 7)).unwrap();
        let name = shared.export_range(block.addr, block.len).unwrap();
        let imported = import(importer, shared.export().unwrap());
        let there = imported.import_block(&name).unwrap();
        let stream = importer.stream();
        let copied = importer.alloc(there.len);
        let gate = Gate::close(&stream);
        let (dst, src) = (device(copied.addr, there.len), device(there.addr, there.len));
        stream.copy(copy(dst, src)).unwrap();
        imported.free(there, &*stream).unwrap();
        assert_eq!(importer.driver.shared.imports.count(), 1);
        gate.open();
        sync(&stream);
        assert_eq!(importer.read(copied.addr, there.len), vec![7; there.len]);
        importer.device.free(importer.alloc(1)).unwrap();
        assert_eq!(importer.driver.shared.imports.count(), 0);
    });
}

#[test]
fn addresses_around_an_import_are_stale() {
    both_sides(|_, shared, block, importer| {
        let name = shared.export_range(block.addr + 4096 + 512, 1024).unwrap();
        let there = import(importer, shared.export().unwrap()).import_block(&name).unwrap();
        for addr in [there.addr - 512, there.addr + there.len] {
            assert_eq!(importer.driver.foreign(addr), Foreign::Stale);
        }
    });
}

#[test]
fn in_guard_mode_the_host_cannot_reach_it() {
    let expected = |bench: &Bench| match bench.driver.shared.options.guard {
        true => "---s",
        false => "rw-s",
    };
    both_sides(|exporter, shared, block, importer| {
        let name = shared.export_range(block.addr, block.len).unwrap();
        let there = import(importer, shared.export().unwrap()).import_block(&name).unwrap();
        for at in [0, 4 * MIB - 1] {
            assert_eq!(access(block.addr + at), expected(exporter));
            assert_eq!(access(there.addr + at), expected(importer));
        }
        let known = |addr| importer.driver.shared.imports.contains(addr);
        let last = there.addr + there.len - 1;
        assert_eq!([there.addr, last].map(known), [true; 2]);
        assert_eq!([there.addr - 1, last + 1].map(known), [false; 2]);
    });
}

#[test]
fn a_device_has_to_be_the_same() {
    let exporter = Bench::new(false);
    let other = exporter.driver.open(1).unwrap().share().unwrap();
    let text = refused(other.export().unwrap().as_fd());
    assert!(text.contains("on device 1") && text.contains("device 0"), "{text}");

    // The numbers count among all devices of the machine, not among those that were chosen.
    let options = Bench::options(false, 256 << 20);
    let driver = CpuDriver::new(options, |_| vec![1]).unwrap();
    let device = driver.open(0).unwrap();
    let block = other.alloc(HUGE).unwrap();
    let name = other.export_range(block.addr, 4096).unwrap();
    let (imported, _) = driver.import_memory(other.export().unwrap().as_fd(), 0).unwrap();
    imported.free_now(imported.import_block(&name).unwrap()).unwrap();
    device.close().unwrap();
}

#[test]
fn host_memory_is_shared_likewise() {
    let (exporter, importer) = (Bench::new(false), Bench::guarded());
    let shared = exporter.driver.share_host(0).unwrap();
    let blocks = [0; 3].map(|_| shared.alloc(3 * MIB).unwrap());
    let [first, block, _] = blocks;
    assert_eq!((block.len, block.addr % HUGE), (4 * MIB, 0));
    let bytes = |addr: usize| crate::base::bytes::address(addr);
    // SAFETY: the blocks are live, and the host's.
    unsafe { bytes(block.addr).write_bytes(8, block.len) };
    let name = shared.export_range(block.addr + 512, block.len - 1024).unwrap();
    let descriptor = shared.export().unwrap();
    let (imported, place) = importer.driver.import_memory(descriptor.as_fd(), 0).unwrap();
    assert_eq!(place, MemoryPlace::Host(Some(0)));
    let there = imported.import_block(&name).unwrap();
    assert_eq!(there.len, block.len - 1024);
    // SAFETY: the imported mapping is `there.len` bytes long and lives until the end of the test.
    let read = unsafe { std::slice::from_raw_parts(bytes(there.addr), there.len) };
    assert!(read.iter().all(|&byte| byte == 8));

    exporter.driver.free_host(first).unwrap();
    let next = shared.alloc(HUGE).unwrap();
    assert_ne!(next.addr, block.addr);
    shared.withdraw(block.addr + 512);
    assert!(refused_name(&*imported, &name).contains("freed"));
    for block in [next, block, blocks[2]] {
        exporter.driver.free_host(block).unwrap();
    }
    assert!(file_bytes(&shared.export().unwrap()) < 1 << 20);
    imported.free_now(there).unwrap();
    assert_eq!(importer.driver.shared.imports.count(), 0);
}

#[test]
fn what_is_no_shared_memory_is_refused() {
    let (reader, _writer) = std::io::pipe().unwrap();
    assert!(refused(reader.as_fd()).contains("no seals"));
    let null = File::open("/dev/null").unwrap();
    assert!(refused(null.as_fd()).contains("does not belong to an exported memory pool"));
    // SAFETY: the name is a terminated string, and the descriptor is not shared.
    let unsealed = unsafe { OwnedFd::from_raw_fd(libc::memfd_create(c"any".as_ptr(), libc::MFD_CLOEXEC)) };
    assert!(refused(unsealed.as_fd()).contains("no seals"));
    for len in [0, 20, 8 << 20] {
        let empty = files::sealed_file(c"portacl-shared", len).unwrap();
        assert!(refused(empty.get().unwrap()).contains("does not belong to an exported memory pool"), "{len}");
    }
}

/// Changes the bytes of a file's header one by one. Then all are as before.
#[test]
fn damaged_headers_are_refused() {
    let bench = Bench::new(false);
    let shared = bench.device.share().unwrap();
    let descriptor = shared.export().unwrap();
    let file = File::from(descriptor.try_clone().unwrap());
    let mut header = [0; 56];
    file.read_exact_at(&mut header, 0).unwrap();
    for at in 0..header.len() {
        file.write_all_at(&[header[at] ^ 0x10], at as u64).unwrap();
        let text = refused(descriptor.as_fd());
        let expected = match at {
            0..8 => "no header of a pool",
            8..12 => "another version",
            _ => "checksum",
        };
        assert!(text.contains(expected), "{at}: {text}");
        file.write_all_at(&header[at..=at], at as u64).unwrap();
    }
    import(&bench, &descriptor);
}

#[test]
fn a_size_that_is_not_that_of_the_file_is_refused() {
    let shared = SharedFile::new(MemoryPlace::Device(0), 8 << 20).unwrap();
    let mut header = [0; 56];
    shared.file.file().unwrap().read_exact_at(&mut header, 0).unwrap();
    let shorter = files::sealed_file(c"portacl-shared", MEMORY + (4 << 20)).unwrap();
    shorter.file().unwrap().write_all_at(&header, 0).unwrap();
    assert!(refused(shorter.get().unwrap()).contains("damaged file"));
}

#[test]
fn the_file_of_shared_memory_cannot_be_resized() {
    let bench = Bench::new(false);
    let shared = bench.device.share().unwrap();
    let file = File::from(shared.export().unwrap());
    assert!(file.set_len(0).is_err());
    assert!(file.set_len(1 << 40).is_err());
}

#[test]
fn damaged_and_foreign_names_are_refused() {
    let bench = Bench::new(false);
    let [shared, other] = [0; 2].map(|_| bench.device.share().unwrap());
    let [name, others] = [&shared, &other].map(|shared| {
        let block = shared.alloc(HUGE).unwrap();
        shared.export_range(block.addr, 4096).unwrap()
    });
    let imported = import(&bench, shared.export().unwrap());
    assert!(refused_name(&*imported, &others).contains("another pool"));
    assert!(refused_name(&*imported, &[0; 64]).contains("not an exported pointer"));
    for at in 0..name.len() {
        let mut damaged = name;
        damaged[at] ^= 1;
        let text = refused_name(&*imported, &damaged);
        assert!(text.contains("not an exported pointer"), "{at}: {text}");
    }
    imported.import_block(&name).unwrap();
}

#[test]
fn there_is_room_for_many_names() {
    let shared = SharedFile::new(MemoryPlace::Device(0), 1 << 30).unwrap();
    let export = |offset| shared.export(offset * 512, 512);
    const MOST: u64 = ((2 << 20) - 4096) / 32;
    assert!((0..MOST).all(|offset| export(offset).is_ok()));
    let fault = export(MOST).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::OutOfHostMemory);
    assert!(fault.text().contains(&MOST.to_string()), "{}", fault.text());
    shared.withdraw(77 * 512);
    export(MOST).unwrap();
    assert!(export(77).is_err());
}
