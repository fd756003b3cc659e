#!/usr/bin/env bash
# Replays an allocation log (docs/allocation_log.md) on portacl's pool and on others, prints time, peak and
# fragmentation, and plots reserved memory over time.  usage: tools/replay.sh LOG [PLOT.svg [DEVICE]]
set -euo pipefail
(($# >= 1 && $# <= 3)) || { sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
log=$(realpath "$1")
plot=$(realpath -m "${2-replay.svg}")
source "$(dirname "${BASH_SOURCE[0]}")/../dev"
accept replay "$@"

work=build/bench/replay
mkdir -p "$work"
build release --target bench_replay >build/bench/replay.log || { cat build/bench/replay.log >&2; die "bench_replay was not built"; }
env PORTACL_BACKEND=cpu PORTACL_CPU_MEMORY="${PORTACL_CPU_MEMORY-1T}" \
    build/release/benches/bench_replay "$log" "${3-0}" >"$work/replay.1.json"
python=build/bench/python/bin/python
[[ -x $python ]] || python=python3
"$python" -c 'import matplotlib' 2>/dev/null ||
    die "the plot needs matplotlib: tools/bench_setup.sh installs it in build/bench/python"
"$python" tools/pool_report.py "$work" "$plot"
say "$plot is written"
