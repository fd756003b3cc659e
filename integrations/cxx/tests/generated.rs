//! Makes the C++ side of the bridge from its Rust side, and compares it with what is committed.
//! `PORTACL_UPDATE=1 cargo test -p portacl-cxx`, or `./dev headers`, rewrites it.

use std::fs;
use std::path::Path;

use proc_macro2::TokenStream;

/// Each file, and what it is made of.
fn generated() -> [(&'static str, String); 3] {
    let source = fs::read_to_string(path("src/lib.rs")).unwrap();
    let tokens: TokenStream = source.parse().unwrap();
    let mut options = cxx_gen::Opt::default();
    options
        .include
        .push(cxx_gen::Include { path: "portacl/cxx_bridge.h".to_owned(), kind: cxx_gen::IncludeKind::Bracketed });
    let code = cxx_gen::generate_header_and_cc(tokens.clone(), &options).unwrap();
    let header = cxx_gen::generate_header_and_cc(tokens, &cxx_gen::Opt::default()).unwrap().header;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let from = |source: &str, text: String| {
        format!("// Made from {source} by integrations/cxx/tests/generated.rs: `./dev headers` rewrites it.\n{text}")
    };
    [
        ("include/portacl/cxx_bridge.h", from("integrations/cxx/src/lib.rs", text(header))),
        ("src/bridge.cpp", from("integrations/cxx/src/lib.rs", text(code.implementation))),
        ("include/rust/cxx.h", from("the crate cxx (https://cxx.rs, MIT or Apache-2.0)", cxx_gen::HEADER.to_owned())),
    ]
}

fn path(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[test]
fn committed_cpp_is_what_the_bridge_says() {
    let update = std::env::var_os("PORTACL_UPDATE").is_some();
    for (name, fresh) in generated() {
        let file = path(name);
        let committed = fs::read_to_string(&file).unwrap_or_default();
        if committed == fresh {
            continue;
        }
        assert!(update, "integrations/cxx/{name} is not what its source says; `./dev headers` rewrites it");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, fresh).unwrap();
    }
}
