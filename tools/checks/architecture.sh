# Layers point downwards, every entry is guarded, unsafe code stays where it may be.
check() { cargo test --locked --quiet --test architecture; }
sabotage() { printf '#[allow(unused_imports)]\nuse crate::ffi::guard as _;\n' >>src/core/base/error.rs; }
