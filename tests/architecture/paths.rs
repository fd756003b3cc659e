//! Checks the paths of allocations in `allocation_paths.md`: the functions are in their rooms, the headings count the
//! rooms and the ways back, and neither grows.

use std::collections::BTreeSet;

use super::source::read;

const PATHS: &str = "tests/architecture/allocation_paths.md";
/// The entry and the most rooms and ways back of each path.
const MOST: [(&str, [usize; 2]); 3] = [
    ("aclrtMalloc, from the cache", [9, 1]),
    ("aclrtMalloc, from the device", [13, 4]),
    ("aclrtMemPoolMallocAsync", [9, 2]),
];

/// Returns the room of a file: in `algo` that of its data structure.
fn room(file: &str) -> String {
    let levels = if file.starts_with("src/algo/") { 4 } else { usize::MAX };
    file.trim_end_matches(".rs").split('/').take(levels).collect::<Vec<_>>().join("/")
}

/// Returns what is wrong with a section: a heading with its table. `text_of` reads a source.
fn wrong(section: &str, most: [usize; 2], text_of: impl Fn(&str) -> String) -> Vec<String> {
    let (heading, table) = section.split_once('\n').unwrap();
    let (mut found, mut rooms, mut back) = (Vec::new(), BTreeSet::new(), 0);
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let file = cells[1].trim_matches('`');
        rooms.insert(room(file));
        back += usize::from(cells[5] == "yes");
        let text = text_of(file);
        let is_there = |name: &str| ["(", "<"].iter().any(|end| text.contains(&format!("fn {name}{end}")));
        let names = cells[2].split(", ").map(|name| name.trim_matches('`'));
        found.extend(names.filter(|name| !is_there(name)).map(|name| format!("{heading}: {file} has no fn {name}")));
    }
    let counted = format!(": {} rooms, {back} way{} back", rooms.len(), if back == 1 { "" } else { "s" });
    if !heading.ends_with(&counted) {
        found.push(format!("{heading}: the rows are{counted}"));
    }
    if rooms.len() > most[0] || back > most[1] {
        found.push(format!("{heading}: at most {} rooms and {} ways back", most[0], most[1]));
    }
    found
}

#[test]
fn paths_of_allocations_are_those_of_the_page() {
    let page = read(PATHS);
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    assert_eq!(sections.len(), MOST.len());
    let pairs = sections.iter().zip(MOST);
    let found = pairs.flat_map(|(section, (entry, most))| {
        assert!(section.starts_with(&format!("{entry}: ")), "{PATHS}: {section}");
        wrong(section, most, read)
    });
    assert_eq!(found.collect::<Vec<_>>(), [""; 0], "{PATHS}");
}

#[test]
fn a_wrong_path_is_found() {
    let table = "| `src/algo/map/a/b.rs` | `c`, `d` | x | | yes |\n| `src/algo/map/a.rs` | `e` | x | | |\n";
    let text = |_: &str| "fn c(x: u8) {}\nfn d<T>() {}\nfn e() {}\n".to_owned();
    let errors =
        |heading: &str, most, text: &dyn Fn(&str) -> String| wrong(&format!("{heading}\n{table}"), most, text).len();
    assert_eq!(errors("f: 1 rooms, 1 way back", [1, 1], &text), 0);
    assert_eq!(errors("f: 2 rooms, 1 way back", [1, 1], &text), 1);
    assert_eq!(errors("f: 1 rooms, 1 way back", [1, 0], &text), 1);
    assert_eq!(errors("f: 1 rooms, 1 way back", [1, 1], &|_| "fn c() {}\nfn d() {}\n".to_owned()), 1);
}
