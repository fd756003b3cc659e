//! Closes the program's access to pinned memory that pending operations use (guard mode with `PORTACL_CHECK=sync`).
//!
//! A block is mapped twice: at the program's addresses, and in the library's view. The checker closes the pages of a
//! range when an operation that uses it is submitted, and opens them when the host has waited. In between, an access of
//! the program faults. The signal handler (`host_access.rs`) reports it and opens the pages, so that the program goes
//! on as if nothing were checked. The handler tries the lock for a moment. If that stays taken, the page opens without
//! a report.

use std::collections::BTreeSet;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::algo::map::address_map::{AddressMap, Range};
use crate::base::protect::set_access;
use crate::stream::host_fn::inside_host_function;
use crate::{Access, Block};

/// The size of the pages in bytes.
pub const PAGE: usize = 4096;
/// The maximum number of blocks that are mapped twice. Each uses up to six of the mappings that the kernel allows a
/// process.
const MOST_BLOCKS: usize = 4 << 10;
/// The maximum number of closed ranges.
const MOST_CLOSED: usize = 1 << 10;

/// The number of times that the signal handler tries to take a lock. A thread that has crashed with the lock would wait
/// forever.
pub const TRIES: usize = 1 << 20;

static BLOCKS: AddressMap = AddressMap::new();
/// The indexes in `Range::words` of the distance of the library's view, and of the number of bytes of the request.
const OWN: usize = 0;
const ASKED: usize = 1;

/// True if such a block was ever allocated.
static ARE_USED: AtomicBool = AtomicBool::new(false);

/// A closed range.
struct Closed {
    /// The number that distinguishes the range from all that were ever closed.
    id: u64,
    first: usize,
    end: usize,
    /// Whether the operation writes the memory, so that the program may not read it either.
    writes: bool,
    /// True when the program has used the memory, which is open from then on.
    is_open: bool,
}

/// The closed ranges. The lock is held while ranges are closed and opened, by a thread that uses no memory that can be
/// closed.
static STATE: Mutex<ClosedMemory> = Mutex::new(ClosedMemory { closed: Vec::new(), latest: 0, lent: BTreeSet::new() });

struct ClosedMemory {
    closed: Vec<Closed>,
    latest: u64,
    /// The blocks whose address a kernel had. It may use them at any time, also by threads that it started.
    lent: BTreeSet<usize>,
}

impl ClosedMemory {
    /// Gives the pages of a range the access that the closed ranges leave.
    fn protect(&self, first: usize, end: usize) -> io::Result<()> {
        let closed = || self.closed.iter().filter(|it| !it.is_open && it.first < end && first < it.end);
        let inside = |edge: &usize| (first + 1..end).contains(edge);
        let mut edges: Vec<usize> = closed().flat_map(|it| [it.first, it.end]).filter(inside).collect();
        edges.extend([first, end]);
        edges.sort_unstable();
        edges.dedup();
        for pair in edges.windows(2) {
            let here = closed().filter(|it| (it.first..it.end).contains(&pair[0]));
            let access = match here.map(|it| it.writes).max() {
                None => Access::ReadWrite,
                Some(false) => Access::Read,
                Some(true) => Access::None,
            };
            set_access(pair[0], pair[1] - pair[0], access)?;
        }
        Ok(())
    }

    /// Removes the ranges for which `is_over` is true, and opens what no other range closes.
    fn open(&mut self, is_over: impl Fn(&Closed) -> bool) {
        let over: Vec<_> = self.closed.extract_if(.., |it| is_over(it)).collect();
        for it in over {
            // If the kernel refuses, the signal handler opens the pages that the program uses.
            let _ = self.protect(it.first, it.end);
        }
    }
}

/// Whether there is, or was, memory that can be closed.
pub fn are_used() -> bool {
    ARE_USED.load(Ordering::Relaxed)
}

/// Whether one more block may be mapped twice.
pub fn has_room() -> bool {
    BLOCKS.count() < MOST_BLOCKS
}

/// Registers a block that is mapped twice. `own` is the distance of the library's view.
pub fn begin(block: &Block, asked: usize, own: usize) {
    let words = [own as u64, asked as u64, 0];
    // Without memory for the map, the program's view is used, and stays open.
    if BLOCKS.insert(Range { base: block.addr, len: block.len, words }).is_ok() {
        ARE_USED.store(true, Ordering::Relaxed);
    }
}

/// Unregisters the block at this address.
pub fn end(addr: usize) {
    let mut state = STATE.lock();
    state.lent.remove(&addr);
    if let Some(block) = BLOCKS.remove(addr) {
        state.open(|it| (block.base..block.base + block.len).contains(&it.first));
    }
}

/// Returns the distance of the library's view from an address of pinned memory, or 0 if that is mapped once.
pub fn library_view(addr: usize) -> usize {
    BLOCKS.find(addr).map_or(0, |block| block.words[OWN] as usize)
}

/// Opens the block that has this address from now on, because a kernel uses it: kernels use the program's addresses.
pub fn lend(addr: usize) {
    if let Some(block) = BLOCKS.find(addr) {
        let mut state = STATE.lock();
        state.lent.insert(block.base);
        state.open(|it| (block.base..block.base + block.len).contains(&it.first));
    }
}

/// Opens the blocks whose addresses are in a kernel's arguments.
pub fn lend_arguments(arguments: &[u8]) {
    /// The smallest alignment of pointers in packed structures.
    const STEP: usize = 4;
    if are_used() {
        arguments.array_windows().step_by(STEP).for_each(|word| lend(usize::from_ne_bytes(*word)));
    }
}

/// Closes the program's access to the pages that lie inside a range of pinned memory, because a pending operation uses
/// it. If the operation only reads it, the program may read it as well. Returns the number with which to open them, or
/// `None` if there are no such pages, or they cannot be closed.
pub fn close(addr: usize, end: usize, writes: bool) -> Option<u64> {
    let block = BLOCKS.find(addr)?;
    // The library reads the canary after the request by the program's addresses.
    let most = block.base + block.words[ASKED] as usize;
    let (first, end) = (addr.next_multiple_of(PAGE), end.min(most) & !(PAGE - 1));
    let mut state = STATE.lock();
    if first >= end || state.closed.len() == MOST_CLOSED || state.lent.contains(&block.base) {
        return None;
    }
    state.latest += 1;
    let id = state.latest;
    state.closed.push(Closed { id, first, end, writes, is_open: false });
    if state.protect(first, end).is_err() {
        state.open(|it| it.id == id);
        return None;
    }
    Some(id)
}

/// Opens what was closed under this number, except for pages that another range closes.
pub fn open(id: u64) {
    STATE.lock().open(|it| it.id == id);
}

/// An access of the program to closed memory.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// The number of the closed range.
    pub id: u64,
    /// The address that the program accesses.
    pub addr: usize,
    /// Whether the access writes, if the processor reports that.
    pub writes: Option<bool>,
    /// The address of the instruction.
    pub instruction: usize,
    /// Whether the stack has room for a walk: programs can give signal handlers a small one.
    pub has_room: bool,
}

static REPORT: OnceLock<fn(&Touch)> = OnceLock::new();

/// Sets the function that reports accesses, in a signal handler.
pub fn report_touches_by(report: fn(&Touch)) {
    REPORT.get_or_init(|| report);
}

/// Handles a fault in a signal handler. If the access is to closed memory, reports it and opens the memory. Returns
/// true if the access can be repeated. `id` of the touch is found here.
pub fn is_opened(touch: Touch) -> bool {
    let Touch { addr, writes, instruction, .. } = touch;
    // A jump to this address fails in open memory, too.
    if addr == instruction || BLOCKS.find(addr).is_none() {
        return false;
    }
    let open_page = || set_access(addr & !(PAGE - 1), PAGE, Access::ReadWrite).is_ok();
    // In a forked child, a thread that the child lacks may hold the lock forever. So may the code that the signal has
    // interrupted.
    let Some(mut state) = (0..TRIES).find_map(|_| STATE.try_lock()) else { return open_page() };
    let mut found = None;
    for it in state.closed.iter_mut().filter(|it| !it.is_open && (it.first..it.end).contains(&addr)) {
        it.is_open = true;
        // If the kernel refuses, the page below is enough.
        let _ = set_access(it.first, it.end - it.first, Access::ReadWrite);
        // The range stays closed if both the operation and the program only read.
        if it.writes || writes != Some(false) {
            found = found.max(Some(it.id));
        }
    }
    drop(state);
    // Another thread may have opened or closed it in the meantime.
    let is_opened = open_page();
    // Kernels, and functions of the program that a stream runs, are part of the stream's order, so they are not
    // reported.
    if let (Some(id), Some(report), false) = (found, REPORT.get(), inside_host_function()) {
        report(&Touch { id, ..touch });
    }
    is_opened
}
