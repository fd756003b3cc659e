//! The stack of the calling thread, by the unwinder that every Rust program contains for its panics.

use std::ffi::{c_int, c_void};

/// The unwinder's codes to continue, and to stop.
const NO_REASON: c_int = 0;
const END_OF_STACK: c_int = 5;

/// The unwinder's data for a frame.
#[repr(C)]
struct Context {
    _opaque: [u8; 0],
}

type Visit = extern "C" fn(*mut Context, *mut c_void) -> c_int;

unsafe extern "C" {
    fn _Unwind_Backtrace(visit: Visit, data: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut Context) -> usize;
}

/// The return addresses on the calling thread's stack, the innermost first, `most` at most.
pub fn return_addresses(most: usize) -> Vec<usize> {
    struct Walk {
        addrs: Vec<usize>,
        most: usize,
    }
    extern "C" fn visit(context: *mut Context, data: *mut c_void) -> c_int {
        // SAFETY: the walk below, which no other code uses meanwhile.
        let walk = unsafe { &mut *data.cast::<Walk>() };
        // SAFETY: the context of a frame, from the unwinder.
        let addr = unsafe { _Unwind_GetIP(context) };
        // Null: the beginning of the stack.
        if addr != 0 {
            walk.addrs.push(addr);
        }
        if walk.addrs.len() < walk.most { NO_REASON } else { END_OF_STACK }
    }
    // Room for all: no allocation fails inside the unwinder.
    let mut walk = Walk { addrs: Vec::with_capacity(most), most };
    // SAFETY: `visit` takes what it is given here.
    unsafe { _Unwind_Backtrace(visit, (&raw mut walk).cast()) };
    walk.addrs
}

#[cfg(test)]
#[path = "call_stack_tests.rs"]
mod tests;
