//! Reads the source files for the rules: those of this repository, or some that a test creates.

use std::collections::BTreeMap;

use super::super::source::{files, read, rust_files};

/// Extensions of hand-written source files.
pub(super) const EXTENSIONS: [&str; 8] = ["rs", "c", "cc", "cpp", "h", "hpp", "cu", "py"];

/// The texts by path.
#[derive(Default)]
pub(super) struct Sources(BTreeMap<String, String>);

impl Sources {
    /// Reads the source files below these folders, without exempt ones.
    pub(super) fn below(folders: &[&str], exempt: impl Fn(&str) -> bool) -> Self {
        let paths = folders.iter().flat_map(|folder| files(folder, &EXTENSIONS));
        Self(paths.filter(|path| !exempt(path)).map(|path| (path.clone(), read(&path))).collect())
    }

    /// All hand-written Rust files of the repository.
    pub(super) fn rust() -> Self {
        Self(rust_files().into_iter().map(|path| (path.clone(), read(&path))).collect())
    }

    /// Sources that a test creates.
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        Self(files.iter().map(own).collect())
    }

    /// Returns the text of a file, if it is one of these.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// Returns paths and texts, sorted by path.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }
}
