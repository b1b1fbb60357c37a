//! The documentation at `/docs`: the guide, whose chapters are made here, and the reference, a program that reads the
//! contract in the reader's browser. Both use files of `web/`, and load nothing from other servers.

use std::sync::{Arc, LazyLock};

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::api::http::auth::Passer;
use crate::api::http::caching::Caching;
use crate::api::http::front_end::redirect;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::api::http::shelf::Shelf;
use crate::app::App;
use crate::document::Document;
use crate::error::{Error, Result};
use crate::front_end::FrontEnd;
use crate::guide::{self, Page};

/// Content Security Policy of the pages: files and answers of this server only.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The template of every page, and the content of the reference page.
const TEMPLATE: &str = "reference/page.html";
const REFERENCE: &str = "reference/reference.html";
/// The modules of the reference's program, in `web/reference`.
const MODULES: [&str; 6] = ["main", "contract", "operation", "schema", "attempt", "session"];

pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/docs", web::get().to(to_first_page))
        .route("/docs/guide", web::get().to(to_first_page))
        .route("/docs/guide/", web::get().to(to_first_page))
        .route("/docs/guide/{chapter}", web::get().to(to_chapter))
        .route("/docs/files/~{version}/{file:.*}", web::get().to(file))
        .route("/docs/{page}", web::get().to(page))
        .route("/docs/", web::get().to(page));
}

static PAGES: LazyLock<Shelf<String>> = LazyLock::new(|| Shelf::new(128));

/// Makes the most requested documents in advance.
pub async fn prepare(app: &App) -> Result<()> {
    for name in [guide::CONTENTS, "reference"] {
        page_document(app, name).await?;
    }
    // A browser asks for all modules at once.
    for name in MODULES {
        file_document(app, &format!("reference/{name}.js")).await?;
    }
    Ok(())
}

async fn to_first_page() -> HttpResponse {
    redirect("/docs/")
}

/// Redirects the guide's links, which name its source files, to the pages.
async fn to_chapter(chapter: web::Path<String>) -> Result<HttpResponse, Failure> {
    let name = chapter.strip_suffix(".md").unwrap_or(&chapter);
    guide::page(name).ok_or_else(|| Failure(Error::not_found()))?;
    Ok(redirect(&format!("/docs/{name}")))
}

async fn page(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    let name = request.match_info().get("page").unwrap_or(guide::CONTENTS);
    let document = page_document(&app, name).await?;
    Ok(Reply::document(&document, Caching::Checked, &request).header(header::CONTENT_SECURITY_POLICY, POLICY))
}

/// A page by the last part of its path. Fails with `not-found` if there is none.
async fn page_document(app: &App, name: &str) -> Result<Arc<Document>> {
    let wanted = name.to_owned();
    let make = move || {
        let text = if wanted == "reference" { reference()? } else { chapter(&wanted)? };
        Ok(Document::new("text/html; charset=utf-8", text.into_bytes()))
    };
    PAGES.get(&app.pool, name.to_owned(), make).await
}

/// A file of the pages. It costs no budget: a browser asks for a dozen at once, and they are in memory.
async fn file(app: web::Data<App>, request: HttpRequest) -> Answer {
    let document = file_document(&app, request.match_info().get("file").unwrap_or_default()).await?;
    let current = request.match_info().get("version") == FrontEnd::BuiltIn.version();
    let caching = if current { Caching::Versioned } else { Caching::Checked };
    Ok(Reply::document(&document, caching, &request).header(header::CONTENT_SECURITY_POLICY, POLICY))
}

/// A file of `web/`. Fails with `not-found` if there is none of this name.
async fn file_document(app: &App, name: &str) -> Result<Arc<Document>> {
    // Requests for unknown names must not take turns in the pool.
    if !FrontEnd::has_built_in(name) {
        return Err(Error::not_found());
    }
    let wanted = name.to_owned();
    let make = move || {
        let found = FrontEnd::BuiltIn.file(&wanted).ok_or_else(Error::not_found)?;
        Ok(Document::new(found.media_type, found.bytes.into_owned()))
    };
    PAGES.get(&app.pool, format!("files/{name}"), make).await
}

fn chapter(name: &str) -> Result<String> {
    let page = guide::page(name).ok_or_else(Error::not_found)?;
    let main = format!("<article class=\"prose\">\n{}</article>", page.main);
    filled(&Page { main, ..page }, "", "Chapters", &guide::side(name))
}

fn reference() -> Result<String> {
    let page = Page { title: "Reference".to_owned(), main: part(REFERENCE)? };
    let preloads =
        MODULES.map(|name| format!("<link rel=\"modulepreload\" href=\"{{{{files}}}}/reference/{name}.js\">"));
    let head =
        format!("{}<script type=\"module\" src=\"{{{{files}}}}/reference/main.js\"></script>", preloads.concat());
    filled(&page, &head, "Operations", "<ul id=\"tasks\"></ul>")
}

/// Fills the template with a page.
fn filled(page: &Page, head: &str, side_title: &str, side: &str) -> Result<String> {
    let files = format!("files/~{}", FrontEnd::BuiltIn.version().unwrap_or_default());
    Ok(part(TEMPLATE)?
        .replace("{{head}}", head)
        .replace("{{files}}", &files)
        .replace("{{title}}", &guide::escaped(&page.title))
        .replace("{{side-title}}", side_title)
        .replace("{{side}}", side)
        .replace("{{main}}", &page.main))
}

/// A template in `web/`.
fn part(name: &str) -> Result<String> {
    let file = FrontEnd::BuiltIn.file(name).ok_or_else(|| Error::internal(format!("{name} is missing")))?;
    String::from_utf8(file.bytes.into_owned()).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_loads_all_of_its_program_at_once() {
        let page = reference().unwrap();
        for file in FrontEnd::BuiltIn.built_in().filter(|file| file.starts_with("reference/") && file.ends_with(".js"))
        {
            assert!(page.contains(&file), "{file}");
        }
        assert!(MODULES.iter().all(|name| FrontEnd::BuiltIn.file(&format!("reference/{name}.js")).is_some()));
        assert!(!page.contains("{{"), "{page}");
    }
}
