use super::*;
use crate::base::error::Code;

#[test]
fn shapes_have_bounds() {
    let grid = |grid, threads| Shape::Grid { grid, threads, shared_bytes: 0 };
    let fine = grid([0x7fff_ffff, 0xffff, 0xffff], [1024, 1, 1]);
    fine.check_not_empty().and_then(|()| fine.check_bounds(None)).unwrap();
    for bad in [
        Shape::Blocks(0x8000_0000),
        grid([1, 0x1_0000, 1], [1; 3]),
        grid([1; 3], [1, 1, 65]),
        grid([1; 3], [1024, 2, 1]),
    ] {
        bad.check_not_empty().unwrap();
        assert_eq!(bad.check_bounds(None).unwrap_err().code(), Code::InvalidParam, "{bad:?}");
    }
    for empty in [Shape::Blocks(0), grid([1, 1, 0], [1; 3]), grid([1; 3], [0, 1, 1])] {
        assert_eq!(empty.check_not_empty().unwrap_err().code(), Code::InvalidParam);
    }
}
