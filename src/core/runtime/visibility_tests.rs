use super::*;

fn chosen(value: &str) -> Vec<u32> {
    Visibility::choose(Some(value), 4).logical.into()
}

#[test]
fn the_list_is_read_up_to_the_first_entry_that_is_none() {
    assert_eq!(*Visibility::choose(None, 4).logical, [0, 1, 2, 3]);
    for (value, ids) in [
        ("0,1,2,3", &[0, 1, 2, 3][..]),
        ("1,3", &[1, 3]),
        ("3,1", &[3, 1]),
        (" 1 ,\t2 ", &[1, 2]),
        ("01,2", &[1, 2]),
        ("1,4,2", &[1]),
        ("1,-1,2", &[1]),
        ("1,x,2", &[1]),
        ("1,2x,3", &[1]),
        ("1;2", &[]),
        ("1,,2", &[1]),
        ("1,2,1,3", &[1, 2]),
        ("1,99999999999999999999", &[1]),
        ("1,+2", &[1]),
        ("-1", &[]),
        ("none", &[]),
        (",0", &[]),
    ] {
        assert_eq!(chosen(value), ids, "{value:?}");
    }
}

#[test]
fn ids_are_converted_both_ways() {
    let visible = Visibility::choose(Some("3,1"), 4);
    assert_eq!(visible.logical_of("id", 0).unwrap(), 3);
    assert_eq!(visible.logical_of("id", 1).unwrap(), 1);
    assert_eq!(visible.user_of("id", 1).unwrap(), 1);
    assert_eq!(visible.user_of("id", 3).unwrap(), 0);
    for outside in [-1, 2, i32::MAX, i32::MIN] {
        let error = visible.logical_of("id", outside).unwrap_err();
        assert_eq!(error.code(), Code::InvalidDeviceId);
        let text = format!("id is {outside}; allowed: the ids 0 to 1 of 2 devices ({VISIBLE_DEVICES} hides 2 devices)");
        assert_eq!(error.text(), text);
    }
    let hidden = visible.user_of("id", 2).unwrap_err();
    assert!(hidden.text().contains(VISIBLE_DEVICES), "{hidden:?}");
    let outside = visible.user_of("id", 4).unwrap_err();
    assert_eq!(outside.text(), "id is 4; allowed: the ids 0 to 3 of 4 devices");
}

#[test]
fn one_device_has_the_only_id() {
    let error = |value, all| Visibility::choose(value, all).logical_of("id", 1).unwrap_err();
    assert_eq!(error(None, 1).text(), "id is 1; allowed: 0, the id of the only device");
    let hidden = format!("id is 1; allowed: none ({VISIBLE_DEVICES} hides 1 device)");
    assert_eq!(error(Some("none"), 1).text(), hidden);
}
