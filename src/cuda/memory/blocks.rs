//! Blocks of memory as the driver allocates them: page size, alignment, and the notes in their tokens.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::backend::{Block, Fault, Result};

pub(crate) const NORMAL_PAGE: usize = 4 << 10;
pub(crate) const HUGE_PAGE: usize = 2 << 20;
const SMALLEST_ALIGNMENT: usize = 512;

/// The bits of a token that hold the binary logarithm of the page size. Two more bits say whether the memory is managed
/// or of another process. The others hold the address that the driver returned, which is aligned to more than that.
const PAGE_BITS: u64 = 63;
const MANAGED: u64 = 64;
const IMPORTED: u64 = 128;
const NOTES: u64 = PAGE_BITS | MANAGED | IMPORTED;

pub(crate) fn token(base: usize, page: usize) -> u64 {
    base as u64 & !NOTES | u64::from(page.trailing_zeros())
}

/// Returns the address at which the driver's allocation begins.
pub(crate) fn base(block: Block) -> usize {
    (block.token & !NOTES) as usize
}

/// Returns the block with the mark of managed memory.
pub(crate) fn managed_block(block: Block) -> Block {
    Block { token: block.token | MANAGED, ..block }
}

/// Whether the block is managed memory.
pub(crate) fn is_managed(block: Block) -> bool {
    block.token & MANAGED != 0
}

/// Whether the block is memory from another process.
pub(crate) fn is_imported(block: Block) -> bool {
    block.token & IMPORTED != 0
}

/// Returns the page size of a block, as far as it is guaranteed.
pub(crate) fn page_size(block: Block) -> usize {
    1 << (block.token & PAGE_BITS)
}

/// Creates a block at the address where the driver has allocated it.
pub(crate) fn plain_block(addr: usize, len: usize) -> Block {
    Block { addr, len, token: token(addr, NORMAL_PAGE) }
}

/// Creates a block in memory from another process, which is mapped at `base` on pages of this size.
pub(crate) fn imported_block(base: usize, page: usize, addr: usize, len: usize) -> Block {
    Block { addr, len, token: token(base, page) | IMPORTED }
}

/// Whether the driver has ever returned less alignment than a [`Block`] has. From then on the first request is larger.
#[derive(Default)]
pub(crate) struct Padding {
    normal: AtomicBool,
    huge: AtomicBool,
}

/// Allocates a block with the alignment that its length needs. If the address from `allocate` is not aligned, allocates
/// a larger range and frees the first one with `discard`.
pub(crate) fn aligned(
    padding: &Padding,
    len: usize,
    mut allocate: impl FnMut(usize) -> Result<usize>,
    discard: impl FnOnce(usize),
) -> Result<Block> {
    let alignment = match len {
        HUGE_PAGE.. => HUGE_PAGE,
        NORMAL_PAGE.. => NORMAL_PAGE,
        _ => SMALLEST_ALIGNMENT,
    };
    let padded = if alignment >= HUGE_PAGE { &padding.huge } else { &padding.normal };
    let mut too_low = None;
    // Relaxed: the value is a hint.
    if alignment <= SMALLEST_ALIGNMENT || !padded.load(Ordering::Relaxed) {
        let base = allocate(len)?;
        if base.is_multiple_of(alignment) {
            return Ok(Block { addr: base, len, token: token(base, NORMAL_PAGE) });
        }
        padded.store(true, Ordering::Relaxed);
        too_low = Some(base);
    }
    let base = len.checked_add(alignment).map_or_else(|| Err(too_large(len)), allocate);
    if let Some(too_low) = too_low {
        discard(too_low);
    }
    let base = base?;
    Ok(Block { addr: base.next_multiple_of(alignment), len, token: token(base, NORMAL_PAGE) })
}

pub(crate) fn too_large(len: usize) -> Fault {
    Fault::out_of_device_memory(format!("{len} bytes are more than can be addressed"))
}

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
