# C and C++ files are formatted as .clang-format says. What is generated (include/*.h) is compared
# with its sources instead, by the check `headers`.
check() {
    local files
    mapfile -t files < <(git ls-files -- include cpp_tests samples benches tests src plugins |
        grep -E "\.(h|hpp|c|cpp|cu)$" | grep -v "^include/.*\.h$")
    ((${#files[@]})) || { echo "no C or C++ file found"; return 1; }
    clang-format --dry-run --Werror "${files[@]}"
}
sabotage() { printf 'int   badly( int formatted ){return formatted ;}\n' >>cpp_tests/support/main.cpp; }
