# Counts attributes of the library that override the compiler's inlining. The limits go down: an attribute stays only if
# `./dev bench instructions` or a benchmark shows its gain. The last one rose by 4: the rare part of releasing a pin is
# out of line (8 to 27 instructions of a call), and so are what lists busy streams of CUDA and what keeps an awaited record.
# The first one rose by 4: what finds the ends of a copy that runs at once (5 to 19 instructions of a copy).
# What notes waits in traces is out of line, too.
most_inline_always=191
most_cold_or_inline_never=255
count() {
    local name=$1 pattern=$2 most=$3 found
    found=$(git grep -hE "$pattern" -- 'src/*.rs' ':!src/*_tests.rs' ':!src/*/tests/*' | wc -l)
    echo "$found times $name, at most $most are allowed"
    ((found <= most))
}
repair="leave the attribute out, or show its gain by ./dev bench instructions and raise the limit with the reason"
check() {
    count 'inline(always)' '#\[inline\(always\)\]' "$most_inline_always" &&
        count 'cold or inline(never)' '#\[(cold|inline\(never\))\]' "$most_cold_or_inline_never"
}
sabotage() { sed -i 's/#\[inline\]/#[inline(always)]/' src/algo/alloc/pool/*.rs src/core/memory/*.rs; }
