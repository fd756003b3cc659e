# The scripts are valid, and none ends a pipeline with `grep -q`.
repair="change the line as shellcheck says; read a pipeline to its end instead of grep -q"
check() {
    local file status=0
    for file in dev .ci/run tools/*.sh tools/checks/*.sh cmake/*.sh cpp_tests/consumer/*.sh; do
        bash -n "$file" || status=1
    done
    # With pipefail, `grep -q` fails a pipeline whose first command still writes when it ends.
    ! grep -nE '\| *grep -[a-zA-Z]*q' dev .ci/run tools/*.sh tools/checks/*.sh cmake/*.sh cpp_tests/consumer/*.sh samples/*.sh || status=1
    if command -v shellcheck >/dev/null; then
        shellcheck --severity=warning --shell=bash --exclude=SC1091,SC2034,SC2148,SC2154 dev .ci/run tools/*.sh cmake/*.sh cpp_tests/consumer/*.sh || status=1
    fi
    return "$status"
}
sabotage() { echo 'if then' >>tools/setup.sh; }
