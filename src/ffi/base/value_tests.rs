use super::*;
use crate::types::aclrtMemcpyKind;

#[test]
fn any_number_is_read() {
    for number in [3, -1, i32::MAX] {
        assert_eq!(enum_value(enum_from::<aclrtMemcpyKind>(number)), number);
    }
}
