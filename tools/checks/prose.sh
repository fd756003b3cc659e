# Documents, headers and comments use the words of the glossary (tools/glossary.md), and are spelled right. Printed
# texts have none of the phrases that tools/texts.py replaces; it plants each of them in itself first.
repair="reword the comment or text that is named above; tools/glossary.md has the words"
check() {
    tools/prose.py || return 1
    tools/texts.py --check || return 1
    command -v codespell >/dev/null || { echo "codespell is missing: ./dev setup installs it"; return 1; }
    # CANN, TBE, CopyIn and crate are spelled correctly; the others are names in the code of tests.
    codespell --ignore-words-list=cann,tbe,copyin,crate,upto,alway,nin,anothers,lod,atleast,ser $(tools/prose.py --files)
}
sabotage() { printf '\nA callback is told of the failure.\n' >>docs/errors.md; }
