#!/usr/bin/env bash
# Makes the Rust part of the component portacl::cxx from the archive that cargo built: one object in which only the
# symbols between Rust and C++ are global, because the standard library in it would collide with another one (see
# make_libraries.sh). They are weak, because a program that uses the same version of cxx itself defines the same
# functions.
#
# usage: make_cxx.sh [--strip-debug] ARCHIVE OBJECT
set -euo pipefail

strip=()
if [[ ${1-} == --strip-debug ]]; then
    strip=(--strip-debug)
    shift
fi
archive=$1 object=$2
: "${LD:=ld}" "${NM:=nm}" "${OBJCOPY:=objcopy}"

mkdir -p "$(dirname "$object")"
work=$(mktemp -d "$object.XXXXXX")
trap 'rm -rf "$work"' EXIT

# The functions of the bridge, rust::String and its relatives: cxx has this word in all their names.
"$NM" -g --defined-only --format=posix "$archive" 2>/dev/null |
    awk '$1 ~ /cxxbridge1/ { print $1 }' | sort -u >"$work/symbols.txt"
grep -q '^portacl\$bridge\$' "$work/symbols.txt" || {
    echo "make_cxx.sh: $archive defines no function of the bridge" >&2
    exit 1
}
sed 's/^/-u /' "$work/symbols.txt" >"$work/roots.rsp"
"$LD" -r --gc-sections --force-group-allocation "@$work/roots.rsp" "$archive" -o "$work/linked.o"
"$OBJCOPY" "${strip[@]}" --keep-global-symbols="$work/symbols.txt" \
    --weaken-symbols="$work/symbols.txt" \
    --remove-section=.llvmbc --remove-section=.llvmcmd "$work/linked.o" "$work/local.o"
mv -f "$work/local.o" "$object"
