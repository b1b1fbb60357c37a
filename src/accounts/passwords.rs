//! Passwords: acceptance rules and hashing.
//!
//! Length and estimated number of guesses decide, not composition rules (NIST SP 800-63B, 5.1.1). Passwords are hashed
//! in Normalization Form C (Unicode Standard Annex 15), so that they are equal from every keyboard; older hashes of the
//! unnormalized text stay valid. The hash is Argon2id (RFC 9106) with the parameters that OWASP recommends. It takes
//! tens of milliseconds of a core and 19 MiB, so it runs in the pool, with a separate lane for sign-ins. Neither type
//! here has `Debug` or `Display`, so that a password can't be logged by accident.

use std::str::FromStr;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use unicode_normalization::UnicodeNormalization;

use crate::error::{Error, Result};
use crate::work_pool::{Lane, WorkPool};

/// Memory for one hash, in KiB (OWASP: 19 MiB with two passes).
const MEMORY_KIB: u32 = 19 * 1024;
/// Passes over the memory.
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// A hash that no password matches, of the cost of a real one: unknown names are checked against it, and guests have
/// it.
pub(super) const DECOY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$YnJvYWRzaWRlLWRlY295IQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A new password that takes fewer guesses is refused (zxcvbn's estimate, from its lists of thirty thousand common
/// passwords, of words and names, and from keyboards, dates, repetitions and sequences).
const FEWEST_GUESSES: u64 = 1_000_000;

const LONGEST: usize = 128;

/// A password for a sign-in or confirmation: any text of 1 to 128 characters.
pub struct Password {
    composed: String,
    /// The unnormalized text, if it differs.
    as_given: Option<String>,
}

impl FromStr for Password {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !(1..=LONGEST).contains(&length(text)) {
            return Err("must have 1 to 128 characters".to_owned());
        }
        let composed: String = text.nfc().collect();
        let as_given = (composed != text).then(|| text.to_owned());
        Ok(Self { composed, as_given })
    }
}

/// A new password: 8 to 128 characters of any kind, in Normalization Form C. Its strength is checked when it is hashed.
pub struct NewPassword(String);

impl NewPassword {
    pub fn equals(&self, other: &Password) -> bool {
        self.0 == other.composed
    }
}

impl FromStr for NewPassword {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || "must have 8 to 128 characters".to_owned();
        if length(text) > LONGEST {
            return Err(refused());
        }
        let composed: String = text.nfc().collect();
        if (8..=LONGEST).contains(&length(&composed)) { Ok(Self(composed)) } else { Err(refused()) }
    }
}

/// The number of characters, not bytes. Texts with too many bytes for 128 characters are not counted.
fn length(text: &str) -> usize {
    if text.len() > 4 * LONGEST { text.len() } else { text.chars().count() }
}

pub enum PasswordCheck {
    /// The password is wrong, or there is no such account.
    Wrong,
    Right {
        /// A new hash to store, if the stored one has cheaper parameters, or isn't of the normalized text.
        better_hash: Option<String>,
    },
}

/// The hash of a new password, as a PHC string; `None`: it is too easy to guess with the facts in `about`.
pub async fn hash(pool: &WorkPool, lane: Lane, password: NewPassword, about: Vec<String>) -> Result<Option<String>> {
    let salt = crate::context::random();
    let estimate_and_hash = move || {
        let known: Vec<&str> = about.iter().map(String::as_str).chain(["broadside"]).collect();
        let strong = zxcvbn::zxcvbn(&password.0, &known).guesses() >= FEWEST_GUESSES;
        strong.then(|| hashed(&password.0, salt)).transpose()
    };
    pool.run(lane, estimate_and_hash).await?
}

/// Compares `password` with `stored`. Without a stored hash it never matches, and the check takes equally long.
pub async fn verify(pool: &WorkPool, lane: Lane, password: Password, stored: Option<String>) -> Result<PasswordCheck> {
    let salt = crate::context::random();
    let check = move || {
        let hash = PasswordHash::new(stored.as_deref().unwrap_or(DECOY)).map_err(Error::internal)?;
        let Password { composed, as_given } = password;
        let is = |text: &str| Argon2::default().verify_password(text.as_bytes(), &hash).is_ok();
        let matches = is(&composed);
        // Older hashes are of the unnormalized text. An unknown name takes as long as a wrong password.
        let matched_as_given = !matches && as_given.as_deref().is_some_and(is);
        if !(matches || matched_as_given) || stored.is_none() {
            return Ok(PasswordCheck::Wrong);
        }
        let outdated = matched_as_given || is_cheaper(&hash);
        let better_hash = outdated.then(|| hashed(&composed, salt)).transpose()?;
        Ok(PasswordCheck::Right { better_hash })
    };
    pool.run(lane, check).await?
}

fn hashed(password: &str, salt: [u8; 16]) -> Result<String> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(Error::internal)?;
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash = argon2.hash_password_with_salt(password.as_bytes(), &salt);
    hash.map(|hash| hash.to_string()).map_err(Error::internal)
}

/// True if a hash is cheaper to attack than a new one.
fn is_cheaper(hash: &PasswordHash) -> bool {
    let Ok(params) = Params::try_from(hash) else { return true };
    hash.algorithm != Algorithm::Argon2id.ident()
        || params.m_cost() < MEMORY_KIB
        || params.t_cost() < PASSES
        || params.p_cost() < LANES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> bool {
        text.parse::<NewPassword>().is_err()
    }

    #[test]
    fn length_is_counted_in_characters() {
        assert!(refused("sevench"));
        assert!(!refused("eight ch"));
        assert!(!refused(&"𝄞x".repeat(64)));
        assert!(refused(&"𝄞x".repeat(65)));
        assert!(refused(&"xy".repeat(100_000)));
        assert!(!refused("пароль-моряка"));
    }

    async fn hash_of(text: &str) -> Option<String> {
        hash(&WorkPool::default(), Lane::SignIn, text.parse().unwrap(), vec!["Grand-Admiral".to_owned()]).await.unwrap()
    }

    #[tokio::test]
    async fn what_is_guessed_first_is_refused() {
        for easy in [
            "password",
            "PassWord",
            "12345678",
            "Battleship",
            "aaaaaaaaaaaa",
            "P@ssw0rd1",
            "qwertyuiop",
            "iloveyou2",
            "1q2w3e4r5t",
            "grand-admiral",
            "Grand-Admiral1",
            "broadside1",
            "abcabcabc",
            "20261122",
        ] {
            assert!(hash_of(easy).await.is_none(), "{easy}");
        }
        for good in ["three masts and a storm", "the secret of anna", "xK4$pq9!", "пароль-моряка"] {
            assert!(hash_of(good).await.is_some(), "{good}");
        }
    }

    /// `é` as one character, and as two.
    const COMPOSED: &str = "caf\u{e9} au port";
    const DECOMPOSED: &str = "cafe\u{301} au port";

    #[tokio::test]
    async fn a_password_is_the_same_from_every_keyboard() {
        for (chosen, typed) in [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED), (DECOMPOSED, DECOMPOSED)] {
            let hash = hash_of(chosen).await.unwrap();
            let verdict = verify(&WorkPool::default(), Lane::SignIn, typed.parse().unwrap(), Some(hash)).await;
            assert!(matches!(verdict, Ok(PasswordCheck::Right { better_hash: None })), "{chosen:?} {typed:?}");
        }
        // A hash made before passwords were normalized.
        let old = hashed(DECOMPOSED, [7; 16]).unwrap();
        let verdict = verify(&WorkPool::default(), Lane::SignIn, DECOMPOSED.parse().unwrap(), Some(old)).await;
        let Ok(PasswordCheck::Right { better_hash: Some(better) }) = verdict else { panic!("not renewed") };
        let verdict = verify(&WorkPool::default(), Lane::SignIn, COMPOSED.parse().unwrap(), Some(better)).await;
        assert!(matches!(verdict, Ok(PasswordCheck::Right { better_hash: None })));
        let wrong = verify(
            &WorkPool::default(),
            Lane::SignIn,
            "cafe au port".parse().unwrap(),
            Some(hash_of(COMPOSED).await.unwrap()),
        )
        .await;
        assert!(matches!(wrong, Ok(PasswordCheck::Wrong)));
    }

    #[test]
    fn length_is_that_of_what_is_hashed() {
        assert!(refused(&"e\u{301}".repeat(7)), "seven characters, however they are written");
        assert!(!refused(&"e\u{301}".repeat(64)));
    }

    #[tokio::test]
    async fn only_the_right_password_is_right() {
        let hash = hash_of("a good password").await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        let verdict =
            verify(&WorkPool::default(), Lane::SignIn, "a good password".parse().unwrap(), Some(hash.clone())).await;
        assert!(matches!(verdict, Ok(PasswordCheck::Right { better_hash: None })));
        let verdict = verify(&WorkPool::default(), Lane::SignIn, "a good passwore".parse().unwrap(), Some(hash)).await;
        assert!(matches!(verdict, Ok(PasswordCheck::Wrong)));
        let verdict = verify(&WorkPool::default(), Lane::SignIn, "a good password".parse().unwrap(), None).await;
        assert!(matches!(verdict, Ok(PasswordCheck::Wrong)));
    }

    #[tokio::test]
    async fn a_cheaper_hash_is_replaced() {
        let cheap = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(8 * 1024, 1, 1, None).unwrap());
        let cheap = cheap.hash_password_with_salt(b"a good password", &[7; 16]).unwrap().to_string();
        let verdict = verify(&WorkPool::default(), Lane::SignIn, "a good password".parse().unwrap(), Some(cheap)).await;
        let Ok(PasswordCheck::Right { better_hash: Some(better) }) = verdict else { panic!("not replaced") };
        assert!(!is_cheaper(&PasswordHash::new(&better).unwrap()));
    }

    #[test]
    fn the_decoy_costs_what_a_real_hash_costs() {
        let decoy = PasswordHash::new(DECOY).unwrap();
        let real = hashed("a good password", [1; 16]).unwrap();
        let real = PasswordHash::new(&real).unwrap();
        assert_eq!((decoy.algorithm, decoy.version), (real.algorithm, real.version));
        assert_eq!(decoy.params.to_string(), real.params.to_string());
        let sizes = |hash: &PasswordHash| {
            (hash.salt.as_ref().map(|salt| salt.len()), hash.hash.as_ref().map(|hash| hash.len()))
        };
        assert_eq!(sizes(&decoy), sizes(&real));
    }
}
