#!/usr/bin/env bash
# Makes libportacl.a and libportacl.so.VERSION out of the archive that cargo built.
#
# The archive holds Rust's standard library with all its symbols global: two such archives in one
# program collide (rust_eh_personality). Here everything becomes one object in which only the API
# is global, without what the API does not reach; both libraries are made of that object.
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
: "${LD:=ld}" "${NM:=nm}" "${OBJCOPY:=objcopy}" "${AR:=ar}" "${CC:=cc}" "${RUSTC:=rustc}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
soname=libportacl.so.${version%%.*}

mkdir -p "$directory"
work=$(mktemp -d "$directory/.make.XXXXXX")
trap 'rm -rf "$work"' EXIT

# The API is what the archive defines under the API's names: acl... and portacl..., no underscore
# (Rust's own mangled names have other prefixes, helpers of ours carry an underscore).
"$NM" -g --defined-only --format=posix "$archive" 2>/dev/null |
    awk '$1 ~ /^(acl[A-Za-z0-9]+|portacl[A-Z][A-Za-z0-9]*)$/ && $2 ~ /[TDBR]/ { print $1 }' |
    sort -u >"$work/symbols.txt"
if [[ ! -s $work/symbols.txt ]]; then
    echo "make_libraries.sh: $archive defines no acl* symbol; nothing to package" >&2
    exit 1
fi

sed 's/^/-u /' "$work/symbols.txt" >"$work/roots.rsp"
"$LD" -r --gc-sections --force-group-allocation "@$work/roots.rsp" "$archive" -o "$work/linked.o"
# The standard library carries LLVM bitcode, which `ar` with a plug-in of another LLVM chokes on.
"$OBJCOPY" "${strip[@]}" --keep-global-symbols="$work/symbols.txt" \
    --remove-section=.llvmbc --remove-section=.llvmcmd "$work/linked.o" "$work/local.o"
# A section header for each function and each long mangled name would be a third of the archive. Sections
# that the same functions of the API need become one, so that programs still get only what they use, and
# names become short.
if ((${#strip[@]})); then
    "$RUSTC" --edition 2024 -O "$here/pack_object.rs" -o "$work/pack_object"
    "$work/pack_object" sections "$work/local.o" >"$work/rename.rsp"
    "$OBJCOPY" "@$work/rename.rsp" "$work/local.o" "$work/renamed.o"
    "$LD" -r "$work/renamed.o" -o "$work/merged.o"
    "$NM" --format=posix "$work/merged.o" |
        awk '$2 ~ /^[tdbr]$/ && length($1) > 8 && !seen[$1]++ { printf "%s p%x\n", $1, count++ }' >"$work/names.txt"
    "$work/pack_object" relocations "$work/merged.o"
    "$OBJCOPY" --redefine-syms="$work/names.txt" "${unneeded[@]}" "$work/merged.o" "$work/portacl.o"
else
    # What is debugged, or has a sanitizer's calls in it, should keep its names, and nobody weighs it; objcopy
    # would take minutes for the many sections.
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
