//! The input of the rules: the files of the tree, and Rust source as tokens.
//!
//! `proc-macro2` parses the source, so comments and the contents of strings are no code. Nothing is expanded: the rules
//! can't see names made by macros.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Folders with generated or foreign content. (Build folders are known by their `CACHEDIR.TAG`.)
const FOREIGN: [&str; 4] = ["target", "node_modules", "data", "__pycache__"];

pub struct File {
    /// The path from the root, with `/`.
    pub path: String,
    pub text: String,
}

/// The tree of this project, read once.
pub static TREE: LazyLock<Vec<File>> = LazyLock::new(|| tree(root()));

pub static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| sources(&TREE));

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text files below `root`, in the order of their paths, without builds and without hidden files (except `.ci` and
/// `.github`), such as those of git and personal settings.
pub fn tree(root: &Path) -> Vec<File> {
    let mut files = Vec::new();
    read(root, "", &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.len() > 50, "only {} files can be read in {}", files.len(), root.display());
    files
}

fn read(folder: &Path, prefix: &str, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let hidden = name.starts_with('.') && ![".ci", ".github"].contains(&name.as_str());
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if hidden {
            continue;
        }
        if kind.is_dir() && !FOREIGN.contains(&name.as_str()) && !path.join("CACHEDIR.TAG").exists() {
            read(&path, &format!("{prefix}{name}/"), files);
        } else if kind.is_file()
            && let Ok(text) = fs::read_to_string(&path)
        {
            files.push(File { path: format!("{prefix}{name}"), text });
        }
    }
}

pub fn sources(files: &[File]) -> Vec<Source> {
    let rust = files.iter().filter(|file| file.path.ends_with(".rs"));
    rust.map(|file| Source::new(&file.path, &file.text)).collect()
}

/// A token: a word, a sign, a literal as written, or a bracket.
pub struct Token {
    /// As written; a raw name without `r#`.
    pub text: String,
    /// The line, from 1.
    pub line: usize,
    /// The token belongs to test code.
    pub test: bool,
    /// Number of enclosing inline modules (`mod x { … }`).
    pub depth: usize,
}

impl Token {
    /// It is a name or a keyword.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_') && !self.text.contains(['"', '\''])
    }
}

pub struct Source {
    /// The path from the root.
    pub path: String,
    pub text: String,
    /// The code, in order, without comments and documentation.
    pub tokens: Vec<Token>,
}

impl Source {
    /// Parses `text`.
    pub fn new(path: &str, text: &str) -> Self {
        let stream = text.parse().unwrap_or_else(|error| panic!("{path} is no Rust: {error}"));
        let folders = ["tests/", "benches/", "examples/"];
        let folders = folders.iter().any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")));
        let mut tokens = Vec::new();
        flatten(stream, folders || path.ends_with("/tests.rs"), 0, &mut tokens);
        Self { path: path.to_owned(), text: text.to_owned(), tokens }
    }

    /// The file is in one of these folders, or is one of these files.
    pub fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| if place.ends_with('/') { self.path.starts_with(place) } else { self.path == *place })
    }

    /// The product lines (not of tests) that contain `code`; a final `*` stands for the rest of a word.
    pub fn lines_with(&self, code: &str) -> Vec<usize> {
        let (code, open) = code.strip_suffix('*').map_or((code, false), |stem| (stem, true));
        let wanted: Vec<&str> = words(code);
        let fits = |found: &[Token]| {
            let mut pairs = found.iter().zip(&wanted).enumerate();
            pairs.all(|(at, (token, word))| {
                !token.test && (token.text == *word || open && at + 1 == wanted.len() && token.text.starts_with(word))
            })
        };
        self.tokens.windows(wanted.len()).filter(|found| fits(found)).map(|found| found[0].line).collect()
    }
}

/// Words and signs of a pattern.
fn words(code: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = code.trim_start();
    let mut words = Vec::new();
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

fn flatten(stream: TokenStream, test: bool, depth: usize, tokens: &mut Vec<Token>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let (mut at, mut tested_until) = (0, 0);
    while let Some(tree) = trees.get(at) {
        if let Some((attribute, after)) = attribute(&trees, at) {
            if attribute.starts_with("doc") {
                at = after;
                continue;
            }
            if attribute == "cfg (test)" {
                tested_until = tested_until.max(end_of_item(&trees, after));
            }
        }
        let test = test || at < tested_until;
        let (open, close) = (tree.span().start().line, tree.span().end().line);
        let mut push = |text: String, line| tokens.push(Token { text, line, test, depth });
        match tree {
            TokenTree::Group(group) => {
                let (left, right) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                push(left.to_owned(), open);
                let module = left == "{" && at > 1 && matches!(&trees[at - 2], TokenTree::Ident(word) if word == "mod");
                flatten(group.stream(), test, depth + usize::from(module), tokens);
                tokens.push(Token { text: right.to_owned(), line: close, test, depth });
            }
            TokenTree::Ident(name) => push(name.to_string().trim_start_matches("r#").to_owned(), open),
            other => push(other.to_string(), open),
        }
        at += 1;
    }
}

/// The attribute that begins at `at`, `#[…]` or `#![…]`: its content and its end.
fn attribute(trees: &[TokenTree], at: usize) -> Option<(String, usize)> {
    let sign = |at: usize, sign| matches!(trees.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
    if !sign(at, '#') {
        return None;
    }
    let at = at + 1 + usize::from(sign(at + 1, '!'));
    match trees.get(at) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
            Some((group.stream().to_string(), at + 1))
        }
        _ => None,
    }
}

/// The end of the item that begins at `at`: after its braces or its semicolon.
fn end_of_item(trees: &[TokenTree], at: usize) -> usize {
    let ends = |tree: &TokenTree| match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    };
    trees[at..].iter().position(ends).map_or(trees.len(), |offset| at + offset + 1)
}
