//! Safe wrappers of the C functions that this component calls: its only unsafe code. The types are
//! those that the header is made from; `tests/architecture.rs` compares the functions.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;

use super::{Failure, Result};

#[path = "../../../src/ffi/types/mod.rs"]
#[allow(dead_code, unused_imports, reason = "few of them are needed here")]
mod types;

use types::{aclError, portaclLineWriter, portaclMemoryKind};
pub use types::{
    portaclMemoryAllocation, portaclMemoryPageStats, portaclMemoryPoolStats, portaclMemoryProfileNode,
    portaclMemoryStats,
};

unsafe extern "C" {
    fn aclGetRecentErrMsg() -> *const c_char;
    fn portaclMemorySnapshot(allocations: *mut portaclMemoryAllocation, capacity: usize, count: *mut usize)
    -> aclError;
    fn portaclMemoryGetStats(
        deviceId: i32,
        kind: MaybeUninit<portaclMemoryKind>,
        stats: *mut portaclMemoryStats,
    ) -> aclError;
    fn portaclMemoryListPools(
        deviceId: i32,
        pools: *mut portaclMemoryPoolStats,
        capacity: usize,
        count: *mut usize,
    ) -> aclError;
    fn portaclMemoryListPageSizes(
        deviceId: i32,
        kind: MaybeUninit<portaclMemoryKind>,
        sizes: *mut portaclMemoryPageStats,
        capacity: usize,
        count: *mut usize,
    ) -> aclError;
    fn portaclMemoryHookProfile(
        id: u64,
        nodes: *mut portaclMemoryProfileNode,
        capacity: usize,
        count: *mut usize,
    ) -> aclError;
    fn portaclMemoryReportLeaksTo(write: portaclLineWriter, userData: *mut c_void, count: *mut usize) -> aclError;
}

/// Copies the text at a pointer from C.
///
/// # Safety
/// `text` is null or a zero-terminated text.
unsafe fn text_at(text: *const c_char) -> Option<String> {
    // SAFETY: `text` is a C string by this function's contract, and the copy outlives it.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// Returns the text in a field of a structure.
pub fn text_in(field: &[c_char]) -> String {
    let bytes: Vec<u8> = field.iter().map_while(|c| (*c != 0).then_some(*c as u8)).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn check(code: aclError) -> Result<()> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: no arguments; the text is the calling thread's until its next call.
    let text = unsafe { text_at(aclGetRecentErrMsg()) };
    Err(Failure { code, text: text.unwrap_or_else(|| "no error text".to_owned()) })
}

/// Returns a number as a parameter that C has as an enum. The C API refuses numbers that it does not know.
fn enumerator(kind: i32) -> MaybeUninit<portaclMemoryKind> {
    let mut value = MaybeUninit::<portaclMemoryKind>::uninit();
    // SAFETY: the enum is an int in C, and is nowhere read as anything else.
    unsafe { value.as_mut_ptr().cast::<i32>().write(kind) };
    value
}

/// Returns the number of an allocation's kind.
pub fn kind_of(one: &portaclMemoryAllocation) -> i32 {
    // SAFETY: the library has written it, or it is zero.
    unsafe { one.kind.as_ptr().cast::<i32>().read() }
}

/// Returns a structure of C that begins with its size; the rest is zeros.
///
/// # Safety
/// `T` is such a structure of numbers and pointers.
unsafe fn sized<T>() -> T {
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: by this function's contract zeros are a value, and a size_t stands at the beginning.
    unsafe {
        value.as_mut_ptr().cast::<usize>().write(size_of::<T>());
        value.assume_init()
    }
}

/// Returns everything that a two-step listing function lists: first the number, then the elements.
/// Repeats if the number has grown in between.
///
/// # Safety
/// `T` is a structure as for [`sized`]; `call` writes elements, and their number.
unsafe fn list<T>(call: impl Fn(*mut T, usize, *mut usize) -> aclError) -> Result<Vec<T>> {
    let mut count = 0;
    check(call(std::ptr::null_mut(), 0, &mut count))?;
    loop {
        // There is room for a few more elements, because other threads continue to allocate.
        let capacity = count + count / 8 + 1;
        // SAFETY: all-zero bytes are a valid T by this function's contract; `sized` writes the size
        // on top.
        let mut all: Vec<T> = (0..capacity).map(|_| unsafe { sized() }).collect();
        check(call(all.as_mut_ptr(), capacity, &mut count))?;
        if count <= capacity {
            all.truncate(count);
            return Ok(all);
        }
    }
}

pub fn snapshot() -> Result<Vec<portaclMemoryAllocation>> {
    // SAFETY: portaclMemorySnapshot writes at most `capacity` elements behind `first`.
    unsafe { list(|first, capacity, count| portaclMemorySnapshot(first, capacity, count)) }
}

pub fn stats(device: i32, kind: i32) -> Result<portaclMemoryStats> {
    // SAFETY: the structure begins with its size; the function writes one.
    unsafe {
        let mut stats = sized();
        check(portaclMemoryGetStats(device, enumerator(kind), &mut stats))?;
        Ok(stats)
    }
}

pub fn pools(device: i32) -> Result<Vec<portaclMemoryPoolStats>> {
    // SAFETY: portaclMemoryListPools writes at most `capacity` pools behind `first`.
    unsafe { list(|first, capacity, count| portaclMemoryListPools(device, first, capacity, count)) }
}

pub fn page_sizes(device: i32, kind: i32) -> Result<Vec<portaclMemoryPageStats>> {
    // SAFETY: portaclMemoryListPageSizes writes at most `capacity` sizes behind `first`.
    unsafe {
        list(|first, capacity, count| portaclMemoryListPageSizes(device, enumerator(kind), first, capacity, count))
    }
}

pub fn profile(hook: u64) -> Result<Vec<portaclMemoryProfileNode>> {
    // SAFETY: portaclMemoryHookProfile writes at most `capacity` nodes behind `first`.
    unsafe { list(|first, capacity, count| portaclMemoryHookProfile(hook, first, capacity, count)) }
}

pub fn leaks() -> Result<Vec<String>> {
    unsafe extern "C" fn keep(lines: *mut c_void, line: *const c_char) {
        // SAFETY: what is passed below, and the text that the function promises.
        unsafe { (*lines.cast::<Vec<String>>()).extend(text_at(line)) };
    }
    let mut lines = Vec::<String>::new();
    let to = (&raw mut lines).cast();
    // SAFETY: `keep` is called with `to` during the call only; no count is wanted.
    check(unsafe { portaclMemoryReportLeaksTo(Some(keep), to, std::ptr::null_mut()) })?;
    Ok(lines)
}
