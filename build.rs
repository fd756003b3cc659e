//! Compiles the one C file.

fn main() {
    println!("cargo::rerun-if-changed=src/ffi/base/app_log.c");
    cc::Build::new()
        .file("src/ffi/base/app_log.c")
        .std("c99")
        .warnings(true)
        .extra_warnings(true)
        .compile("portacl_c");
}
