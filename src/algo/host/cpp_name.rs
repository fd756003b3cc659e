//! Demangles C++ names with the C++ library of the process.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::null_mut;
use std::sync::OnceLock;

use super::environment::has_raised_privileges;
use crate::thread::deep_stack;

/// The type of `__cxa_demangle` of the Itanium C++ ABI. The result comes from malloc.
type Demangle = unsafe extern "C" fn(
    name: *const c_char,
    buffer: *mut c_char,
    length: *mut usize,
    status: *mut c_int,
) -> *mut c_char;

unsafe extern "C" {
    /// Returns the function that the program is linked with (`cpp_name.c`).
    fn portacl_linked_demangle() -> Option<Demangle>;
}

/// Returns the demangler. If the program contains no C++, loads the library of GCC. Returns `None` if there is no such
/// library, or no memory to load it.
fn demangler() -> Option<Demangle> {
    // SAFETY: the function reads one address.
    if let Some(linked) = unsafe { portacl_linked_demangle() } {
        return Some(linked);
    }
    static LOADED: OnceLock<Demangle> = OnceLock::new();
    if let Some(&loaded) = LOADED.get() {
        return Some(loaded);
    }
    // Such a process loads nothing for the sake of a name.
    if has_raised_privileges() {
        return None;
    }
    // SAFETY: the initializers of the C++ library have no preconditions. It is never closed.
    let library = unsafe { libc::dlopen(c"libstdc++.so.6".as_ptr(), libc::RTLD_LAZY) };
    if library.is_null() {
        return None;
    }
    // SAFETY: the library is open.
    let symbol = unsafe { libc::dlsym(library, c"__cxa_demangle".as_ptr()) };
    // SAFETY: the C++ ABI fixes the function's type. A null pointer is None.
    let loaded = unsafe { std::mem::transmute::<*mut libc::c_void, Option<Demangle>>(symbol) }?;
    Some(*LOADED.get_or_init(|| loaded))
}

/// Returns the name of a C++ symbol as it stands in the source, or `None` if it is not a mangled C++ name, or nothing
/// in the process can demangle it.
pub fn cpp_name(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") {
        return None;
    }
    // The demangler recurses, so it needs a deep stack.
    deep_stack::run(|| demangled(symbol))
}

fn demangled(symbol: &str) -> Option<String> {
    let symbol = CString::new(symbol).ok()?;
    let demangle = demangler()?;
    // SAFETY: the symbol ends with a zero. Null pointers ask for memory from malloc, and for no status.
    let name = unsafe { demangle(symbol.as_ptr(), null_mut(), null_mut(), null_mut()) };
    if name.is_null() {
        return None;
    }
    // SAFETY: the function has returned a string.
    let text = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    // SAFETY: the string comes from malloc, and nothing else has its address.
    unsafe { libc::free(name.cast()) };
    Some(text)
}

/// Returns the name as it stands in the source. Returns names that cannot be demangled unchanged.
pub fn shown_name(symbol: &str) -> String {
    cpp_name(symbol).unwrap_or_else(|| symbol.to_owned())
}

#[cfg(test)]
#[path = "cpp_name_tests.rs"]
mod tests;
