# include/ is what the sources generate.
check() { cargo test --locked --quiet --test headers; }
sabotage() { sed -i 's/aclrtGetVersion(/aclrtGetVersions(/' include/acl/acl_rt.h; }
