//! CSV tables (RFC 4180) for spreadsheets: a header row, UTF-8, lines that end with CRLF, and a file name.
//!
//! A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@` as a formula, also one that a stranger has written.
//! Such a cell gets an apostrophe before it, which spreadsheets take as the mark of a text.

use actix_web::HttpRequest;
use actix_web::http::header;
use csv::{Terminator, Writer, WriterBuilder};
use unicode_normalization::UnicodeNormalization;
use utoipa::ToSchema;

use crate::api::http::accept;
use crate::api::http::fields::text_fields;
use crate::api::http::reply::Reply;
use crate::budget_owner;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::string_enums::string_enums;
use crate::work_pool::Lane;

/// The maximum number of rows of a table. A `Link` leads to the rest.
pub const MAX_ROWS: i64 = 10_000;
/// Rows read and written per millisecond of processor time.
const ROWS_A_MS: u32 = 200;
/// The maximum number of a title's letters in a file name.
const MAX_TITLE: usize = 60;

string_enums! {
    /// A form of a table.
    pub enum TableForm {
        /// JSON, page by page.
        Json,
        /// CSV, for spreadsheets: all rows.
        Csv,
    }
}

text_fields!(TableForm);

impl TableForm {
    /// The form named in the query, or else the one that `Accept` prefers.
    pub fn wanted(named: Option<Self>, request: &HttpRequest) -> Self {
        named.unwrap_or_else(|| match accept::preferred(request, &["application/json", "text/csv"]) {
            0 => Self::Json,
            _ => Self::Csv,
        })
    }
}

/// A table as CSV (RFC 4180): a header row, then a row a line. A cell that a spreadsheet would run as a formula has an
/// apostrophe before it.
#[derive(ToSchema)]
#[schema(max_length = 16_777_216)]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct TableCsv(String);

/// Charges the cost of `rows` beyond the price of a page, before they are read.
pub fn charge(ctx: &Context, rows: u32) -> Result<()> {
    budget_owner::charge_more(ctx.rate_limits.as_ref(), rows / ROWS_A_MS)
}

/// Refuses parameters of pages, which mean nothing for a whole table.
pub fn refuse(given: &[(&'static str, bool)]) -> Result<()> {
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((pointer, _)) => {
            let detail = "can't be given for CSV, which has all rows";
            Err(Error::invalid_at(pointer, "conflicting-fields", detail))
        }
        None => Ok(()),
    }
}

pub struct CsvTable {
    writer: Writer<Vec<u8>>,
}

impl CsvTable {
    pub fn new<T: Into<String>>(header: impl IntoIterator<Item = T>) -> Result<Self> {
        let writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
        let mut table = Self { writer };
        table.row(header.into_iter().map(Into::into))?;
        Ok(table)
    }

    /// Appends a row, as long as the header.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) -> Result<()> {
        self.writer.write_record(cells.into_iter().map(harmless)).map_err(Error::internal)
    }

    fn finish(self) -> Result<String> {
        let bytes = self.writer.into_inner().map_err(|error| Error::internal(error.to_string()))?;
        String::from_utf8(bytes).map_err(Error::internal)
    }
}

/// Answers with the table that `write` writes in the pool. The file is named after the title and the content.
pub async fn reply(
    ctx: &Context,
    title: &str,
    what: &str,
    write: impl FnOnce() -> Result<CsvTable> + Send + 'static,
) -> Result<Reply> {
    let text = ctx.pool.run(Lane::Heavy, move || write()?.finish()).await??;
    let file = format!("attachment; filename=\"{}\"", file_name(title, what, "csv"));
    Ok(Reply::csv(text).header(header::CONTENT_DISPOSITION, file))
}

/// Escapes a cell that a spreadsheet would run as a formula.
fn harmless(cell: String) -> String {
    let runs = |first: char| matches!(first, '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠');
    if cell.starts_with(runs) { format!("'{cell}") } else { cell }
}

/// A file name of ASCII letters, digits and hyphens: the same on every system, and safe in a header.
pub fn file_name(title: &str, what: &str, ending: &str) -> String {
    let plain: String = title.nfkd().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter)).collect();
    let words = plain.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name: String = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    name.truncate(MAX_TITLE);
    match name.trim_end_matches('-') {
        "" => format!("{what}.{ending}"),
        name => format!("{name}-{what}.{ending}"),
    }
}

/// Refuses an incomplete file, because a table can't say that it is incomplete.
pub fn must_be_whole(incomplete: bool) -> Result<()> {
    if incomplete { Err(Error::internal("a file would lack what can't be read")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cells: &[&str]) -> String {
        let mut table = CsvTable::new(["a", "b"]).unwrap();
        table.row(cells.iter().map(|cell| (*cell).to_owned())).unwrap();
        table.finish().unwrap()
    }

    #[test]
    fn cells_are_quoted_as_the_standard_says() {
        assert_eq!(written(&["plain", ""]), "a,b\r\nplain,\r\n");
        assert_eq!(written(&["one, two", "\"so\""]), "a,b\r\n\"one, two\",\"\"\"so\"\"\"\r\n");
        assert_eq!(written(&["two\nlines", "é½"]), "a,b\r\n\"two\nlines\",é½\r\n");
    }

    #[test]
    fn no_cell_is_run_as_a_formula() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1"] {
            assert_eq!(harmless(formula.to_owned()), format!("'{formula}"));
        }
        assert_eq!(written(&["=HYPERLINK(\"x\")", "a=b"]), "a,b\r\n\"'=HYPERLINK(\"\"x\"\")\",a=b\r\n");
        for plain in ["1", "1.5", "anna-2", "", "'", "(1)"] {
            assert_eq!(harmless(plain.to_owned()), plain);
        }
    }

    #[test]
    fn files_are_named_after_titles() {
        for (title, name) in [
            ("Winter league", "winter-league-standings.csv"),
            ("Coupe d'été", "coupe-d-ete-standings.csv"),
            ("../../etc/passwd\"; x=\"", "etc-passwd-x-standings.csv"),
            ("海戦", "standings.csv"),
        ] {
            assert_eq!(file_name(title, "standings", "csv"), name);
        }
        let long = file_name(&"ab ".repeat(26), "standings", "csv");
        assert!(long.len() <= MAX_TITLE + 14 && !long.contains("--"), "{long}");
    }
}
