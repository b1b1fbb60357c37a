//! Joining a ladder and leaving it. Who may is worked out as data, for whoever looks at a ladder, and again when he joins: under one roof, so that both say the same.

use broadside_rules::{Fault, Time};
use utoipa::ToSchema;

use super::divisions::{self, Beginning};
use super::terms::{MISSED, Who};
use super::{Form, Ladder, Member, Section, Status, position};
use crate::accounts::{Identity, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events::{self, Notification};
use crate::ids::{AccountId, LadderId};
use crate::ladders::store;
use crate::matches::queries;
use crate::words::words;
use std::str::FromStr;

/// In how many ladders an account may take part at once.
pub const MOST: i64 = 20;

/// Why somebody may not join a ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(as = JoinReason, rename_all = "kebab-case")]
pub enum Reason {
    /// The ladder is closed.
    LadderClosed,
    /// The account is suspended.
    AccountSuspended,
    /// It is for humans, and the account is marked as a program.
    HumansOnly,
    /// It is for programs, and the account isn't marked as one.
    BotsOnly,
    /// He has lost too many of his matches on time.
    NotReliableEnough,
    /// He takes part in as many ladders as anybody may.
    TooManyLadders,
    /// He has had a result in this season with the other mark: as a human, or as a program. He may join when the next one begins.
    MarkChanged,
}

words!(Reason {
    LadderClosed "ladder-closed", AccountSuspended "account-suspended", HumansOnly "humans-only", BotsOnly "bots-only", NotReliableEnough "not-reliable-enough",
    TooManyLadders "too-many-ladders", MarkChanged "mark-changed",
});

impl Reason {
    /// The reason in a sentence.
    pub fn detail(self) -> &'static str {
        match self {
            Self::LadderClosed => "the ladder is closed",
            Self::AccountSuspended => "the account is suspended",
            Self::HumansOnly => "the ladder is for humans, and the account is marked as a program",
            Self::BotsOnly => "the ladder is for programs, and the account isn't marked as one",
            Self::NotReliableEnough => {
                "the ladder asks for a more reliable player: every match that is not lost on time helps"
            }
            Self::TooManyLadders => "an account may take part in 20 ladders: leave one first",
            Self::MarkChanged => {
                "the account has played this season as the other sort of player: the next season is open to it"
            }
        }
    }

    /// What a request is refused with for these reasons.
    pub fn refusal(reasons: &[Self]) -> Error {
        let fault =
            |reason: &Self| Fault { pointer: String::new(), code: reason.word(), detail: reason.detail().to_owned() };
        Error::with_faults(&problem::NOT_ELIGIBLE, reasons.iter().map(fault).collect())
    }
}

/// With whom somebody is listed and paired, if he may be there at all.
pub fn section(who: Who, bot: bool) -> Result<Section, Reason> {
    match (who, bot) {
        (Who::Everybody, _) | (Who::Humans, false) | (Who::Bots, true) => Ok(Section::All),
        (Who::Humans, true) => Err(Reason::HumansOnly),
        (Who::Bots, false) => Err(Reason::BotsOnly),
        (Who::Separate, false) => Ok(Section::Humans),
        (Who::Separate, true) => Ok(Section::Bots),
    }
}

/// Why the account may not join, or join again; empty: it may.
pub async fn reasons(
    conn: &mut Conn,
    ladder: &Ladder,
    account: AccountId,
    bot: bool,
    now: Time,
) -> Result<Vec<Reason>> {
    let mut reasons = Vec::new();
    if ladder.closed.is_some() {
        reasons.push(Reason::LadderClosed);
    }
    if store::members::is_suspended(conn, account, now).await? {
        reasons.push(Reason::AccountSuspended);
    }
    let section = section(ladder.terms.who, bot);
    if let Some(least) = ladder.terms.least_reliability_percent {
        let percent = queries::tally(conn, account).await?.reliability_percent();
        if percent.is_some_and(|percent| percent < least) {
            reasons.push(Reason::NotReliableEnough);
        }
    }
    let member = store::members::find(conn, ladder.id, account).await?;
    let takes_part = member.is_some_and(|member| member.status != Status::Left);
    if !takes_part && store::members::count_of(conn, account).await? >= MOST {
        reasons.push(Reason::TooManyLadders);
    }
    match section {
        Err(reason) => reasons.push(reason),
        Ok(section) => {
            let standing = store::standings::of(conn, ladder.id, ladder.season.number, account).await?;
            if standing.is_some_and(|standing| standing.section != section && standing.pairings > 0) {
                reasons.push(Reason::MarkChanged);
            }
        }
    }
    Ok(reasons)
}

/// Joins, or joins again, or changes the wish of somebody who takes part: how many pairings he wants at once. Fails with `not-found`, with `not-eligible` and every reason, and
/// when the wish is more than the ladder allows.
pub async fn join(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    id: LadderId,
    simultaneous: u32,
) -> Result<(Ladder, Member)> {
    account::hold(tx, ctx, who.account).await?;
    let ladder = store::ladders::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    let bot = account::find(tx, who.account).await?.bot;
    let now = ctx.clock.now();
    let reasons = reasons(tx, &ladder, who.account, bot, now).await?;
    if !reasons.is_empty() {
        return Err(Reason::refusal(&reasons));
    }
    let most = ladder.terms.simultaneous;
    if !(1..=most).contains(&simultaneous) {
        let detail = format!("must be 1 to {most} on this ladder");
        return Err(Error::invalid_at("/simultaneous", "out-of-range", detail));
    }
    let section = section(ladder.terms.who, bot).map_err(|reason| Reason::refusal(&[reason]))?;
    let before = store::members::find(tx, id, who.account).await?;
    let member = match before {
        Some(before) if before.status == Status::Active && before.section == section => {
            let waited = before.waits();
            Member { simultaneous, waiting_since: if waited { before.waiting_since } else { now }, ..before }
        }
        before => {
            let division = division_of(tx, &ladder, who.account, section).await?;
            // A row of the season without a result may be of another section.
            store::standings::forget_unplayed(tx, id, ladder.season.number, who.account).await?;
            let blank = Member {
                account: who.account,
                status: Status::Active,
                section,
                division,
                simultaneous,
                running: 0,
                joined_at: now,
                waiting_since: now,
                missed: 0,
                balance: 0,
                recent: Vec::new(),
                opponents: Vec::new(),
            };
            // What is under way and whom he has met stays with him; and what he has missed, if he has left since: that is no way to get rid of it.
            before.map_or(blank.clone(), |before| Member {
                missed: if before.status == Status::Left { before.missed.min(MISSED - 1) } else { 0 },
                running: before.running,
                balance: before.balance,
                recent: before.recent,
                opponents: before.opponents,
                ..blank
            })
        }
    };
    store::members::put(tx, id, &member).await?;
    store::standings::begin(tx, id, ladder.season.number, &member).await?;
    if let Form::Position(terms) = &ladder.terms.form {
        position::members::enter(tx, id, terms, who.account, now).await?;
    }
    store::ladders::members_changed(tx, id, now).await?;
    Ok((ladder, member))
}

/// Where somebody begins: where he stood already in this season, else at the bottom. A new division is begun by as many as it needs: those who came last go there with him.
async fn division_of(tx: &mut Tx, ladder: &Ladder, account: AccountId, section: Section) -> Result<u32> {
    let standing = store::standings::of(tx, ladder.id, ladder.season.number, account).await?;
    if let Some(standing) = standing.filter(|standing| standing.section == section) {
        return Ok(standing.division);
    }
    let counts = store::members::counts(tx, &[ladder.id]).await?;
    let mut members = Vec::new();
    for (_, _, division, count) in counts.into_iter().filter(|(_, of, _, _)| *of == section) {
        // A division that everybody has left is empty, and not listed.
        members.resize(usize::try_from(division).unwrap_or_default().max(members.len()), 0);
        if let Some(last) = members.last_mut() {
            *last = count;
        }
    }
    let least = divisions::least(ladder.terms.agreed.seats);
    let Beginning { division, others } = divisions::of_newcomer(&members, ladder.terms.divisions, least);
    if others > 0 {
        let lowest = (section, division.saturating_sub(1));
        store::seasons::move_latest(tx, ladder.id, ladder.season.number, lowest, others).await?;
    }
    Ok(division)
}

/// Leaves a ladder. What is under way goes on, and counts. Fails with `not-found` and `not-a-member`.
pub async fn leave(tx: &mut Tx, ctx: &Context, who: &Identity, id: LadderId) -> Result<Ladder> {
    // A suspended account may leave, too.
    account::keep(tx, who.account).await?;
    let ladder = store::ladders::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    let member = store::members::find(tx, id, who.account).await?;
    let member = member.filter(|member| member.status != Status::Left);
    let Some(member) = member else { return Err(Error::plain(&problem::NOT_A_MEMBER)) };
    let told = take_out(tx, ctx, &ladder, member, position::Reason::Left).await?;
    events::notify(tx, ctx, told).await?;
    Ok(ladder)
}

/// Takes a member out of a ladder that is locked. Returns what others shall hear of it.
pub(super) async fn take_out(
    tx: &mut Tx,
    ctx: &Context,
    ladder: &Ladder,
    member: Member,
    reason: position::Reason,
) -> Result<Vec<Notification>> {
    let (account, now) = (member.account, ctx.clock.now());
    store::members::put(tx, ladder.id, &Member { status: Status::Left, ..member }).await?;
    if ladder.closed.is_none() {
        store::standings::forget_unplayed(tx, ladder.id, ladder.season.number, account).await?;
    }
    store::ladders::members_changed(tx, ladder.id, now).await?;
    match &ladder.terms.form {
        // On a closed one places stay as they were.
        Form::Position(terms) if ladder.closed.is_none() => {
            position::members::exit(tx, ladder, terms, account, reason, now).await
        }
        Form::Position(_) | Form::Rating => Ok(Vec::new()),
    }
}

/// Takes an account out of all its ladders, since it is being deleted. Its row is held, so nobody pairs it meanwhile. Returns what others shall hear of it.
pub async fn leave_all(tx: &mut Tx, ctx: &Context, account: AccountId) -> Result<Vec<Notification>> {
    let mut told = Vec::new();
    for (id, member) in store::members::of_account(tx, account).await? {
        if member.status == Status::Left {
            continue;
        }
        let Some(ladder) = store::ladders::lock(tx, id).await? else { continue };
        // It may have changed while the lock was waited for.
        if let Some(member) = store::members::find(tx, id, account).await? {
            told.extend(take_out(tx, ctx, &ladder, member, position::Reason::Deleted).await?);
        }
    }
    Ok(told)
}
