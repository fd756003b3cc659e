//! The kernel that a thread runs, for the text about a fault.

use std::cell::Cell;
use std::marker::PhantomData;

use crate::algo::thread::per_thread::per_thread;

per_thread! {
    /// Its name, or null. Without a destructor: a signal handler reads it.
    static NAME: Cell<(*const u8, usize)> = Cell::new((std::ptr::null(), 0));
}

/// The thread runs a kernel while this lives.
pub struct Running<'a>(PhantomData<&'a str>);

impl<'a> Running<'a> {
    /// With this name.
    pub fn kernel(name: &'a str) -> Self {
        NAME.set((name.as_ptr(), name.len()));
        Self(PhantomData)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        NAME.set((std::ptr::null(), 0));
    }
}

/// Calls `with` with the name of the kernel that the calling thread runs, if it runs one.
pub fn running_kernel<T>(with: impl FnOnce(Option<&str>) -> T) -> T {
    let (name, len) = NAME.get();
    if name.is_null() {
        return with(None);
    }
    // SAFETY: the name lives as long as the `Running` that has put it there, on this very thread.
    let bytes = unsafe { std::slice::from_raw_parts(name, len) };
    with(std::str::from_utf8(bytes).ok())
}
