//! Edits of ladders and tournaments over HTTP: the fields sent are merged into the contest as it is, and the whole is
//! read as the request that creates one. So every term that can be set can be changed, by the same rules.

use actix_web::{patch, web};
use broadside_contests::Form;
use broadside_rules::Fault;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use super::derived::{self, Derived, RULES};
use super::patch::{of_what_is_sent, optional, wrong_nulls};
use crate::api::http::auth::{Caller, LobbyWrite};
use crate::api::http::extract::{Body, Id};
use crate::api::http::fields::{Fields, Request};
use crate::api::http::reply::{Answer, Reply};
use crate::api::ladders::CreateLadderRequest;
use crate::api::ladders::view::LadderBody;
use crate::api::pairings::ContestEligibility;
use crate::api::tournaments::CreateTournamentRequest;
use crate::api::tournaments::view::TournamentBody;
use crate::app::App;
use crate::contests::organizers::Needs;
use crate::contests::terms_change;
use crate::error::{Error, Result, problem};
use crate::ids::{LadderId, TournamentId};
use crate::ladders::{FormTerms, LadderTerms};
use crate::matches::open::MatchSettings;
use crate::tournaments::TournamentTerms;
use crate::tournaments::round_time::AtDeadline;
use crate::{ladders, tournaments};

/// Declares an update request from the request that creates the object: the same fields, all optional. `clears` lists
/// those that null clears.
macro_rules! changes {
    ($($(#[doc = $doc:literal])* $name:ident of $made:ident as $text:literal clears $clears:expr;)+) => {$(
        $(#[doc = $doc])*
        pub struct $name(Map<String, Value>);

        impl Request for $name {
            fn read(fields: Fields) -> Result<Self, Vec<Fault>> {
                let sent = fields.into_map()?;
                let faults = $made::read(Fields::of_body(Value::Object(sent.clone()))).err().unwrap_or_default();
                let mut faults = of_what_is_sent(faults, &sent);
                faults.extend(wrong_nulls(&sent, &faults, &$clears));
                if faults.is_empty() { Ok(Self(sent)) } else { Err(faults) }
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                optional($made::schema(), concat!($($doc),+), &$clears)
            }
        }

        impl ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                $text.into()
            }

            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                $made::schemas(schemas);
            }
        }
    )+};
}

changes! {
    /// Changes to a ladder: what you leave out stays, null clears what can be empty, and an object is replaced as a
    /// whole. A term that nobody has set follows when those change from which it follows: the times of `pairing_rule`
    /// follow the clock, and `ranking_results` follows `ranking`.
    UpdateLadderRequest of CreateLadderRequest as "UpdateLadderRequest" clears [
        "description", "divisions", "max_meetings", "max_rating", "min_account_age_days", "min_rating",
        "min_reliability_percent", "season_s",
    ];
    /// Changes to a tournament: what you leave out stays, null clears what can be empty, and an object is replaced as a
    /// whole. A term that nobody has set follows when those change from which it follows: `min_players` and
    /// `max_players` follow `groups`, `all_rounds_at_once` and the rules, `at_deadline` follows `round_time_s`.
    UpdateTournamentRequest of CreateTournamentRequest as "UpdateTournamentRequest" clears [
        "description", "late_entry", "max_rating", "min_account_age_days", "min_rating", "min_reliability_percent",
        "registration_ends_at", "review_s", "round_time_s", "starts_at",
    ];
}

fn value(of: impl Serialize) -> Result<Value> {
    serde_json::to_value(of).map_err(Error::internal)
}

/// These fields, without those that are null.
fn given(fields: Value) -> Map<String, Value> {
    let Value::Object(fields) = fields else { return Map::new() };
    fields.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

/// The rules as a request states them: a named rule set, or a variant with the parameters of its rule set.
fn played(agreed: &MatchSettings) -> Result<Value> {
    Ok(match agreed.named {
        Some(hash) => json!({ "named_rule_set": hash.to_string() }),
        None => json!({ "variant": agreed.variant.id, "rule_set": value(&agreed.rules)? }),
    })
}

/// The request that would create a ladder with these terms.
pub fn of_ladder(terms: &LadderTerms, official: bool) -> Result<Map<String, Value>> {
    let (pairing_rule, position_terms) = match &terms.form {
        FormTerms::Rating(own) => (value(own)?, Value::Null),
        FormTerms::Position(own) => (Value::Null, value(own)?),
    };
    let mut fields = given(json!({
        "title": terms.title.as_str(),
        "description": terms.description.as_ref().map(|text| text.as_str()),
        "format": terms.form.kind().into_str(),
        "pairing_rule": pairing_rule,
        "position_terms": position_terms,
        "seats": terms.agreed.seats,
        "rated": terms.agreed.rated,
        "clock": value(terms.agreed.clock)?,
        "paired_games": terms.paired,
        "audience": terms.audience.into_str(),
        "min_reliability_percent": terms.limits.min_reliability_percent,
        "min_rating": terms.limits.min_rating,
        "max_rating": terms.limits.max_rating,
        "min_account_age_days": terms.limits.min_account_age_days,
        "entry": terms.access.entry.into_str(),
        "visibility": terms.access.visibility.into_str(),
        "max_pairings": terms.max_pairings,
        "season_s": terms.season_s,
        "max_meetings": terms.max_meetings,
        "ranking": terms.ranking.by.word(),
        "ranking_results": Some(terms.ranking.results).filter(|results| *results > 0),
        "divisions": terms.divisions.map(|rule| json!({ "size": rule.size, "promotions": rule.movers })),
        "official": official,
    }));
    fields.extend(given(played(&terms.agreed)?));
    Ok(fields)
}

/// The request that would create a tournament with these terms.
pub fn of_tournament(terms: &TournamentTerms) -> Result<Map<String, Value>> {
    let mut fields = given(json!({
        "title": terms.title.as_str(),
        "description": terms.description.as_ref().map(|text| text.as_str()),
        "format": terms.form.word(),
        "rated": terms.agreed.rated,
        "clock": value(terms.agreed.clock)?,
        "paired_games": terms.paired,
        "double_round_robin": terms.double_round_robin,
        "all_rounds_at_once": terms.all_rounds_at_once,
        "seats": Some(terms.agreed.seats).filter(|_| terms.form == Form::Tables),
        "rounds": terms.rounds,
        "groups": terms.groups.map(|groups| given(json!(groups))),
        "knockout": value(terms.knockout)?,
        "seeding": value(terms.round_terms.seeding)?,
        "late_entry": value(terms.round_terms.late_entry)?,
        "requested_byes": value(terms.requested_byes())?,
        "review_s": terms.round_terms.review_s,
        "round_time_s": terms.round_time_s,
        "at_deadline": terms.at_deadline.map(AtDeadline::into_str),
        "audience": terms.audience.into_str(),
        "min_reliability_percent": terms.limits.min_reliability_percent,
        "min_rating": terms.limits.min_rating,
        "max_rating": terms.limits.max_rating,
        "min_account_age_days": terms.limits.min_account_age_days,
        "entry": terms.access.entry.into_str(),
        "visibility": terms.access.visibility.into_str(),
        "min_players": terms.min_players,
        "max_players": terms.max_players,
        "registration_ends_at": value(terms.registration_ends_at)?,
        "starts_at": value(terms.starts_at)?,
    }));
    fields.extend(given(played(&terms.agreed)?));
    Ok(fields)
}

/// The current contest, with the sent fields merged into it.
struct Edit {
    before: Map<String, Value>,
    after: Map<String, Value>,
}

impl Edit {
    fn of(before: Map<String, Value>, sent: &Map<String, Value>, derived: &[Derived]) -> Self {
        let mut after = before.clone();
        let given = |name: &str| sent.get(name).is_some_and(|value| !value.is_null());
        // New rules replace the old ones as a whole: the parameters of one variant don't fit another.
        if given("variant") || given("named_rule_set") {
            for name in RULES.iter().chain(&["seats"]) {
                after.remove(*name);
            }
        }
        for (name, value) in sent {
            if value.is_null() {
                after.remove(name)
            } else {
                after.insert(name.clone(), value.clone())
            };
        }
        // Without a deadline there is no action at the deadline.
        if sent.get("round_time_s").is_some_and(Value::is_null) && !sent.contains_key("at_deadline") {
            after.remove("at_deadline");
        }
        derived.iter().for_each(|term| term.leave_out(sent, &before, &mut after));
        Self { before, after }
    }

    /// The sent fields that differ, as far as is known before defaults replace nulls.
    fn sent(&self, sent: &Map<String, Value>) -> Vec<String> {
        self.fields().into_iter().filter(|name| sent.contains_key(name)).collect()
    }

    /// The fields that differ.
    fn fields(&self) -> Vec<String> {
        let names = self.before.keys().chain(self.after.keys().filter(|name| !self.before.contains_key(*name)));
        names.filter(|name| self.before.get(*name) != self.after.get(*name)).cloned().collect()
    }

    /// Reads the whole as a request, and returns whether the rules are unchanged. Unchanged rules are requested by the
    /// variant alone, since the changes to it are known.
    fn read<T: Request>(&self) -> Result<(T, bool)> {
        let same_rules = RULES.iter().all(|name| self.before.get(*name) == self.after.get(*name));
        let mut whole = self.after.clone();
        if same_rules {
            whole.remove("rule_set");
        }
        let read = T::read(Fields::of_body(Value::Object(whole)));
        Ok((read.map_err(Error::invalid)?, same_rules))
    }
}

fn changed_meanwhile() -> Error {
    Error::new(&problem::CONCURRENT_ACTION, "Somebody else has changed it at the same moment: read it again.")
}

/// Update a ladder
///
/// For who runs it: its creator and the organizers whom they have named, or an organizer of the operator's, which is
/// noted. Title and description may change at any time; the limits for who joins as long as it is open; what is played
/// only as long as nobody takes part, since people agree to it by joining. But `max_pairings` may grow and
/// `no_return_s` of `pairing_rule` may shrink as long as it is open: that decides about later pairings alone.
/// `terms-fixed` names in `errors` each field that no longer changes. Refused with `not-an-organizer`.
#[utoipa::path(tag = "ladders", operation_id = "update_ladder", security(("bearer" = ["lobby:write"])),
    params(("id" = LadderId, Path, description = "The ladder.")),
    request_body = UpdateLadderRequest,
    responses((status = 200, description = "The ladder as it is now.", body = LadderBody)))]
#[patch("/v1/ladders/{id}")]
pub async fn update_ladder(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<LadderId>,
    body: Body<UpdateLadderRequest>,
) -> Answer {
    let mut conn = app.db.conn().await?;
    let ladder = ladders::read::find(&mut conn, &app, id.0, Some(&caller)).await?;
    ladder.runners().check(&mut conn, &app, &caller, Needs::Organizer).await?;
    let edit = Edit::of(of_ladder(&ladder.terms, ladder.official)?, &body.0.0, &derived::of_ladder(&ladder.terms));
    let (request, same_rules) = edit.read::<CreateLadderRequest>()?;
    let certain = edit.sent(&body.0.0).into_iter().filter(|field| !ladders::edit::LOOSENED.contains(&field.as_str()));
    terms_change::check(&certain.collect::<Vec<_>>(), ladders::edit::progress(&mut conn, &ladder).await?)?;
    drop(conn);
    let mut terms = request.terms(&app).await?;
    if same_rules {
        let MatchSettings { clock, rated, seats, .. } = terms.agreed;
        terms.agreed = MatchSettings { clock, rated, seats, ..ladder.terms.agreed };
    }
    let fields = Edit { before: edit.before.clone(), after: of_ladder(&terms, ladder.official)? }.fields();
    let mut tx = app.db.begin().await?;
    let held = ladders::edit::hold(&mut tx, &app, &caller, id.0, Needs::Organizer).await?;
    if of_ladder(&held.0.terms, held.0.official)? != edit.before {
        return Err(changed_meanwhile().into());
    }
    let ladder = ladders::edit::change(&mut tx, &app, held, terms, &fields).await?;
    let member = ladders::read::member(&mut tx, ladder.id, caller.account).await?;
    let now = app.clock.now();
    let reasons = ladders::join::reasons(&mut tx, &ladder, caller.account, caller.bot, now).await?;
    let whole = ladders::read::with_size(&mut tx, ladder).await?;
    tx.commit().await?;
    Ok(Reply::ok(&LadderBody::of(whole, member, Some(ContestEligibility::of(&reasons))))?)
}

/// Update a tournament
///
/// For who runs it: its creator and the organizers whom they have named, or an organizer of the operator's, which is
/// noted. Title and description may change at any time, everything else but the format until the first round is drawn;
/// who has joined is told then (`tournament-changed`), and may leave. `terms-fixed` names in `errors` each field that
/// no longer changes. Refused with `not-an-organizer`.
#[utoipa::path(tag = "tournaments", operation_id = "update_tournament", security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament.")),
    request_body = UpdateTournamentRequest,
    responses((status = 200, description = "The tournament as it is now.", body = TournamentBody)))]
#[patch("/v1/tournaments/{id}")]
pub async fn update_tournament(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    body: Body<UpdateTournamentRequest>,
) -> Answer {
    let mut conn = app.db.conn().await?;
    let tournament = tournaments::read::find(&mut conn, &app, id.0, Some(&caller)).await?;
    tournament.runners().check(&mut conn, &app, &caller, Needs::Organizer).await?;
    let edit = Edit::of(of_tournament(&tournament.terms)?, &body.0.0, &derived::of_tournament(&tournament.terms));
    drop(conn);
    let (request, same_rules) = edit.read::<CreateTournamentRequest>()?;
    terms_change::check(&edit.sent(&body.0.0), tournaments::edit::progress(&tournament))?;
    let mut terms = request.unchecked_terms(&app).await?;
    if same_rules {
        let MatchSettings { clock, rated, seats, .. } = terms.agreed;
        terms.agreed = MatchSettings { clock, rated, seats, ..tournament.terms.agreed };
    }
    let fields = Edit { before: edit.before.clone(), after: of_tournament(&terms)? }.fields();
    let mut tx = app.db.begin().await?;
    let held = tournaments::edit::hold(&mut tx, &app, &caller, id.0, Needs::Organizer).await?;
    if of_tournament(&held.0.terms)? != edit.before {
        return Err(changed_meanwhile().into());
    }
    let tournament = tournaments::edit::change(&mut tx, &app, held, terms, &fields).await?;
    let obstacles = tournaments::read::obstacles(&mut tx, &app, &tournament, &caller).await?;
    tx.commit().await?;
    Ok(Reply::ok(&TournamentBody::of(tournament, Some(ContestEligibility::of(&obstacles))))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::openapi;

    fn edited(before: Value, sent: Value) -> Edit {
        let map = |value: Value| value.as_object().unwrap().clone();
        Edit::of(map(before), &map(sent), &[])
    }

    #[test]
    fn what_is_sent_is_laid_over_what_is_there() {
        let before =
            json!({ "title": "Cup", "min_rating": 1500, "variant": "classic", "rule_set": { "rows": 10 }, "seats": 2 });
        let edit = edited(before.clone(), json!({ "min_rating": null, "title": "Cup", "max_rating": 1800 }));
        assert_eq!(edit.fields(), ["min_rating", "max_rating"]);
        let edit = edited(before, json!({ "variant": "salvo" }));
        assert_eq!(Value::Object(edit.after), json!({ "title": "Cup", "min_rating": 1500, "variant": "salvo" }));
    }

    /// A field of the request that this file doesn't write would be reset to its default by every edit.
    #[test]
    fn no_field_of_a_request_is_forgotten() {
        let contract = openapi::document();
        let source = include_str!("edit.rs");
        for name in ["CreateLadderRequest", "CreateTournamentRequest"] {
            let fields = contract["components"]["schemas"][name]["properties"].as_object().unwrap();
            for field in fields.keys() {
                assert!(source.contains(&format!("\"{field}\":")), "{name}: {field}");
            }
        }
    }
}
