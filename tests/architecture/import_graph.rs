//! Which module imports which, and the rules about imports: no large cycles, and no region that imports a higher one.

use std::collections::{BTreeMap, BTreeSet};

use super::module_tree::ModuleTree;

/// Imports between the modules of one layer. A module is a file of a region with all that is below
/// it (`memory/pinned` with `memory/pinned/apart`); a region's `mod.rs` is a module by itself.
pub struct ImportGraph(BTreeMap<String, BTreeSet<String>>);

impl ImportGraph {
    /// The modules below `layer`, which is a part of `tree`. Names are paths below the layer.
    pub fn of(tree: &ModuleTree, layer: &[&str]) -> Self {
        let name = |path: &[String]| -> Option<String> {
            let below = path.strip_prefix(layer_path(layer).as_slice())?;
            match below {
                [] => Some("mod".to_owned()),
                [region] => Some(region.clone()),
                [region, noun, ..] => Some(format!("{region}/{noun}")),
            }
        };
        let mut graph = BTreeMap::<String, BTreeSet<String>>::new();
        for (module, named) in tree.iter() {
            let Some(from) = name(module) else { continue };
            let imports = graph.entry(from.clone()).or_default();
            let targets = named.iter().filter_map(|item| tree.module_of(item));
            imports.extend(targets.filter_map(name).filter(|to| *to != from));
        }
        Self(graph)
    }

    /// Names of all modules.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Groups of modules each of which imports all others of its group, directly or not; the
    /// largest first.
    pub fn cycles(&self) -> Vec<Vec<&str>> {
        let mut seen = BTreeSet::new();
        let mut cycles = Vec::new();
        for module in self.modules() {
            if seen.contains(module) {
                continue;
            }
            let from_here = self.reachable(module);
            let cycle: Vec<&str> =
                from_here.iter().copied().filter(|other| self.reachable(other).contains(module)).collect();
            seen.extend(cycle.iter().copied());
            if cycle.len() > 1 {
                cycles.push(cycle);
            }
        }
        cycles.sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
        cycles
    }

    /// How many modules the largest cycle has; 1 without cycles.
    pub fn largest_cycle(&self) -> usize {
        self.cycles().first().map_or(1, Vec::len)
    }

    /// Imports from a region into one that comes later in `order`, lowest first, as
    /// `from -> to`. Each region must be in `order`.
    pub fn upward(&self, order: &[&str]) -> Vec<String> {
        let rank = |module: &str| {
            let region = module.split('/').next().unwrap();
            order.iter().position(|known| *known == region).ok_or(region.to_owned())
        };
        let mut found = Vec::new();
        for (from, imports) in self.0.iter().filter(|(from, _)| *from != "mod") {
            for to in imports.iter().filter(|to| *to != "mod") {
                match (rank(from), rank(to)) {
                    (Ok(lower), Ok(higher)) if lower < higher => {
                        found.push(format!("{from} -> {to}"));
                    }
                    (Ok(_), Ok(_)) => {}
                    (Err(region), _) | (_, Err(region)) => {
                        found.push(format!("{region} is no known region"));
                    }
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// What a module imports.
    pub fn imports(&self, module: &str) -> Vec<&str> {
        self.0.get(module).into_iter().flatten().map(String::as_str).collect()
    }

    /// All modules that a module imports, directly or not, and itself.
    fn reachable(&self, module: &str) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = self.0.get_key_value(module).map(|(name, _)| &**name).into_iter().collect();
        while let Some(next) = open.pop() {
            if found.insert(next) {
                open.extend(self.0.get(next).into_iter().flatten().map(String::as_str));
            }
        }
        found
    }
}

fn layer_path(layer: &[&str]) -> Vec<String> {
    layer.iter().map(|segment| (*segment).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sources::Sources;
    use super::*;

    fn graph(files: &[(&str, &str)]) -> ImportGraph {
        let tree = ModuleTree::read(&Sources::of(files), "src/core/mod.rs", &["core"]);
        ImportGraph::of(&tree, &["core"])
    }

    const ROOT: (&str, &str) = ("src/core/mod.rs", "pub mod base; pub mod stream;");
    const BASE: (&str, &str) = ("src/core/base/mod.rs", "pub mod error; pub mod gate;");
    const GATE: (&str, &str) = ("src/core/base/gate.rs", "use super::error::Error;");
    const STREAM: (&str, &str) = ("src/core/stream.rs", "use crate::core::{base::{error::Error, gate}};");

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
            "use crate::core::stream::*;",
            "use crate::core::stream;",
            "use crate::core::stream::A as B;",
            "fn a() { crate::core::stream::b() }",
            "fn a(b: &crate::core::stream::B) {}",
            "impl A { fn a() { use crate::core::stream::b; b() } }",
            "fn a() { println!(\"{}\", crate::core::stream::b()) }",
            "mod inner { use crate::core::stream::A; }",
            "#[cfg(not(test))] use crate::core::stream::A;",
        ] {
            assert_eq!(with_error(text).imports("base/error"), ["stream"], "{text}");
        }
        for text in [
            "// use crate::core::stream::A;",
            "#[cfg(test)] mod tests { use crate::core::stream::A; }",
            "#[cfg(all(test, not(loom)))] use crate::core::stream::A;",
            "#[test] fn a() { crate::core::stream::b() }",
            "use crate::algo::stream::A;",
            "use std::stream::A;",
        ] {
            assert_eq!(with_error(text).imports("base/error"), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_region_imports_the_modules_that_it_names() {
        let files = [
            ("src/core/mod.rs", "pub mod base;"),
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
            ("src/core/mod.rs", "#[path = \"other.rs\"] mod named; mod base;"),
            ("src/core/other.rs", "use crate::core::base::noun::part::A;"),
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
        let around = with_error("use crate::core::stream::A;");
        assert_eq!(around.cycles(), [["base/error", "base/gate", "stream"]]);
        assert_eq!(around.largest_cycle(), 3);
    }

    #[test]
    fn upward_imports_are_found() {
        let order = ["base", "stream"];
        assert_eq!(with_error("").upward(&order), [""; 0]);
        let wrong = with_error("use crate::core::stream::A;");
        assert_eq!(wrong.upward(&order), ["base/error -> stream"]);
        assert_eq!(wrong.upward(&["base"]), ["stream is no known region"]);
    }
}
