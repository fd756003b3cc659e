# Both libraries export every function of the API, and nothing else.
repair="export the function in src/ffi with a comment, and add it to tests/data/acl-functions.tsv, or make it private"
check() {
    build test --target portacl_libraries
    tools/check_symbols.sh build/test/lib/libportacl.a build/test/lib/libportacl.so
}
sabotage() {
    printf '\n/// Not in the API.\n#[unsafe(no_mangle)]\npub extern "C" fn aclNotInTheApi() {}\n' >>src/ffi/runtime/version.rs
}
