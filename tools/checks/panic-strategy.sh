# The library refuses to compile with panic=abort, where a panic would end the program instead of returning a code.
repair="keep the compile_error of src/ffi/lib.rs for panic=abort"
check() {
    local log=build/checks/panic-strategy.rustc.log
    mkdir -p build/checks
    # Only the last crate gets the flag, so that the dependencies of other checks can be reused.
    cargo rustc --locked --quiet --profile check --lib -- -C panic=unwind
    if cargo rustc --locked --quiet --profile check --lib -- -C panic=abort >"$log" 2>&1; then
        echo "the library compiles with panic=abort"
        return 1
    fi
    grep -F 'portacl needs panic=unwind' "$log" || { cat "$log"; return 1; }
}
sabotage() { sed -i 's/#\[cfg(panic = "abort")\]/#[cfg(any())]/' src/ffi/lib.rs; }
