#!/usr/bin/env bash
# ./dev bench: measures, and writes docs/benchmarks.md.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"

work=build/bench
mkdir -p "$work" docs
say "sizes"
cp build/release/lib/libportacl.a "$work/libportacl.a"
strip --strip-unneeded "$work/libportacl.a"
cp build/release/lib/libportacl.so "$work/libportacl.so"
strip --strip-unneeded "$work/libportacl.so"
cp build/release/benches/bench_small_program "$work/small_program"
strip "$work/small_program"
rustc --edition 2024 -Copt-level=2 -Clto=fat -Ccodegen-units=1 --crate-type staticlib \
    benches/rust_floor.rs -o "$work/librust_floor.a"
c++ -O2 benches/rust_floor.cpp "$work/librust_floor.a" -Wl,--gc-sections -lpthread -ldl -o "$work/rust_floor"
strip "$work/rust_floor"
# What is weighed has to work.
"$work/rust_floor"
PORTACL_BACKEND=cpu "$work/small_program"
stat -c '%s %n' "$work"/libportacl.a "$work"/libportacl.so "$work"/small_program "$work"/rust_floor

say "calls"
PORTACL_BACKEND=cpu build/release/benches/bench_entry | tee "$work/entry.json"

python3 tools/bench_report.py "$work" >docs/benchmarks.md.new
mv docs/benchmarks.md.new docs/benchmarks.md
say "docs/benchmarks.md is written"
