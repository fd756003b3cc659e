#!/bin/sh
# Runs programs under the checks, which have nothing to report. usage: checks.sh PROGRAM...
status=0
for program in "$@"; do
    if ! output=$(PORTACL_CHECK=all PORTACL_CHECK_EXIT=99 "$program" 2>&1); then
        printf '%s\n%s failed\n' "$output" "$program"
        status=1
    fi
done
exit $status
