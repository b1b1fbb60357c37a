//! The caller's calendar over HTTP: time zone, night, days off, reminders, vacations.

pub mod feed;

use actix_web::{delete, get, post, put, web};
use broadside_rules::{Fault, Time};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::http::auth::{AccountRead, AccountWrite, Caller};
use crate::api::http::bodies::LocalTimeSpan;
use crate::api::http::extract::{Body, Change, Id};
use crate::api::http::fields::{FromJson, inner, kept, request, text_fields, typed};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::calendar::{self, AccountCalendar, Calendar, DaysOff, Night, Share, Vacation, Zone, vacations};
use crate::ids::VacationId;
use crate::matches::replan;
use crate::rate_limits::RateLimitKey;

text_fields!(Zone);

impl FromJson for Night {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let LocalTimeSpan { start, end } = inner(value, pointer, faults)?;
        kept(Night::new(start, end), pointer, faults)
    }
}

impl FromJson for DaysOff {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        kept(DaysOff::named(&Vec::from_json(value, pointer, faults)?), pointer, faults)
    }
}

impl FromJson for String {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        typed(value.as_str().map(str::to_owned), "must be a string", pointer, faults)
    }
}

impl FromJson for Share {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let percent = value.as_u64().and_then(|percent| u8::try_from(percent).ok());
        let share = percent.and_then(Share::of_percent);
        kept(share.ok_or_else(|| "must be 5 to 50, a whole number".to_owned()), pointer, faults)
    }
}

impl FromJson for Time {
    fn from_json(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Self> {
        let time = value.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
        let time = time.map(|time| Time(time.as_millisecond()));
        kept(time.ok_or_else(|| "must be an RFC 3339 time, such as 2026-12-24T18:00:00Z".to_owned()), pointer, faults)
    }
}

/// A day of the week.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[allow(dead_code, reason = "it only describes the contract")]
enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

request! {
    /// A calendar that replaces the stored one: what is left out is off.
    pub struct ReplaceCalendarRequest {
        /// A time zone of the IANA database; `UTC` by default.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 64, pattern = "^[A-Za-z0-9/_+-]+$", example = "Europe/Paris")]
        pub time_zone: Option<Zone>,
        /// When you sleep, one to ten hours; no night by default.
        #[schema(value_type = Option<LocalTimeSpan>)]
        pub night: Option<Night>,
        /// Days of the week on which you don't play, two at most; none by default.
        #[schema(value_type = Option<Vec<Weekday>>, max_items = 2)]
        pub days_off: Option<DaysOff>,
        /// You get a reminder (`deadline-near`) when this many percent of the time that your clock had are left: 5 to
        /// 50. No reminders by default.
        #[schema(value_type = Option<u32>, minimum = 5, maximum = 50, format = Int32)]
        pub remind_at_percent: Option<Share>,
        /// Whether a day of vacation begins automatically when an hour of your time is left; false by default.
        pub automatic_vacation: Option<bool>,
    }
}

/// A vacation.
#[derive(Serialize, ToSchema)]
#[schema(as = Vacation)]
pub struct VacationBody {
    id: VacationId,
    /// When it begins.
    starts_at: Time,
    /// When it ends.
    ends_at: Time,
    /// Whether it began automatically.
    automatic: bool,
}

impl From<Vacation> for VacationBody {
    fn from(vacation: Vacation) -> Self {
        let Vacation { id, from, until, automatic } = vacation;
        Self { id, starts_at: from, ends_at: until, automatic }
    }
}

/// A player's calendar, which only the player sees.
#[derive(Serialize, ToSchema)]
#[schema(as = Calendar)]
pub struct CalendarBody {
    /// A name of the IANA time zone database.
    #[schema(max_length = 64, pattern = "^[A-Za-z0-9/_+-]+$")]
    time_zone: String,
    /// The night; null: none.
    night: Option<LocalTimeSpan>,
    /// Days of the week on which the player doesn't play.
    #[schema(value_type = Vec<Weekday>, max_items = 2)]
    days_off: Vec<&'static str>,
    /// The player gets a reminder when this many percent of the time that the clock had are left; null: never.
    #[schema(minimum = 5, maximum = 50, format = Int32)]
    remind_at_percent: Option<u8>,
    /// Whether a day of vacation begins automatically when an hour of the player's time is left.
    automatic_vacation: bool,
    /// The longest vacation that could begin now, in seconds: the allowance, less what booked vacations need of it.
    #[schema(minimum = 0, maximum = 2_592_000, format = Int32)]
    vacation_left_s: u32,
    /// The vacations that have not ended; in an export, all of them.
    #[schema(max_items = 100_000)]
    vacations: Vec<VacationBody>,
    /// Whether there is a feed of the player's deadlines (`POST /v1/account/calendar/feed`).
    feed_enabled: bool,
}

impl CalendarBody {
    /// The calendar at `now`, without past vacations.
    fn of(known: AccountCalendar, now: Time) -> Self {
        let mut body = Self::whole(known, now);
        body.vacations.retain(|vacation| vacation.ends_at > now);
        body
    }

    /// The calendar with all vacations, past ones included.
    pub(in crate::api) fn whole(known: AccountCalendar, now: Time) -> Self {
        let vacation_left_s = known.vacation_left_s(now);
        let AccountCalendar { calendar, vacations, has_feed, .. } = known;
        let night = calendar.night.map(|night| LocalTimeSpan { start: night.from(), end: night.until() });
        Self {
            time_zone: calendar.time_zone.name().to_owned(),
            night,
            days_off: calendar.days_off.names(),
            remind_at_percent: calendar.warn_at.map(Share::percent),
            automatic_vacation: calendar.automatic_vacation,
            vacation_left_s,
            vacations: vacations.into_iter().map(VacationBody::from).collect(),
            feed_enabled: has_feed,
        }
    }
}

/// Get your calendar
///
/// Time zone, night, days off, reminders, and the vacations that have not ended.
#[utoipa::path(tag = "calendar", operation_id = "get_calendar", security(("bearer" = ["account:read"])),
    responses((status = 200, description = "The calendar.", body = CalendarBody)))]
#[get("/v1/account/calendar")]
pub async fn get_calendar(app: web::Data<App>, caller: Caller<AccountRead>) -> Answer {
    let mut conn = app.db.conn().await?;
    let known = calendar::find(&mut conn, caller.account).await?;
    Ok(Reply::ok(&CalendarBody::of(known, app.clock.now()))?)
}

/// Replace your calendar
///
/// Running matches whose terms let clocks rest are planned anew at once; after six changes in a row, within ten minutes
/// and together. A change costs more of your limit the more matches you play. A running clock keeps its nights and days
/// off up to its deadline: the change counts after it. What is left out is off: no night, no days off, no reminders, no
/// automatic vacation. Vacations stay as they are. Refused with `validation-failed`, every fault named.
#[utoipa::path(tag = "calendar", operation_id = "replace_calendar", security(("bearer" = ["account:write"])),
    request_body = ReplaceCalendarRequest,
    responses((status = 200, description = "The calendar as it is now.", body = CalendarBody)))]
#[put("/v1/account/calendar")]
pub async fn replace_calendar(
    app: web::Data<App>,
    caller: Caller<AccountWrite>,
    body: Body<ReplaceCalendarRequest>,
) -> Answer {
    let ReplaceCalendarRequest { time_zone, night, days_off, remind_at_percent, automatic_vacation } = body.0;
    let calendar = Calendar {
        time_zone: time_zone.unwrap_or_else(Zone::utc),
        night,
        days_off: days_off.unwrap_or_default(),
        warn_at: remind_at_percent,
        automatic_vacation: automatic_vacation.unwrap_or(false),
    };
    replan::charge(&app.matches, caller.account).await?;
    let known = calendar::change(&app, caller.account, &calendar).await?;
    replan::catch_up_or_log(&app.matches, caller.account).await;
    Ok(Reply::ok(&CalendarBody::of(known, app.clock.now()))?)
}

request! {
    /// A vacation to book.
    pub struct CreateVacationRequest {
        /// When it begins: not in the past, within 366 days; now by default.
        #[schema(value_type = Option<String>, format = DateTime)]
        pub starts_at: Option<Time>,
        /// When it ends: at least an hour later.
        #[schema(value_type = String, format = DateTime)]
        pub ends_at: Time,
    }
}

/// Create a vacation
///
/// During a vacation your clocks stand still in all matches whose terms allow vacations, running ones included. Until
/// it begins, it is shown to nobody else, and moves no deadline. It is paid when it begins, from the vacation
/// allowance: thirty days a year, earned day by day from registration on. Refused with `validation-failed`, every fault
/// named: `in-the-past`, `out-of-range`, `vacation-too-short`, `vacation-overlaps`, `not-enough-vacation`.
#[utoipa::path(tag = "calendar", operation_id = "create_vacation", security(("bearer" = ["account:write"])),
    request_body = CreateVacationRequest,
    responses((status = 201, description = "It is booked.", body = VacationBody)))]
#[post("/v1/account/vacations")]
pub async fn create_vacation(
    app: web::Data<App>,
    caller: Caller<AccountWrite>,
    change: Change<CreateVacationRequest>,
) -> Answer {
    let Change { request: CreateVacationRequest { starts_at, ends_at }, once } = change;
    replan::charge(&app.matches, caller.account).await?;
    let work = async |tx: &mut _| {
        let vacation = vacations::book(tx, &app, caller.account, starts_at, ends_at).await?;
        Reply::created("/v1/account/calendar", &VacationBody::from(vacation))
    };
    let answer = once.run(&app, &RateLimitKey::Account(caller.account), work).await?;
    replan::catch_up_or_log(&app.matches, caller.account).await;
    Ok(answer)
}

/// Cancel a vacation
///
/// What is left of it goes back into the allowance: all of it, or the rest of a current one, which ends now. (A
/// vacation that is ended within its first hour costs an hour.) Refused with `vacation-over` when it has ended, and
/// with `not-found` when it isn't yours.
#[utoipa::path(tag = "calendar", operation_id = "cancel_vacation", security(("bearer" = ["account:write"])),
    params(("id" = VacationId, Path, description = "The vacation.")),
    responses((status = 204, description = "It is cancelled.")))]
#[delete("/v1/account/vacations/{id}")]
pub async fn cancel_vacation(app: web::Data<App>, caller: Caller<AccountWrite>, id: Id<VacationId>) -> Answer {
    replan::charge(&app.matches, caller.account).await?;
    vacations::take_back(&app, caller.account, id.0).await?;
    replan::catch_up_or_log(&app.matches, caller.account).await;
    Ok(Reply::no_content())
}
