# A library without the cuda backend (PORTACL_CUDA=OFF) has no driver code, says so, and works on the CPU.
repair="put the code behind the feature cuda (Cargo.toml, PORTACL_CUDA)"
check() {
    local build=build/without-cuda programs=(host_register_test memcpy_async_test event_test kernel_test graph_test notify_test) library text
    cargo clippy --locked --quiet --lib --no-default-features -- -D warnings
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DPORTACL_CUDA=OFF -DPORTACL_BUILD_TESTS=ON \
        -DPORTACL_BUILD_SAMPLES=OFF -DPORTACL_CXX=OFF -DPORTACL_CARGO_TARGET_DIR="$PWD/target/without-cuda" >/dev/null
    cmake --build "$build" --target portacl_libraries portacl_info kernel_test_kernels "${programs[@]}"
    library=$build/lib/libportacl.so
    ! grep -aoE 'libcuda\.so[.0-9]*|libnvidia-ml\.so[.0-9]*|cuMemAlloc' "$library" | sort -u | grep . || { echo "the library has the names above"; return 1; }
    text=$(PORTACL_BACKEND=cuda "$build/programs/portacl-info" 2>&1 || true)
    echo "$text"
    grep -q 'built without the cuda backend' <<<"$text" || { echo "PORTACL_BACKEND=cuda does not say why there is none"; return 1; }
    ctest --test-dir "$build" -L '^cpu$' -R "^cpu\.($(IFS='|'; echo "${programs[*]%_test}"))\$" --no-tests=error --output-on-failure -j "$(nproc)"
    # What it saves: the shared library, as it is without optimisation.
    [[ ! -e build/test/lib/libportacl.so ]] || ls -lL --block-size=KB build/test/lib/libportacl.so "$library"
}
sabotage() { sed -i 's/built without/made without/' src/ffi/assembly.rs; }
