# The scripts are valid, and no file contains words that mark unfinished work.
check() {
    local file status=0
    for file in dev .ci/run tools/*.sh tools/checks/*.sh cmake/*.sh cpp_tests/consumer/*.sh; do
        bash -n "$file" || status=1
    done
    if command -v shellcheck >/dev/null; then
        shellcheck --severity=warning --shell=bash --exclude=SC1091,SC2034,SC2148,SC2154 dev .ci/run tools/*.sh cmake/*.sh cpp_tests/consumer/*.sh || status=1
    fi
    return "$status"
}
sabotage() { echo 'if then' >>tools/setup.sh; }
