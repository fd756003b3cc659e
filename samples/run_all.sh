#!/bin/sh
# usage: run_all.sh NAME=VALUE... PROGRAM...
# Runs programs with settings, and fails if one fails or the library reports something. That a user may lock little memory
# is a notice about the machine.
while [ "${1#*=}" != "$1" ]; do
    export "$1"
    shift
done
status=0
machine='^portacl: [0-9]* bytes of host memory are not locked in memory'
for program in "$@"; do
    if ! output=$("$program" 2>&1) || printf '%s\n' "$output" | grep -v "$machine" | grep '^portacl: ' >/dev/null; then
        printf '%s\n%s failed\n' "$output" "$program"
        status=1
    fi
done
exit $status
