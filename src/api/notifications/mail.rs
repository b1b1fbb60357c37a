//! Mail settings over HTTP, and the request for a confirmation link. The pages to which links lead are in
//! [`crate::api::notifications::mail_pages`].

use actix_web::{get, post, put, web};
use broadside_rules::card::Language;
use broadside_rules::{Fault, Time};
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::Email;
use crate::api::http::auth::{AccountRead, AccountWrite, Caller};
use crate::api::http::bodies::{EmptyRequest, LocalTimeSpan};
use crate::api::http::envelope;
use crate::api::http::extract::{Body, Change};
use crate::api::http::fields::{AtMost, request, text_fields};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::calendar::Zone;
use crate::error::{Error, Result};
use crate::events::kinds::MailFailure;
use crate::notifications::mail::settings::{ConfirmationRequest, Digest, FailedMail, MailStatus, MailTopic, Quiet};
use crate::notifications::mail::{self, Preferences};
use crate::rate_limits::RateLimitKey;

text_fields!(MailTopic, Digest, Language);

request! {
    /// The events to get mail about, and when. It replaces all earlier settings: what is left out gets its default.
    pub struct ReplaceMailSettingsRequest {
        /// The events to get mail about, by their `type`; none by default.
        #[schema(value_type = Option<Vec<MailTopic>>, max_items = 40)]
        pub events: Option<AtMost<MailTopic, 40>>,
        /// How many events are gathered into one mail: `immediate` (the default; those of one minute), `hourly`, or
        /// `daily`. A warning (of a deadline, of a challenge for your position on a ladder, of a pairing or a board
        /// that you have missed) never waits longer than a minute.
        pub digest: Option<Digest>,
        /// The hour of a daily mail in the time zone, 0 to 23; 8 by default.
        #[schema(minimum = 0, maximum = 23, format = Int32)]
        pub daily_hour: Option<u32>,
        /// When no mail is sent: mail that is due then comes at their end; none by default.
        pub quiet_hours: Option<LocalTimeSpan>,
        /// A time zone of the IANA database, such as `Europe/Paris`; `UTC` by default.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 60, pattern = "^[A-Za-z0-9/_+-]+$")]
        pub time_zone: Option<Zone>,
        /// The language of the mails: `en` or `fr`; by default the one that the request's `Accept-Language` prefers.
        pub language: Option<Language>,
    }
}

impl ReplaceMailSettingsRequest {
    fn preferences(self) -> Result<Preferences> {
        let mut faults = Vec::new();
        let mut fault = |pointer: &str, code: &'static str, detail: &str| {
            faults.push(Fault { pointer: pointer.to_owned(), code, detail: detail.to_owned() });
        };
        let usual = Preferences::default();
        let daily_hour = self.daily_hour.map_or(Some(usual.daily_hour), |hour| u8::try_from(hour).ok());
        if daily_hour.is_none_or(|hour| hour > 23) {
            fault("/daily_hour", "out-of-range", "must be 0 to 23");
        }
        if self.quiet_hours.as_ref().is_some_and(|hours| hours.start == hours.end) {
            fault(
                "/quiet_hours/end",
                "conflicting-fields",
                "must be another time than the hours begin; leave them out for none",
            );
        }
        let mut on = self.events.map(|events| events.0).unwrap_or_default();
        on.sort_unstable();
        on.dedup();
        if faults.is_empty() {
            Ok(Preferences {
                on,
                digest: self.digest.unwrap_or(usual.digest),
                daily_hour: daily_hour.unwrap_or(usual.daily_hour),
                quiet: self.quiet_hours.map(|LocalTimeSpan { start, end }| Quiet { from: start, until: end }),
                zone: self.time_zone.unwrap_or_else(Zone::utc),
                language: self.language.unwrap_or_else(envelope::language),
            })
        } else {
            Err(Error::invalid(faults))
        }
    }
}

/// A mail that could not be delivered.
#[derive(Serialize, ToSchema)]
#[schema(as = FailedMail)]
pub struct FailedMailBody {
    /// When it failed for good.
    at: Time,
    /// Why.
    reason: MailFailure,
}

/// The caller's mail settings.
#[derive(Serialize, ToSchema)]
#[schema(as = MailSettings)]
pub struct MailSettingsBody {
    /// Whether this server sends mail at all.
    available: bool,
    /// The account's e-mail address; `PUT /v1/account/email` changes it.
    #[schema(max_length = 254, pattern = "^[^@\\s]+@[^@\\s]+$")]
    email: Option<String>,
    /// Whether the address is confirmed; else no mail goes there.
    confirmed: bool,
    /// The last mail to the address that could not be delivered; null: none, or another one was delivered since.
    last_failure: Option<FailedMailBody>,
    /// The events to get mail about.
    #[schema(value_type = Vec<MailTopic>, max_items = 40)]
    events: Vec<&'static str>,
    /// How many events are gathered into one mail.
    digest: Digest,
    /// The hour of a daily mail.
    #[schema(minimum = 0, maximum = 23, format = Int32)]
    daily_hour: u8,
    /// When no mail is sent.
    quiet_hours: Option<LocalTimeSpan>,
    /// The time zone.
    #[schema(max_length = 60, pattern = "^[A-Za-z0-9/_+-]+$")]
    time_zone: String,
    /// The language.
    language: Language,
}

impl MailSettingsBody {
    /// The settings in their owner's view.
    pub fn of(status: MailStatus, app: &App) -> Self {
        let MailStatus { preferences, address, confirmed, failure } = status;
        Self {
            available: app.mail.is_some(),
            email: address.as_ref().map(Email::as_str).map(str::to_owned),
            confirmed,
            last_failure: failure.map(|FailedMail { at, reason }| FailedMailBody { at, reason }),
            events: preferences.on.iter().map(|topic| topic.into_str()).collect(),
            digest: preferences.digest,
            daily_hour: preferences.daily_hour,
            quiet_hours: preferences.quiet.map(|Quiet { from, until }| LocalTimeSpan { start: from, end: until }),
            time_zone: preferences.zone.name().to_owned(),
            language: preferences.language,
        }
    }
}

/// A confirmation link in an export, without its secret, which is not stored.
#[derive(Serialize, ToSchema)]
pub struct ExportedMailConfirmation {
    #[schema(max_length = 254, pattern = "^[^@\\s]+@[^@\\s]+$")]
    email: String,
    requested_at: Time,
    /// When the link was used; null: never.
    used_at: Option<Time>,
}

impl From<ConfirmationRequest> for ExportedMailConfirmation {
    fn from(requests: ConfirmationRequest) -> Self {
        Self { email: requests.address.as_str().to_owned(), requested_at: requests.at, used_at: requests.used_at }
    }
}

/// Get mail settings
///
/// Whether this server sends mail (`available`), the address, whether it is confirmed, the last mail to it that could
/// not be delivered, and the preferences.
#[utoipa::path(tag = "mail", operation_id = "get_mail_settings", security(("bearer" = ["account:read"])),
    responses((status = 200, description = "The mail settings.", body = MailSettingsBody)))]
#[get("/v1/account/mail")]
pub async fn get_mail_settings(app: web::Data<App>, caller: Caller<AccountRead>) -> Answer {
    let mut conn = app.db.conn().await?;
    let status = mail::read(&mut conn, caller.account).await?;
    Ok(Reply::ok(&MailSettingsBody::of(status, &app))?)
}

/// Replace mail settings
///
/// It replaces all earlier settings. Mail is about events from now on, and goes only to a confirmed address (`POST
/// /v1/account/mail/confirmation`). Where `available` is false the settings are stored, and nothing is sent. Refused
/// with `validation-failed`, every fault named.
#[utoipa::path(tag = "mail", operation_id = "replace_mail_settings", security(("bearer" = ["account:write"])),
    request_body = ReplaceMailSettingsRequest,
    responses((status = 200, description = "The mail settings as they are now.", body = MailSettingsBody)))]
#[put("/v1/account/mail")]
pub async fn replace_mail_settings(
    app: web::Data<App>,
    caller: Caller<AccountWrite>,
    body: Body<ReplaceMailSettingsRequest>,
) -> Answer {
    let status = mail::change(&app, caller.account, &body.0.preferences()?).await?;
    Ok(Reply::ok(&MailSettingsBody::of(status, &app))?)
}

/// Send a confirmation mail
///
/// The link is valid for 48 hours and works once; it leads to a page with a button. Request another when none has come,
/// after ten minutes at the earliest and five times a day (else `too-many-requests`); another address doesn't have to
/// wait. If the mail can't be delivered, `last_failure` says so soon after. Nothing is sent when the address
/// is confirmed already. If you have no mail settings yet, your mails are in the language that `Accept-Language`
/// prefers. Refused with `mail-unavailable` where the server sends no mail, and with `email-missing`.
#[utoipa::path(tag = "mail", operation_id = "send_confirmation_mail", security(("bearer" = ["account:write"])),
    request_body = EmptyRequest,
    responses((status = 200, description = "The mail settings; the link is on its way, unless `confirmed` is true.", body = MailSettingsBody)))]
#[post("/v1/account/mail/confirmation")]
pub async fn send_confirmation_mail(
    app: web::Data<App>,
    caller: Caller<AccountWrite>,
    change: Change<EmptyRequest>,
) -> Answer {
    let work = async |tx: &mut _| {
        let status = mail::request_confirmation(tx, &app, app.mail.as_ref(), &caller, envelope::language()).await?;
        Reply::ok(&MailSettingsBody::of(status, &app))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}
