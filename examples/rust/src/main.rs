//! A typed bot. It plays one match of each variant that you name against another program, and then ends:
//!
//!     cargo run -- URL open VARIANT…     makes a challenge for each match, and waits until it is accepted
//!     cargo run -- URL take VARIANT…     waits for a challenge that a program has made, and accepts it
//!
//! It plays with the token in `BROADSIDE_TOKEN`, or else makes an account. README.md says how all types are made from
//! the OpenAPI document.

use std::{env, time::Duration};

use anyhow::{Context, Result};
use broadside_client::{Client, types};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use uuid::Uuid;

/// The choice, to be replaced by your own: random shots, and for everything else the example of the first decision.
fn choose(view: &types::Match) -> Result<Option<types::SubmitActionRequest>> {
    for decision in &view.decisions {
        let fields = serde_json::to_value(decision)?; // each has `required` and `example`
        if fields["required"] == true {
            let mut action: types::Action = serde_json::from_value(fields["example"].clone())?;
            if let (types::Decision::FireDecision(fire), types::Action::FireAction(shots)) = (decision, &mut action) {
                let mut targets = fire.targets.clone();
                targets.sort_by_cached_key(|_| Uuid::new_v4());
                shots.cells = targets.into_iter().take(shots.cells.len()).collect();
            }
            let order = types::SubmitActionRequest::builder().version(view.version).action(action);
            return Ok(Some(order.try_into()?));
        }
    }
    Ok(None)
}

async fn join(url: &str) -> Result<Client> {
    let random = || Uuid::new_v4().simple().to_string();
    let account = types::CreateAccountRequest::builder().username(format!("bot{}", &random()[..16])).password(random());
    let token = match env::var("BROADSIDE_TOKEN") {
        Ok(token) => token,
        Err(_) => Client::new(url).create_account().body(account.bot(true)).send().await?.access_token.to_string(),
    };
    let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {token}"))?)]);
    let http = reqwest::Client::builder().default_headers(headers);
    Ok(Client::new_with_client(url, http.build()?))
}

/// An accepted challenge: a new one, or the newest one of another program, as soon as there is one.
async fn meet(player: &Client, role: &str, variant: &str) -> Result<types::Challenge> {
    while role == "take" {
        let page = player.list_challenges().variant(variant).acceptable(true).send().await?.into_inner();
        if let Some(found) = page.items.into_iter().find(|one| one.creator.bot) {
            let nothing = types::AcceptChallengeRequest::builder();
            return Ok(player.accept_challenge().id(found.id).body(nothing).send().await?.into_inner());
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let clock = types::PerMoveClock::builder().kind(types::PerMoveClockKind::PerMove).move_s(300);
    let terms = types::CreateChallengeRequest::builder().variant(Some(variant.parse()?));
    let terms = terms.clock(types::PerMoveClock::try_from(clock)?);
    Ok(player.create_challenge().body(terms).send().await?.into_inner())
}

/// Plays a match of a variant to its end, and returns the result as text.
async fn play(player: &Client, role: &str, variant: &str) -> Result<String> {
    let mut challenge = meet(player, role, variant).await?;
    while challenge.match_id.is_none() {
        tokio::time::sleep(Duration::from_millis(500)).await;
        challenge = player.get_challenge().id(challenge.id).send().await?.into_inner();
    }
    let id = challenge.match_id.context("no match")?;
    let look = || player.get_match().id(id.clone());
    let mut view = look().send().await?;
    while view.result.is_none() {
        view = match choose(&view)? {
            None => look().wait_s(25).after_version(view.version).send().await?, // others have to act
            Some(order) => match player.submit_action().id(id.clone()).body(order).send().await {
                Err(error) if error.status().is_none_or(|status| status != 409) => return Err(error.into()),
                _ => look().send().await?, // played, or the match has moved on
            },
        };
    }
    let result = view.into_inner().result.context("no result")?;
    let winner = result.winner.map_or("none".to_owned(), |seat| seat.to_string());
    Ok(format!("{variant}: seat {winner} wins ({})", result.reason))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().collect();
    let player = join(&arguments[1]).await?;
    for variant in &arguments[3..] {
        println!("{}", play(&player, &arguments[2], variant).await?);
    }
    Ok(())
}
