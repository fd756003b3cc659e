//! AddressSanitizer's public interface, if the process contains it.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

/// The type of `__asan_poison_memory_region` and of its inverse.
type Region = unsafe extern "C" fn(*const c_void, usize);
/// The type of `__asan_region_is_poisoned`. It returns the first poisoned address, or null.
type FirstPoisoned = unsafe extern "C" fn(*const c_void, usize) -> *const c_void;

struct Sanitizer {
    poison: Region,
    unpoison: Region,
    first_poisoned: FirstPoisoned,
}

/// The sanitizer, which is part of the program or absent.
static SANITIZER: OnceLock<Option<Sanitizer>> = OnceLock::new();

/// Returns the function `name` of the process, of the type `F`.
fn find<F: Copy>(name: &CStr) -> Option<F> {
    // SAFETY: asks for an address.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    // SAFETY: every `F` here is the type that the sanitizer's header gives to the function.
    (!found.is_null()).then(|| unsafe { std::mem::transmute_copy(&found) })
}

fn sanitizer() -> Option<&'static Sanitizer> {
    let look = || {
        Some(Sanitizer {
            poison: find(c"__asan_poison_memory_region")?,
            unpoison: find(c"__asan_unpoison_memory_region")?,
            first_poisoned: find(c"__asan_region_is_poisoned")?,
        })
    };
    SANITIZER.get_or_init(look).as_ref()
}

/// Whether the process contains the sanitizer.
pub(crate) fn is_there() -> bool {
    sanitizer().is_some()
}

/// Makes the sanitizer report accesses to this memory.
pub(crate) fn poison(addr: usize, len: usize) {
    if let Some(found) = sanitizer() {
        // SAFETY: the function notes something about these addresses, which belong to the library.
        unsafe { (found.poison)(std::ptr::with_exposed_provenance(addr), len) };
    }
}

/// Undoes [`poison`].
pub(crate) fn unpoison(addr: usize, len: usize) {
    if let Some(found) = sanitizer() {
        // SAFETY: the runtime only marks shadow memory of the range, and the library has mapped
        // that range.
        unsafe { (found.unpoison)(std::ptr::with_exposed_provenance(addr), len) };
    }
}

/// Calls `each` with the address and length of every part of this memory that is not poisoned.
pub(crate) fn each_usable(addr: usize, len: usize, mut each: impl FnMut(usize, usize)) {
    let Some(found) = sanitizer() else { return each(addr, len) };
    let (mut at, end) = (addr, addr + len);
    while at < end {
        // SAFETY: the function reads shadow memory only, and `at..end` is in a mapping of the library.
        let first = unsafe { (found.first_poisoned)(std::ptr::with_exposed_provenance(at), end - at) };
        let stop = if first.is_null() { end } else { first.addr() };
        if at < stop {
            each(at, stop - at);
        }
        // The rest of a granule of 8 bytes is poisoned, too.
        at = (stop | 7) + 1;
    }
}
