# The library's product code has at most this many lines, without tests, comments and blank lines. The limit only goes
# down, to 50,000.
most_product_lines=60480
check() { tools/product_lines.py --most "$most_product_lines"; }
sabotage() {
    local line
    for line in {1..1000}; do echo "const LINE_$line: u32 = $line;"; done >>src/algo/math/mix.rs
}
