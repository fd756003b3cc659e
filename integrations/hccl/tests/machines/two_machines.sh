#!/usr/bin/env bash
# usage: two_machines.sh RANKS COMMAND...     runs COMMAND as RANKS ranks on each of two machines, which are network
# namespaces that a cable joins. Each rank has RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, as of torch's
# launcher, and SHARED_FOLDER, a folder of all ranks. All must succeed. Skipped (77) where the kernel refuses namespaces.
set -euo pipefail
here=10.77.0.1 there=10.77.0.2
if [[ ${PORTACL_TEST_INSIDE-} != 1 ]]; then
    # The processes end with this one.
    options=(--net --pid --fork --kill-child --mount-proc)
    ((EUID == 0)) || options+=(--user --map-root-user)
    if ! why=$(unshare "${options[@]}" ip link add left type veth peer name right 2>&1); then
        echo "skipped: no network namespaces with a cable between them: $why"
        exit 77
    fi
    PORTACL_TEST_INSIDE=1 exec unshare "${options[@]}" "$0" "$@"
fi
ranks=$1
shift
SHARED_FOLDER=$(mktemp -d)
export SHARED_FOLDER
trap 'rm -rf "$SHARED_FOLDER"' EXIT
# The other machine lives as long as this process.
unshare --net sleep infinity &
other=$!
own=$(readlink /proc/self/ns/net)
until of_other=$(readlink "/proc/$other/ns/net") && [[ -n $of_other && $of_other != "$own" ]]; do sleep 0.01; done
there() { nsenter --target "$other" --net "$@"; }
ip link add left type veth peer name right netns "$other"
ip address add "$here/24" dev left
ip link set left up
ip link set lo up
there ip address add "$there/24" dev right
there ip link set right up
there ip link set lo up

export WORLD_SIZE=$((2 * ranks)) MASTER_ADDR=$here MASTER_PORT=29500 OMP_NUM_THREADS=1
processes=()
for ((rank = 0; rank < WORLD_SIZE; rank++)); do
    machine=
    ((rank < ranks)) || machine=there
    RANK=$rank LOCAL_RANK=$((rank % ranks)) $machine "$@" >"$SHARED_FOLDER/log.$rank" 2>&1 &
    processes+=($!)
done
status=0
for rank in "${!processes[@]}"; do
    code=0
    wait "${processes[rank]}" || code=$?
    ((code == 0)) && continue
    echo "rank $rank of $WORLD_SIZE ended with $code:"
    cat "$SHARED_FOLDER/log.$rank"
    ((code == 77 && status != 1)) || code=1
    status=$code
done
kill "$other"
((status != 0)) || cat "$SHARED_FOLDER/log.0"
exit "$status"
