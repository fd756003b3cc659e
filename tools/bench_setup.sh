#!/usr/bin/env bash
# Installs what ./dev bench compares with: PoCL, oneTBB and jemalloc from Debian, Intel's OpenCL runtime (about 800 MB
# on disk) and matplotlib from PyPI into build/bench/python. With `pools` or `scale` only what these need: jemalloc and
# matplotlib.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

wanted=(libjemalloc-dev python3-venv)
[[ ${1-} == pools || ${1-} == scale ]] || wanted+=(pocl-opencl-icd ocl-icd-opencl-dev opencl-headers libtbb-dev valgrind)
packages=()
for package in "${wanted[@]}"; do
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == *" installed" ]] || packages+=("$package")
done
if ((${#packages[@]})); then
    as_root=()
    ((EUID == 0)) || as_root=(sudo)
    echo "bench: apt-get install ${packages[*]}"
    "${as_root[@]}" apt-get update -qq </dev/null
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq -o DPkg::Lock::Timeout=600 --no-install-recommends "${packages[@]}" </dev/null >/dev/null
fi

python=build/bench/python
if [[ ${1-} == pools || ${1-} == scale ]]; then
    [[ -x $python/bin/pip ]] || python3 -m venv "$python"
    "$python/bin/python" -c "import matplotlib" 2>/dev/null ||
        "$python/bin/pip" install --quiet --disable-pip-version-check matplotlib
    exit
fi
if [[ ! -e $python/lib/libintelocl.so || ! -e $python/lib/libsvml.so ]] ||
    ! "$python/bin/python" -c "import matplotlib" 2>/dev/null; then
    echo "bench: pip install intel-opencl-rt intel-cmplr-lib-rt matplotlib (some minutes)"
    python3 -m venv "$python"
    "$python/bin/pip" install --quiet --disable-pip-version-check \
        intel-opencl-rt intel-cmplr-lib-rt matplotlib
fi

# One loader directory per OpenCL runtime, so that the loader finds only that one.
mkdir -p build/bench/icd/pocl build/bench/icd/intel
cp /etc/OpenCL/vendors/pocl.icd build/bench/icd/pocl/
echo "$PWD/$python/lib/libintelocl.so" >build/bench/icd/intel/intel.icd
