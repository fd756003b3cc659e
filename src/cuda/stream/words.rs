//! Words in pinned memory. Streams wait for them, and threads of the library write them.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use cudarc::driver::sys::{CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE, CUstreamWaitValue_flags};
use parking_lot::Mutex;

use crate::backend::Result;
use crate::runtime::{Context, DriverState};

const PAGE: usize = 4 << 10;
const WORD: usize = size_of::<AtomicU32>();

/// The words of a device for which its streams wait.
#[derive(Default)]
pub(crate) struct Words {
    lists: Mutex<WordLists>,
    /// The number of jobs that have begun and have not written their word; with [`ENDED`], of those that came too late.
    running: AtomicUsize,
}

#[derive(Default)]
struct WordLists {
    /// The addresses of the pinned memory, one page each.
    pages: Vec<usize>,
    /// The words that no stream has.
    spare: Vec<usize>,
}

/// The bit that says that no job writes a word from now on.
const ENDED: usize = 1 << (usize::BITS - 1);

/// A word that a stream has, and the number of its latest job. The numbers continue those of the word's previous
/// stream.
pub(crate) struct Word {
    pub addr: usize,
    pub number: u32,
}

impl Words {
    pub(crate) fn lend(&self, context: &Context) -> Result<Word> {
        let mut lists = self.lists.lock();
        if lists.spare.is_empty() {
            // Devices use the memory as well.
            let page = context.alloc_host(PAGE, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP)?;
            // SAFETY: just allocated.
            unsafe { std::ptr::with_exposed_provenance_mut::<u8>(page).write_bytes(0, PAGE) };
            lists.pages.push(page);
            lists.spare.extend((page..page + PAGE).step_by(WORD).rev());
        }
        let addr = lists.spare.pop().expect("filled above");
        Ok(Word { addr, number: at(addr).load(Ordering::Relaxed) })
    }

    /// Accepts a word for reuse that no job and no wait uses any more.
    pub(crate) fn return_word(&self, word: Word) {
        self.lists.lock().spare.push(word.addr);
    }

    /// Begins a job. Returns false if it may not write its word any more.
    pub(crate) fn begin_job(&self) -> bool {
        // Relaxed: the driver calls this before it reports that the stream is past the call. If the device has failed,
        // the count alone decides which came first.
        self.running.fetch_add(1, Ordering::Relaxed) & ENDED == 0
    }

    /// Ends a job, which has written its word.
    pub(crate) fn end_job(&self) {
        self.running.fetch_sub(1, Ordering::Release);
    }

    /// Ends the use of the words. Returns false if a job may still write one although the device is idle: the device
    /// may have failed, and its driver may still make calls.
    pub(crate) fn try_end(&self) -> bool {
        // Acquire: pairs with the Release of the last job.
        let ended = self.running.compare_exchange(0, ENDED, Ordering::Acquire, Ordering::Acquire);
        ended.is_ok() || ended.is_err_and(|running| running & ENDED != 0)
    }

    /// Frees the memory, when the device closes.
    pub(crate) fn release(&self, driver: &DriverState, context: &Context) {
        let mut lists = self.lists.lock();
        lists.spare.clear();
        for page in lists.pages.drain(..) {
            let page: *mut c_void = std::ptr::with_exposed_provenance_mut(page);
            // SAFETY: a live block that is freed once.
            driver.end_in(context, |api| unsafe { api.mem_free_host(page) });
        }
    }
}

pub(crate) const GREATER_EQUAL: u32 = CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_GEQ as u32;

pub(crate) fn at(addr: usize) -> &'static AtomicU32 {
    let word = std::ptr::with_exposed_provenance_mut(addr);
    // SAFETY: an aligned word in a live page: the caller has borrowed it, and pages are freed when
    // nothing runs any more. The device reads it at any time, hence an atomic.
    unsafe { AtomicU32::from_ptr(word) }
}
