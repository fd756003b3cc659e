# For aarch64 Linux: the library, the samples and a part of the suite build and run, under qemu-user.
source tools/checks/aarch64.sh
check() {
    aarch64_tools qemu-aarch64
    local root=$PWD/build/aarch64-gtest programs=(memcpy_async_test event_test notify_test stream_wait_test
        report_host_func_test host_register_test mem_pool_test kernel_test graph_test)
    if [[ ! -e $root/install/lib/libgtest.a ]]; then
        [[ -d /usr/src/googletest ]] || { echo "there are no sources of GoogleTest (Debian's package googletest)"; return 77; }
        cmake -S /usr/src/googletest -B "$root" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64-linux-gnu.cmake" \
            -DCMAKE_BUILD_TYPE=Release -DBUILD_GMOCK=OFF -DCMAKE_INSTALL_PREFIX="$root/install"
        cmake --build "$root"
        cmake --install "$root"
    fi
    cmake --preset aarch64 -DGTest_DIR="$root/install/lib/cmake/GTest" >/dev/null
    cmake --build build/aarch64 --target samples/all kernel_test_kernels "${programs[@]}"
    file -L build/aarch64/lib/libportacl.so | grep -q 'ARM aarch64'
    ctest --test-dir build/aarch64 -L '^cpu$' -R "^cpu\.(sample\.[0-9].*|$(IFS='|'; echo "${programs[*]%_test}"))\$" --no-tests=error --output-on-failure -j "$(nproc)"
}
sabotage() { sed -i 's/aarch64-linux-gnu-gcc/gcc/' cmake/aarch64-linux-gnu.cmake; }
