#!/usr/bin/env bash
# Package test of what cpack packs: packages.sh CASE BUILD WORK (see run.sh).
set -euo pipefail
case_name=$1 work=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
mine=$work/$case_name
: "${CC:=cc}"

fail() { echo "FAILED: $*" >&2; exit 1; }

# The library cargo has built already; so this takes seconds.
pack() {
    rm -rf "$mine"
    cmake -S "$root" -B "$mine/build" --preset package -DPORTACL_CARGO_TARGET_DIR="$(dirname "$(dirname "$PORTACL_TEST_ARCHIVE")")"
    cmake --build "$mine/build"
    (cd "$mine/build" && cpack)
}

# use PREFIX: a C program by CMake and one by pkg-config, static and shared.
use() {
    local prefix=$1 lib program flags into=$mine/by_cmake.$2
    cmake -S "$here/project" -B "$into" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF \
        -DWANTED_VERSION="$PORTACL_TEST_VERSION"
    cmake --build "$into"
    grep -q "^portacl_DIR:PATH=$prefix/" "$into/CMakeCache.txt" || fail "CMake found another portacl"
    lib=$(dirname "$(find "$prefix" -name libportacl.a)")
    for program in c_static c_shared cxx_static cxx_shared; do
        LD_LIBRARY_PATH=$lib "$into/$program" || fail "$program"
    done
    mapfile -t flags < <(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs portacl-static | xargs printf '%s\n')
    "$CC" -std=c99 "$here/project/main.c" "${flags[@]}" -o "$mine/by_pkg_config.$2"
    "$mine/by_pkg_config.$2" || fail "a program by pkg-config"
    "$prefix/bin/portacl-info" | grep "$PORTACL_TEST_VERSION" >/dev/null || fail "portacl-info"
}

# The newest version of glibc of which a program or library uses a symbol.
glibc() { objdump -T "$@" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1 | cut -d_ -f2; }

test_packages() {
    pack
    local clean=$mine/root package name field turn
    # With a date that is given, the same build packs the same bytes at any time.
    for turn in 1 2; do (cd "$mine/build" && SOURCE_DATE_EPOCH=1700000000 cpack -G DEB -B "$mine/packed$turn" >/dev/null); done
    for package in "$mine"/packed1/*.deb; do
        cmp "$package" "$mine/packed2/$(basename "$package")" || fail "$(basename "$package") differs from time to time"
    done
    # A clean root, with a database of its own. Nothing else is there, not even the C library.
    mkdir -p "$clean/var/lib/dpkg/info" "$clean/var/lib/dpkg/updates"
    : >"$clean/var/lib/dpkg/status"
    ls -l "$mine"/build/*.deb
    dpkg --root="$clean" --log=/dev/null --force-not-root --force-depends --force-script-chrootless --install "$mine"/build/*.deb
    for package in libportacl0 libportacl-dev portacl-compat python3-portacl; do
        dpkg --root="$clean" --listfiles "$package" >"$mine/$package.txt" || fail "$package is not installed"
    done
    # Each file is in one package, in the right one.
    grep -qxE '/usr/lib/(.*/)?libportacl.so.0' "$mine/libportacl0.txt" || fail "libportacl0 has no library"
    ! grep -E '\.h$|\.a$|/libportacl.so$' "$mine/libportacl0.txt" || fail "libportacl0 has files of development"
    grep -qx '/usr/include/acl/acl.h' "$mine/libportacl-dev.txt" || fail "libportacl-dev has no headers"
    grep -qx '/usr/lib/portacl/ascend/lib64/libascendcl.so' "$mine/portacl-compat.txt" || fail "portacl-compat has no libascendcl.so"
    grep -qx '/usr/lib/python3/dist-packages/acl/rt.py' "$mine/python3-portacl.txt" || fail "python3-portacl has no module acl"
    use "$clean/usr" deb
    # The packages name what they need: each other in the same version, and the C library.
    for package in "$mine"/build/*.deb; do
        name=$(dpkg-deb --field "$package" Package) field=$(dpkg-deb --field "$package" Depends)
        echo "-- $name: $field"
        [[ $name == libportacl0 || $field == *"libportacl0 (= $PORTACL_TEST_VERSION-1)"* ]] || fail "$name needs no libportacl0"
    done
    # glibc: what docs/install.md says, what the package says, and what the files use.
    local said used
    said=$(sed -n 's/.*need glibc \([0-9.]*[0-9]\).*/\1/p' "$root/docs/install.md")
    used=$(glibc "$(find "$clean" -name 'libportacl.so.0.*')" "$clean/usr/bin/portacl-info" "$clean"/usr/lib/portacl/ascend/lib64/lib*.so)
    echo "-- glibc $used is needed; docs/install.md says $said"
    [[ $(printf '%s\n' "$said" "$used" | sort -V | tail -n 1) == "$said" ]] || fail "docs/install.md says glibc $said, and $used is needed"
    dpkg-deb --field "$mine"/build/libportacl0_*.deb Depends | grep -F "libc6 (>= $used)" >/dev/null || fail "libportacl0 does not depend on libc6 $used"
    # The folder of the original, and a program with it.
    ! find "$clean/usr/lib/portacl" -xtype l | grep . || fail "the links above lead nowhere"
    "$CC" "$here/ascend/program.c" "-I$clean/usr/lib/portacl/ascend/include" "-L$clean/usr/lib/portacl/ascend/lib64" -lascendcl -o "$mine/program"
    (set +u && source "$clean/usr/lib/portacl/ascend/set_env.sh" && "$mine/program") || fail "a program with portacl-compat"
    # The archive has everything of it.
    mkdir -p "$mine/archive"
    tar -xzf "$mine"/build/portacl-*.tar.gz -C "$mine/archive" --strip-components=1
    use "$mine/archive" archive
}

"test_$case_name"
echo "package.$case_name: passed"
