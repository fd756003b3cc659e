#!/usr/bin/env bash
# ./dev gpu --try: runs the pack like a machine with a GPU, on the driver's test double: a copy of the folder, nothing
# else of this tree, no cargo, no network, with 8 and with 32 hardware queues. Takes minutes. The results say nothing about a GPU, so they are not kept.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"

pack=$PWD/build/gpu-pack
double=$PWD/build/gpu/tests/fake_cuda/lib
check=$PWD/tools/gpu_check.py
tools=$PWD/tools/gpu
[[ -x $pack/run ]] || die "there is no pack: ./dev gpu"
[[ -e $double/libcuda.so.1 ]] || die "there is no test double in $double: ./dev gpu builds it"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
# One test checks the driver as a user other than root.
chmod 755 "$place"
mkdir "$place/bin"
cp -r "$pack" "$place/pack"
cp -rL "$double" "$place/driver"

cat >"$place/bin/nvidia-smi" <<'SCRIPT'
#!/bin/sh
echo "stand-in, 13.0"
SCRIPT
# Ignores its options, and runs the program directly.
cat >"$place/bin/compute-sanitizer" <<'SCRIPT'
#!/bin/sh
while true; do
    case $1 in
    --tool | --report-api-errors | --error-exitcode) shift 2 ;;
    *) break ;;
    esac
done
exec "$@"
SCRIPT
chmod +x "$place/bin"/*

# Only what every system has: a pack that needs more fails. One device, as on most machines with a GPU.
alone=(env -i "HOME=$place" "PATH=$place/bin:/usr/bin:/bin" "LD_LIBRARY_PATH=$place/driver" FAKE_CUDA_STRICT=1
    "FAKE_CUDA_DEVICES=${FAKE_CUDA_DEVICES-1}" BENCH_CUDA_LARGEST=1048576)
# No network but the loopback, by which ranks of collectives reach each other.
loopback='import fcntl, os, socket, struct, sys
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh", b"lo", 0x41))  # SIOCSIFFLAGS: up, running
os.execvp(sys.argv[1], sys.argv[1:])'
if unshare --net true 2>/dev/null; then alone=(unshare --net python3 -c "$loopback" "${alone[@]}"); fi
"${alone[@]}" sh -c '! command -v cargo' >/dev/null || die "cargo is in /usr/bin: this would prove nothing"

# What a context costs on a card (docs/gpu): a quarter of a second with 8 queues, a second with 32.
run() {
    local queues=$1 cost=$2
    shift 2
    (cd "$place/pack" && "${alone[@]}" "CUDA_DEVICE_MAX_CONNECTIONS=$queues" "FAKE_CUDA_CONTEXT_MS=$cost" "$@")
}
(cd "$place/pack" && "${alone[@]}" python3 "$tools/hang_test.py")
jobs=${PORTACL_TRY_JOBS-$(nproc)} status=0
mkdir -p build/gpu-try
for queues in ${PORTACL_TRY_QUEUES-8 32}; do
    say "$queues hardware queues"
    ((queues == 8)) && cost=250 || cost=1000
    # As on a card: in two calls, of which the first one is stopped by its time.
    run "$queues" "$cost" ./run --jobs "$jobs" --minutes "${PORTACL_TRY_MINUTES-4}" "$place/results-$queues" || true
    run "$queues" "$cost" ./run --jobs "$jobs" "$place/results-$queues" || status=$?
    rm -rf "build/gpu-try/results-$queues"
    cp -r "$place/results-$queues" "$place/results-$queues.tar.gz" build/gpu-try/
    ((status == 0)) || echo "the logs are in build/gpu-try/results-$queues"
    python3 "$check" "$pack" "$place/results-$queues" "$place/results-$queues.tar.gz" "$jobs" || status=1
done
((status == 0)) || die "the pack failed"
