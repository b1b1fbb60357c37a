//! Bots waiting for opponents, and the challenges that each accepts.
//!
//! An offer lapses unless the bot renews it, so every listed bot was online recently. An offer promises nothing: the
//! bot still accepts or declines each challenge.

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

/// Longest time that an offer stands without renewal, in seconds: one day.
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
    /// A bot's description of itself: 1 to 280 characters on one line, not all of them blank.
    pub struct BotDescription: |text| line(text, 1, 280);
}

/// The challenges that a bot accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct BotOffer {
    pub level: Option<BotLevel>,
    pub description: Option<String>,
    /// `None` for all variants.
    pub variants: Option<Vec<String>>,
    /// True if it also plays by changed and named rule sets.
    pub custom_rules: bool,
    pub rated: bool,
    pub max_seats: u8,
    /// Shortest time per move, in seconds.
    pub min_move_s: u32,
    /// Most matches at a time.
    pub max_matches: u32,
    pub expires_at: Time,
}

pub struct ListedBot {
    pub player: Player,
    pub offer: BotOffer,
    /// The number of matches that it is playing now.
    pub running: u32,
}

pub struct BotFilter {
    pub variant: Option<&'static str>,
    pub level: Option<BotLevel>,
    /// Only accounts created after this one.
    pub after: Option<AccountId>,
    pub limit: i64,
}

/// Makes or renews the caller's offer. Fails with `not-a-bot` if the account isn't marked as a bot, and with
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

/// Withdraws the account's offer, if any.
pub async fn withdraw(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::delete(tx, account).await
}

/// The description written by the bot's owner.
pub async fn description(conn: &mut Conn, account: AccountId) -> Result<Option<String>> {
    Ok(store::find(conn, account).await?.and_then(|offer| offer.description))
}

pub async fn erase_description(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::erase_description(tx, account).await
}

/// A page of the bots with a standing offer, oldest account first. Suspended accounts and accounts no longer marked as
/// bots are left out.
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
