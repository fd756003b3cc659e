# The documents name every error code and environment variable, their links lead somewhere, and docs/quality.md names what
# exists.
repair="change the document that is named above; a new code or variable needs a row (docs/errors.md, docs/configuration.md)"
check() { cargo test --locked --quiet --test documents --test quality; }
sabotage() { sed -i 's/107002/107999/g' docs/errors.md; }
