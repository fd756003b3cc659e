#!/usr/bin/env bash
# Programs that link the operators by CMake and by pkg-config run without a variable for the loader.
# usage: run.sh BUILD WORK
set -euo pipefail
build=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sample=$here/../../../../samples/21_operator.cpp
rm -rf "$work"
! grep -rA 4 RPATH_CHANGE --include=cmake_install.cmake "$build" || { echo "installation changes these paths" >&2; exit 1; }
cmake --install "$build" --prefix "$work/prefix" >"$work.log"
unset LD_LIBRARY_PATH
cmake -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF \
    -DCMAKE_BUILD_TYPE=Release -DSAMPLE="$sample"
cmake --build "$work/cmake"
pkgconfig=$(dirname "$(find "$work/prefix" -name portacl-operators.pc)")
mapfile -t flags < <(PKG_CONFIG_PATH=$pkgconfig pkg-config --cflags --libs portacl-operators | xargs printf '%s\n')
"${CXX:-c++}" -std=c++17 -Wall -Wextra -Werror "$sample" "${flags[@]}" -o "$work/operator"
for program in "$work/cmake/operator" "$work/operator"; do
    "$program" | tee "$work/output"
    grep -q '^1048576 times 1 + 2 \* 20 = 41$' "$work/output" || { echo "$program prints another result" >&2; exit 1; }
done
