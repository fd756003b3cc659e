//! Generates `docs/api.md`: what works where, and which tests cover it. It reads the sources, the C++ tests, and the
//! reports of runs on GPUs. `PORTACL_UPDATE=1` rewrites the file.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

use source::{Function, exported_functions, files, read, root, table};

const PATH: &str = "docs/api.md";

/// The data of a function's line in the table.
struct Row {
    name: String,
    header: String,
    works: bool,
    /// The function's source file, below `src/ffi`.
    source: String,
    /// The names of test files that call it, without folders.
    tests: Vec<String>,
}

/// A run of the C++ suite on a GPU: `docs/gpu/*.json` with `card`, `date` and `tests`, the names of the test files
/// whose cases all passed.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct GpuRun {
    date: String,
    card: String,
    tests: BTreeSet<String>,
}

fn gpu_run(path: &str, text: &str) -> GpuRun {
    let report: serde_json::Value = serde_json::from_str(text).unwrap_or_else(|why| panic!("{path}: {why}"));
    let word =
        |key: &str| -> String { report[key].as_str().unwrap_or_else(|| panic!("{path}: no text {key:?}")).to_owned() };
    let tests = report["tests"].as_array().unwrap_or_else(|| panic!("{path}: no list \"tests\""));
    GpuRun {
        date: word("date"),
        card: word("card"),
        tests: tests.iter().map(|test| test.as_str().unwrap().to_owned()).collect(),
    }
}

/// Returns the runs on GPUs, the newest last.
fn gpu_runs() -> Vec<GpuRun> {
    let folder = root().join("docs/gpu");
    let mut runs: Vec<GpuRun> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| gpu_run(path.to_str().unwrap(), &fs::read_to_string(&path).unwrap()))
        .collect();
    runs.sort();
    runs
}

/// Returns the text of a C++ file without its comments and string literals: a name in those is no call.
fn code_only(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if c == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else {
            code.push(c);
            c.len_utf8()
        };
        rest = &rest[skipped..];
    }
    code
}

/// Returns the names in `text` that are called, that is, followed by an opening bracket. `ACL_APP_LOG` calls aclAppLog.
fn called(text: &str) -> BTreeSet<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let code = code_only(text).replace("ACL_APP_LOG(", "aclAppLog(");
    let mut names = BTreeSet::new();
    let mut name = String::new();
    for c in code.chars() {
        if word(c) {
            name.push(c);
        } else {
            if c == '(' && name.starts_with("acl") {
                names.insert(name.clone());
            }
            name.clear();
        }
    }
    names
}

/// Returns the headers of the C++ suite that a test includes, without those that many tests share.
fn private_headers(text: &str) -> Vec<String> {
    let included = text.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"'));
    let own = included.filter(|header| header.contains('/') && !header.starts_with("support/"));
    own.map(|header| format!("cpp_tests/{header}")).collect()
}

/// Returns the functions that a test calls, itself and in its private headers.
fn calls_of(path: &str) -> BTreeSet<String> {
    let text = read(path);
    let mut calls = called(&text);
    for header in private_headers(&text) {
        calls.extend(calls_of(&header));
    }
    calls
}

/// Returns the tests of the C++ suite and the functions that they call.
fn suite() -> BTreeMap<String, BTreeSet<String>> {
    let tests = files("cpp_tests", &["cpp"]).into_iter().filter(|path| path.ends_with("_test.cpp"));
    tests.map(|path| (path.rsplit('/').next().unwrap().to_owned(), calls_of(&path))).collect()
}

fn rows(suite: &BTreeMap<String, BTreeSet<String>>) -> Vec<Row> {
    let functions =
        |path: &String| exported_functions(&read(path)).into_iter().map(|one| (path.clone(), one)).collect();
    let found: Vec<(String, Function)> = files("src/ffi", &["rs"]).iter().flat_map::<Vec<_>, _>(functions).collect();
    let found: BTreeMap<&str, _> = found.iter().map(|(path, one)| (one.name.as_str(), (path, one))).collect();
    let mut rows: Vec<Row> = table("acl-functions.tsv")
        .iter()
        .map(|row| Row {
            name: row[1].clone(),
            header: row[2].clone(),
            works: !found[row[1].as_str()].1.is_unsupported(),
            source: found[row[1].as_str()].0.trim_start_matches("src/ffi/").to_owned(),
            tests: suite.iter().filter(|(_, calls)| calls.contains(&row[1])).map(|(test, _)| test.clone()).collect(),
        })
        .collect();
    rows.sort_by(|a, b| (&a.header, &a.name).cmp(&(&b.header, &b.name)));
    rows
}

/// Returns the table's entry for a function on the CUDA backend.
fn cuda(row: &Row, runs: &[GpuRun]) -> String {
    if !row.works {
        return "207000".to_owned();
    }
    match runs.iter().rev().find(|run| row.tests.iter().any(|test| run.tests.contains(test))) {
        Some(run) => format!("GPU ({}, {})", run.card, run.date),
        None => "fake driver only".to_owned(),
    }
}

fn document(rows: &[Row], runs: &[GpuRun]) -> String {
    let works = rows.iter().filter(|row| row.works).count();
    let mut text = format!(
        "# API functions and where they work\n\n\
         Generated by `./dev headers` from the sources, the tests in `cpp_tests` and the reports in \
         `docs/gpu`; a test compares.\n\n\
         {works} of {} functions work. The others exist as symbols, do nothing, and return \
         207000 (`ACL_ERROR_RT_FEATURE_NOT_SUPPORT`) or, if they return a value, null, 0 or \
         0xFFFFFFFF; `aclGetRecentErrMsg` returns what is missing and the alternative.\n\n\
         - **works**: has its documented behaviour, and is tested.\n\
         - **fake driver only**: tested with `tests/fake_cuda`, a fake CUDA driver, but not yet on a \
         GPU.\n\
         - **GPU (card, date)**: the tests that call it passed on that card.\n\
         - **207000**: not available.\n\n\
         The source is a file of `src/ffi`. ARCHITECTURE.md says how its name leads to the core, the backends and the \
         tests.\n",
        rows.len()
    );
    for group in rows.chunk_by(|a, b| a.header == b.header) {
        writeln!(text, "\n## {}\n\n| function | source | cpu | cuda | tests |\n|---|---|---|---|---|", group[0].header)
            .unwrap();
        for row in group {
            let cpu = if row.works { "works" } else { "207000" };
            let tests: Vec<_> = row.tests.iter().map(|test| test.trim_end_matches(".cpp")).collect();
            let cells = [&row.name, &row.source, cpu, &cuda(row, runs), &tests.join(", ")].map(str::to_owned);
            writeln!(text, "| {} |", cells.join(" | ").trim_end()).unwrap();
        }
    }
    text
}

/// Returns the functions that are listed as working and that no test calls.
fn untested(rows: &[Row]) -> Vec<&str> {
    let untested = rows.iter().filter(|row| row.works && row.tests.is_empty());
    untested.map(|row| row.name.as_str()).collect()
}

#[test]
fn the_table_is_what_sources_and_tests_say() {
    let fresh = document(&rows(&suite()), &gpu_runs());
    let committed = fs::read_to_string(root().join(PATH)).unwrap_or_default();
    if std::env::var_os("PORTACL_UPDATE").is_some() {
        fs::write(root().join(PATH), &fresh).unwrap();
        return;
    }
    let line = committed.lines().zip(fresh.lines()).take_while(|(old, new)| old == new).count();
    assert!(
        committed == fresh,
        "{PATH}:{} is not what sources and tests say; `./dev headers` rewrites it:\n{}\n{}",
        line + 1,
        committed.lines().nth(line).unwrap_or("(end)"),
        fresh.lines().nth(line).unwrap_or("(end)")
    );
}

#[test]
fn what_works_is_tested() {
    let rows = rows(&suite());
    let untested = untested(&rows);
    assert!(untested.is_empty(), "no test in cpp_tests calls:\n{}", untested.join("\n"));
}

#[test]
fn calls_are_distinguished_from_names() {
    let text = "// aclrtFree(a)\n/* aclrtMalloc(\n*/ x = \"aclrtMemset(\\\"\"; ACL_OK(aclrtMemcpy(a));\n\
                y = aclrtMemcpyAsync; my_aclrtSetDevice(0); ACL_APP_LOG(ACL_INFO, \"\");";
    let names: Vec<_> = called(text).into_iter().collect();
    assert_eq!(names, ["aclAppLog", "aclrtMemcpy"]);
}

#[test]
fn calls_in_the_headers_of_a_test_count() {
    let text =
        "#include <acl/acl.h>\n#include \"stream/abort/waiter.h\"\n#include \"support/gate.h\"\n#include \"a.h\"\n";
    assert_eq!(private_headers(text), ["cpp_tests/stream/abort/waiter.h"]);
}

#[test]
fn functions_without_a_test_are_noticed() {
    let row = |works, tests: &[&str]| Row {
        name: "aclrtFree".to_owned(),
        header: "acl_rt.h".to_owned(),
        works,
        source: String::new(),
        tests: tests.iter().map(|test| (*test).to_owned()).collect(),
    };
    assert_eq!(untested(&[row(true, &[])]), ["aclrtFree"]);
    assert_eq!(untested(&[row(true, &["memory_test.cpp"]), row(false, &[])]), [""; 0]);
}

#[test]
fn a_gpu_counts_for_what_its_tests_call() {
    let run = |date: &str, test: &str| {
        gpu_run("a.json", &format!(r#"{{"card": "H200", "date": "{date}", "tests": ["{test}"]}}"#))
    };
    let row = |works, test: &str| Row {
        name: "aclrtFree".to_owned(),
        header: "acl_rt.h".to_owned(),
        works,
        source: String::new(),
        tests: vec![test.to_owned()],
    };
    let runs = [run("2030-01-01", "memory_test.cpp"), run("2030-01-02", "event_test.cpp")];
    assert_eq!(cuda(&row(true, "memory_test.cpp"), &runs), "GPU (H200, 2030-01-01)");
    assert_eq!(cuda(&row(true, "stream_test.cpp"), &runs), "fake driver only");
    assert_eq!(cuda(&row(false, "memory_test.cpp"), &runs), "207000");
}
