//! The driver's texts for its status numbers.

use std::ffi::{CStr, c_char, c_int};

use libloading::os::unix::Library;

use super::library::{Entry, find};

/// How the driver puts a status into words: `cuGetErrorName` and `cuGetErrorString`.
type Describe = unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int;

/// The driver's words for its numbers; none where it has no such function.
#[derive(Clone, Copy)]
pub struct Words {
    name: Option<Describe>,
    text: Option<Describe>,
}

impl Words {
    /// # Safety
    /// `library` is a CUDA driver.
    pub unsafe fn find(library: &Library) -> Self {
        // SAFETY: the types of the fields are those of the driver's functions with these names.
        let (name, text) = unsafe { (find(library, &["cuGetErrorName"]), find(library, &["cuGetErrorString"])) };
        let function = |entry: Entry<Describe>| entry.function;
        Self { name: name.map(function), text: text.map(function) }
    }

    /// For a status that no driver has given.
    #[cfg(test)]
    pub const NONE: Self = Self { name: None, text: None };

    /// Name and text of `status`, as far as the driver knows them.
    pub fn of(self, status: c_int) -> (Option<&'static str>, Option<&'static str>) {
        let ask = |describe: Option<Describe>| {
            let mut words = std::ptr::null();
            // SAFETY: the driver's function, and a place for its answer.
            let answer = unsafe { describe?(status, &mut words) };
            if answer != 0 || words.is_null() {
                return None;
            }
            // SAFETY: a constant of the driver, which is never unloaded.
            unsafe { CStr::from_ptr(words) }.to_str().ok()
        };
        (ask(self.name), ask(self.text))
    }
}
