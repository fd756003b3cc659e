//! AddressSanitizer's public interface, if it is in the process.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

/// `__asan_poison_memory_region` and its inverse.
type Region = unsafe extern "C" fn(*const c_void, usize);
/// `__asan_region_is_poisoned`: the first poisoned address, or null.
type FirstPoisoned = unsafe extern "C" fn(*const c_void, usize) -> *const c_void;

struct Sanitizer {
    poison: Region,
    unpoison: Region,
    first_poisoned: FirstPoisoned,
}

/// It is part of the program, or absent.
static SANITIZER: OnceLock<Option<Sanitizer>> = OnceLock::new();

fn find(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: asks for an address.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

fn sanitizer() -> Option<&'static Sanitizer> {
    let look = || {
        let [poison, unpoison] = [c"__asan_poison_memory_region", c"__asan_unpoison_memory_region"].map(find);
        let first_poisoned = find(c"__asan_region_is_poisoned")?;
        // SAFETY: by their names they are functions of these types.
        Some(unsafe {
            Sanitizer {
                poison: std::mem::transmute::<*mut c_void, Region>(poison?),
                unpoison: std::mem::transmute::<*mut c_void, Region>(unpoison?),
                first_poisoned: std::mem::transmute::<*mut c_void, FirstPoisoned>(first_poisoned),
            }
        })
    };
    SANITIZER.get_or_init(look).as_ref()
}

/// Whether the process has it.
pub fn is_there() -> bool {
    sanitizer().is_some()
}

/// Makes it report accesses to this memory.
pub fn poison(addr: usize, len: usize) {
    if let Some(found) = sanitizer() {
        // SAFETY: the function notes something about these addresses, which belong to the library.
        unsafe { (found.poison)(std::ptr::with_exposed_provenance(addr), len) };
    }
}

/// The inverse.
pub fn unpoison(addr: usize, len: usize) {
    if let Some(found) = sanitizer() {
        // SAFETY: the runtime only marks shadow memory of the range, and the library has mapped
        // that range.
        unsafe { (found.unpoison)(std::ptr::with_exposed_provenance(addr), len) };
    }
}

/// Calls `each` with the address and length of every part of this memory that is not poisoned.
pub fn each_usable(addr: usize, len: usize, mut each: impl FnMut(usize, usize)) {
    let Some(found) = sanitizer() else { return each(addr, len) };
    let (mut at, end) = (addr, addr + len);
    let first_poisoned = |at: usize, end: usize| {
        // SAFETY: the function reads shadow memory only, and `at..end` is in a mapping of the library.
        let first = unsafe { (found.first_poisoned)(std::ptr::with_exposed_provenance(at), end - at) };
        if first.is_null() { end } else { first.addr() }
    };
    while at < end {
        let stop = first_poisoned(at, end);
        if at < stop {
            each(at, stop - at);
        }
        at = stop;
        while at < end && first_poisoned(at, at + 1) == at {
            // The rest of a granule of 8 bytes is poisoned, too.
            at = (at | 7) + 1;
        }
    }
}
