//! Checks where a function of the API lives. The noun in its name is the name of its file in `src/ffi`:
//!
//! 1. `aclmdlRI` is the prefix of the region graph, `aclprof` that of profiling. Other functions are in the other
//!    regions.
//! 2. The words of a name select a file if they contain all words of the file's name in a row, or words that
//!    `words.tsv` lists for the file. `Get`, `Set`, `Create`, `Destroy` and `Query` between them do not count.
//! 3. If several files are selected, the one with the most words is right; of these, the first in the name. Device,
//!    context, stream, event, memory, kernel and graph yield to every other noun.
//! 4. A function of portacl is in `portacl_NOUN.rs` if the region has one. A name without a noun is in the file with
//!    the name of its region.
//!
//! `homes.tsv` lists the exceptions.

use std::collections::{BTreeMap, BTreeSet};

use super::super::source::{exported_functions, files, read};

/// More words that select files.
const WORDS: &str = "tests/architecture/words.tsv";
/// What the rule does not find, with reasons.
const HOMES: &str = "tests/architecture/homes.tsv";
/// The maximum number of exceptions, which may only be lowered.
const EXCEPTIONS: usize = 11;

/// Prefixes of functions, the longest first, and the region that a prefix selects.
const PREFIXES: [(&str, Option<&str>); 7] = [
    ("aclmdlRI", Some("graph")),
    ("portacl", None),
    ("aclprof", Some("profiling")),
    ("aclrt", None),
    ("aclmdl", None),
    ("aclsys", None),
    ("acl", None),
];

/// The nouns that yield to every other noun of a name.
const GENERAL: [&str; 7] = [
    "runtime/device",
    "runtime/context",
    "stream/stream",
    "stream/event",
    "memory/memory",
    "kernel/kernel",
    "graph/graph",
];

/// The words of names that are no part of a noun.
const VERBS: [&str; 5] = ["get", "set", "create", "destroy", "query"];

/// A file of `src/ffi`, as `region/noun`, and words of a name that select it.
struct Term {
    file: String,
    words: Vec<String>,
    /// Whether the words are the file's name, and not words of the table.
    is_name: bool,
    /// Whether they also select it in names without the prefix of its region.
    anywhere: bool,
}

/// The files of `src/ffi` that have functions, and the words that select them.
struct Rule {
    terms: Vec<Term>,
}

/// Returns a word in lower case, in the singular, without the abbreviations of the API.
fn plain(word: &str) -> String {
    let word = word.to_lowercase();
    let full = match word.as_str() {
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

/// Returns the words of a name such as `MemPoolGetAttr` or `Memcpy2d`.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut found: Vec<String> = Vec::new();
    for (at, &c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let starts = match before {
            None => true,
            Some(before) if c.is_ascii_digit() => !before.is_ascii_digit(),
            Some(before) if c.is_uppercase() => {
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
            }
            Some(_) => false,
        };
        if starts {
            found.push(String::new());
        }
        found.last_mut().expect("a first word").push(c);
    }
    found.iter().map(|word| plain(word)).collect()
}

/// Returns where `wanted` begins in `words`.
fn position(words: &[String], wanted: &[String]) -> Option<usize> {
    words.windows(wanted.len()).position(|window| window == wanted)
}

impl Rule {
    fn new(files: &BTreeSet<String>, table: &[(String, Vec<String>)]) -> Self {
        let named = files.iter().map(|file| {
            let noun = file.rsplit('/').next().expect("a name");
            let noun = noun.strip_prefix("portacl_").or(noun.strip_prefix("prof_")).unwrap_or(noun);
            Term { file: file.clone(), words: noun.split('_').map(plain).collect(), is_name: true, anywhere: false }
        });
        let listed = table.iter().flat_map(|(file, list)| {
            list.iter().map(|word| Term {
                file: file.clone(),
                words: words(word.trim_end_matches('*')),
                is_name: false,
                anywhere: word.ends_with('*'),
            })
        });
        Self { terms: named.chain(listed).collect() }
    }

    /// Returns the file in which a function with this name lives, or `None` if its name has no noun.
    fn file(&self, function: &str) -> Option<String> {
        let (prefix, region) = PREFIXES.iter().find(|(prefix, _)| function.starts_with(prefix))?;
        let all = words(&function[prefix.len()..]);
        let bare: Vec<String> = all.iter().filter(|word| !VERBS.contains(&word.as_str())).cloned().collect();
        let candidates = self.terms.iter().filter_map(|term| {
            let (of, noun) = term.file.split_once('/')?;
            let is_portacl = noun.starts_with("portacl_");
            let has_prefix = PREFIXES.iter().any(|(_, region)| *region == Some(of));
            let fits = match region {
                Some(region) => of == *region,
                None => !has_prefix || term.anywhere,
            };
            if !fits || is_portacl && *prefix != "portacl" {
                return None;
            }
            let at = position(&all, &term.words).or_else(|| position(&bare, &term.words))?;
            let is_special = !(term.is_name && GENERAL.contains(&term.file.as_str()));
            Some(((is_special, term.words.len(), std::cmp::Reverse(at), is_portacl), &term.file))
        });
        let best = candidates.max_by_key(|(rank, _)| *rank).map(|(_, file)| file.clone());
        best.or_else(|| region.map(|region| format!("{region}/{region}")))
    }
}

/// Returns the rows of a table with two columns.
pub(super) fn rows(table: &str) -> Vec<(String, String)> {
    let cells = |line: &str| {
        let (first, second) = line.split_once('\t').unwrap_or_else(|| panic!("a row without two columns: {line}"));
        (first.to_owned(), second.to_owned())
    };
    table.lines().filter(|line| !line.starts_with('#')).map(cells).collect()
}

/// Returns functions by name, with their files and whether they only return 207000.
fn functions() -> BTreeMap<String, (String, bool)> {
    let mut found = BTreeMap::new();
    for path in files("src/ffi", &["rs"]) {
        let file = path.trim_start_matches("src/ffi/").trim_end_matches(".rs").to_owned();
        for function in exported_functions(&read(&path)) {
            found.insert(function.name.clone(), (file.clone(), function.is_unsupported()));
        }
    }
    found
}

fn rule(functions: &BTreeMap<String, (String, bool)>) -> Rule {
    let files = functions.values().map(|(file, _)| file.clone()).collect();
    let list = |words: String| words.split(", ").map(str::to_owned).collect();
    let table: Vec<_> = rows(&read(WORDS)).into_iter().map(|(f, w)| (f, list(w))).collect();
    for (file, _) in &table {
        assert!(functions.values().any(|(known, _)| known == file), "{WORDS}: src/ffi/{file}.rs has no function");
    }
    Rule::new(&files, &table)
}

/// Returns the functions and files that the rule does not find, each with a reason.
fn exceptions() -> BTreeSet<String> {
    let rows = rows(&read(HOMES));
    assert!(rows.iter().all(|(_, reason)| reason.len() > 10), "an exception without a reason");
    rows.into_iter().flat_map(|(names, _)| names.split(", ").map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Returns what the rule does not find, by what an exception has to name.
fn misplaced(functions: &BTreeMap<String, (String, bool)>, rule: &Rule) -> BTreeMap<String, String> {
    let wrong = functions.iter().filter_map(|(name, (file, _))| {
        let found = rule.file(name);
        let text = format!("{name} is in src/ffi/{file}.rs; by its name it is in {found:?}");
        (found.as_deref() != Some(file)).then(|| (name.clone(), text))
    });
    wrong.collect()
}

/// Whether `path` below a layer is the file of this noun, or a part of it: `mem_pool/sharing` is `mem_pool_sharing`.
fn is_home(path: &str, file: &str) -> bool {
    let (region, noun) = file.split_once('/').expect("a region");
    let noun = noun.strip_prefix("portacl_").unwrap_or(noun);
    let Some(below) = path.strip_prefix(region).and_then(|rest| rest.strip_prefix('/')) else { return false };
    let below = below.trim_end_matches(".rs").replace('/', "_");
    noun == region || below == noun || below.strip_prefix(noun).is_some_and(|rest| rest.starts_with('_'))
}

/// Returns the files of functions that work without a file of the noun in the core.
fn without_core(functions: &BTreeMap<String, (String, bool)>, core: &[String]) -> BTreeMap<String, String> {
    let working = functions.values().filter(|(_, unsupported)| !unsupported).map(|(file, _)| file);
    let lacking = working.filter(|file| !core.iter().any(|path| is_home(path, file)));
    lacking.map(|file| (file.clone(), format!("src/ffi/{file}.rs has no file of that name in src/core"))).collect()
}

/// Returns the names in `text` that are followed by an opening bracket.
fn called(text: &str) -> BTreeSet<&str> {
    let ends = text.match_indices('(').map(|(at, _)| &text[..at]);
    ends.map(|before| {
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        &before[start..]
    })
    .collect()
}

/// Returns functions that work and that neither a test of the region nor one with the noun in its name calls.
fn without_test(functions: &BTreeMap<String, (String, bool)>, tests: &[(String, String)]) -> BTreeMap<String, String> {
    let calls: Vec<(&str, BTreeSet<&str>)> = tests.iter().map(|(path, text)| (path.as_str(), called(text))).collect();
    let is_tested = |name: &str, file: &str| {
        let (region, noun) = file.split_once('/').expect("a region");
        let fits = |path: &str| {
            path.starts_with(&format!("{region}/")) || path.rsplit('/').next().is_some_and(|test| test.contains(noun))
        };
        calls.iter().any(|(path, calls)| fits(path) && calls.contains(name))
    };
    let lacking = functions.iter().filter(|(name, (file, unsupported))| !unsupported && !is_tested(name, file));
    let text = |name: &str, file: &str| format!("{name} of src/ffi/{file}.rs has no test in that folder of cpp_tests");
    lacking.map(|(name, (file, _))| (name.clone(), text(name, file))).collect()
}

/// Returns the files of a noun that a backend has in another region.
fn in_other_regions(functions: &BTreeMap<String, (String, bool)>, backends: &[String]) -> BTreeMap<String, String> {
    let homes: BTreeSet<&str> = functions.values().map(|(file, _)| file.as_str()).collect();
    let is_misplaced = |path: &str| {
        let mut parts = path.split('/').skip(1);
        let (Some(region), Some(noun), None) = (parts.next(), parts.next(), parts.next()) else { return false };
        let mut same = homes.iter().filter(|home| home.split('/').nth(1) == Some(noun)).peekable();
        region != "tests" && same.peek().is_some() && !same.any(|home| home.starts_with(&format!("{region}/")))
    };
    let wrong = backends.iter().map(|path| path.trim_end_matches(".rs")).filter(|path| is_misplaced(path));
    wrong.map(|path| (path.to_owned(), format!("src/{path}.rs is in another region than src/ffi"))).collect()
}

fn below(folder: &str, extensions: &[&str]) -> Vec<String> {
    files(folder, extensions).iter().map(|path| path[folder.len() + 1..].to_owned()).collect()
}

/// Returns pseudo-random numbers of this seed, which are the same in every run.
fn numbers(mut seed: u64) -> impl Iterator<Item = u64> {
    std::iter::repeat_with(move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    })
}

#[test]
fn every_function_is_found_by_its_name() {
    let functions = functions();
    let rule = rule(&functions);
    let tests: Vec<_> = below("cpp_tests", &["cpp", "c", "h"])
        .into_iter()
        .map(|path| (path.clone(), read(&format!("cpp_tests/{path}"))))
        .collect();
    let mut wrong = misplaced(&functions, &rule);
    wrong.extend(without_core(&functions, &below("src/core", &["rs"])));
    for (name, text) in without_test(&functions, &tests) {
        wrong.entry(name).and_modify(|first| *first = format!("{first}; {text}")).or_insert(text);
    }
    let is_backend = |path: &String| path.starts_with("cpu/") || path.starts_with("cuda/");
    let backends: Vec<_> = below("src", &["rs"]).into_iter().filter(is_backend).collect();
    wrong.extend(in_other_regions(&functions, &backends));
    let listed = exceptions();
    let missing = wrong.iter().filter(|(name, _)| !listed.contains(*name)).map(|(_, text)| text.clone());
    let stale = listed.iter().filter(|name| !wrong.contains_key(*name));
    let stale = stale.map(|name| format!("{name} is an exception in {HOMES}, but the rule finds it"));
    let found: Vec<_> = missing.chain(stale).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(listed.len() <= EXCEPTIONS, "{} exceptions; at most {EXCEPTIONS}", listed.len());
}

/// Prints what the rule finds: `cargo test --test architecture ten_functions -- --nocapture`. `SEED` selects others.
#[test]
fn ten_functions_are_found_by_name() {
    let functions = functions();
    let rule = rule(&functions);
    let seed = std::env::var("SEED").map_or(27, |seed| seed.parse().expect("SEED is a number"));
    let listed = exceptions();
    let names: Vec<_> = functions.keys().collect();
    let mut picked = BTreeSet::new();
    for number in numbers(seed) {
        picked.insert(names[number as usize % names.len()]);
        if picked.len() == 10 {
            break;
        }
    }
    for name in picked {
        let file = rule.file(name);
        println!("{name}: src/ffi/{}.rs", file.as_deref().unwrap_or("?"));
        assert!(file.as_ref() == Some(&functions[name].0) || listed.contains(name), "{name}");
    }
}

#[cfg(test)]
#[path = "home_tests.rs"]
mod tests;
