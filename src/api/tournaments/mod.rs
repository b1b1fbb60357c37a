//! Tournaments over HTTP: create, list, read, join, leave. Start and cancellation are in [`start`], standings in
//! [`crate::api::tournaments::standings`], rounds in [`crate::api::tournaments::rounds`], and brackets in
//! [`crate::api::tournaments::bracket`].

pub mod bracket;
pub mod byes;
pub mod crosstable;
pub mod export;
pub(in crate::api) mod form_terms;
pub mod late;
pub mod review;
mod round_terms;
pub mod rounds;
pub mod standings;
pub mod start;
mod table;
pub mod trf;
pub mod view;

use actix_web::{HttpRequest, get, post, web};
use broadside_contests::{Form, RuleSetHash, Seeding};
use broadside_rules::text::Digest;
use broadside_rules::{Clock, Time};
use serde_json::{Map, Value};

use crate::accounts::{Identity, Username, find_named};
use crate::api::contests::entries::OwnEntry;
use crate::api::http::auth::{Caller, LobbyRead, LobbyWrite, Visitor};
use crate::api::http::bodies::EmptyRequest;
use crate::api::http::extract::{Change, Id, Once, Query};
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::filters::VariantFilter;
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::lobby::challenges::{RuleSetChanges, VariantId};
use crate::api::pairings::ContestEligibility;
use crate::api::rulesets::base::{ChosenRules, RulesRequest};
use crate::api::tournaments::form_terms::{GroupsTermsInput, KnockoutTermsInput};
use crate::api::tournaments::round_terms::{LateEntryInput, RequestedByesInput};
use crate::api::tournaments::view::TournamentBody;
use crate::app::App;
use crate::contests::access::{Access, ContestVisibility, EntryMode};
use crate::contests::entry_limits::EntryLimits;
use crate::contests::{Contest, entries};
use crate::db::PublicRead;
use crate::error::{Error, Result};
use crate::idempotency::Tx;
use crate::ids::TournamentId;
use crate::matches::open::MatchSettings;
use crate::rate_limits::RateLimitKey;
use crate::social::text::{Description, SearchText, Title};
use crate::tournaments::read::{self, TournamentFilter};
use crate::tournaments::round_time::AtDeadline;
use crate::tournaments::terms::max_players_of;
use crate::tournaments::{Tournament, TournamentAudience, TournamentStatus, TournamentTerms, entry};

text_fields!(AtDeadline, Form, TournamentAudience, TournamentStatus, TournamentId);

request! {
    /// A tournament to make.
    pub struct CreateTournamentRequest {
        /// What it is called: 3 to 80 characters.
        #[schema(value_type = String, min_length = 3, max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
        pub title: Title,
        /// What there is to say of it: 1 to 2000 characters.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 2000, pattern = "^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f]+$")]
        pub description: Option<Description>,
        /// How it is decided who meets whom.
        pub format: Form,
        /// The variant to play, one for two players, and at tables one for three or more; `GET /v1/variants` lists
        /// them. Required, unless `named_rule_set` is given.
        #[schema(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantId>,
        /// In place of `variant` and `rule_set`, the hash of a named rule set; `GET /v1/rule-sets` lists them.
        #[schema(value_type = Option<Digest>)]
        pub named_rule_set: Option<RuleSetHash>,
        /// Changes to the variant's rule set: the fields that are given replace its own.
        #[schema(value_type = Option<RuleSetChanges>)]
        pub rule_set: Option<Map<String, Value>>,
        /// The clock, which a tournament needs. What is not said of `rests` is `standard` where it gives a day or more.
        pub clock: Clock,
        /// Whether results count for the ratings; false unless given. Rated matches are played by the variant's own
        /// rules, or by a named rule set.
        pub rated: Option<bool>,
        /// Whether a board is two games at once, of which each player begins one; false unless given.
        pub paired_games: Option<bool>,
        /// Round robin, and groups: whether everybody meets everybody twice; false unless given.
        pub double_round_robin: Option<bool>,
        /// Round robin: whether all rounds are played at once; false unless given. With 32 players at most. Groups: the
        /// same of the groups.
        pub all_rounds_at_once: Option<bool>,
        /// Tables: how many sit at one at most, 3 to 7; as many as the rules allow unless given.
        #[schema(value_type = Option<u32>, minimum = 3, maximum = 7, format = Int32)]
        pub seats: Option<Ranged<3, 7>>,
        /// Swiss: how many rounds, fewer than `max_players`. Tables: how many, 20 at most.
        #[schema(minimum = 1, maximum = 30, format = Int32)]
        pub rounds: Option<u32>,
        /// Groups: how many, and how many of each go on; groups of four and two of each unless given.
        pub groups: Option<GroupsTermsInput>,
        /// Knockout, and the finals after groups: the ties, and the seeding; as is usual unless given.
        pub knockout: Option<KnockoutTermsInput>,
        /// Swiss and round robin: in which order starting numbers are given; by lot unless given.
        pub seeding: Option<Seeding>,
        /// Swiss, and at tables: who may come in after the start; nobody unless given.
        pub late_entry: Option<LateEntryInput>,
        /// Swiss, and at tables: the byes that players can ask for; one for half a point, and none in the last round,
        /// unless given.
        pub requested_byes: Option<RequestedByesInput>,
        /// Swiss: how long each round waits, after it is drawn, for an organizer who doesn't play to look at it, in
        /// seconds: ten minutes to seven days. It doesn't unless given.
        #[schema(minimum = 600, maximum = 604_800, format = Int32)]
        pub review_s: Option<u32>,
        /// How much time a round has, in seconds, from when its matches begin; as much as they take unless given.
        #[schema(minimum = 60, maximum = 31_536_000, format = Int32)]
        pub round_time_s: Option<u32>,
        /// With `round_time_s`: what becomes of a game that isn't over by then; `by-time-taken` unless given.
        pub at_deadline: Option<AtDeadline>,
        /// Who may join; `everybody` unless given.
        pub audience: Option<TournamentAudience>,
        /// The reliability that joining needs (`reliability_percent` of the profile). A player who has none may join.
        #[schema(minimum = 1, maximum = 100, format = Int32)]
        pub min_reliability_percent: Option<u32>,
        /// The lowest rating to join with, in the pool of its matches; who has none counts as 1500.
        #[schema(minimum = 100, maximum = 4000, format = Int32)]
        pub min_rating: Option<u32>,
        /// The highest rating to join with.
        #[schema(minimum = 100, maximum = 4000, format = Int32)]
        pub max_rating: Option<u32>,
        /// How many days ago the account of a player must have been made; any number unless given.
        #[schema(minimum = 1, maximum = 3650, format = Int32)]
        pub min_account_age_days: Option<u32>,
        /// How people get in: `open` unless given.
        pub entry: Option<EntryMode>,
        /// Who sees it: `public` unless given.
        pub visibility: Option<ContestVisibility>,
        /// With fewer players it doesn't start; 3 unless given, at tables and in groups as many as the terms need.
        #[schema(minimum = 3, maximum = 512, format = Int32)]
        pub min_players: Option<u32>,
        /// With this number of players the tournament starts at once. The default is the maximum: 64 in a round robin
        /// (32 with `all_rounds_at_once`), 512 in other formats (16 for each group, if their number is given).
        #[schema(minimum = 3, maximum = 512, format = Int32)]
        pub max_players: Option<u32>,
        /// Until when one can join; until it starts unless given.
        pub registration_ends_at: Option<Time>,
        /// When it starts by itself, 90 days ahead at most; otherwise when it is full or its creator says so, and 90
        /// days after it was made at the latest.
        pub starts_at: Option<Time>,
    }
}

request! {
    /// Which tournaments to list.
    pub query TournamentListQuery {
        /// Only with this status.
        #[param(value_type = Option<TournamentStatus>, inline)]
        pub status: Option<TournamentStatus>,
        /// Only of this form.
        #[param(value_type = Option<Form>, inline)]
        pub format: Option<Form>,
        /// Only those with this variant.
        #[param(value_type = Option<String>, max_length = 40, pattern = "^[a-z0-9-]+$")]
        pub variant: Option<VariantFilter>,
        /// Only by this named rule set.
        #[param(value_type = Option<String>, min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
        pub named_rule_set: Option<RuleSetHash>,
        /// Only those in which this player plays.
        #[param(value_type = Option<String>, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub player: Option<Username>,
        /// Only those with these words in title or description, whatever their case: `"…"` for words side by side,
        /// `or`, and `-` before a word that must not be there.
        #[param(value_type = Option<String>, min_length = 1, max_length = 100, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub search: Option<SearchText>,
        /// Only those that start, or have started, at this time or later. Those that start when their creator says so
        /// have no such time until then.
        pub starts_from: Option<Time>,
        /// Only those that start, or have started, before this time.
        pub starts_until: Option<Time>,
        ..page(TournamentId)
    }
}

/// A number of people or rounds. A number too large for the type is too large for every limit.
fn small(number: u32) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

impl CreateTournamentRequest {
    /// Fails if the parts of the terms contradict each other.
    async fn terms(self, app: &App) -> Result<TournamentTerms> {
        let terms = self.unchecked_terms(app).await?;
        let faults = terms.faults(app.clock.now());
        if faults.is_empty() { Ok(terms) } else { Err(Error::invalid(faults)) }
    }

    /// Fails if a part of the terms is invalid.
    pub(in crate::api) async fn unchecked_terms(self, app: &App) -> Result<TournamentTerms> {
        let asked = RulesRequest {
            variant: self.variant,
            changes: self.rule_set,
            named_rule_set: self.named_rule_set,
            first: None,
        };
        let ChosenRules { variant, rules, named } = asked.chosen(app).await?;
        let all_rounds_at_once = self.all_rounds_at_once.unwrap_or(false);
        let round_terms =
            round_terms::asked(self.format, (self.seeding, self.review_s), self.late_entry, self.requested_byes);
        let groups = GroupsTermsInput::terms(self.groups, self.format);
        let (fewest, seats) = form_terms::seats(self.format, groups.as_ref(), self.seats, &rules);
        let most = max_players_of(self.format, all_rounds_at_once, groups.as_ref());
        Ok(TournamentTerms {
            title: self.title,
            description: self.description,
            form: self.format,
            agreed: MatchSettings {
                variant,
                rules,
                named,
                clock: self.clock.with_rests_unless_said(),
                rated: self.rated.unwrap_or(false),
                spectators: true,
                seats,
            },
            paired: self.paired_games.unwrap_or(false),
            double_round_robin: self.double_round_robin.unwrap_or(false),
            all_rounds_at_once,
            rounds: self.rounds.map(small),
            groups,
            knockout: KnockoutTermsInput::terms(self.knockout, self.format),
            round_terms,
            round_time_s: self.round_time_s,
            at_deadline: self.at_deadline.or(self.round_time_s.map(|_| AtDeadline::ByTimeTaken)),
            audience: self.audience.unwrap_or(TournamentAudience::Everybody),
            limits: EntryLimits::asked(
                self.min_reliability_percent,
                (self.min_rating, self.max_rating),
                self.min_account_age_days,
            ),
            access: Access::asked(self.entry, self.visibility),
            min_players: self.min_players.map_or(fewest, small),
            max_players: self.max_players.map_or(most, small),
            registration_ends_at: self.registration_ends_at,
            starts_at: self.starts_at,
        })
    }
}

/// Changes a tournament in one transaction, and answers with it.
async fn answer(
    app: &App,
    caller: &Identity,
    once: Once,
    change: impl AsyncFnOnce(&mut Tx) -> Result<Tournament>,
) -> Answer {
    let work = async |tx: &mut _| Reply::ok(&TournamentBody::of(change(tx).await?, None));
    once.run(app, &RateLimitKey::Account(caller.account), work).await
}

/// Create a tournament
///
/// Everybody can read its terms before joining. Its creator plays only after joining.
/// Refused with `validation-failed` (every fault named), `invalid-rule-set`, or `quota-exceeded` when the caller has
/// made three that are not over.
#[utoipa::path(tag = "tournaments", operation_id = "create_tournament", security(("bearer" = ["lobby:write"])),
    request_body = CreateTournamentRequest,
    responses((status = 201, description = "It is open.", body = TournamentBody)))]
#[post("/v1/tournaments")]
pub async fn create_tournament(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    change: Change<CreateTournamentRequest>,
) -> Answer {
    let terms = change.request.terms(&app).await?;
    let work = async |tx: &mut _| {
        let tournament = entry::create(tx, &app, &caller, terms).await?;
        let location = format!("/v1/tournaments/{}", tournament.id);
        Reply::created(&location, &TournamentBody::of(tournament, None))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List tournaments
///
/// The newest first. Private ones are listed for those who run them or play in them.
#[utoipa::path(tag = "tournaments", operation_id = "list_tournaments", security((), ("bearer" = ["lobby:read"])),
    params(TournamentListQuery),
    responses((status = 200, description = "A page of them.", body = Page<TournamentBody>)))]
#[get("/v1/tournaments")]
pub async fn list_tournaments(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    query: Query<TournamentListQuery>,
    request: HttpRequest,
) -> Answer {
    let filter = query.0;
    let limit = page_limit(filter.limit, 50);
    let player = find_named(&app, filter.player.as_ref()).await?;
    let filter = TournamentFilter {
        status: filter.status,
        form: filter.format,
        variant: filter.variant.map(|VariantFilter(id)| id),
        named: filter.named_rule_set,
        player,
        search: filter.search,
        starts_from: filter.starts_from,
        starts_until: filter.starts_until,
        viewer: visitor.identity().map(|me| me.account),
        before: filter.cursor,
        limit: limit + 1,
    };
    let found = match visitor.identity() {
        Some(_) => read::list(&mut app.db.conn().await?, &filter).await?,
        None => {
            let read = async |conn: &mut PublicRead| read::public_list(conn, filter.clone()).await;
            app.public_reads.read(read).await?
        }
    };
    let body = |tournament: Tournament| TournamentBody::of(tournament, None);
    page(found, limit, |tournament| tournament.id.to_string(), body).reply(&request)
}

/// Get a tournament
///
/// With a token it says in `eligibility` whether the caller may join, and everything that stands against it.
#[utoipa::path(tag = "tournaments", operation_id = "get_tournament", security((), ("bearer" = ["lobby:read"])),
    params(("id" = TournamentId, Path, description = "The tournament.")),
    responses((status = 200, description = "The tournament.", body = TournamentBody)))]
#[get("/v1/tournaments/{id}")]
pub async fn get_tournament(app: web::Data<App>, visitor: Visitor<LobbyRead>, id: Id<TournamentId>) -> Answer {
    let mut conn = app.db.conn().await?;
    let tournament = read::find(&mut conn, &app, id.0, visitor.identity()).await?;
    let (mut eligibility, mut entry) = (None, None);
    if let Some(me) = visitor.identity() {
        eligibility = Some(ContestEligibility::of(&read::obstacles(&mut conn, &app, &tournament, me).await?));
        entry = entries::find(&mut conn, Contest::Tournament(id.0), me.account).await?;
    }
    Ok(Reply::ok(
        &TournamentBody::of(tournament, eligibility).with(entry.map(|entry| OwnEntry::of(entry.state, entry.at))),
    )?)
}

/// Join a tournament
///
/// While it is open. Whoever joins has agreed to its terms and `policies`. Where `entry` is `approval` it makes a
/// request, unless the caller is invited: `own_entry` says so, and an organizer decides. Refused with `not-eligible`;
/// `errors` names every reason, with the codes of `eligibility`; a request also with `quota-exceeded`. With the last
/// place the tournament is due to start.
#[utoipa::path(tag = "tournaments", operation_id = "join_tournament", security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament.")),
    request_body = EmptyRequest,
    responses((status = 200, description = "You play in it.", body = TournamentBody)))]
#[post("/v1/tournaments/{id}/join")]
pub async fn join_tournament(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    change: Change<EmptyRequest>,
) -> Answer {
    let work = async |tx: &mut _| {
        let tournament = entry::join(tx, &app, &caller, id.0).await?;
        let entry = entries::find(tx, Contest::Tournament(id.0), caller.account).await?;
        Reply::ok(&TournamentBody::of(tournament, None).with(entry.map(|entry| OwnEntry::of(entry.state, entry.at))))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Leave a tournament
///
/// Before the start without a trace; after it, it is a withdrawal for good, with what `policies` say of it.
/// `not-a-participant` for one who doesn't play in it (any more), `tournament-closed` when it is over.
#[utoipa::path(tag = "tournaments", operation_id = "leave_tournament", security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament.")),
    request_body = EmptyRequest,
    responses((status = 200, description = "You play in it no more.", body = TournamentBody)))]
#[post("/v1/tournaments/{id}/leave")]
pub async fn leave_tournament(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    change: Change<EmptyRequest>,
) -> Answer {
    answer(&app, &caller, change.once, async |tx: &mut _| entry::leave(tx, &app, &caller, id.0).await).await
}
