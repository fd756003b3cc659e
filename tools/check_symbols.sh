#!/usr/bin/env bash
# usage: check_symbols.sh ARCHIVE SHARED_LIBRARY
# Both must export every function of the API and nothing else: those of tests/data/acl-functions.tsv, and portacl's
# extensions as include/portacl declares them.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
archive=$1 shared=$2
: "${NM:=nm}"

list=$root/tests/data/acl-functions.tsv
column=$(head -1 "$list" | tr '\t' '\n' | grep -nx function | cut -d: -f1)
expected=$(
    {
        tail -n +2 "$list" | cut -f"$column"
        # Inline functions are no symbols.
        cat "$root"/include/portacl/*.h 2>/dev/null | grep -v 'static inline' | grep -vE '^ *(\*|/\*)' | grep -oE '\bportacl[A-Z][A-Za-z0-9]*\(' | tr -d '('
    } | sort -u
)
(($(wc -l <<<"$expected") > 400)) || { echo "$list names only $(wc -l <<<"$expected") functions" >&2; exit 1; }

status=0
compare() {
    local what=$1 found
    found=$(awk 'NF >= 3 && $2 != "U" { print $3 }' | sort -u)
    if ! diff <(echo "$expected") <(echo "$found") >/dev/null; then
        status=1
        echo "$what: missing:" $(comm -23 <(echo "$expected") <(echo "$found"))
        echo "$what: there but not in the API:" $(comm -13 <(echo "$expected") <(echo "$found"))
    else
        echo "$what: $(wc -l <<<"$found") symbols, all of the API and nothing else"
    fi
}
compare "$archive" < <("$NM" -g --defined-only "$archive")
compare "$shared" < <("$NM" -D --defined-only "$shared")
exit "$status"
