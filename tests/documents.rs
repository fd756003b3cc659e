//! Checks that the documents agree with the code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "documents/pages.rs"]
mod pages;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "no .{extension} files below {folder}");
    found
}

/// Returns all words that start with `prefix` and go on in capitals, digits and underscores.
fn words(text: &str, prefix: &str) -> BTreeSet<String> {
    let part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.match_indices(prefix)
        .filter(|(at, _)| !text[..*at].ends_with(part))
        .map(|(at, _)| text[at..].chars().take_while(|c| part(*c)).collect::<String>())
        .filter(|word| word.len() > prefix.len())
        .collect()
}

/// Returns the numbers of the variants of `Code`.
fn codes(source: &str) -> BTreeSet<String> {
    let body = source.split("pub enum Code {").nth(1).unwrap().split('}').next().unwrap();
    body.lines()
        .filter_map(|line| line.trim().strip_suffix(',')?.split(" = ").nth(1))
        .map(|number| number.replace('_', ""))
        .collect()
}

/// Returns the codes in the first column of the table.
fn documented_codes(document: &str) -> BTreeSet<String> {
    document
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .filter(|cell| cell.bytes().all(|byte| byte.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_error_code_is_documented_and_no_other() {
    let code = codes(&read("src/core/base/error.rs"));
    assert!(code.contains("100000"), "the parser of the codes found {code:?}");
    assert_eq!(code, documented_codes(&read("docs/errors.md")));
}

/// Checks variables that are read with the backend: a refused value fails the calls, with a line on standard error.
#[test]
fn every_environment_variable_is_refused_in_a_test() {
    // Any text is the name of a chip. The tests of libhccl have the other one.
    let unless = |name: &String| name == "PORTACL_SOC_NAME" || name == "PORTACL_HCCL";
    let documented: BTreeSet<String> = documented_variables().into_iter().filter(|name| !unless(name)).collect();
    let cases = read("cpp_tests/base/config/config_refused_test.cpp");
    let cases: BTreeSet<String> = cases
        .lines()
        .filter_map(|line| line.trim().strip_prefix("{\""))
        .filter_map(|row| row.split('"').next().filter(|name| name.starts_with("PORTACL_")).map(str::to_owned))
        .collect();
    assert_eq!(documented.difference(&cases).collect::<Vec<_>>(), Vec::<&String>::new());
}

fn documented_variables() -> BTreeSet<String> {
    let document = read("docs/configuration.md");
    document
        .lines()
        .filter(|line| line.starts_with("| `PORTACL_"))
        .flat_map(|line| words(line.split(" |").next().unwrap(), "PORTACL_"))
        .collect()
}

#[test]
fn every_environment_variable_is_documented_and_no_other() {
    let mut used = BTreeSet::new();
    for (folder, extension) in [("src", "rs"), ("src", "c"), ("integrations/hccl", "cpp")] {
        for path in files(folder, extension) {
            let text = fs::read_to_string(&path).unwrap();
            // Only whole string literals are names of variables. Variables of the test suite are for developers of
            // the library.
            for word in words(&text, "PORTACL_") {
                if !word.starts_with("PORTACL_TEST_") && text.contains(&format!("\"{word}\"")) {
                    used.insert(word);
                }
            }
        }
    }
    assert_eq!(used, documented_variables());
}

/// Returns the tests that the rows of a document's last table name, row by row.
fn tests_of_rows(document: &str) -> Vec<Vec<String>> {
    let rows = document.lines().rev().skip_while(|line| !line.starts_with('|'));
    rows.take_while(|line| line.starts_with('|') && !line.starts_with("|---"))
        .map(|row| {
            let cell = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default();
            cell.split(',').map(|name| name.trim().to_owned()).collect()
        })
        .collect()
}

/// Checks that each row of the table of GPU limitations names existing tests.
#[test]
fn what_a_gpu_cannot_do_is_tested() {
    let sources: String = files("cpp_tests", "cpp").iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let rows = tests_of_rows(&read("docs/cpu_and_cuda.md"));
    assert!(rows.len() > 10, "{rows:?}");
    for name in rows.iter().flatten() {
        let (suite, test) = name.split_once('.').unwrap_or_else(|| panic!("{name:?}: no test"));
        // The beginning of TEST, TEST_F or OWN_PROCESS_TEST; the last has settings after the name.
        let exists = [")", ","].iter().any(|end| sources.contains(&format!("({suite}, {test}{end}")));
        assert!(exists, "docs/cpu_and_cuda.md names {name}, which is no test in cpp_tests");
    }
}

/// Returns the files in the table of fences: file, functions, and what the fence orders.
fn files_of_fences(table: &str) -> BTreeSet<String> {
    let rows = table.lines().filter(|line| !line.starts_with('#')).map(|row| row.split('\t').collect::<Vec<_>>());
    rows.filter(|cells| cells.len() == 3 && cells[2].len() > 10).map(|cells| cells[0].to_owned()).collect()
}

/// Checks that each file with a fence has a row with what it orders, and no other file has one.
#[test]
fn every_fence_has_a_note() {
    let folder = root().join("src");
    let mut found = BTreeSet::new();
    for path in files("src", "rs") {
        let text = fs::read_to_string(&path).unwrap();
        let path = path.strip_prefix(&folder).unwrap().to_str().unwrap();
        // The model stands in for `real.rs` under loom.
        let is_code = !path.ends_with("_tests.rs") && !path.ends_with("reclaim/model.rs");
        if is_code && (text.contains("fence(Ordering::") || text.contains("_mm_sfence()")) {
            found.insert(path.to_owned());
        }
    }
    assert_eq!(files_of_fences(&read("tests/data/fences.tsv")), found);
}

/// Returns the functions of the C API that C++ code calls.
fn called(code: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let without = without_comments(code);
    let names = without.match_indices('(').map(|(at, _)| {
        let start = without[..at].rfind(|c| !is_word(c)).map_or(0, |before| before + 1);
        without[start..at].to_owned()
    });
    let is_call = |name: &String| {
        ["acl", "portacl"].iter().any(|prefix| {
            name.strip_prefix(prefix).is_some_and(|rest| {
                let rest = rest.strip_prefix("mdlRI").or(rest.strip_prefix("rt")).unwrap_or(rest);
                rest.starts_with(|c: char| c.is_ascii_uppercase())
            })
        })
    };
    names.filter(is_call).collect()
}

/// Returns C++ code without its comments. No text of these headers contains the beginning of one.
fn without_comments(code: &str) -> String {
    let mut parts = code.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    let without_blocks = parts.fold(first, |all, part| all + part.split_once("*/").map_or("", |(_, rest)| rest));
    without_blocks.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect()
}

/// Returns the words in backquotes in a column of the last table of a document.
fn quoted_in_column(document: &str, column: usize) -> BTreeSet<String> {
    let rows = document.lines().rev().skip_while(|line| !line.starts_with('|'));
    rows.take_while(|line| line.starts_with('|') && !line.starts_with("|---"))
        .filter_map(|row| row.split('|').nth(column + 1))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// Checks that the table of docs/cpp.md has each function that the headers call, and names what they declare.
#[test]
fn the_table_of_cpp_calls_is_complete() {
    let headers: String =
        files("include/portacl", "hpp").iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let document = read("docs/cpp.md");
    assert_eq!(called(&headers), quoted_in_column(&document, 0));

    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let code = without_comments(&headers);
    let words: BTreeSet<&str> = code.split(|c| !is_word(c)).collect();
    let in_cpp = quoted_in_column(&document, 1);
    assert!(in_cpp.len() > 60, "{in_cpp:?}");
    for name in in_cpp {
        let is_known = name.split("::").all(|part| words.contains(part));
        assert!(is_known, "docs/cpp.md: {name} is in no header");
    }
}

#[test]
fn calls_and_tables_are_read() {
    let code = "/** aclrtFree(x) */ void f() { check(aclrtMalloc(&p)); /* aclInit( */ portaclTaskFail(t); } // aclInit()\n\
                aclmdlRI graph(nullptr); aclrtStream stream(s); note(\"aclrtFree\", aclmdlRIDestroy(graph));";
    assert_eq!(called(code), ["aclmdlRIDestroy", "aclrtMalloc", "portaclTaskFail"].map(str::to_owned).into());
    let table = "| `x` | `old` |\n\ntext\n\n| a | b |\n|---|---|\n| `one`, `two` | `A::b`, or `c` |\n| plain | `d` |\n";
    assert_eq!(quoted_in_column(table, 0), ["one", "two"].map(str::to_owned).into());
    assert_eq!(quoted_in_column(table, 1), ["A::b", "c", "d"].map(str::to_owned).into());
    let sections = "# x\n`no`\n## One\n`a`, b `c`\n## Two\n`d`\n";
    assert_eq!(quoted_in_section(sections, "One"), ["a", "c"].map(str::to_owned).into());
    assert_eq!(quoted_in_section(sections, "Three").len(), 0);
}

#[test]
fn links_lead_somewhere() {
    let mut documents = files("docs", "md");
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        documents.push(root().join(name));
    }
    let mut seen = 0;
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for rest in text.split("](").skip(1) {
            let target = rest.split([')', '#']).next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            seen += 1;
            let path = document.parent().unwrap().join(target);
            assert!(path.exists(), "{} links to {target}", document.display());
        }
    }
    assert!(seen > 5, "only {seen} links found");
}

/// Returns the words in backquotes of a section of a document, up to the next heading.
fn quoted_in_section(document: &str, heading: &str) -> BTreeSet<String> {
    let section = document.split(&format!("\n## {heading}\n")).nth(1).and_then(|rest| rest.split("\n## ").next());
    section.unwrap_or_default().split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Checks that docs/from_cann.md has a row for each header that is installed beside portacl's own, and for each library
/// that has the original's name.
#[test]
fn the_page_for_users_of_cann_is_complete() {
    let document = read("docs/from_cann.md");
    let headers = quoted_in_section(&document, "Headers");
    for folder in ["include/acl", "include/hccl"] {
        for path in files(folder, "h") {
            let path = path.strip_prefix(root().join("include")).unwrap().to_str().unwrap();
            let name = path.rsplit('/').next().unwrap();
            assert!(headers.contains(path) || headers.contains(name), "docs/from_cann.md: {path} is missing");
        }
    }
    let libraries = quoted_in_section(&document, "Libraries");
    let table = read("integrations/companions/functions.tsv");
    let mut names: BTreeSet<&str> = table.lines().skip(1).filter_map(|row| row.split('\t').nth(1)).collect();
    names.extend(["acl_rt", "opapi"]);
    assert!(names.len() >= 6, "{names:?}");
    for name in names {
        assert!(libraries.contains(&format!("lib{name}.so")), "docs/from_cann.md: lib{name}.so is missing");
    }
}

/// Maximum numbers of words of the two pages at the top that most readers open.
const TOP_PAGES: [(&str, usize); 2] = [("README.md", 700), ("ARCHITECTURE.md", 2500)];
/// Maximum number of words of a page of `docs`, without what programs write.
const PAGE_WORDS: usize = 2000;
/// Maximum number of lines of a release in the changelog.
const RELEASE_LINES: usize = 60;
/// Pages that programs write as a whole.
const GENERATED: [&str; 3] = ["api.md", "assumptions.md", "benchmarks.md"];

/// Returns the number of words of a page without what programs write, between `<!-- begin: PROGRAM -->` and
/// `<!-- end -->`.
fn words_of_page(text: &str) -> usize {
    let mut parts = text.split("<!-- begin: ");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once("<!-- end -->").map_or(part, |(_, rest)| rest));
    std::iter::once(first).chain(rest).map(|part| part.split_whitespace().count()).sum()
}

/// Returns the headings and numbers of lines of the releases in a changelog.
fn lines_of_releases(changelog: &str) -> Vec<(&str, usize)> {
    let releases = changelog.split("\n## ").skip(1);
    releases.map(|text| (text.lines().next().unwrap_or_default(), text.trim_end().lines().count())).collect()
}

#[test]
fn documents_are_short() {
    for (name, most) in TOP_PAGES {
        let words = words_of_page(&read(name));
        assert!(words <= most, "{name} has {words} words; allowed: {most}");
    }
    for page in files("docs", "md") {
        let name = page.file_name().unwrap().to_str().unwrap();
        let words = words_of_page(&fs::read_to_string(&page).unwrap());
        let is_short = words <= PAGE_WORDS || GENERATED.contains(&name);
        assert!(is_short, "docs: {name} has {words} words; allowed: {PAGE_WORDS}. Shorten it, or split it");
    }
    // The one section of benchmarks.md that is not generated, without its table.
    let benchmarks = read("docs/benchmarks.md");
    let by_hand = benchmarks.split("\n## Machinery\n").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let prose: String = by_hand.lines().filter(|line| !line.starts_with('|')).flat_map(|line| [line, "\n"]).collect();
    assert!((1..=PAGE_WORDS).contains(&words_of_page(&prose)), "docs/benchmarks.md: Machinery is longer than a page");
    let releases = read("CHANGELOG.md");
    let long: Vec<_> = lines_of_releases(&releases).into_iter().filter(|(_, lines)| *lines > RELEASE_LINES).collect();
    assert!(long.is_empty(), "CHANGELOG.md: {long:?}; allowed: {RELEASE_LINES} lines for a release");
}

#[test]
fn words_and_lines_are_counted() {
    assert_eq!(words_of_page("one two\n\n| three | 4 |\n"), 7);
    assert_eq!(words_of_page("one\n<!-- begin: a.py -->\na b c\n<!-- end -->\ntwo\n"), 2);
    assert_eq!(words_of_page("one\n<!-- begin: a.py -->\na part without an end"), 8);
    assert_eq!(
        lines_of_releases("# Changes\n\n## Unreleased\n\n- a\n\n## 1.0\n- b\n"),
        [("Unreleased", 3), ("1.0", 2)]
    );
}

/// `docs/api.md` is generated, and has the numbers of functions.
#[test]
fn the_first_page_counts_the_functions() {
    let api = read("docs/api.md");
    let line = api.lines().find(|line| line.contains(" functions work.")).unwrap();
    let numbers: Vec<_> = line.split(' ').filter(|word| word.parse::<usize>().is_ok()).take(2).collect();
    let [works, all] = numbers[..] else { panic!("docs/api.md: no two numbers in '{line}'") };
    let (english, chinese) = (read("README.md"), read("README.zh.md"));
    assert!(english.contains(&format!("lists the {all} functions")) && english.contains(&format!("; {works} do")));
    assert!(chinese.contains(&format!("有 {all} 个函数，其中 {works} 个可用")));
}

/// Whether a changelog has a section for `version` with its date. Unreleased changes may precede it.
fn begins_with_released(changelog: &str, version: &str) -> bool {
    let mut headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    let first = headings.next();
    let latest = if first == Some("Unreleased") { headings.next() } else { first };
    let date = latest.and_then(|text| text.strip_prefix(version)?.strip_prefix(" - "));
    let is_date =
        |text: &str| text.len() == 10 && text.split('-').all(|part| part.parse::<u32>().is_ok_and(|part| part > 0));
    date.is_some_and(is_date)
}

#[test]
fn the_changelog_begins_with_this_version() {
    assert!(begins_with_released(&read("CHANGELOG.md"), env!("CARGO_PKG_VERSION")));
    assert!(begins_with_released("## Unreleased\n## 1.2.3 - 2026-01-31", "1.2.3"));
    for wrong in ["## 1.2.4 - 2026-01-31", "## 1.2.3 - unreleased", "## Unreleased", "## 1.2.3", ""] {
        assert!(!begins_with_released(wrong, "1.2.3"), "{wrong}");
    }
}

#[test]
fn the_parsers_see_what_is_missing() {
    assert_eq!(codes("pub enum Code { }").len(), 0);
    assert_eq!(codes("pub enum Code {\n A = 1_2,\n}"), ["12".to_owned()].into());
    assert_eq!(documented_codes("| code |\n| 12 | x |\n"), ["12".to_owned()].into());
    assert_eq!(words("XPORTACL_A PORTACL_B_1.", "PORTACL_"), ["PORTACL_B_1".to_owned()].into());
}
