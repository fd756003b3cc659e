# Makes this folder the one that builds and programs for Ascend devices look in: `. DIR/set_env.sh`, in bash, zsh and the
# shells whose scripts begin with #!/bin/sh (dash, ash).
portacl_script=${BASH_SOURCE:-$0}
case $portacl_script in
*set_env.sh) ;;
*)
    # Such a shell does not name the file that it reads, but has it open.
    for portacl_part in "/proc/$(exec sh -c 'echo "$PPID"')/fd"/*; do
        case $(readlink "$portacl_part") in
        */set_env.sh) portacl_script=$(readlink "$portacl_part") ;;
        esac
    done
    ;;
esac
portacl_home=$(CDPATH='' cd "$(dirname "$portacl_script")" && pwd)
if [ -e "$portacl_home/set_env.sh" ] && [ -d "$portacl_home/include/acl" ]; then
    export ASCEND_HOME_PATH="$portacl_home"
    export ASCEND_TOOLKIT_HOME="$portacl_home"
    export ASCEND_OPP_PATH="$portacl_home/opp"
    # An empty part would be the current folder, from which no library should be loaded.
    portacl_path=$portacl_home/lib64
    portacl_rest=${LD_LIBRARY_PATH-}:
    while [ -n "$portacl_rest" ]; do
        portacl_part=${portacl_rest%%:*}
        portacl_rest=${portacl_rest#*:}
        [ -z "$portacl_part" ] || portacl_path=$portacl_path:$portacl_part
    done
    export LD_LIBRARY_PATH="$portacl_path"
    unset portacl_script portacl_home portacl_part portacl_path portacl_rest
else
    echo "set_env.sh: this shell does not say where the file is; enter its folder and use bash, or set ASCEND_HOME_PATH" >&2
    unset portacl_script portacl_home portacl_part
    false
fi
