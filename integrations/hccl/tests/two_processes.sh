#!/usr/bin/env bash
# usage: two_processes.sh PROGRAM     runs a sample as ranks 0 and 1. Each must succeed; only the user can read its file.
set -euo pipefail
folder=$(mktemp -d)
first=
trap 'rm -rf "$folder"; [[ -z $first ]] || kill "$first" 2>/dev/null || true' EXIT
umask 000
touch "$folder/root.part"
code=0
timeout 20 "$1" 0 "$folder/root" 2>/dev/null || code=$?
[[ $code == 1 ]] || { echo "the program writes to a file of others"; exit 1; }
rm "$folder/root.part"
"$1" 0 "$folder/root" &
first=$!
until [[ -e $folder/root ]]; do kill -0 "$first"; sleep 0.02; done
[[ $(stat -c %a "$folder/root") == 600 ]] || { echo "others can read the root information"; exit 1; }
"$1" 1 "$folder/root"
wait "$first"
first=
[[ -z $(ls -A "$folder") ]] || { echo "the program leaves files"; exit 1; }
