//! Reading ladders, except standings: the public data, and an account's own.

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

/// A filter for lists of ladders.
#[derive(Clone, Default)]
pub struct LadderFilter {
    pub variant: Option<&'static str>,
    /// Only with this named rule set.
    pub named: Option<RuleSetHash>,
    /// Only of this form.
    pub form: Option<LadderFormat>,
    /// Only with these words in title or description.
    pub search: Option<SearchText>,
    /// Only open ones (true), or only closed ones (false).
    pub open: Option<bool>,
    /// Only those of which this account is a member.
    pub member: Option<AccountId>,
    /// The viewer: private ladders are listed for their organizers and members.
    pub viewer: Option<AccountId>,
    /// Only those created before this one.
    pub before: Option<LadderId>,
    pub limit: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LadderSize {
    /// The number of active members.
    pub members: u32,
    /// The number of divisions of the section with the most.
    pub divisions: u32,
}

/// A page of ladders with their sizes, newest first.
pub async fn list(conn: &mut Conn, filter: &LadderFilter) -> Result<Listed<(Ladder, LadderSize)>> {
    let ladders = store::ladders::list(conn, filter).await?;
    sized(conn, ladders).await
}

/// The same page without a token: all anonymous viewers get this list.
pub async fn public_list(conn: &mut PublicRead, filter: LadderFilter) -> Result<Listed<(Ladder, LadderSize)>> {
    let filter = LadderFilter { viewer: None, member: None, ..filter };
    let found = store::ladders::list(conn, &filter).await?;
    sized(conn, found).await
}

/// A ladder, for a viewer (`None` without a token) who may see it.
pub async fn find(conn: &mut Conn, ctx: &Context, id: LadderId, viewer: Option<&Identity>) -> Result<Ladder> {
    access::must_see(conn, ctx, id.0, viewer).await?;
    store::ladders::find(conn, id).await?.ok_or_else(Error::not_found)
}

/// A ladder that the viewer may see, as decided by the primary: the data common to all its viewers may then be read
/// from a replica.
pub struct SeenLadder(Ladder);

impl SeenLadder {
    /// Like [`find`], for later reads of the ladder's data.
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

/// An account's membership of a ladder; `None` if it isn't a member.
pub async fn member(conn: &mut Conn, ladder: LadderId, account: AccountId) -> Result<Option<LadderMember>> {
    Ok(store::members::find(conn, ladder, account).await?.filter(|member| member.status != MemberStatus::Left))
}

/// The account's memberships of these ladders, in their order, and whether one of them is unreadable.
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

/// All stored data about an account's ladders, for its own export.
pub struct AccountLadders {
    pub made: Listed<(Ladder, LadderSize)>,
    /// Current and former memberships.
    pub memberships: Listed<(LadderId, LadderMember)>,
    /// Opponents on each ladder: the last season with a meeting, the number of meetings in it, and the time of the
    /// last.
    pub meetings: Vec<(LadderId, AccountId, u32, u32, Time)>,
    /// Its standings by season.
    pub standings: Listed<(LadderId, u32, LadderStanding)>,
}

pub async fn export(conn: &mut Conn, account: AccountId) -> Result<AccountLadders> {
    let made = store::ladders::made_by(conn, account).await?;
    Ok(AccountLadders {
        made: sized(conn, made).await?,
        memberships: store::members::of_account(conn, account).await?,
        meetings: store::meetings::all_of(conn, account).await?,
        standings: store::standings::all_of(conn, account).await?,
    })
}
