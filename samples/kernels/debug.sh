#!/usr/bin/env bash
# The commands of docs/kernels.md stop in a kernel for CPUs, and print the index of its block.
# usage: debug.sh FOLDER     the folder of the built samples. Exit status 77: gdb is missing, or may not trace here.
set -euo pipefail
page=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../docs/kernels.md")
cd "$1"
if ! gdb -batch -ex run /bin/true 2>&1 | grep -c 'exited normally' >/dev/null; then
    echo "skipped: gdb is not installed, or the system lets it trace no program"
    exit 77
fi
commands=$(sed -n '/^```sh gdb$/,/^```$/{/^```/d;p}' "$page")
[[ -n $commands ]] || { echo "docs/kernels.md has no block 'sh gdb'"; exit 1; }
output=$(bash -euo pipefail -c "$commands" 2>&1) || { printf '%s\n' "$output"; exit 1; }
printf '%s\n' "$output"
[[ $output =~ 'hit Breakpoint 1,'.*VectorAdd.*'$1 = {'[0-9]+', 0, 0}' ]] || { echo "gdb did not stop in VectorAdd with a block"; exit 1; }
[[ $output =~ vector_add.cpp:[0-9]+ ]] || { echo "gdb names no line of the kernel"; exit 1; }
