#!/bin/sh
# usage: run_all.sh NAME=VALUE... PROGRAM...
# Runs programs with settings, and fails if one fails or the library reports something.
while [ "${1#*=}" != "$1" ]; do
    export "$1"
    shift
done
status=0
for program in "$@"; do
    if ! output=$("$program" 2>&1) || printf '%s\n' "$output" | grep '^portacl: ' >/dev/null; then
        printf '%s\n%s failed\n' "$output" "$program"
        status=1
    fi
done
exit $status
