//! AddressSanitizer's public interface, if it is in the process.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

/// `__asan_poison_memory_region` and its inverse.
type Region = unsafe extern "C" fn(*const c_void, usize);

struct Sanitizer {
    poison: Region,
    unpoison: Region,
}

/// It is part of the program, or absent.
static SANITIZER: OnceLock<Option<Sanitizer>> = OnceLock::new();

fn find(name: &CStr) -> Option<Region> {
    // SAFETY: asks for an address.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    // SAFETY: by its name it is a function of this type.
    (!found.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, Region>(found) })
}

fn sanitizer() -> Option<&'static Sanitizer> {
    let look = || {
        Some(Sanitizer {
            poison: find(c"__asan_poison_memory_region")?,
            unpoison: find(c"__asan_unpoison_memory_region")?,
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
