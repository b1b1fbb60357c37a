//! What everybody may read of ladders, but for their standings; and what an account reads of its own.

use broadside_contests::RuleSetHash;
use broadside_rules::Time;

use super::standings::LadderStanding;
use super::{Ladder, LadderFormat, LadderMember, MemberStatus};
use crate::accounts::Identity;
use crate::contests::access;
use crate::context::Context;
use crate::db::{Conn, PublicRead};
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId};
use crate::ladders::store;
pub use crate::ladders::store::seasons::page as seasons;
use crate::listed::Listed;
use crate::social::text::SearchText;

/// Which ladders to list.
#[derive(Clone, Default)]
pub struct LadderFilter {
    /// Only of this variant.
    pub variant: Option<&'static str>,
    /// Only by this named rule set.
    pub named: Option<RuleSetHash>,
    /// Only of this form.
    pub form: Option<LadderFormat>,
    /// Only those with these words in title or description.
    pub search: Option<SearchText>,
    /// Only open ones, or only closed ones.
    pub open: Option<bool>,
    /// Only those in which this account takes part.
    pub member: Option<AccountId>,
    /// Who reads: private ones are listed for those who run them or take part.
    pub viewer: Option<AccountId>,
    /// Only those made before this one.
    pub before: Option<LadderId>,
    /// How many at most.
    pub limit: i64,
}

/// How many members a ladder has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LadderSize {
    /// How many members are active.
    pub members: u32,
    /// The number of divisions of the section that has most.
    pub divisions: u32,
}

/// A page of ladders with their sizes, the newest first.
pub async fn list(conn: &mut Conn, filter: &LadderFilter) -> Result<Listed<(Ladder, LadderSize)>> {
    let ladders = store::ladders::list(conn, filter).await?;
    sized(conn, ladders).await
}

/// The same for a stranger: everybody who isn't signed in gets this list.
pub async fn public_list(conn: &mut PublicRead, filter: LadderFilter) -> Result<Listed<(Ladder, LadderSize)>> {
    let filter = LadderFilter { viewer: None, member: None, ..filter };
    let found = store::ladders::list(conn, &filter).await?;
    sized(conn, found).await
}

/// A ladder, for somebody who sees it; none: without a token.
pub async fn find(conn: &mut Conn, ctx: &Context, id: LadderId, viewer: Option<&Identity>) -> Result<Ladder> {
    access::must_see(conn, ctx, id.0, viewer).await?;
    store::ladders::find(conn, id).await?.ok_or_else(Error::not_found)
}

/// A ladder that somebody sees, which the primary has decided: what everybody sees of it who sees it may be read
/// elsewhere.
pub struct SeenLadder(Ladder);

impl SeenLadder {
    /// As [`find`], for what is read of it afterwards.
    pub async fn find(ctx: &Context, id: LadderId, viewer: Option<&Identity>) -> Result<Self> {
        find(&mut ctx.db.conn().await?, ctx, id, viewer).await.map(Self)
    }

    pub async fn at(&self, conn: &mut PublicRead) -> Result<Ladder> {
        if !conn.is_replica() {
            return Ok(self.0.clone());
        }
        store::ladders::find(conn, self.0.id).await?.ok_or_else(Error::not_found)
    }
}

/// The ladder with its size, for which all its members are counted.
pub async fn with_size(conn: &mut Conn, ladder: Ladder) -> Result<(Ladder, LadderSize)> {
    sized(conn, vec![ladder].into()).await?.items.pop().ok_or_else(Error::not_found)
}

async fn sized(conn: &mut PublicRead, ladders: Listed<Ladder>) -> Result<Listed<(Ladder, LadderSize)>> {
    let ids: Vec<LadderId> = ladders.items.iter().map(|ladder| ladder.id).collect();
    let counts = store::members::counts(conn, &ids).await?;
    let size = |id: LadderId| {
        let own = counts.iter().filter(|(ladder, ..)| *ladder == id);
        own.fold(LadderSize::default(), |size, (_, _, division, count)| LadderSize {
            members: size.members + count,
            divisions: size.divisions.max(*division),
        })
    };
    Ok(ladders.map(|ladder| {
        let size = size(ladder.id);
        (ladder, size)
    }))
}

/// An account's membership of a ladder; none: it isn't a member.
pub async fn member(conn: &mut Conn, ladder: LadderId, account: AccountId) -> Result<Option<LadderMember>> {
    Ok(store::members::find(conn, ladder, account).await?.filter(|member| member.status != MemberStatus::Left))
}

/// The memberships of an account in these ladders, in their order, and whether one of the account can't be read.
pub async fn members(
    conn: &mut Conn,
    account: AccountId,
    ladders: &[LadderId],
) -> Result<(Vec<Option<LadderMember>>, bool)> {
    let all = store::members::of_account(conn, account).await?;
    let of = |id: &LadderId| {
        let own = all.items.iter().find(|(ladder, member)| ladder == id && member.status != MemberStatus::Left);
        own.map(|(_, member)| member.clone())
    };
    Ok((ladders.iter().map(of).collect(), all.is_incomplete()))
}

/// All that is stored of an account's ladders, for its own export.
pub struct AccountLadders {
    pub made: Listed<(Ladder, LadderSize)>,
    /// Where it takes part, or has taken part.
    pub memberships: Listed<(LadderId, LadderMember)>,
    /// Whom it has met on which: in which season last, how often in it, and when last.
    pub meetings: Vec<(LadderId, AccountId, u32, u32, Time)>,
    /// How it did, season by season.
    pub standings: Listed<(LadderId, u32, LadderStanding)>,
}

/// Reads all that is stored of an account's ladders.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<AccountLadders> {
    let made = store::ladders::made_by(conn, account).await?;
    Ok(AccountLadders {
        made: sized(conn, made).await?,
        memberships: store::members::of_account(conn, account).await?,
        meetings: store::meetings::all_of(conn, account).await?,
        standings: store::standings::all_of(conn, account).await?,
    })
}
