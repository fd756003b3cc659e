#!/bin/sh
# Runs programs under the leak check, which ends those that leak. usage: leak_check.sh PROGRAM...
status=0
for program in "$@"; do
    if ! output=$(PORTACL_LEAK_CHECK=abort "$program" 2>&1); then
        printf '%s\n%s failed\n' "$output" "$program"
        status=1
    fi
done
exit $status
