//! A bot that stays, as those of the house do: it says what it accepts, takes the challenges that it is sent, follows
//! its events, and lets a player of `broadside-bots` decide, until you end it.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use anyhow::Result;
use broadside_bots::{Bot, Level};
use progenitor_client::{Error, ResponseValue};
use serde_json::{Value, from_value, to_value};
use uuid::Uuid;

use crate::broadside::{Client, types};

/// For how long the offer stands, in seconds: until it is renewed, or for so long after the bot is gone.
const OFFERED_S: i32 = 120;

/// Plays whatever it is challenged to, of these variants.
pub async fn stay(player: &Client, variants: &[String]) -> Result<()> {
    let mut house = House { player, variants, bots: HashMap::new() };
    println!("{} waits for challenges", house.offer().await?);
    let mut offered = Instant::now();
    // The cursor first: what happens while the rest is read comes again as an event.
    let mut cursor = patiently(|| player.get_events().limit(1).send()).await?.next_cursor.to_string();
    let open = || player.list_challenges().mine(true).status(types::ChallengeStatus::Open).limit(100).send();
    for challenge in patiently(open).await?.items {
        house.consider(challenge).await?;
    }
    for turn in patiently(|| player.list_turns().send()).await?.items {
        house.play(turn.id).await?;
    }
    loop {
        let page = patiently(|| player.get_events().after(cursor.clone()).wait_s(25).send()).await?;
        for event in page.items {
            match event {
                types::AccountEvent::ChallengeReceivedEvent(event) => {
                    let sent = patiently(|| player.get_challenge().id(event.challenge_id.clone()).send()).await?;
                    house.consider(sent).await?;
                }
                types::AccountEvent::YourTurnEvent(event) => house.play(event.match_id).await?,
                _ => {}
            }
        }
        cursor = page.next_cursor.to_string();
        if offered.elapsed().as_secs() > OFFERED_S as u64 / 3 {
            house.offer().await?;
            offered = Instant::now();
        }
    }
}

struct House<'a> {
    player: &'a Client,
    variants: &'a [String],
    /// The player of each match. Whoever knew its seed would know what it will do.
    bots: HashMap<types::MatchId, Bot>,
}

impl House<'_> {
    /// Says what it accepts, and returns its name.
    async fn offer(&self) -> Result<String> {
        let names: Result<Vec<types::VariantName>, _> = self.variants.iter().map(|id| id.parse()).collect();
        let offer = types::ReplaceBotOfferRequest::builder().level(types::BotLevel::Strong).variants(Some(names?));
        let offer = offer.custom_rules(true).rated(true).max_seats(7).max_matches(20).available_for_s(OFFERED_S);
        let bot = patiently(|| self.player.replace_bot_offer().body(offer.clone()).send()).await?;
        Ok(bot.player.username.to_string())
    }

    /// Accepts a challenge, or declines it.
    async fn consider(&self, challenge: types::Challenge) -> Result<()> {
        let (id, key) = (&challenge.id, Uuid::new_v4().to_string());
        let answered = if self.variants.iter().any(|variant| *variant == *challenge.variant) {
            // What it adds to the chance of the match, nobody else can have chosen.
            let seat = types::AcceptChallengeRequest::builder().nonce(Some(Uuid::new_v4().to_string().parse()?));
            let seat = seat.chance_commitment(Some(challenge.chance_commitment.parse()?));
            let accept = || self.player.accept_challenge().id(id.clone()).idempotency_key(key.clone());
            patiently(|| accept().body(seat.clone()).send()).await.map(drop)
        } else {
            let why = types::DeclineChallengeRequest::builder().reason(types::ChallengeDeclineReason::OtherVariant);
            let decline = || self.player.decline_challenge().id(id.clone()).idempotency_key(key.clone());
            patiently(|| decline().body(why.clone()).send()).await.map(drop)
        };
        answered.or_else(|error| if refused(&error) { Ok(()) } else { Err(error.into()) }) // it was withdrawn
    }

    /// Acts as long as the match waits for it.
    async fn play(&mut self, id: types::MatchId) -> Result<()> {
        loop {
            let view = patiently(|| self.player.get_match().id(id.clone()).send()).await?;
            let reports = self.reports(&id).await?;
            let bot = match self.bots.remove(&id) {
                Some(bot) => bot,
                None => Bot::new(&to_value(&view.rule_set)?, Level::Strong, Uuid::new_v4().as_u64_pair().0)?,
            };
            let action = bot.choose(&to_value(&view)?, &reports)?;
            if view.result.is_none() {
                self.bots.insert(id.clone(), bot);
            }
            let Some(action) = action else { return Ok(()) };
            let order = types::SubmitActionRequest::builder().version(view.version);
            let order = order.action(from_value::<types::Action>(action)?);
            let key = format!("{}-{}", *id, view.version);
            let submit = || self.player.submit_action().id(id.clone()).idempotency_key(key.clone());
            match patiently(|| submit().body(order.clone()).send()).await {
                Err(error) if !refused(&error) => return Err(error.into()),
                _ => {} // played, or the match has moved on: look again
            }
        }
    }

    /// All that it was told in a match.
    async fn reports(&self, id: &types::MatchId) -> Result<Vec<Value>> {
        let (mut reports, mut after) = (Vec::new(), "0".to_owned());
        loop {
            let list = || self.player.list_match_reports().id(id.clone()).after(after.clone()).limit(1000);
            let page = patiently(|| list().send()).await?;
            for report in &page.items {
                reports.push(to_value(report)?);
            }
            match &page.next_cursor {
                Some(next) => after = next.to_string(),
                None => return Ok(reports),
            }
        }
    }
}

/// Whether the service has refused what was asked, because something has changed meanwhile.
fn refused<E>(error: &Error<E>) -> bool {
    error.status().is_some_and(|status| [404, 409].contains(&status.as_u16()))
}

/// An answer, however long it takes: on 429 and 503 it waits as long as it is asked to, and without a connection too.
async fn patiently<T, E, F>(send: impl Fn() -> F) -> Result<T, Error<E>>
where
    F: Future<Output = Result<ResponseValue<T>, Error<E>>>,
{
    loop {
        let wait_s = match send().await {
            Ok(answer) => return Ok(answer.into_inner()),
            Err(Error::ErrorResponse(answer)) if [429, 503].contains(&answer.status().as_u16()) => {
                let asked = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
                asked.unwrap_or(1)
            }
            Err(Error::CommunicationError(_)) => 2,
            Err(error) => return Err(error),
        };
        tokio::time::sleep(Duration::from_secs(wait_s)).await;
    }
}
