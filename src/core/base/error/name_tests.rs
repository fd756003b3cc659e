use super::*;
use std::collections::BTreeMap;

#[test]
fn names_are_those_of_the_api() {
    let table = include_str!("../../../../tests/data/acl-constants.tsv");
    let mut wanted = BTreeMap::from([(0, "ACL_SUCCESS")]);
    for line in table.lines() {
        let mut fields = line.split('\t').skip(1);
        if let (Some(name), Some(Ok(value))) = (fields.next(), fields.next().map(str::parse))
            && name.starts_with("ACL_ERROR")
        {
            wanted.entry(value).or_insert(name);
        }
    }
    let named: BTreeMap<i32, &str> = NAMES.iter().map(|(code, name)| (*code, name.to_str().unwrap())).collect();
    assert_eq!(named, wanted);
}

#[test]
fn every_code_is_found_and_no_other() {
    for (code, name) in NAMES {
        assert_eq!(error_name(*code), Some(*name));
    }
    for unknown in [i32::MIN, -1, 1, 107_999, i32::MAX] {
        assert_eq!(error_name(unknown), None);
    }
}
