# Another user runs the suite in a clone whose folder's name has a space and the word portacl, with an unusual home, folder
# for temporary files, locale and umask. As root this is a user without a name; otherwise the same user.
# PORTACL_OTHER_USER_RUNS: what runs there; without it, the tests of ./dev test that fetch nothing.
repair="let the test use folders, names and rights of its own (cpp_tests/support)"
check() {
    local work copy locale sysroot as_user=() runs
    runs=${PORTACL_OTHER_USER_RUNS-./dev test rust fake-cuda cpu cpu-async cuda-fake}
    work=$(mktemp -d "${TMPDIR:-/tmp}/other user.XXXXXX")
    # shellcheck disable=SC2064
    trap "rm -rf '$work'" EXIT
    copy="$work/a portacl clone"
    mkdir -p "$copy" "$work/a home/.cargo" "$work/temporary files"
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -P -t "$copy"
    (cd "$copy" && git init -q && git add -A)
    # The user has no toolchain and fetches nothing: both come from this user, whose folders may be closed.
    sysroot=$(rustc --print sysroot)
    if [[ -d ${CARGO_HOME:-$HOME/.cargo}/registry ]]; then cp -r "${CARGO_HOME:-$HOME/.cargo}/registry" "$work/a home/.cargo/"; fi
    locale=$(locale -a | grep -viE '^(C|POSIX|en)' | head -n 1 || true)
    export HOME="$work/a home" TMPDIR="$work/temporary files" LC_ALL=${locale:-C.UTF-8}
    export CARGO_HOME="$HOME/.cargo" CARGO_NET_OFFLINE=true
    unset RUSTUP_HOME RUSTUP_TOOLCHAIN
    if ((EUID == 0)); then
        command -v setpriv >/dev/null || { echo "as root it needs setpriv"; return 77; }
        unshare -m true 2>/dev/null || { echo "as root it needs a mount namespace, to show the toolchain"; return 77; }
        as_user=(setpriv --reuid=65533 --regid=65533 --clear-groups)
        chown -R 65533:65533 "$work"
    fi
    mkdir -p "$work/rust"
    # shellcheck disable=SC2016
    local script='
        set -euo pipefail
        if ((EUID == 0)); then mount --make-rprivate / && mount --bind "$1" "$2"; else rmdir "$2" && ln -s "$1" "$2"; fi
        runs=$3 copy=$4
        export PATH="$2/bin:$PATH"
        shift 4
        cd "$copy"
        umask 077
        exec "$@" bash -euo pipefail -c "$runs"'
    local namespace=()
    ((EUID != 0)) || namespace=(unshare -m)
    "${namespace[@]}" bash -c "$script" other-user "$sysroot" "$work/rust" "$runs" "$copy" "${as_user[@]}"
}
sabotage() { sed -i 's/folder_ = name;/folder_ = "\/root\/raised"; fs::create_directory(folder_);/' cpp_tests/process/guest/raised_privileges_test.cpp; }
