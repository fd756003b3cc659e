//! The records of the core pools' blocks in the address map.

use crate::algo::alloc::pool::{Books, Enter, Taken};
use crate::algo::map::address_map::HeldPlace;
use crate::memory::allocation::{ALLOCATIONS, Allocation, PoolTag};

/// The address of a block in the address map. If the map is full, the error has the block's note.
pub(super) type Entered = std::result::Result<usize, u64>;

/// Enters blocks in the address map, under the lock of the bookkeeping.
impl Enter<HeldPlace<'static>> for PoolTag {
    type Entered = Entered;

    #[inline(always)]
    fn new_block(self, taken: Taken, number: u32) -> Entered {
        match Allocation::enter_held(number, taken, self) {
            true => Ok(taken.addr),
            false => Err(taken.note),
        }
    }

    #[inline(always)]
    fn again(self, place: HeldPlace<'static>, len: usize) -> Entered {
        Ok(place.show(len))
    }
}

/// The address map, in which segments are held.
pub(super) struct HeldPages;

impl Books for HeldPages {
    type Place = HeldPlace<'static>;

    fn supply(numbers: &mut Vec<u32>) {
        ALLOCATIONS.claim_held(numbers);
    }

    #[inline(always)]
    fn place(number: u32) -> Self::Place {
        ALLOCATIONS.place(number)
    }
}
