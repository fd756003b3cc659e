//! Functions of Python by name. Each is kept once, as long as a stack has it.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashSet};

/// A function of Python: a copy of its names, because the function may end before a report is written.
#[derive(Debug)]
pub struct PyCode {
    /// The file and the name, with a zero byte between them.
    key: String,
    file: usize,
}

impl PyCode {
    /// Returns the file, as Python knows it.
    pub fn file(&self) -> &str {
        &self.key[..self.file]
    }

    /// Returns the name, with those of its classes since Python 3.11.
    pub fn function(&self) -> &str {
        &self.key[self.file + 1..]
    }

    /// Whether it is one of the module `acl`, which is a part of the library.
    pub fn is_of_library(&self) -> bool {
        ["/acl/_calls.py", "/acl/_callbacks.py"].iter().any(|own| self.file().ends_with(own))
    }
}

/// Stands for functions of Python that cannot be read: the GIL cannot be had in time, or the interpreter ends.
const UNREAD: &str = "<Python functions that could not be read, because the interpreter was busy or had ended>";

/// A function of Python on a stack.
#[derive(Clone, Debug)]
pub struct PythonFrame {
    /// The function. Equal ones are one object.
    pub code: Arc<PyCode>,
    /// The line that made the call.
    pub line: u32,
}

impl PythonFrame {
    /// Returns the frame that stands for those that cannot be read.
    pub fn unread() -> Self {
        Self { code: intern(&mut String::new(), "", UNREAD), line: 0 }
    }

    /// Whether this stands for frames that cannot be read.
    pub fn is_unread(&self) -> bool {
        self.code.file().is_empty() && self.line == 0
    }
}

impl fmt::Display for PythonFrame {
    /// Writes the frame as `FILE:LINE:FUNCTION`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_unread() {
            return f.write_str(self.code.function());
        }
        write!(f, "{}:{}:{}", self.code.file(), self.line, self.code.function())
    }
}

impl PartialEq for PythonFrame {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.code, &other.code) && self.line == other.line
    }
}

struct Known(Arc<PyCode>);

impl Borrow<str> for Known {
    fn borrow(&self) -> &str {
        &self.0.key
    }
}

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        self.0.key == other.0.key
    }
}

impl Eq for Known {}

impl Hash for Known {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.key.hash(state);
    }
}

/// The functions that stacks have, and some that they had.
static KNOWN: Mutex<FxHashSet<Known>> = Mutex::new(HashSet::with_hasher(FxBuildHasher));

/// Returns the function with this name in this file. `key`: room for both, whose contents are lost.
pub(super) fn intern(key: &mut String, file: &str, function: &str) -> Arc<PyCode> {
    key.clear();
    key.extend([file, "\0", function]);
    let mut known = KNOWN.lock();
    if let Some(Known(code)) = known.get(key.as_str()) {
        return Arc::clone(code);
    }
    if known.len() == known.capacity() {
        // Those that no stack has are removed before the set grows.
        known.retain(|Known(code)| Arc::strong_count(code) > 1);
    }
    let code = Arc::new(PyCode { key: key.clone(), file: file.len() });
    known.insert(Known(Arc::clone(&code)));
    code
}

/// Returns the number of functions that are kept.
#[cfg(test)]
pub(super) fn count() -> usize {
    KNOWN.lock().len()
}
