use std::collections::BTreeSet;

use super::*;

#[test]
fn every_documented_variable_is_known_and_no_other() {
    let document = include_str!("../../../../docs/configuration.md");
    let cells = document.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let documented: BTreeSet<&str> = cells.filter(|name| name.starts_with(PREFIX)).collect();
    assert_eq!(NAMES.split(' ').collect::<BTreeSet<_>>(), documented);
}

#[test]
fn an_unknown_variable_is_reported_with_the_nearest_name() {
    for (name, nearest) in [
        ("CPU_DEVICE", "PORTACL_CPU_DEVICES"),
        ("BACKENDS", "PORTACL_BACKEND"),
        ("LEAKCHECK", "PORTACL_LEAK_CHECK"),
        ("", "PORTACL_HCCL"),
    ] {
        let name = format!("{PREFIX}{name}");
        let line = unknown(&name).unwrap();
        assert!(line.contains(&format!("variable {name} is")) && line.ends_with(&format!(" {nearest}")), "{line}");
    }
}

#[test]
fn other_variables_are_ignored() {
    let others = ["PORTACL", "portacl_BACKEND", "MY_PORTACL_BACKEND", "PORTACL_TEST_X", "PATH", ""];
    for name in NAMES.split(' ').chain(others) {
        assert_eq!(unknown(name), None, "{name}");
    }
    for other in OTHERS {
        assert_eq!(unknown(&format!("{PREFIX}{other}")), None, "{other}");
    }
}
