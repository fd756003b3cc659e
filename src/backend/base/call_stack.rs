//! Walks the stack of the calling thread with the unwinder that every Rust program contains for its panics.

use std::ffi::{c_int, c_void};
use std::ptr;

/// The unwinder's codes for continuing and for stopping.
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
    fn _Unwind_GetCFA(context: *mut Context) -> usize;
}

/// The return addresses on a thread's stack.
#[derive(Debug, Default)]
pub struct Walk {
    /// The return addresses, the innermost first.
    pub addrs: Vec<usize>,
    /// The place of each address on the stack, with its value, for frames beyond the beginning of the walk. Empty if it
    /// is unknown where this processor keeps them.
    places: Vec<(usize, usize)>,
}

/// Returns the word at an address on the calling thread's stack.
fn word(at: usize) -> usize {
    let at: *const usize = ptr::with_exposed_provenance(at);
    // SAFETY: between the calling function's frame and the beginning of the stack, aligned; volatile, because the
    // compiler does not know that return addresses are there.
    unsafe { at.read_volatile() }
}

impl Walk {
    /// Walks the stack of the calling thread, up to `most` addresses. `from`: the address of a variable in the frame
    /// that will call [`Self::is_same`].
    pub fn here(most: usize, from: usize) -> Self {
        struct Frames {
            all: Vec<(usize, usize)>,
            most: usize,
        }
        extern "C" fn visit(context: *mut Context, data: *mut c_void) -> c_int {
            // SAFETY: the frames below, which no other code uses meanwhile.
            let frames = unsafe { &mut *data.cast::<Frames>() };
            // SAFETY: the context of a frame, from the unwinder.
            let (addr, end) = unsafe { (_Unwind_GetIP(context), _Unwind_GetCFA(context)) };
            // A null address marks the beginning of the stack.
            if addr != 0 {
                frames.all.push((addr, end));
            }
            if frames.all.len() < frames.most { NO_REASON } else { END_OF_STACK }
        }
        // The vector has room for all addresses, so that nothing is allocated inside the unwinder.
        let mut frames = Frames { all: Vec::with_capacity(most), most };
        // SAFETY: `visit` takes what it is given here.
        unsafe { _Unwind_Backtrace(visit, (&raw mut frames).cast()) };
        let addrs = frames.all.iter().map(|(addr, _)| *addr).collect();
        // On x86-64 a return address is the last word before the frame of the function that it returns to.
        let place = |(addr, end): &(usize, usize)| (end - size_of::<usize>(), *addr);
        let mut places: Vec<_> = frames.all.iter().map(place).filter(|(at, _)| *at > from).collect();
        if !cfg!(target_arch = "x86_64") || !places.iter().all(|(at, addr)| word(*at) == *addr) {
            places.clear();
        }
        Self { addrs, places }
    }

    /// Whether the calling thread, in the frame that the walk began with, has the same return addresses. This is much
    /// faster than another walk. Also false if the places of the addresses are unknown.
    pub fn is_same(&self) -> bool {
        !self.places.is_empty() && self.places.iter().all(|(at, addr)| word(*at) == *addr)
    }
}

#[cfg(test)]
#[path = "call_stack_tests.rs"]
mod tests;
