use super::*;

#[test]
fn names_with_brackets_hide_no_start_time() {
    let rest = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20";
    for name in ["a", "a) b", "((", ") R 1 1"] {
        assert_eq!(parse(&format!("17 ({name}) {rest}")), Some((17, 4711)), "{name}");
    }
    assert_eq!(parse("17 (a) S 1"), None);
    assert_eq!(start_of(std::process::id().cast_signed()).unwrap(), Some(Process::current().unwrap().start));
    assert_eq!(start_of((1 << 22) - 1).unwrap(), None);
}

#[test]
fn only_the_whole_map_is_the_identity() {
    assert!(is_identity("         0          0 4294967295\n"));
    for map in ["", "0 1000 1\n", "0 0 1\n", "0 0\n", "65534 65534 1\n", "0 0 65536\n65536 1 9\n", "a b c\n"] {
        assert!(!is_identity(map), "{map}");
    }
}
