#!/usr/bin/env bash
# ./dev docs | install | look: the site below build/site, by MkDocs: guides, and the API reference, which Doxygen reads
# from the headers.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../dev"
accept docs "$@"

packages=(mkdocs-material==9.8.2 rjieba==0.2.2)
venv=$PWD/build/docs/venv
# Wheels stay here: another clone needs not fetch them again.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/portacl/wheels
export NO_MKDOCS_2_WARNING=1 PYTHONDONTWRITEBYTECODE=1

# Exits with 77 if MkDocs or Doxygen cannot be had.
install() {
    command -v doxygen >/dev/null || { echo "docs: doxygen is missing; ./dev setup installs it" >&2; return 77; }
    [[ $(cat "$venv/complete" 2>/dev/null) == "${packages[*]}" ]] && return 0
    rm -rf "$venv"
    mkdir -p "$cache"
    python3 -m venv "$venv" || { echo "docs: python3 has no venv; ./dev setup installs it" >&2; return 77; }
    local pip=("$venv/bin/pip" --quiet --disable-pip-version-check)
    if ! "${pip[@]}" install --no-index --find-links "$cache" "${packages[@]}" 2>/dev/null; then
        say "fetching ${packages[*]} and what it needs: 31 MB into $cache"
        if ! "${pip[@]}" download --dest "$cache" "${packages[@]}"; then
            echo "docs: pip cannot fetch ${packages[*]}; this needs the network" >&2
            rm -rf "$venv"
            return 77
        fi
        "${pip[@]}" install --no-index --find-links "$cache" "${packages[@]}"
    fi
    echo "${packages[*]}" >"$venv/complete"
}

build_site() {
    rm -rf build/site build/docs/{xml,pages}
    say "the pages: documents, and the API reference from the headers"
    doxygen tools/site/Doxyfile
    tools/site/pages.py build/docs/pages
    tools/site/reference.py build/docs/xml build/docs/pages/api
    say "the site, by MkDocs"
    "$venv/bin/mkdocs" build --quiet --strict --config-file tools/site/mkdocs.yml
    say "links"
    tools/site/links.py build/site
    say "build/site is complete: $(du -sh build/site | cut -f1). To read it: python3 -m http.server -d build/site"
}

case ${1-} in
install) install ;;
look) tools/site/look.py build/site build/docs/look ;;
'')
    install
    build_site
    ;;
*) die "docs: unknown argument '$1'" ;;
esac
