# The rules of ARCHITECTURE.md: order of imports, guarded entries, unsafe code only in the listed places.
check() { cargo test --locked --quiet --test architecture --test boundary --test surroundings; }
sabotage() { printf '#[allow(unused_imports)]\nuse crate::stream as _;\n' >>src/core/base/error.rs; }
