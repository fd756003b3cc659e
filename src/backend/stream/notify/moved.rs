//! Moves the word of a notify to a page without other notifies, while streams change it and wait for it.
//!
//! The new place is published first. Then the word's value is taken, and 0 left in its place: that is no serial number,
//! so threads that find it look for the new place. They wait for the value to arrive there, a few instructions, by a
//! flag that no other process can write.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::page::Page;
use super::{Notify, parts};

/// The new place of a word.
pub(super) struct Moved {
    page: Page,
    slot: usize,
    /// Whether the value has arrived.
    is_there: AtomicBool,
}

impl Moved {
    /// Frees the place of a notify that has ended.
    pub(super) fn end(&self) {
        self.page.release(self.slot);
    }
}

/// Only one thread moves a word at a time.
static MOVING: Mutex<()> = Mutex::new(());

impl Notify {
    /// Moves the word, unless it is alone on its page.
    pub(super) fn move_out(&self) -> io::Result<()> {
        let _moving = MOVING.lock();
        if self.page.is_for_one() || self.moved.get().is_some() {
            return Ok(());
        }
        let page = Page::new(1)?;
        let (slot, _) = page.take().expect("a new page has room");
        let moved = self.moved.get_or_init(|| Moved { page, slot, is_there: AtomicBool::new(false) });
        // Release: a thread that finds the 0 sees the new place.
        let word = self.page.line(self.slot).word.swap(0, Ordering::AcqRel);
        moved.page.line(slot).word.store(word, Ordering::Release);
        moved.is_there.store(true, Ordering::Release);
        Ok(())
    }

    /// Returns the page of the word, and the slot there.
    pub(super) fn place(&self) -> (&Page, usize) {
        self.moved.get().map_or((&self.page, self.slot), |moved| (&moved.page, moved.slot))
    }

    /// Returns the word that has moved, and its value, or `None` if the notify has ended.
    #[cold]
    pub(super) fn load_moved(&self) -> Option<(&AtomicU64, u64)> {
        let moved = self.moved.get()?;
        while !moved.is_there.load(Ordering::Acquire) {
            std::hint::spin_loop();
        }
        let place = &moved.page.line(moved.slot).word;
        let word = place.load(Ordering::Acquire);
        (parts(word).1 == self.serial).then_some((place, word))
    }
}
