#!/usr/bin/env bash
# ./dev demo: builds the library without link-time optimization and runs a sample.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"
accept demo "$@"

backend=cpu sample=01_device_memory status=0
case ${1-} in
race) sample=22_explore ;;
cpu | cuda)
    backend=$1
    shift
    ;;
esac
say "building the library and the sample; the first time this takes minutes, and cargo prints each crate"
began=$SECONDS
build demo --target "sample_$sample"
say "built in $((SECONDS - began)) s"
if [[ ${1-} == race ]]; then
    say "samples/$sample.cpp under PORTACL_CHECK=races: the report names both calls of a race that the sample has"
    PORTACL_BACKEND=cpu PORTACL_CHECK=races PORTACL_CHECK_EXIT=99 "build/demo/samples/$sample" faulty || status=$?
    ((status == 99)) || die "demo race: the sample ended with $status instead of 99, the status of a program with a report"
    exit 0
fi
say "samples/$sample.cpp on $backend"
PORTACL_BACKEND=$backend "build/demo/samples/$sample" "$@"
