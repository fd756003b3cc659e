# Every command of ./dev starts with tools/setup.sh, so that a fresh machine needs no other step. The commands are
# those that ./dev help lists; here their scripts are stubs.
repair="begin the command with tools/setup.sh (dev)"
check() {
    local folder command status=0 commands arguments first
    folder=$(mktemp -d)
    trap "rm -rf '$folder'" EXIT
    mkdir "$folder/tools"
    cp dev "$folder"
    printf '#!/bin/sh\necho "setup $*"\nexit 3\n' >"$folder/tools/setup.sh"
    chmod +x "$folder/tools/setup.sh"
    mapfile -t commands < <(./dev help | sed -n 's/^  \([a-z]\+\) .*/\1/p')
    ((${#commands[@]} >= 12)) || { echo "./dev help lists only ${#commands[@]} commands"; return 1; }
    for command in "${commands[@]}"; do
        # Arguments are refused before the set-up, also their lack.
        arguments=()
        [[ $command != replay ]] || arguments=(LOG)
        first=$("$folder/dev" "$command" "${arguments[@]}" 2>&1) && status=1
        case $command:$first in
        demo:"setup build" | test:"setup test" | [!dtr]*:"setup " | replay:"setup " | release:"setup release" | torch:"setup " | docs:"setup ") ;;
        *)
            echo "./dev $command does not start with tools/setup.sh, or goes on when it fails; it prints: $first"
            status=1
            ;;
        esac
    done
    return "$status"
}
sabotage() { sed -i 's|^        tools/setup.sh$|        :|' dev; }
