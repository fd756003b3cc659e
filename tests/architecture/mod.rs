//! Rules about the structure of the sources: files and functions are short, folders small, imports have no large
//! cycles, the backends have the same files, and functions are found by their names. Each rule has a negative test with
//! a violation, in the `_tests.rs` beside the rule.

mod home;
mod import_graph;
mod mirror;
mod module_tree;
mod size;
mod sources;
mod test_modules;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use import_graph::ImportGraph;
use module_tree::ModuleTree;
use size::Sizes;
use sources::Sources;

use super::source::read;

/// The folders with hand-written files.
const FOLDERS: [&str; 5] = ["src", "cpp_tests", "tests", "plugins", "cxx"];

/// Generated and third-party files.
const EXEMPT: [&str; 3] = ["cxx/include/rust/", "cxx/include/portacl/cxx_bridge.h", "cxx/src/bridge.cpp"];

/// Crates whose modules import each other without large cycles, and the number of path segments of a module: in most
/// crates it is in the folder of a region.
const CRATES: [(&str, usize); 7] =
    [("core", 2), ("check", 1), ("ffi", 2), ("backend", 1), ("cpu", 2), ("cuda", 2), ("algo", 2)];

/// The regions of the core, the lowest first, and the module that assembles them.
const REGIONS: [&str; 12] = [
    "base",
    "order",
    "runtime",
    "stream",
    "memory",
    "pool",
    "transfer",
    "kernel",
    "graph",
    "profiling",
    "process",
    "assembly",
];

/// The maximum number of modules in one cycle of imports.
const CYCLE: usize = 4;

static SOURCES: LazyLock<Sources> =
    LazyLock::new(|| Sources::below(&FOLDERS, |path| EXEMPT.iter().any(|exempt| path.starts_with(exempt))));

/// Rust files, also those of folders whose sizes are not limited.
static RUST: LazyLock<Sources> = LazyLock::new(Sources::rust);

/// The imports inside each crate, by its folder.
static GRAPHS: LazyLock<BTreeMap<String, ImportGraph>> =
    LazyLock::new(|| CRATES.iter().map(|(name, depth)| ((*name).to_owned(), graph(name, *depth))).collect());

fn graph(name: &str, depth: usize) -> ImportGraph {
    ImportGraph::of(&ModuleTree::read(&SOURCES, &format!("src/{name}/lib.rs")), depth)
}

/// Each rule with its limit and what it measures.
static MEASURED: LazyLock<Vec<(&'static str, usize, Sizes)>> = LazyLock::new(|| {
    let cycles = GRAPHS.iter().map(|(layer, graph)| {
        let members = graph.cycles().first().map_or_else(String::new, |cycle| cycle.join(", "));
        (format!("{layer} ({members})"), graph.largest_cycle())
    });
    vec![
        ("file lines", size::FILE_LINES, size::file_lines(&SOURCES)),
        ("function lines", size::FUNCTION_LINES, size::function_lines(&SOURCES)),
        ("files in a folder", size::FOLDER_FILES, size::folder_files(&SOURCES)),
        ("modules in a cycle", CYCLE, cycles.collect()),
        ("tests without a file of their own", 0, test_modules::without_own_file(&RUST)),
    ]
});

#[test]
fn sizes_and_cycles_are_within_their_limits() {
    let found: Vec<String> =
        MEASURED.iter().flat_map(|(rule, limit, sizes)| size::violations(rule, sizes, *limit)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn regions_of_the_core_import_no_higher_ones() {
    let found = GRAPHS["core"].upward(&REGIONS);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn both_backends_have_the_same_files() {
    let nouns = |backend: &str| mirror::nouns(&SOURCES, &format!("src/{backend}"));
    let listed = mirror::exceptions(&read(mirror::ALONE));
    let found = mirror::violations(&nouns("cpu"), &nouns("cuda"), &listed);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn tests_are_in_files_beside_their_module() {
    let found = test_modules::misnamed(&RUST);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Checks that the rules read the expected sources.
#[test]
fn the_rules_see_the_sources() {
    let sizes: BTreeMap<_, _> = MEASURED.iter().map(|(rule, _, sizes)| (*rule, sizes)).collect();
    assert!(sizes["file lines"].len() > 500);
    assert!(sizes["function lines"].len() > 5000);
    assert!(sizes["function lines"].keys().any(|key| key.contains(".cpp ")));
    for (layer, graph) in GRAPHS.iter() {
        assert!(graph.modules().count() > 5, "{layer}");
        assert!(graph.modules().any(|module| !graph.imports(module).is_empty()), "{layer}");
    }
}

/// Prints the cycles of each layer: `cargo test --test architecture cycles -- --ignored --nocapture`.
#[test]
#[ignore = "for people who take cycles apart"]
fn print_cycles() {
    for (layer, graph) in GRAPHS.iter() {
        for cycle in graph.cycles() {
            println!("{layer}: {} modules", cycle.len());
            for module in &cycle {
                let inside = graph.imports(module).into_iter().filter(|to| cycle.contains(to));
                println!("    {module} -> {}", inside.collect::<Vec<_>>().join(" "));
            }
        }
    }
}
