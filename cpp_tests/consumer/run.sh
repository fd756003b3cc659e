#!/usr/bin/env bash
# One case of the package tests: run.sh CASE BUILD WORK
#   BUILD  portacl's build directory; only `install` and `symbols` look at it
#   WORK   where the cases keep what they make
set -euo pipefail
case_name=$1 build=$2 work=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
prefix=$work/prefix
mine=$work/$case_name
: "${CC:=cc}" "${CXX:=c++}" "${CARGO:=cargo}" "${NM:=nm}"

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
    ! ldd "$1/c_static" | grep portacl || fail "c_static wants a shared portacl"
    ldd "$1/c_shared" | grep "libportacl\.so\.${PORTACL_VERSION%%.*} " ||
        fail "c_shared does not ask for libportacl by its soname"
}

by_pkg_config() {
    local from=$1 into=$2 package
    rm -rf "$into"
    mkdir -p "$into"
    PKG_CONFIG_PATH=$(libdir "$from")/pkgconfig
    export PKG_CONFIG_PATH
    [[ $(pkg-config --modversion portacl) == "$PORTACL_VERSION" ]] || fail "portacl.pc: wrong version"
    local strict=(-Wall -Wextra -Werror -pedantic)
    for package in portacl:shared portacl-static:static; do
        local kind=${package#*:}
        package=${package%:*}
        # shellcheck disable=SC2046  # words are what pkg-config means
        "$CC" -std=c99 "${strict[@]}" "$here/project/main.c" $(pkg-config --cflags --libs "$package") \
            -Wl,-rpath,"$(libdir "$from")" -o "$into/c_$kind"
        # shellcheck disable=SC2046
        "$CXX" -std=c++11 "${strict[@]}" "$here/project/main.cpp" $(pkg-config --cflags --libs "$package") \
            -Wl,-rpath,"$(libdir "$from")" -o "$into/cxx_$kind"
    done
}

test_install() {
    rm -rf "$work"
    cmake --install "$build" --prefix "$prefix"
    local lib
    lib=$(libdir "$prefix")
    [[ $(readlink "$lib/libportacl.so") == "libportacl.so.${PORTACL_VERSION%%.*}" ]] || fail "libportacl.so is no link to the soname"
    [[ $(readlink -f "$lib/libportacl.so") == "$(readlink -f "$lib")/libportacl.so.$PORTACL_VERSION" ]] || fail "the links do not lead to libportacl.so.$PORTACL_VERSION"
    find "$prefix" -name LICENSE | grep . || fail "no LICENSE installed"
    diff -r "$root/include" "$prefix/include" || fail "installed headers differ from include/"
}

test_cmake() {
    by_cmake "$prefix" "$mine"
    run_four "$mine"
}

test_pkg_config() {
    by_pkg_config "$prefix" "$mine"
    run_four "$mine"
}

test_moved() {
    rm -rf "$mine"
    mkdir -p "$mine/first" "$mine/elsewhere"
    cmake --install "$build" --prefix "$mine/first/prefix" >/dev/null
    mv "$mine/first/prefix" "$mine/elsewhere/moved here"
    by_cmake "$mine/elsewhere/moved here" "$mine/by_cmake"
    run_four "$mine/by_cmake"
    # pkg-config's answers are words of a shell: no blanks in this one.
    mv "$mine/elsewhere/moved here" "$mine/elsewhere/moved"
    by_pkg_config "$mine/elsewhere/moved" "$mine/by_pkg_config"
    run_four "$mine/by_pkg_config"
}

# No installed file knows where it was built or installed.
test_relocatable() {
    local name
    for name in "$prefix" "$build" "$(cd "$root" && pwd)/"; do
        ! grep -rlF "$name" "$prefix" || fail "the files above contain the path $name"
    done
}

test_versions() {
    local major minor
    IFS=. read -r major minor _ <<<"$PORTACL_VERSION"
    local good=("$PORTACL_VERSION" "$major.$minor") bad=("$((major + 1)).0" "$major.$((minor + 1))")
    # Before 1.0 an older minor version is another interface.
    if ((major == 0 && minor > 0)); then bad+=("0.$((minor - 1))"); fi
    local version
    for version in "${good[@]}"; do
        cmake -S "$here/project" -B "$mine/$version" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED_VERSION="$version" >/dev/null ||
            fail "version $version was asked for, $PORTACL_VERSION is installed: should be found"
    done
    for version in "${bad[@]}"; do
        ! cmake -S "$here/project" -B "$mine/$version" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED_VERSION="$version" >/dev/null 2>&1 ||
            fail "version $version was asked for, $PORTACL_VERSION is installed: should be refused"
    done
}

test_second_rust_library() {
    "$CARGO" rustc --release --locked --manifest-path "$here/neighbour/Cargo.toml" --target-dir "$mine/target"
    local neighbour=$mine/target/release/libneighbour.a
    by_cmake "$prefix" "$mine/build" -DNEIGHBOUR="$neighbour"
    "$mine/build/with_neighbour" || fail "with_neighbour"
    # The other way round too: what the linker sees first must not matter.
    local native
    PKG_CONFIG_PATH=$(libdir "$prefix")/pkgconfig
    export PKG_CONFIG_PATH
    read -ra native <<<"$(pkg-config --cflags --libs portacl-static)"
    "$CC" "$here/project/with_neighbour.c" "-I$prefix/include" "$neighbour" "${native[@]}" -o "$mine/neighbour_first"
    "$mine/neighbour_first" || fail "neighbour_first"
    # Proof that the test can fail: cargo's own archive, with everything global, collides.
    if "$CC" "$here/project/with_neighbour.c" "-I$prefix/include" "$PORTACL_ARCHIVE" "$neighbour" \
        "${native[@]:2}" -o "$mine/collides" 2>"$mine/collision.txt"; then
        echo "note: this compiler's archives no longer collide; make_libraries.sh may have become simpler"
    else
        grep -m1 'multiple definition' "$mine/collision.txt" || { cat "$mine/collision.txt"; fail "cargo's archive does not link for another reason"; }
    fi
}

test_c_without_libstdcxx() {
    by_cmake "$prefix" "$mine"
    ! ldd "$mine/c_static" | grep 'libstdc++' || fail "a C program was given libstdc++"
    ! "$NM" -u "$(libdir "$prefix")/libportacl.a" | grep -E ' (_Z|__cxa_throw|__gxx_)' ||
        fail "libportacl.a refers to the C++ symbols above"
    ! ldd "$(libdir "$prefix")/libportacl.so" | grep 'libstdc++' || fail "libportacl.so needs libstdc++"
}

test_symbols() {
    bash "$root/tools/check_symbols.sh" "$(libdir "$prefix")/libportacl.a" "$(libdir "$prefix")/libportacl.so"
}

test_compat_names() {
    mkdir -p "$mine"
    local lib name
    lib=$(libdir "$prefix")
    for name in ascendcl acl_rt; do
        "$CC" -std=c99 "$here/project/main.c" "-I$prefix/include" "-L$lib" "-l$name" -Wl,-rpath,"$lib" -o "$mine/link_$name"
        "$mine/link_$name" || fail "a program linked with -l$name"
    done
    "$CC" -std=c99 "$here/project/dlopen_compat.c" -ldl -o "$mine/dlopen_compat"
    LD_LIBRARY_PATH=$lib "$mine/dlopen_compat" || fail "dlopen of the names"
    # Without the option the names stay away.
    local plain=$mine/plain
    cmake -S "$root" -B "$plain" -DPORTACL_BUILD_SAMPLES=OFF >/dev/null
    ! grep -q 'libascendcl' "$plain/cmake_install.cmake" || fail "PORTACL_COMPAT_NAMES=OFF installs the names"
}

# As a part of somebody's own CMake project: nothing of ours is built that was not asked for.
test_fetch_content() {
    rm -rf "$mine/build"
    mkdir -p "$mine/project"
    cp "$here"/project/main.c "$here"/project/round_trip.h "$mine/project"
    cat >"$mine/project/CMakeLists.txt" <<LISTS
cmake_minimum_required(VERSION 3.22)
project(outer LANGUAGES C CXX)
set(PORTACL_CARGO_TARGET_DIR "$(dirname "$(dirname "$PORTACL_ARCHIVE")")" CACHE PATH "")
add_subdirectory("$root" portacl)
add_executable(outer main.c)
target_link_libraries(outer PRIVATE portacl::portacl)
LISTS
    cmake -S "$mine/project" -B "$mine/build" -DCMAKE_BUILD_TYPE=Release
    cmake --build "$mine/build"
    "$mine/build/outer" || fail "outer"
    [[ -z $(find "$mine/build" -name 'sample_*') ]] || fail "samples were built"
}

# The program and the CMake lines of README.md, as they stand there.
test_readme() {
    rm -rf "$mine"
    mkdir -p "$mine"
    sed -n '/^```cpp$/,/^```$/{/^```/d;p}' "$root/README.md" >"$mine/hello.cpp"
    sed -n '/^```cmake$/,/^```$/{/^```/d;p}' "$root/README.md" >"$mine/CMakeLists.txt"
    cmake -S "$mine" -B "$mine/build" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$mine/build"
    [[ $("$mine/build/hello") == "hello, device" ]] || fail "README's program"
}

"test_$case_name"
echo "package.$case_name: passed"
