# The rules of ARCHITECTURE.md: order of imports, guarded entries, few types of one name, unsafe code only in the listed places.
check() { cargo test --locked --quiet --test architecture --test boundary --test surroundings --test type_names; }
sabotage() { printf '#[allow(unused_imports)]\nuse crate::stream as _;\n' >>src/core/base/error.rs; }
