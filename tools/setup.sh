#!/usr/bin/env bash
# Installs what this machine lacks, and prints what it does. It asks nothing, and is quick if nothing is missing.
#
# usage: setup.sh [build|test|release] [--list]     build: only what the build needs, test: what ./dev test needs too,
#                                                   otherwise also what checks and benchmarks need; release: all of it,
#                                                   and on Debian what makes packages for aarch64 and images
#                                                   --list: prints the needed commands, installs nothing
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$HOME/.cargo/bin:$PATH"

# The commands that the scripts and cpack call, and their Debian packages.
needed=(git:git curl:curl gcc:build-essential g++:build-essential make:build-essential cmake:cmake ninja:ninja-build
    python3:python3 file:file)
tests=1 checks=1 release=0
case ${1-} in
build) tests=0 checks=0 ;;
test) checks=0 ;;
release) release=1 ;;
*) set -- all "$@" ;;
esac
shift
((tests == 0)) || needed+=(pkg-config:pkg-config)
((checks == 0)) || needed+=(clang-format:clang-format doxygen:doxygen codespell:codespell cloc:cloc valgrind:valgrind
    gdb:gdb)
if ((release)) && grep -q '^ID=debian' /etc/os-release; then
    needed+=(dpkg-scanpackages:dpkg-dev mmdebstrap:mmdebstrap umoci:umoci slirp4netns:slirp4netns)
    [[ $(uname -m) == aarch64 ]] || needed+=(aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu aarch64-linux-gnu-g++:g++-aarch64-linux-gnu
        qemu-aarch64:qemu-user)
fi
if (($# > 1)) || [[ ${1-} != "" && ${1-} != --list ]]; then
    echo "setup: unknown argument in '$*'; it takes: build, test, release, --list" >&2
    exit 2
fi
if [[ ${1-} == --list ]]; then
    printf '%s\n' "${needed[@]%%:*}"
    exit
fi
packages=()
for entry in "${needed[@]}"; do
    command -v "${entry%%:*}" >/dev/null || packages+=("${entry#*:}")
done
if ((tests)); then
    [[ -f /usr/include/gtest/gtest.h || -f /usr/local/include/gtest/gtest.h ]] || packages+=(libgtest-dev)
    # What moves data between ranks is tested where it is.
    if [[ ! -f /usr/include/gloo/transport/unbound_buffer.h ]] && grep -q '^ID=debian' /etc/os-release; then
        packages+=(libgloo-dev)
    fi
    [[ -f /usr/include/nlohmann/json.hpp || -f /usr/local/include/nlohmann/json.hpp ]] || packages+=(nlohmann-json3-dev)
fi
if ((checks)); then
    python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv)
    # Benchmarks of peers are compiled by every test of the package, so that ./dev bench finds them in order.
    [[ -f /usr/include/tbb/blocked_range.h ]] || packages+=(libtbb-dev)
    [[ -f /usr/include/jemalloc/jemalloc.h ]] || packages+=(libjemalloc-dev)
    [[ -f /usr/include/CL/cl.h ]] || packages+=(opencl-headers ocl-icd-opencl-dev)
    # Only the check of the site needs it, and is skipped without it. Other systems than Debian have no such package.
    if ! command -v chromium >/dev/null && grep -q '^ID=debian' /etc/os-release; then
        if ((EUID == 0)) || command -v sudo >/dev/null; then
            echo "setup: chromium, for the check of the site, is 124 MB"
            packages+=(chromium)
        fi
    fi
fi
[[ -e /etc/ssl/certs/ca-certificates.crt ]] || packages+=(ca-certificates)

if ((${#packages[@]})); then
    mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
    as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || {
            echo "setup: missing: ${packages[*]}. Neither root nor sudo: install them, then run this again." >&2
            exit 1
        }
        as_root=(sudo)
    fi
    command -v apt-get >/dev/null || {
        echo "setup: missing: ${packages[*]} (Debian's names). No apt-get here: install them, then run this again." >&2
        exit 1
    }
    echo "setup: apt-get install ${packages[*]}"
    "${as_root[@]}" apt-get update -qq </dev/null
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq -o DPkg::Lock::Timeout=600 --no-install-recommends "${packages[@]}" </dev/null >/dev/null
fi

# Debian's Rust is too old. Cargo.toml names the oldest usable version. RUSTUP_TOOLCHAIN is rustup's own variable, by which
# recipes name one version.
toolchain=${RUSTUP_TOOLCHAIN-stable}
wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
new_enough() {
    local have
    have=$(rustc --version 2>/dev/null | cut -d' ' -f2) || return 1
    [[ -n $have && $(printf '%s\n' "$wanted" "$have" | sort -V | head -1) == "$wanted" ]]
}
if ! command -v cargo >/dev/null || ! new_enough; then
    if command -v rustup >/dev/null; then
        echo "setup: rustup toolchain install $toolchain (Rust $wanted or later is needed)"
        rustup toolchain install "$toolchain" --profile minimal --no-self-update </dev/null
        # For this folder: other projects of the user keep their toolchain.
        rustup override set "$toolchain" </dev/null
    else
        echo "setup: installing Rust by rustup (Rust $wanted or later is needed)"
        # The program that https://sh.rustup.rs fetches, without that host. Networks with a mirror of Rust name it in
        # RUSTUP_UPDATE_ROOT, as rustup's users do.
        installer=$(mktemp -d)
        trap 'rm -rf "$installer"' EXIT
        curl --proto '=https' --tlsv1.2 -sSf -o "$installer/rustup-init" \
            "${RUSTUP_UPDATE_ROOT:-https://static.rust-lang.org/rustup}/dist/$(uname -m)-unknown-linux-gnu/rustup-init"
        chmod +x "$installer/rustup-init"
        "$installer/rustup-init" -y --profile minimal --default-toolchain "$toolchain" --no-modify-path
    fi
    hash -r
    new_enough || { echo "setup: rustc is still older than $wanted: $(rustc --version)" >&2; exit 1; }
fi
for component in rustfmt clippy; do
    ((checks)) || continue
    if ! cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1; then
        echo "setup: rustup component add $component"
        rustup component add "$component" </dev/null
    fi
done
aarch64=aarch64-unknown-linux-gnu
if ((release)) && [[ ! -d $(rustc --print target-libdir --target "$aarch64") ]]; then
    echo "setup: rustup target add $aarch64"
    rustup target add "$aarch64" </dev/null || echo "setup: it cannot be had; packages for aarch64 are left out"
fi
echo "setup: everything is here ($(rustc --version | cut -d' ' -f1,2), $(cmake --version | head -1), $(g++ --version | head -1))"
