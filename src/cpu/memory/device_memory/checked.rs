//! Allocates blocks for which accesses outside of them are detected, see [`super::super::bounds`].

use super::{Block, DeviceMemory, Result};
use crate::base::arena::{Arena, HUGE};
use crate::memory::bounds::Layout;

impl DeviceMemory {
    /// Allocates a block as [`DeviceMemory::take_block`] does, with `rounded` bytes for a request of `asked`.
    pub(super) fn take_checked(&self, asked: usize, rounded: usize, align: u64) -> Result<Option<Block>> {
        let len = Arena::block_len(rounded as u64);
        drop(self.arena_with_room()?);
        if !self.bounds.reserve(len as usize, self.size) {
            return Ok(None);
        }
        let layout = Layout::new(len, align);
        let mut apart = None;
        if self.bounds.has_room() {
            let mut arena = self.arena.lock();
            // The rest of the device's memory needs addresses as well: small blocks need whole slabs of them.
            let rest = self.size - self.bounds.used() + HUGE;
            if arena.used() + layout.extent + rest <= self.span {
                apart = arena.take(layout.extent, layout.align);
            }
        }
        // Without private pages, the block shares pages, as without checks.
        let Some(taken) = apart.or_else(|| self.arena.lock().take(rounded as u64, align)) else {
            self.bounds.cancel(len as usize);
            return Ok(None);
        };
        let mut block = self.block(taken);
        let begun = if apart.is_some() {
            block = Block { addr: block.addr + layout.lead as usize, len: len as usize, ..block };
            self.bounds.begin(block, asked, layout)
        } else {
            self.bounds.begin_among_others(block)
        };
        if let Err(error) = begun {
            self.bounds.cancel(len as usize);
            self.arena.lock().free(self.offset(block.addr), block.token as u32);
            return Err(self.access_not_changed(len as usize, &error));
        }
        Ok(Some(block))
    }
}
