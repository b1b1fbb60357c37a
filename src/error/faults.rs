//! The catalogue of faults: every code in the `errors` of a problem, with the texts of its page. The games' codes come
//! from the rules.

mod contests;

use std::sync::LazyLock;

use broadside_rules::illegal::{self, Code, Texts};

use super::problems::problem;

const fn fault(code: &'static str, title: Texts, meaning: Texts, what_to_do: Texts) -> Code {
    Code { code, title, meaning, what_to_do, whole: false }
}

/// The service's own faults.
const OF_THE_SERVICE: &[Code] = &[
    // Form of the request.
    fault(
        "duplicate-parameter",
        ["A parameter is given twice", "Un paramètre est donné deux fois"],
        ["A parameter of the query stands there more than once.", "Un paramètre de la requête y est plus d'une fois."],
        ["Keep one of them.", "Gardez-en un seul."],
    ),
    fault(
        "invalid-value",
        ["A value that is not allowed", "Une valeur qui n'est pas permise"],
        [
            "A value has the right type, but not a form that is allowed here.",
            "Une valeur a le bon type, mais pas une forme permise ici.",
        ],
        ["See the detail, which says what is allowed.", "Lisez le détail, qui dit ce qui est permis."],
    ),
    fault(
        "too-few-items",
        ["Too few", "Il y en a trop peu"],
        ["A list is shorter than it must be.", "Une liste est plus courte qu'elle ne doit l'être."],
        ["Add some.", "Ajoutez-en."],
    ),
    fault(
        "too-many-items",
        ["Too many", "Il y en a trop"],
        ["A list is longer than it may be.", "Une liste est plus longue qu'elle ne peut l'être."],
        ["Leave some out.", "Enlevez-en."],
    ),
    // References to missing things.
    fault(
        "unknown-player",
        ["No such player", "Ce joueur n'existe pas"],
        ["No player has this name.", "Aucun joueur n'a ce nom."],
        ["Check the spelling; case makes no difference.", "Vérifiez l'orthographe ; la casse n'y change rien."],
    ),
    fault(
        "player-suspended",
        ["The player is suspended", "Le joueur est suspendu"],
        ["A suspended player accepts nothing.", "Un joueur suspendu n'accepte rien."],
        ["Challenge somebody else.", "Défiez quelqu'un d'autre."],
    ),
    fault(
        "guest",
        ["The player is a guest", "Le joueur est un invité"],
        ["A guest plays unrated matches only.", "Un invité ne joue que des parties sans classement."],
        [
            "Challenge them to an unrated match, or somebody else.",
            "Proposez-lui une partie sans classement, ou défiez quelqu'un d'autre.",
        ],
    ),
    fault(
        "challenges-not-taken",
        ["The player does not take your challenge", "Le joueur n'accepte pas votre défi"],
        [
            "The player chooses who can challenge them, and you are not among them.",
            "Le joueur choisit qui peut le défier, et vous n'en êtes pas.",
        ],
        [
            "Challenge somebody else, or make an open challenge.",
            "Défiez quelqu'un d'autre, ou proposez un défi ouvert à tous.",
        ],
    ),
    fault(
        "unknown-rule-set",
        ["No such rule set", "Ces règles n'existent pas"],
        ["No named rule set has this hash.", "Aucune règle nommée n'a cette empreinte."],
        ["Take the hash from GET /v1/rule-sets.", "Prenez l'empreinte dans GET /v1/rule-sets."],
    ),
    fault(
        "unknown-nation",
        ["No such nation", "Cette nation n'existe pas"],
        ["The game has no nation of this name.", "Le jeu n'a pas de nation de ce nom."],
        ["Use one of the nations named in the detail.", "Prenez une des nations que le détail nomme."],
    ),
    fault(
        "nations-not-used",
        ["The game has no nations", "Le jeu n'a pas de nations"],
        ["There is nothing to choose in this game.", "Il n'y a rien à choisir dans ce jeu."],
        ["Leave the field out.", "Laissez ce champ de côté."],
    ),
    fault(
        "unknown-sea",
        ["No such sea", "Cette mer n'existe pas"],
        ["The match has no sea with this id.", "La partie n'a pas de mer avec cet identifiant."],
        ["Use the id of a sea of the view.", "Prenez l'identifiant d'une mer de la vue."],
    ),
    fault(
        "invalid-winner",
        ["This seat can't win", "Ce joueur ne peut pas gagner"],
        [
            "The winner must be a seat of the match that still plays.",
            "Le vainqueur doit être à une place de la partie qui joue encore.",
        ],
        ["Name another seat.", "Nommez une autre place."],
    ),
    fault(
        "not-waited-for",
        ["This seat isn't waited for", "On n'attend pas cette place"],
        [
            "Time is given to the seat whose clock runs, up to 14 days in all.",
            "Le temps se donne à la place dont la pendule court, jusqu'à 14 jours en tout.",
        ],
        ["Name the seat that is to move, or give less.", "Nommez la place qui doit jouer, ou donnez moins."],
    ),
    // Contradictions in a match or a contest.
    fault(
        "wrong-seat-count",
        ["Not with so many seats", "Pas avec autant de places"],
        ["The game can't be played with so many seats.", "Le jeu ne se joue pas avec autant de places."],
        [
            "Use a number of seats that `seats` of the variant allows.",
            "Prenez un nombre de places que `seats` de la variante permet.",
        ],
    ),
    fault(
        "rated-needs-clock",
        ["A rated match needs a clock", "Une partie classée a une pendule"],
        [
            "A rated match without a clock might never end.",
            "Sans pendule, une partie classée pourrait ne jamais finir.",
        ],
        ["Name a clock, or play unrated.", "Nommez une pendule, ou jouez sans classement."],
    ),
    fault(
        "rated-needs-preset",
        ["A rated match needs a rule set with a name", "Une partie classée a des règles nommées"],
        [
            "Ratings compare matches by the same rules, so the rules must be those of a variant or of a named rule set.",
            "Les cotes comparent des parties de mêmes règles : celles d'une variante, ou des règles nommées.",
        ],
        [
            "Publish the rule set first (POST /v1/rule-sets), or play unrated.",
            "Publiez d'abord les règles (POST /v1/rule-sets), ou jouez sans classement.",
        ],
    ),
    fault(
        "rated-needs-random-first",
        ["A rated match is begun by lot", "Le sort décide qui commence une partie classée"],
        [
            "In a rated match the first player is drawn by lot, and this rule set says otherwise.",
            "Dans une partie classée, le premier joueur est tiré au sort, et ces règles disent autre chose.",
        ],
        [
            "Use a rule set in which the lot decides, or play unrated.",
            "Prenez des règles où le sort décide, ou jouez sans classement.",
        ],
    ),
    fault(
        "rated-needs-equal-terms",
        ["A rated match has equal terms", "Une partie classée est égale pour tous"],
        [
            "Ratings compare players one by one on equal terms, and this rule set has teams or handicaps.",
            "Les cotes comparent les joueurs un à un à égalité, et ces règles ont des équipes ou des handicaps.",
        ],
        [
            "Use a rule set without them, or play unrated.",
            "Prenez des règles qui n'en ont pas, ou jouez sans classement.",
        ],
    ),
    fault(
        "two-seats-only",
        ["For two seats only", "Pour deux places seulement"],
        ["Contests of this form are played between two.", "Les compétitions de cette forme se jouent à deux."],
        ["Use rules for two seats.", "Prenez des règles pour deux places."],
    ),
    fault(
        "clock-required",
        ["A clock is required", "Il faut une pendule"],
        [
            "Without a clock a match of the contest might never end.",
            "Sans pendule, une partie de la compétition pourrait ne jamais finir.",
        ],
        ["Name a clock.", "Nommez une pendule."],
    ),
    fault(
        "divisions-need-seasons",
        ["Divisions need seasons", "Des divisions demandent des saisons"],
        [
            "Members change their division at the end of a season, and the ladder has no seasons.",
            "Les membres changent de division à la fin d'une saison, et l'échelle n'a pas de saisons.",
        ],
        [
            "Give the ladder seasons, or leave the divisions out.",
            "Donnez des saisons à l'échelle, ou laissez les divisions de côté.",
        ],
    ),
    fault(
        "invalid-nonce",
        ["Not a nonce", "Ce n'est pas un nonce"],
        [
            "A nonce is a short text of printable ASCII characters.",
            "Un nonce est un court texte de caractères ASCII imprimables.",
        ],
        [
            "Send random characters of your own within the length that the detail names, or leave the field out.",
            "Envoyez des caractères au hasard, de la longueur que le détail permet, ou laissez ce champ de côté.",
        ],
    ),
    fault(
        "same-as-variant",
        ["The parameters of a variant", "Les paramètres d'une variante"],
        ["A variant has the same parameters.", "Une variante a les mêmes paramètres."],
        [
            "Play the variant that the detail names, or change a parameter.",
            "Jouez la variante que le détail nomme, ou changez un paramètre.",
        ],
    ),
    fault(
        "same-as-named-rule-set",
        ["The parameters of a named rule set", "Les paramètres de règles nommées"],
        ["A named rule set has the same parameters.", "Des règles nommées ont les mêmes paramètres."],
        [
            "Play the rule set that the detail names, or change a parameter.",
            "Jouez les règles que le détail nomme, ou changez un paramètre.",
        ],
    ),
    // Accounts.
    fault(
        "password-too-weak",
        ["The password is too weak", "Le mot de passe est trop faible"],
        [
            "The password is among those that are tried first, or too close to the name.",
            "Le mot de passe est de ceux qu'on essaie d'abord, ou trop proche du nom.",
        ],
        [
            "Choose a longer one; several words do well.",
            "Choisissez-en un plus long ; plusieurs mots font bien l'affaire.",
        ],
    ),
    fault(
        "wrong-password",
        ["Not the password", "Ce n'est pas le mot de passe"],
        ["This is not the password of the account.", "Ce n'est pas le mot de passe du compte."],
        ["Send the password that the account has now.", "Envoyez le mot de passe que le compte a maintenant."],
    ),
    fault(
        "wrong-code",
        ["Not a code that is good", "Ce code n'est pas bon"],
        [
            "The code of the second factor is wrong, too old, or was used already.",
            "Le code du second facteur est faux, trop ancien, ou a déjà servi.",
        ],
        [
            "Wait for the next code of the app, or take a recovery code.",
            "Attendez le code suivant de l'application, ou prenez un code de secours.",
        ],
    ),
    fault(
        "credential-refused",
        ["Not a passkey for this challenge", "Pas une clé d'accès pour ce défi"],
        [
            "The challenge is not good any more, or the new passkey doesn't answer it, was made for another site, or is \
             another account's.",
            "Le défi n'est plus bon, ou la nouvelle clé d'accès n'y répond pas, a été faite pour un autre site, ou est \
             celle d'un autre compte.",
        ],
        [
            "Ask for another challenge, and let the browser make the passkey on this site.",
            "Demandez un autre défi, et laissez le navigateur faire la clé d'accès sur ce site.",
        ],
    ),
    // Vacations.
    fault(
        "in-the-past",
        ["In the past", "Dans le passé"],
        ["The time has passed already.", "Ce moment est déjà passé."],
        ["Name a time that lies ahead.", "Nommez un moment à venir."],
    ),
    fault(
        "vacation-too-short",
        ["The vacation is too short", "Les vacances sont trop courtes"],
        ["A vacation takes an hour at least.", "Des vacances durent une heure au moins."],
        ["Let it end later.", "Faites-les finir plus tard."],
    ),
    fault(
        "vacation-overlaps",
        ["Two vacations at once", "Deux vacances à la fois"],
        [
            "It overlaps with another vacation of the account.",
            "Elles tombent en même temps que d'autres vacances du compte.",
        ],
        ["Choose another time, or cancel the other one.", "Choisissez un autre moment, ou annulez les autres."],
    ),
    fault(
        "not-enough-vacation",
        ["Not enough vacation", "Pas assez de vacances"],
        ["The account has not earned as much vacation yet.", "Le compte n'a pas encore gagné autant de vacances."],
        ["Take as much as the detail says, or wait.", "Prenez-en autant que le détail le dit, ou attendez."],
    ),
];

/// Problems that also appear in the `errors` of another one.
fn also_problems() -> [&'static str; 7] {
    [
        problem::OWN_ACCOUNT.code,
        problem::LADDER_CLOSED.code,
        problem::ALREADY_JOINED.code,
        problem::ACCOUNT_SUSPENDED.code,
        problem::NOT_RELIABLE_ENOUGH.code,
        problem::PLAYER_BLOCKED.code,
        "match-over",
    ]
}

/// Every code of `errors` with its texts, except those that are problems as well.
pub static FAULTS: LazyLock<Vec<Code>> = LazyLock::new(|| {
    let of_the_rules = illegal::codes().filter(|code| !code.whole);
    OF_THE_SERVICE.iter().chain(contests::FAULTS).chain(of_the_rules).copied().collect()
});

/// Every code of `errors`, in alphabetical order.
pub fn fault_codes() -> Vec<&'static str> {
    let mut codes: Vec<_> = FAULTS.iter().map(|code| code.code).chain(also_problems()).collect();
    codes.sort_unstable();
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::find_problem;

    #[test]
    fn every_code_is_explained_once() {
        let codes = fault_codes();
        assert!(codes.is_sorted_by(|one, next| one < next), "a code is there twice: {codes:?}");
        for code in FAULTS.iter() {
            assert!(find_problem(code.code).is_none(), "{} is explained as a problem as well", code.code);
            assert!([code.title, code.meaning, code.what_to_do].iter().flatten().all(|text| !text.is_empty()));
        }
        for code in also_problems() {
            assert!(find_problem(code).is_some(), "{code} is no problem");
        }
    }
}
