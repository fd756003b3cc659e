# C and C++ files are formatted as .clang-format says. The generated headers are generated that way.
check() {
    local files
    mapfile -t files < <(git ls-files -- include/portacl cpp_tests samples benches tests src |
        grep -E '\.(h|hpp|c|cpp)$')
    ((${#files[@]})) || { echo "no C or C++ file found"; return 1; }
    clang-format --dry-run --Werror "${files[@]}"
}
sabotage() { printf 'int   badly( int formatted ){return formatted ;}\n' >>cpp_tests/support/main.cpp; }
