//! An account's mail preferences: events and times. Without any, it gets no mail.

use broadside_rules::Time;
use broadside_rules::card::Language;

use crate::accounts::{self, Email, account};
use crate::calendar::{TimeOfDay, Zone};
use crate::context::Context;
use crate::db::{Conn, Db, Tx};
use crate::error::Result;
use crate::events::kinds::MailFailure;
use crate::ids::AccountId;
use crate::notifications::mail::store;
use crate::string_enums::string_enums;

string_enums! {
    /// A kind of event that mail can be about, by its `type` in the account's log; in the order of a mail's sections.
    #[schema(as = MailEventType)]
    pub enum MailTopic {
        /// It is the account's turn.
        YourTurn,
        /// A deadline of the account is near.
        DeadlineNear,
        /// A player challenges the account for its position on a ladder.
        LadderChallengeReceived,
        /// The account has missed a pairing of a ladder, and must not miss the next one.
        LadderPairingMissed,
        /// The account has missed a board of a tournament, and must not miss the next one.
        TournamentBoardMissed,
        /// The time of a round of a tournament is nearly over, and games of the account go on.
        RoundDeadlineNear,
        /// The deadline of a round of a tournament was moved, and games of the account go on in it.
        RoundExtended,
        /// A round of a tournament that the account runs is drawn, and waits to be looked at.
        RoundDrafted,
        /// A bye of the account in a tournament was granted, taken back or set aside.
        TournamentByeChanged,
        /// The account has come into a tournament after its start.
        TournamentEnteredLate,
        /// A tournament of the account began.
        TournamentStarted,
        /// A round of a tournament of the account began.
        RoundStarted,
        /// A match of the account began.
        MatchStarted,
        /// A match of the account is finished.
        MatchFinished,
        /// A substitute is looked for in a match of the account, or the account is asked to take over a seat.
        SubstitutionRequested,
        /// Somebody is ready to take over a seat, and the account can agree or object, or is told of it.
        SubstitutionProposed,
        /// The account has taken over a seat, or its seat was taken over.
        SeatHandedOver,
        /// A player challenges the account.
        ChallengeReceived,
        /// The account has another position on a ladder.
        LadderPositionChanged,
        /// The account is paired on a ladder no more.
        LadderMemberSetInactive,
        /// The account was withdrawn from a tournament.
        TournamentWithdrawn,
        /// A season of a ladder of the account ends soon.
        SeasonEndNear,
        /// A season of a ladder of the account is over.
        SeasonEnded,
        /// A ladder of the account was closed.
        LadderClosed,
        /// A tournament of the account is finished.
        TournamentFinished,
        /// A tournament of the account was called off.
        TournamentCancelled,
        /// The account is invited to a ladder or a tournament.
        ContestInvited,
        /// A request of the account to join a ladder or a tournament was accepted.
        ContestEntryAccepted,
        /// A request of the account to join a ladder or a tournament was declined.
        ContestEntryDeclined,
        /// An organizer has removed the account from a ladder or a tournament.
        ContestMemberRemoved,
        /// An organizer of a ladder or a tournament warns the account.
        ContestMemberWarned,
        /// An organizer has announced something to the members of a ladder or a tournament.
        ContestAnnounced,
        /// A ladder or a tournament of the account is paused.
        ContestPaused,
        /// A ladder or a tournament of the account goes on.
        ContestResumed,
        /// A case about the account was decided.
        CaseDecided,
        /// An appeal of the account was decided.
        CaseAppealDecided,
        /// A player has appealed against a decision, and the account may decide about that.
        CaseAppealed,
        /// A player wrote in a match of the account.
        Chat,
        /// Many wrong passwords were given for the account.
        SignInFailures,
        /// A copy of a refresh token was used, and its session ended.
        SessionRevoked,
    }

    /// How many events are gathered into one mail.
    #[schema(as = MailDigest)]
    pub enum Digest {
        /// Those of one minute.
        Immediate,
        /// Those of one hour.
        Hourly,
        /// One mail a day, at the hour that `daily_hour` says.
        Daily,
    }

}

impl MailTopic {
    /// True for topics about a contest, whether ladder or tournament.
    pub fn is_of_contest(self) -> bool {
        matches!(
            self,
            Self::ContestInvited
                | Self::ContestEntryAccepted
                | Self::ContestEntryDeclined
                | Self::ContestMemberRemoved
                | Self::ContestMemberWarned
                | Self::ContestAnnounced
                | Self::ContestPaused
                | Self::ContestResumed
        )
    }

    /// True if it would come too late after waiting for other news, with a risk of loss.
    pub fn is_warning(self) -> bool {
        matches!(
            self,
            Self::DeadlineNear
                | Self::LadderChallengeReceived
                | Self::LadderPairingMissed
                | Self::TournamentBoardMissed
                | Self::RoundDeadlineNear
                | Self::SignInFailures
                | Self::SessionRevoked
        )
    }
}

/// Quiet hours without mail: from a time of day until the next occurrence of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quiet {
    pub from: TimeOfDay,
    pub until: TimeOfDay,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Preferences {
    /// The wanted kinds of events, in order, each once.
    pub on: Vec<MailTopic>,
    pub digest: Digest,
    /// The hour of a daily mail, 0 to 23 in its zone.
    pub daily_hour: u8,
    pub quiet: Option<Quiet>,
    pub zone: Zone,
    pub language: Language,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            on: Vec::new(),
            digest: Digest::Immediate,
            daily_hour: 8,
            quiet: None,
            zone: Zone::utc(),
            language: Language::English,
        }
    }
}

/// A request for a confirmation link, as shown to its owner.
pub struct ConfirmationRequest {
    pub address: Email,
    pub at: Time,
    pub used_at: Option<Time>,
}

/// The mail settings as shown to the account.
pub struct MailStatus {
    pub preferences: Preferences,
    pub address: Option<Email>,
    pub confirmed: bool,
    pub failure: Option<FailedMail>,
}

/// An undelivered mail. Kept until another mail is delivered, or the address changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FailedMail {
    /// The time of the final failure.
    pub at: Time,
    pub reason: MailFailure,
}

pub async fn read(conn: &mut Conn, account: AccountId) -> Result<MailStatus> {
    let address = account::find(conn, account).await?.email;
    let (preferences, confirmed, failure) = store::settings::find(conn, account).await?.unwrap_or_default();
    let confirmed = address.as_ref().is_some_and(|address| confirmed.as_deref() == Some(address.as_str()));
    Ok(MailStatus { preferences, address, confirmed, failure })
}

/// Records for the owner whether a mail to this address was delivered, if it is still the account's.
pub(super) async fn note_outcome(
    (db, now): (&Db, Time),
    account: AccountId,
    address: &str,
    failure: Option<MailFailure>,
) -> Result<()> {
    let mut tx = db.begin().await?;
    if accounts::store::accounts::lock_shared(&mut tx, account).await? {
        note_outcome_in(&mut tx, now, account, address, failure).await?;
    }
    tx.commit().await
}

/// Like [`note_outcome`], for a locked account.
pub(super) async fn note_outcome_in(
    tx: &mut Tx,
    now: Time,
    account: AccountId,
    address: &str,
    failure: Option<MailFailure>,
) -> Result<()> {
    if account::find(tx, account).await?.email.is_some_and(|email| email.as_str() == address) {
        store::settings::set_failure(tx, account, failure.map(|reason| FailedMail { at: now, reason })).await?;
    }
    Ok(())
}

/// Replaces an account's preferences. An account that begins to want mail gets it about events from now on; pending
/// mail is rescheduled.
pub async fn change(ctx: &Context, account: AccountId, wanted: &Preferences) -> Result<MailStatus> {
    let mut tx = ctx.db.begin().await?;
    account::lock_existing(&mut tx, account).await?;
    let before = lock(&mut tx, ctx, account, wanted.language).await?;
    store::settings::update_preferences(&mut tx, account, wanted).await?;
    if before.preferences.on.is_empty() {
        store::settings::skip_to_newest(&mut tx, account).await?;
    }
    let status = read(&mut tx, account).await?;
    tx.commit().await?;
    Ok(status)
}

pub struct StoredMailSettings {
    pub preferences: Preferences,
    pub confirmed: Option<String>,
    /// The key that signs the unsubscribe links.
    pub key: Vec<u8>,
}

/// Locks the account's row until the transaction ends; creates it if missing, for mails in this language.
pub(super) async fn lock(
    tx: &mut Tx,
    ctx: &Context,
    account: AccountId,
    language: Language,
) -> Result<StoredMailSettings> {
    let new = Preferences { language, ..Preferences::default() };
    store::settings::lock(tx, account, &new, &ctx.random()).await
}

/// The stored requests for confirmation links, for the account's own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Vec<ConfirmationRequest>> {
    store::settings::requests(conn, account).await
}

/// Handles a changed or removed address: its confirmation and failures no longer count, and unsubscribe links in mails
/// to it no longer work.
pub async fn address_changed(tx: &mut Tx, ctx: &Context, account: AccountId, address: Option<&Email>) -> Result<()> {
    store::settings::set_failure(tx, account, None).await?;
    store::settings::unconfirm(tx, account, address, Some(&ctx.random())).await
}
