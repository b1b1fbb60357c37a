//! Loading a stored match with its whole log, from the tables or the archive.

use broadside_rules::record::Format;
use broadside_rules::{Clock, Nonce, RuleSet, Variant};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, Nullable, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use super::hand_over::{FORMER, former};
use super::logged::{LoggedEntry, logged, unbroken};
use crate::archive::object::Location;
use crate::db::{At, Conn, PublicRead, Selected, prepared_once, selected};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::matches::access::Access;
use crate::matches::log_chain::LogChain;
use crate::matches::{Contest, PairingRef, StoredMatch, damaged, stored_hash, stored_wish};
use crate::player::Player;
use crate::ratings::store::rated_matches;

/// All stored data of one match, in one statement. Each part names the match, so that with distributed tables
/// everything is read from one shard.
struct Load(Uuid);

/// [`Load`] for distributed tables: without the data stored elsewhere, see [`Beside`].
struct LoadSpread(Uuid);

const OWN: &str = "SELECT m.variant, m.rule_set, m.clock, m.rated, m.spectators, m.example_seed, m.chance_seed, m.record_key_id, m.record_format, m.created_at, \
     s.accounts, s.names, s.bots, s.wishes, s.nonces, s.ratings, f.former, e.entries, ARRAY[h.seq, h.side_version] AS mark, m.pool, ";

const ARCHIVED: &str = "m.pairing_id, g.game, g.games, m.named_rule_set, a.object_id, a.byte_offset, a.byte_length, a.sha256, s.first_accounts FROM matches AS m JOIN match_heads AS h ON h.match_id = m.id \
     CROSS JOIN LATERAL (SELECT array_agg(account_id ORDER BY seat) AS accounts, \
       array_agg(username ORDER BY seat) AS names, array_agg(bot ORDER BY seat) AS bots, \
       array_agg(preferred_name ORDER BY seat) AS wishes, array_agg(nonce ORDER BY seat) AS nonces, array_agg(rating ORDER BY seat) AS ratings, \
       array_agg(coalesce(first_account_id, account_id) ORDER BY seat) AS first_accounts \
       FROM match_seats WHERE match_id = $1) AS s \
     CROSS JOIN LATERAL (";

const LOGGED: &str = concat!(
    "WHERE match_id = $1) AS f CROSS JOIN LATERAL (SELECT array_agg(",
    logged!(),
    " ORDER BY l.seq) AS entries FROM match_log AS l WHERE l.match_id = $1) AS e "
);

const ITS_CHANGES: &str = "SELECT jsonb_agg(jsonb_build_array(s.seat, c.revision, c.reason, c.before_rating, c.after_rating) ORDER BY s.seat) AS changes \
     FROM rating_changes AS c ";

const ITS_PAIRING: &str =
    "SELECT p.kind, p.contest_id, p.games, g.game FROM pairings AS p JOIN pairing_games AS g ON g.pairing_id = p.id ";

impl QueryFragment<Pg> for Load {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        for part in [
            OWN,
            "r.changes, g.kind, g.contest_id, ",
            ARCHIVED,
            FORMER,
            LOGGED,
            "CROSS JOIN LATERAL (",
            ITS_CHANGES,
            "JOIN match_seats AS s ON s.match_id = $1 AND coalesce(s.first_account_id, s.account_id) = c.account_id \
             WHERE c.match_id = $1 OR c.paired_match_id = $1) AS r LEFT JOIN LATERAL (",
            ITS_PAIRING,
            "WHERE p.id = m.pairing_id AND g.match_id = $1) AS g ON true ",
        ] {
            out.push_sql(part);
        }
        push_archived(&self.0, &mut out)
    }
}

impl QueryFragment<Pg> for LoadSpread {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        for part in [OWN, "NULL::jsonb, NULL::text, NULL::uuid, ", ARCHIVED, FORMER, LOGGED] {
            out.push_sql(part);
        }
        out.push_sql("CROSS JOIN (SELECT NULL::smallint AS game, NULL::smallint AS games) AS g ");
        push_archived(&self.0, &mut out)
    }
}

/// The end of the statement: it binds the id, which earlier parts use as `$1`.
fn push_archived<'b>(id: &'b Uuid, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
    out.push_sql("LEFT JOIN archived_matches AS a ON a.match_id = m.id AND a.restored_at IS NULL WHERE m.id = ");
    out.push_bind_param::<diesel::sql_types::Uuid, _>(id)
}

prepared_once!(Load -> <Loaded as Selected>::Sql, LoadSpread -> <Loaded as Selected>::Sql);

impl QueryId for Beside<'_> {
    type QueryId = Beside<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Beside<'_> {
    type SqlType = <Found as Selected>::Sql;
}

/// A match's data stored with contests and ratings. Read only if it is rated or belongs to a contest.
struct Beside<'a> {
    id: Uuid,
    pairing: Option<Uuid>,
    first_accounts: &'a Vec<Uuid>,
}

impl QueryFragment<Pg> for Beside<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT r.changes, g.kind, g.contest_id, g.game, g.games FROM (");
        out.push_sql(ITS_CHANGES);
        out.push_sql("JOIN (SELECT account_id, number - 1 AS seat FROM unnest(");
        out.push_bind_param::<Array<SqlUuid>, _>(self.first_accounts)?;
        out.push_sql(") WITH ORDINALITY AS s (account_id, number)) AS s USING (account_id) WHERE c.match_id = ");
        out.push_bind_param::<SqlUuid, _>(&self.id)?;
        out.push_sql(" OR c.paired_match_id = $2) AS r LEFT JOIN (");
        out.push_sql(ITS_PAIRING);
        out.push_sql("WHERE p.id = ");
        out.push_bind_param::<Nullable<SqlUuid>, _>(&self.pairing)?;
        out.push_sql(" AND g.match_id = $2) AS g ON true");
        Ok(())
    }
}

selected! {
    struct Loaded {
        variant: String,
        rules: Value,
        clock: Value,
        rated: bool,
        spectators: bool,
        example_seed: Vec<u8>,
        chance_seed: Vec<u8>,
        record_key_id: String,
        record_format: i16,
        created_at: At,
        accounts: Vec<Uuid>,
        names: Vec<String>,
        bots: Vec<bool>,
        wishes: Vec<Option<String>>,
        nonces: Vec<Option<String>>,
        ratings: Vec<Option<i32>>,
        former: Option<Value>,
        entries: Option<Vec<Vec<u8>>>,
        mark: Vec<i32>,
        pool: Option<String>,
        changes: Option<Value>,
        kind: Option<String>,
        contest: Option<Uuid>,
        pairing: Option<Uuid>,
        game: Option<i16>,
        games: Option<i16>,
        named_rule_set: Option<String>,
        object_id: Option<Uuid>,
        byte_offset: Option<i32>,
        byte_length: Option<i32>,
        sha256: Option<Vec<u8>>,
        first_accounts: Vec<Uuid>,
    }

    struct Found {
        changes: Option<Value>,
        kind: Option<String>,
        contest: Option<Uuid>,
        game: Option<i16>,
        games: Option<i16>,
    }
}

/// A match from its rows; its log and rules may be in the archive.
pub struct LoadedMatch {
    id: MatchId,
    row: Loaded,
    pub archived: Option<Location>,
}

/// Loads the match in one statement: so it has either its log or the location of its log.
pub async fn load(conn: &mut Conn, id: MatchId) -> Result<Option<LoadedMatch>> {
    read(conn, id).await
}

/// A finished match, which no longer changes. `not-found`: a replica doesn't have all of it yet.
pub async fn load_ended(conn: &mut PublicRead, access: &Access) -> Result<LoadedMatch> {
    let found = read(conn, access.id).await?.ok_or_else(Error::not_found)?;
    if access.is_over && (!conn.is_replica() || found.is_of(access)) {
        return Ok(found);
    }
    Err(Error::not_found())
}

async fn read(conn: &mut PublicRead, id: MatchId) -> Result<Option<LoadedMatch>> {
    let loaded: Option<Loaded> = if conn.is_distributed() {
        LoadSpread(id.0).get_result(conn.sql()).await.optional()?
    } else {
        Load(id.0).get_result(conn.sql()).await.optional()?
    };
    let Some(mut row) = loaded else {
        conn.check_arrived().await?;
        return Ok(None);
    };
    if conn.is_distributed() && (row.pool.is_some() || row.pairing.is_some()) {
        let beside = Beside { id: id.0, pairing: row.pairing, first_accounts: &row.first_accounts };
        let found: Found = beside.get_result(conn.sql()).await?;
        (row.changes, row.kind, row.contest, row.game, row.games) =
            (found.changes, found.kind, found.contest, found.game, found.games);
    }
    let archived = if row.entries.is_none() { row.location() } else { None };
    Ok(Some(LoadedMatch { id, row, archived }))
}

impl Loaded {
    /// The number of entries according to the head.
    fn seq(&self) -> i32 {
        self.mark.as_slice().first().copied().unwrap_or_default()
    }

    /// Counts changes outside the log.
    fn edition(&self) -> u32 {
        self.mark.as_slice().last().copied().unwrap_or_default().unsigned_abs()
    }

    fn location(&self) -> Option<Location> {
        let number = |number: Option<i32>| u32::try_from(number?).ok();
        Some(Location {
            object: self.object_id?,
            offset: number(self.byte_offset)?,
            length: number(self.byte_length)?,
            sha256: self.sha256.as_deref()?.try_into().ok()?,
        })
    }
}

impl LoadedMatch {
    /// True if it is the version that the access check saw. Archived logs were complete when they were archived.
    fn is_of(&self, access: &Access) -> bool {
        let edition = self.row.edition();
        match &self.row.entries {
            Some(entries) => access.is_of(entries.len(), edition),
            None => self.archived.is_some() && access.edition == edition,
        }
    }

    /// The whole match. `archived` is the archive's part, if the rows lack it. `match-damaged` if the log differs from
    /// what was written, from its first entry to the last one in the head.
    pub fn with(mut self, archived: Option<(RuleSet, Vec<Vec<u8>>)>) -> Result<StoredMatch> {
        let (id, seq) = (self.id, self.row.seq());
        let (rules, entries) = match archived {
            Some((_, entries)) if usize::try_from(seq) != Ok(entries.len()) => {
                return Err(damaged(id, format_args!("{} entries are archived, the head says {seq}", entries.len())));
            }
            Some((rules, entries)) => (Some(rules), entries),
            None => {
                let rows = self.row.entries.take().ok_or_else(|| damaged(id, "it has no log"))?;
                let chain = LogChain::new(&self.chance_seed()?);
                (None, unbroken(rows, seq, chain).map_err(|why| damaged(id, why))?)
            }
        };
        self.built(rules, entries)
    }

    /// The match without its log, the raw log rows, and the head's number of entries: to inspect a match that may be
    /// damaged.
    pub fn in_parts(mut self) -> Result<(StoredMatch, Vec<LoggedEntry>, u32)> {
        let rows = self.row.entries.take().unwrap_or_default().into_iter().map(LoggedEntry::of).collect();
        let seq = self.row.seq().unsigned_abs();
        Ok((self.built(None, Vec::new())?, rows, seq))
    }

    fn chance_seed(&self) -> Result<[u8; 32]> {
        let seed = self.row.chance_seed.as_slice().try_into();
        seed.map_err(|_| damaged(self.id, "it has a chance seed of the wrong length"))
    }

    fn built(self, rules: Option<RuleSet>, entries: Vec<Vec<u8>>) -> Result<StoredMatch> {
        let (chance_seed, edition) = (self.chance_seed()?, self.row.edition());
        let Self { id, row, .. } = self;
        let broken = |what: &str| damaged(id, format_args!("it has {what}"));
        let unreadable = |error: serde_json::Error| damaged(id, error);
        let pairing = pairing_ref(&row).map_err(|()| broken("an unknown pairing"))?;
        let rules = match rules {
            Some(rules) => rules,
            None => serde_json::from_value::<RuleSet>(row.rules).map_err(unreadable)?,
        };
        let players = row.accounts.into_iter().zip(row.names).zip(row.bots);
        let players = players.map(|((id, username), bot)| Player { id: AccountId(id), username, bot }).collect();
        let seed: [u8; 32] = row.example_seed.try_into().map_err(|_| broken("a seed of the wrong length"))?;
        let format = u32::try_from(row.record_format).ok().and_then(Format::known);
        let wishes = row.wishes.iter().map(|wish| stored_wish(&rules, wish.as_deref()));
        Ok(StoredMatch {
            id,
            variant: Variant::find(&row.variant).ok_or_else(|| broken("an unknown variant"))?,
            clock: serde_json::from_value::<Clock>(row.clock).map_err(unreadable)?,
            named: stored_hash(row.named_rule_set.as_deref())?,
            rated: row.rated,
            spectators: row.spectators,
            seed,
            chance_seed,
            record_format: format.ok_or_else(|| broken("an unknown record format"))?,
            record_key: row.record_key_id,
            created_at: row.created_at.0,
            players,
            former: former(row.former)?,
            wishes: wishes.collect::<Result<_>>()?,
            nonces: row.nonces.iter().map(|nonce| nonce.as_deref().and_then(Nonce::new)).collect(),
            rules,
            entries,
            edition,
            pool: row.pool.map(|pool| pool.parse().map_err(|_| broken("an unknown pool"))).transpose()?,
            ratings: row.ratings,
            changed: rated_matches::read(row.changes)?,
            pairing,
        })
    }
}

fn pairing_ref(row: &Loaded) -> std::result::Result<Option<PairingRef>, ()> {
    let Some(pairing) = row.pairing else { return Ok(None) };
    let read = || {
        Some(PairingRef {
            id: pairing.into(),
            contest: Contest::of(row.kind.as_deref()?, row.contest?)?,
            game: u8::try_from(row.game?).ok()?,
            games: u8::try_from(row.games?).ok()?,
        })
    };
    read().map(Some).ok_or(())
}
