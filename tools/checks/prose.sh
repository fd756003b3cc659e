# Documents, headers and comments use the words of the glossary (ARCHITECTURE.md), and are spelled right.
check() {
    tools/prose.py
    command -v codespell >/dev/null || { echo "codespell is missing: ./dev setup installs it"; return 1; }
    # CANN is a name.
    codespell --ignore-words-list=cann $(tools/prose.py --files)
}
sabotage() { printf '\nA callback is told of the failure.\n' >>docs/errors.md; }
