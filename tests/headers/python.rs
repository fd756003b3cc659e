//! Generates the table of functions of the Python module `acl`, and its type stubs, from `tests/data` and `src/ffi`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::source::{exported_functions, files, read, table};

/// The functions whose names in Python are no transcription of those in C.
const NAMES: &[(&str, &str)] = &[
    ("aclrtGetSocName", "get_soc_name"),
    ("aclrtGetVersion", "get_version"),
    ("aclrtSetCurrentContext", "rt.set_context"),
    ("aclrtGetCurrentContext", "rt.get_context"),
];

/// The results of C that are arrays of the caller: Python passes their address.
const ARRAYS: &[(&str, &str)] = &[
    ("aclrtGetMemUsageInfo", "memUsageInfo"),
    ("aclrtDeviceGetHostAtomicCapabilities", "capabilities"),
    ("aclrtDeviceGetP2PAtomicCapabilities", "capabilities"),
];

/// The function types that Python functions can stand for, with their kinds.
const CALLBACKS: &[(&str, &str)] =
    &[("aclrtCallback", "once"), ("aclrtHostFunc", "once"), ("aclrtExceptionInfoCallback", "always")];

/// The kind of a parameter or a result, in the letters of the `array` and `struct` modules, and some names.
type Kind = String;

/// A function of the module.
struct Function {
    /// The name with its module: `rt.malloc`.
    python: String,
    c: String,
    /// The kind of the result, which is empty if it is a code.
    result: Kind,
    parameters: Vec<Parameter>,
    summary: String,
}

struct Parameter {
    name: String,
    kind: Kind,
    is_result: bool,
}

/// The contents of `tests/data/acl-types.tsv`.
struct Types {
    targets: BTreeMap<String, String>,
    structures: BTreeMap<String, String>,
}

impl Types {
    fn read() -> Self {
        let (mut targets, mut structures) = (BTreeMap::new(), BTreeMap::new());
        for row in table("acl-types.tsv") {
            match row[0].as_str() {
                "typedef" => targets.insert(row[1].clone(), row[3].clone()),
                "struct" => structures.insert(row[1].clone(), row[3].clone()),
                _ => None,
            };
        }
        Self { targets, structures }
    }

    /// Returns the kind of a value, or none if Python has nothing like it.
    fn kind(&self, c: &str) -> Option<Kind> {
        let c = c.trim_start_matches("const ").trim_end_matches("const").trim();
        let letter = match c {
            "int" | "int32_t" => "i",
            "uint32_t" => "I",
            "int64_t" => "q",
            "uint64_t" | "size_t" => "Q",
            "uint16_t" => "H",
            "uint8_t" | "bool" | "unsigned char" => "B",
            "float" => "f",
            "char *" => "text",
            _ if c.ends_with('*') => "P",
            _ => {
                let target = self.targets.get(c)?;
                if target.starts_with("enum ") {
                    return Some("i".to_owned());
                }
                if target.starts_with("struct ") {
                    return self.is_convertible(c).then(|| c.to_owned());
                }
                return if target.contains('(') { None } else { self.kind(target) };
            }
        };
        Some(letter.to_owned())
    }

    /// Returns the fields of a structure: (name, kind, length of the array or 0), or none if Python has nothing like
    /// one of them.
    fn fields(&self, structure: &str) -> Option<Vec<(String, Kind, usize)>> {
        let field = |text: &str| {
            let (c, name) = text.split_once('@')?.0.rsplit_once(' ')?;
            let (c, length) = match c.split_once('[') {
                Some((element, length)) => (element, length.trim_end_matches(']').parse().ok()?),
                None => (c, 0),
            };
            let kind = match c {
                // Other fields hold a text.
                "char" if ["bytes", "reserved"].contains(&name) => "B".to_owned(),
                "char" => "c".to_owned(),
                _ => self.kind(c)?,
            };
            Some((snake(name), kind, length))
        };
        self.structures.get(structure)?.split("; ").map(field).collect()
    }

    fn is_convertible(&self, structure: &str) -> bool {
        self.fields(structure).is_some()
    }

    /// Returns the kind of a parameter, and whether it is a result. Fails with the reason why Python cannot pass it.
    fn parameter(&self, c: &str, is_out: bool) -> Result<(Kind, bool), String> {
        if let Some((_, kind)) = CALLBACKS.iter().find(|(callback, _)| *callback == c) {
            return Ok(((*kind).to_owned(), false));
        }
        let pointer = c.trim_end_matches("const").trim_end();
        let target = pointer.strip_suffix('*').unwrap_or(pointer).trim_end();
        if is_out && target != "void" {
            let pointed = if target.ends_with('*') { Some("P".to_owned()) } else { self.kind(target) };
            return pointed.map(|kind| (kind, true)).ok_or_else(|| format!("returns {target}"));
        }
        let structure = target.trim_start_matches("const ");
        if pointer.ends_with('*') && self.is_convertible(structure) {
            return Ok((structure.to_owned(), false));
        }
        let kind = self.kind(c).ok_or_else(|| format!("takes {c}"))?;
        Ok((if self.structures.contains_key(&kind) { format!("={kind}") } else { kind }, false))
    }
}

/// Converts `GetDevIdByPCIBusId` to `get_dev_id_by_pci_bus_id`.
fn snake(name: &str) -> String {
    // Programs write `unsubscribe_report`, and the API has both `UnLoad` and `Unregister`.
    let name =
        name.replace("UnSubscribe", "Unsubscribe").replace("UnLoad", "Unload").replace("UnRegister", "Unregister");
    let letters: Vec<char> = name.replace("P2P", "P2p").chars().collect();
    let mut text = String::new();
    for (index, &letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(index + 1);
        let begins = letter.is_uppercase()
            && before
                .is_some_and(|c| c.is_lowercase() || c.is_ascii_digit() || after.is_some_and(|c| c.is_lowercase()));
        if begins && !text.ends_with('_') {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// Returns the name in Python, or none for other parts of the API.
fn python_name(c: &str) -> Option<String> {
    if let Some((_, python)) = NAMES.iter().find(|(name, _)| *name == c) {
        return Some((*python).to_owned());
    }
    let rest = c.strip_prefix("acl")?;
    if let Some(name) = rest.strip_prefix("rt") {
        return Some(format!("rt.{}", snake(name)));
    }
    rest.starts_with(|c: char| c.is_uppercase()).then(|| snake(rest))
}

/// Returns the first sentence of a comment, as plain text.
fn summary(comment: &str) -> String {
    let text = comment.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let end = text.find(". ").map_or(text.len(), |end| end + 1);
    text[..end].trim_end().replace('"', "'").replace('\\', "")
}

/// Changes the kind of the argument that follows a function which is called once: in Python it may be anything.
fn name_argument(parameters: &mut [Parameter]) {
    if let Some(at) = parameters.iter().position(|one| one.kind == "once") {
        "argument".clone_into(&mut parameters[at + 1].kind);
    }
}

/// Returns the functions of the module, and those that it cannot have, with the reason.
fn functions(types: &Types) -> (Vec<Function>, BTreeMap<String, String>) {
    let sources: Vec<_> = files("src/ffi", &["rs"]).iter().flat_map(|path| exported_functions(&read(path))).collect();
    let sources: BTreeMap<&str, _> = sources.iter().map(|function| (function.name.as_str(), function)).collect();
    let (mut found, mut absent) = (Vec::new(), BTreeMap::new());
    for row in table("acl-functions.tsv") {
        let (name, result, parameters) = (&row[1], &row[3], &row[4]);
        let Some(python) = python_name(name) else { continue };
        let source = sources[name.as_str()];
        let is_out = |parameter: &str| {
            let forms = [format!("Out::new(\"{parameter}\""), format!("guard_out(\"{name}\", \"{parameter}\"")];
            let of_two = format!(" (\"{parameter}\", ");
            let is_of_two = source.body.trim_start().starts_with("guard_outs(") && source.body.contains(&of_two);
            (is_of_two || forms.iter().any(|form| source.body.contains(form))) && !ARRAYS.contains(&(name, parameter))
        };
        let parameter = |text: &str| {
            let (c, name) = text.rsplit_once(' ').filter(|_| text != "...").ok_or("takes any number of arguments")?;
            let (kind, is_result) = types.parameter(c.trim(), is_out(name))?;
            // This is a buffer of the caller, without `const`.
            let is_buffer = c.trim() == "char *";
            let kind = if is_buffer { "buffer".to_owned() } else { kind };
            Ok::<_, String>(Parameter { name: snake(name), kind, is_result: is_result || is_buffer })
        };
        match parameters.split(", ").filter(|text| *text != "void").map(parameter).collect::<Result<Vec<_>, _>>() {
            Err(why) => drop(absent.insert(python, format!("{name} {why}"))),
            Ok(mut parameters) => {
                name_argument(&mut parameters);
                found.push(Function {
                    python,
                    c: name.clone(),
                    result: if result == "aclError" { String::new() } else { types.kind(result).unwrap() },
                    parameters,
                    summary: summary(&source.comment),
                });
            }
        }
    }
    found.sort_by(|a, b| (a.python.starts_with("rt."), &a.python).cmp(&(b.python.starts_with("rt."), &b.python)));
    (found, absent)
}

/// Returns `integrations/python/acl/_table.py`.
fn rows(types: &Types, functions: &[Function], absent: &BTreeMap<String, String>) -> String {
    let mut text = "\"\"\"What the module calls. Generated by `./dev headers` from tests/data and src/ffi.\"\"\"\n\n\
                    # Name, C function, kind of its result (`-`: a code), parameters. A parameter is NAME:KIND, a result \
                    NAME>KIND.\nFUNCTIONS = \"\"\"\n"
        .to_owned();
    for function in functions {
        let result = if function.result.is_empty() { "-" } else { &function.result };
        write!(text, "{} {} {result}", function.python, function.c).unwrap();
        for Parameter { name, kind, is_result } in &function.parameters {
            write!(text, " {name}{}{kind}", if *is_result { '>' } else { ':' }).unwrap();
        }
        text.push('\n');
    }
    text.push_str("\"\"\"\n\n# Name, and fields: NAME:KIND, or NAME:KIND:LENGTH of an array.\nSTRUCTURES = \"\"\"\n");
    for structure in structures(types, functions) {
        text.push_str(&structure);
        for (name, kind, length) in types.fields(&structure).unwrap() {
            write!(text, " {name}:{kind}").unwrap();
            if length > 0 {
                write!(text, ":{length}").unwrap();
            }
        }
        text.push('\n');
    }
    text.push_str("\"\"\"\n\n# What the module does not have, and why.\nABSENT = {\n");
    for (name, why) in absent {
        writeln!(text, "    \"{name}\": \"{why}\",").unwrap();
    }
    text + "}\n"
}

/// Returns the structures that functions use, each after those that it contains.
fn structures(types: &Types, functions: &[Function]) -> Vec<String> {
    fn add(types: &Types, name: &str, into: &mut Vec<String>) {
        for (_, kind, _) in types.fields(name).into_iter().flatten() {
            add(types, &kind, into);
        }
        if types.structures.contains_key(name) && !into.iter().any(|known| known == name) {
            into.push(name.to_owned());
        }
    }
    let mut all = Vec::new();
    let used: BTreeSet<&str> =
        functions.iter().flat_map(|one| &one.parameters).map(|one| one.kind.trim_start_matches('=')).collect();
    for name in used {
        add(types, name, &mut all);
    }
    all
}

/// Returns the type of a value in a stub.
fn annotation(kind: &str, is_result: bool) -> &str {
    match (kind, is_result) {
        ("f", _) => "float",
        ("text" | "buffer", true) => "str",
        ("text", false) => "str | bytes | None",
        ("P", false) => "int | None",
        ("argument", _) => "Any",
        ("once" | "always", _) => "Callable[[Any], object] | None",
        _ if kind.len() == 1 => "int",
        (_, true) => "dict[str, Any]",
        _ if kind.starts_with('=') => "dict[str, Any]",
        (_, false) => "dict[str, Any] | int | None",
    }
}

/// Returns a line of a stub.
fn stub(function: &Function) -> String {
    let (results, parameters): (Vec<_>, Vec<_>) = function.parameters.iter().partition(|one| one.is_result);
    let mut arguments: Vec<String> = parameters
        .iter()
        .map(|Parameter { name, kind, .. }| {
            let default = if function.python == "init" { " = ..." } else { "" };
            format!("{name}: {}{default}", annotation(kind, false))
        })
        .collect();
    if !arguments.is_empty() {
        arguments.push("/".to_owned());
    }
    let mut kinds: Vec<&str> = results.iter().map(|one| annotation(&one.kind, true)).collect();
    let mut names: Vec<&str> = results.iter().map(|one| one.name.as_str()).collect();
    let result = if function.result.is_empty() {
        kinds.push("int");
        names.push("ret");
        if kinds.len() == 1 { "int".to_owned() } else { format!("tuple[{}]", kinds.join(", ")) }
    } else {
        annotation(&function.result, true).to_owned()
    };
    let name = function.python.trim_start_matches("rt.");
    let names = if names.is_empty() { String::new() } else { format!(" -> {}", names.join(", ")) };
    format!(
        "def {name}({}) -> {result}:\n    \"\"\"{}{names}: {}\"\"\"\n",
        arguments.join(", "),
        function.c,
        function.summary
    )
}

/// Returns the generated files, by their paths below the repository.
pub(crate) fn generate() -> BTreeMap<&'static str, String> {
    let types = Types::read();
    let (functions, absent) = functions(&types);
    let stubs = |is_rt: bool| -> String {
        let of_module = functions.iter().filter(|function| function.python.starts_with("rt.") == is_rt);
        of_module.map(stub).collect::<Vec<_>>().join("\n")
    };
    let head = "# Generated by `./dev headers` from tests/data and src/ffi.\n\
                from collections.abc import Callable\nfrom typing import Any\n";
    BTreeMap::from([
        ("integrations/python/acl/_table.py", rows(&types, &functions, &absent)),
        (
            "integrations/python/acl/__init__.pyi",
            format!("{head}\nfrom . import rt as rt\nfrom . import util as util\n\n{}", stubs(false)),
        ),
        ("integrations/python/acl/rt.pyi", format!("{head}\n{}", stubs(true))),
    ])
}

#[test]
fn names_are_transcribed() {
    for (c, python) in [
        ("aclInit", Some("init")),
        ("aclrtMallocHost", Some("rt.malloc_host")),
        ("aclrtMemcpy2dAsync", Some("rt.memcpy2d_async")),
        ("aclrtMemsetD32", Some("rt.memset_d32")),
        ("aclrtDeviceGetPCIBusId", Some("rt.device_get_pci_bus_id")),
        ("aclrtUnSubscribeReport", Some("rt.unsubscribe_report")),
        ("aclrtMemP2PMap", Some("rt.mem_p2p_map")),
        ("aclGetDataBufferSizeV2", Some("get_data_buffer_size_v2")),
        ("aclrtSetCurrentContext", Some("rt.set_context")),
        ("aclprofInit", None),
    ] {
        assert_eq!(python_name(c).as_deref(), python, "{c}");
    }
}

#[test]
fn what_python_cannot_pass_has_a_reason() {
    let types = Types::read();
    assert!(types.parameter("aclrtDeviceStateCallback", false).is_err());
    assert_eq!(types.parameter("aclrtPtrAttributes *", true), Ok(("aclrtPtrAttributes".to_owned(), true)));
    assert_eq!(types.parameter("void **", true), Ok(("P".to_owned(), true)));
    assert_eq!(types.parameter("void **", false), Ok(("P".to_owned(), false)));
    assert_eq!(types.parameter("const char *", false), Ok(("text".to_owned(), false)));
    assert_eq!(summary("Allocates \"memory\". More.\nAnd more.\n\n@param"), "Allocates 'memory'.");
}
