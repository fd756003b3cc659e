//! Pinned memory that pending operations use, without access for the program (guard mode with `PORTACL_CHECK=sync`).
//!
//! A block is mapped twice: at the program's addresses, and in the library's view. The checker closes the pages of a
//! range when an operation that uses it is submitted, and opens them when the host has waited. An access meanwhile
//! faults. The signal handler (`host_access.rs`) reports it and opens the pages, so that the program goes
//! on: it runs as if nothing were checked. It tries the lock for a moment; if that stays taken the page opens without a
//! report.

use std::collections::BTreeSet;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::algo::map::address_map::{AddressMap, Range};
use crate::backend::cpu::base::arena::UNIT;
use crate::backend::cpu::base::pages;
use crate::backend::stream::host_fn::inside_host_function;
use crate::backend::{Access, Block};

const PAGE: usize = UNIT as usize;
/// The blocks that are mapped twice. Each takes up to six of the mappings that the kernel gives a process.
const MOST_BLOCKS: usize = 4 << 10;
/// The most closed ranges.
const MOST_CLOSED: usize = 1 << 10;

/// How often the signal handler tries to take a lock. A thread that has crashed with the lock would wait forever.
pub const TRIES: usize = 1 << 20;

static BLOCKS: AddressMap = AddressMap::new();
/// In `Range::words`: the distance of the library's view, and the bytes of the request.
const OWN: usize = 0;
const ASKED: usize = 1;

/// There was such a block.
static ARE_USED: AtomicBool = AtomicBool::new(false);

/// A closed range.
struct Closed {
    /// Distinguishes all that were ever closed.
    id: u64,
    first: usize,
    end: usize,
    /// The operation writes the memory, so that the program may not read it either.
    writes: bool,
    /// The program has used the memory: it is open from then on.
    is_open: bool,
}

/// Held while ranges are closed and opened. A thread that holds it uses no memory that can be closed.
static STATE: Mutex<State> = Mutex::new(State { closed: Vec::new(), latest: 0, lent: BTreeSet::new() });

struct State {
    closed: Vec<Closed>,
    latest: u64,
    /// Blocks whose address a kernel had: it may use them at any time, also by threads of its own.
    lent: BTreeSet<usize>,
}

impl State {
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
            pages::set_access(pair[0], pair[1] - pair[0], access)?;
        }
        Ok(())
    }

    /// Forgets the ranges for which this is true, and opens what no other one closes.
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
pub(super) fn has_room() -> bool {
    BLOCKS.count() < MOST_BLOCKS
}

/// A block begins that is mapped twice. `own`: the distance of the library's view.
pub(super) fn begin(block: &Block, asked: usize, own: usize) {
    let words = [own as u64, asked as u64, 0];
    // Without memory for the map, the program's view is used, and stays open.
    if BLOCKS.insert(Range { base: block.addr, len: block.len, words }).is_ok() {
        ARE_USED.store(true, Ordering::Relaxed);
    }
}

/// The block at this address ends.
pub(super) fn end(addr: usize) {
    let mut state = STATE.lock();
    state.lent.remove(&addr);
    if let Some(block) = BLOCKS.remove(addr) {
        state.open(|it| (block.base..block.base + block.len).contains(&it.first));
    }
}

/// The distance of the library's view from an address of pinned memory: 0 if that is mapped once.
pub fn library_view(addr: usize) -> usize {
    BLOCKS.find(addr).map_or(0, |block| block.words[OWN] as usize)
}

/// A kernel uses the block that has this address: it is open from now on, because kernels use the program's addresses.
pub fn lend(addr: usize) {
    if let Some(block) = BLOCKS.find(addr) {
        let mut state = STATE.lock();
        state.lent.insert(block.base);
        state.open(|it| (block.base..block.base + block.len).contains(&it.first));
    }
}

/// A kernel has these arguments.
pub fn lend_arguments(arguments: &[u8]) {
    /// Pointers in packed structures are aligned to this at least.
    const STEP: usize = 4;
    if are_used() {
        arguments.array_windows().step_by(STEP).for_each(|word| lend(usize::from_ne_bytes(*word)));
    }
}

/// Takes the program's access to the pages that lie inside a range of pinned memory, because a pending operation uses
/// it: writes it, or reads it, so that the program may read it as well. Returns the number to open them by. `None`:
/// there are none, or they cannot be closed.
pub fn close(addr: usize, end: usize, writes: bool) -> Option<u64> {
    let block = BLOCKS.find(addr)?;
    // The library reads the canary behind the request by the program's addresses.
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

/// Opens what was closed under this number, except for pages that another one closes.
pub fn open(id: u64) {
    STATE.lock().open(|it| it.id == id);
}

/// An access of the program to closed memory.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// The number of the closed range.
    pub id: u64,
    /// The address.
    pub addr: usize,
    /// Whether it writes, if the processor reports that.
    pub writes: Option<bool>,
    /// The instruction.
    pub instruction: usize,
    /// Whether the stack has room for a walk: programs can give signal handlers a small one.
    pub has_room: bool,
}

static REPORT: OnceLock<fn(&Touch)> = OnceLock::new();

/// Sets the function that reports accesses, in a signal handler.
pub fn report_touches_by(report: fn(&Touch)) {
    REPORT.get_or_init(|| report);
}

/// An access has faulted, perhaps because of closed memory: then reports and opens that. True: the access can be
/// repeated. In a signal handler. `id` of the touch is still to be found.
pub fn is_opened(touch: Touch) -> bool {
    let Touch { addr, writes, instruction, .. } = touch;
    // A jump there fails in open memory, too.
    if addr == instruction || BLOCKS.find(addr).is_none() {
        return false;
    }
    let open_page = || pages::set_access(addr & !(PAGE - 1), PAGE, Access::ReadWrite).is_ok();
    // In a forked child a thread that the child lacks may hold it forever, and so may the code that the signal has
    // interrupted.
    let Some(mut state) = (0..TRIES).find_map(|_| STATE.try_lock()) else { return open_page() };
    let mut found = None;
    for it in state.closed.iter_mut().filter(|it| !it.is_open && (it.first..it.end).contains(&addr)) {
        it.is_open = true;
        // If the kernel refuses, the page below is enough.
        let _ = pages::set_access(it.first, it.end - it.first, Access::ReadWrite);
        // Unless the program only reads, too.
        if it.writes || writes != Some(false) {
            found = found.max(Some(it.id));
        }
    }
    drop(state);
    // Another thread may have opened or closed it meanwhile.
    let is_opened = open_page();
    // Kernels and functions of the program that a stream runs are part of its order.
    if let (Some(id), Some(report), false) = (found, REPORT.get(), inside_host_function()) {
        report(&Touch { id, ..touch });
    }
    is_opened
}

#[cfg(test)]
#[path = "closed_tests.rs"]
mod tests;
