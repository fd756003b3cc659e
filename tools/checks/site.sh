# The site builds, its links lead somewhere, and a browser shows it: title, navigation, search, plots.
repair="correct the link or the heading that is named above"
check() {
    local status=0
    tools/docs.sh install || status=$?
    if ((status == 77)) && [[ ${CI-} != true ]]; then
        echo "MkDocs or Doxygen cannot be had (see above)"
        return 77
    fi
    ((status == 0)) || return 1
    tools/docs.sh
    tools/docs.sh look || status=$?
    if ((status == 77)) && [[ ${CI-} != true ]]; then
        echo "the site builds and its links are right; Chromium, which would look at it, is missing"
        return 77
    fi
    return "$status"
}
sabotage() { sed -i 's/^## What it is not/## What it is not\n\n[A guide](docs\/errors.md#no-such-heading)/' README.md; }
