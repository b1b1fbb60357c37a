//! Composing a rule set from a base and changes, and publishing it under a title.

use std::collections::HashMap;
use std::sync::LazyLock;

use broadside_contests::RuleSetHash;
use broadside_rules::{Fault, RuleSet, Variant, variants};
use serde_json::Value;

use super::{NamedRuleSet, RuleSetLimits, RulesText, read, store};
use crate::accounts::{Identity, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::matches::rule_set_hash;
use crate::quotas::{self, Quota};
use crate::social::text::Title;
use crate::work_pool::Lane;

/// The period of the daily limit, in seconds.
const DAY_S: u32 = 24 * 60 * 60;

/// The base of changes.
#[derive(Clone, Copy, Debug)]
pub enum RuleSetBase {
    /// A variant's own rule set.
    Variant(&'static Variant),
    Fork(RuleSetHash),
}

/// A playable rule set.
#[derive(Clone, Debug)]
pub struct ComposedRuleSet {
    /// The variant that it is based on.
    pub variant: &'static Variant,
    /// All its parameters.
    pub rules: RuleSet,
    pub hash: RuleSetHash,
    /// The named rule set that it forks.
    pub forked_from: Option<RuleSetHash>,
}

/// The base with changes, or all their faults: those of the parameters have pointers into them. Fails with
/// `validation-failed` for an unknown base.
pub async fn compose(
    ctx: &Context,
    base: RuleSetBase,
    changes: Value,
) -> Result<std::result::Result<ComposedRuleSet, Vec<Fault>>> {
    // No connection is held while the work waits.
    let (variant, parent) = match base {
        RuleSetBase::Variant(variant) => (variant, None),
        RuleSetBase::Fork(hash) => {
            let parent = read::known(&mut ctx.db.conn().await?, hash, "/forked_from").await?;
            (parent.variant, Some((parent.rules, hash)))
        }
    };
    // Placing a fleet is the only test of whether it can be placed.
    let compose = move || {
        let (rules, forked_from) = match parent {
            None => (RuleSet::customised(variant, &changes), None),
            Some((parent, hash)) => (parent.with(&changes), Some(hash)),
        };
        match rules {
            Ok(rules) => Ok(Ok(ComposedRuleSet { variant, hash: rule_set_hash(&rules)?, rules, forked_from })),
            Err(faults) => Ok(Err(faults)),
        }
    };
    ctx.pool.run(Lane::Heavy, compose).await?
}

pub fn variant_with(hash: RuleSetHash) -> Option<&'static Variant> {
    static OWN: LazyLock<HashMap<RuleSetHash, &'static Variant>> = LazyLock::new(|| {
        let own = |variant: &'static Variant| Some((rule_set_hash(&variant.rule_set()).ok()?, variant));
        variants().iter().filter_map(own).collect()
    });
    OWN.get(&hash).copied()
}

/// A rule set to publish.
pub struct NewRuleSet {
    pub title: Title,
    /// The rules in its author's words.
    pub text: Option<RulesText>,
    pub composed: ComposedRuleSet,
}

/// Publishes a rule set. Fails with `rule-set-exists` if a variant or a named rule set has the same parameters, with
/// `validation-failed` if its text exceeds the operator's limit, and with `quota-exceeded` or `too-many-requests` if
/// the account has reached its total or daily limit.
pub async fn create(
    tx: &mut Tx,
    ctx: &Context,
    limits: &RuleSetLimits,
    creator: &Identity,
    new: NewRuleSet,
) -> Result<NamedRuleSet> {
    // Exclusively, so that simultaneous requests can't exceed a limit together.
    account::lock_exclusively(tx, creator.account).await?;
    account::lock_active(tx, ctx, creator.account).await?;
    let most = usize::from(limits.text_chars);
    if new.text.as_ref().is_some_and(|text| text.as_str().chars().count() > most) {
        let detail = format!("must have {most} characters at most on this server");
        return Err(Error::invalid_at("/rules_markdown", "out-of-range", detail));
    }
    refuse_known(tx, new.composed.hash).await?;
    let now = ctx.clock.now();
    check_limits(tx, ctx, limits, creator).await?;
    let ComposedRuleSet { variant, rules, hash, forked_from } = new.composed;
    let made = NamedRuleSet {
        hash,
        variant,
        rules,
        title: Some(new.title),
        creator: Some(creator.player()),
        forked_from,
        forks: 0,
        matches: 0,
        created_at: now,
    };
    if !store::insert(tx, creator.account, &made, new.text.as_ref()).await? {
        // Another account has published it at this moment.
        refuse_known(tx, hash).await?;
    }
    Ok(made)
}

/// Fails with `rule-set-exists`, and names the rule set, if a variant or a named rule set has this hash.
async fn refuse_known(conn: &mut Conn, hash: RuleSetHash) -> Result<()> {
    let refused = |code, detail: String| {
        let fault = Fault { pointer: "/rule_set".to_owned(), code, detail };
        Err(Error::with_faults(&problem::RULESET_EXISTS, vec![fault]))
    };
    if let Some(variant) = variant_with(hash) {
        return refused("same-as-variant", format!("these are the parameters of the variant {}", variant.id));
    }
    match store::find(conn, hash).await? {
        Some(known) => {
            let title = known.title.map(|title| format!(", called {}", title.as_str())).unwrap_or_default();
            refused("same-as-named-rule-set", format!("these are the parameters of the named rule set {hash}{title}"))
        }
        None => Ok(()),
    }
}

async fn check_limits(tx: &mut Tx, ctx: &Context, limits: &RuleSetLimits, creator: &Identity) -> Result<()> {
    let (most, today) = (limits.per_account, limits.per_day);
    if most == 0 || today == 0 {
        return Err(Error::new(&problem::TOO_MANY_OPEN, "On this server players publish no rule sets."));
    }
    let now = ctx.clock.now();
    quotas::check_up_to(tx, creator.account, now, Quota::RuleSets, i64::from(most)).await?;
    // The one that must be a day old before the next is allowed.
    let blocking = store::nth_newest_by(tx, creator.account, today.saturating_sub(1)).await?;
    let free_at = blocking.map(|at| at.plus_s(DAY_S)).filter(|free_at| *free_at > now);
    match free_at {
        Some(free_at) => {
            let wait_s = u64::try_from((free_at.0 - now.0).div_euclid(1000) + 1).unwrap_or_default();
            let detail = format!("An account may publish {today} rule sets a day on this server.");
            Err(Error::new(&problem::TOO_MANY_REQUESTS, detail).retry_after(wait_s))
        }
        None => Ok(()),
    }
}
