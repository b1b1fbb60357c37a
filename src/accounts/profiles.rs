//! Public profiles: a line about oneself, a country, a club, and whether the time zone is shown.
//!
//! Everything is optional; guests have no profile, and those of suspended accounts are hidden.

use super::{Identity, account, store};
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::string_enums::string_enums;
use crate::texts::{has_blank_end, line, texts};

/// The maximum length of the line about oneself, in characters.
const BIO: usize = 200;
/// The maximum length of a club's name, in characters.
const CLUB: usize = 60;

/// The two-letter country codes of ISO 3166-1, in order. The front end gets their names from the browser.
const COUNTRIES: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR \
    BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET \
    FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ \
    IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML \
    MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS \
    PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL \
    TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW";

texts! {
    /// A line about oneself: at most 200 characters on one line; empty: none.
    pub struct Bio: |text| about(text, BIO);
    /// A club: at most 60 characters; empty: none.
    pub struct Club: |text| about(text, CLUB);
    /// A country of ISO 3166-1 by its two letters; empty: none.
    pub struct Country: |text| {
        if text.is_empty() || COUNTRIES.split(' ').any(|country| country == text) {
            return Ok(text.to_owned());
        }
        Err("must be two capital letters of ISO 3166-1, such as FR, or empty for none".to_owned())
    };
}

fn about(text: &str, most: usize) -> Result<String, String> {
    if text.chars().count() > most || has_blank_end(text) {
        return Err(format!("must have at most {most} characters, with no blank at its ends; empty for none"));
    }
    line(text, usize::from(!text.is_empty()), most)
}

string_enums! {
    /// The players whose challenges an account takes. Open challenges and ladders are not concerned.
    #[derive(Default)]
    pub enum ChallengesFrom {
        /// Everybody.
        #[default]
        Everybody,
        /// Everybody except guests.
        Accounts,
        /// Players with whom the account has played.
        Played,
        /// Nobody. A rematch can still be asked for.
        Nobody,
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AccountProfile {
    /// A line about the owner.
    pub bio: Option<String>,
    /// The two-letter country code.
    pub country: Option<String>,
    pub club: Option<String>,
    pub shows_time_zone: bool,
}

/// Changes to a profile; `None`: unchanged.
#[derive(Default)]
pub struct ProfileChange {
    pub bio: Option<Bio>,
    pub country: Option<Country>,
    pub club: Option<Club>,
    pub shows_time_zone: Option<bool>,
}

impl ProfileChange {
    /// The resulting profile; `None`: nothing changes.
    fn applied_to(self, profile: AccountProfile) -> Option<AccountProfile> {
        let Self { bio, country, club, shows_time_zone } = self;
        let text = |new: Option<&str>, so_far: Option<String>| match new {
            Some(text) => (!text.is_empty()).then(|| text.to_owned()),
            None => so_far,
        };
        let changed = AccountProfile {
            bio: text(bio.as_ref().map(Bio::as_str), profile.bio.clone()),
            country: text(country.as_ref().map(Country::as_str), profile.country.clone()),
            club: text(club.as_ref().map(Club::as_str), profile.club.clone()),
            shows_time_zone: shows_time_zone.unwrap_or(profile.shows_time_zone),
        };
        (changed != profile).then_some(changed)
    }
}

/// Changes the caller's profile. Fails with `account-suspended`.
pub(in crate::accounts) async fn change(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    change: ProfileChange,
) -> Result<()> {
    let profile = account::find(tx, who.account).await?.profile;
    let Some(profile) = change.applied_to(*profile) else { return Ok(()) };
    account::lock_active(tx, ctx, who.account).await?;
    store::accounts::set_profile(tx, who.account, &profile).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_made_of_lines() {
        for good in ["", "Ahoy!", "J'aime les régates <b>", &"é".repeat(200)] {
            assert!(good.parse::<Bio>().is_ok(), "{good}");
        }
        for bad in [" ", "a ", "two\nlines", "a\0b", "a\u{202e}b", &"x".repeat(201)] {
            assert!(bad.parse::<Bio>().is_err(), "{bad:?}");
        }
        assert!("x".repeat(60).parse::<Club>().is_ok() && "x".repeat(61).parse::<Club>().is_err());
    }

    #[test]
    fn countries_are_those_of_the_standard() {
        let all: Vec<&str> = COUNTRIES.split(' ').collect();
        assert_eq!(all.len(), 249);
        assert!(all.is_sorted_by(|one, next| one < next) && all.iter().all(|country| country.len() == 2));
        for good in ["", "FR", "GB", "ZW"] {
            assert!(good.parse::<Country>().is_ok(), "{good}");
        }
        for bad in ["fr", "UK", "FRA", "F", "AD AE", " ", "XX"] {
            assert!(bad.parse::<Country>().is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_left_out_stays_and_what_is_empty_goes() {
        let before = AccountProfile {
            bio: Some("Ahoy!".to_owned()),
            country: Some("FR".to_owned()),
            club: None,
            shows_time_zone: true,
        };
        assert_eq!(ProfileChange::default().applied_to(before.clone()), None);
        let change = ProfileChange { bio: "".parse().ok(), club: "Brest".parse().ok(), ..ProfileChange::default() };
        let after = AccountProfile { bio: None, club: Some("Brest".to_owned()), ..before.clone() };
        assert_eq!(change.applied_to(before), Some(after));
    }
}
