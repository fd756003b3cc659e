//! Tests over the memory from a driver in guard mode.

use crate::backend::Block;
use crate::backend::base::probe;
use crate::backend::memory::closed::*;
use crate::base::bytes;
use crate::memory::bounds::{Bounds, Check};
use crate::memory::host_access::Handler;
use crate::memory::pinned::HostMemory;
use parking_lot::Mutex;

static TOUCHES: Mutex<Vec<Touch>> = Mutex::new(Vec::new());

/// A block of five pages. The request uses only a part of the last one.
struct Fixture {
    memory: HostMemory,
    block: Block,
    _handler: Handler,
}

const LEN: usize = 4 * PAGE + 100;

impl Fixture {
    fn new() -> Self {
        report_touches_by(|touch| TOUCHES.lock().push(*touch));
        let handler = Handler::install();
        let bounds = Bounds::new(Check::Guard, 0, "in host memory".to_owned());
        let memory = HostMemory::new(bounds.into(), true);
        let block = memory.take(LEN).unwrap();
        Self { memory, block, _handler: handler }
    }

    fn page(&self, number: usize) -> usize {
        self.block.addr + number * PAGE
    }

    /// Returns which of the pages the program can read.
    fn readable(&self) -> [bool; 5] {
        [0, 1, 2, 3, 4].map(|number| probe::is_readable(self.page(number)))
    }

    fn read(&self, number: usize) -> u8 {
        // SAFETY: a byte of the fixture's block, which no other test knows.
        unsafe { bytes::address(self.page(number)).read_volatile() }
    }

    fn write(&self, number: usize, byte: u8) {
        // SAFETY: only this test has the block that it writes to.
        unsafe { bytes::address(self.page(number)).write_volatile(byte) }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.memory.free_unused(self.block);
    }
}

fn touches_of(id: u64) -> Vec<Touch> {
    TOUCHES.lock().iter().filter(|touch| touch.id == id).copied().collect()
}

#[test]
fn only_pages_inside_of_the_range_and_of_the_request_are_closed() {
    let all = Fixture::new();
    let id = close(all.page(0) + 1, all.page(3) - 1, true).unwrap();
    assert_eq!(all.readable(), [true, false, true, true, true]);
    open(id);
    assert_eq!(all.readable(), [true; 5]);
    let id = close(all.page(0), all.block.addr + LEN, true).unwrap();
    assert_eq!(all.readable(), [false, false, false, false, true]);
    open(id);
    assert_eq!(close(all.page(0) + 1, all.page(1) + PAGE - 1, true), None);
    assert_eq!(close(all.page(4), all.page(5), true), None);
    assert_eq!(all.readable(), [true; 5]);
}

#[test]
fn a_page_opens_with_the_last_range_that_has_it() {
    let all = Fixture::new();
    let first = close(all.page(0), all.page(3), true).unwrap();
    let second = close(all.page(1), all.page(4), true).unwrap();
    open(first);
    assert_eq!(all.readable(), [true, false, false, false, true]);
    open(second);
    assert_eq!(all.readable(), [true; 5]);
}

#[test]
fn the_library_uses_a_view_of_its_own() {
    let all = Fixture::new();
    let id = close(all.page(0), all.page(2), true).unwrap();
    let own = all.page(1) + library_view(all.page(1));
    // SAFETY: the same page in the library's view, which stays open.
    unsafe { bytes::address(own).write_volatile(7) };
    open(id);
    assert_eq!(all.read(1), 7);
    assert!(touches_of(id).is_empty());
}

#[test]
fn an_access_is_reported_once_and_repeated() {
    let all = Fixture::new();
    all.write(1, 3);
    let id = close(all.page(0), all.page(4), true).unwrap();
    assert_eq!(all.read(1), 3);
    all.write(2, 4);
    let touches = touches_of(id);
    assert_eq!(touches.len(), 1);
    assert_eq!(touches[0].addr, all.page(1));
    assert!(touches[0].writes.is_none_or(|writes| !writes));
    assert_eq!(all.readable(), [true; 5]);
    open(id);
}

#[test]
fn memory_that_is_read_can_be_read() {
    let all = Fixture::new();
    let reader = close(all.page(0), all.page(4), false).unwrap();
    assert_eq!((all.read(1), all.readable()), (0, [true; 5]));
    // An operation that writes closes it for reads.
    let writer = close(all.page(2), all.page(3), true).unwrap();
    assert_eq!(all.readable(), [true, true, false, true, true]);
    open(writer);
    assert!(touches_of(reader).is_empty());
    all.write(1, 5);
    assert_eq!(touches_of(reader).len(), 1);
    assert_eq!(all.read(1), 5);
    open(reader);
}

#[test]
fn a_block_that_a_kernel_has_is_open() {
    let all = Fixture::new();
    let id = close(all.page(0), all.page(4), true).unwrap();
    let arguments = [0_u32.to_ne_bytes().as_slice(), &all.page(2).to_ne_bytes()].concat();
    lend_arguments(&arguments);
    assert_eq!(all.readable(), [true; 5]);
    open(id);
    assert_eq!(close(all.page(0), all.page(4), true), None);
}

#[test]
fn a_freed_block_is_forgotten() {
    let all = Fixture::new();
    let (id, addr) = (close(all.page(0), all.page(4), true).unwrap(), all.page(0));
    all.memory.free_unused(all.block);
    assert_eq!((library_view(addr), close(addr, addr + PAGE, true)), (0, None));
    open(id);
    assert!(!probe::is_readable(addr), "freed memory stays without access");
    // The block is freed already.
    std::mem::forget(all);
}
