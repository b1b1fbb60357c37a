//! Pages for each code of a problem or a fault, and a list of all codes, in HTML for people and JSON for programs, by
//! `Accept`.

use std::sync::LazyLock;

use actix_web::http::header;
use actix_web::{HttpRequest, web};
use broadside_rules::card::Language;
use broadside_rules::illegal::{Code, Texts};
use serde::Serialize;

use crate::api::http::accept::preferred;
use crate::api::http::auth::Passer;
use crate::api::http::caching::Caching;
use crate::api::http::languages;
use crate::api::http::problem::status_of;
use crate::api::http::reply::{Answer, JSON, Reply};
use crate::api::http::shelf::Shelf;
use crate::api::openapi;
use crate::app::App;
use crate::document::Document;
use crate::error::{CATALOGUE, Error, FAULTS, Problem, Result};

pub fn routes(config: &mut web::ServiceConfig) {
    config.route("/problems", web::get().to(list)).route("/problems/{code}", web::get().to(page));
}

/// Content Security Policy of the pages: nothing is allowed.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";

/// HTML comes first, as the default for requests without a preference.
const OFFERED: [&str; 2] = ["text/html", "application/json"];

/// The facts about a code.
#[derive(Serialize)]
struct Explained {
    code: &'static str,
    /// The path of the code's page on this server.
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    meaning: &'static str,
    remedy: &'static str,
    /// The HTTP status of a problem; null for a fault, which is only found in `errors` of a problem.
    status: Option<u16>,
    /// The ids of the operations that can fail with the problem.
    operations: Vec<String>,
    /// The language of the texts.
    language: Language,
}

/// The list of all codes.
#[derive(Serialize)]
struct Everything {
    items: Vec<Explained>,
    language: Language,
}

impl Explained {
    fn of_problem(problem: &Problem, language: Language) -> Self {
        let Problem { code, kind, title, meaning, remedy } = *problem;
        let said = |texts: Texts| texts[language as usize];
        Self {
            code,
            kind: format!("/problems/{code}"),
            title: said(title),
            meaning: said(meaning),
            remedy: said(remedy),
            status: Some(status_of(kind).as_u16()),
            operations: openapi::operations_with(code),
            language,
        }
    }

    fn of_fault(fault: &Code, language: Language) -> Self {
        let Code { code, title, meaning, what_to_do, .. } = *fault;
        let said = |texts: Texts| texts[language as usize];
        Self {
            code,
            kind: format!("/problems/{code}"),
            title: said(title),
            meaning: said(meaning),
            remedy: said(what_to_do),
            status: None,
            operations: Vec::new(),
            language,
        }
    }

    fn find(code: &str, language: Language) -> Option<Self> {
        let problem = CATALOGUE.iter().find(|problem| problem.code == code);
        let fault = FAULTS.iter().find(|fault| fault.code == code);
        problem
            .map(|problem| Self::of_problem(problem, language))
            .or(fault.map(|fault| Self::of_fault(fault, language)))
    }

    fn all(language: Language) -> Vec<Self> {
        let problems = CATALOGUE.iter().map(|problem| Self::of_problem(problem, language));
        let mut all: Vec<_> = problems.chain(FAULTS.iter().map(|fault| Self::of_fault(fault, language))).collect();
        all.sort_by_key(|explained| (explained.status.is_none(), explained.status, explained.code));
        all
    }

    /// The place of the code in an answer.
    fn place(&self) -> String {
        match (self.status, self.language) {
            (Some(status), Language::English) => format!("Status {status}"),
            (Some(status), Language::French) => format!("Statut {status}"),
            (None, Language::English) => "In `errors` of a problem".to_owned(),
            (None, Language::French) => "Dans `errors` d'un problème".to_owned(),
        }
    }
}

/// Pages made on request, by code (`None`: the list), form and language.
static PAGES: LazyLock<Shelf<(Option<&'static str>, usize, Language)>> = LazyLock::new(|| Shelf::new(1024));

async fn list(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    let (form, language) = (preferred(&request, &OFFERED), languages::preferred(&request));
    let make = move || made(form, &Everything { items: Explained::all(language), language }, list_in_html);
    Ok(dressed(&*PAGES.get(&app.pool, (None, form, language), make).await?, language, &request))
}

async fn page(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    let (form, language) = (preferred(&request, &OFFERED), languages::preferred(&request));
    let asked = request.match_info().get("code").unwrap_or_default();
    let explained = Explained::find(asked, language).ok_or_else(Error::not_found)?;
    let name = (Some(explained.code), form, language);
    let make = move || made(form, &explained, page_in_html);
    Ok(dressed(&*PAGES.get(&app.pool, name, make).await?, language, &request))
}

fn made<T: Serialize>(form: usize, said: &T, html: impl FnOnce(&T) -> String) -> Result<Document> {
    match form {
        0 => Ok(Document::new(HTML, html(said).into_bytes())),
        _ => Ok(Document::new(JSON, serde_json::to_vec(said).map_err(Error::internal)?)),
    }
}

fn dressed(document: &Document, language: Language, request: &HttpRequest) -> Reply {
    let reply = Reply::document(document, Caching::Public, request).header(header::VARY, "accept, accept-language");
    let reply = reply.header(header::CONTENT_LANGUAGE, language.tag());
    reply.header(header::CONTENT_SECURITY_POLICY, POLICY)
}

// The pages' texts come from the catalogue and the contract, which contain no markup.

fn page_in_html(explained: &Explained) -> String {
    let Explained { code, title, meaning, remedy, .. } = explained;
    let words = words(explained.language);
    let operations = match explained.operations.as_slice() {
        [] => String::new(),
        ids => format!("<h2>{}</h2><p>{}</p>", words.answered_by, listed(ids)),
    };
    framed(
        explained.language,
        title,
        &format!(
            "<p><code>{code}</code> · {}</p><p>{}</p><p>{}</p>{operations}<p><a href=\"/problems\">{}</a></p>",
            marked(&explained.place()),
            marked(meaning),
            marked(remedy),
            words.all,
        ),
    )
}

fn listed(ids: &[String]) -> String {
    let ids: Vec<String> = ids.iter().map(|id| format!("<code>{id}</code>")).collect();
    ids.join(", ")
}

fn list_in_html(all: &Everything) -> String {
    let words = words(all.language);
    let row = |explained: &Explained| {
        let Explained { code, title, meaning, .. } = explained;
        let status = explained.status.map_or_else(|| "errors".to_owned(), |status| status.to_string());
        format!(
            "<tr><td>{status}<td><a href=\"/problems/{code}\"><code>{code}</code></a><td>{}<br>{}",
            marked(title),
            marked(meaning)
        )
    };
    let rows: String = all.items.iter().map(row).collect();
    let [status, code, meaning] = words.columns;
    framed(
        all.language,
        words.all,
        &format!("<p>{}</p><table><tr><th>{status}<th>{code}<th>{meaning}{rows}</table>", marked(words.about)),
    )
}

/// Marks up text in backticks as code.
fn marked(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() }).collect()
}

/// Texts of the pages that are not in the catalogue.
struct Words {
    all: &'static str,
    about: &'static str,
    columns: [&'static str; 3],
    answered_by: &'static str,
}

fn words(language: Language) -> Words {
    match language {
        Language::English => Words {
            all: "All problems",
            about: "Every `code` of a problem, by its HTTP status, and below them every code that stands in `errors` of \
                    one.",
            columns: ["Status", "Code", "What it means"],
            answered_by: "Operations that can answer with it",
        },
        Language::French => Words {
            all: "Tous les problèmes",
            about: "Chaque `code` d'un problème, par statut HTTP, et au-dessous chaque code qui se trouve dans `errors` \
                    d'un problème.",
            columns: ["Statut", "Code", "Ce que cela veut dire"],
            answered_by: "Opérations qui peuvent répondre ainsi",
        },
    }
}

fn framed(language: Language, title: &str, body: &str) -> String {
    let (title, language) = (marked(title), language.tag());
    format!(
        "<!doctype html><html lang={language}><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>{title}</title><style>:root{{color-scheme:light dark}}body{{font:1.1rem/1.5 system-ui;max-width:60rem;\
         margin:3rem auto;padding:0 1rem}}code{{background:#8883;padding:.1em .3em}}td,th{{text-align:left;\
         vertical-align:top;padding:.3em 1em .3em 0}}</style><h1>{title}</h1>{body}"
    )
}
