#!/usr/bin/env bash
# ./dev paddle [--all] | bench [RUNS] | install | build: the PaddlePaddle plug-in, with PaddlePaddle in virtual
# environments below build/paddle.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"

pinned=3.3.1
older=(3.2.2 3.0.0)
plugin=build/paddle/plugins/paddle/plugin
tests=plugins/paddle/tests/python

python_of() { printf '%s/build/paddle/venv-%s/bin/python' "$PWD" "$1"; }

# install VERSION: a virtual environment with that release; ends with 77 where it cannot be had.
install() {
    local version=$1 folder=build/paddle/venv-$1
    [[ -f $folder/complete ]] && return 0
    say "installing paddlepaddle $version (about 200 MB to fetch, 900 MB on the disk)"
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir "paddlepaddle==$version" || {
        echo "paddle: pip cannot install paddlepaddle $version for $("$folder/bin/python" --version) on $(uname -m)" >&2
        return 77
    }
    touch "$folder/complete"
}

include_of() { "$(python_of "$1")" -c 'import importlib.util as u; print(u.find_spec("paddle").submodule_search_locations[0] + "/include")'; }

build_plugin() {
    mkdir -p build/paddle
    cmake --preset paddle -DPORTACL_PADDLE_PYTHON="$(python_of "$pinned")" >build/paddle/configure.log 2>&1 || {
        cat build/paddle/configure.log
        die "cmake --preset paddle failed"
    }
    cmake --build build/paddle
    python3 tools/paddle_slots.py check "$pinned" "$(include_of "$pinned")"
}

case ${1-} in
install) install "$pinned" ;;
build) build_plugin ;;
bench)
    install "$pinned"
    build_plugin
    shift
    "$(python_of "$pinned")" plugins/paddle/bench/bench.py build/paddle/plugins/paddle "$@"
    ;;
'' | --all)
    tools/setup.sh
    install "$pinned"
    build_plugin
    say "PaddlePaddle $pinned"
    ctest --test-dir build/paddle -L '^paddle$' --no-tests=error --output-on-failure -j "$(nproc)"
    if [[ ${1-} == --all ]]; then
        for version in "${older[@]}"; do
            install "$version"
            say "PaddlePaddle $version, with the same binary"
            python3 tools/paddle_slots.py check "$version" "$(include_of "$version")"
            PORTACL_BACKEND=cpu PORTACL_TEST_STRANGER=$PWD/build/paddle/plugins/paddle/portacl_paddle_stranger \
                "$(python_of "$version")" "$tests/run.py" "$plugin" --strict
        done
    fi
    say "the plug-in: $plugin/libpaddle-portacl.so"
    ;;
*) die "paddle: unknown argument '$1'" ;;
esac
