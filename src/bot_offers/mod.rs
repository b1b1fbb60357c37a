//! Bots that wait for opponents: what each of them says that it accepts.
//!
//! An offer lapses unless the bot renews it, so whoever is listed was there a moment ago. It promises nothing: the bot
//! itself accepts a challenge or declines it.

mod store;

use broadside_rules::Time;

use crate::accounts::{Identity, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;
use crate::matches::queries;
use crate::player::Player;
use crate::string_enums::string_enums;
use crate::texts::{line, texts};

/// For how long an offer may stand without being renewed, in seconds: up to a day.
pub const LONGEST_S: u32 = 86_400;

string_enums! {
    /// How well a bot plays, by its own account.
    pub enum BotLevel {
        /// It makes simple mistakes.
        Easy,
        /// It plays as most people do.
        Normal,
        /// It plays as well as it can.
        Strong,
    }
}

texts! {
    /// What a bot says of itself: 1 to 280 characters on one line, not all of them blank.
    pub struct BotDescription: |text| line(text, 1, 280);
}

/// What a bot accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct BotOffer {
    /// How well it plays, if it says so.
    pub level: Option<BotLevel>,
    /// What it says of itself.
    pub description: Option<String>,
    /// The variants that it plays; `None`: all of them.
    pub variants: Option<Vec<String>>,
    /// Whether it plays by changed and by named rule sets, too.
    pub custom_rules: bool,
    /// Whether it plays for ratings.
    pub rated: bool,
    /// The most seats of a match.
    pub max_seats: u8,
    /// The least time for a move, in seconds.
    pub min_move_s: u32,
    /// How many matches it plays at a time.
    pub max_matches: u32,
    /// When the offer lapses.
    pub expires_at: Time,
}

/// A bot that waits for opponents.
pub struct ListedBot {
    pub player: Player,
    /// What it accepts.
    pub offer: BotOffer,
    /// How many matches it plays now.
    pub running: u32,
}

/// Which bots to list.
pub struct BotFilter {
    /// Only those that play this variant.
    pub variant: Option<&'static str>,
    /// Only of this level.
    pub level: Option<BotLevel>,
    /// Only those whose accounts were made after this one.
    pub after: Option<AccountId>,
    /// How many at most.
    pub limit: i64,
}

/// Makes or renews the caller's offer. Fails with `not-a-bot` when the account is not marked as one, and with
/// `account-suspended`.
pub async fn replace(tx: &mut Tx, ctx: &Context, who: &Identity, offer: BotOffer) -> Result<ListedBot> {
    account::lock_active(tx, ctx, who.account).await?;
    let player = who.player();
    if !player.bot {
        return Err(Error::plain(&problem::NOT_A_BOT));
    }
    store::replace(tx, who.account, &offer).await?;
    let running = queries::running_of(tx, &[who.account]).await?.get(&who.account).copied().unwrap_or(0);
    Ok(ListedBot { player, offer, running })
}

/// Takes the account's offer back, if there is one.
pub async fn withdraw(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::delete(tx, account).await
}

/// The description that the bot's owner wrote.
pub async fn description(conn: &mut Conn, account: AccountId) -> Result<Option<String>> {
    Ok(store::find(conn, account).await?.and_then(|offer| offer.description))
}

pub async fn erase_description(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::erase_description(tx, account).await
}

/// A page of the bots whose offers stand, the oldest account first. Accounts that are suspended are left out, and those
/// that are no longer marked as bots.
pub async fn list(conn: &mut Conn, filter: &BotFilter, now: Time) -> Result<Vec<ListedBot>> {
    let offers = store::list(conn, filter, now).await?;
    let ids: Vec<AccountId> = offers.iter().map(|(player, _)| player.id).collect();
    let running = queries::running_of(conn, &ids).await?;
    let listed = offers.into_iter().map(|(player, offer)| {
        let running = running.get(&player.id).copied().unwrap_or(0);
        ListedBot { player, offer, running }
    });
    Ok(listed.collect())
}

/// The account's offer, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Option<BotOffer>> {
    store::find(conn, account).await
}
