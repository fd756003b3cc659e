# The documents name every error code and environment variable, and their links lead somewhere.
repair="change the document that is named above; a new code or variable needs a row (docs/errors.md, docs/configuration.md)"
check() { cargo test --locked --quiet --test documents; }
sabotage() { sed -i 's/107002/107999/g' docs/errors.md; }
