//! Guard mode: reports an access of the program to device memory before the program crashes.
//!
//! The program's addresses have no access there, and the library uses a separate view
//! ([`crate::base::pages::Mapping`]). This module explains the fault: which allocation it was in, and
//! what to do instead. It runs in a signal handler, so lookups allocate nothing, and give up if a lock stays taken.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::io::{self, Cursor, Write};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::algo::count::Count;
use crate::algo::host::standard_stream::has_errors;
use crate::algo::host::system_call::keep_loaded;
use crate::algo::map::address_map::{AddressMap, Range};
use crate::algo::thread::per_thread::per_thread;
use crate::backend::Block;
use crate::backend::memory::closed::{self, TRIES, Touch};
use crate::base::arena::UNIT;

/// The blocks of device memory that were allocated, including freed ones whose addresses were not reused.
static BLOCKS: AddressMap = AddressMap::new();

/// The indexes in `Range::words` of the number of bytes of the request, and of the block's state.
const ASKED: usize = 0;
const STATE: usize = 1;

/// The names of a block's states in texts.
const NAMES: [&str; 3] = ["allocation", "freed allocation", "pool segment"];
/// The state of a block that the program has freed, whether or not pending operations still use it.
pub(crate) const FREED: u64 = 1;
/// The state of a block in which the program has allocated parts.
pub(crate) const SEGMENT: u64 = 2;

/// Adds a block that was allocated.
pub(crate) fn taken(block: &Block, asked: usize) {
    // An overlapping block was freed before. Without memory for the map the text says less.
    BLOCKS.replace(Range { base: block.addr, len: block.len, words: [asked as u64, 0, 0] });
}

/// Changes the state of the block at this address.
pub(crate) fn becomes(addr: usize, state: u64) {
    if let Some(mut range) = BLOCKS.remove(addr) {
        range.words[STATE] = state;
        BLOCKS.replace(range);
    }
}

/// The program's view of one device's memory.
struct Area {
    base: usize,
    len: usize,
    /// The distance of the kernels' view from the program's.
    own: usize,
    ordinal: u32,
    is_open: bool,
}

/// The maximum number of areas. It is more than there can be devices, so that closed ones are remembered for a while.
const MOST_AREAS: usize = 256;
/// The areas. The lock is held only for moments.
static AREAS: Mutex<Vec<Area>> = Mutex::new(Vec::new());

impl Area {
    fn contains(&self, addr: usize) -> bool {
        addr.wrapping_sub(self.base) < self.len
    }
}

/// Keeps the memory of an open device among the areas until it is dropped.
#[derive(Debug)]
pub(crate) struct Watch(usize);

impl Watch {
    /// Adds an area. `own` is the distance of the library's view.
    pub(crate) fn new(base: usize, len: usize, own: usize, ordinal: u32) -> Self {
        let mut areas = AREAS.lock();
        // This removes closed memory that was here, and the oldest area if there are too many.
        areas.retain(|area| !area.contains(base) && !area.contains(base + len - 1));
        let oldest = areas.iter().position(|area| !area.is_open).filter(|_| areas.len() >= MOST_AREAS);
        oldest.into_iter().for_each(|oldest| _ = areas.remove(oldest));
        areas.push(Area { base, len, own, ordinal, is_open: true });
        Self(base)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(area) = AREAS.lock().iter_mut().find(|area| area.base == self.0) {
            area.is_open = false;
            BLOCKS.drain(|range| area.contains(range.base));
        }
    }
}

per_thread! {
    /// The name of the kernel that the thread runs, or null. It has no destructor, because the signal handler reads it.
    static KERNEL: Cell<(*const u8, usize)> = Cell::new((ptr::null(), 0));
}

/// Marks that the thread runs a kernel, while this lives.
pub(crate) struct Running<'a>(PhantomData<&'a str>);

impl<'a> Running<'a> {
    /// Begins the run of the kernel with this name.
    pub(crate) fn kernel(name: &'a str) -> Self {
        KERNEL.set((name.as_ptr(), name.len()));
        Self(PhantomData)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        KERNEL.set((ptr::null(), 0));
    }
}

/// The number of bytes after a block within which the text names the block for a kernel's overrun.
const NEAR: usize = 64 << 20;

/// Explains an access through the kernels' view, as [`explain`] does for the program's.
fn explain_kernel_access(areas: &[Area], addr: usize, text: &mut dyn Write) -> io::Result<bool> {
    let Some(area) = areas.iter().find(|area| area.contains(addr.wrapping_sub(area.own))) else { return Ok(false) };
    let (device, addr) = (area.ordinal, addr - area.own);
    let (name, len) = KERNEL.get();
    // SAFETY: the name lives as long as the `Running` that has put it there, on this very thread.
    let name = (!name.is_null()).then(|| unsafe { std::slice::from_raw_parts(name, len) });
    match name.and_then(|name| std::str::from_utf8(name).ok()) {
        Some(name) => write!(text, "portacl: kernel {name} touched {addr:#x}, ")?,
        None => write!(text, "portacl: an operation touched {addr:#x}, ")?,
    }
    let unit = UNIT as usize;
    let page = addr & !(unit - 1);
    let mut ends = (page.saturating_sub(NEAR)..page).rev().step_by(unit);
    match BLOCKS.find(addr).or_else(|| ends.find_map(|end| BLOCKS.find(end))) {
        Some(Range { base, words, .. }) => {
            let (asked, at) = (words[ASKED] as usize, addr - base);
            let name = NAMES[words[STATE] as usize];
            match at.checked_sub(asked) {
                Some(past) => write!(text, "which is {} past the end of ", Count(past, "byte"))?,
                None => write!(text, "which is at offset {at} in ")?,
            }
            write!(text, "the {name} at {base:#x} of {} on device {device}", Count(asked, "byte"))?;
        }
        None => write!(text, "which is memory on device {device} outside every allocation")?,
    }
    writeln!(text, " (guard mode)")?;
    Ok(true)
}

/// Writes what is known about an access to `addr`. Returns false if that is no device memory from the library.
fn explain(addr: usize, text: &mut dyn Write) -> io::Result<bool> {
    let Some(areas) = (0..TRIES).find_map(|_| AREAS.try_lock()) else { return Ok(false) };
    let Some(area) = areas.iter().find(|area| area.contains(addr)) else {
        return explain_kernel_access(&areas, addr, text);
    };
    let device = area.ordinal;
    write!(text, "portacl: the host touched {addr:#x}, ")?;
    match BLOCKS.find(addr) {
        _ if !area.is_open => {
            write!(text, "which was memory on device {device} before its reset, memory from another process before ")?;
            write!(text, "it was freed here, or mapped memory before it was unmapped; ")?;
            write!(text, "access memory only while it exists")?;
        }
        Some(Range { base, words, .. }) => {
            let (asked, at) = (words[ASKED], addr - base);
            let name = NAMES[words[STATE] as usize];
            let asked = Count(asked as usize, "byte");
            write!(text, "which is at offset {at} in the {name} at {base:#x} of {asked} on device {device}; ")?;
            match words[STATE] {
                FREED => {
                    write!(text, "the host cannot access device memory: free it later, and copy it with aclrtMemcpy")?;
                }
                _ => write!(text, "the host cannot access device memory: copy it with aclrtMemcpy")?,
            }
        }
        None => {
            write!(text, "which is memory on device {device} outside every allocation; ")?;
            write!(text, "correct the address, and copy device memory with aclrtMemcpy")?;
        }
    }
    writeln!(text, " (guard mode)")?;
    Ok(true)
}

/// The previous handler of SIGSEGV.
static PREVIOUS: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static PREVIOUS_FLAGS: AtomicI32 = AtomicI32::new(0);

/// The number of users of the handler, and the previous action.
struct Installed {
    users: usize,
    before: Option<libc::sigaction>,
}

static INSTALLED: Mutex<Installed> = Mutex::new(Installed { users: 0, before: None });

const HANDLER: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_fault;

/// Keeps the handler of SIGSEGV installed as long as one of these lives.
#[derive(Debug)]
pub(crate) struct Handler(());

impl Handler {
    pub(crate) fn install() -> Self {
        let mut installed = INSTALLED.lock();
        installed.users += 1;
        // The library's handler may still be installed, below a later one that calls it.
        if let Some(before) = action(None)
            && (installed.before.is_none() || is_builtin(before.sa_sigaction))
        {
            PREVIOUS_FLAGS.store(before.sa_flags, Ordering::Relaxed);
            PREVIOUS.store(before.sa_sigaction, Ordering::Release);
            let mut ours = before;
            ours.sa_sigaction = HANDLER as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | (before.sa_flags & libc::SA_NODEFER);
            action(Some(&ours));
            installed.before = Some(before);
        }
        Self(())
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        let mut installed = INSTALLED.lock();
        installed.users -= 1;
        if installed.users > 0 {
            return;
        }
        // A later handler may call this one until the process ends: then everything stays.
        if action(None).is_some_and(|now| now.sa_sigaction == HANDLER as usize) {
            let before = installed.before.take();
            action(before.as_ref());
        } else {
            keep_loaded();
        }
    }
}

/// Whether this is not a function but a constant of the system.
fn is_builtin(handler: usize) -> bool {
    handler == libc::SIG_DFL || handler == libc::SIG_IGN
}

/// Queries the action for SIGSEGV, and sets it if `new` is given.
fn action(new: Option<&libc::sigaction>) -> Option<libc::sigaction> {
    let mut old = MaybeUninit::<libc::sigaction>::uninit();
    let new = new.map_or(ptr::null(), ptr::from_ref);
    // SAFETY: null or an action, and room for one, which the call fills if it says so.
    unsafe { (libc::sigaction(libc::SIGSEGV, new, old.as_mut_ptr()) == 0).then(|| old.assume_init()) }
}

/// Describes an access that faulted.
fn touch_of(addr: usize, context: *mut c_void) -> Touch {
    /// The number of bytes that the program's stack for signal handlers must have for a walk.
    const ENOUGH: usize = 64 << 10;
    let context: *const libc::ucontext_t = context.cast();
    // SAFETY: the kernel passes the interrupted thread's state to a handler that was installed with SA_SIGINFO.
    let (machine, stack) = unsafe { (&(*context).uc_mcontext, (*context).uc_stack) };
    let here = ptr::from_ref(&stack).addr();
    let is_on_it = here.wrapping_sub(stack.ss_sp.addr()) < stack.ss_size;
    #[cfg(target_arch = "x86_64")]
    let (writes, instruction) = {
        /// The bit in a page fault's code that stands for a write.
        const WRITE: i64 = 2;
        let register = |index: c_int| machine.gregs[index as usize];
        (Some(register(libc::REG_ERR) & WRITE != 0), register(libc::REG_RIP) as usize)
    };
    #[cfg(target_arch = "aarch64")]
    let (writes, instruction) = (None, machine.pc as usize);
    Touch { id: 0, addr, writes, instruction, has_room: !is_on_it || stack.ss_size >= ENOUGH }
}

/// Opens pinned memory that is closed, or reports what is known about a fault in device memory. Then the previous
/// handling takes place.
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes the information, and this thread's `errno` exists.
    let (code, addr, errno) = unsafe { ((*info).si_code, (*info).si_addr().addr(), *libc::__errno_location()) };
    // Codes up to 0 mean that a process sent the signal, not an access.
    if code > 0 {
        if closed::are_used() && closed::is_opened(touch_of(addr, context)) {
            // SAFETY: every thread has an errno of its own, at an address that stays valid.
            unsafe { *libc::__errno_location() = errno };
            return;
        }
        // The buffer is on the stack, because the handler must not allocate.
        let mut text = Cursor::new([0; 512]);
        if matches!(explain(addr, &mut text), Ok(true)) && has_errors() {
            // SAFETY: writes initialized bytes. A failure cannot be reported.
            unsafe { libc::write(libc::STDERR_FILENO, text.get_ref().as_ptr().cast(), text.position() as usize) };
        }
    }
    // SAFETY: __errno_location returns this thread's errno, which always may be written.
    unsafe { *libc::__errno_location() = errno };
    pass_on(signal, code, info, context);
}

fn pass_on(signal: c_int, code: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let previous = PREVIOUS.load(Ordering::Acquire);
    if previous == libc::SIG_IGN && code <= 0 {
        return;
    }
    if is_builtin(previous) {
        // An access that is repeated now ends the process, with the state of that moment. A sent signal is not repeated
        // by itself. SAFETY: both may be called in handlers.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            if code <= 0 {
                libc::raise(signal);
            }
        }
        return;
    }
    if PREVIOUS_FLAGS.load(Ordering::Relaxed) & libc::SA_SIGINFO != 0 {
        type SignalHandler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
        // SAFETY: the program installed a handler of this type, and the arguments are its own.
        unsafe { std::mem::transmute::<usize, SignalHandler>(previous)(signal, info, context) }
    } else {
        // SAFETY: the previous handler was installed without SA_SIGINFO, so it takes the signal's
        // number only.
        unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(c_int)>(previous)(signal) }
    }
}

#[cfg(test)]
#[path = "host_access_tests.rs"]
mod tests;
