//! Compiles the C files.

fn main() {
    let files = [
        "host/cpp_name.c",
        "host/standard_stream.c",
        "thread/cancellation.c",
        "thread/thread_end.c",
        "thread/thread_start.c",
        "thread/uncancelled.c",
    ];
    for file in files {
        println!("cargo::rerun-if-changed={file}");
    }
    let mut build = cc::Build::new();
    build.files(files).std("gnu11").warnings(true).extra_warnings(true);
    // Panics pass a function of cancellation.c.
    build.define("_GNU_SOURCE", None).flag("-fexceptions").compile("portacl_algo_c");
}
