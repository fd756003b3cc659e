//! Finds out which module imports which, and checks the rules: no large cycles, and no region that imports a higher
//! one.

use std::collections::{BTreeMap, BTreeSet};

use super::module_tree::ModuleTree;

/// Imports between the modules of one crate. A module is a file of a region with all that is below it (`memory/pinned`
/// with `memory/pinned/apart`); a region's `mod.rs` is a module by itself.
pub(super) struct ImportGraph(BTreeMap<String, BTreeSet<String>>);

impl ImportGraph {
    /// Reads the modules of a crate. Names are the first `depth` segments of their paths, and `mod` is the crate.
    pub(super) fn of(tree: &ModuleTree, depth: usize) -> Self {
        let name = |path: &[String]| match path {
            [] => "mod".to_owned(),
            _ => path[..path.len().min(depth)].join("/"),
        };
        let mut graph = BTreeMap::<String, BTreeSet<String>>::new();
        for (module, named) in tree.iter() {
            let from = name(module);
            let imports = graph.entry(from.clone()).or_default();
            let targets = named.iter().filter_map(|item| tree.module_of(item));
            imports.extend(targets.map(name).filter(|to| *to != from));
        }
        Self(graph)
    }

    /// Returns the names of all modules.
    pub(super) fn modules(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns groups of modules, the largest first. Each module of a group imports all others of it, directly or not.
    pub(super) fn cycles(&self) -> Vec<Vec<&str>> {
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

    /// Returns how many modules the largest cycle has, or 1 without cycles.
    pub(super) fn largest_cycle(&self) -> usize {
        self.cycles().first().map_or(1, Vec::len)
    }

    /// Returns imports from a region into one that comes later in `order`, lowest first, as `from -> to`. Each region
    /// must be in `order`.
    pub(super) fn upward(&self, order: &[&str]) -> Vec<String> {
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

    /// Returns what a module imports.
    pub(super) fn imports(&self, module: &str) -> Vec<&str> {
        self.0.get(module).into_iter().flatten().map(String::as_str).collect()
    }

    /// Returns all modules that a module imports, directly or not, and itself.
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

#[cfg(test)]
#[path = "import_graph_tests.rs"]
mod tests;
