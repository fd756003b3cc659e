use super::*;
use crate::backend::FaultKind;

#[test]
fn the_driver_says_which_copy_is_wrong() {
    let copies = OneCall { dsts: vec![0x1000, 0x2000], srcs: vec![0x3000, 0x4000], lens: vec![5, 6] };
    let refused = || Fault::new(FaultKind::Driver, "refused");
    assert_eq!(copies.explain(refused(), 1).text(), "refused (the copy of 6 bytes from 0x4000 to 0x2000)");
    assert_eq!(copies.explain(refused(), usize::MAX).text(), "refused");
}
