//! The guide for authors of clients: the chapters of `docs/guide`, built into this program, as HTML.
//!
//! `docs/guide/README.md` lists the chapters in order. HTML in a chapter is shown as text; comments are left out.

use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};
use rust_embed::Embed;

#[derive(Embed)]
#[folder = "docs/guide"]
struct Chapters;

/// The file of the list of chapters.
pub const CONTENTS: &str = "README";

pub struct Page {
    /// As plain text.
    pub title: String,
    /// The content.
    pub main: String,
}

/// A heading of the list, and its chapters.
struct Section {
    title: String,
    chapters: Vec<Chapter>,
}

struct Chapter {
    name: String,
    title: String,
}

/// The page of a chapter by name, such as `events`; `None` if there is none.
pub fn page(name: &str) -> Option<Page> {
    let text = source(name)?;
    let events = Parser::new_ext(&text, Options::ENABLE_TABLES).collect();
    let (title, events) = with_ids(events);
    let mut main = written(adapted(events));
    let chapters: Vec<Chapter> = contents().into_iter().flat_map(|section| section.chapters).collect();
    if let Some(at) = chapters.iter().position(|chapter| chapter.name == name) {
        let before = at.checked_sub(1).and_then(|before| chapters.get(before));
        main.push_str(&turning(before, chapters.get(at + 1)));
    }
    Some(Page { title, main })
}

/// The list of all chapters, for the side of a page.
pub fn side(current: &str) -> String {
    let mut events = Vec::new();
    for Section { title, chapters } in contents() {
        events.extend([Event::Start(Tag::Paragraph), Event::Text(title.into()), Event::End(TagEnd::Paragraph)]);
        events.push(Event::Start(Tag::List(None)));
        for chapter in &chapters {
            events.push(Event::Start(Tag::Item));
            events.extend(link(&chapter.name, &chapter.title));
            events.push(Event::End(TagEnd::Item));
        }
        events.push(Event::End(TagEnd::List(false)));
    }
    let opening = format!("<a href=\"{current}\"");
    written(events).replacen(&opening, &format!("{opening} aria-current=\"page\""), 1)
}

/// Text escaped for HTML.
pub fn escaped(text: &str) -> String {
    written(vec![Event::Text(text.into())])
}

fn source(name: &str) -> Option<String> {
    let file = Chapters::get(&format!("{name}.md"))?;
    Some(String::from_utf8_lossy(&file.data).into_owned())
}

fn written(events: Vec<Event<'_>>) -> String {
    let mut page = String::new();
    html::push_html(&mut page, events.into_iter());
    page
}

/// The sections of the list of chapters.
fn contents() -> Vec<Section> {
    let text = source(CONTENTS).unwrap_or_default();
    let mut sections: Vec<Section> = Vec::new();
    let (mut words, mut linked) = (String::new(), None);
    for event in Parser::new(&text) {
        match event {
            Event::Start(Tag::Heading { .. }) => words.clear(),
            Event::Start(Tag::Link { dest_url, .. }) => {
                words.clear();
                linked = dest_url.strip_suffix(".md").filter(|name| !name.contains('/')).map(str::to_owned);
            }
            Event::Text(text) | Event::Code(text) => words.push_str(&text),
            Event::End(TagEnd::Heading(HeadingLevel::H2)) => {
                sections.push(Section { title: std::mem::take(&mut words), chapters: Vec::new() });
            }
            Event::End(TagEnd::Link) => {
                if let (Some(name), Some(section)) = (linked.take(), sections.last_mut()) {
                    section.chapters.push(Chapter { name, title: std::mem::take(&mut words) });
                }
            }
            _ => {}
        }
    }
    sections
}

/// Links to the previous and the next chapter.
fn turning(before: Option<&Chapter>, after: Option<&Chapter>) -> String {
    let one = |chapter: Option<&Chapter>, sign: [&str; 2]| {
        let [left, right] = sign;
        let title = |chapter: &Chapter| format!("{left}{}{right}", chapter.title);
        chapter.map(|chapter| written(link(&chapter.name, &title(chapter)).to_vec())).unwrap_or_default()
    };
    let (before, after) = (one(before, ["← ", ""]), one(after, ["", " →"]));
    format!("<nav class=\"turn\" aria-label=\"Before and after\"><span>{before}</span><span>{after}</span></nav>\n")
}

fn link<'a>(to: &str, title: &str) -> [Event<'a>; 3] {
    let start = Tag::Link {
        link_type: LinkType::Inline,
        dest_url: to.to_owned().into(),
        title: CowStr::Borrowed(""),
        id: CowStr::Borrowed(""),
    };
    [Event::Start(start), Event::Text(title.to_owned().into()), Event::End(TagEnd::Link)]
}

/// The anchor of a heading, as made by code hosts, so that links in the files work in both places.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Gives every heading an id. The text of the first heading is the title.
fn with_ids(mut events: Vec<Event<'_>>) -> (String, Vec<Event<'_>>) {
    let mut title = None;
    for start in 0..events.len() {
        if !matches!(events[start], Event::Start(Tag::Heading { .. })) {
            continue;
        }
        let inside = events[start..].iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
        let words: String = inside
            .filter_map(|event| match event {
                Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
                _ => None,
            })
            .collect();
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
            *id = Some(anchor(&words).into());
        }
        title.get_or_insert(words);
    }
    (title.unwrap_or_default(), events)
}

/// Adapts a chapter to this service: links lead to pages, wide content can be scrolled, and HTML is shown as text.
fn adapted(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut adapted = Vec::with_capacity(events.len());
    // The file of a link out of the guide.
    let mut outside: Option<String> = None;
    for event in events {
        match event {
            // Comments are for testers of the page.
            Event::Html(text) if text.starts_with("<!--") => {}
            Event::Html(text) | Event::InlineHtml(text) => adapted.push(Event::Text(text)),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => match target(&dest_url) {
                Target::Page(page) => {
                    adapted.push(Event::Start(Tag::Link { link_type, dest_url: page.into(), title, id }));
                }
                Target::File(file) => outside = Some(file),
            },
            Event::End(TagEnd::Link) => match outside.take() {
                Some(file) => {
                    adapted.extend([Event::Text(" (".into()), Event::Code(file.into()), Event::Text(")".into())]);
                }
                None => adapted.push(event),
            },
            Event::Start(Tag::Table(_)) => {
                adapted.extend([Event::Html("<div class=\"scroll\" tabindex=\"0\">".into()), event]);
            }
            Event::End(TagEnd::Table) => adapted.extend([event, Event::Html("</div>\n".into())]),
            Event::Start(Tag::CodeBlock(_)) => adapted.push(Event::Html("<pre tabindex=\"0\"><code>".into())),
            Event::End(TagEnd::CodeBlock) => adapted.push(Event::Html("</code></pre>\n".into())),
            _ => adapted.push(event),
        }
    }
    adapted
}

enum Target {
    /// The address of a page, relative to a page of the guide.
    Page(String),
    /// A source file that isn't a page.
    File(String),
}

/// The target of a link in a chapter.
fn target(written: &str) -> Target {
    if written.starts_with('#') || written.contains("://") {
        return Target::Page(written.to_owned());
    }
    if let Some(page) = written.strip_prefix('/') {
        return Target::Page(format!("../{page}"));
    }
    let (path, place) = written.split_once('#').map_or((written, ""), |(path, place)| (path, place));
    match path.strip_suffix(".md") {
        Some(CONTENTS) => Target::Page("./".to_owned()),
        Some(name) if !name.contains('/') && place.is_empty() => Target::Page(name.to_owned()),
        Some(name) if !name.contains('/') => Target::Page(format!("{name}#{place}")),
        _ => Target::File(
            path.strip_prefix("../../")
                .map_or_else(|| format!("docs/{}", path.trim_start_matches("../")), str::to_owned),
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names() -> BTreeSet<String> {
        let files = Chapters::iter().map(|file| file.trim_end_matches(".md").to_owned());
        files.filter(|name| name != CONTENTS).collect()
    }

    /// The text between two markers.
    fn between<'a>(text: &'a str, open: &'a str, close: char) -> impl Iterator<Item = &'a str> {
        text.split(open).skip(1).filter_map(move |rest| rest.split(close).next())
    }

    #[test]
    fn the_list_has_every_chapter_once_under_its_own_title() {
        let chapters: Vec<Chapter> = contents().into_iter().flat_map(|section| section.chapters).collect();
        let listed: BTreeSet<String> = chapters.iter().map(|chapter| chapter.name.clone()).collect();
        assert_eq!(listed, names());
        assert_eq!(chapters.len(), listed.len());
        for Chapter { name, title } in chapters {
            assert_eq!(page(&name).unwrap().title, title, "{name}");
        }
    }

    #[test]
    fn what_is_said_to_tests_is_not_shown() {
        let main = page("first-ladder").unwrap().main;
        assert!(main.contains("Harbour club") && !main.contains("tested"), "{main}");
    }

    #[test]
    fn every_link_leads_to_a_heading_or_a_page() {
        for name in names().iter().map(String::as_str).chain([CONTENTS]) {
            let main = page(name).unwrap().main;
            // Links to other parts of the service are tested over HTTP (tests/api/documentation.rs).
            for link in
                between(&main, "<a href=\"", '"').filter(|link| !link.contains("://") && !link.starts_with("../"))
            {
                let (to, place) = link.split_once('#').unwrap_or((link, ""));
                let to = match to {
                    "" => name,
                    "./" => CONTENTS,
                    other => other,
                };
                let there = page(to).unwrap_or_else(|| panic!("{name}: {link}")).main;
                assert!(place.is_empty() || there.contains(&format!("id=\"{place}\"")), "{name}: {link}");
            }
        }
    }

    #[test]
    fn nothing_in_a_chapter_is_html() {
        let text = "# A <b>title</b>\n\n<script>alert(1)</script>\n\na <i>word</i> & `<u>`\n\n```\n</code><br>\n```\n";
        let (title, events) = with_ids(Parser::new(text).collect());
        let page = written(adapted(events));
        assert_eq!(title, "A title");
        for tag in ["<script", "<b>", "<i>", "<u>", "<br>"] {
            assert!(!page.contains(tag), "{page}");
        }
        assert!(page.contains("&lt;script&gt;"), "{page}");
    }

    #[test]
    fn links_out_of_the_guide_name_their_file() {
        let text =
            "[the rules](../readings.md#a), [a player](../../examples/player.py) and [events](events.md#cursors)";
        let page = written(adapted(Parser::new(text).collect()));
        assert!(page.contains("the rules (<code>docs/readings.md</code>)"), "{page}");
        assert!(page.contains("a player (<code>examples/player.py</code>)"), "{page}");
        assert!(page.contains("<a href=\"events#cursors\">events</a>"), "{page}");
    }

    #[test]
    fn what_is_read_is_marked_in_the_list() {
        assert!(side("events").contains("<a href=\"events\" aria-current=\"page\">"));
        assert!(!side(CONTENTS).contains("aria-current"));
    }
}
