//! Changes to cbindgen's output that cbindgen cannot express. Every step panics if it does not find its place, so
//! that none of them stops working unnoticed when the sources change.

use std::collections::BTreeMap;

use crate::comments::in_one_line;

/// Aliases of enumerators: in Rust a number has one name.
const SECOND_NAMES: &[(&str, &str, &str, &str)] = &[
    (
        "acl_rt.h",
        "ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,",
        "ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,",
        "The same as ACL_RT_BINARY_LOAD_OPT_MAGIC.",
    ),
    (
        "acl_rt.h",
        "ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,",
        "ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2,",
        "An older name of ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE.",
    ),
    (
        "acl_rt.h",
        "ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,",
        "ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204,",
        "An older name of ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE.",
    ),
    (
        "acl_rt.h",
        "ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,",
        "ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403,",
        "The same as ACL_DEV_ATTR_SUPER_POD_DEVICE_ID, as it was misspelt once.",
    ),
    (
        "acl_rt.h",
        "ACL_RT_ATOMIC_CAPABILITY_REDUCTION = 4,",
        "ACL_RT_ATOMIC_CAPABILITY_REDUCATION = 4,",
        "The same as ACL_RT_ATOMIC_CAPABILITY_REDUCTION, as it was misspelt once.",
    ),
];

/// Unions inside C structs: (header, union in Rust, its field, begin and end in C).
const INNER_UNIONS: &[(&str, &str, &str, &str, &str)] = &[
    // C99 has no anonymous unions; `__extension__` avoids the pedantic warning.
    ("acl_rt.h", "aclmdlRITaskParamsDetail", "detail", "__extension__ union {", "};"),
    ("acl_rt.h", "aclrtRandomNumFuncParaInfoDetail", "paramInfo", "union {", "} paramInfo;"),
    (
        "acl_prof.h",
        "aclprofEventAttributesMessage",
        "message",
        "union Message {",
        "} message; /**< The message, by its kind. */",
    ),
];

/// Definitions that another header of the program may contain: (header, first and last type, before, after).
const GUARDED: &[(&str, &str, &str, &str, &str)] = &[
    (
        "acl_rt.h",
        "dim3",
        "dim3",
        "/* CUDA has a dim3 of its own; a program that has another one defines PORTACL_NO_DIM3. */\n\
         #if !defined(__CUDACC__) && !defined(PORTACL_NO_DIM3)\n",
        "#endif\n",
    ),
    (
        "acl_prof.h",
        "aclprofTensor",
        "aclprofTensorInfo",
        "#ifndef ACL_PROF_TENSOR_INFO_DEFINED\n\
         /** Says that aclprofTensor and aclprofTensorInfo are declared. */\n\
         #define ACL_PROF_TENSOR_INFO_DEFINED\n\n",
        "#endif /* ACL_PROF_TENSOR_INFO_DEFINED */\n",
    ),
];

/// Text after the includes of a header.
const AT_START: &[(&str, &str)] = &[(
    "acl_prof.h",
    "/** Exports functions of the profiling interface. */\n\
     #define MSVP_PROF_API __attribute__((visibility(\"default\")))\n\n",
)];

/// Text after the functions of a header: Rust cannot declare functions like printf.
const AT_END: &[(&str, &str)] = &[(
    "acl_base_rt.h",
    "/**\n \
     * Writes a log line to standard error: the level, the source location, and the formatted text.\n \
     * Lines below the level of PORTACL_LOG_LEVEL, or else ASCEND_GLOBAL_LOG_LEVEL, are left out;\n \
     * without these variables only errors are written. A line is written at once and as a whole; a\n \
     * long line is truncated.\n \
     *\n \
     * @param logLevel an aclLogLevel, ACL_DEBUG to ACL_ERROR; any other number counts as ACL_ERROR.\n \
     * @param func the function that logs; null is written as \"?\".\n \
     * @param file its file; null is written as \"?\".\n \
     * @param line its line in the file.\n \
     * @param fmt a printf format, followed by its arguments; null: no text.\n \
     * @note Thread-safe; works at any time, before aclInit and in a forked child as well, and does not\n \
     *     change the last error. Follows aclAppLog of the Ascend runtime API; the output is portacl's choice.\n \
     */\n\
     void aclAppLog(aclLogLevel logLevel,\n               \
     const char *func,\n               \
     const char *file,\n               \
     uint32_t line,\n               \
     const char *fmt,\n               \
     ...);\n\n\
     /** aclAppLog with the source location of its use: ACL_APP_LOG(level, fmt, ...). */\n\
     #define ACL_APP_LOG(level, ...) aclAppLog(level, __func__, __FILE__, __LINE__, __VA_ARGS__)\n\n",
)];

/// Returns the text of the header at `path` that cbindgen generated from `sources`, ready to be committed.
pub(crate) fn header(path: &str, text: &str, sources: &[String]) -> String {
    let mut text = constants(path, &plain_names(text), sources);
    for (_, anchor, name, about) in SECOND_NAMES.iter().filter(|entry| entry.0 == path) {
        text = second_name(&text, anchor, name, about);
    }
    for (_, union, field, begin, end) in INNER_UNIONS.iter().filter(|entry| entry.0 == path) {
        text = inner_union(&text, union, field, begin, end);
    }
    for (_, first, last, before, after) in GUARDED.iter().filter(|entry| entry.0 == path) {
        text = guarded(&text, first, last, before, after);
    }
    for (_, lines) in AT_START.iter().filter(|entry| entry.0 == path) {
        let includes = text.rfind("\n#include ").expect("a header with includes");
        let at = includes + 1 + text[includes + 1..].find('\n').unwrap() + 2;
        text.insert_str(at, lines);
    }
    for (_, lines) in AT_END.iter().filter(|entry| entry.0 == path) {
        let at = text.find("#ifdef __cplusplus\n}").expect("a header with functions");
        text.insert_str(at, lines);
    }
    in_one_line(&text)
}

/// Converts `enum aclDataType type` to `aclDataType type`: every type has a typedef.
fn plain_names(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.lines() {
        let comment = line.trim_start().starts_with(['*', '/', '#']);
        if comment || line.starts_with("typedef ") && line.ends_with('{') || forward(line) {
            plain.push_str(line);
        } else {
            let begins = if line.starts_with("typedef ") { "typedef " } else { "" };
            let mut rest = line[begins.len()..].to_owned();
            // A typedef for another tag keeps the tag.
            if begins.is_empty() || line.contains('(') {
                for word in ["enum ", "struct ", "union "] {
                    rest = without_word(&rest, word);
                }
            }
            plain.push_str(begins);
            plain.push_str(&rest);
        }
        plain.push('\n');
    }
    plain
}

/// Whether the line is `typedef struct A A;`.
fn forward(line: &str) -> bool {
    let words: Vec<_> = line.trim_end_matches(';').split(' ').collect();
    words.len() == 4 && words[0] == "typedef" && words[2] == words[3]
}

fn without_word(text: &str, word: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let whole = !rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        result.push_str(&rest[..at]);
        if !whole {
            result.push_str(word);
        }
        rest = &rest[at + word.len()..];
    }
    result + rest
}

/// Returns a constant of the sources in C. `aclError` constants are `static const int`; the others are macros, with the
/// suffix of their type.
fn constant(name: &str, ty: &str, literal: &str) -> String {
    let literal = literal.replace('_', "");
    match ty {
        "aclError" => format!("static const int {name} = {literal};"),
        "i32" => format!("#define {name} {literal}"),
        "u32" => format!("#define {name} {literal}U"),
        "c_ulong" => format!("#define {name} {literal}UL"),
        "u64" => format!("#define {name} {literal}ULL"),
        _ => panic!("{name}: no rule for constants of type {ty}"),
    }
}

/// Gives constants the form and the notation of their values that the sources specify.
fn constants(path: &str, text: &str, sources: &[String]) -> String {
    let mut wanted = BTreeMap::new();
    for line in sources.iter().flat_map(|source| source.lines()) {
        if let Some((name, rest)) = line.strip_prefix("pub const ").and_then(|l| l.split_once(": ")) {
            let (ty, literal) = rest.trim_end_matches(';').split_once(" = ").unwrap();
            wanted.insert(name, constant(name, ty, literal));
        }
    }
    let mut result = String::with_capacity(text.len());
    for line in text.lines() {
        let name = line.strip_prefix("#define ").and_then(|rest| rest.split(' ').next());
        match name.and_then(|name| wanted.remove(name)) {
            Some(constant) => result.push_str(&constant),
            None => result.push_str(line),
        }
        result.push('\n');
    }
    assert!(wanted.is_empty(), "{path}: cbindgen left out {:?}", wanted.keys());
    result
}

fn second_name(text: &str, anchor: &str, name: &str, about: &str) -> String {
    let line = format!("    {anchor}\n");
    assert_eq!(text.matches(&line).count(), 1, "the place of {name}: {anchor}");
    text.replace(&line, &format!("{line}    /**\n     * {about}\n     */\n    {name}\n"))
}

/// Returns the start and the end of the definition of `name`, with its comment.
fn definition(text: &str, name: &str) -> (usize, usize) {
    let close = format!("\n}} {name};\n");
    let end = text.find(&close).unwrap_or_else(|| panic!("no definition of {name}")) + close.len();
    let start = text[..end - close.len()].rfind("\n\n").unwrap() + 2;
    (start, end)
}

fn inner_union(text: &str, union: &str, field: &str, begin: &str, end: &str) -> String {
    let (from, to) = definition(text, union);
    let block = &text[from..to];
    let head = format!("typedef union {union} {{\n");
    let members = block.split_once(&head).unwrap_or_else(|| panic!("no head of {union}")).1;
    let members = members.rsplit_once("\n}").unwrap().0;
    let mut inner = format!("    {begin}\n");
    for line in members.lines() {
        inner += &format!("    {line}\n");
    }
    inner += &format!("    {end}\n");
    let line = format!("    {union} {field};\n");
    assert_eq!(text.matches(&line).count(), 1, "the field of type {union}");
    let rest = text[to..].strip_prefix('\n').unwrap_or(&text[to..]);
    format!("{}{rest}", &text[..from]).replace(&line, &inner)
}

fn guarded(text: &str, first: &str, last: &str, before: &str, after: &str) -> String {
    let (from, _) = definition(text, first);
    let (_, to) = definition(text, last);
    let between = &text[from..to];
    let types = between.matches("\ntypedef ").count() + usize::from(between.starts_with("typedef "));
    assert_eq!(types, if first == last { 1 } else { 2 }, "between {first} and {last}:\n{between}");
    format!("{}{before}{between}{after}{}", &text[..from], &text[to..])
}

#[test]
fn names_lose_their_tags_only_where_a_typedef_is_used() {
    let text = "typedef struct a {\n    enum b c;\n} a;\ntypedef struct d d;\ntypedef struct t x;\n\
                typedef void (*f)(struct a *p);\n * an enum of two\nint g(union u *my_enum );\n";
    let plain = "typedef struct a {\n    b c;\n} a;\ntypedef struct d d;\ntypedef struct t x;\n\
                 typedef void (*f)(a *p);\n * an enum of two\nint g(u *my_enum );\n";
    assert_eq!(plain_names(text), plain);
}

#[test]
fn constants_take_form_and_spelling_from_the_sources() {
    let source = "pub const A: aclError = 100_000;\npub const B: u64 = 0x8_0000;\n".to_owned();
    let text = constants("a.h", "#define A 100000\n#define B 524288\n#define C 1\n", &[source]);
    assert_eq!(text, "static const int A = 100000;\n#define B 0x80000ULL\n#define C 1\n");
}

#[test]
#[should_panic(expected = "left out")]
fn a_lost_constant_is_noticed() {
    constants("a.h", "", &["pub const A: u32 = 1;".to_owned()]);
}

#[test]
#[should_panic(expected = "the place of")]
fn a_second_name_without_its_first_is_noticed() {
    second_name("    B = 1,\n", "A = 1,", "C = 1,", "");
}

#[test]
fn unions_move_inside() {
    let text = "x\n\n/**\n * doc\n */\ntypedef union u {\n    int a;\n} u;\n\ntypedef struct s {\n    u f;\n} s;\n";
    let inner = "x\n\ntypedef struct s {\n    union {\n        int a;\n    } f;\n} s;\n";
    assert_eq!(inner_union(text, "u", "f", "union {", "} f;"), inner);
}

#[test]
fn guards_surround_the_definition() {
    let text = "x\n\n/**\n * doc\n */\ntypedef struct s {\n    int a;\n} s;\n\ny\n";
    let guarded = guarded(text, "s", "s", "#if A\n", "#endif\n");
    assert_eq!(guarded, "x\n\n#if A\n/**\n * doc\n */\ntypedef struct s {\n    int a;\n} s;\n#endif\n\ny\n");
}
