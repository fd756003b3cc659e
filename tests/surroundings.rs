//! Checks where the libraries depend on what surrounds them: the environment is read, files are opened for writing,
//! shared objects are loaded and thread-local values declared in few places. These heed raised privileges, links of
//! other users, and late destructors of the program.

#[path = "source/mod.rs"]
mod source;

use source::{files, is_test_file, read, without_comments};

/// Something that only some files do.
struct Rule {
    what: &'static str,
    /// Words of the code that does it.
    words: &'static [&'static str],
    /// Words that contain one of `words` and do something else.
    harmless: &'static [&'static str],
    files: &'static [&'static str],
}

const RULES: [Rule; 4] = [
    Rule {
        what: "reads the environment; use algo::host::environment, in C and C++ secure_getenv",
        words: &["std::env", "env::var", "env::temp_dir", "getenv", "environ;", "environ)", "environ["],
        harmless: &["std::env::consts", "secure_getenv"],
        files: &["src/algo/host/environment.rs"],
    },
    Rule {
        what: "opens a file for writing, or makes a folder; use algo::host::output_path or output_file",
        words: &[
            "File::create(",
            "OpenOptions",
            ".write(true)",
            ".append(true)",
            "fs::write(",
            "fs::rename(",
            "fs::copy(",
            "create_dir",
            "OFlags::CREATE",
            "O_CREAT",
            "fopen(",
            "ofstream",
        ],
        harmless: &["OutputFile::create(", "TraceFile::create(", "OpenOptionsExt"],
        // The second opens files of the library itself, which are in memory.
        files: &["src/algo/host/output_path.rs", "src/backend/base/memory_file.rs"],
    },
    Rule {
        what: "loads a shared object; with raised privileges only files of the system may be loaded",
        words: &["dlopen(", "Library::open(", "Library::new("],
        harmless: &[],
        files: &[
            "integrations/paddle/src/base/paddle_symbols.cpp",
            "integrations/paddle/src/collective/communicator.cpp",
            "integrations/paddle/src/kernel/adapter.cpp",
            "src/algo/host/cpp_name.rs",
            "src/algo/host/system_call.rs",
            "src/backend/base/python/api.rs",
            "src/cpu/kernel/module.rs",
            "src/cuda/base/api/library.rs",
            "src/cuda/runtime/utilization.rs",
        ],
    },
    Rule {
        what: "has a thread-local value, access to which panics in late destructors of the program; use per_thread!",
        words: &["thread_local!", "LocalKey", "#[thread_local]"],
        harmless: &["loom::thread_local!"],
        files: &["src/algo/thread/per_thread.rs"],
    },
];

/// The folders whose code runs in processes of users.
const FOLDERS: [&str; 6] = [
    "integrations/companions",
    "integrations/cxx/src",
    "integrations/operators",
    "integrations/paddle/src",
    "src",
    "include",
];

/// Returns what the product code of a file does and this file may not.
fn violations(path: &str, text: &str) -> Vec<String> {
    let product = if is_test_file(path) || path.contains("/bench/") || path.ends_with("/build.rs") {
        ""
    } else {
        text.split("#[cfg(test)]\nmod ").next().unwrap()
    };
    let code = without_comments(product);
    let mut found = Vec::new();
    for rule in RULES.iter().filter(|rule| !rule.files.contains(&path)) {
        for (line, code) in code.lines().enumerate() {
            let code = rule.harmless.iter().fold(code.to_owned(), |code, word| code.replace(word, ""));
            if rule.words.iter().any(|word| code.contains(word)) {
                found.push(format!("{path}:{}: {}", line + 1, rule.what));
            }
        }
    }
    found
}

#[test]
fn only_few_files_depend_on_the_surroundings_of_the_process() {
    let all = FOLDERS.iter().flat_map(|folder| files(folder, &["rs", "c", "cpp", "h", "hpp"]));
    let found: Vec<String> = all.flat_map(|path| violations(&path, &read(&path))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_exception_is_used() {
    for rule in &RULES {
        for file in rule.files {
            let code = without_comments(&read(file));
            assert!(rule.words.iter().any(|word| code.contains(word)), "{file} no longer {}", rule.what);
        }
    }
}

#[test]
fn other_places() {
    for (path, bad) in [
        ("src/core/a.rs", "let a = std::env::var_os(\"PORTACL_A\");\n"),
        ("src/core/a.rs", "use std::env;\n"),
        ("integrations/companions/a.c", "const char* a = getenv(\"PORTACL_A\");\n"),
        ("integrations/operators/a.cpp", "for (char** a = environ; *a; ++a) {}\n"),
        ("src/core/a.rs", "let a = File::create(path)?;\n"),
        ("src/core/a.rs", "let a = File::options().read(true).write(true).open(path)?;\n"),
        ("integrations/operators/a.cpp", "std::ofstream file(path);\n"),
        ("src/backend/a.rs", "let a = unsafe { Library::open(Some(name), RTLD_NOW) };\n"),
        ("integrations/companions/a.c", "void* a = dlopen(name, RTLD_NOW);\n"),
        ("src/core/a.rs", "    std::thread_local! { static A: Vec<u8> = const { Vec::new() }; }\n"),
        ("integrations/cxx/src/a.rs", "use std::thread::LocalKey;\n"),
    ] {
        assert_eq!(violations(path, bad).len(), 1, "{bad}");
        assert_eq!(violations("src/core/tests/a.rs", bad), [""; 0]);
    }
    let good = "// getenv\nlet a = OutputFile::create(path)?;\nlet b = std::env::consts::ARCH;\nsecure_getenv(c);\n";
    assert_eq!(violations("src/core/a.rs", good), [""; 0]);
}
