# C and C++ files are formatted as .clang-format says. Generated files (include/*.h, cxx/) are compared with their
# sources instead, by the check `headers`.
check() {
    local files
    mapfile -t files < <(git ls-files -- include cxx cpp_tests samples benches programs tests src plugins companions operators |
        grep -E "\.(h|hpp|c|cpp|cu)$" | grep -vE "^(cxx/)?include/.*\.h$|^cxx/src/bridge.cpp$")
    ((${#files[@]})) || { echo "no C or C++ file found"; return 1; }
    clang-format --dry-run --Werror "${files[@]}"
}
sabotage() { printf 'int   badly( int formatted ){return formatted ;}\n' >>cpp_tests/support/main.cpp; }
