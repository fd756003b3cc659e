use super::*;
use crate::base::error::Code;

#[test]
fn attributes_are_known_by_number() {
    let config = |id, value| Config::new([(id, value)].into_iter());
    assert_eq!(config(2, [64, 7]).unwrap().shared_bytes(), Some(64));
    for hint in [1, 3, 5, 9] {
        let config = config(hint, [1, 0]).unwrap();
        assert_eq!(config.shared_bytes(), None);
        assert_eq!(config.ids().collect::<Vec<_>>(), [hint]);
        assert_eq!(config.value(hint).unwrap(), 1);
    }
    for (id, unset, set) in
        [(4, [0, 1], [1, 0]), (6, [0xff00, 1], [1, 0]), (7, [0x1_0000, 1], [1, 0]), (8, [0, 0], [0, 1])]
    {
        let config = |value| config(id, value);
        assert_eq!(config(unset).unwrap().ids().collect::<Vec<_>>(), [id]);
        assert_eq!(config(unset).unwrap().value(id).unwrap(), 0);
        assert_eq!(config(set).unwrap_err().code(), Code::FeatureNotSupport);
    }
    for unknown in [0, 10, -1] {
        assert_eq!(config(unknown, [0, 0]).unwrap_err().code(), Code::InvalidParam);
    }
}
