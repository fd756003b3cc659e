# cmake/set_env.sh finds its folder in every shell, from any folder, and adds no empty part to LD_LIBRARY_PATH.
repair="mend cmake/set_env.sh for the shell that is named above"
check() {
    local work=build/checks/set-env home shell before after found tried=0
    rm -rf "$work"
    mkdir -p "$work/an ascend/include/acl" "$work/elsewhere"
    cp cmake/set_env.sh "$work/an ascend/"
    home=$(realpath "$work/an ascend")
    for shell in bash dash "bash --posix" "busybox sh" zsh ksh; do
        command -v "${shell%% *}" >/dev/null || continue
        tried=$((tried + 1))
        while IFS='|' read -r before after; do
            # shellcheck disable=SC2016,SC2086
            found=$(cd "$work/elsewhere" && LD_LIBRARY_PATH=$before $shell -euc \
                '. "$0/set_env.sh" && echo "$ASCEND_HOME_PATH|$ASCEND_TOOLKIT_HOME|$ASCEND_OPP_PATH|$LD_LIBRARY_PATH"' "$home")
            [[ $found == "$home|$home|$home/opp|$home/lib64$after" ]] || { echo "$shell, LD_LIBRARY_PATH='$before': $found"; return 1; }
            # In a subshell of a script, which has other files open.
            # shellcheck disable=SC2016
            printf '(. "$1/set_env.sh"; echo "$ASCEND_HOME_PATH")\n' >"$work/elsewhere/script"
            # shellcheck disable=SC2086
            found=$($shell "$work/elsewhere/script" "$home")
            [[ $found == "$home" ]] || { echo "$shell, in a script: $found"; return 1; }
        done <<'TEXT'
|
/a|:/a
/a:/b c|:/a:/b c
:/a|:/a
/a:|:/a
/a::/b|:/a:/b
:|
TEXT
    done
    ((tried >= 2)) || { echo "only $tried shells"; return 1; }
    echo "$tried shells"
}
sabotage() { sed -i 's/{BASH_SOURCE:-/{BASH_SOURCE[0]:-/' cmake/set_env.sh; }
