use super::*;

fn frame(name: &str) -> Frame {
    Frame { function: name.to_owned(), place: Some(("a.cpp".to_owned(), 7)) }
}

#[test]
fn sums_go_up_the_tree_and_the_largest_comes_first() {
    let mut root = LineNode::default();
    let malloc = |used| Tally { used, mallocs: 1, ..Tally::default() };
    root.add(&[frame("main"), frame("small")], &malloc(512));
    root.add(&[frame("main"), frame("large")], &malloc(3 << 20));
    let alloc = Tally { acquired: 2048, allocs: 1, ..Tally::default() };
    root.add(&[frame("main"), frame("small")], &alloc);
    let mut rows = Vec::new();
    root.rows(None, 0, &mut rows);
    let lines: Vec<String> = rows.iter().map(|row| format!("{row}\n")).collect();
    assert_eq!(
        lines.concat(),
        "_root (3.00 MiB in 2, 2.00 KiB in 1)\n  a.cpp:7:main (3.00 MiB in 2, 2.00 KiB in 1)\n    \
         a.cpp:7:large (3.00 MiB in 1, 0 B in 0)\n    a.cpp:7:small (512 B in 1, 2.00 KiB in 1)\n"
    );
}

#[test]
fn bytes_have_units() {
    let shown = |bytes| Bytes(bytes).to_string();
    assert_eq!(shown(1023), "1023 B");
    assert_eq!(shown(1536), "1.50 KiB");
    assert_eq!(shown(u64::MAX), "16.00 EiB");
}
