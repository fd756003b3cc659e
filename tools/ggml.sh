#!/usr/bin/env bash
# ./dev ggml | install | build: ggml's backend for Ascend devices, unmodified from the source distribution of
# llama-cpp-python on PyPI, on the operators of ./dev torch. Its tests have the label ggml.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"
accept ggml "$@"

release=0.3.36
venv=$PWD/build/torch/venv-2.7.1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/portacl/sources
archive=$cache/llama_cpp_python-$release.tar.gz
folder=$PWD/build/ggml
sources=$folder/llama_cpp_python-$release/vendor/llama.cpp

# Exits with 77 if torch or the sources cannot be had.
install() {
    tools/torch.sh install || return
    if [[ ! -f $archive ]]; then
        say "fetching llama-cpp-python $release: 77 MB into $cache"
        mkdir -p "$cache"
        # pip asks the package's build for its metadata.
        if ! "$venv/bin/pip" install --quiet --disable-pip-version-check scikit-build-core==1.1.2 ||
            ! "$venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary :all: --no-build-isolation \
                --dest "$cache" "llama-cpp-python==$release"; then
            echo "ggml: pip cannot fetch llama-cpp-python $release; this needs the network" >&2
            return 77
        fi
    fi
    if [[ ! -f $sources/CMakeLists.txt ]]; then
        mkdir -p "$folder"
        tar -xzf "$archive" -C "$folder" "llama_cpp_python-$release/vendor"
    fi
}

build_client() {
    tools/torch.sh build
    cmake -DPORTACL_COMPAT_LAYOUT=ON build/torch >"$folder/layout.log"
    cmake --build build/torch
    cmake --install build/torch --prefix "$folder/portacl" >"$folder/install.log"
    local torch
    torch=$(echo "$venv"/lib/python3*/site-packages/torch/lib)
    cmake -S integrations/operators/tests/ggml -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DPython3_EXECUTABLE="$venv/bin/python" -DLLAMA_CPP="$sources" -DCANN_INSTALL_DIR="$folder/portacl/ascend" \
        -DPORTACL_TORCH_LIB="$torch" >"$folder/configure.log" 2>&1 || {
        cat "$folder/configure.log"
        die "ggml is not configured"
    }
    cmake --build "$folder"
}

case ${1-} in
install) install ;;
build) build_client ;;
'')
    install
    build_client
    ctest --test-dir "$folder" -L '^ggml$' --no-tests=error --output-on-failure -j "$(nproc)"
    ;;
*) die "ggml: unknown argument '$1'" ;;
esac
