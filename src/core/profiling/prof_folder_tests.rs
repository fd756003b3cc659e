use super::*;

#[test]
fn other_programs_get_no_folder() {
    for path in ["/", "/nowhere/traces", "/nowhere/_ascend_pt/traces"] {
        assert_eq!(inside(Path::new(path)), None, "{path}");
    }
}

#[test]
fn the_folder_has_the_times_of_all_clocks_and_only_its_user_writes_there() {
    let folder = std::env::temp_dir().join(format!("portacl-{}-PROF", std::process::id()));
    make(&folder).unwrap();
    let host = folder.join("host");
    for path in [&folder, &host] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, MODE);
    }
    let text = std::fs::read_to_string(host.join("start_info")).unwrap();
    let number = |name: &str| -> i64 {
        let rest = text.split(&format!("\"{name}\": ")).nth(1).unwrap();
        rest.split([',', '}']).next().unwrap().parse().unwrap()
    };
    for (name, clock, unit) in [
        ("collectionTimeBegin", ClockId::Realtime, 1000),
        ("clockMonotonicRaw", ClockId::MonotonicRaw, 1),
        ("clockMonotonic", ClockId::Monotonic, 1),
    ] {
        let since = now(clock) - number(name) * unit;
        assert!((0..60_000_000_000).contains(&since), "{name}: {since}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
