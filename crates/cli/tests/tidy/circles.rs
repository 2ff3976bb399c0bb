//! No file of a crate imports another one that imports it in turn, directly or through others.
//!
//! Imports are read as text: `use` declarations, and paths that begin with `crate`, `self`, `super` or a module that lies in the
//! one where they stand. A name that is
//! re-exported is imported from the file that defines it. What a module takes from the modules that it lies in is part
//! of them and counts as no import.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::{crates, is_test, sources};

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
    fn read(texts: BTreeMap<Module, String>) -> Modules {
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
        let modules = Modules::of(&path.join("src"));
        let imports: BTreeMap<_, _> =
            modules.texts.keys().map(|module| (module.clone(), modules.imports(module))).collect();
        for module in imports.keys() {
            let back = imports[module].iter().filter(|other| reached(&imports, other).contains(module));
            circles.extend(back.map(|other| format!("{name}: {} -> {}", module.join("::"), other.join("::"))));
        }
    }
    assert!(circles.is_empty(), "imports in circles; move what is taken to where both may import it: {circles:#?}");
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
    let module = |names: &[&str]| -> Module { names.iter().map(|name| (*name).to_owned()).collect() };
    assert_eq!(modules.imports(&module(&["a"])), [module(&["a", "b"])].into());
    assert_eq!(modules.imports(&module(&["a", "b"])), [module(&["d"])].into());
    assert_eq!(modules.imports(&module(&["d"])), [module(&["a"])].into(), "which closes the circle");
}
