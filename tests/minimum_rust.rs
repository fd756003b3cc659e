//! Checks the oldest Rust that builds this tree: it is one number, the same in all places.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// Returns the standard output of a command that succeeds.
fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the numbers of a version, of which the third may be missing.
fn version(text: &str) -> [u32; 3] {
    let mut parts = text.trim().split('.').map(|part| part.parse().unwrap());
    [parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap_or(0)]
}

fn minimum() -> [u32; 3] {
    version(env!("CARGO_PKG_RUST_VERSION"))
}

/// Returns the packages that need a later Rust than `minimum`.
fn too_new(packages: &[Value], minimum: [u32; 3]) -> Vec<String> {
    let needs = |package: &Value| package["rust_version"].as_str().map(version);
    let newer = packages.iter().filter(|package| needs(package) > Some(minimum));
    newer.map(|package| format!("{} {}", package["name"], package["rust_version"])).collect()
}

/// Returns the versions that a text names as `Rust 1.2`.
fn named(text: &str) -> Vec<[u32; 3]> {
    let numbers = text.split("Rust ").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        rest[..end].trim_end_matches('.')
    });
    numbers.filter(|number| number.contains('.')).map(version).collect()
}

/// Returns cargo's metadata of the packages that are built on this platform.
fn packages(arguments: &[&str]) -> Vec<Value> {
    let about = output("rustc", &["-vV"]);
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    // Packages for other platforms may be missing on this machine.
    let fixed = ["metadata", "--locked", "--format-version=1", "--filter-platform", host];
    let text = output(env!("CARGO"), &[&fixed, arguments].concat());
    let metadata: Value = serde_json::from_str(&text).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

#[test]
fn no_dependency_needs_a_later_rust() {
    let packages = packages(&[]);
    assert!(packages.len() > 20, "cargo metadata lists {} packages", packages.len());
    assert_eq!(too_new(&packages, minimum()), Vec::<String>::new());
    // Negative test: the dependencies require this minimum.
    assert_ne!(too_new(&packages, [1, 80, 0]), Vec::<String>::new());
}

#[test]
fn members_of_the_workspace_share_version_and_minimum() {
    let members = packages(&["--no-deps"]);
    assert!(members.len() >= 2);
    for member in members {
        assert_eq!(member["version"], env!("CARGO_PKG_VERSION"), "{}", member["name"]);
        assert_eq!(member["rust_version"], env!("CARGO_PKG_RUST_VERSION"), "{}", member["name"]);
    }
}

#[test]
fn setup_clippy_and_documents_use_the_minimum() {
    let setup = read("tools/setup.sh");
    let line = setup.lines().find(|line| line.starts_with("wanted=")).unwrap();
    assert_eq!(version(&output("bash", &["-c", &format!("{line}; echo $wanted")])), minimum());
    // clippy uses the version in Cargo.toml, unless its configuration file names another.
    assert!(!read("clippy.toml").lines().any(|line| line.starts_with("msrv")));
    let mut found = 0;
    for document in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"] {
        for number in named(&read(document)) {
            assert_eq!(number, minimum(), "{document}");
            found += 1;
        }
    }
    assert!(found > 0, "no document names the minimum");
}

#[test]
fn the_parser_finds_versions() {
    assert_eq!(named("Rust 1.95 or Rust 1.2.3. Rust code, Rust 2"), [[1, 95, 0], [1, 2, 3]]);
}

#[test]
fn recipes_build_with_the_minimum() {
    let wanted = minimum().map(|part| part.to_string()).join(".");
    let container = read("integrations/packaging/docker/Dockerfile");
    assert!(container.contains(&format!("--default-toolchain {wanted} ")), "the container does not pin Rust {wanted}");
    let action = read("integrations/packaging/action/install.sh");
    let pinned = r#"RUSTUP_TOOLCHAIN=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml").0"#;
    assert!(action.contains(pinned), "the action does not build with the rust-version of Cargo.toml");
}
