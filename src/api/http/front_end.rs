//! The web pages and their files.
//!
//! Every page is the same document: its program looks at the address. The files of the built-in pages have a name that
//! changes with their content (`/app/~<version>/…`), so a browser asks for each of them once, and never mixes two
//! versions.

use std::sync::{Arc, LazyLock};

use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, Responder, web};

use crate::api::http::auth::Passer;
use crate::api::http::caching::Caching;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::api::http::shelf::Shelf;
use crate::app::App;
use crate::document::Document;
use crate::error::{Error, Result};
use crate::front_end::{File, FrontEnd};
use crate::work_pool::Lane;

/// Content Security Policy of the pages: files and answers of this server, and pictures and downloads made in the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
     font-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/// The prefixes of the pages' addresses.
const PAGES: [&str; 12] = [
    "account",
    "cases",
    "challenge",
    "ladders",
    "leaderboards",
    "lobby",
    "match",
    "play",
    "players",
    "sign-in",
    "tournaments",
    "variants",
];

/// The document of every page.
const SHELL: &str = "index.html";
/// The title in the document.
const TITLE: &str = "<title>Broadside</title>";

pub fn routes(config: &mut web::ServiceConfig) {
    config.route("/", web::get().to(door)).route("/app/{file:.*}", web::get().to(asset));
    for page in PAGES {
        config.route(&format!("/{page}"), web::get().to(page_of));
        config.route(&format!("/{page}/{{rest:.*}}"), web::get().to(page_of));
    }
}

static BUILT_IN: LazyLock<Shelf<String>> = LazyLock::new(|| Shelf::new(256));

/// Compresses the built-in files once in advance, outside the pool, which may refuse work.
pub async fn prepare(app: &App) -> Result<()> {
    let front_end = app.front_end.clone();
    let compress = move || -> Result<()> {
        for name in front_end.built_in() {
            let found = read(&front_end, &name)?;
            BUILT_IN.put(name, Document::new(found.media_type, found.bytes.into_owned()));
        }
        Ok(())
    };
    tokio::task::spawn_blocking(compress).await.map_err(Error::internal)?
}

/// The home page, or the documentation of the API if there are no pages.
async fn door(app: web::Data<App>, _: Passer, request: HttpRequest) -> std::result::Result<HttpResponse, Failure> {
    match &app.front_end {
        FrontEnd::Off => Ok(redirect("/docs/")),
        FrontEnd::Elsewhere(url) => Ok(redirect(&format!("{url}/"))),
        FrontEnd::BuiltIn | FrontEnd::Folder(_) => shell(&app, &request).await,
    }
}

async fn page_of(app: web::Data<App>, _: Passer, request: HttpRequest) -> std::result::Result<HttpResponse, Failure> {
    page(&app, &request, None).await
}

/// The document of a page; `head` replaces its title.
pub(in crate::api) async fn page(
    app: &App,
    request: &HttpRequest,
    head: Option<String>,
) -> std::result::Result<HttpResponse, Failure> {
    match &app.front_end {
        FrontEnd::Off => Err(Failure(Error::not_found())),
        FrontEnd::Elsewhere(url) => Ok(redirect(&format!("{url}{}", request.uri()))),
        FrontEnd::BuiltIn | FrontEnd::Folder(_) => match head {
            None => shell(app, request).await,
            Some(head) => {
                let text = String::from_utf8_lossy(&file(app, SHELL).await?.plain).replacen(TITLE, &head, 1);
                let document = Document::plain("text/html; charset=utf-8", text.into_bytes());
                Ok(dressed(&document, Caching::Checked, request).respond_to(request).map_into_boxed_body())
            }
        },
    }
}

pub(super) fn redirect(to: &str) -> HttpResponse {
    HttpResponse::Found().insert_header((header::LOCATION, to)).finish()
}

async fn shell(app: &App, request: &HttpRequest) -> std::result::Result<HttpResponse, Failure> {
    let document = file(app, SHELL).await?;
    Ok(dressed(&document, Caching::Checked, request).respond_to(request).map_into_boxed_body())
}

/// The "not found" page for browsers; `None` without pages.
pub(super) async fn no_page(app: &App) -> Result<Option<Reply>> {
    if !matches!(app.front_end, FrontEnd::BuiltIn | FrontEnd::Folder(_)) {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&file(app, SHELL).await?.plain).into_owned();
    Ok(Some(Reply::page(text, POLICY).with_code(StatusCode::NOT_FOUND)))
}

/// A file. It costs no budget: a browser asks for some dozens at once, and they are in memory.
async fn asset(app: web::Data<App>, request: HttpRequest) -> Answer {
    let path = request.match_info().get("file").unwrap_or_default();
    let (version, name) = match path.strip_prefix('~').and_then(|rest| rest.split_once('/')) {
        Some((version, name)) => (Some(version), name),
        None => (None, path),
    };
    let document = file(&app, &format!("app/{name}")).await?;
    let current = version.is_some() && version == app.front_end.version();
    let caching = if current { Caching::Versioned } else { Caching::Checked };
    // A worker has a policy of its own (Content Security Policy, section 5.2); other files have that of their page.
    let reply = match name.ends_with("worker.js") || name == "offline.js" {
        true => dressed(&document, caching, &request),
        false => Reply::document(&document, caching, &request),
    };
    // This worker keeps all pages for times when the server can't be reached.
    let scope = header::HeaderName::from_static("service-worker-allowed");
    Ok(if name == "offline.js" { reply.header(scope, "/") } else { reply })
}

fn dressed(document: &Document, caching: Caching, request: &HttpRequest) -> Reply {
    Reply::document(document, caching, request).header(header::CONTENT_SECURITY_POLICY, POLICY)
}

/// A file of the pages. Fails with `not-found` if there is none of this name.
async fn file(app: &App, name: &str) -> Result<Arc<Document>> {
    let (front_end, wanted) = (app.front_end.clone(), name.to_owned());
    if front_end == FrontEnd::BuiltIn {
        if !FrontEnd::has_built_in(name) {
            return Err(Error::not_found());
        }
        if let Some(compressed) = BUILT_IN.find(&wanted) {
            return Ok(compressed);
        }
        // The service has just started. A browser asks for some dozens of files at once, and doesn't retry a refused
        // one.
        return uncompressed(&front_end, name).map(Arc::new);
    }
    // Not compressed, because the file may have changed since the last request.
    Ok(Arc::new(app.pool.run(Lane::Play, move || uncompressed(&front_end, &wanted)).await??))
}

fn uncompressed(front_end: &FrontEnd, name: &str) -> Result<Document> {
    let found = read(front_end, name)?;
    Ok(Document::plain(found.media_type, found.bytes.into_owned()))
}

/// Reads a file. The document of the pages refers to the other files by their version.
fn read(front_end: &FrontEnd, name: &str) -> Result<File> {
    let found = front_end.file(name).ok_or_else(Error::not_found)?;
    let (SHELL, Some(version)) = (name, front_end.version()) else { return Ok(found) };
    let text = std::str::from_utf8(&found.bytes).map_err(Error::internal)?;
    let text = text.replace("=\"app/", &format!("=\"app/~{version}/"));
    Ok(File { bytes: text.into_bytes().into(), ..found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_of_every_page_has_the_title() {
        let shell = FrontEnd::BuiltIn.file(SHELL).unwrap();
        assert!(std::str::from_utf8(&shell.bytes).unwrap().contains(TITLE));
    }

    #[test]
    fn every_page_of_the_program_has_an_address() {
        let program = FrontEnd::BuiltIn.file("app/main.js").unwrap();
        let program = std::str::from_utf8(&program.bytes).unwrap();
        let mut routes = 0;
        for line in program.lines().filter_map(|line| line.strip_prefix("route('/")) {
            let first = line.split(['/', '\'']).next().unwrap();
            assert!(first.is_empty() || PAGES.contains(&first), "/{first} is no page of the service");
            routes += 1;
        }
        assert!(routes > PAGES.len(), "the routes can't be read");
    }
}
