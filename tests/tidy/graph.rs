//! The dependency graph of the modules of `src`, from all paths in the source, and its circles.
//!
//! A module depends on another if its code has a path into it: `crate::x`, also in groups (`use crate::{a, b::c}`),
//! `super::x` where that leads out, `broadside::x` in the command, and `x::y` beside the declaration of `x`. Lines that
//! declare modules don't count.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::source::{Source, Token};

/// A module: its path of names from the root of `src`.
type Module = Vec<String>;

/// The granularity of the graph.
#[derive(Clone, Copy, PartialEq)]
pub enum Grain {
    /// The modules directly below `src`, each with all of its files.
    Modules,
    /// The files of each module among themselves.
    Files,
}

/// The dependencies between modules or files.
pub struct Graph {
    pub nodes: BTreeSet<String>,
    /// Each arrow once, with the places (`file:line`) that cause it.
    pub arrows: BTreeMap<(String, String), Vec<String>>,
}

impl Graph {
    /// The graph of `src`, with or without test code.
    pub fn new(sources: &[Source], grain: Grain, with_tests: bool) -> Self {
        let files: Vec<(&Source, Module)> = sources.iter().filter_map(|s| Some((s, module(&s.path)?))).collect();
        let known: BTreeSet<Module> = files.iter().map(|(_, module)| module.clone()).collect();
        let command = modules_of_the_command(sources);
        let name = |module: &Module| match module.first() {
            None => "lib".to_owned(),
            Some(first) if command.contains(first) => "main".to_owned(),
            Some(first) if grain == Grain::Modules => first.clone(),
            Some(_) => module.join("::"),
        };
        let mut graph = Self { nodes: files.iter().map(|(_, m)| name(m)).collect(), arrows: BTreeMap::new() };
        for (source, from) in &files {
            for (target, token) in paths(source, from, &known) {
                let (from, to) = (name(from), name(&target));
                let top = |node: &str| node.split("::").next().map(str::to_owned);
                let inside = grain == Grain::Modules || top(&from) == top(&to);
                if from != to && inside && (with_tests || !token.test) {
                    let place = format!("{}:{}", source.path, token.line);
                    graph.arrows.entry((from, to)).or_default().push(place);
                }
            }
        }
        graph
    }

    /// The direct dependencies of a module.
    pub fn known_by<'a>(&'a self, from: &'a str) -> impl Iterator<Item = &'a str> {
        self.arrows.keys().filter(move |(a, _)| a == from).map(|(_, b)| b.as_str())
    }

    /// All nodes that can be reached from a node by one arrow or more.
    fn reach(&self, from: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open = vec![from.to_owned()];
        while let Some(next) = open.pop() {
            open.extend(self.known_by(&next).filter(|to| found.insert((*to).to_owned())).map(str::to_owned));
        }
        found
    }

    /// The strongly connected components of more than one module.
    pub fn circles(&self) -> Vec<BTreeSet<String>> {
        let reach: BTreeMap<&String, BTreeSet<String>> = self.nodes.iter().map(|n| (n, self.reach(n))).collect();
        let knot = |node: &String| -> BTreeSet<String> {
            self.nodes
                .iter()
                .filter(|other| reach[node].contains(*other) && reach[other].contains(node))
                .cloned()
                .collect()
        };
        let knots: BTreeSet<BTreeSet<String>> = self.nodes.iter().map(knot).collect();
        knots.into_iter().filter(|knot| knot.len() > 1).collect()
    }

    /// The arrows within a set, each with an example.
    pub fn within(&self, knot: &BTreeSet<String>) -> Vec<String> {
        let inside = self.arrows.iter().filter(|((a, b), _)| knot.contains(a) && knot.contains(b));
        inside.map(|((a, b), places)| format!("{a} → {b}: {}", places[0])).collect()
    }

    /// The pairs that depend on each other.
    pub fn mutual(&self) -> Vec<(&str, &str)> {
        let pairs = self.arrows.keys().filter(|(a, b)| a < b && self.arrows.contains_key(&(b.clone(), a.clone())));
        pairs.map(|(a, b)| (a.as_str(), b.as_str())).collect()
    }

    /// From top to bottom: each module is above its dependencies. A circle is in one layer.
    pub fn layers(&self) -> Vec<Vec<&str>> {
        let circles = self.circles();
        let together = |a: &str, b: &str| circles.iter().any(|knot| knot.contains(a) && knot.contains(b));
        let mut heights: BTreeMap<&str, usize> = self.nodes.iter().map(|node| (node.as_str(), 0)).collect();
        // Each round propagates heights along one more arrow, and no path is longer than the number of nodes.
        for _ in 0..self.nodes.len() {
            for (a, b) in self.arrows.keys() {
                let least = heights[b.as_str()] + usize::from(!together(a, b));
                heights.entry(a).and_modify(|height| *height = least.max(*height));
            }
        }
        let top = heights.values().max().copied().unwrap_or(0);
        let at = |height| heights.iter().filter(|(_, h)| **h == height).map(|(node, _)| *node).collect();
        (0..=top).rev().map(at).collect()
    }
}

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, layer) in self.layers().iter().enumerate() {
            writeln!(f, "layer {}", number + 1)?;
            for node in layer {
                let known: Vec<&str> = self.known_by(node).collect();
                writeln!(f, "  {node}{}{}", if known.is_empty() { "" } else { " → " }, known.join(", "))?;
            }
        }
        let (circles, mutual) = (self.circles(), self.mutual());
        for knot in &circles {
            writeln!(f, "circle of {}", knot.len())?;
            self.within(knot).iter().try_for_each(|arrow| writeln!(f, "  {arrow}"))?;
        }
        let pairs: Vec<String> = mutual.iter().map(|(a, b)| format!("{a} ↔ {b}")).collect();
        writeln!(f, "mutual pairs: {}", if pairs.is_empty() { "none".to_owned() } else { pairs.join(", ") })?;
        let caught: usize = circles.iter().map(BTreeSet::len).sum();
        write!(f, "{} modules, {} arrows; circles: {} ", self.nodes.len(), self.arrows.len(), circles.len())?;
        writeln!(f, "({caught} modules in them); mutual pairs: {}", mutual.len())
    }
}

/// The module of a file of `src`, from its path. `main.rs` is one, and `lib.rs` is the root.
fn module(path: &str) -> Option<Module> {
    let path = path.strip_prefix("src/")?.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    Some(if path == "lib" { Vec::new() } else { path.split('/').map(str::to_owned).collect() })
}

/// `main`, and the modules that it declares for itself.
fn modules_of_the_command(sources: &[Source]) -> BTreeSet<String> {
    let main = sources.iter().find(|source| source.path == "src/main.rs");
    let pairs = main.iter().flat_map(|main| main.tokens.windows(3));
    let declared = pairs.filter(|three| three[0].text == "mod" && three[2].text == ";");
    declared.map(|three| three[1].text.clone()).chain(["main".to_owned()]).collect()
}

/// Every path in a file to a module of `src`: the module, and a token of the path.
fn paths<'a>(source: &'a Source, here: &Module, known: &BTreeSet<Module>) -> Vec<(Module, &'a Token)> {
    let tokens = &source.tokens;
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let text = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text.as_str());
        let continues = at > 1 && text(at - 1) == ":" && text(at - 2) == ":";
        if continues || !tokens[at].is_word() || text(at + 1) != ":" || text(at + 2) != ":" {
            continue;
        }
        let child = [here.clone(), vec![text(at).to_owned()]].concat();
        let root = match text(at) {
            "crate" | "broadside" => Vec::new(),
            "self" => here.clone(),
            "super" if tokens[at].depth > 0 => [here.clone(), vec![String::new(); tokens[at].depth - 1]].concat(),
            "super" => here[..here.len().saturating_sub(1)].to_vec(),
            _ if known.contains(&child) && (at == 0 || text(at - 1) != ".") => child,
            _ => continue,
        };
        follow(tokens, at + 3, root, known, &mut found);
    }
    found
}

/// Follows a path, into its groups too. `at` is after `::`, and `module` is the part before it.
fn follow<'a>(
    tokens: &'a [Token],
    at: usize,
    module: Module,
    known: &BTreeSet<Module>,
    found: &mut Vec<(Module, &'a Token)>,
) -> usize {
    let Some(token) = tokens.get(at) else { return at };
    if token.text == "{" {
        let mut at = at + 1;
        while tokens.get(at).is_some_and(|token| token.text != "}") {
            at = follow(tokens, at, module.clone(), known, found);
            // A new name (`as x`) and the comma.
            while tokens.get(at).is_some_and(|token| token.text != "," && token.text != "}") {
                at += 1;
            }
            at += usize::from(tokens.get(at).is_some_and(|token| token.text == ","));
        }
        return at + 1;
    }
    let next = match token.text.as_str() {
        "super" => module[..module.len().saturating_sub(1)].to_vec(),
        name => [module.clone(), vec![name.to_owned()]].concat(),
    };
    let goes_on = [1, 2].iter().all(|ahead| tokens.get(at + ahead).is_some_and(|token| token.text == ":"));
    if token.text == "super" || known.contains(&next) {
        if goes_on {
            return follow(tokens, at + 3, next, known, found);
        }
        found.push((next, token));
    } else {
        // A module written inline belongs to its file.
        found.push((module.into_iter().take_while(|name| !name.is_empty()).collect(), token));
    }
    at + 1
}
