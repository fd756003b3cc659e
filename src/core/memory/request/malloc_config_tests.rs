use super::*;
use crate::base::error::Code;

#[test]
fn attributes_are_those_of_the_api() {
    let known: Vec<_> = (0..4).map(|number| Attribute::from_number(number).unwrap()).collect();
    assert_eq!(known.iter().map(|kind| *kind as i32).collect::<Vec<_>>(), [0, 1, 2, 3]);
    for number in [-1, 4, i32::MAX] {
        assert_eq!(Attribute::from_number(number).unwrap_err().code(), Code::InvalidParam);
    }
}

#[test]
fn each_attribute_comes_once() {
    let mut config = MallocConfig::default();
    config.add(Attribute::ModuleId, 7).unwrap();
    config.add(Attribute::VaFlag, 1).unwrap();
    assert_eq!(config.add(Attribute::ModuleId, 7).unwrap_err().code(), Code::InvalidParam);
    assert_eq!(MallocConfig::default().add(Attribute::VaFlag, 2).unwrap_err().code(), Code::InvalidParam);
}
