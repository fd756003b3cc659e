#!/usr/bin/env bash
# Makes libportacl.a and libportacl.so.VERSION from the archive that cargo built.
#
# The archive contains Rust's standard library with all symbols global: two such archives in one program collide
# (rust_eh_personality). This script makes one object in which only the API is global, without code that the API does
# not reach. Both libraries are made from that object.
#
# usage: make_libraries.sh [--strip-debug] [--allow-undefined] ARCHIVE DIRECTORY VERSION NATIVE_LIBS
set -euo pipefail

strip=() unneeded=() undefined=(-Wl,-z,defs)
while [[ ${1-} == --* ]]; do
    case $1 in
    --strip-debug) strip=(--strip-debug) unneeded=(--strip-unneeded) ;;
    --allow-undefined) undefined=() ;;
    *) echo "make_libraries.sh: unknown option $1" >&2; exit 2 ;;
    esac
    shift
done
archive=$1 directory=$2 version=$3
read -ra native_libs <<<"$4"
: "${LD:=ld}" "${NM:=nm}" "${OBJCOPY:=objcopy}" "${AR:=ar}" "${CC:=cc}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Set here, because cargo warns about link arguments for shared libraries in a package that declares none.
soname=libportacl.so.${version%%.*}

mkdir -p "$directory"
work=$(mktemp -d "$directory/.make.XXXXXX")
trap 'rm -rf "$work"' EXIT

# The API is what the archive defines under the API's names: acl... and portacl..., without underscore (Rust's mangled
# names have other prefixes, internal helpers contain an underscore).
"$NM" -g --defined-only --format=posix "$archive" 2>/dev/null |
    awk '$1 ~ /^(acl[A-Za-z0-9]+|portacl[A-Z][A-Za-z0-9]*)$/ && $2 ~ /[TDBR]/ { print $1 }' |
    sort -u >"$work/symbols.txt"
if [[ ! -s $work/symbols.txt ]]; then
    echo "make_libraries.sh: $archive defines no acl* symbol; nothing to package" >&2
    exit 1
fi

sed 's/^/-u /' "$work/symbols.txt" >"$work/roots.rsp"
# Functions at which a cancelled thread ends are called with cancellation off (src/algo/thread/uncancelled.c).
sed 's/^/--wrap=/' "$here/cancellation_points.txt" >"$work/wrapped.rsp"
# Destructors of thread-local values are registered only if there is memory (src/algo/thread/thread_end.c).
echo --wrap=__cxa_thread_atexit_impl >>"$work/wrapped.rsp"
"$LD" -r --gc-sections --force-group-allocation "@$work/wrapped.rsp" "@$work/roots.rsp" "$archive" -o "$work/linked.o"
# The standard library contains LLVM bitcode, which `ar` with the plug-in of another LLVM rejects.
"$OBJCOPY" "${strip[@]}" --keep-global-symbols="$work/symbols.txt" \
    --remove-section=.llvmbc --remove-section=.llvmcmd "$work/linked.o" "$work/local.o"
"$NM" -u --format=posix "$work/local.o" | sed -n 's/^__wrap_\([a-z0-9_]*\).*/\1/p' >"$work/unwrapped.txt"
if [[ -s $work/unwrapped.txt ]]; then
    echo "make_libraries.sh: src/algo/thread/uncancelled.c lacks: $(paste -sd ' ' "$work/unwrapped.txt")" >&2
    exit 1
fi
# Each function keeps a section of its own, so that programs contain only what they use. Long mangled names would be a
# large part of the archive: they are shortened.
if ((${#strip[@]})); then
    "$NM" --format=posix "$work/local.o" |
        awk '$2 ~ /^[tdbr]$/ && length($1) > 8 && !seen[$1]++ { printf "%s p%x\n", $1, count++ }' >"$work/names.txt"
    "$OBJCOPY" --redefine-syms="$work/names.txt" "${unneeded[@]}" "$work/local.o" "$work/portacl.o"
else
    # Debug and sanitizer builds keep their names, because their size does not matter; objcopy would take minutes for
    # the many symbols.
    mv "$work/local.o" "$work/portacl.o"
fi
"$AR" crsD "$work/libportacl.a" "$work/portacl.o"

{ echo "{ global:"; sed 's/$/;/' "$work/symbols.txt"; echo "local: *; };"; } >"$work/exports.map"
"$CC" -shared -fPIC -o "$work/libportacl.so.$version" \
    -Wl,--whole-archive "$work/libportacl.a" -Wl,--no-whole-archive \
    -Wl,-soname,"$soname" -Wl,--version-script="$work/exports.map" -Wl,-Bsymbolic-functions \
    -Wl,--gc-sections -Wl,--as-needed -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--build-id \
    "${undefined[@]}" "${native_libs[@]}"

for file in symbols.txt libportacl.a "libportacl.so.$version"; do
    mv -f "$work/$file" "$directory/$file"
done
ln -sfn "libportacl.so.$version" "$directory/$soname"
ln -sfn "$soname" "$directory/libportacl.so"
