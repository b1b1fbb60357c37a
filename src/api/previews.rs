//! Link previews of matches (Open Graph, ogp.me): a title, a sentence, and a picture of the spectators' view.

use std::collections::HashMap;

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use broadside_rules::card::{BoardCard, Feature, Language, SeaCard};
use broadside_rules::text::Label;
use broadside_rules::view_model::{MarkKind, SeaView};
use broadside_rules::{Status, View};
use maud::html;

use crate::api::http::auth::Passer;
use crate::api::http::caching::Caching;
use crate::api::http::front_end;
use crate::api::http::languages::preferred;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::document::Document;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::matches::MatchSnapshot;
use crate::work_pool::Lane;

pub fn routes(config: &mut web::ServiceConfig) {
    config.route("/match/{id}", web::get().to(page)).route("/match/{id}/preview.png", web::get().to(picture));
}

/// The page of a match. Browsers send `Sec-Fetch-Dest` and read the match themselves; other clients get the preview.
async fn page(
    app: web::Data<App>,
    _: Passer,
    id: web::Path<String>,
    request: HttpRequest,
) -> std::result::Result<HttpResponse, Failure> {
    let is_browser = request.headers().contains_key("sec-fetch-dest");
    let head = if is_browser { None } else { head_of(&app, &id, preferred(&request)).await };
    let mut page = front_end::page(&app, &request, head).await?;
    page.headers_mut().append(header::VARY, HeaderValue::from_static("sec-fetch-dest, accept-language"));
    Ok(page)
}

/// The preview's metadata; `None` if the match is closed to spectators.
async fn head_of(app: &App, id: &str, language: Language) -> Option<String> {
    let id: MatchId = id.parse().ok()?;
    let seen = app.matches.read(id, None).await.ok()?;
    let names: Vec<&str> = seen.terms().players.iter().map(|player| player.username.as_str()).collect();
    let title = format!("{} · {}", names.join(" – "), seen.terms().variant.title(language));
    let address = app.page(&format!("/match/{id}"))?;
    let markup = html! {
        title { (title) }
        meta property="og:site_name" content="Broadside";
        meta property="og:type" content="website";
        meta property="og:title" content=(title);
        meta property="og:description" content=(sentence(&seen, &names, language));
        meta property="og:url" content=(address);
        meta property="og:image" content=(format!("{address}/preview.png?after={}", seen.view().version()));
        meta property="og:image:width" content=(WIDTH);
        meta property="og:image:height" content=(HEIGHT);
        meta name="twitter:card" content="summary_large_image";
    };
    Some(markup.into_string())
}

/// The status of the match in a sentence.
fn sentence(seen: &MatchSnapshot, names: &[&str], language: Language) -> String {
    let view = seen.view();
    let winner = view.result().and_then(|outcome| outcome.winner).and_then(|seat| names.get(seat.index()));
    let english = language == Language::English;
    match (view.status(), winner) {
        (Status::Finished, Some(name)) if english => format!("{name} won. See both fleets and every shot."),
        (Status::Finished, Some(name)) => format!("Victoire de {name}. Voyez les deux flottes et chaque tir."),
        (Status::Finished, None) if english => "The match is over. See the fleets and every shot.".to_owned(),
        (Status::Finished, None) => "La partie est finie. Voyez les flottes et chaque tir.".to_owned(),
        (Status::Deploying, _) if english => "The fleets are being placed.".to_owned(),
        (Status::Deploying, _) => "Les flottes se placent.".to_owned(),
        _ if english => "A naval battle under way. Watch it live.".to_owned(),
        _ => "Une bataille navale en cours. Suivez-la en direct.".to_owned(),
    }
}

/// The picture of the spectators' view.
async fn picture(app: web::Data<App>, _: Passer, id: web::Path<String>, request: HttpRequest) -> Answer {
    let id: MatchId = id.parse().map_err(|_| Error::not_found())?;
    let seen = app.matches.read(id, None).await?;
    let png = app.pool.run(Lane::Heavy, move || png_of(seen.view())).await??;
    Ok(Reply::document(&Document::plain("image/png", png), Caching::Checked, &request))
}

/// The width that sites with previews ask for, in pixels.
const WIDTH: usize = 1200;
const HEIGHT: usize = 630;
/// The space between and around seas, in pixels.
const GAP: usize = 36;

/// The colors by their numbers, in red, green and blue.
const PALETTE: [[u8; 3]; 9] = [
    [0xf6, 0xf3, 0xe9],
    [0x16, 0x22, 0x3d],
    [0x8f, 0xb4, 0xc9],
    [0xcf, 0xe2, 0xea],
    [0xd9, 0xc8, 0x9a],
    [0x3d, 0x62, 0x90],
    [0x4a, 0x4f, 0x5c],
    [0xc6, 0x32, 0x2a],
    [0x7f, 0xa3, 0xb8],
];

#[derive(Clone, Copy)]
enum Colour {
    Paper,
    Ink,
    Unknown,
    Searched,
    Land,
    Hull,
    Wreck,
    Hit,
    Line,
}

struct Canvas(Vec<u8>);

impl Canvas {
    fn rectangle(&mut self, [left, top]: [usize; 2], [width, height]: [usize; 2], colour: Colour) {
        for row in self.0.chunks_exact_mut(WIDTH).skip(top).take(height) {
            row.iter_mut().skip(left).take(width).for_each(|pixel| *pixel = colour as u8);
        }
    }

    /// A square that stands on a corner.
    fn diamond(&mut self, [x, y]: [usize; 2], radius: usize, colour: Colour) {
        for row in 0..=2 * radius {
            let half = radius - row.abs_diff(radius);
            self.rectangle([x - half, y + row - radius], [2 * half + 1, 1], colour);
        }
    }
}

/// A layer of a sea, as it is drawn.
struct Tile {
    size: [usize; 2],
    cells: Vec<([usize; 2], Colour, Option<Colour>)>,
}

fn png_of(view: &View) -> Result<Vec<u8>> {
    let (BoardCard { seas: cards }, seas) = (view.board(), view.seas());
    let tiles: Vec<Tile> = cards.iter().zip(&seas).flat_map(|(card, sea)| tiles_of(card, sea)).collect();
    let mut canvas = Canvas(vec![Colour::Paper as u8; WIDTH * HEIGHT]);
    canvas.rectangle([0, 0], [WIDTH, GAP / 2], Colour::Ink);
    let (columns, side) = arrangement(&tiles);
    let rows = tiles.len().div_ceil(columns);
    let across = columns * (side + GAP) - GAP;
    let down = rows * (side + GAP) - GAP;
    let origin = [(WIDTH - across) / 2, (HEIGHT + GAP / 2 - down) / 2];
    for (number, tile) in tiles.iter().enumerate() {
        let place = [number % columns, number / columns].map(|step| step * (side + GAP));
        tile.draw(&mut canvas, [origin[0] + place[0], origin[1] + place[1]], side);
    }
    let mut png = Vec::new();
    let size = |pixels: usize| u32::try_from(pixels).map_err(Error::internal);
    let mut encoder = png::Encoder::new(&mut png, size(WIDTH)?, size(HEIGHT)?);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(PALETTE.as_flattened());
    let mut writer = encoder.write_header().map_err(Error::internal)?;
    writer.write_image_data(&canvas.0).map_err(Error::internal)?;
    writer.finish().map_err(Error::internal)?;
    Ok(png)
}

/// The number of columns and the side of a tile, in pixels, that make the tiles largest.
fn arrangement(tiles: &[Tile]) -> (usize, usize) {
    let side = |columns: usize| {
        let rows = tiles.len().div_ceil(columns).max(1);
        let wide = (WIDTH - GAP).saturating_sub(columns * GAP) / columns;
        wide.min((HEIGHT - 2 * GAP).saturating_sub(rows * GAP) / rows)
    };
    (1..=tiles.len().max(1)).map(|columns| (columns, side(columns))).max_by_key(|(_, side)| *side).unwrap_or((1, 0))
}

fn tiles_of(card: &SeaCard, sea: &SeaView) -> Vec<Tile> {
    let searched = |kind| !matches!(kind, MarkKind::Near | MarkKind::Seen | MarkKind::Aimed | MarkKind::Excluded);
    let marks: HashMap<Label, MarkKind> = sea.marks.iter().map(|mark| (mark.cell, mark.kind)).collect();
    let mut hulls: HashMap<Label, Colour> = HashMap::new();
    for ship in &sea.ships {
        let colour = if ship.afloat == Some(false) { Colour::Wreck } else { Colour::Hull };
        hulls.extend(ship.cells.iter().flatten().map(|cell| (*cell, colour)));
    }
    let mut tiles = Vec::new();
    for layer in &card.layers {
        let mut tile = Tile { size: [card.columns.into(), card.rows.into()], cells: Vec::new() };
        for cell in card.cells.iter().filter(|cell| cell.layer == layer.id) {
            let mark = marks.get(&cell.label);
            let water = match (cell.feature, hulls.get(&cell.label), mark) {
                (Some(Feature::Island), ..) => Colour::Land,
                (_, Some(hull), _) => *hull,
                (_, None, Some(MarkKind::Sunk)) => Colour::Wreck,
                (_, None, Some(kind)) if searched(*kind) => Colour::Searched,
                _ => Colour::Unknown,
            };
            let sign = match mark {
                Some(MarkKind::Hit | MarkKind::Sunk) => Some(Colour::Hit),
                Some(MarkKind::Miss | MarkKind::Sighted | MarkKind::Tried) => Some(Colour::Ink),
                _ => None,
            };
            tile.cells.push(([cell.column.into(), cell.row.into()], water, sign));
        }
        // A port is a single row beside the sea.
        if tile.cells.iter().any(|([_, row], ..)| *row > 0) {
            tiles.push(tile);
        }
    }
    tiles
}

impl Tile {
    fn draw(&self, canvas: &mut Canvas, [left, top]: [usize; 2], side: usize) {
        let [columns, rows] = self.size;
        let cell = side / columns.max(rows).max(1);
        let corner = [left + (side - cell * columns) / 2, top + (side - cell * rows) / 2];
        canvas.rectangle(corner.map(|at| at - 3), [cell * columns + 7, cell * rows + 7], Colour::Ink);
        for ([column, row], water, sign) in &self.cells {
            let at = [corner[0] + column * cell, corner[1] + row * cell];
            canvas.rectangle(at, [cell + 1; 2], Colour::Line);
            canvas.rectangle(at.map(|edge| edge + 1), [cell - 1; 2], *water);
            let radius = match sign {
                Some(Colour::Hit) => cell / 3,
                _ => cell / 8,
            };
            if let Some(colour) = sign {
                canvas.diamond(at.map(|edge| edge + cell / 2), radius, *colour);
            }
        }
    }
}
