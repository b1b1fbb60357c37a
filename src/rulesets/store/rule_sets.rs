//! SQL of named rule sets, which are written once and can only be hidden later, and of their numbers of matches.

use broadside_contests::RuleSetHash;
use broadside_rules::{RuleSet, Time, Variant};
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::db::schema::{accounts, named_rule_set_counts as counts, named_rule_sets as rule_sets};
use crate::db::{At, Conn, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::listed::Listed;
use crate::player::Player;
use crate::rulesets::read::{RuleSetCursor, RuleSetFilter, RuleSetOrder};
use crate::rulesets::{NamedRuleSet, RulesText};
use crate::social::text::Title;
use crate::texts::fold;

/// Log message for an unreadable row.
const WHAT: &str = "a named rule set can't be read; lists leave it out";

#[derive(Queryable, Selectable)]
#[diesel(table_name = rule_sets, check_for_backend(diesel::pg::Pg))]
struct Row {
    hash: String,
    variant: String,
    rule_set: Value,
    title: String,
    forked_from: Option<String>,
    created_at: At,
    hidden_at: Option<At>,
    #[diesel(select_expression = sql::<BigInt>(FORKS), select_expression_type = SqlLiteral<BigInt>)]
    forks: i64,
}

/// The number of forks of a rule set, selected with its row.
const FORKS: &str = "(SELECT count(*) FROM named_rule_sets AS f WHERE f.forked_from = named_rule_sets.hash)";

/// Its creator (id, name, mark of a program, time of deletion) and its number of matches.
type JoinedRow = (Uuid, String, bool, Option<At>, i32);

/// A named rule set as shown to its author, hidden or not.
pub struct PublishedRuleSet {
    pub rule_set: NamedRuleSet,
    /// Even if hidden.
    pub title: Title,
    /// Even if hidden.
    pub text: Option<RulesText>,
    /// Even if the account is deleted.
    pub creator: AccountId,
    /// The time since when title and text are hidden.
    pub hidden_at: Option<Time>,
}

fn read((row, joined): (Row, JoinedRow)) -> Result<NamedRuleSet> {
    let broken = |what: &str| Error::internal(format!("the named rule set {} has {what}", row.hash));
    let (id, username, bot, deleted_at, matches) = joined;
    let hash = |text: &str| text.parse::<RuleSetHash>().map_err(|_| broken("a malformed hash"));
    Ok(NamedRuleSet {
        hash: hash(&row.hash)?,
        variant: Variant::find(&row.variant).ok_or_else(|| broken("an unknown variant"))?,
        rules: serde_json::from_value::<RuleSet>(row.rule_set.clone()).map_err(Error::internal)?,
        title: row.hidden_at.is_none().then(|| Title::stored(row.title.clone())),
        creator: deleted_at.is_none().then_some(Player { id: AccountId(id), username, bot }),
        forked_from: row.forked_from.as_deref().map(hash).transpose()?,
        forks: u32::try_from(row.forks).unwrap_or(u32::MAX),
        matches: matches.unsigned_abs(),
        created_at: row.created_at.0,
    })
}

/// Stores a new rule set. Returns false if its parameters are stored already.
pub async fn insert(
    tx: &mut Tx,
    creator: AccountId,
    rule_set: &NamedRuleSet,
    text: Option<&RulesText>,
) -> Result<bool> {
    let family = serde_json::to_value(rule_set.rules.family()).map_err(Error::internal)?;
    let title = rule_set.title.as_ref().map_or("", Title::as_str);
    let inserted = diesel::insert_into(rule_sets::table)
        .values((
            rule_sets::hash.eq(rule_set.hash.as_str()),
            rule_sets::variant.eq(rule_set.variant.id),
            rule_sets::family.eq(family.as_str().unwrap_or_default()),
            rule_sets::rule_set.eq(serde_json::to_value(&rule_set.rules).map_err(Error::internal)?),
            rule_sets::title.eq(title),
            rule_sets::rules_text.eq(text.map(RulesText::as_str)),
            rule_sets::words.eq(fold(&format!("{title} {}", text.map_or("", RulesText::as_str)))),
            rule_sets::creator_id.eq(creator.0),
            rule_sets::forked_from.eq(rule_set.forked_from.as_ref().map(RuleSetHash::as_str)),
            rule_sets::created_at.eq(At(rule_set.created_at)),
        ))
        .on_conflict_do_nothing()
        .execute(tx.sql())
        .await?;
    if inserted == 1 {
        let count = (counts::hash.eq(rule_set.hash.as_str()), counts::matches.eq(0));
        diesel::insert_into(counts::table).values(count).run(tx).await?;
    }
    Ok(inserted == 1)
}

pub async fn count_match(tx: &mut Tx, hash: RuleSetHash) -> Result<()> {
    diesel::update(counts::table.find(hash.as_str())).set(counts::matches.eq(counts::matches + 1)).run(tx).await
}

/// A rule set joined with its creator and its count, and their columns.
macro_rules! joined {
    (rows) => {
        rule_sets::table
            .inner_join(accounts::table.on(accounts::id.eq(rule_sets::creator_id)))
            .inner_join(counts::table.on(counts::hash.eq(rule_sets::hash)))
    };
    () => {
        (accounts::id, accounts::username, accounts::bot, accounts::deleted_at, counts::matches)
    };
}

pub async fn find(conn: &mut Conn, hash: RuleSetHash) -> Result<Option<NamedRuleSet>> {
    let found = joined!(rows)
        .filter(rule_sets::hash.eq(hash.as_str()))
        .select((Row::as_select(), joined!()))
        .first(conn.sql())
        .await
        .optional()?;
    found.map(read).transpose()
}

/// Its text, unless hidden.
pub async fn text(conn: &mut Conn, hash: RuleSetHash) -> Result<Option<RulesText>> {
    let shown = rule_sets::table.find(hash.as_str()).filter(rule_sets::hidden_at.is_null());
    let text: Option<Option<String>> = shown.select(rule_sets::rules_text).first(conn.sql()).await.optional()?;
    Ok(text.flatten().map(RulesText::stored))
}

/// The searched expression, the same as in the index.
const WORDS: &str = "to_tsvector('simple', words) @@ websearch_to_tsquery('simple', ";

pub async fn list(conn: &mut Conn, filter: &RuleSetFilter) -> Result<Listed<NamedRuleSet>> {
    let mut query = joined!(rows).select((Row::as_select(), joined!())).limit(filter.limit).into_boxed();
    if let Some(family) = filter.family {
        let family = serde_json::to_value(family).map_err(Error::internal)?;
        query = query.filter(rule_sets::family.eq(family.as_str().unwrap_or_default().to_owned()));
    }
    if let Some(creator) = filter.creator {
        query = query.filter(rule_sets::creator_id.eq(creator.0));
    }
    if let Some(parent) = &filter.forked_from {
        query = query.filter(rule_sets::forked_from.eq(parent.as_str()));
    }
    if let Some(search) = &filter.search {
        let found = sql::<Bool>(WORDS).bind::<Text, _>(search.as_str()).sql(")");
        query = query.filter(rule_sets::hidden_at.is_null()).filter(found);
    }
    query = match filter.order {
        RuleSetOrder::Newest => query.order((rule_sets::created_at.desc(), rule_sets::hash.desc())),
        RuleSetOrder::MostPlayed => query.order((counts::matches.desc(), counts::hash.desc())),
    };
    if let Some(after) = &filter.after {
        query = match after.order {
            RuleSetOrder::Newest => {
                let place = sql::<Bool>("(named_rule_sets.created_at, named_rule_sets.hash) < (");
                let place = place.bind::<Timestamptz, _>(At(after.time())).sql(", ");
                query.filter(place.bind::<Text, _>(after.hash.as_str()).sql(")"))
            }
            RuleSetOrder::MostPlayed => {
                let place = sql::<Bool>("(named_rule_set_counts.matches, named_rule_set_counts.hash) < (");
                let place = place.bind::<BigInt, _>(after.key).sql(", ");
                query.filter(place.bind::<Text, _>(after.hash.as_str()).sql(")"))
            }
        };
    }
    let rows: Vec<(Row, JoinedRow)> = query.load(conn.sql()).await?;
    let cursor = |(row, joined): &(Row, JoinedRow)| {
        let key = match filter.order {
            RuleSetOrder::Newest => row.created_at.0.0,
            RuleSetOrder::MostPlayed => i64::from(joined.4),
        };
        RuleSetCursor::text(filter.order, key, &row.hash)
    };
    Listed::of(WHAT, rows.into_iter().map(|row| (cursor(&row), read(row))))
}

pub async fn exists(conn: &mut Conn, hash: RuleSetHash) -> Result<bool> {
    let stored = rule_sets::table.find(hash.as_str());
    Ok(diesel::select(diesel::dsl::exists(stored)).get_result(conn.sql()).await?)
}

/// The time of publication of an account's newest rule set (0), the one before it (1), and so on, if there are as many.
pub async fn nth_newest_by(conn: &mut Conn, account: AccountId, n: u32) -> Result<Option<Time>> {
    let by_account = rule_sets::table.filter(rule_sets::creator_id.eq(account.0)).order(rule_sets::created_at.desc());
    let at: Option<At> =
        by_account.select(rule_sets::created_at).offset(i64::from(n)).first(conn.sql()).await.optional()?;
    Ok(at.map(Time::from))
}

type PublishedRow = (Row, JoinedRow, (String, Option<String>, Option<At>));

fn published((row, joined, (title, text, hidden_at)): PublishedRow) -> Result<PublishedRuleSet> {
    Ok(PublishedRuleSet {
        title: Title::stored(title),
        text: text.map(RulesText::stored),
        creator: AccountId(joined.0),
        hidden_at: hidden_at.map(Time::from),
        rule_set: read((row, joined))?,
    })
}

/// All rule sets published by an account, oldest first, for its own export.
pub async fn all_by(conn: &mut Conn, account: AccountId) -> Result<Listed<PublishedRuleSet>> {
    let rows: Vec<PublishedRow> = joined!(rows)
        .filter(rule_sets::creator_id.eq(account.0))
        .order((rule_sets::created_at, rule_sets::hash))
        .select((Row::as_select(), joined!(), (rule_sets::title, rule_sets::rules_text, rule_sets::hidden_at)))
        .load(conn.sql())
        .await?;
    Listed::of(WHAT, rows.into_iter().map(|row| (row.0.hash.clone(), published(row))))
}

/// A rule set as shown to its author.
pub async fn find_published(conn: &mut Conn, hash: RuleSetHash) -> Result<Option<PublishedRuleSet>> {
    let row: Option<PublishedRow> = joined!(rows)
        .filter(rule_sets::hash.eq(hash.as_str()))
        .select((Row::as_select(), joined!(), (rule_sets::title, rule_sets::rules_text, rule_sets::hidden_at)))
        .first(conn.sql())
        .await
        .optional()?;
    row.map(published).transpose()
}

/// Erases the titles and texts of all rule sets of an account.
pub async fn erase_words(tx: &mut Tx, account: AccountId, now: Time) -> Result<()> {
    diesel::update(rule_sets::table.filter(rule_sets::creator_id.eq(account.0)))
        .set((
            rule_sets::title.eq(""),
            rule_sets::rules_text.eq(None::<String>),
            rule_sets::words.eq(""),
            rule_sets::hidden_at
                .eq(diesel::dsl::case_when(rule_sets::hidden_at.is_null(), Some(At(now)))
                    .otherwise(rule_sets::hidden_at)),
        ))
        .run(tx)
        .await
}

/// Hides title and text, or with `None` shows them again. Returns false if nothing changed.
pub async fn set_hidden(tx: &mut Tx, hash: RuleSetHash, since: Option<Time>) -> Result<bool> {
    let other = rule_sets::table.find(hash.as_str());
    let changed = match since {
        Some(at) => {
            let shown = diesel::update(other.filter(rule_sets::hidden_at.is_null()));
            shown.set(rule_sets::hidden_at.eq(Some(At(at)))).execute(tx.sql()).await?
        }
        None => {
            // A text erased by its author stays erased.
            let there = other.filter(rule_sets::title.ne(""));
            let hidden = diesel::update(there.filter(rule_sets::hidden_at.is_not_null()));
            hidden.set(rule_sets::hidden_at.eq(None::<At>)).execute(tx.sql()).await?
        }
    };
    Ok(changed == 1)
}
