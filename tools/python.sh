#!/usr/bin/env bash
# tools/python.sh install | run PROGRAM...: NumPy and mypy from PyPI in a virtual environment, for the tests of the Python
# module acl. Without them its other tests run.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"

packages=(numpy mypy)
venv=$PWD/build/python/venv
# Wheels stay here: another clone needs not fetch them again.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/portacl/wheels

# Exits with 77 if PyPI cannot be reached.
install() {
    [[ -f $venv/complete ]] && return 0
    rm -rf "$venv"
    mkdir -p "$cache"
    if ! python3 -m venv "$venv"; then
        echo "python: python3 has no venv; ./dev setup installs it" >&2
        return 77
    fi
    local pip=("$venv/bin/pip" --quiet --disable-pip-version-check)
    if ! "${pip[@]}" install --no-index --find-links "$cache" "${packages[@]}" 2>/dev/null; then
        say "fetching ${packages[*]}: 35 MB into $cache"
        if ! "${pip[@]}" download --only-binary=:all: --dest "$cache" "${packages[@]}"; then
            echo "python: pip cannot fetch ${packages[*]}; this needs the network" >&2
            rm -rf "$venv"
            return 77
        fi
        "${pip[@]}" install --no-index --find-links "$cache" "${packages[@]}"
    fi
    touch "$venv/complete"
}

case ${1-} in
install) install ;;
run)
    shift
    python=python3
    [[ ! -f $venv/complete ]] || python=$venv/bin/python
    exec "$python" "$@"
    ;;
*) die "python: unknown argument '${1-}'" ;;
esac
