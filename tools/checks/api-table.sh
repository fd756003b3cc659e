# docs/api.md says of every function what code and tests say.
check() { cargo test --locked --quiet --test api_table; }
sabotage() { sed -i '0,/207000/s//works/' docs/api.md; }
