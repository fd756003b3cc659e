#!/usr/bin/env bash
# Package tests of the original's names and folders: compat.sh CASE BUILD WORK (see run.sh).
set -euo pipefail
case_name=$1 work=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
prefix=$work/prefix
mine=$work/$case_name
: "${CC:=cc}" "${CXX:=c++}" "${NM:=nm}"

fail() { echo "FAILED: $*" >&2; exit 1; }
libdir() { dirname "$(find "$1" -name libportacl.a)"; }
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
soname() { readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'; }

test_compat_names() {
    mkdir -p "$mine"
    local lib name
    lib=$(libdir "$prefix")
    for name in ascendcl acl_rt; do
        [[ $(soname "$lib/lib$name.so") == "lib$name.so" ]] || fail "lib$name.so has another soname"
        "$CC" -std=c99 "$here/project/main.c" "-I$prefix/include" "-L$lib" "-l$name" -Wl,-rpath,"$lib" -o "$mine/link_$name"
        "$mine/link_$name" || fail "a program linked with -l$name"
        # So it also starts where the original is installed.
        [[ $(needed "$mine/link_$name" | grep -v libc.so) == "lib$name.so" ]] || fail "-l$name: the program needs other libraries"
    done
    # A linker that finds portacl's own functions would bind the program to portacl.
    ! readelf -W --dyn-syms "$lib/libascendcl.so" | grep -w 'portacl[A-Z][A-Za-z]*$' | grep -v UND || fail "libascendcl.so has these names"
    "$CC" -std=c99 "$here/project/dlopen_compat.c" -ldl -o "$mine/dlopen_compat"
    LD_LIBRARY_PATH=$lib "$mine/dlopen_compat" || fail "dlopen of the names"
    # Without the option the names are not installed.
    local plain=$mine/plain
    cmake -S "$root" -B "$plain" -DPORTACL_BUILD_SAMPLES=OFF >/dev/null
    ! grep -rq 'libascendcl' --include=cmake_install.cmake "$plain" || fail "PORTACL_COMPAT_NAMES=OFF installs the names"
}

# Installation changes no path in a library. CMake would link the path of the build, and overwrite it with zeros: a second
# build, in another folder, would have other bytes.
test_compat_run_paths() {
    local build=$mine/build
    rm -rf "$mine"
    cmake -S "$root" -B "$build" -DPORTACL_BUILD_SAMPLES=OFF -DPORTACL_COMPAT_NAMES=ON -DPORTACL_COMPAT_LAYOUT=ON >/dev/null
    grep -rq 'libascendcl.so' --include=cmake_install.cmake "$build" || fail "no companion is installed: this tests nothing"
    ! grep -r -A 4 RPATH_CHANGE --include=cmake_install.cmake "$build" || fail "these paths change; portacl_run_path_is_own_folder is missing"
}

# Five ways to find the libraries, and one program against two folders of libraries, without linking again.
test_ascend_layout() {
    rm -rf "$mine"
    mkdir -p "$mine/other"
    set +u
    # shellcheck source=/dev/null
    source "$prefix/ascend/set_env.sh"
    set -u
    [[ -z $(find "$ASCEND_HOME_PATH" -xtype l) ]] || fail "links of the layout lead nowhere"
    ! find "$ASCEND_HOME_PATH" -lname '/*' | grep . || fail "links of the layout are absolute"
    local snippet name folder found='' count=0
    # The folders that build files of public projects name.
    for folder in lib64 lib64/stub acllib/lib64/stub fwkacllib/lib64/stub compiler/lib64/stub runtime/lib64/stub \
        "$(uname -m)-linux"/{lib64,lib64/stub,devlib} devlib; do
        for name in ascendcl acl_rt; do
            [[ -f $ASCEND_HOME_PATH/$folder/lib$name.so ]] || fail "$folder lacks lib$name.so"
            "$CC" -std=c99 "$here/project/main.c" "-I$ASCEND_HOME_PATH/include" "-L$ASCEND_HOME_PATH/$folder" "-l$name" \
                -o "$mine/link" || fail "$folder: a program is not linked"
        done
    done
    for name in ascendcl acl_rt; do
        "$CC" -shared -fPIC "-I$ASCEND_HOME_PATH/include" "$here/ascend/other.c" -Wl,-soname,lib$name.so -o "$mine/other/lib$name.so"
    done
    for name in hccl acl_dvpp acl_op_compiler graph; do
        "$CC" -shared -fPIC -x c /dev/null -Wl,-soname,lib$name.so -o "$mine/other/lib$name.so"
    done
    for snippet in "$here"/ascend/snippets/*.cmake; do
        name=$(basename "$snippet" .cmake)
        env -u LD_LIBRARY_PATH cmake -S "$here/ascend" -B "$mine/$name" -DSNIPPET="$name" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF >"$mine/$name.txt" 2>&1 &&
            cmake --build "$mine/$name" >>"$mine/$name.txt" 2>&1 || { cat "$mine/$name.txt"; fail "the snippet $name"; }
        ! needed "$mine/$name/program" | grep portacl || fail "$name: the program needs portacl by its own name"
        found=$("$mine/$name/program") || fail "$name: the program"
        [[ $found != another* ]] || fail "$name: portacl did not run the program"
        echo "-- $name: $found"
        found=$(LD_LIBRARY_PATH=$mine/other "$mine/$name/program") || fail "$name: the program with the other libraries"
        [[ $found == "another library: over the device" ]] || fail "$name: with the other libraries: $found"
        count=$((count + 1))
    done
    ((count >= 5)) || fail "only $count snippets"
    if [[ -f $ASCEND_HOME_PATH/lib64/libportacl_gloo.so ]]; then
        "$mine/find_module/two_ranks" || fail "find_module: two ranks"
    fi
}

# What programs use beside the runtime is declared, and defined in the library of that name. What portacl does not have
# returns a code and a text.
test_compat_around() {
    rm -rf "$mine"
    mkdir -p "$mine"
    local home=$prefix/ascend library all=(-lascendcl -lacl_op_compiler -lacl_dvpp -lhccl)
    local flags=("-I$home/include" "-L$home/lib64" "-Wl,-rpath,$home/lib64")
    python3 "$root/tools/companions.py" test >"$mine/missing.c"
    "$CC" -std=c99 -Wall -Wextra -Werror -pedantic "$mine/missing.c" "${flags[@]}" "${all[@]}" -o "$mine/missing"
    "$mine/missing" || fail "the functions above"
    "$CXX" -std=c++11 -Wall -Wextra -Werror -pedantic "$here/ascend/around.cpp" "${flags[@]}" "${all[@]}" -o "$mine/around"
    "$mine/around" || fail "around"
    # A C program with two ranks, where its engine is built. Without the engine it says what to install.
    local sample=("$CC" -std=c99 -Wall -Wextra -Werror -pedantic "$root/samples/24_two_ranks.c" "${flags[@]}" -lascendcl -lhccl)
    "${sample[@]}" -o "$mine/two_ranks"
    if [[ -f $home/lib64/libportacl_gloo.so ]]; then
        "$mine/two_ranks" || fail "two devices of one process"
        "$mine/two_ranks" 0 "$mine/root" &
        "$mine/two_ranks" 1 "$mine/root" || fail "rank 1 of two processes"
        wait $! || fail "rank 0 of two processes"
    fi
    mkdir "$mine/without"
    cp "$home/lib64"/lib{ascendcl,hccl}.so "$home/lib64"/libportacl.so.* "$mine/without"
    ! LD_LIBRARY_PATH=$mine/without "$mine/two_ranks" 2>"$mine/without.txt" || fail "two ranks without an engine"
    grep -F "install Debian's libgloo0" "$mine/without.txt" || fail "another text: $(cat "$mine/without.txt")"
    for library in ascendcl acl_op_compiler acl_dvpp hccl; do
        python3 "$root/tools/companions.py" names "$library" >"$mine/$library.names"
        # The names of the runtime's functions are in libascendcl.so as well.
        "$NM" -D --defined-only "$home/lib64/lib$library.so" | awk '$3 ~ /^(acl|Hccl)/ { print $3 }' | sort |
            grep -vxFf <("$NM" -D --defined-only "$home/lib64/libacl_rt.so" | awk '{ print $3 }') >"$mine/$library.found"
        diff "$mine/$library.names" "$mine/$library.found" || fail "lib$library.so has other functions than functions.tsv of integrations/companions"
    done
}

"test_$case_name"
echo "package.$case_name: passed"
