//! Reads the product modules of a crate, and the paths that each of them names. Modules and items that exist only in
//! tests are not read.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

use super::sources::Sources;

/// A path of a module or an item below the crate, such as `["memory", "pinned"]`.
pub(super) type Path = Vec<String>;

/// The paths of its own crate that each product module names, by the module's path.
pub(super) struct ModuleTree(BTreeMap<Path, BTreeSet<Path>>);

impl ModuleTree {
    /// Reads the modules of the crate with this root.
    pub(super) fn read(sources: &Sources, root: &str) -> Self {
        let mut tree = Self(BTreeMap::new());
        tree.add_file(sources, root, Path::new());
        assert!(tree.0.len() > 1, "{root} has no modules");
        tree
    }

    /// Returns each module with the paths that it names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Path, &BTreeSet<Path>)> {
        self.0.iter()
    }

    /// Returns the module of an item: the longest prefix of its path that is a module.
    pub(super) fn module_of<'a>(&self, item: &'a [String]) -> Option<&'a [String]> {
        (1..=item.len()).rev().map(|len| &item[..len]).find(|path| self.0.contains_key(*path))
    }

    fn add_file(&mut self, sources: &Sources, file: &str, path: Path) {
        let text = sources.text(file).unwrap_or_else(|| panic!("{file}: no such file"));
        let parsed = syn::parse_file(text).unwrap_or_else(|why| panic!("{file}: {why}"));
        self.add_module(sources, file, path, &parsed.items);
    }

    fn add_module(&mut self, sources: &Sources, file: &str, path: Path, items: &[Item]) {
        let product = || items.iter().filter(|item| !attributes(item).iter().any(is_for_tests));
        let child = |item: &Item| if let Item::Mod(module) = item { Some(module.ident.to_string()) } else { None };
        let children: BTreeSet<String> = product().filter_map(child).collect();
        let mut names = Names { module: &path, children, found: BTreeSet::new() };
        for item in product() {
            let Item::Mod(module) = item else {
                names.visit_item(item);
                continue;
            };
            let mut below = path.clone();
            below.push(module.ident.to_string());
            match &module.content {
                Some((_, items)) => self.add_module(sources, file, below, items),
                None => {
                    let file = file_of(sources, file, module);
                    self.add_file(sources, &file, below);
                }
            }
        }
        self.0.insert(path.clone(), names.found);
    }
}

/// Returns the file of a module that is declared in the file `parent`.
fn file_of(sources: &Sources, parent: &str, module: &syn::ItemMod) -> String {
    let (folder, name) = parent.rsplit_once('/').unwrap_or(("", parent));
    let given = module.attrs.iter().find(|attribute| attribute.path().is_ident("path"));
    if let Some(syn::Meta::NameValue(given)) = given.map(|attribute| &attribute.meta)
        && let syn::Expr::Lit(literal) = &given.value
        && let syn::Lit::Str(text) = &literal.lit
    {
        return format!("{folder}/{}", text.value());
    }
    let folder = match name.trim_end_matches(".rs") {
        "mod" | "lib" | "main" => folder.to_owned(),
        stem => format!("{folder}/{stem}"),
    };
    let flat = format!("{folder}/{}.rs", module.ident);
    if sources.text(&flat).is_some() { flat } else { format!("{folder}/{}/mod.rs", module.ident) }
}

/// Whether the attribute is `#[cfg(test)]`, also with other conditions, or `#[test]`.
fn is_for_tests(attribute: &Attribute) -> bool {
    let words = |text: String| text.split(|c: char| !c.is_alphanumeric()).any(|w| w == "test");
    match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            let text = list.tokens.to_string();
            words(text.clone()) && !text.replace(' ', "").contains("not(test")
        }
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(_) | syn::Meta::NameValue(_) => false,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "syn::Item is non_exhaustive")]
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Collects the paths that the items of one module name.
struct Names<'a> {
    module: &'a Path,
    /// The modules that it declares.
    children: BTreeSet<String>,
    found: BTreeSet<Path>,
}

impl Names<'_> {
    /// Adds a path that begins at the crate, at this module, or at one of its parents.
    fn add(&mut self, segments: &[String]) {
        let mut from = self.module.clone();
        let mut rest = segments;
        match segments.first().map(String::as_str) {
            Some("crate" | "$crate") => {
                from.clear();
                rest = &rest[1..];
            }
            Some("self") => rest = &rest[1..],
            Some("super") => {
                while rest.first().is_some_and(|segment| segment == "super") {
                    from.pop();
                    rest = &rest[1..];
                }
            }
            Some(first) if self.children.contains(first) => {}
            _ => return,
        }
        from.extend_from_slice(rest);
        self.found.insert(from);
    }

    fn add_use(&mut self, before: &mut Vec<String>, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_use(before, &path.tree);
                before.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use(before, tree);
                }
            }
            UseTree::Glob(_) => self.add(before),
            UseTree::Name(name) => self.add_leaf(before, &name.ident.to_string()),
            UseTree::Rename(name) => self.add_leaf(before, &name.ident.to_string()),
        }
    }

    fn add_leaf(&mut self, before: &[String], name: &str) {
        let mut path = before.to_vec();
        if name != "self" || path.is_empty() {
            path.push(name.to_owned());
        }
        self.add(&path);
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !attributes(item).iter().any(is_for_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !function.attrs.iter().any(is_for_tests) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_use(&mut Vec::new(), &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        if segments.len() > 1 {
            self.add(&segments);
        }
        visit::visit_path(self, path);
    }

    /// Visits paths inside the arguments of a macro, if they begin with `crate` or `super`.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        visit::visit_macro(self, call);
        let text = call.tokens.to_string().replace(" :: ", "::");
        for word in text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
            if word.starts_with("crate::") || word.starts_with("super::") {
                self.add(&word.split("::").map(str::to_owned).collect::<Vec<_>>());
            }
        }
    }
}
