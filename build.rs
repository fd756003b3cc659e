//! Compiles the C files.

fn main() {
    let files = ["src/ffi/base/app_log.c", "src/algo/host/cpp_name.c"];
    for file in files {
        println!("cargo::rerun-if-changed={file}");
    }
    cc::Build::new()
        .files(files)
        .std("c99")
        .warnings(true)
        .extra_warnings(true)
        .compile("portacl_c");
}
