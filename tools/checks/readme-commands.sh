# The commands that docs/install.md prints lead from a clone to a program: linked by CMake, by pkg-config, and with the Debian
# packages. Each block runs as it is there, in a shell of its own, in an empty folder.
readme_block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/d;p}" docs/install.md; }
repair="correct the block of docs/install.md that is named above, or what it runs"
check() {
    local work=$PWD/build/readme-commands name
    rm -rf "$work"
    mkdir -p "$work/home" "$work/here/hello"
    readme_block cpp >"$work/here/hello/hello.cpp"
    readme_block cmake >"$work/here/hello/CMakeLists.txt"
    # A repository with this tree, also with what is not committed.
    mkdir "$work/tree"
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -P -t "$work/tree"
    git -C "$work/tree" init -q
    git -C "$work/tree" add -A
    git -C "$work/tree" -c user.name=portacl -c user.email=portacl commit -q -m "This tree"
    for name in install cmake pkg-config packages; do
        readme_block "sh $name" >"$work/$name.sh"
        [[ -s $work/$name.sh ]] || { echo "docs/install.md has no block '$name'"; return 1; }
        printf -- '-- %s\n' "$name"
        cat "$work/$name.sh"
        # Rust is the one that is installed. Optimising it, and its debugging information, would take most of the time.
        # Without any optimisation it has so many functions that packing them takes minutes.
        (export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
            export CARGO_PROFILE_RELEASE_DEBUG=0
            cd "$work/here" && export URL=$work/tree CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup} &&
            export PATH=$CARGO_HOME/bin:$PATH HOME=$work/home PORTACL_BACKEND=cpu &&
            if [[ $name == packages ]]; then readme_as_root "$work/$name.sh"; else bash -euo pipefail "$work/$name.sh"; fi) |
            tee "$work/$name.log"
        # The packages need not compile again.
        [[ $name != install ]] || ln -s build/install/cargo "$work/here/portacl/target"
        [[ $name == install || $(tail -n 1 "$work/$name.log") == "hello, device" ]] || { echo "the block '$name' prints no 'hello, device'"; return 1; }
    done
}
# Runs the block that installs packages. Its changes of the system are in a mount namespace, and end with it.
readme_as_root() {
    if ((EUID != 0)) || ! unshare --mount true; then
        echo "the Debian packages are installed as root only"
        return 77
    fi
    unshare --mount bash -euo pipefail -c '
        mount -t tmpfs none /mnt
        for folder in usr var etc; do
            mkdir -p "/mnt/$folder/upper" "/mnt/$folder/work"
            mount -t overlay overlay -o "lowerdir=/$folder,upperdir=/mnt/$folder/upper,workdir=/mnt/$folder/work" "/$folder"
        done
        command -v sudo >/dev/null || { printf "#!/bin/sh\nexec \"\$@\"\n" >/usr/bin/sudo && chmod +x /usr/bin/sudo; }
        export DEBIAN_FRONTEND=noninteractive APT_CONFIG=/etc/apt/portacl.conf
        echo "APT::Get::Assume-Yes \"true\";" >"$APT_CONFIG"
        bash -euo pipefail "$1"' as_root "$1" </dev/null
}
sabotage() { sed -i 's/^c++ hello\/hello.cpp/c++ hello\/helo.cpp/' docs/install.md; }
