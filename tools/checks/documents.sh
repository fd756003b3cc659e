# The documents name every error code and environment variable, and their links lead somewhere.
check() { cargo test --locked --quiet --test documents; }
sabotage() { sed -i 's/107002/107999/g' docs/errors.md; }
