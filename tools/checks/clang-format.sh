# C and C++ files are formatted as .clang-format says. Generated files (include/*.h, integrations/cxx/) are compared with their
# sources instead, by the check `headers`.
repair="clang-format -i FILE, for each file that is named above"
check() {
    local files
    mapfile -t files < <(git ls-files -- include integrations cpp_tests samples benches programs tests src |
        grep -E "\.(h|hpp|c|cpp|cu)$" | grep -vE "^(integrations/cxx/)?include/.*\.h$|^integrations/cxx/src/bridge.cpp$")
    ((${#files[@]})) || { echo "no C or C++ file found"; return 1; }
    clang-format --dry-run --Werror "${files[@]}"
}
sabotage() { printf 'int   badly( int formatted ){return formatted ;}\n' >>cpp_tests/support/main.cpp; }
