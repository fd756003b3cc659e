# Programs that were built with an earlier version run with today's library: the short suite of the latest release for CPUs,
# or, before the first release, of the commit in tools/earlier_suite.tsv. The rows after it are tests whose behaviour has
# changed on purpose, with the reason. Codes are compared, not texts.
repair="keep what programs rely on, or add the test with the reason to tools/earlier_suite.tsv"
check() {
    local data=tools/earlier_suite.tsv copy=$PWD/build/earlier base changed
    base=$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD^ 2>/dev/null || sed -n '1s/\t.*//p' "$data")
    git cat-file -e "$base^{commit}" 2>/dev/null || { echo "this clone lacks the commit $base"; return 77; }
    changed=$(sed '1d; s/\t.*//; s/[.]/[.]/g' "$data" | paste -sd '|')
    echo "the suite of $base"
    build test --target portacl_libraries
    if [[ ! -e $copy/.git ]]; then
        rm -rf "$copy"
        git clone -q --shared . "$copy"
    fi
    git -C "$copy" checkout -q --detach "$base"
    # Its own build, with its own headers. Only the library is exchanged afterwards.
    (cd "$copy" && bash -euo pipefail -c 'source ./dev; build test --target portacl_short')
    PORTACL_TEST_ANY_TEXT=1 LD_LIBRARY_PATH=$PWD/build/test/lib ctest --test-dir "$copy/build/test" -L '^cpu$' -LE '^long$' \
        -E "^cpu[.]host_memory_sweep[.]${changed:+|^($changed)\$}" --no-tests=error --output-on-failure -j "$(nproc)"
}
# A program that was built before finds another value.
sabotage() {
    sed -i 's/^    pub fn level(self) -> u32 {$/&\n        return 1;/' src/backend/stream/mod.rs
}
