//! Compiles the C file.

fn main() {
    let file = "src/ffi/base/app_log.c";
    println!("cargo::rerun-if-changed={file}");
    let mut build = cc::Build::new();
    build.file(file).std("gnu11").warnings(true).extra_warnings(true);
    build.define("_GNU_SOURCE", None).compile("portacl_c");
}
