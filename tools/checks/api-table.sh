# docs/api.md matches the code and the tests.
repair="./dev headers"
check() { cargo test --locked --quiet --test api_table; }
sabotage() { sed -i '0,/207000/s//works/' docs/api.md; }
