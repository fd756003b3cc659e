//! Generates the text of one header.

use std::fs;

use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};

use crate::adjust;
use crate::source::root;
use crate::table::Header;

/// Returns the text of `header`, as it is to be committed.
pub(crate) fn header(header: &Header) -> String {
    let sources: Vec<String> = header
        .sources
        .iter()
        .map(|name| {
            let path = root().join("src/ffi").join(name);
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        })
        .collect();
    let text = declarations(header, &sources);
    adjust::header(header.path, &text, &sources)
}

/// The rule for all functions that return a code. Their comments list only their further codes.
const RETURNS: &str = " *
 * A function that returns aclError returns ACL_SUCCESS 0, or a code that its comment lists. Most can also return
 * ACL_ERROR_BAD_ALLOC 200000 (the host has no memory left), ACL_ERROR_INTERNAL_ERROR 500000 (a defect of portacl), and
 * in a forked child ACL_ERROR_RT_PARAM_INVALID 107000 (its parent has opened a device or started the CUDA driver:
 * docs/compatibility.md). The first call that needs a device opens the backend, and can return the codes of aclInit;
 * the first one of a thread that gets the default device, those of aclrtSetDevice; one that meets a captured stream or
 * event, those of captures (docs/errors.md). aclGetRecentErrMsg returns the text of the failure.
";

fn returns_codes(sources: &[String]) -> bool {
    sources.iter().any(|source| source.contains(") -> aclError {"))
}

/// Returns the output of cbindgen for the sources.
fn declarations(header: &Header, sources: &[String]) -> String {
    let guard = format!(
        "PORTACL_{}",
        header.path.trim_start_matches("../").to_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_")
    );
    let mut config = Config {
        language: Language::C,
        style: Style::Both,
        cpp_compat: true,
        documentation: true,
        documentation_style: DocumentationStyle::Doxy,
        include_guard: Some(guard),
        includes: header.includes.iter().map(|name| (*name).to_owned()).collect(),
        no_includes: true,
        usize_is_size_t: true,
        line_length: 120,
        tab_width: 4,
        header: Some(format!(
            "/* SPDX-License-Identifier: Apache-2.0 */\n\
             /* Generated from src/ffi by tests/headers: `./dev headers` rewrites it. */\n\n\
             /** @file\n * {}\n{} */",
            header.about,
            if returns_codes(sources) { RETURNS } else { "" }
        )),
        ..Config::default()
    };
    if !sources.is_empty() {
        config.sys_includes = ["stdbool.h", "stddef.h", "stdint.h"].map(str::to_owned).to_vec();
    }
    // Everything public is declared, whether a function uses it or not.
    config.export.include = sources.iter().flat_map(|source| public_types(source)).collect();
    // These are written by hand in adjust.rs, because they take arguments like printf.
    config.export.exclude = ["aclAppLog", "portacl_app_log"].map(str::to_owned).to_vec();
    let folder = root().join("src/ffi");
    let mut builder = Builder::new().with_config(config);
    for source in header.sources {
        builder = builder.with_src(folder.join(source));
    }
    let bindings = builder.generate().unwrap_or_else(|error| panic!("{}: {error}", header.path));
    let mut text = Vec::new();
    bindings.write(&mut text);
    String::from_utf8(text).unwrap()
}

fn public_types(source: &str) -> Vec<String> {
    source
        .lines()
        .filter_map(|line| {
            let (kind, rest) = line.strip_prefix("pub ")?.split_once(' ')?;
            ["enum", "struct", "union", "type"]
                .contains(&kind)
                .then(|| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned())
        })
        .collect()
}
