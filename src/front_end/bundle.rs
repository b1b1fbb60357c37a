//! The built-in pages in few files: what the first page needs is one module, a language is another, and comments are
//! left out.
//!
//! It reads as much of the language as the pages use, as their formatter writes it: imports and exports begin a line.

use std::collections::BTreeMap;

/// Texts of files by their names, such as `app/main.js`.
pub type Files = BTreeMap<String, String>;

/// Bundles, and the modules that each loads later but holds as well.
const BUNDLES: [(&str, &[&str]); 5] = [
    ("app/main.js", &["app/pages/home.js"]),
    ("app/i18n/en.js", &[]),
    ("app/i18n/en-rest.js", &[]),
    ("app/i18n/fr.js", &[]),
    ("app/i18n/fr-rest.js", &[]),
];

/// The same program in fewer files. A module that is in a bundle is taken from there by all others.
pub fn bundled(mut files: Files) -> Files {
    for text in files.values_mut() {
        *text = without_comments(text);
    }
    for (root, more) in BUNDLES {
        let mut order = Vec::new();
        for name in more.iter().chain([&root]) {
            visit(name, &files, &mut order);
        }
        let bundle = joined(root, &order, &files);
        if root == BUNDLES[0].0 {
            for (name, text) in files.iter_mut().filter(|(name, _)| is_module(name) && !order.contains(name)) {
                *text = taking(text, name, root, &order);
            }
        }
        files.insert(root.to_owned(), bundle);
    }
    files
}

fn is_module(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|ending| ending == "js")
}

/// A text without comments and empty lines.
fn without_comments(text: &str) -> String {
    let mut pieces = text.split("/*");
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        kept += piece.split_once("*/").map_or("", |(_, after)| after);
    }
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    kept.lines().filter(is_code).flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// An import: its names as they are written, and the name of the file.
struct Import<'a> {
    names: &'a str,
    file: String,
}

/// The imports of a module, and all else.
fn read<'a>(name: &str, text: &'a str) -> (Vec<Import<'a>>, &'a str) {
    let (mut imports, mut rest) = (Vec::new(), text);
    while let Some((statement, after)) = rest.strip_prefix("import ").and_then(|rest| rest.split_once(";\n")) {
        let (names, from) = statement.rsplit_once(" from ").unwrap_or(("", statement));
        imports.push(Import { names, file: resolved(name, from.trim_matches('\'')) });
        rest = after;
    }
    (imports, rest)
}

/// The name of a file that another one calls `path`.
fn resolved(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Puts a module into the order, after those that it imports.
fn visit(name: &str, files: &Files, order: &mut Vec<String>) {
    if order.iter().any(|known| known == name) {
        return;
    }
    if let Some(text) = files.get(name) {
        for import in read(name, text).0 {
            visit(&import.file, files, order);
        }
        order.push(name.to_owned());
    }
}

/// The statement that takes names from a module of a bundle.
fn take(names: &str, place: usize) -> String {
    match names {
        "" => String::new(),
        several if several.starts_with('{') => format!("const {}=$m{place};", several.replace(" as ", ":")),
        whole => format!("const {whole}=$m{place}.default;"),
    }
}

/// A module of the bundle `root`, which holds these.
fn joined(root: &str, order: &[String], files: &Files) -> String {
    let mut bundle = String::new();
    let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
    let place_of = |file: &str| order.iter().position(|known| known == file);
    for (place, name) in order.iter().enumerate() {
        let Some(text) = files.get(name) else { continue };
        let (imports, rest) = read(name, text);
        bundle += &format!("const $m{place}=(()=>{{");
        for Import { names, file } in &imports {
            bundle += &place_of(file).map(|place| take(names, place)).unwrap_or_default();
        }
        bundle.push('\n');
        // Addresses are those of the bundle's folder from here on.
        let inside = name.strip_prefix(folder).unwrap_or(name).trim_start_matches('/');
        let under = inside.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
        let mut exports = Vec::new();
        for line in rest.lines() {
            let (line, exported) = without_export(line);
            exports.extend(exported);
            let line = line
                .replace("import.meta.url", &format!("new URL('{inside}',import.meta.url)"))
                .replace("import('./", &format!("import('./{under}"))
                .replace("import(`./", &format!("import(`./{under}"));
            bundle += &line;
            bundle.push('\n');
        }
        bundle += &format!("return{{{}}}}})();\n", exports.join(","));
    }
    for (place, name) in order.iter().enumerate() {
        let inside = name.strip_prefix(folder).unwrap_or(name);
        bundle = bundle.replace(&format!("import('.{inside}')"), &format!("Promise.resolve($m{place})"));
    }
    let names: Vec<String> = (0..order.len()).map(|place| format!("$m{place}")).collect();
    bundle += &format!("export{{{}}};\n", names.join(","));
    if files.get(root).is_some_and(|text| text.contains("\nexport default ") || text.starts_with("export default ")) {
        bundle += &format!("export default {}.default;\n", names.last().map_or("", String::as_str));
    }
    bundle
}

/// A line without its `export`, and what it exports, as an object's field.
fn without_export(line: &str) -> (String, Option<String>) {
    let Some(declared) = line.strip_prefix("export ") else { return (line.to_owned(), None) };
    if let Some(value) = declared.strip_prefix("default ") {
        return (format!("const $standard={value}"), Some("default:$standard".to_owned()));
    }
    if let Some((names, _)) = declared.strip_prefix('{').and_then(|names| names.split_once('}')) {
        return (String::new(), Some(names.trim().to_owned()));
    }
    let mut name = declared;
    for word in ["async ", "function", "* ", "class ", "const ", " "] {
        name = name.strip_prefix(word).unwrap_or(name);
    }
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    let name = name.split(|letter| !is_part(letter)).next().unwrap_or_default();
    (declared.to_owned(), Some(name.to_owned()))
}

/// A module that takes from the bundle `root` what is there.
fn taking(text: &str, name: &str, root: &str, order: &[String]) -> String {
    let (imports, rest) = read(name, text);
    let (mut kept, mut taken, mut places) = (String::new(), String::new(), Vec::new());
    // All are in `app/`, which is not a part of their addresses.
    let up = format!("./{}", "../".repeat(name.matches('/').count().saturating_sub(1)));
    let file = root.trim_start_matches("app/");
    for Import { names, file } in imports {
        match order.iter().position(|known| *known == file) {
            Some(place) => {
                taken += &take(names, place);
                places.push(place);
            }
            None => {
                let from = if names.is_empty() { String::new() } else { format!("{names} from ") };
                kept += &format!("import {from}'{up}{}';\n", file.trim_start_matches("app/"));
            }
        }
    }
    places.sort_unstable();
    places.dedup();
    let names: Vec<String> = places.iter().map(|place| format!("$m{place}")).collect();
    let bundle =
        if names.is_empty() { String::new() } else { format!("import{{{}}}from'{up}{file}';\n", names.join(",")) };
    format!("{bundle}{kept}{taken}\n{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(of: &[(&str, &str)]) -> Files {
        of.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn the_first_page_is_one_module_and_others_take_from_it() {
        let files = bundled(files(&[
            ("app/main.js", "import { a as b } from './kit/a.js';\n\nb(() => import('./pages/home.js'));\n"),
            ("app/kit/a.js", "/** Says. */\nexport function a(f) {\n  // why\n  return f(import.meta.url);\n}\n"),
            ("app/pages/home.js", "import { a } from '../kit/a.js';\nexport { a };\nexport const home = a;\n"),
            ("app/pages/play.js", "import { a } from '../kit/a.js';\nimport './more.js';\nexport class Play {}\n"),
            ("app/i18n/en.js", "import more from './en-more.js';\nexport default {\n  ...more,\n};\n"),
            ("app/i18n/en-more.js", "export default {\n  a: 'b',\n};\n"),
        ]));
        let main = "const $m0=(()=>{\nfunction a(f) {\n  return f(new URL('kit/a.js',import.meta.url));\n}\nreturn{a}})();\n\
             const $m1=(()=>{const { a }=$m0;\n\nconst home = a;\nreturn{a,home}})();\n\
             const $m2=(()=>{const { a:b }=$m0;\nb(() => Promise.resolve($m1));\nreturn{}})();\nexport{$m0,$m1,$m2};\n";
        assert_eq!(files["app/main.js"], main);
        let play =
            "import{$m0}from'./../main.js';\nimport './../pages/more.js';\nconst { a }=$m0;\nexport class Play {}\n";
        assert_eq!(files["app/pages/play.js"], play);
        let english = "const $m0=(()=>{\n\nconst $standard={\n  a: 'b',\n};\nreturn{default:$standard}})();\n\
             const $m1=(()=>{const more=$m0.default;\n\nconst $standard={\n  ...more,\n};\nreturn{default:$standard}})();\n\
             export{$m0,$m1};\nexport default $m1.default;\n";
        assert_eq!(files["app/i18n/en.js"], english);
    }
}
