//! A match in the view of one viewer, field by field. This is the list of all data that leaves the service about a
//! match under way.

use broadside_contests::RuleSetHash;
use broadside_rules::outcome::{Place, Reason};
use broadside_rules::text::Digest;
use broadside_rules::view_model::{ArmisticeView, Round, SeaView, SeatState};
use broadside_rules::{Chance, Clock, Decision, Outcome, Pause, RuleSet, Seat, SeatSet, Status, Time};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::contests::access::SeenPairing;
use crate::ids::{LadderId, MatchId, PairingId, TournamentId};
use crate::matches::{Contest, FormerPlayer, MatchSnapshot, PairingRef};
use crate::player::Player;
use crate::ratings::RatingEffect;

/// Who looks.
#[derive(Serialize, ToSchema)]
#[schema(as = Viewer)]
pub struct ViewerBody {
    /// The viewer's seat; null for a spectator.
    seat: Option<Seat>,
}

/// A seat of a match.
#[derive(Serialize, ToSchema)]
pub struct MatchSeat<'a> {
    seat: Seat,
    /// What the seat is called in this game.
    #[schema(max_length = 20, pattern = "^[a-z-]+$")]
    name: &'a str,
    player: &'a Player,
    /// The player's rating when they sat down, in the pool of such matches; null: the player had none.
    #[schema(minimum = 0, maximum = 10000, format = Int32)]
    rating: Option<i32>,
    /// `playing`, or `out` once the seat plays no more part.
    status: SeatState,
    /// Whether the fleet is placed.
    deployed: bool,
    /// Seconds left on this seat's clock when it last started or stopped; while the seat must act, `deadline` says when
    /// it runs out. Null: no limit, or the seat has no clock yet, because an ally places a fleet before it.
    #[schema(minimum = 0, maximum = 1_209_600, format = Int32)]
    time_left_s: Option<u32>,
    /// The place taken, from 1; null while the match lasts.
    #[schema(minimum = 1, maximum = 7, format = Int32)]
    place: Option<u8>,
}

/// How a match ended, and what that did to the ratings.
#[derive(Serialize, ToSchema)]
#[schema(as = MatchResultDetails)]
pub struct ResultBody<'a> {
    reason: Reason,
    /// Who won; null for a draw or a match called off.
    winner: Option<Seat>,
    /// Every seat's place, best first; empty for a match called off.
    #[schema(max_items = 7)]
    places: &'a [Place],
    /// What it did to the players' ratings; empty when it counts for none. Paired games are rated as one when both are
    /// over, and both show it.
    #[schema(max_items = 7)]
    ratings: Vec<SeatRatingBody>,
    /// Whether it was annulled since: then that was taken back.
    annulled: bool,
    /// Whether a moderator has decided what it counts as since: then `ratings` come of that, and the ledger says of
    /// which places and why.
    adjudicated: bool,
}

/// What a match did to the rating of a seat's player.
#[derive(Serialize, ToSchema)]
#[schema(as = SeatRating)]
pub struct SeatRatingBody {
    #[schema(minimum = 0, maximum = 6, format = Int32)]
    seat: u8,
    /// The rating before; newcomers begin with 1500.
    #[schema(minimum = 0, maximum = 10000, format = Int32)]
    before: i32,
    /// The rating after.
    #[schema(minimum = 0, maximum = 10000, format = Int32)]
    after: i32,
}

impl<'a> ResultBody<'a> {
    fn of(outcome: &'a Outcome, rated: &RatingEffect) -> Self {
        let ratings = rated.seats.iter().map(|change| SeatRatingBody {
            seat: change.seat,
            before: change.before,
            after: change.after,
        });
        Self {
            reason: outcome.reason,
            winner: outcome.winner,
            places: &outcome.places,
            ratings: ratings.collect(),
            annulled: rated.annulled,
            adjudicated: rated.adjudicated,
        }
    }
}

/// What makes it impossible to change anything afterwards without being found out; see the match's record.
#[derive(Serialize, ToSchema)]
#[schema(as = MatchProof)]
pub struct ProofBody<'a> {
    /// SHA-256 of the seed of chance, published on the challenge before anybody joined; in hexadecimal.
    chance_commitment: Digest,
    /// The key that signs the record: its name in `/.well-known/jwks.json`.
    #[schema(max_length = 43, pattern = "^[A-Za-z0-9_-]{43}$")]
    record_key: &'a str,
    /// How many public reports there are.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    chain_length: u32,
    /// The last link of the chain of public reports: keep it to show later that nothing before it was changed.
    chain_head: Digest,
    /// The seed of chance; null until the match has ended with a result.
    seed: Option<Digest>,
}

impl<'a> ProofBody<'a> {
    fn of(snapshot: &'a MatchSnapshot) -> Self {
        let (terms, chain) = (snapshot.terms(), snapshot.chain());
        Self {
            chance_commitment: Digest::of(&Chance::commitment(&terms.chance_seed)),
            record_key: &terms.record_key,
            chain_length: chain.length,
            chain_head: Digest::of(&chain.head),
            seed: snapshot.chance_seed().map(Digest::of),
        }
    }
}

/// What a match is to the ladder or the tournament that it is played for.
#[derive(Serialize, ToSchema)]
#[schema(as = PairingReference)]
pub struct PairingRefBody {
    /// The pairing: `GET /v1/pairings/{id}` says who meets.
    id: PairingId,
    /// The ladder; null: it is for a tournament.
    ladder_id: Option<LadderId>,
    /// The tournament; null: it is for a ladder.
    tournament_id: Option<TournamentId>,
    /// Which of their games it is, from 1.
    #[schema(minimum = 1, maximum = 2, format = Int32)]
    game: u8,
    /// How many they play: one, or two of paired games, which are rated as one.
    #[schema(minimum = 1, maximum = 2, format = Int32)]
    games: u8,
}

impl PairingRefBody {
    /// The pairing, if the viewer may know it.
    pub fn of(seen: SeenPairing) -> Option<Self> {
        let PairingRef { id, contest, game, games } = seen.shown()?;
        let (ladder_id, tournament_id) = named(contest);
        Some(Self { id, ladder_id, tournament_id, game, games })
    }
}

/// A contest's id, as that of a ladder or of a tournament.
pub fn named(contest: Contest) -> (Option<LadderId>, Option<TournamentId>) {
    match contest {
        Contest::Ladder(id) => (Some(id), None),
        Contest::Tournament(id) => (None, Some(id)),
    }
}

/// A player who had a seat and has it no more.
#[derive(Serialize, ToSchema)]
#[schema(as = FormerPlayer)]
pub struct FormerPlayerBody {
    seat: Seat,
    player: Player,
    /// When a substitute took the seat over.
    until: Time,
}

impl From<&FormerPlayer> for FormerPlayerBody {
    fn from(former: &FormerPlayer) -> Self {
        Self { seat: former.seat, player: former.player.clone(), until: former.until }
    }
}

/// All that the viewer knows of a match.
#[derive(Serialize, ToSchema)]
#[schema(as = Match)]
pub struct MatchBody<'a> {
    id: MatchId,
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: &'a str,
    #[schema(value_type = RuleSet)]
    rule_set: &'a RawValue,
    /// SHA-256 of the rule set's canonical JSON (RFC 8785), in hexadecimal.
    rule_set_hash: Digest,
    /// The named rule set that it is played by (`GET /v1/rule-sets/{hash}`); null: a variant. `rule_set` has another
    /// hash where who begins was said apart.
    named_rule_set: Option<Digest>,
    clock: &'a Clock,
    rated: bool,
    spectators: bool,
    /// What it is played for; null: for itself, or for a private ladder or tournament that the viewer doesn't see.
    pairing: Option<PairingRefBody>,
    status: Status,
    /// How much this viewer has been told: the number of their reports. Send it with an action.
    #[schema(minimum = 0, maximum = 4294967295_i64, format = Int64)]
    version: u32,
    /// Send it as `after` to list the reports that come after this view.
    #[schema(max_length = 25, pattern = "^[a-z2-9]{8}-[0-9]{1,16}$")]
    reports_cursor: String,
    viewer: ViewerBody,
    #[schema(max_items = 7)]
    seats: Vec<MatchSeat<'a>>,
    /// Who has had a seat before somebody took it over, in the order in which they left.
    #[schema(max_items = 100)]
    former_players: Vec<FormerPlayerBody>,
    /// The seats that must act.
    to_act: SeatSet,
    /// When time runs out for the seats that must act, or the armistice ends; null: no limit.
    deadline: Option<Time>,
    /// The armistice that is on; null when none is.
    armistice: Option<ArmisticeView>,
    /// The newest pause of its ladder or tournament: until it is over no clock runs, and whoever wants to may move.
    /// Null: there was none, or the match is over.
    pause: Option<Pause>,
    /// The round that is played; null before the first, and where the rules limit none.
    round: Option<Round>,
    #[schema(max_items = 7)]
    seas: Vec<SeaView>,
    /// What the viewer may do now; the first required one is what the match waits for.
    #[schema(max_items = 64)]
    decisions: Vec<Decision>,
    result: Option<ResultBody<'a>>,
    proof: ProofBody<'a>,
    created_at: Time,
    started_at: Option<Time>,
    finished_at: Option<Time>,
}

impl<'a> MatchBody<'a> {
    /// The match in its viewer's view; `pairing` is the part of its contest that the viewer may see.
    pub fn of(snapshot: &'a MatchSnapshot, pairing: SeenPairing) -> Self {
        let (terms, view) = (snapshot.terms(), snapshot.view());
        let players = terms.players.iter().zip(terms.ratings.iter().chain(std::iter::repeat(&None)));
        let seats = view.seats().into_iter().zip(players).map(|(seat, (player, rating))| MatchSeat {
            seat: seat.seat,
            name: seat.name,
            player,
            rating: *rating,
            status: seat.state,
            deployed: seat.deployed,
            time_left_s: seat.time_left_s,
            place: seat.place,
        });
        Self {
            id: terms.id,
            variant: terms.variant.id,
            rule_set: &terms.rule_set.canonical,
            rule_set_hash: terms.rule_set.hash.digest(),
            named_rule_set: terms.named.map(RuleSetHash::digest),
            clock: &terms.setup.clock,
            rated: terms.rated,
            spectators: terms.spectators,
            pairing: PairingRefBody::of(pairing),
            status: view.status(),
            version: view.version(),
            reports_cursor: snapshot.cursor().to_string(),
            viewer: ViewerBody { seat: view.viewer().seat() },
            seats: seats.collect(),
            former_players: terms.former.iter().map(FormerPlayerBody::from).collect(),
            to_act: view.to_act(),
            deadline: view.deadline(),
            armistice: view.armistice(),
            pause: view.pause(),
            round: view.round(),
            seas: view.seas(),
            decisions: view.decisions(terms.seed),
            result: view.result().map(|outcome| ResultBody::of(outcome, snapshot.rated())),
            proof: ProofBody::of(snapshot),
            created_at: terms.created_at,
            started_at: view.started_at(),
            finished_at: view.finished_at(),
        }
    }
}

/// The viewer (`s0` is seat 0, `v` a spectator) and the viewer's version name the view, which is a function of the
/// viewer's reports in this epoch. The edition names the rest: the names of the players, which change when an account
/// is deleted, and the effect of the match on ratings.
pub fn etag(snapshot: &MatchSnapshot) -> String {
    tag(snapshot, "")
}

/// The tag of an answer with the pairing, or without it (`-`) if the viewer can't see the contest.
pub fn etag_with(pairing: SeenPairing, snapshot: &MatchSnapshot) -> String {
    tag(snapshot, if pairing.is_hidden() { "-" } else { "" })
}

fn tag(snapshot: &MatchSnapshot, hidden: &str) -> String {
    let (viewer, cursor) = (snapshot.view().viewer(), snapshot.cursor());
    let viewer = viewer.seat().map_or_else(|| "v".to_owned(), |seat| format!("s{}", seat.0));
    match snapshot.terms().edition {
        0 => format!("\"{cursor}.{viewer}{hidden}\""),
        edition => format!("\"{cursor}.{viewer}{hidden}.{edition}\""),
    }
}
