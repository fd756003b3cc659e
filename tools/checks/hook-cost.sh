# Without memory hooks an allocation or release executes one plain load and a branch for each moment of hooks, at most 3
# instructions each, in the optimised library. Takes minutes: --deep only.
repair="move the work behind the load and the branch that the call has already"
check() {
    [[ $(uname -m) == x86_64 ]] || { echo "reads x86-64 code"; return 77; }
    cargo rustc --locked --release --lib --crate-type staticlib
    tools/hook_cost.py target/release/libportacl.a
}
sabotage() {
    sed -i 's/COUNT.load(Ordering::Relaxed) != 0/COUNT.fetch_add(0, Ordering::SeqCst) != 0/' \
        src/core/memory/memory_hook/registry.rs
}
