# The rules of ARCHITECTURE.md: order of imports, names, sizes, guarded entries, few types of one name, exhaustive matches,
# skipped tests, what depends on the surroundings.
repair="move the item that is named above to the layer that ARCHITECTURE.md gives it"
check() { cargo test --locked --quiet --test architecture --test boundary --test limits --test matches \
    --test skips --test surroundings --test type_names; }
sabotage() { printf '#[allow(unused_imports)]\nuse crate::stream as _;\n' >>src/core/base/error.rs; }
