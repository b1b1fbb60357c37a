//! A resident bot: it publishes an offer, so that people find it on the first page, accepts challenges within these
//! limits, and plays any number of matches at once, until you stop it.
//!
//!     BROADSIDE_TOKEN=bst_… cargo run --bin stay -- URL [VARIANT…]     without a variant it plays all of them
//!
//! Begin with `choose`. README.md says how to get a token, and how all types are made from the OpenAPI document.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};
use std::{env, num::NonZeroU32};

use anyhow::{Context, Result};
use broadside_client::{Client, Error, ResponseValue, types};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use tokio::time::sleep;
use uuid::Uuid;

/// Number of matches played at the same time.
const MATCHES: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// Lifetime of the offer. The bot renews it long before; it expires by itself if the bot is gone.
const OFFERED: Duration = Duration::from_secs(300);

/// The choice, to be replaced by your own. `None`: play the example of the match's first decision.
fn choose(view: &types::Match, board: &types::Board) -> Option<types::Action> {
    view.decisions.iter().find_map(|decision| match decision {
        types::Decision::FireDecision(fire) => {
            let cells = aim(fire, view, board);
            Some(types::Action::FireAction(types::FireAction { cells, ..fire.example.clone() }))
        }
        _ => None,
    })
}

/// As many cells as the example has: first those in line with hits or next to one, otherwise those with the most open
/// water.
fn aim(fire: &types::FireDecision, view: &types::Match, board: &types::Board) -> Vec<types::CellLabel> {
    let cells = board.seas.iter().filter(|sea| *sea.id == *fire.sea).flat_map(|sea| &sea.cells);
    let places: HashMap<&str, (i32, i32)> = cells.map(|cell| (cell.label.as_str(), (cell.row, cell.column))).collect();
    let marks = view.seas.iter().filter(|sea| *sea.id == *fire.sea).flat_map(|sea| &sea.marks);
    let hit = marks.filter(|mark| mark.kind == types::MarkKind::Hit);
    let hits: HashSet<(i32, i32)> = hit.filter_map(|mark| places.get(mark.cell.as_str()).copied()).collect();
    let targets = fire.targets.iter().filter_map(|cell| Some((*places.get(cell.as_str())?, cell)));
    let mut open: HashMap<(i32, i32), &types::CellLabel> = targets.collect();
    let mut chosen = Vec::new();
    while chosen.len() < fire.example.cells.len() {
        let worth = |(row, column): (i32, i32)| -> usize {
            let along = |(down, right): (i32, i32)| {
                let near = || (1..=3).map(move |steps| (row + steps * down, column + steps * right));
                let hit = near().take_while(|place| hits.contains(place)).count();
                let free = near().take_while(|place| hits.contains(place) || open.contains_key(place)).count();
                100 * hit + free
            };
            [(1, 0), (-1, 0), (0, 1), (0, -1)].into_iter().map(along).sum()
        };
        let best = open.keys().copied().max_by_key(|place| (worth(*place), Uuid::new_v4())); // of equals any
        let Some(cell) = best.and_then(|place| open.remove(&place)) else { break };
        chosen.push(cell.clone());
    }
    chosen
}

/// The example of the match's first decision; `None` if the match waits for others.
fn example(view: &types::Match) -> Result<Option<types::Action>> {
    for decision in &view.decisions {
        let fields = serde_json::to_value(decision)?; // each has `required` and `example`
        if fields["required"] == true {
            return Ok(Some(serde_json::from_value(fields["example"].clone())?));
        }
    }
    Ok(None)
}

struct Bot {
    player: Client,
    variants: Vec<String>,
}

impl Bot {
    /// Publishes the offer, and reads the bot's own name and load.
    async fn offer(&self) -> Result<types::Bot> {
        let names: Result<Vec<types::VariantName>, _> = self.variants.iter().map(|id| id.parse()).collect();
        let names = Some(names?).filter(|names| !names.is_empty());
        let offer = types::ReplaceBotOfferRequest::builder().variants(names).custom_rules(true).rated(true);
        let offer = offer.max_seats(7).max_matches(MATCHES).available_for_s(OFFERED.as_secs() as i32);
        Ok(patiently(|| self.player.replace_bot_offer().body(offer.clone()).send()).await?)
    }

    /// Reads the current state and follows the events from there, until the cursor is no longer valid.
    async fn follow(&self) -> Result<()> {
        println!("{} waits for challenges", *self.offer().await?.player.username);
        let mut offered = Instant::now();
        // The cursor first: anything that happens during the other reads arrives again as an event.
        let mut cursor = patiently(|| self.player.get_events().send()).await?.next_cursor.to_string();
        for challenge in patiently(|| self.player.list_challenges().mine(true).status("open").send()).await?.items {
            self.answer(*challenge.id).await?;
        }
        for turn in patiently(|| self.player.list_turns().send()).await?.items {
            self.play(*turn.id).await?;
        }
        loop {
            let page = match patiently(|| self.player.get_events().after(cursor.clone()).wait_s(25).send()).await {
                Ok(page) => page,
                Err(Error::InvalidResponsePayload(..)) => return Ok(()), // an event that is newer than this client
                Err(error) if error.status() == Some(reqwest::StatusCode::GONE) => return Ok(()), // away too long
                Err(error) => return Err(error.into()),
            };
            for event in page.items {
                match event {
                    types::AccountEvent::ChallengeReceivedEvent(event) => self.answer(*event.challenge_id).await?,
                    types::AccountEvent::YourTurnEvent(event) => self.play(*event.match_id).await?,
                    types::AccountEvent::MatchFinishedEvent(event) => println!("{} is over", *event.match_id),
                    _ => {}
                }
            }
            cursor = page.next_cursor.to_string();
            if offered.elapsed() > OFFERED / 3 {
                self.offer().await?;
                offered = Instant::now();
            }
        }
    }

    /// Accepts or declines a challenge that waits for the bot. Its turn is announced by an event.
    async fn answer(&self, id: Uuid) -> Result<()> {
        let Ok(challenge) = patiently(|| self.player.get_challenge().id(id).send()).await else { return Ok(()) };
        let own = self.offer().await?;
        let mut players = challenge.seats.iter().filter_map(|seat| seat.player.as_ref());
        if challenge.status != types::ChallengeStatus::Open || players.any(|player| *player.id == *own.player.id) {
            return Ok(());
        }
        let objection = if !self.variants.is_empty() && !self.variants.contains(&challenge.variant.to_string()) {
            Some(types::ChallengeDeclineReason::OtherVariant)
        } else {
            (own.running_matches >= i64::from(MATCHES.get())).then_some(types::ChallengeDeclineReason::Later)
        };
        let key = Uuid::new_v4().to_string(); // however often a request is repeated, it has one effect
        let decline = || self.player.decline_challenge().id(id).idempotency_key(key.clone());
        let accept = || self.player.accept_challenge().id(id).idempotency_key(key.clone());
        let answered = match objection {
            Some(why) => patiently(|| decline().body_map(|body| body.reason(why)).send()).await,
            None => patiently(|| accept().send()).await,
        };
        answered.map_or_else(|refusal| eprintln!("{id}: {refusal}"), drop); // it was withdrawn, say
        Ok(())
    }

    /// Acts while the match waits for the bot.
    async fn play(&self, id: Uuid) -> Result<()> {
        let board = patiently(|| self.player.get_match_board().id(id).send()).await?;
        let mut refused = false;
        loop {
            let view = patiently(|| self.player.get_match().id(id).send()).await?;
            let Some(example) = example(&view)? else { return Ok(()) };
            let action = choose(&view, &board).filter(|_| !refused).unwrap_or(example);
            let order = types::SubmitActionRequest::builder().version(view.version).action(action);
            let key = Uuid::new_v4().to_string();
            let submit = || self.player.submit_action().id(id).idempotency_key(key.clone());
            match patiently(|| submit().body(order.clone()).send()).await {
                Ok(_) => refused = false,
                Err(refusal) if refusal.status() == Some(reqwest::StatusCode::CONFLICT) => {} // the match has moved on
                Err(refusal) if refused => return Err(refusal.into()), // the example is always legal
                Err(refusal) => {
                    eprintln!("{id}: {refusal}");
                    refused = true;
                }
            }
        }
    }
}

/// Repeats a request until it is answered, waiting as long as the service asks, also for a connection.
async fn patiently<T, E, F>(send: impl Fn() -> F) -> Result<T, Error<E>>
where
    F: Future<Output = Result<ResponseValue<T>, Error<E>>>,
{
    loop {
        let asked = match send().await {
            Ok(answer) => return Ok(answer.into_inner()),
            Err(Error::ErrorResponse(refusal)) if [429, 503].contains(&refusal.status().as_u16()) => {
                refusal.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok())
            }
            Err(error) if error.is_retryable() || matches!(error, Error::ResponseBodyError(_)) => None,
            Err(error) => return Err(error),
        };
        sleep(Duration::from_secs(asked.unwrap_or(2))).await;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let url = arguments.next().context("the first argument is the address of the service")?;
    let token = env::var("BROADSIDE_TOKEN").context("BROADSIDE_TOKEN is a personal token of the bot's account")?;
    let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {token}"))?)]);
    let http = reqwest::Client::builder().default_headers(headers).timeout(Duration::from_secs(60));
    let player = Client::new_with_client(&url, http.build()?);
    let bot = Bot { player, variants: arguments.collect() };
    loop {
        bot.follow().await?;
    }
}
