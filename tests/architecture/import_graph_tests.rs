use super::super::sources::Sources;
use super::*;

fn graph(files: &[(&str, &str)]) -> ImportGraph {
    let tree = ModuleTree::read(&Sources::of(files), "src/core/lib.rs");
    ImportGraph::of(&tree, 2)
}

const ROOT: (&str, &str) = ("src/core/lib.rs", "pub mod base; pub mod stream;");
const BASE: (&str, &str) = ("src/core/base/mod.rs", "pub mod error; pub mod gate;");
const GATE: (&str, &str) = ("src/core/base/gate.rs", "use super::error::Error;");
const STREAM: (&str, &str) = ("src/core/stream.rs", "use crate::{base::{error::Error, gate}};");

fn with_error(text: &str) -> ImportGraph {
    graph(&[ROOT, BASE, GATE, STREAM, ("src/core/base/error.rs", text)])
}

#[test]
fn imports_are_found_in_every_form() {
    let graph = with_error("");
    assert_eq!(graph.imports("base/gate"), ["base/error"]);
    assert_eq!(graph.imports("stream"), ["base/error", "base/gate"]);
    assert_eq!(graph.imports("base/error"), [""; 0]);
    for text in [
        "use super::super::stream::A;",
        "use crate::stream::*;",
        "use crate::stream;",
        "use crate::stream::A as B;",
        "fn a() { crate::stream::b() }",
        "fn a(b: &crate::stream::B) {}",
        "impl A { fn a() { use crate::stream::b; b() } }",
        "fn a() { println!(\"{}\", crate::stream::b()) }",
        "mod inner { use crate::stream::A; }",
        "#[cfg(not(test))] use crate::stream::A;",
    ] {
        assert_eq!(with_error(text).imports("base/error"), ["stream"], "{text}");
    }
    for text in [
        "// use crate::stream::A;",
        "#[cfg(test)] mod tests { use crate::stream::A; }",
        "#[cfg(all(test, not(loom)))] use crate::stream::A;",
        "#[test] fn a() { crate::stream::b() }",
        "use crate::algo::stream::A;",
        "use std::stream::A;",
    ] {
        assert_eq!(with_error(text).imports("base/error"), [""; 0], "{text}");
    }
}

#[test]
fn a_region_imports_the_modules_that_it_names() {
    let files = [
        ("src/core/lib.rs", "pub mod base;"),
        ("src/core/base/mod.rs", "mod error; pub use error::Error; fn a() { gate::b() } mod gate;"),
        ("src/core/base/error.rs", "use super::Code;"),
        ("src/core/base/gate.rs", ""),
    ];
    let graph = graph(&files);
    assert_eq!(graph.imports("base"), ["base/error", "base/gate"]);
    assert_eq!(graph.cycles(), [["base", "base/error"]]);
}

#[test]
fn files_by_attribute_and_folders_of_a_noun() {
    let files = [
        ("src/core/lib.rs", "#[path = \"other.rs\"] mod named; mod base;"),
        ("src/core/other.rs", "use crate::base::noun::part::A;"),
        ("src/core/base/mod.rs", "mod noun;"),
        ("src/core/base/noun.rs", "mod part;"),
        ("src/core/base/noun/part.rs", "use super::super::super::named::B;"),
    ];
    let graph = graph(&files);
    assert_eq!(graph.imports("named"), ["base/noun"]);
    assert_eq!(graph.imports("base/noun"), ["named"]);
}

#[test]
fn cycles_are_found_and_measured() {
    assert_eq!(with_error("").largest_cycle(), 1);
    let two = with_error("use super::gate::Gate;");
    assert_eq!(two.cycles(), [["base/error", "base/gate"]]);
    let around = with_error("use crate::stream::A;");
    assert_eq!(around.cycles(), [["base/error", "base/gate", "stream"]]);
    assert_eq!(around.largest_cycle(), 3);
}

#[test]
fn upward_imports_are_found() {
    let order = ["base", "stream"];
    assert_eq!(with_error("").upward(&order), [""; 0]);
    let wrong = with_error("use crate::stream::A;");
    assert_eq!(wrong.upward(&order), ["base/error -> stream"]);
    assert_eq!(wrong.upward(&["base"]), ["stream is no known region"]);
}
