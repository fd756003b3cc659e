//! Checks what Cargo cannot: the order of regions inside the core, cycles of imports, and that one noun has one name in
//! all layers. Every check has a negative test with a violation.

#[path = "architecture/home.rs"]
mod home;
#[path = "architecture/paths.rs"]
mod paths;
mod source;

use std::collections::{BTreeMap, BTreeSet};

use source::{files, is_test_file, read, without_comments};

/// The regions of the core, the lowest first, and the module that assembles them.
const REGIONS: &str = "base order runtime stream memory pool transfer kernel graph profiling process assembly";
/// The crates, and the number of path segments of a module in them: in most it is in the folder of a region.
const CRATES: [(&str, usize); 7] =
    [("core", 2), ("check", 1), ("ffi", 2), ("backend", 1), ("cpu", 2), ("cuda", 2), ("algo", 2)];
/// The maximum number of modules in one cycle of imports.
const CYCLE: usize = 4;
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Returns the product code of a file: without comments and tests.
fn product(path: &str, text: &str) -> String {
    let product = if is_test_file(path) { "" } else { text.split("#[cfg(test)]\nmod ").next().unwrap() };
    without_comments(product)
}

/// Returns the paths below the crate that the code of a module names. Groups of `use` are written out.
fn named_paths(module: &str, code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, first) in ["crate::", "super::"].iter().flat_map(|first| code.match_indices(first)) {
        let is_start = |c: char| !c.is_alphanumeric() && c != '_' && c != ':';
        if code[..at].chars().next_back().is_none_or(is_start) {
            let mut base: Vec<&str> = module.split('/').collect();
            let mut rest = &code[at + first.len()..];
            if first == "crate::" {
                base.clear();
            } else {
                base.pop();
            }
            while let Some(above) = rest.strip_prefix("super::") {
                base.pop();
                rest = above;
            }
            write_out(&base.join("/"), rest, &mut found);
        }
    }
    found
}

/// Adds the paths that begin with `base` and go on in `rest`. Returns what is behind them.
fn write_out<'a>(base: &str, rest: &'a str, found: &mut Vec<String>) -> &'a str {
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (path, rest) = (format!("{base}/{}", &rest[..end]), &rest[end..]);
    let path = path.trim_matches('/');
    let Some(below) = rest.strip_prefix("::") else {
        found.push(path.to_owned());
        return rest;
    };
    let Some(mut group) = below.strip_prefix('{') else { return write_out(path, below, found) };
    loop {
        group = group.trim_start_matches([' ', '\n', ',']);
        if group.is_empty() || group.starts_with('}') {
            return group.strip_prefix('}').unwrap_or(group);
        }
        let behind = write_out(path, group, found);
        group = behind.find([',', '}']).map_or("", |at| &behind[at..]);
    }
}

/// Returns the modules that each module of a crate imports; a module has `depth` segments at most.
fn imports(sources: &[(String, String)], depth: usize) -> Imports {
    let name = |path: &str| path.trim_end_matches(".rs").trim_end_matches("/mod").to_owned();
    let cut = |module: &str| module.split('/').take(depth).collect::<Vec<_>>().join("/");
    let modules: BTreeSet<String> = sources.iter().map(|(path, _)| name(path)).collect();
    let mut imports = Imports::new();
    for (path, text) in sources {
        let module = name(path);
        let to = named_paths(&module, &product(path, text)).into_iter().filter_map(|path| {
            let mut place = path.as_str();
            while !modules.contains(place) {
                place = place.rsplit_once('/')?.0;
            }
            Some(cut(place))
        });
        let from = cut(&module);
        let to: Vec<_> = to.filter(|to| *to != from).collect();
        imports.entry(from).or_default().extend(to);
    }
    imports
}

/// Returns the modules of the core that import a higher region.
fn upward(imports: &Imports) -> Vec<String> {
    let rank = |module: &str| REGIONS.split(' ').position(|region| module.split('/').next() == Some(region));
    let pairs = imports.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
    let wrong = pairs.filter(|(from, to)| rank(from).zip(rank(to)).is_some_and(|(from, to)| to > from));
    wrong.map(|(from, to)| format!("src/core/{from} imports the higher region of {to}")).collect()
}

/// Returns the cycles: the sets of modules that reach each other.
fn cycles(imports: &Imports) -> Vec<BTreeSet<String>> {
    let reached = |from: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            for to in imports.get(module).into_iter().flatten() {
                if seen.insert(to.clone()) {
                    open.push(to);
                }
            }
        }
        seen
    };
    let all: BTreeMap<&String, BTreeSet<String>> = imports.keys().map(|module| (module, reached(module))).collect();
    let of = |module: &String| -> BTreeSet<String> {
        let mutual = all[module].iter().filter(|other| all.get(other).is_some_and(|seen| seen.contains(module)));
        mutual.cloned().collect()
    };
    imports.keys().map(of).filter(|cycle| cycle.len() > 1).collect()
}

/// Returns the nouns (`region/noun`) that only one backend has and the table does not list, and those that it lists for
/// nothing.
fn alone(paths: &[String], table: &str) -> Vec<String> {
    let nouns = |backend: &str| -> BTreeSet<String> {
        let below = paths.iter().filter(|path| !is_test_file(path)).filter_map(|path| path.strip_prefix(backend));
        let parts = below.map(|path| path.trim_end_matches(".rs").split('/').take(2).collect::<Vec<_>>());
        parts.filter(|parts| parts.len() == 2).map(|parts| parts.join("/")).collect()
    };
    let (cpu, cuda) = (nouns("cpu/"), nouns("cuda/"));
    let of = |backend: &'static str, noun: &String| format!("{backend}/{noun}");
    let mut all: BTreeSet<String> = cpu.difference(&cuda).map(|noun| of("cpu", noun)).collect();
    all.extend(cuda.difference(&cpu).map(|noun| of("cuda", noun)));
    let rows = home::rows(table).into_iter().filter(|(_, reason)| reason.len() > 10);
    all.symmetric_difference(&rows.flat_map(|(names, _)| names).collect()).cloned().collect()
}

/// Returns the product files that have tests, which belong into `x_tests.rs`.
fn with_tests(sources: &[(String, String)]) -> Vec<String> {
    let has_tests = |path: &str, text: &str| {
        !is_test_file(path) && (text.contains("#[test]") || text.contains("#[cfg(test)]\nmod tests {"))
    };
    sources.iter().filter(|(path, text)| has_tests(path, text)).map(|(path, _)| path.clone()).collect()
}

fn sources_of(folder: &str) -> Vec<(String, String)> {
    files(folder, &["rs"]).into_iter().map(|path| (path[folder.len() + 1..].to_owned(), read(&path))).collect()
}

#[test]
fn regions_of_the_core_import_no_higher_ones() {
    assert_eq!(upward(&imports(&sources_of("src/core"), 2)), [""; 0]);
}

#[test]
fn cycles_of_imports_are_small() {
    for (name, depth) in CRATES {
        let imports = imports(&sources_of(&format!("src/{name}")), depth);
        assert!(imports.len() > 5 && imports.values().any(|to| !to.is_empty()), "{name}");
        let large: Vec<_> = cycles(&imports).into_iter().filter(|cycle| cycle.len() > CYCLE).collect();
        assert!(large.is_empty(), "{name}: {:?}; at most {CYCLE} modules", large[0]);
    }
}

#[test]
fn both_backends_have_the_same_files() {
    let paths: Vec<String> = sources_of("src").into_iter().map(|(path, _)| path).collect();
    const ALONE: &str = "tests/architecture/one_backend.tsv";
    assert_eq!(alone(&paths, &read(ALONE)), [""; 0], "name both alike, or list one in {ALONE} with a reason");
}

#[test]
fn tests_are_in_files_of_their_own() {
    assert_eq!(with_tests(&sources_of("src")), [""; 0]);
}

#[test]
fn violations_are_found() {
    let sources = |files: &[(&str, &str)]| -> Vec<(String, String)> {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    };
    let code = "use crate::stream::{self, event::{Event, wait}, *};\nfn a() -> super::memory::B { crate::base::c() }";
    let paths = named_paths("memory/pinned", code);
    assert_eq!(paths[..4], ["stream/self", "stream/event/Event", "stream/event/wait", "stream"].map(str::to_owned));
    assert!(paths.contains(&"base/c".to_owned()) && paths.contains(&"memory/memory/B".to_owned()), "{paths:?}");
    let core = sources(&[
        ("stream/mod.rs", ""),
        ("stream/queue.rs", "use crate::graph::launch;"),
        ("graph/mod.rs", "use crate::stream::queue::Queue; // crate::process\n"),
        ("graph/launch.rs", "use super::super::stream::queue;\n#[cfg(test)]\nmod tests { use crate::process; }"),
        ("process/mod.rs", ""),
    ]);
    assert_eq!(upward(&imports(&core, 2)), ["src/core/stream/queue imports the higher region of graph/launch"]);
    assert_eq!(cycles(&imports(&core, 2))[0].len(), 2);
    let backends = ["cpu/stream/queue.rs", "cpu/tests/a.rs", "cuda/stream/event.rs", "cpu/stream/event/wait.rs"]
        .map(str::to_owned);
    assert_eq!(alone(&backends, "cpu/stream/queue\tdrivers have queues\n"), [""; 0]);
    assert_eq!(alone(&backends, "cuda/stream/gone\tdrivers have it\n"), ["cpu/stream/queue", "cuda/stream/gone"]);
    let inline = sources(&[("a.rs", "#[cfg(test)]\nmod tests {\n}"), ("b.rs", "#[cfg(test)]\nmod tests;\n")]);
    assert_eq!(with_tests(&inline), ["a.rs"]);
}
