use super::*;

#[test]
fn total_memory_is_read_in_kibibytes() {
    let total = |text| parse_kibibytes(text, "MemTotal:");
    assert_eq!(total("MemFree: 1 kB\nMemTotal:  24 kB\n"), Some(24 << 10));
    assert_eq!(total("MemFree: 1 kB\n"), None);
    assert!(is_scarce("MemTotal: 80 kB\nMemAvailable: 9 kB\n"));
    assert!(!is_scarce("MemTotal: 80 kB\nMemAvailable: 10 kB\n"));
    assert!(!is_scarce("MemTotal: 80 kB\n"));
    assert!(memory() > 0 && cores() > 0);
    assert_eq!(ordinary_memory("MemTotal: 80 kB\nHugetlb: 30 kB\n"), Some(50 << 10));
    assert_eq!(ordinary_memory("MemTotal: 80 kB\n"), Some(80 << 10));
    assert_eq!(ordinary_memory("Hugetlb: 30 kB\n"), None);
}

#[test]
fn cache_sizes_are_as_the_kernel_writes_them() {
    assert_eq!(parse_cache_size("2048K"), Some(2 << 20));
    for bad in ["", "K", "2048", "2M", "-1K"] {
        assert_eq!(parse_cache_size(bad), None, "{bad:?}");
    }
    assert_eq!(l2_cache_in(Path::new("/nonexistent")), None);
}

#[test]
fn the_smallest_limit_of_a_group_and_those_around_it_counts() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let write = |file: &str, text: &str| {
        let file = root.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write("memory/a/memory.limit_in_bytes", "5000\n");
    write("memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    write("c/memory.max", "max\n");
    write("c/d/memory.max", "3000\n");
    write("c/d/memory.high", "2000\n");
    let of = |groups| limited(10_000, root, groups);
    assert_eq!(of("4:cpu,memory:/a/b\n"), 5000);
    assert_eq!(of("0::/c/d\n"), 2000);
    assert_eq!(of("0::/c\n"), 10_000);
    assert_eq!(of("4:memory:/a\n0::/c/d\n"), 2000);
    // Inside a container the whole path does not exist.
    assert_eq!(of("4:memory:/docker/123\n0::/\n"), 10_000);
    assert_eq!(of(""), 10_000);
}

#[test]
fn both_versions_of_control_groups_are_asked_up_to_the_root() {
    let files = limit_files(Path::new("/r"), "4:cpu,memory:/a/b\n3:cpu:/c\n0::/d\n");
    let expected = [
        "/r/memory/a/b/memory.limit_in_bytes",
        "/r/memory/a/memory.limit_in_bytes",
        "/r/memory/memory.limit_in_bytes",
        "/r/d/memory.max",
        "/r/d/memory.high",
        "/r/memory.max",
        "/r/memory.high",
        "/r/unified/d/memory.max",
        "/r/unified/d/memory.high",
        "/r/unified/memory.max",
        "/r/unified/memory.high",
    ];
    assert_eq!(files, expected.map(PathBuf::from));
}
