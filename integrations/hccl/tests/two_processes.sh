#!/usr/bin/env bash
# usage: two_processes.sh PROGRAM     runs a sample as rank 0 and rank 1; each must succeed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" 0 "$folder/root" &
first=$!
"$1" 1 "$folder/root"
wait "$first"
[[ -z $(ls -A "$folder") ]] || { echo "the program leaves files"; exit 1; }
