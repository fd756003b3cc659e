#!/usr/bin/env bash
# One case of the package tests: run.sh CASE BUILD WORK
#   BUILD  portacl's build directory; only `install` and `symbols` use it
#   WORK   the directory for the files of the cases
set -euo pipefail
case_name=$1 build=$2 work=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
prefix=$work/prefix
mine=$work/$case_name
: "${CC:=cc}" "${CXX:=c++}" "${CARGO:=cargo}" "${NM:=nm}" "${OBJDUMP:=objdump}"

fail() { echo "FAILED: $*" >&2; exit 1; }

# The library directory inside a prefix: lib, lib64 or lib/x86_64-linux-gnu.
libdir() { dirname "$(find "$1" -name libportacl.a)"; }

# by_cmake PREFIX DIRECTORY OPTION...: configures and builds the consumer.
by_cmake() {
    local from=$1 into=$2
    shift 2
    rm -rf "$into"
    cmake -S "$here/project" -B "$into" -DCMAKE_PREFIX_PATH="$from" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF "$@"
    cmake --build "$into"
}

run_four() {
    local program
    for program in c_static c_shared cxx_static cxx_shared; do
        echo "-- $program"
        "$1/$program" || fail "$program"
    done
    # A static program needs no portacl at run time, a shared one does.
    ! ldd "$1/c_static" | grep portacl || fail "c_static needs a shared portacl"
    ldd "$1/c_shared" | grep "libportacl\.so\.${PORTACL_TEST_VERSION%%.*} " ||
        fail "c_shared does not ask for libportacl by its soname"
}

# words_of PACKAGE...: the words that pkg-config prints, each on a line. Folders may have spaces.
words_of() { pkg-config --cflags --libs "$@" | xargs printf '%s\n'; }

by_pkg_config() {
    local from=$1 into=$2 package flags
    rm -rf "$into"
    mkdir -p "$into"
    PKG_CONFIG_PATH=$(libdir "$from")/pkgconfig
    export PKG_CONFIG_PATH
    [[ $(pkg-config --modversion portacl) == "$PORTACL_TEST_VERSION" ]] || fail "portacl.pc: wrong version"
    local strict=(-Wall -Wextra -Werror -pedantic)
    for package in portacl:shared portacl-static:static; do
        local kind=${package#*:}
        mapfile -t flags < <(words_of "${package%:*}")
        "$CC" -std=c99 "${strict[@]}" "$here/project/main.c" "${flags[@]}" \
            -Wl,-rpath,"$(libdir "$from")" -o "$into/c_$kind"
        "$CXX" -std=c++11 "${strict[@]}" "$here/project/main.cpp" "${flags[@]}" \
            -Wl,-rpath,"$(libdir "$from")" -o "$into/cxx_$kind"
    done
}

test_install() {
    rm -rf "$work"
    cmake --install "$build" --prefix "$prefix"
    local lib
    lib=$(libdir "$prefix")
    [[ $(readlink "$lib/libportacl.so") == "libportacl.so.${PORTACL_TEST_VERSION%%.*}" ]] || fail "libportacl.so is no link to the soname"
    [[ $(readlink -f "$lib/libportacl.so") == "$(readlink -f "$lib")/libportacl.so.$PORTACL_TEST_VERSION" ]] || fail "the links do not lead to libportacl.so.$PORTACL_TEST_VERSION"
    find "$prefix" -name LICENSE | grep . || fail "no LICENSE installed"
    mkdir -p "$work/headers"
    cp -R "$root/include/." "$root/integrations/cxx/include/." "$work/headers"
    diff -r "$work/headers" "$prefix/include" || fail "installed headers differ from include/ and integrations/cxx/include/"
}

# `import acl` with what is installed, without a variable for the loader.
test_python_module() {
    local folder=$prefix/lib/python3/dist-packages
    ! find "$folder" -name __pycache__ | grep . || fail "compiled files are installed"
    env -u LD_LIBRARY_PATH PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$folder" python3 "$here/python_module.py" "$prefix"
}

test_cmake() {
    by_cmake "$prefix" "$mine"
    run_four "$mine"
    # The target brings the option with which a program contains only what it uses. A debug build is not cut to that.
    [[ -z ${PORTACL_TEST_DEBUG_BUILD-} ]] || return 0
    local small whole
    small=$(stat -c %s "$mine/c_static") whole=$(stat -c %s "$(libdir "$prefix")/libportacl.so.$PORTACL_TEST_VERSION")
    echo "-- c_static: $small bytes; the shared library $whole"
    ((small * 4 < whole * 3)) || fail "c_static has most of the library in it"
}

test_pkg_config() {
    by_pkg_config "$prefix" "$mine"
    run_four "$mine"
}

# After ldconfig a program needs no variable. Only this test sees its cache of the loader.
test_loader() {
    local flags lib
    lib=$(libdir "$prefix")
    mkdir -p "$mine"
    mapfile -t flags < <(PKG_CONFIG_PATH=$lib/pkgconfig words_of portacl)
    "$CC" -std=c99 "$here/project/main.c" "${flags[@]}" -o "$mine/program"
    unshare --user --map-root-user --mount true || { echo "left out: this user may not make a mount namespace"; return 0; }
    PATH=$PATH:/sbin:/usr/sbin ldconfig -X -C "$mine/cache" "$lib"
    unshare --user --map-root-user --mount env -u LD_LIBRARY_PATH bash -euc '
        ! "$2" 2>/dev/null || { echo "the program runs without ldconfig: this tests nothing"; exit 1; }
        mount --bind "$1" /etc/ld.so.cache
        "$2"' loader "$mine/cache" "$mine/program" || fail "a program after ldconfig"
}

test_moved() {
    rm -rf "$mine"
    mkdir -p "$mine/first" "$mine/elsewhere"
    cmake --install "$build" --prefix "$mine/first/prefix" >/dev/null
    mv "$mine/first/prefix" "$mine/elsewhere/moved here"
    by_cmake "$mine/elsewhere/moved here" "$mine/by_cmake"
    run_four "$mine/by_cmake"
    by_pkg_config "$mine/elsewhere/moved here" "$mine/by_pkg_config"
    run_four "$mine/by_pkg_config"
}

# No installed file contains the path where it was built or installed, and no library has room for one: zeros after the last
# of its strings.
test_relocatable() {
    local name
    mkdir -p "$mine"
    for name in "$(libdir "$prefix")"/*.so; do
        objcopy -O binary --only-section=.dynstr "$name" "$mine/strings"
        [[ $(tail -c 2 "$mine/strings" | od -An -tx1) != ' 00 00' ]] || fail "$name has zeros in place of a path"
    done
    for name in "$prefix" "$build" "$(cd "$root" && pwd)/"; do
        ! grep -rlF "$name" "$prefix" || fail "the files above contain the path $name"
    done
}

test_versions() {
    local major minor
    IFS=. read -r major minor _ <<<"$PORTACL_TEST_VERSION"
    local good=("$PORTACL_TEST_VERSION" "$major.$minor") bad=("$((major + 1)).0" "$major.$((minor + 1))")
    # Before 1.0 an older minor version has another interface.
    if ((major == 0 && minor > 0)); then bad+=("0.$((minor - 1))"); fi
    local version
    for version in "${good[@]}"; do
        cmake -S "$here/project" -B "$mine/$version" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED_VERSION="$version" >/dev/null ||
            fail "version $version was requested, $PORTACL_TEST_VERSION is installed: should be found"
    done
    for version in "${bad[@]}"; do
        ! cmake -S "$here/project" -B "$mine/$version" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED_VERSION="$version" >/dev/null 2>&1 ||
            fail "version $version was requested, $PORTACL_TEST_VERSION is installed: should be refused"
    done
}

test_second_rust_library() {
    "$CARGO" rustc --release --locked --manifest-path "$here/neighbour/Cargo.toml" --target-dir "$mine/target"
    local neighbour=$mine/target/release/libneighbour.a
    by_cmake "$prefix" "$mine/build" -DNEIGHBOUR="$neighbour"
    "$mine/build/with_neighbour" || fail "with_neighbour"
    # Also in reverse, because the order on the link line must not matter.
    local native
    PKG_CONFIG_PATH=$(libdir "$prefix")/pkgconfig
    export PKG_CONFIG_PATH
    mapfile -t native < <(words_of portacl-static)
    "$CC" "$here/project/with_neighbour.c" "-I$prefix/include" "$neighbour" "${native[@]}" -o "$mine/neighbour_first"
    "$mine/neighbour_first" || fail "neighbour_first"
    # Negative test: cargo's archive, with all symbols global, collides.
    if "$CC" "$here/project/with_neighbour.c" "-I$prefix/include" "$PORTACL_TEST_ARCHIVE" "$neighbour" \
        "${native[@]:3}" -o "$mine/collides" 2>"$mine/collision.txt"; then
        echo "note: this compiler's archives no longer collide; make_libraries.sh may have become simpler"
    else
        grep -m1 'multiple definition' "$mine/collision.txt" || { cat "$mine/collision.txt"; fail "cargo's archive does not link for another reason"; }
    fi
}

# Programs without any shared library, and with the compiler's runtime linked statically.
test_static_program() {
    mkdir -p "$mine"
    local native option
    PKG_CONFIG_PATH=$(libdir "$prefix")/pkgconfig
    export PKG_CONFIG_PATH
    mapfile -t native < <(words_of portacl-static)
    for option in -static -static-pie -static-libgcc; do
        echo "int main(void) { return 0; }" | "$CC" -x c - "$option" -o "$mine/nothing" 2>"$mine/nothing.txt" ||
            { echo "this system links nothing with $option"; continue; }
        "$CC" -std=c99 "$option" "$here/project/main.c" "${native[@]}" -o "$mine/c$option"
        "$CXX" -std=c++11 "$option" "$here/project/main.cpp" "${native[@]}" -o "$mine/cxx$option"
        "$mine/c$option" || fail "a C program linked with $option"
        "$mine/cxx$option" || fail "a C++ program linked with $option"
        # A driver's library would load a second C library, and without a loader the program would crash in it.
        [[ $option != -static-libgcc ]] || continue
        ! PORTACL_BACKEND=cuda "$mine/c$option" 2>"$mine/cuda.txt" || fail "a driver was loaded with $option"
        grep -q 'linked with -static' "$mine/cuda.txt" || { cat "$mine/cuda.txt"; fail "no reason is printed with $option"; }
    done
}

# AddressSanitizer reports the program's leaks and no others.
test_leak_check() {
    mkdir -p "$mine"
    local native
    PKG_CONFIG_PATH=$(libdir "$prefix")/pkgconfig
    export PKG_CONFIG_PATH
    mapfile -t native < <(words_of portacl-static)
    "$CC" -std=c99 -g -fsanitize=address "$here/project/many_objects.c" "${native[@]}" -o "$mine/many_objects" ||
        { echo "this compiler has no AddressSanitizer"; return; }
    if "$mine/many_objects" leak 2>"$mine/leak.txt"; then
        echo "this system does not detect leaks"
        return
    fi
    grep -q '1000 byte(s) leaked in 1 allocation(s)' "$mine/leak.txt" || { cat "$mine/leak.txt"; fail "more leaks than one"; }
    "$mine/many_objects" || fail "leaks of the library"
}

# The smallest stack that docs/host_process.md names, for a thread that makes all calls, with every setting.
test_small_stack() {
    local stack name setting
    stack=$(sed -n 's/^A thread that calls the library needs a stack of at least \([0-9]*\) KiB.*/\1/p' \
        "$root/docs/host_process.md")
    [[ -n $stack ]] || fail "docs/host_process.md names no minimum stack"
    mkdir -p "$mine"
    PKG_CONFIG_PATH=$(libdir "$prefix")/pkgconfig
    export PKG_CONFIG_PATH
    local flags
    mapfile -t flags < <(words_of portacl)
    # Optimised, because only the library's use of the stack counts.
    "$CXX" -std=c++17 -O1 "$root/cpp_tests/fault/every_call.cpp" "$root/cpp_tests/fault/finalize_at_exit.cpp" \
        "${flags[@]}" -pthread -Wl,-rpath,"$(libdir "$prefix")" -o "$mine/every_call"
    for name in kernels/vector_add kernels/scale_add ../cpp_tests/kernels/kernels; do
        "$CXX" -std=c++17 -O1 -shared -fPIC -fvisibility=hidden "${flags[@]}" "$root/samples/$name.cpp" \
            -o "$mine/$(basename "$name").so"
    done
    for setting in NOTHING=1 PORTACL_CPU_GUARD=1 PORTACL_CPU_ASYNC=always PORTACL_LEAK_CHECK=1 \
        "PORTACL_MEMORY_HOOK=profile:$mine/profile" "PORTACL_MEMORY_HOOK=log:$mine/log" "PORTACL_TRACE=$mine/trace.json"; do
        echo "-- $setting"
        env "$setting" EVERY_CALL_STACK=$((stack * 1024)) "$mine/every_call" all "$mine/kernels.so" \
            "$root/cpp_tests/kernels/kernels.ptx" >"$mine/calls.txt" 2>"$mine/errors.txt" ||
            { tail -n 20 "$mine/errors.txt" "$mine/calls.txt"; fail "on a stack of $stack KiB with $setting"; }
        # The calls that use most.
        awk '/^ *[0-9]+ (acl|portacl)/ && shown++ < 3' "$mine/calls.txt"
    done
    ! env EVERY_CALL_STACK=20480 "$mine/every_call" all "$mine/kernels.so" \
        "$root/cpp_tests/kernels/kernels.ptx" >/dev/null 2>&1 || fail "a stack of 20 KiB is enough: this tests nothing"
}

# If the component is installed as well, a C program contains nothing of it.
test_c_without_libstdcxx() {
    [[ -e $(libdir "$prefix")/libportacl_cxx.a ]] || fail "the component is not installed"
    by_cmake "$prefix" "$mine"
    ! ldd "$mine/c_static" | grep 'libstdc++' || fail "a C program was given libstdc++"
    ! "$NM" -u "$(libdir "$prefix")/libportacl.a" | grep -E ' (_Z|__cxa_throw|__gxx_)' ||
        fail "libportacl.a refers to the C++ symbols above"
    ! ldd "$(libdir "$prefix")/libportacl.so" | grep 'libstdc++' || fail "libportacl.so needs libstdc++"
}

test_cxx_component() {
    "$CARGO" rustc --release --locked --manifest-path "$here/neighbour/Cargo.toml" --target-dir "$mine/target"
    local from component=$here/component
    # Also from another place than where it was installed.
    mkdir -p "$mine"
    rm -rf "$mine/moved here"
    cp -a "$prefix" "$mine/moved here"
    for from in "$prefix" "$mine/moved here"; do
        rm -rf "$mine/build"
        cmake -S "$component" -B "$mine/build" -DCMAKE_PREFIX_PATH="$from" -DCMAKE_BUILD_TYPE=Release \
            -DNEIGHBOUR="$mine/target/release/libneighbour.a"
        cmake --build "$mine/build"
        "$mine/build/report" || fail "report"
        "$mine/build/report_with_neighbour" || fail "report_with_neighbour"
    done
    # The program contains one core: the component calls it, and has none.
    ! "$NM" --defined-only "$(libdir "$prefix")/libportacl_cxx.a" 2>/dev/null | grep -E ' (acl|portacl)[A-Za-z]+$' ||
        fail "libportacl_cxx.a defines the functions above"
    # A component that is not installed is not found, with a reason.
    rm "$(libdir "$mine/moved here")/libportacl_cxx.a"
    local wanted
    for wanted in cxx nothing; do
        ! cmake -S "$component" -B "$mine/without" -DCMAKE_PREFIX_PATH="$mine/moved here" \
            -DWANTED_COMPONENTS="$wanted" >"$mine/without.txt" 2>&1 || fail "component $wanted was found"
        grep -q "portacl has no component '$wanted'" "$mine/without.txt" || { cat "$mine/without.txt"; fail "no reason is printed"; }
    done
}

# The C++ wrappers compile away: their functions have as many instructions as the calls in C.
test_cpp_layer() {
    mkdir -p "$mine"
    local native pair c cpp
    PKG_CONFIG_PATH=$(libdir "$prefix")/pkgconfig
    export PKG_CONFIG_PATH
    mapfile -t native < <(words_of portacl-static)
    "$CXX" -std=c++17 -O2 -Wall -Wextra -Werror "-I$prefix/include" -c "$here/pairs.cpp" -o "$mine/pairs.o"
    "$CXX" "$mine/pairs.o" "${native[@]}" -o "$mine/pairs"
    # Padding after a function does not count.
    "$OBJDUMP" -d --no-show-raw-insn "$mine/pairs.o" | awk '
        /^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); next }
        $2 ~ /^(nop|nopw|nopl|cs|data16)$/ || $0 ~ /xchg +%ax,%ax/ { next }
        /^ +[0-9a-f]+:/ { count[name]++ }
        END { for (name in count) print name, count[name] }' >"$mine/counts.txt"
    count() { awk -v name="$1" '$1 == name { print $2 }' "$mine/counts.txt"; }
    for pair in copy_on_device copy_to_device copy_and_wait synchronize; do
        c=$(count "c_$pair") cpp=$(count "cpp_$pair")
        echo "$pair: $c instructions in C, $cpp in C++"
        [[ -n $c && $cpp == "$c" ]] || fail "$pair is not the same"
    done
    "$mine/pairs" c 10 || fail "pairs c"
    "$mine/pairs" cpp 10 || fail "pairs cpp"
    # The same for executed instructions, including the library, if valgrind is installed.
    command -v valgrind >/dev/null || { echo "executed instructions are not counted: no valgrind"; return 0; }
    executed() {
        local total=0 sign=-1 rounds
        # Many rounds: start and end vary by some hundred instructions.
        for rounds in 100 2100; do
            valgrind -q --tool=callgrind --callgrind-out-file="$mine/callgrind.$1.$rounds" "$mine/pairs" "$1" "$rounds" || return 1
            total=$((total + sign * $(awk '/^(summary|totals):/ { print $2; exit }' "$mine/callgrind.$1.$rounds")))
            sign=1
        done
        echo $((total / 2000))
    }
    c=$(executed c) cpp=$(executed cpp)
    echo "three copies and a wait execute $c instructions from C, $cpp from C++"
    ((cpp <= c + 2 && c <= cpp + 2)) || fail "the C++ wrappers execute more"
}

test_symbols() {
    bash "$root/tools/check_symbols.sh" "$(libdir "$prefix")/libportacl.a" "$(libdir "$prefix")/libportacl.so"
    # Kernels are compressed: their text is in no library.
    grep -q '\.visible \.entry' "$root"/src/cuda/kernels/*.ptx || fail "kernels look different: this tests nothing"
    ! grep -aq '\.visible \.entry' "$(libdir "$prefix")"/libportacl.{a,so} || fail "the text of a kernel is in a library"
}

# Programs contain only what they use, with every linker of this machine.
test_small_program() {
    mkdir -p "$mine"
    local native archive linker whole small
    archive=$(libdir "$prefix")/libportacl.a
    PKG_CONFIG_PATH=$(libdir "$prefix")/pkgconfig
    export PKG_CONFIG_PATH
    mapfile -t native < <(words_of portacl-static)
    for linker in bfd gold lld; do
        [[ $linker == bfd ]] || "$CC" "-fuse-ld=$linker" -Wl,--version >"$mine/version.txt" 2>&1 || continue
        "$CC" -std=c99 "-fuse-ld=$linker" -s "$here/project/main.c" "${native[@]}" -o "$mine/small_$linker"
        "$mine/small_$linker" || fail "a program linked by $linker without what it does not use"
        "$CC" -std=c99 "-fuse-ld=$linker" -s "$here/project/main.c" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive \
            "${native[@]}" -Wl,--no-gc-sections -o "$mine/whole_$linker"
        "$mine/whole_$linker" || fail "a program linked by $linker with all of the library"
        small=$(stat -c %s "$mine/small_$linker") whole=$(stat -c %s "$mine/whole_$linker")
        echo "-- $linker: $small bytes, with all of the library $whole"
        ((small * 4 < whole * 3)) || fail "a small program has most of the library in it"
    done
    [[ $(uname -m) == x86_64 ]] || return 0
    # References inside one section are resolved.
    ! readelf -rW "$archive" | awk '
        /^Relocation section/ { section = $3; gsub(/\047/, "", section); sub(/^\.rela/, "", section) }
        $3 ~ /_(PC32|PLT32)$/ && $5 == section' | grep . || fail "these relocations could have been resolved"
}

# The installed samples are a project of their own, whose programs print what they teach.
test_samples() {
    rm -rf "$mine"
    local from name
    from=$(find "$prefix" -path '*/doc/portacl/samples' -type d)
    [[ -n $from ]] || fail "no samples are installed below share/doc"
    cmake -S "$from" -B "$mine" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
    cmake --build "$mine" --parallel 2
    for name in "$root"/samples/[0-9][0-9]_*.cpp; do
        # It needs the operators, which need PyTorch.
        [[ $name != *_operator.cpp ]] || continue
        [[ -x $mine/$(basename "$name" .cpp) ]] || fail "$(basename "$name") is not built"
    done
    for name in 01_device_memory 03_async_copies 18_graph 20_conditional; do
        "$mine/$name" >"$mine/$name.txt" || fail "$name"
        cat "$mine/$name.txt"
        grep -q '^What this shows: ' "$mine/$name.txt" || fail "$name does not print what it shows"
    done
    # A first use has no rate, and a time is never 0.
    grep -qE '^first use of the memory +[0-9.]+ ms$' "$mine/01_device_memory.txt" || fail "no row for the first use"
    ! grep -E 'took 0\.0+ ' "$mine/18_graph.txt" || fail "a time of 0"
}

# A demo needs less than the tests do.
test_demo_setup() {
    local build all
    build=$("$root/tools/setup.sh" build --list)
    all=$("$root/tools/setup.sh" --list)
    grep -qx ninja <<<"$build" || fail "the list of a demo has no ninja"
    ! grep -xE 'doxygen|clang-format|codespell|cloc|pkg-config' <<<"$build" || fail "a demo installs what only tests need"
    grep -qx doxygen <<<"$all" || fail "the list of all has no doxygen"
    grep -q 'tools/setup.sh build$' "$root/dev" || fail "the demo installs everything"
}

# As a part of another CMake project: only what was requested is built.
test_fetch_content() {
    rm -rf "$mine/build"
    mkdir -p "$mine/project"
    cp "$here"/project/main.c "$here"/project/round_trip.h "$mine/project"
    cat >"$mine/project/CMakeLists.txt" <<LISTS
cmake_minimum_required(VERSION 3.22)
project(outer LANGUAGES C CXX)
set(PORTACL_CARGO_TARGET_DIR "$(dirname "$(dirname "$PORTACL_TEST_ARCHIVE")")" CACHE PATH "")
add_subdirectory("$root" portacl)
add_executable(outer main.c)
target_link_libraries(outer PRIVATE portacl::portacl)
LISTS
    # With make -j, whose job server is closed for cargo. Cargo has one of its own; rustc alone would warn.
    cmake -S "$mine/project" -B "$mine/build" -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release
    cmake --build "$mine/build" --parallel 2 2>&1 | tee "$mine/build.txt"
    ! grep -i jobserver "$mine/build.txt" || fail "the build warns about the job server of make"
    "$mine/build/outer" || fail "outer"
    [[ -z $(find "$mine/build" -name 'sample_*' -o -name 'libportacl_cxx*') ]] || fail "samples or the component were built"
}

# The program and the CMake lines of docs/install.md, as they are there.
test_readme() {
    rm -rf "$mine"
    mkdir -p "$mine"
    sed -n '/^```cpp$/,/^```$/{/^```/d;p}' "$root/docs/install.md" >"$mine/hello.cpp"
    sed -n '/^```cmake$/,/^```$/{/^```/d;p}' "$root/docs/install.md" >"$mine/CMakeLists.txt"
    cmake -S "$mine" -B "$mine/build" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$mine/build"
    [[ $("$mine/build/hello") == "hello, device" ]] || fail "the program of docs/install.md"
}

"test_$case_name"
echo "package.$case_name: passed"
