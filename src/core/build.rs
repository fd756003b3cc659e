//! Lists the names of the return codes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    write_error_names();
}

/// `base/error/name.rs` includes it.
fn write_error_names() {
    // 0 has other names as well. 3 is a level of messages, which programs take for a return code.
    let mut names = BTreeMap::from([(0, "ACL_SUCCESS".to_owned()), (3, "ACL_ERROR".to_owned())]);
    for file in ["base_errors.rs", "ge_errors.rs", "rt/errors.rs"] {
        let file = Path::new("../ffi/types").join(file);
        println!("cargo::rerun-if-changed={}", file.display());
        let text = std::fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
        let constants: Vec<&str> = text.lines().filter(|line| line.starts_with("pub const ")).collect();
        assert!(!constants.is_empty(), "{}: no constants", file.display());
        for line in constants {
            let (name, code) =
                constant(line).unwrap_or_else(|| panic!("{}: not NAME: TYPE = CODE: {line}", file.display()));
            names.entry(code).or_insert_with(|| name.to_owned());
        }
    }
    let mut list = "&[\n".to_owned();
    for (code, name) in names {
        writeln!(list, "    ({code}, c\"{name}\"),").expect("a text grows");
    }
    list.push_str("]\n");
    write("error_names.rs", list.as_bytes());
}

/// The name and the value in `pub const NAME: TYPE = VALUE;`.
fn constant(line: &str) -> Option<(&str, i32)> {
    let (name, rest) = line.strip_prefix("pub const ")?.split_once(':')?;
    let (_, value) = rest.strip_suffix(';')?.split_once(" = ")?;
    Some((name, value.replace('_', "").parse().ok()?))
}

/// A generated file.
fn write(name: &str, contents: &[u8]) {
    let to = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join(name);
    std::fs::write(&to, contents).unwrap_or_else(|why| panic!("{}: {why}", to.display()));
}
