//! Measures how long files and functions are, and how many files a folder has.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};

use super::sources::Sources;

/// The maximum number of lines of a source file.
pub(super) const FILE_LINES: usize = 400;
/// The maximum number of lines of a function, from its name to its closing brace.
pub(super) const FUNCTION_LINES: usize = 60;
/// The maximum number of source files in one folder, without those in subfolders.
pub(super) const FOLDER_FILES: usize = 15;

/// Sizes by subject: a path, or a path and a function's name.
pub(super) type Sizes = BTreeMap<String, usize>;

/// Returns the subjects of a rule that are above its limit.
pub(super) fn violations(rule: &str, sizes: &Sizes, limit: usize) -> Vec<String> {
    let above = sizes.iter().filter(|(_, size)| **size > limit);
    above.map(|(subject, size)| format!("{rule}: {subject}: {size}; {limit} is the most")).collect()
}

/// Returns the number of lines of each file.
pub(super) fn file_lines(sources: &Sources) -> Sizes {
    sources.iter().map(|(path, text)| (path.to_owned(), text.lines().count())).collect()
}

/// Returns the number of files in each folder. A module and its tests (`x.rs`, `x_tests.rs`, `x_models.rs`) count as
/// one.
pub(super) fn folder_files(sources: &Sources) -> Sizes {
    let module = |path: &str| {
        let stem = path.strip_suffix("_tests.rs").or_else(|| path.strip_suffix("_models.rs"))?;
        sources.text(&format!("{stem}.rs"))
    };
    let mut sizes = Sizes::new();
    for (path, _) in sources.iter().filter(|(path, _)| module(path).is_none()) {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        *sizes.entry(folder.to_owned()).or_default() += 1;
    }
    sizes
}

/// Returns the number of lines of each function, by `PATH NAME`. Of several functions with one name the longest counts.
pub(super) fn function_lines(sources: &Sources) -> Sizes {
    let mut sizes = Sizes::new();
    for (path, text) in sources.iter() {
        let functions = match path.rsplit_once('.').map(|(_, extension)| extension) {
            Some("rs") => rust_functions(path, text),
            Some("py") => Vec::new(),
            _ => cpp_functions(text),
        };
        for (name, lines) in functions {
            let longest = sizes.entry(format!("{path} {name}")).or_default();
            *longest = lines.max(*longest);
        }
    }
    sizes
}

/// Returns the names and lines of the functions in a Rust file, including nested ones.
fn rust_functions(path: &str, text: &str) -> Vec<(String, usize)> {
    let parsed = syn::parse_file(text).unwrap_or_else(|why| panic!("{path}: {why}"));
    let mut functions = RustFunctions(Vec::new());
    functions.visit_file(&parsed);
    functions.0
}

struct RustFunctions(Vec<(String, usize)>);

impl RustFunctions {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let first = signature.ident.span().start().line;
        let last = block.brace_token.span.close().end().line;
        self.0.push((signature.ident.to_string(), last + 1 - first));
    }
}

impl<'ast> Visit<'ast> for RustFunctions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.add(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

/// Returns C++ without comments, and with blanks instead of string literals. Line numbers stay.
fn plain_cpp(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let blanks = |skipped: &str| -> String { skipped.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect() };
    while let Some(c) = rest.chars().next() {
        let before = plain.chars().last().unwrap_or(' ');
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("R\"") {
            let open = rest.find('(').unwrap_or(rest.len() - 1);
            let end = format!("){}\"", &rest[2..open]);
            rest.find(&end).map_or(rest.len(), |at| at + end.len())
        } else if c == '"' || c == '\'' && !before.is_ascii_digit() {
            quoted_len(rest, c)
        } else if rest.starts_with('#') && plain.rsplit('\n').next().is_none_or(|line| line.trim().is_empty()) {
            directive_len(rest)
        } else {
            0
        };
        if skipped == 0 {
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            plain.push_str(&blanks(&rest[..skipped]));
            rest = &rest[skipped..];
        }
    }
    plain
}

/// Returns the length of a string or character literal with its quotes.
fn quoted_len(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a preprocessor directive with its continuation lines.
fn directive_len(text: &str) -> usize {
    let mut len = 0;
    for line in text.split_inclusive('\n') {
        len += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    len
}

/// Returns the names and lines of the functions in a C++ file. Lambdas count as a part of their function.
fn cpp_functions(text: &str) -> Vec<(String, usize)> {
    let plain = plain_cpp(text);
    let mut found = Vec::new();
    // What each open brace began: a function (its name and first line), or a scope that contains functions.
    let mut open: Vec<Option<(String, usize)>> = Vec::new();
    let mut inside = false;
    let (mut statement, mut first, mut line) = (String::new(), 0, 1);
    for c in plain.chars() {
        match c {
            '{' if inside => open.push(None),
            '{' => {
                let function = function_name(&statement).map(|name| (name, first));
                inside = function.is_some();
                open.push(function);
                if !inside {
                    statement.clear();
                }
            }
            '}' => {
                if let Some(Some((name, from))) = open.pop() {
                    found.push((name, line + 1 - from));
                    inside = false;
                }
                if !inside {
                    statement.clear();
                }
            }
            ';' if !inside => statement.clear(),
            '\n' => {
                line += 1;
                statement.push(' ');
            }
            _ if !inside => {
                if statement.trim().is_empty() {
                    first = line;
                }
                statement.push(c);
            }
            _ => {}
        }
    }
    found
}

/// Returns the name of the function whose body begins after these words, or `None` if they begin something else.
fn function_name(before: &str) -> Option<String> {
    let words: Vec<&str> = before.split_whitespace().collect();
    let scope = ["namespace", "class", "struct", "union", "enum", "extern"];
    let (head, _) = before.split_once('(')?;
    if head.contains('=') && !head.contains("operator") {
        return None;
    }
    if words.first().is_some_and(|word| scope.contains(word)) && !before.contains(')') {
        return None;
    }
    let name = head.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next();
    Some(name.unwrap_or_default().to_owned())
}

#[cfg(test)]
#[path = "size_tests.rs"]
mod tests;
