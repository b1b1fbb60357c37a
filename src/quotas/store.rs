//! SQL of quotas: locks and counts.

use broadside_rules::Time;
use diesel::OptionalExtension;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::Quota;
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::Result;
use crate::ids::AccountId;

rows! {
    struct Owner {
        guest: bool,
        guest_origin: Option<Vec<u8>>,
    }

    struct Guest {
        id: Uuid,
    }

    struct Used {
        used: i64,
    }
}

/// Locks the quotas of an account until the transaction ends. For a guest, returns the mark of its address, if known.
/// (The row of the account can't be locked for this: its opponents hold a shared lock on it.)
pub async fn lock_account(tx: &mut Tx, account: AccountId) -> Result<Option<Option<Vec<u8>>>> {
    let text = "SELECT guest, guest_origin FROM accounts, \
         pg_advisory_xact_lock(hashtextextended('quotas of ' || $1::text, 0)) AS locked WHERE id = $1";
    let owner: Option<Owner> = sql!(text, account.0).get_result(tx.sql()).await.optional()?;
    Ok(owner.filter(|owner| owner.guest).map(|guest| guest.guest_origin))
}

/// Locks the shared quotas of an address's guests until the transaction ends.
pub async fn lock_origin(tx: &mut Tx, origin: &[u8]) -> Result<()> {
    let text = "SELECT FROM pg_advisory_xact_lock(hashtextextended('quotas of ' || encode($1, 'hex'), 0)) AS locked";
    sql!(text, origin.to_vec()).run(tx).await
}

/// The guests of an address.
pub async fn guests_of(conn: &mut Conn, origin: &[u8]) -> Result<Vec<AccountId>> {
    let text = "SELECT id FROM accounts WHERE guest_origin = $1";
    let guests: Vec<Guest> = sql!(text, origin.to_vec()).load(conn.sql()).await?;
    Ok(guests.into_iter().map(|guest| AccountId(guest.id)).collect())
}

/// The total use of a quota by these accounts.
pub async fn used(conn: &mut Conn, quota: Quota, accounts: &[AccountId], now: Time) -> Result<i64> {
    let accounts: Vec<Uuid> = accounts.iter().map(|account| account.0).collect();
    let mut sum = 0;
    for count in counts(quota) {
        // The second value is bound even where nothing depends on the time.
        let text = format!("SELECT ({count})::bigint AS used WHERE $2 IS NOT NULL");
        let used: Used = sql!(text, accounts.clone(), At(now)).get_result(conn.sql()).await?;
        sum += used.used;
    }
    Ok(sum)
}

const SEATS: &str = "SELECT count(*) FROM challenge_seats AS s JOIN challenges AS c ON c.id = s.challenge_id \
     WHERE s.account_id = ANY ($1) AND c.status = 'open' AND c.expires_at > $2";

/// SQL of the counts: `$1` are the accounts, `$2` is the time now. (A statement for each sort of table: some are spread
/// over several machines.)
fn counts(quota: Quota) -> &'static [&'static str] {
    match quota {
        Quota::Matches => &["SELECT count(*) FROM match_seats WHERE account_id = ANY ($1) AND running", SEATS],
        Quota::OpenChallenges => &[SEATS],
        // Only the newest thousand are read: an account can't make more in a day.
        Quota::ChallengesADay => {
            &["SELECT count(*) FROM (SELECT created_at FROM challenges WHERE creator_id = ANY ($1) \
             ORDER BY id DESC LIMIT 1000) AS newest WHERE created_at > $2 - interval '24 hours'"]
        }
        Quota::NoteBytes => &["SELECT coalesce(sum(bytes), 0) FROM match_notes WHERE account_id = ANY ($1)"],
        Quota::StandingOrderBytes => {
            &["SELECT coalesce(sum(bytes), 0) FROM standing_orders WHERE account_id = ANY ($1)"]
        }
        Quota::MessagesADay => {
            &["SELECT count(*) FROM chat_messages WHERE author_id = ANY ($1) AND at > $2 - interval '24 hours'"]
        }
        Quota::ReportsADay => {
            &["SELECT count(*) FROM abuse_reports WHERE reporter_id = ANY ($1) AND at > $2 - interval '24 hours'"]
        }
        Quota::Mutes => &["SELECT count(*) FROM account_blocks WHERE account_id = ANY ($1) AND kind = 'mute'"],
        Quota::Blocks => &["SELECT count(*) FROM account_blocks WHERE account_id = ANY ($1) AND kind = 'block'"],
        Quota::Follows => &["SELECT count(*) FROM follows WHERE account_id = ANY ($1)"],
        Quota::PushSubscriptions => &["SELECT count(*) FROM push_subscriptions WHERE account_id = ANY ($1)"],
        Quota::Passkeys => &["SELECT count(*) FROM passkeys WHERE account_id = ANY ($1)"],
        Quota::Guests => &["SELECT count(*) FROM accounts WHERE id = ANY ($1) AND guest"],
        Quota::Tokens => &["SELECT count(*) FROM access_tokens WHERE account_id = ANY ($1)"],
        Quota::Apps => &["SELECT count(*) FROM sessions WHERE account_id = ANY ($1) AND client_id IS NOT NULL \
             AND ended_at IS NULL AND expires_at > $2"],
        Quota::RegisteredApps => &["SELECT count(*) FROM registered_apps WHERE account_id = ANY ($1)"],
        Quota::Webhooks => &["SELECT count(*) FROM webhooks WHERE account_id = ANY ($1)"],
        Quota::RuleSets => &["SELECT count(*) FROM named_rule_sets WHERE creator_id = ANY ($1)"],
        Quota::Ladders => &["SELECT count(*) FROM ladders WHERE creator_id = ANY ($1) AND closed_at IS NULL"],
        Quota::LadderMemberships => {
            &["SELECT count(*) FROM ladder_members AS m JOIN ladders AS l ON l.id = m.ladder_id \
             WHERE m.account_id = ANY ($1) AND m.status <> 'left' AND l.closed_at IS NULL"]
        }
        Quota::Tournaments => {
            &["SELECT count(*) FROM tournaments WHERE creator_id = ANY ($1) AND status IN ('open', 'running')"]
        }
        Quota::TournamentEntries => &["SELECT count(*) FROM tournament_players AS p \
             JOIN tournaments AS t ON t.id = p.tournament_id \
             WHERE p.account_id = ANY ($1) AND p.withdrawn_at IS NULL AND t.status IN ('open', 'running')"],
        Quota::EntryRequests => {
            &["SELECT count(*) FROM contest_entries AS e WHERE account_id = ANY ($1) AND state = 'requested' AND (\
             EXISTS (SELECT FROM ladders AS l WHERE l.id = e.contest_id AND l.closed_at IS NULL) \
             OR EXISTS (SELECT FROM tournaments AS t WHERE t.id = e.contest_id AND t.status = 'open'))"]
        }
    }
}
