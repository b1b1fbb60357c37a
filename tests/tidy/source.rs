//! What the rules look at: the files of the tree, and Rust source taken apart into code, comments and literals.
//!
//! Not a parser. It knows enough of Rust's words to tell code from text, test from product, and where a function ends; what it can't see
//! (a name made by a macro, say) no rule here can see either.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Folders that others fill: builds, tools, the service's own data. Hidden ones, too, but for these.
const NOT_OURS: [&str; 4] = ["target", "node_modules", "data", "__pycache__"];
const HIDDEN_BUT_OURS: [&str; 2] = [".ci", ".github"];

/// A file of the tree.
pub struct File {
    /// Its path from the root, with `/`.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// The tree, read once.
pub static TREE: LazyLock<Vec<File>> = LazyLock::new(|| {
    let root = root();
    let mut files = Vec::new();
    read(root, root, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.len() > 50, "the tree can't be read: only {} files in {}", files.len(), root.display());
    files
});

/// Every Rust file of the tree, taken apart.
pub static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let rust = TREE.iter().filter(|file| file.path.ends_with(".rs"));
    rust.map(|file| Source::new(&file.path, &file.text)).collect()
});

/// The root of the tree.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(root: &Path, folder: &Path, files: &mut Vec<File>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let foreign =
            NOT_OURS.contains(&name.as_str()) || (name.starts_with('.') && !HIDDEN_BUT_OURS.contains(&name.as_str()));
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            if !foreign {
                read(root, &path, files);
            }
        } else if let Ok(text) = fs::read_to_string(&path) {
            let path = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.push(File { path, text });
        }
    }
}

/// A Rust file, taken apart.
pub struct Source {
    /// Its path from the root.
    pub path: String,
    /// All of it.
    pub text: String,
    /// Its lines with comments, and the insides of strings, blanked.
    pub code: Vec<String>,
    /// The string literals, each with the index of the line where it begins.
    pub literals: Vec<(usize, String)>,
    /// Whether a line is of a test.
    pub test: Vec<bool>,
}

/// A function: its name, and the indices of its first and last line.
pub struct Function {
    pub name: String,
    pub first: usize,
    pub last: usize,
}

impl Source {
    /// Takes `text` apart.
    pub fn new(path: &str, text: &str) -> Self {
        let (code, literals) = blanked(text);
        let test = tests(path, &code);
        let code = code.split('\n').map(str::to_owned).collect();
        Self { path: path.to_owned(), text: text.to_owned(), code, literals, test }
    }

    /// Whether the file lies in one of these folders, or is one of these files.
    pub fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| if place.ends_with('/') { self.path.starts_with(place) } else { self.path == *place })
    }

    /// The lines of the product, not of tests: index and code.
    pub fn product(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code.iter().enumerate().filter(|(line, _)| !self.test[*line]).map(|(line, code)| (line, code.as_str()))
    }

    /// The functions that have a body.
    pub fn functions(&self) -> Vec<Function> {
        let code = self.code.join("\n");
        let mut found = Vec::new();
        for (at, _) in code.match_indices("fn ") {
            let name: String = code[at + 3..].chars().take_while(|c| is_word(*c)).collect();
            if name.is_empty() || code[..at].ends_with(is_word) {
                continue;
            }
            if let Some(end) = end_of_item(&code, at) {
                let line = |at: usize| code[..at].matches('\n').count();
                found.push(Function { name, first: line(at), last: line(end) });
            }
        }
        found
    }
}

/// Whether `code` names `word`: `word` may be a path (`a::b`), and one that ends with `*` is the beginning of a word.
/// A method (`.word`) and a longer word don't count.
pub fn names(code: &str, word: &str) -> bool {
    let (word, open) = word.strip_suffix('*').map_or((word, false), |stem| (stem, true));
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        let begins = !word.starts_with(is_word) || before.is_none_or(|c| !is_word(c) && c != '.');
        let ends = open || !word.ends_with(is_word) || after.is_none_or(|c| !is_word(c));
        begins && ends
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where the item that begins at `at` ends: its closing brace. `None` when it has no body.
fn end_of_item(code: &str, at: usize) -> Option<usize> {
    let (mut round, mut curly) = (0_i32, 0_i32);
    for (offset, c) in code[at..].char_indices() {
        match c {
            '(' | '[' => round += 1,
            ')' | ']' => round -= 1,
            ';' if round == 0 && curly == 0 => return None,
            '{' => curly += 1,
            '}' => {
                curly -= 1;
                if curly <= 0 {
                    return (curly == 0).then_some(at + offset);
                }
            }
            _ => {}
        }
    }
    None
}

/// Which lines are of tests: whole files by their place, and items behind `#[cfg(test)]`.
fn tests(path: &str, code: &str) -> Vec<bool> {
    const MARK: &str = "#[cfg(test)]";
    let whole = ["tests/", "benches/", "examples/"]
        .iter()
        .any(|place| path.starts_with(place) || path.contains(&format!("/{place}")))
        || path.ends_with("/tests.rs");
    let mut test = vec![whole; code.split('\n').count()];
    for (at, _) in code.match_indices(MARK) {
        let line = |at: usize| code[..at].matches('\n').count();
        let from = at + MARK.len();
        let end = end_of_item(code, from).or_else(|| code[from..].find(';').map(|offset| from + offset));
        let last = line(end.unwrap_or(from));
        test[line(at)..=last].iter_mut().for_each(|of_test| *of_test = true);
    }
    test
}

/// The text with comments and the insides of literals blanked (lines stay), and the string literals.
fn blanked(text: &str) -> (String, Vec<(usize, String)>) {
    let chars: Vec<char> = text.chars().collect();
    let mut scan = Scan { chars, at: 0, line: 0, code: String::with_capacity(text.len()), literals: Vec::new() };
    while scan.at < scan.chars.len() {
        scan.step();
    }
    (scan.code, scan.literals)
}

struct Scan {
    chars: Vec<char>,
    at: usize,
    line: usize,
    code: String,
    literals: Vec<(usize, String)>,
}

impl Scan {
    fn step(&mut self) {
        match (self.peek(0), self.peek(1)) {
            (Some('/'), Some('/')) => {
                while self.peek(0).is_some_and(|c| c != '\n') {
                    self.skip();
                }
            }
            (Some('/'), Some('*')) => self.block_comment(),
            (Some('"'), _) => self.string(0, true),
            (Some('r'), Some('"' | '#')) if !self.code.ends_with(is_word) || self.code.ends_with('b') => self.raw(),
            (Some('\''), next) => self.quote(next),
            _ => self.keep(),
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn keep(&mut self) {
        if let Some(c) = self.peek(0) {
            self.line += usize::from(c == '\n');
            self.code.push(c);
            self.at += 1;
        }
    }

    fn skip(&mut self) {
        match self.peek(0) {
            Some('\n') => self.keep(),
            _ => {
                self.code.push(' ');
                self.at += 1;
            }
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => depth += 1,
                (Some('*'), Some('/')) => depth -= 1,
                (None, _) => return,
                _ => {
                    self.skip();
                    continue;
                }
            }
            self.skip();
            self.skip();
            if depth == 0 {
                return;
            }
        }
    }

    /// `r"…"`, `r#"…"#`, or a raw name (`r#type`).
    fn raw(&mut self) {
        let hashes = (1..).take_while(|ahead| self.peek(*ahead) == Some('#')).count();
        if self.peek(1 + hashes) != Some('"') {
            return self.keep();
        }
        (0..=hashes).for_each(|_| self.keep());
        self.string(hashes, false);
    }

    /// From the opening quote to the closing one.
    fn string(&mut self, hashes: usize, escapes: bool) {
        let line = self.line;
        let mut literal = String::new();
        self.keep();
        while let Some(c) = self.peek(0) {
            if c == '"' && (1..=hashes).all(|ahead| self.peek(ahead) == Some('#')) {
                (0..=hashes).for_each(|_| self.keep());
                break;
            }
            if c == '\\' && escapes {
                self.skip();
            }
            literal.extend(self.peek(0));
            self.skip();
        }
        self.literals.push((line, literal));
    }

    /// A character, or a lifetime.
    fn quote(&mut self, next: Option<char>) {
        let is_char = next == Some('\\') || self.peek(2) == Some('\'');
        self.keep();
        if !is_char {
            return;
        }
        if next == Some('\\') {
            self.skip();
        }
        self.skip();
        while self.peek(0).is_some_and(|c| c != '\'' && c != '\n') {
            self.skip();
        }
        self.keep();
    }
}
