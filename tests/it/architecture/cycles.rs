//! Sibling modules must not import each other, directly or through others.
//!
//! Imports between a parent and its children are not counted. An import of a name that a parent re-exports counts as an
//! import of the module that declares the name.

use super::{Source, code_lines, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Component;

/// Cyclic imports that are permitted, with the reason.
const ALLOWED: [(&str, &str, &str); 5] = [
    (
        "api::openapi",
        "api::routes",
        THE_DOCUMENT_LISTS_ITS_OWN_ROUTE,
    ),
    ("domain::rotation", "domain::mention", A_ROTATION_HOLDS_IT),
    ("domain::rotation", "domain::request", A_ROTATION_HOLDS_IT),
    ("domain::rotation", "domain::roster", A_ROTATION_HOLDS_IT),
    ("domain::rotation", "domain::trace", A_ROTATION_HOLDS_IT),
];

const THE_DOCUMENT_LISTS_ITS_OWN_ROUTE: &str =
    "one of the routes serves the document made from them";
const A_ROTATION_HOLDS_IT: &str = "a rotation holds it, and its functions take a rotation";

type Path = Vec<String>;

/// An import, as paths from the crate root.
struct Import {
    path: Path,
    is_public: bool,
}

/// The modules of `src`, with their imports and their exports.
struct Tree {
    imports: BTreeMap<Path, Vec<Import>>,
    declared: BTreeMap<Path, BTreeSet<String>>,
}

fn path(text: &str) -> Path {
    let parts = text.split("::").map(str::trim);
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

fn module(source: &Source) -> Path {
    let parts = source.path.components().map(Component::as_os_str);
    let parts = parts.map(|part| part.to_string_lossy().trim_end_matches(".rs").to_owned());
    parts.filter(|part| part != "mod").collect()
}

/// The paths of a `use` tree: `a::{b, c::d}` has `a::b` and `a::c::d`.
fn expand(tree: &str) -> Vec<Path> {
    let tree = tree.trim();
    let Some((before, inner)) = tree.split_once('{') else {
        let whole = tree.split(" as ").next().unwrap_or_default();
        return vec![path(whole)];
    };
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    let (mut depth, mut branches) = (0, vec![String::new()]);
    for c in inner.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match branches.last_mut() {
            Some(branch) if c != ',' || depth > 0 => branch.push(c),
            _ => branches.push(String::new()),
        }
    }
    let branches = branches.iter().filter(|branch| !branch.trim().is_empty());
    let below = branches.flat_map(|branch| expand(branch));
    below.map(|end| [path(before), end].concat()).collect()
}

/// The `use` declarations of a text, with whether they re-export; and the rest of the text.
fn declarations(source: &Source) -> (Vec<(bool, String)>, String) {
    let (mut found, mut rest) = (Vec::new(), String::new());
    let mut open: Option<(bool, String)> = None;
    for (_, line) in code_lines(source) {
        let line = line.trim();
        if open.is_none() {
            let (before, tree) = line.split_once("use ").unwrap_or(("-", ""));
            open = match before.is_empty() || (before.starts_with("pub") && before.ends_with(' ')) {
                true => Some((!before.is_empty(), tree.to_owned())),
                false => None,
            };
        } else if let Some((_, tree)) = &mut open {
            tree.push_str(line);
        }
        match open.take() {
            Some((is_public, tree)) => match tree.strip_suffix(';') {
                Some(tree) => found.push((is_public, tree.to_owned())),
                None => open = Some((is_public, tree)),
            },
            None => {
                rest.push_str(line);
                rest.push('\n');
            }
        }
    }
    (found, rest)
}

impl Tree {
    fn of(sources: &[Source]) -> Tree {
        let mut tree = Tree {
            imports: sources
                .iter()
                .map(|source| (module(source), vec![]))
                .collect(),
            declared: BTreeMap::new(),
        };
        for source in sources {
            let (own, (declarations, rest)) = (module(source), declarations(source));
            let mut imports = Vec::new();
            for (is_public, text) in declarations {
                for path in expand(&text) {
                    imports.extend(
                        tree.absolute(&own, path)
                            .map(|path| Import { path, is_public }),
                    );
                }
            }
            let words = rest.split(|c: char| !c.is_alphanumeric() && !"_:".contains(c));
            for word in words.filter(|word| word.contains("::")) {
                let path = tree.absolute(&own, path(word));
                imports.extend(path.map(|path| Import {
                    path,
                    is_public: false,
                }));
            }
            let declared = rest.lines().filter(|line| line.starts_with("pub"));
            let declared = declared.filter_map(|line| {
                let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
                words.find(|word| {
                    ["fn", "struct", "enum", "trait", "type", "const", "static"].contains(word)
                })?;
                words.next().map(str::to_owned)
            });
            tree.declared.insert(own.clone(), declared.collect());
            tree.imports.insert(own, imports);
        }
        tree
    }

    /// A path in a module as a path from the crate root; `None` if it leads to another crate or a local name.
    fn absolute(&self, own: &[String], path: Path) -> Option<Path> {
        let ups = path.iter().take_while(|part| *part == "super").count();
        let first = path.first()?.as_str();
        let (base, rest) = match first {
            "crate" => (&own[..0], &path[1..]),
            "self" => (own, &path[1..]),
            "super" => (&own[..own.len().checked_sub(ups)?], &path[ups..]),
            _ => {
                let child = [own, &path[..1]].concat();
                self.imports
                    .contains_key(&child)
                    .then_some((own, &path[..]))?
            }
        };
        let rest = rest.strip_suffix(&["self".to_owned()]).unwrap_or(rest);
        Some([base, rest].concat())
    }

    /// The module that declares the item of a path, through re-exports. `left` limits cycles of these.
    fn declares(&self, path: &[String], left: usize) -> Path {
        let depth = (0..=path.len()).rev();
        let mut depth = depth.filter(|depth| self.imports.contains_key(&path[..*depth]));
        let Some(depth) = depth.next() else {
            return Vec::new();
        };
        let (module, rest) = path.split_at(depth);
        let Some(name) = rest.first().filter(|_| left > 0) else {
            return module.to_vec();
        };
        for import in self.imports[module]
            .iter()
            .filter(|import| import.is_public)
        {
            let Some((last, before)) = import.path.split_last() else {
                continue;
            };
            if last == name {
                return self.declares(&[&import.path, &rest[1..]].concat(), left - 1);
            }
            if last != "*" {
                continue;
            }
            let target = self.declares(before, left - 1);
            let names = self.declared.get(&target);
            if names.is_some_and(|names| names.contains(name)) {
                return target;
            }
        }
        module.to_vec()
    }

    /// Every import of one module by another.
    fn edges(&self) -> BTreeSet<(Path, Path)> {
        let edges = self.imports.iter().flat_map(|(from, imports)| {
            let to = imports.iter().map(|import| self.declares(&import.path, 8));
            to.map(|to| (from.clone(), to))
        });
        edges.filter(|(from, to)| from != to).collect()
    }
}

/// The sibling modules of an import: children of the deepest folder that contains both.
fn beside((from, to): &(Path, Path)) -> Option<(String, String)> {
    let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    let name = |path: &Path| (path.len() > shared).then(|| path[..=shared].join("::"));
    name(from).zip(name(to))
}

/// The modules of each cycle.
fn cycles(edges: &BTreeSet<(String, String)>) -> BTreeSet<BTreeSet<&str>> {
    let mut next_of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in edges {
        next_of.entry(from).or_default().push(to);
    }
    let reach = |start: &str| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![start]);
        while let Some(from) = next.pop() {
            for to in next_of.get(from).into_iter().flatten() {
                if seen.insert(*to) {
                    next.push(to);
                }
            }
        }
        seen
    };
    let all: BTreeMap<&str, BTreeSet<&str>> =
        next_of.keys().map(|from| (*from, reach(from))).collect();
    let with = |module: &str| {
        let others = all[module].iter().copied();
        let others =
            others.filter(|other| all.get(other).is_some_and(|back| back.contains(module)));
        others.collect::<BTreeSet<&str>>()
    };
    let found = all.keys().map(|module| with(module));
    found.filter(|cycle| !cycle.is_empty()).collect()
}

fn names(edges: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    let owned = |(from, to): &(&str, &str)| ((*from).to_owned(), (*to).to_owned());
    edges.iter().map(owned).collect()
}

#[test]
fn modules_import_each_other_in_one_direction() {
    let tree = Tree::of(&sources());
    let mut edges: BTreeSet<(String, String)> = tree.edges().iter().filter_map(beside).collect();
    assert!(edges.len() > 300, "imports were not found: {}", edges.len());
    for (from, to, why) in ALLOWED {
        let was = edges.remove(&(from.to_owned(), to.to_owned()));
        assert!(
            was,
            "{from} imports {to} no more ({why}): strike it off the list"
        );
    }
    assert_eq!(cycles(&edges), BTreeSet::new());
    for (from, to, why) in ALLOWED {
        let mut with = edges.clone();
        with.insert((from.to_owned(), to.to_owned()));
        let closes = !cycles(&with).is_empty();
        assert!(
            closes,
            "{from} to {to} closes no cycle ({why}): strike it off the list"
        );
    }
}

#[test]
fn cycles_are_found_whatever_their_length() {
    let open = [("a", "b"), ("b", "c"), ("a", "c"), ("d", "a")];
    assert_eq!(cycles(&names(&open)), BTreeSet::new());
    let closed = names(&[&open[..], &[("c", "a")]].concat());
    assert_eq!(
        cycles(&closed),
        BTreeSet::from([BTreeSet::from(["a", "b", "c"])])
    );
}

#[test]
fn imports_are_read_through_re_exports() {
    let source = |path: &str, text: &str| Source {
        room: "store".into(),
        path: path.into(),
        text: text.into(),
    };
    let tree = Tree::of(&[
        source(
            "store/mod.rs",
            "pub use copy::{self as c, Copy};\npub use rows::*;\nmod copy;",
        ),
        source(
            "store/copy.rs",
            "use super::{\n    Row,\n    paths::{named, other as o},\n};\npub struct Copy;",
        ),
        source(
            "store/rows.rs",
            "// use super::Copy;\npub struct Row(super::paths::Name);",
        ),
        source(
            "store/paths.rs",
            "fn f() { crate::store::Copy::new(); std::fs::read(); }",
        ),
    ]);
    let beside: BTreeSet<(String, String)> = tree.edges().iter().filter_map(beside).collect();
    let expected = [
        ("store::copy", "store::paths"),
        ("store::copy", "store::rows"),
        ("store::paths", "store::copy"),
        ("store::rows", "store::paths"),
    ];
    assert_eq!(beside, names(&expected));
}
