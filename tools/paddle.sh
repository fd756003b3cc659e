#!/usr/bin/env bash
# ./dev paddle [--all] | bench [RUNS] | sweep | install | build: the PaddlePaddle plug-in, with PaddlePaddle in virtual
# environments below build/paddle.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"
accept paddle "$@"

pinned=3.3.1
older=(3.2.2 3.0.0)
plugin=build/paddle/integrations/paddle/plugin
tests=integrations/paddle/tests/python

python_of() { printf '%s/build/paddle/venv-%s/bin/python' "$PWD" "$1"; }

# install VERSION: a virtual environment with that release; exits with 77 if it is not available. Each release has
# wheels for some versions of Python only.
install() {
    local version=$1 folder=build/paddle/venv-$1 python tried=""
    [[ -f $folder/complete ]] && return 0
    say "installing paddlepaddle $version (about 200 MB to fetch, 900 MB on the disk)"
    for python in python3 python3.12 python3.11 python3.10 python3.9; do
        "$python" -c 'import venv' 2>/dev/null || continue
        rm -rf "$folder"
        "$python" -m venv "$folder"
        if "$folder/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir "paddlepaddle==$version"; then
            touch "$folder/complete"
            return 0
        fi
        tried+="${tried:+, }$("$folder/bin/python" --version)"
    done
    rm -rf "$folder"
    echo "paddle: pip cannot install paddlepaddle $version on $(uname -m) for ${tried:-any Python: there is none with venv}." \
        "It needs the network, and a Python that https://pypi.org/project/paddlepaddle/$version/#files has a file for." >&2
    return 77
}

include_of() { "$(python_of "$1")" -c 'import importlib.util as u; print(u.find_spec("paddle").submodule_search_locations[0] + "/include")'; }

# conforms VERSION: the plug-in's table for that release matches its headers.
conforms() {
    local include
    include=$(include_of "$1")
    python3 tools/paddle_slots.py check "$1" "$include"
    g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -DPORTACL_PADDLE_HEADER -Iinclude -Iintegrations/paddle/src -isystem "$include" \
        integrations/paddle/src/base/conformance.cpp
}

build_plugin() {
    mkdir -p build/paddle
    cmake --preset paddle -DPORTACL_PADDLE_PYTHON="$(python_of "$pinned")" >build/paddle/configure.log 2>&1 || {
        cat build/paddle/configure.log
        die "cmake --preset paddle failed"
    }
    cmake --build build/paddle
    conforms "$pinned"
}

case ${1-} in
install) install "$pinned" ;;
build) build_plugin ;;
bench)
    install "$pinned"
    build_plugin
    shift
    "$(python_of "$pinned")" integrations/paddle/bench/bench.py build/paddle/integrations/paddle "${1-9}" docs/paddle.md
    ;;
sweep)
    install "$pinned"
    build_plugin
    tables=()
    for mode in cpu "cpu, guard mode" "cuda, stand-in for the driver"; do
        say "every function beside the CPU: $mode"
        settings=(PORTACL_BACKEND=cpu)
        [[ $mode != *guard* ]] || settings+=(PORTACL_CPU_GUARD=1)
        [[ $mode != cuda* ]] || settings=(PORTACL_BACKEND=cuda LD_LIBRARY_PATH="$PWD/build/paddle/tests/fake_cuda/lib")
        results=build/paddle/sweep-$((${#tables[@]})).json
        env "${settings[@]}" "$(python_of "$pinned")" integrations/paddle/tests/sweep/sweep.py "$plugin" --strict --json "$results"
        tables+=("$mode=$results")
    done
    python3 integrations/paddle/tests/sweep/table.py docs/paddle_results.md "${tables[@]}"
    ;;
'' | --all)
    install "$pinned"
    build_plugin
    say "PaddlePaddle $pinned"
    ctest --test-dir build/paddle -L '^paddle$' --no-tests=error --output-on-failure -j "$(nproc)"
    if [[ ${1-} == --all ]]; then
        for version in "${older[@]}"; do
            install "$version"
            say "PaddlePaddle $version, with the same binary"
            conforms "$version"
            for mode in "" PORTACL_CPU_ASYNC=always PORTACL_CPU_GUARD=1; do
                printf '%s\n' "${mode:-as it is}"
                env ${mode:+"$mode"} PORTACL_BACKEND=cpu \
                    PORTACL_TEST_STRANGER="$PWD/build/paddle/integrations/paddle/portacl_paddle_stranger" \
                    "$(python_of "$version")" "$tests/run.py" "$plugin" --strict
            done
        done
    fi
    say "the plug-in: $plugin/libpaddle-portacl.so"
    ;;
*) die "paddle: unknown argument '$1'" ;;
esac
