#!/usr/bin/env bash
# Installs portacl in a folder, and says what the programs of a CI job need. The action calls it; so can other services:
#
#   eval "$(integrations/packaging/action/install.sh)"
#
# usage: install.sh [plan]      plan: only says which folder it fills, under which key a cache may keep that folder, and
#                               whether it has to build
#
# PORTACL_INPUT_PACKAGE   what a release has, in place of a build: an archive, a wheel, or Debian packages, as files or
#                         addresses, separated by spaces or lines. A wheel is installed by `python3 -m pip`
# PORTACL_INPUT_SHA256    what sha256sum says about these, in their order; empty: they are not compared
# PORTACL_INPUT_DEVICES   how many devices programs see (1)
# PORTACL_INPUT_SOC       the name of the processor that programs see
# RUNNER_TEMP             where the folder is (build/action)
#
# The variables are written where GITHUB_ENV and GITHUB_PATH say, or to standard output, for a shell.
set -euo pipefail
(($# == 0)) || [[ $* == plan ]] || { echo "action: unknown argument in '$*'; it takes: plan" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
temp=${RUNNER_TEMP:-$root/build/action}
folder=$temp/portacl
read -rd '' -a packages <<<"${PORTACL_INPUT_PACKAGE-}" || true
read -rd '' -a sums <<<"${PORTACL_INPUT_SHA256-}" || true

# Names the contents of the folder: what is in it depends on nothing else.
key() {
    local package
    if ((${#packages[@]})); then
        # Other sums are other packages: those of an earlier run were not compared with them.
        {
            printf '%s\n' "${sums[@]}"
            for package in "${packages[@]}"; do
                if [[ -f $package ]]; then sha256sum <"$package"; else echo "$package"; fi
            done
        } | sha256sum | cut -c-16
        return
    fi
    (
        cd "$root"
        find Cargo.* CMakeLists.txt build.rs cmake include src integrations programs tools/companions.py -type f \
            ! -path '*/packaging/*' ! -name '*.pyc' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
        c++ -dumpfullversion 2>/dev/null || true
        ldd --version 2>/dev/null | head -n 1 || true
    ) | sha256sum | cut -c-16
}

# fetch PACKAGE SUM: prints the file; an address is fetched.
fetch() {
    local file=$1
    if [[ $1 == *://* ]]; then
        file=$temp/portacl-fetched/${1##*/}
        mkdir -p "${file%/*}"
        curl --proto '=https,file' --fail --silent --show-error --location --output "$file" "$1"
    fi
    [[ -f $file ]] || { echo "action: package is $file; allowed: a file that exists, or an address. Correct it." >&2; return 1; }
    if [[ -n $2 ]] && [[ $(sha256sum <"$file") != "$2 "* ]]; then
        echo "action: sha256 of $1 is $(sha256sum <"$file" | cut -d' ' -f1); allowed: $2. Fetch it again, or correct the sum." >&2
        return 1
    fi
    echo "$file"
}

unpack() {
    local at file
    for at in "${!packages[@]}"; do
        file=$(fetch "${packages[at]}" "${sums[at]-}")
        echo "action: unpacking ${file##*/}"
        case $file in
        *.tar.gz) tar -xzf "$file" -C "$folder" --strip-components=1 ;;
        *.deb) dpkg-deb --extract "$file" "$folder" ;;
        *.whl) cp "$file" "$folder" ;;
        *) echo "action: package is ${file##*/}; allowed: .tar.gz, .deb, .whl. Pass what a release has." >&2; return 1 ;;
        esac
    done
}

build() {
    export RUSTUP_TOOLCHAIN
    RUSTUP_TOOLCHAIN=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml").0
    PATH=$HOME/.cargo/bin:$PATH
    # A cache of the program's own may keep this folder, too.
    local target=${PORTACL_CARGO_TARGET_DIR:-$temp/portacl-build/cargo}
    "$root/dev" setup build
    cmake -S "$root" -B "$temp/portacl-build" -G Ninja -DCMAKE_BUILD_TYPE="${CMAKE_BUILD_TYPE:-Release}" \
        -DPORTACL_COMPAT_LAYOUT=ON -DPORTACL_BUILD_SAMPLES=OFF -DPORTACL_CXX=OFF -DPORTACL_CARGO_TARGET_DIR="$target"
    cmake --build "$temp/portacl-build"
    cmake --install "$temp/portacl-build" --prefix "$folder"
}

# give NAME VALUE: to the steps that follow, or to a shell.
give() {
    export "$1=$2"
    if [[ -n ${GITHUB_ENV-} ]]; then echo "$1=$2" >>"$GITHUB_ENV"; else printf 'export %s=%q\n' "$1" "$2"; fi
}

# prepend NAME FOLDER: each folder once, and no empty one.
prepend() {
    local part value=$2
    local -a parts
    IFS=: read -ra parts <<<"${!1-}"
    for part in "${parts[@]}"; do [[ -z $part || $part == "$2" ]] || value+=:$part; done
    give "$1" "$value"
}

output() { [[ -z ${GITHUB_OUTPUT-} ]] || echo "$1=$2" >>"$GITHUB_OUTPUT"; }

# one NAME: the folder of a file of this name, or nothing.
one() { find "$folder" -name "$1" -printf '%h\n' -quit; }

variables() {
    local found wheel home
    home=$(one set_env.sh)
    if [[ -n $home ]]; then
        give ASCEND_HOME_PATH "$home"
        give ASCEND_TOOLKIT_HOME "$home"
        [[ ! -d $home/opp ]] || give ASCEND_OPP_PATH "$home/opp"
        prepend LD_LIBRARY_PATH "$home/lib64"
        output home "$home"
    fi
    # find_package, pkg-config, import acl, portacl-info.
    found=$(one portaclConfig.cmake)
    [[ -z $found ]] || give portacl_DIR "$found"
    found=$(one portacl.pc)
    [[ -z $found ]] || prepend PKG_CONFIG_PATH "$found"
    found=$(one _library.py)
    [[ -z $found ]] || prepend PYTHONPATH "${found%/*}"
    found=$(one portacl-info)
    if [[ -z $found ]]; then :; elif [[ -n ${GITHUB_PATH-} ]]; then echo "$found" >>"$GITHUB_PATH"; else prepend PATH "$found"; fi
    for wheel in "$folder"/*.whl; do
        [[ -f $wheel ]] || continue
        python3 -m pip install --quiet --disable-pip-version-check --no-deps "$wheel" >&2
        while IFS== read -r found home; do
            if [[ $found == LD_LIBRARY_PATH ]]; then prepend "$found" "${home%%:*}"; else give "$found" "$home"; fi
        done < <(python3 -m portacl env | sed 's/^export //')
    done
    give PORTACL_BACKEND cpu
    give PORTACL_CPU_DEVICES "${PORTACL_INPUT_DEVICES:-1}"
    [[ -z ${PORTACL_INPUT_SOC-} ]] || give PORTACL_SOC_NAME "$PORTACL_INPUT_SOC"
}

key=$(key)
output folder "$folder"
output key "portacl-$(uname -m)-$key"
output build "$( ((${#packages[@]})) && echo false || echo true)"
[[ ${1-} != plan ]] || exit 0
if [[ $(cat "$folder/.key" 2>/dev/null) == "$key" ]]; then
    echo "action: $folder has what is needed" >&2
else
    rm -rf "$folder"
    mkdir -p "$folder"
    if ((${#packages[@]})); then unpack >&2; else build >&2; fi
    if [[ -z $(one 'libportacl*')$(one '*.whl') ]]; then
        echo "action: package is ${packages[*]}; allowed: what contains portacl. Pass what a release has." >&2
        exit 1
    fi
    echo "$key" >"$folder/.key"
fi
output folder "$folder"
variables
