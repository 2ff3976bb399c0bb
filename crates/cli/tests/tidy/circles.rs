//! No file of a crate imports another one that imports it in turn, directly or through others; and no folder does.
//!
//! Imports are read as text: `use` declarations, and paths that begin with `crate`, `self`, `super` or a module that lies in the
//! one where they stand. A name that is
//! re-exported is imported from the file that defines it. What a module takes from the modules that it lies in is part
//! of them and counts as no import.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::{crates, is_test, sources};

/// Folders of crate `report` that import another one against the direction of the rest: without them there is no circle.
/// Tables of pages are beside the pages that have them, and some words and sections beside the medium that was first.
/// None is added; one that is no longer there is taken from the list.
const AGAINST_THE_REST: &[(&str, &str)] =
    &[("chart", "view"), ("finding", "storage"), ("wake_up", "limit"), ("words", "layout")];

/// A module by its names from the root of the crate on.
type Module = Vec<String>;

/// The modules of one crate.
struct Modules {
    /// The text of each without comments, strings and tests.
    texts: BTreeMap<Module, String>,
    /// The paths that names declared by `use` stand for, by module.
    names: BTreeMap<Module, BTreeMap<String, Module>>,
}

impl Modules {
    fn of(source: &Path) -> Modules {
        let mut files = Vec::new();
        sources(source, &mut files);
        let mut texts = BTreeMap::new();
        for file in files {
            let name = file.strip_prefix(source).unwrap();
            if is_test(name) || name.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let mut module: Module =
                name.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
                module.pop();
            }
            texts.insert(module, code(&fs::read_to_string(&file).unwrap()));
        }
        Modules::read(texts)
    }

    /// The modules with `texts`, which are code alone.
    ///
    /// A module that is there for tests alone is none of them.
    fn read(mut texts: BTreeMap<Module, String>) -> Modules {
        let of_tests: Vec<Module> = texts.iter().flat_map(|(module, text)| test_modules(module, text)).collect();
        texts.retain(|module, _| !of_tests.iter().any(|other| module.starts_with(other)));
        let mut modules = Modules { texts, names: BTreeMap::new() };
        for (module, text) in &modules.texts {
            let names = modules.names.entry(module.clone()).or_default();
            for (path, name) in uses(text).1 {
                if let Some(path) = absolute(&modules.texts, module, &path) {
                    names.entry(name).or_insert(path);
                }
            }
        }
        modules
    }

    /// The module whose file defines what `path` names, where that is one of this crate.
    fn owner(&self, path: &[String], steps_left: u32) -> Option<Module> {
        let length = (0..=path.len()).rev().find(|length| self.texts.contains_key(&path[..*length]))?;
        let (module, rest) = path.split_at(length);
        match rest.first().and_then(|name| self.names[module].get(name)) {
            Some(meant) if steps_left > 0 => {
                let further: Module = meant.iter().chain(&rest[1..]).cloned().collect();
                self.owner(&further, steps_left - 1)
            }
            _ => Some(module.to_vec()),
        }
    }

    fn all_imports(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        self.texts.keys().map(|module| (module.clone(), self.imports(module))).collect()
    }

    /// The modules that `module` imports something of.
    fn imports(&self, module: &Module) -> BTreeSet<Module> {
        let text = &self.texts[module];
        let (rest, used) = uses(text);
        let mut owners = BTreeSet::new();
        let paths =
            used.into_iter().filter(|(path, _)| !path.starts_with("pub ")).map(|(path, name)| (path, Some(name)));
        for (path, name) in paths.chain(inline_paths(&rest).into_iter().map(|path| (path, None))) {
            let Some(path) = absolute(&self.texts, module, &path) else { continue };
            // Of a module that is imported as such, what is taken from it by its name.
            let taken: Vec<Module> = match name {
                Some(name) if self.texts.contains_key(&path) => {
                    members(&rest, &name).into_iter().map(|item| [path.clone(), vec![item]].concat()).collect()
                }
                _ => vec![path],
            };
            owners.extend(taken.iter().filter_map(|path| self.owner(path, 12)));
        }
        // A module that lies in this one is also known by its bare name.
        let is_child = |other: &&Module| other.len() == module.len() + 1 && other.starts_with(module);
        for child in self.texts.keys().filter(is_child) {
            let name = &child[module.len()];
            let taken = members(&rest, name).into_iter().map(|item| [child.clone(), vec![item]].concat());
            owners.extend(taken.filter_map(|path| self.owner(&path, 12)));
        }
        owners.retain(|owner| !module.starts_with(owner));
        owners
    }
}

/// `text` without comments, the contents of strings, and the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut code = String::new();
    for line in text.lines() {
        let mut quoted = false;
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' if quoted => drop(letters.next()),
                '"' => quoted = !quoted,
                '/' if !quoted && letters.peek() == Some(&'/') => break,
                _ if quoted => {}
                _ => code.push(letter),
            }
        }
        code.push('\n');
    }
    code
}

/// The modules of `module`, with `text`, that are there for tests alone.
fn test_modules(module: &Module, text: &str) -> Vec<Module> {
    let declared = text.split("#[cfg(test)]\n").skip(1).filter_map(|rest| rest.split_once(';'));
    let names = declared.filter_map(|(declaration, _)| declaration.rsplit_once("mod "));
    names.map(|(_, name)| [module.as_slice(), &[name.to_owned()]].concat()).collect()
}

/// The rest of `text` without its `use` declarations, and what those import: path (with `pub ` before it where it is
/// exported again) and name.
fn uses(text: &str) -> (String, Vec<(String, String)>) {
    let (mut rest, mut paths) = (String::new(), Vec::new());
    for statement in text.split_inclusive(';') {
        let start = statement.rfind("use ").filter(|at| {
            let before = statement[..*at].rsplit('\n').next().unwrap_or_default().trim();
            let is_tree = |letter: char| letter.is_alphanumeric() || "_:{},*; \n".contains(letter);
            (before.is_empty() || before == "pub" || before.starts_with("pub("))
                && statement[*at..].chars().all(is_tree)
        });
        let Some(start) = start else {
            rest.push_str(statement);
            continue;
        };
        let (before, declaration) = statement.split_at(start);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let again = if line.trim_start().starts_with("pub") { "pub " } else { "" };
        rest.push_str(before);
        let tree: String = declaration[4..].trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ");
        for path in branches(&tree) {
            let (path, name) = path.split_once(" as ").map_or((path.as_str(), None), |(path, name)| (path, Some(name)));
            let path = path.trim_end_matches("::self");
            let name = name.unwrap_or_else(|| path.rsplit("::").next().unwrap_or_default());
            paths.push((format!("{again}{path}"), name.to_owned()));
        }
    }
    (rest, paths)
}

/// All paths of the tree of a `use` declaration.
fn branches(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else { return vec![tree.to_owned()] };
    let (stem, mut inner) = (&tree[..open], &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())]);
    let mut paths = Vec::new();
    while !inner.trim().is_empty() {
        let mut depth = 0;
        let end = inner.find(|letter| {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            letter == ',' && depth == 0
        });
        let (branch, further) = inner.split_at(end.unwrap_or(inner.len()));
        paths.extend(branches(branch).into_iter().map(|path| format!("{stem}{path}")));
        inner = further.trim_start_matches(',');
    }
    paths
}

/// Paths in `text` that begin with `crate`, `self` or `super`.
fn inline_paths(text: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let words = text.split(|letter: char| !is_part(letter));
    let words = words.map(|word| word.trim_end_matches(':'));
    words
        .filter(|word| ["crate::", "self::", "super::"].iter().any(|start| word.starts_with(start)))
        .map(str::to_owned)
        .collect()
}

/// What `text` takes from the module `name`: `name::member`.
fn members(text: &str, name: &str) -> BTreeSet<String> {
    let start = format!("{name}::");
    let found = text.match_indices(&start).filter(|(at, _)| {
        !text[..*at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':')
    });
    found
        .map(|(at, _)| {
            text[at + start.len()..].chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
        })
        .collect()
}

/// `path`, which stands in `module`, from the root of the crate on; none where it leads out of the crate.
fn absolute(modules: &BTreeMap<Module, String>, module: &Module, path: &str) -> Option<Module> {
    let mut parts: Vec<String> = path.trim_start_matches("pub ").split("::").map(str::to_owned).collect();
    let mut from = module.clone();
    match parts[0].as_str() {
        "crate" => {
            parts.remove(0);
            from.clear();
        }
        "self" | "super" => {
            while parts.first().is_some_and(|part| part == "self" || part == "super") {
                if parts.remove(0) == "super" {
                    from.pop();
                }
            }
        }
        child => {
            let child = [module.as_slice(), &[child.to_owned()]].concat();
            modules.contains_key(&child).then_some(())?;
        }
    }
    Some([from, parts].concat())
}

/// Who imports whom, with an import that is the reason.
type Edges = BTreeMap<(Module, Module), (Module, Module)>;

/// The imports between neighbours of each folder, with one import between files that makes each: two modules stand at
/// the place where their paths part, and each stands there with all that lies in it.
///
/// A module and what lies in it are one at every place, and no import leads from one to the other.
fn between_neighbours(imports: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<Module, Edges> {
    let mut folders: BTreeMap<Module, Edges> = BTreeMap::new();
    for (from, others) in imports {
        for to in others.iter().filter(|to| !to.starts_with(from)) {
            let shared = from.iter().zip(to.iter()).take_while(|(one, other)| one == other).count();
            let neighbours = (from[..=shared].to_vec(), to[..=shared].to_vec());
            let folder = folders.entry(from[..shared].to_vec()).or_default();
            folder.entry(neighbours).or_insert_with(|| (from.clone(), to.clone()));
        }
    }
    folders
}

/// The imports by which `folders` import each other, as `one -> other (from -> to)`: the two folders, and files of them.
fn circles_of_folders(folders: &BTreeMap<Module, Edges>) -> Vec<String> {
    let mut circles = Vec::new();
    for edges in folders.values() {
        let mut graph: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (from, to) in edges.keys() {
            graph.entry(from.clone()).or_default().insert(to.clone());
            graph.entry(to.clone()).or_default();
        }
        let back = edges.iter().filter(|((from, to), _)| reached(&graph, to).contains(from));
        circles.extend(back.map(|((one, other), (from, to))| {
            let [one, other, from, to] = [one, other, from, to].map(|module| module.join("::"));
            format!("{one} -> {other} ({from} -> {to})")
        }));
    }
    circles
}

/// All modules that `start` leads to over one import and more.
fn reached(imports: &BTreeMap<Module, BTreeSet<Module>>, start: &Module) -> BTreeSet<Module> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Module> = imports[start].iter().collect();
    while let Some(module) = next.pop() {
        if reached.insert(module.clone()) {
            next.extend(&imports[module]);
        }
    }
    reached
}

#[test]
fn no_files_of_a_crate_import_each_other() {
    let mut circles = Vec::new();
    for (name, path) in crates() {
        let imports = Modules::of(&path.join("src")).all_imports();
        for module in imports.keys() {
            let back = imports[module].iter().filter(|other| reached(&imports, other).contains(module));
            circles.extend(back.map(|other| format!("{name}: {} -> {}", module.join("::"), other.join("::"))));
        }
    }
    assert!(circles.is_empty(), "imports in circles; move what is taken to where both may import it: {circles:#?}");
}

#[test]
fn no_folders_of_a_crate_import_each_other() {
    let mut circles = Vec::new();
    for (name, path) in crates() {
        let mut folders = between_neighbours(&Modules::of(&path.join("src")).all_imports());
        let exceptions = AGAINST_THE_REST.iter().filter(|_| name == "report");
        for (one, other) in exceptions {
            let known = folders.get_mut(&Module::new()).and_then(|edges| edges.remove(&(module(one), module(other))));
            assert!(known.is_some(), "{name}: {one} imports nothing of {other} any more: take it from the list");
        }
        let found = circles_of_folders(&folders);
        circles.extend(found.into_iter().map(|circle| format!("{name}: {circle}")));
    }
    assert!(circles.is_empty(), "folders in circles; move what is taken to where both may import it: {circles:#?}");
}

#[test]
fn an_import_is_found_in_every_form() {
    let text = "use crate::a::{B, c::{self, D as E}};\npub use self::f::G;\nfn h() -> crate::i::J { super::k() }\n";
    let (rest, used) = uses(&code(text));
    let used: Vec<(&str, &str)> = used.iter().map(|(path, name)| (path.as_str(), name.as_str())).collect();
    let expected = [("crate::a::B", "B"), ("crate::a::c", "c"), ("crate::a::c::D", "E"), ("pub self::f::G", "G")];
    assert_eq!(used, expected);
    assert_eq!(inline_paths(&rest), ["crate::i::J", "super::k"]);
    assert_eq!(members("x(c::One, b::c::Two) c::three()", "c").into_iter().collect::<Vec<_>>(), ["One", "three"]);
}

#[test]
fn a_module_that_is_named_without_an_import_is_one() {
    let texts = [
        (vec!["a"], "mod b;\nmod c;\nfn of() -> u32 { b::one(b::Two) }\npub struct Three;\n"),
        (vec!["a", "b"], "pub fn one() {}\nuse crate::d::four;\n"),
        (vec!["a", "c"], ""),
        (vec!["d"], "use crate::a::Three;\npub fn four() {}\n"),
    ];
    let texts = texts.map(|(module, text)| (module.into_iter().map(str::to_owned).collect(), code(text)));
    let modules = Modules::read(texts.into());
    assert_eq!(modules.imports(&module("a")), [module("a::b")].into());
    assert_eq!(modules.imports(&module("a::b")), [module("d")].into());
    assert_eq!(modules.imports(&module("d")), [module("a")].into(), "which closes the circle");
}

#[test]
fn folders_are_in_a_circle_where_no_files_are() {
    let texts = [
        ("a", "pub use b::One;\npub mod b;\nmod c;\n#[cfg(test)]\nmod sample;\n"),
        ("a::b", "pub struct One;\n"),
        ("a::c", "use crate::d::Two;\nuse super::b::One;\n"),
        ("a::sample", "use crate::e::Three;\n"),
        ("d", "mod f;\npub struct Two;\n"),
        ("d::f", "use crate::a::One;\n"),
        ("e", "use crate::a::One;\npub struct Three;\n"),
    ];
    let texts = texts.map(|(name, text)| (module(name), code(text)));
    let imports = Modules::read(texts.into()).all_imports();
    assert!(imports.keys().all(|file| imports[file].iter().all(|other| !reached(&imports, other).contains(file))));
    let found = circles_of_folders(&between_neighbours(&imports));
    assert_eq!(found, ["a -> d (a::c -> d)", "d -> a (d::f -> a::b)"]);
}

/// The module with this path.
fn module(path: &str) -> Module {
    path.split("::").map(str::to_owned).collect()
}
