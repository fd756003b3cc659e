# For aarch64 Linux: the library, the samples and a part of the suite build and run, under qemu-user; then what uses the
# kernel's pages again with pages of 64 KiB. These runs show what is computed from the size of a page. The kernel below
# has pages of 4 KiB, so they do not show calls that only a kernel with larger pages refuses.
source tools/checks/aarch64.sh
# run NAME...: tests of the cpu backend.
run() {
    ctest --test-dir build/aarch64 -L '^cpu$' -R "^cpu\.($(IFS='|'; echo "$*"))\$" --no-tests=error --output-on-failure -j "$(nproc)"
}
repair="mend what depends on x86-64 or on pages of 4 KiB in the test that failed; ctest -R NAME in the folder that the log names runs it alone"
check() {
    aarch64_tools qemu-aarch64
    local root=$PWD/build/aarch64-gtest samples='sample\.([0-9].*)' text
    local memory=(host_register mem_pool host_memory memory virtual_memory snapshot)
    local programs=(memcpy_async event notify stream_wait report_host_func kernel graph "${memory[@]}")
    if [[ ! -e $root/install/lib/libgtest.a ]]; then
        [[ -d /usr/src/googletest ]] || { echo "there are no sources of GoogleTest (Debian's package googletest)"; return 77; }
        cmake -S /usr/src/googletest -B "$root" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64-linux-gnu.cmake" \
            -DCMAKE_BUILD_TYPE=Release -DBUILD_GMOCK=OFF -DCMAKE_INSTALL_PREFIX="$root/install"
        cmake --build "$root"
        cmake --install "$root"
    fi
    cmake --preset aarch64 -DGTest_DIR="$root/install/lib/cmake/GTest" >/dev/null
    cmake --build build/aarch64 --target samples/all kernel_test_kernels "${programs[@]/%/_test}"
    file -L build/aarch64/lib/libportacl.so | grep 'ARM aarch64' >/dev/null
    # Programs that start themselves again need a kernel that starts programs for aarch64 (binfmt_misc).
    export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
    if ! build/aarch64/cpp_tests/event_test --gtest_list_tests >/dev/null 2>&1; then
        echo "left out, because this kernel does not start programs for aarch64: sample 17, tests in processes of their own"
        export GTEST_FILTER='-*Process*'
        samples='sample\.(0.*|1[0-689].*|2.*)'
    fi
    run "$samples" "${programs[@]}"

    export QEMU_PAGESIZE=65536
    run "${memory[@]}" sample.08_mem_pool sample.09_pinned_vector sample.14_growing_buffer
    text=$(PORTACL_BACKEND=cpu PORTACL_CPU_GUARD=1 qemu-aarch64 build/aarch64/samples/01_device_memory 1000 2>&1 || true)
    grep -q "needs a system with pages of 4096 bytes, but this one has pages of 65536" <<<"$text" || { echo "guard mode with pages of 64 KiB: $text"; return 1; }
}
sabotage() { sed -i 's/aarch64-linux-gnu-gcc/gcc/' cmake/aarch64-linux-gnu.cmake; }
