//! Compiles the C files, and compresses the PTX of the CUDA kernels.

use std::path::Path;

fn main() {
    compile_c();
    if std::env::var_os("CARGO_FEATURE_CUDA").is_some() {
        compress_ptx();
    }
}

fn compile_c() {
    let files = ["src/ffi/base/app_log.c", "src/algo/host/cpp_name.c"];
    for file in files {
        println!("cargo::rerun-if-changed={file}");
    }
    cc::Build::new().files(files).std("c99").warnings(true).extra_warnings(true).compile("portacl_c");
}

/// `src/backend/cuda/own_module.rs` decompresses it.
fn compress_ptx() {
    const LEVEL: u8 = 9;
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    for name in ["memcpy_indirect", "random_num", "reduce"] {
        let file = format!("src/backend/cuda/kernels/{name}.ptx");
        println!("cargo::rerun-if-changed={file}");
        let text = std::fs::read(&file).unwrap_or_else(|why| panic!("{file}: {why}"));
        let compressed = miniz_oxide::deflate::compress_to_vec(&text, LEVEL);
        let to = Path::new(&folder).join(format!("{name}.ptx.deflate"));
        std::fs::write(&to, compressed).unwrap_or_else(|why| panic!("{}: {why}", to.display()));
    }
}
