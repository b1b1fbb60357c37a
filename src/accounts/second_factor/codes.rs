//! Codes: the six digits of an authenticator app, and recovery codes.
//!
//! Six digits can be guessed in a million tries, so wrong ones are counted per account, from all origins: after twenty
//! in a day digits are refused until it is over, so a guesser who knows the password has a chance of one in sixteen
//! thousand per day. The owner is told after ten, and can use a recovery code, whose 120 random bits can't be guessed.
//! Each code works once. A time step is valid once, and earlier ones are invalid afterwards (RFC 6238, 5.2).

use std::str::FromStr;

use broadside_rules::Time;
use sha2::{Digest, Sha256};
use totp_rs::Totp;

use super::totp;
use crate::accounts::notices::{self, NoticeKind};
use crate::accounts::secrets::TokenHash;
use crate::accounts::security_log::{self, About, SecurityEventKind};
use crate::accounts::{Accounts, store};
use crate::db::Tx;
use crate::error::Result;
use crate::ids::AccountId;

/// The maximum number of wrong codes per account and day.
const MOST_FAILURES: u32 = 20;
/// The number of wrong codes after which the owner is told.
const MANY_FAILURES: u32 = 10;
/// A day, in seconds.
const WINDOW_S: u32 = 24 * 60 * 60;
/// The alphabet of recovery codes: base32 (RFC 4648) in lower case.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The number of letters in a recovery code: 120 bits.
const LENGTH: usize = 24;

/// A typed code. It has no `Debug`, so that it can't be logged by accident.
pub enum Code {
    /// From an authenticator app.
    Digits(String),
    /// Without hyphens.
    Recovery(String),
}

impl FromStr for Code {
    type Err = String;

    /// Ignores case, hyphens and spaces.
    fn from_str(text: &str) -> Result<Self, String> {
        let typed = text.chars().filter(|c| !matches!(c, '-' | ' ')).map(|c| c.to_ascii_lowercase());
        let typed: String = typed.take(LENGTH + 1).collect();
        if typed.len() == 6 && typed.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(Self::Digits(typed))
        } else if typed.len() == LENGTH && typed.bytes().all(|byte| LETTERS.contains(&byte)) {
            Ok(Self::Recovery(typed))
        } else {
            Err("must be the six digits that the app shows, or a recovery code of 24 letters and digits".to_owned())
        }
    }
}

/// A recovery code from random bytes, without hyphens.
pub fn drawn(random: [u8; LENGTH]) -> String {
    random.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}

/// A recovery code for display: `abcd-efgh-ijkl-mnop-qrst-uvwx`.
pub fn shown(code: &str) -> String {
    let groups: Vec<String> =
        code.as_bytes().chunks(4).map(|group| String::from_utf8_lossy(group).into_owned()).collect();
    groups.join("-")
}

/// The hash under which a recovery code is stored. With 120 random bits, a slow hash would add no protection (OWASP
/// ASVS 5, 6.5.2).
pub fn hash_of(account: AccountId, code: &str) -> TokenHash {
    Sha256::new_with_prefix(b"broadside: a recovery code")
        .chain_update(account.0.as_bytes())
        .chain_update(code)
        .finalize()
        .into()
}

/// The time step of these digits: the current one, or the one before or after it.
pub fn step_of(totp: &Totp, code: &Code, now: Time) -> Option<i64> {
    let Code::Digits(digits) = code else { return None };
    let step = totp.check(digits, u64::try_from(now.0 / 1000).ok()?)?;
    i64::try_from(step).ok()
}

/// The verdict on a code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// Valid, and now used up.
    Right,
    /// Invalid, and counted: commit the transaction.
    Wrong,
    /// Too many wrong codes: digits are refused for this number of seconds.
    TooMany(u64),
    /// The account has no second factor.
    None,
}

/// Judges a code. Concurrent calls are serialized by the lock on the factor's row.
pub async fn judge(tx: &mut Tx, accounts: &Accounts, account: AccountId, code: &Code) -> Result<Judged> {
    let now = accounts.clock.now();
    let stored = store::second_factors::lock(tx, account).await?;
    let Some(stored) = stored.filter(|stored| stored.enabled_at.is_some()) else { return Ok(Judged::None) };
    let began = stored.failures_since.filter(|began| now < began.plus_s(WINDOW_S));
    let failures = began.map_or(0, |_| stored.failures);
    let is_right = match code {
        Code::Recovery(text) => {
            let was_there = store::second_factors::take_recovery_code(tx, account, &hash_of(account, text)).await?;
            if was_there {
                let kind = SecurityEventKind::RecoveryCodeUsed;
                security_log::record(tx, accounts, account, kind, About::ACCOUNT).await?;
                notices::add(tx, accounts, account, NoticeKind::RecoveryCodeUsed).await?;
            }
            was_there
        }
        Code::Digits(_) if failures >= MOST_FAILURES => {
            let ends = began.unwrap_or(now).plus_s(WINDOW_S);
            return Ok(Judged::TooMany(u64::try_from(ends.millis_since(now)).unwrap_or_default().div_ceil(1000)));
        }
        Code::Digits(_) => match step_of(&totp(accounts, account, &stored)?, code, now) {
            Some(step) if step > stored.last_step => {
                store::second_factors::note_step(tx, account, step).await?;
                true
            }
            _ => false,
        },
    };
    if is_right {
        return Ok(Judged::Right);
    }
    let kind = SecurityEventKind::SecondFactorFailed;
    security_log::record(tx, accounts, account, kind, About::ACCOUNT).await?;
    store::second_factors::note_failures(tx, account, failures + 1, began.unwrap_or(now)).await?;
    if failures + 1 == MANY_FAILURES {
        notices::add(tx, accounts, account, NoticeKind::SecondFactorFailures).await?;
        tracing::warn!(%account, failures = MANY_FAILURES, "many wrong codes of a second factor were given for one account");
    }
    Ok(Judged::Wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use totp_rs::Builder;
    use uuid::Uuid;

    fn digits(text: &str) -> Code {
        Code::Digits(text.to_owned())
    }

    #[test]
    fn a_code_is_read_as_it_is_typed() {
        for text in ["123456", "123 456", " 123-456 "] {
            assert!(matches!(text.parse::<Code>(), Ok(Code::Digits(read)) if read == "123456"), "{text}");
        }
        for text in ["abcd-efgh-ijkl-mnop-qrst-2345", "ABCDEFGHIJKLMNOPQRST2345", "abcd efgh ijkl mnop qrst 2345"] {
            assert!(
                matches!(text.parse::<Code>(), Ok(Code::Recovery(read)) if read == "abcdefghijklmnopqrst2345"),
                "{text}"
            );
        }
        for text in
            ["", "12345", "1234567", "12345a", "١٢٣٤٥٦", "abcd-efgh-ijkl-mnop-qrst-uvw1", &"a".repeat(25), "abcdefgh"]
        {
            assert!(text.parse::<Code>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_recovery_code_is_read_back() {
        let code = drawn(std::array::from_fn(|at| [0, 1, 25, 26, 31, 32, 255, 7][at % 8]));
        assert_eq!(shown(&code), "abz2-7a7h-abz2-7a7h-abz2-7a7h");
        assert!(matches!(shown(&code).parse::<Code>(), Ok(Code::Recovery(read)) if read == code));
        let of = |account| hash_of(AccountId(Uuid::from_u128(account)), &code);
        assert_ne!(of(1), of(2), "a code is an account's own");
    }

    #[test]
    fn digits_are_those_of_the_specification() {
        // RFC 6238, appendix B, the last six of its eight digits.
        let totp = Builder::new().with_secret(b"12345678901234567890".to_vec()).build().unwrap();
        for (time_s, expected) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
            let step = step_of(&totp, &digits(expected), Time(time_s * 1000));
            assert_eq!(step, Some(time_s / 30), "{expected}");
        }
        assert_eq!(step_of(&totp, &digits("287082"), Time(59_000 + 30_000)), Some(1), "a step late");
        assert_eq!(step_of(&totp, &digits("287082"), Time(59_000 + 61_000)), None);
        assert_eq!(step_of(&totp, &digits("287083"), Time(59_000)), None);
    }
}
