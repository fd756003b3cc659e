//! Compresses the PTX of the kernels. `kernel/library_module.rs` decompresses it.

use std::path::PathBuf;

fn main() {
    const LEVEL: u8 = 9;
    for name in ["memcpy_indirect", "random_num", "reduce"] {
        let file = format!("kernels/{name}.ptx");
        println!("cargo::rerun-if-changed={file}");
        let text = std::fs::read(&file).unwrap_or_else(|why| panic!("{file}: {why}"));
        let compressed = miniz_oxide::deflate::compress_to_vec(&text, LEVEL);
        let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        let to = folder.join(format!("{name}.ptx.deflate"));
        std::fs::write(&to, compressed).unwrap_or_else(|why| panic!("{}: {why}", to.display()));
    }
}
