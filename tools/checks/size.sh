# The archive and a small program do not exceed the limits in tools/size_report.py.
repair="find what grew by ./dev bench size, and shorten it, or raise the limit in tools/size_report.py with the reason"
check() {
    build release --target portacl_libraries bench_small_program
    tools/size_report.py limits build/release
}
sabotage() { sed -i 's/^lto = "fat"/lto = "off"/' Cargo.toml; }
