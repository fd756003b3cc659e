# include/ and the C++ of integrations/cxx match what the sources and integrations/companions generate.
repair="./dev headers"
check() {
    tools/companions.py headers
    cargo test --locked --quiet --test headers
    cargo test --locked --quiet -p portacl-cxx
}
sabotage() { sed -i 's/aclrtGetVersion(/aclrtGetVersions(/' include/acl/acl_rt.h; }
