//! Checks where a function of the API lives. The noun in its name is the name of its file in `src/ffi`:
//!
//! 1. `aclmdlRI` is the prefix of the region graph, `aclprof` that of profiling. Other functions are in the other
//!    regions.
//! 2. The words of a name select a file if they contain all words of the file's name in a row, or words that
//!    `words.tsv` lists for the file. `Get`, `Set`, `Create`, `Destroy` and `Query` between them do not count.
//! 3. If several files are selected, the one with the most words is right; of these, the first in the name. Device,
//!    context, stream, event, memory, kernel and graph yield to every other noun.
//! 4. A function of portacl is in `portacl_NOUN.rs` if the region has one. A name without a noun is in the file with
//!    the name of its region. `homes.tsv` lists the exceptions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::source::{exported_functions, files, read};

const WORDS: &str = "tests/architecture/words.tsv";
const HOMES: &str = "tests/architecture/homes.tsv";

/// Prefixes of functions, the longest first; `region_of` says which region one selects.
const PREFIXES: [&str; 7] = ["aclmdlRI", "portacl", "aclprof", "aclrt", "aclmdl", "aclsys", "acl"];

fn region_of(prefix: &str) -> &'static str {
    match prefix {
        "aclmdlRI" => "graph",
        "aclprof" => "profiling",
        _ => "",
    }
}

/// The nouns that yield to every other noun of a name.
const GENERAL: [&str; 7] = ["device", "context", "stream", "event", "memory", "kernel", "graph"];

/// Returns the rows of a table with two columns: the values of the first one, and the second one.
pub(super) fn rows(table: &str) -> Vec<(Vec<String>, String)> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let cells = lines.map(|line| line.split_once('\t').unwrap_or_else(|| panic!("a row without two columns: {line}")));
    cells.map(|(names, text)| (names.split(", ").map(str::to_owned).collect(), text.to_owned())).collect()
}

/// Returns the words of a name such as `MemPoolGetAttr` or `Memcpy2d`: in lower case, in the singular, and without the
/// abbreviations of the API.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let starts = |at: usize| {
        let Some(before) = at.checked_sub(1).map(|at| letters[at]) else { return true };
        let ends_capitals = letters.get(at + 1).is_some_and(|after| after.is_lowercase());
        letters[at].is_ascii_digit() && !before.is_ascii_digit()
            || letters[at].is_uppercase() && (!before.is_uppercase() || ends_capitals)
    };
    let mut found: Vec<String> = Vec::new();
    for (at, letter) in letters.iter().enumerate() {
        if starts(at) {
            found.push(String::new());
        }
        found.last_mut().expect("a first word").extend(letter.to_lowercase());
    }
    found.iter().map(|word| plain(word)).collect()
}

fn plain(word: &str) -> String {
    let full = match word {
        "mem" | "malloc" | "free" => "memory",
        "ctx" => "context",
        "buf" => "buffer",
        "cond" => "condition",
        "grp" => "group",
        "func" => "function",
        "dev" => "device",
        "res" => "resource",
        other => other,
    };
    let singular = full.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s'));
    singular.unwrap_or(full).to_owned()
}

/// Words that select a file of `src/ffi` (`region/noun`).
struct Term {
    file: String,
    words: Vec<String>,
    /// Whether other nouns go first.
    yields: bool,
    /// Whether the words also select the file in names without the prefix of its region.
    anywhere: bool,
}

/// The words of the files' names, and those of the table.
fn terms(files: &BTreeSet<String>, table: &str) -> Vec<Term> {
    let named = files.iter().map(|file| {
        let noun = file.rsplit('/').next().expect("a name");
        let short = noun.strip_prefix("portacl_").or(noun.strip_prefix("prof_")).unwrap_or(noun);
        let words = short.split('_').map(plain).collect();
        Term { file: file.clone(), words, yields: GENERAL.contains(&noun), anywhere: false }
    });
    let listed = rows(table).into_iter().flat_map(|(file, list)| {
        assert!(files.contains(&file[0]), "{WORDS}: src/ffi/{}.rs has no function", file[0]);
        let term = |word: &str| {
            let words = words(word.trim_end_matches('*'));
            Term { file: file[0].clone(), words, yields: false, anywhere: word.ends_with('*') }
        };
        list.split(", ").map(term).collect::<Vec<_>>()
    });
    named.chain(listed).collect()
}

/// Returns the file in which a function with this name lives, or nothing if its name has no noun.
fn home(function: &str, terms: &[Term]) -> String {
    let prefix = *PREFIXES.iter().find(|prefix| function.starts_with(**prefix)).expect("a known prefix");
    let region = region_of(prefix);
    let all = words(&function[prefix.len()..]);
    let verbs = ["get", "set", "create", "destroy", "query"];
    let bare: Vec<String> = all.iter().filter(|word| !verbs.contains(&word.as_str())).cloned().collect();
    let position = |words: &[String], wanted: &[String]| words.windows(wanted.len()).position(|part| part == wanted);
    let candidates = terms.iter().filter_map(|term| {
        let (of, noun) = term.file.split_once('/')?;
        let has_prefix = PREFIXES.iter().any(|prefix| region_of(prefix) == of);
        let is_in_region = if region.is_empty() { !has_prefix || term.anywhere } else { of == region };
        let of_portacl = noun.starts_with("portacl_");
        if !is_in_region || of_portacl && prefix != "portacl" {
            return None;
        }
        let at = position(&all, &term.words).or_else(|| position(&bare, &term.words))?;
        Some(((!term.yields, term.words.len(), Reverse(at), of_portacl), &term.file))
    });
    let best = candidates.max_by_key(|(rank, _)| *rank).map(|(_, file)| file.clone());
    best.unwrap_or_else(|| if region.is_empty() { String::new() } else { format!("{region}/{region}") })
}

/// Whether `path` is the file of this noun below a layer, or a part of it: `mem_pool/sharing` is `mem_pool_sharing`.
fn is_of_noun(path: &str, file: &str) -> bool {
    let (region, noun) = file.split_once('/').expect("a region");
    let noun = noun.strip_prefix("portacl_").unwrap_or(noun);
    let Some(below) = path.strip_prefix(region).and_then(|rest| rest.strip_prefix('/')) else { return false };
    let below = below.trim_end_matches(".rs").replace('/', "_");
    noun == region || below == noun || below.strip_prefix(noun).is_some_and(|rest| rest.starts_with('_'))
}

/// Returns the functions that are not in the files of their nouns, the files of `src/ffi` without a file of that name
/// in the core (`works`: they do more than return 207000), and files of backends with the noun of another region.
fn misplaced(
    homes: &BTreeMap<String, String>,
    terms: &[Term],
    works: &BTreeSet<String>,
    [core, backends]: [&[String]; 2],
) -> BTreeMap<String, String> {
    let nouns: BTreeSet<String> = homes.values().cloned().collect();
    let functions = homes.iter().filter_map(|(name, file)| {
        let found = home(name, terms);
        (found != *file).then(|| (name.clone(), format!("it is in src/ffi/{file}.rs; by its name in '{found}'")))
    });
    let without_core = works.iter().filter(|file| !core.iter().any(|path| is_of_noun(path, file)));
    let without_core = without_core.map(|file| (file.clone(), "src/core has no file of that name".to_owned()));
    let elsewhere = backends.iter().map(|path| path.trim_end_matches(".rs")).filter(|path| {
        let parts: Vec<&str> = path.split('/').collect();
        let [_, region, noun] = parts[..] else { return false };
        let is_noun = nouns.iter().any(|file| file.split_once('/').is_some_and(|(_, of)| of == noun));
        region != "tests" && is_noun && !nouns.contains(&format!("{region}/{noun}"))
    });
    let elsewhere = elsewhere.map(|path| (path.to_owned(), "src/ffi has that noun in another region".to_owned()));
    functions.chain(without_core).chain(elsewhere).collect()
}

#[test]
fn every_function_is_found_by_its_name() {
    let (mut homes, mut works) = (BTreeMap::new(), BTreeSet::new());
    for path in files("src/ffi", &["rs"]) {
        let file = path.trim_start_matches("src/ffi/").trim_end_matches(".rs");
        for function in exported_functions(&read(&path)) {
            if !function.is_unsupported() {
                works.insert(file.to_owned());
            }
            homes.insert(function.name, file.to_owned());
        }
    }
    let below = |folder: &str| files(folder, &["rs"]).iter().map(|path| path[folder.len() + 1..].to_owned()).collect();
    let (core, mut backends): (Vec<String>, Vec<String>) = (below("src/core"), below("src"));
    backends.retain(|path| path.starts_with("cpu/") || path.starts_with("cuda/"));
    let terms = terms(&homes.values().cloned().collect(), &read(WORDS));
    let mut wrong = misplaced(&homes, &terms, &works, [&core, &backends]);
    for (names, reason) in rows(&read(HOMES)) {
        assert!(reason.len() > 10, "{HOMES}: an exception without a reason");
        for name in names {
            assert!(wrong.remove(&name).is_some(), "{name} is an exception in {HOMES}, but the rule finds it");
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_misplaced_is_found() {
    let good = [
        ("aclrtMemcpyAsync", "transfer/memcpy"),
        ("aclrtMemcpyBatch", "transfer/memcpy_batch"),
        ("aclrtCreateNotify", "stream/notify"),
        ("aclrtStreamQuery", "stream/stream"),
        ("aclmdlRICaptureEnd", "graph/capture"),
        ("aclmdlRIExecute", "graph/graph"),
        ("portaclGraphPrintDot", "graph/picture"),
    ];
    let homes = BTreeMap::from(good.map(|(name, file)| (name.to_owned(), file.to_owned())));
    let terms = terms(&homes.values().cloned().collect(), "# words\ngraph/picture\tGraphPrint*\n");
    let works = BTreeSet::from(["stream/notify".to_owned()]);
    let found = |(name, file): (&str, &str), core: &str, backend: &str| -> Vec<String> {
        let mut homes = homes.clone();
        homes.insert(name.to_owned(), file.to_owned());
        misplaced(&homes, &terms, &works, [&[core.to_owned()], &[backend.to_owned()]]).into_keys().collect()
    };
    assert_eq!(found(good[0], "stream/notify/parts.rs", "cpu/transfer/memcpy.rs"), [""; 0]);
    for wrong in [
        ("aclrtMemcpyBatch", "transfer/memcpy"),
        ("aclrtCreateNotify", "stream/stream"),
        ("aclmdlRICaptureEnd", "graph/graph"),
        ("aclmdlRIExecute", "transfer/memcpy"),
        ("portaclGraphPrintDot", "graph/graph"),
        ("aclrtFrobnicate", "stream/stream"),
    ] {
        assert_eq!(found(wrong, "stream/notify.rs", "cpu/transfer/other.rs"), [wrong.0]);
    }
    let wrong = found(good[0], "memory/notify.rs", "cuda/memory/memcpy.rs");
    assert_eq!(wrong, ["cuda/memory/memcpy", "stream/notify"]);
    assert_eq!(words("DeviceGetPCIBusId"), ["device", "get", "pci", "bus", "id"]);
}
