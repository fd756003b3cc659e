use super::*;
use std::cell::RefCell;

use crate::backend::FaultKind;

#[test]
fn tokens_keep_address_and_page() {
    let block = Block { addr: 0x7000_0020_0000, len: 1, token: token(0x7000_0000_0200, 4096) };
    assert_eq!((base(block), page_size(block)), (0x7000_0000_0200, 4096));
    let huge = Block { token: token(0x7000_0020_0000, HUGE_PAGE), ..block };
    assert_eq!((base(huge), page_size(huge)), (0x7000_0020_0000, HUGE_PAGE));
}

#[test]
fn misaligned_memory_is_replaced_by_a_larger_block() {
    let padding = Padding::default();
    let asked = RefCell::new(Vec::new());
    let allocate = |len| {
        asked.borrow_mut().push(len);
        Ok(0x10200)
    };
    let mut discarded = None;
    let block = aligned(&padding, 5000, allocate, |base| discarded = Some(base)).unwrap();
    assert_eq!(block, Block { addr: 0x11000, len: 5000, token: token(0x10200, 4096) });
    assert_eq!(discarded, Some(0x10200));
    assert_eq!(asked.take(), [5000, 5000 + 4096]);

    let again = aligned(&padding, 5000, allocate, |_| panic!("nothing to discard")).unwrap();
    assert_eq!(again, block);
    assert_eq!(asked.take(), [5000 + 4096], "the first time has taught it");
    let fault = aligned(&padding, usize::MAX, |_| Ok(512), |_| ()).unwrap_err();
    assert_eq!(fault.kind(), FaultKind::OutOfDeviceMemory);
}

#[test]
fn memory_that_fits_is_taken_as_it_is() {
    let padding = Padding::default();
    for (len, base) in [(100, 0x10200), (5000, 0x3000), (HUGE_PAGE, 4 * HUGE_PAGE)] {
        let block = aligned(&padding, len, |_| Ok(base), |_| panic!("nothing")).unwrap();
        assert_eq!((block.addr, block.len), (base, len));
    }
}
