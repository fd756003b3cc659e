# include/ and the C++ of cxx/ match what the sources generate.
check() {
    cargo test --locked --quiet --test headers
    cargo test --locked --quiet -p portacl-cxx
}
sabotage() { sed -i 's/aclrtGetVersion(/aclrtGetVersions(/' include/acl/acl_rt.h; }
