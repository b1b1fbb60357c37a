//! Codes for the form of requests, rule sets and clocks.
use super::{Code, code};

pub(super) const CODES: &[Code] = &[
    // The form of a request.
    code(
        "wrong-type",
        ["Wrong type", "Mauvais type"],
        ["A value has the wrong JSON type.", "Une valeur n'a pas le bon type JSON."],
        ["Send the type named in the detail.", "Envoyez le type que le détail nomme."],
    ),
    code(
        "missing-field",
        ["A field is missing", "Il manque un champ"],
        ["A field that is required is not there.", "Un champ obligatoire n'est pas là."],
        ["Add it.", "Ajoutez-le."],
    ),
    code(
        "unknown-field",
        ["Unknown field", "Champ inconnu"],
        [
            "A field is not known here; it is refused so that a slip is not silently ignored.",
            "Un champ n'est pas connu ici ; il est refusé pour qu'une faute de frappe ne passe pas en silence.",
        ],
        ["Leave it out, or correct its name.", "Enlevez-le, ou corrigez son nom."],
    ),
    code(
        "unknown-value",
        ["Unknown value", "Valeur inconnue"],
        ["A value is not one of those allowed.", "Une valeur n'est pas de celles qui sont permises."],
        ["Use one of the values named in the detail.", "Prenez une des valeurs que le détail nomme."],
    ),
    // Rule sets and clocks.
    code(
        "out-of-range",
        ["Out of range", "Hors des limites"],
        ["A number or a text is outside the limits allowed.", "Un nombre ou un texte sort des limites permises."],
        ["Keep within the limits named in the detail.", "Restez dans les limites que le détail nomme."],
    ),
    code(
        "conflicting-fields",
        ["Contradiction", "Contradiction"],
        ["Two parameters cannot hold together.", "Deux paramètres ne vont pas ensemble."],
        ["Change one of the two named.", "Changez un des deux qui sont nommés."],
    ),
    code(
        "duplicate-class",
        ["A class named twice", "Une classe nommée deux fois"],
        ["Two classes of the fleet have the same id.", "Deux classes de la flotte ont le même identifiant."],
        ["Give each class an id of its own.", "Donnez à chaque classe son identifiant."],
    ),
    code(
        "duplicate-weapon",
        ["A weapon named twice", "Une arme nommée deux fois"],
        ["Two weapons have the same id.", "Deux armes ont le même identifiant."],
        ["Give each an id of its own.", "Donnez à chacune le sien."],
    ),
    code(
        "too-many-ships",
        ["Too many ships", "Trop de navires"],
        [
            "A fleet has at most 26 ships, and the fleets in a sea that a team shares have at most 30 together.",
            "Une flotte a 26 navires au plus, et les flottes d'une mer qu'une équipe partage en ont 30 au plus ensemble.",
        ],
        ["Lower the counts.", "Baissez les nombres."],
    ),
    code(
        "fleet-too-large",
        ["The fleet is too large", "La flotte est trop grande"],
        ["A fleet covers at most 40 % of the sea.", "Une flotte couvre 40 % de la mer au plus."],
        [
            "Use fewer or shorter ships, or a larger board.",
            "Prenez des navires moins nombreux ou plus courts, ou une mer plus grande.",
        ],
    ),
    code(
        "no-legal-deployment",
        ["No legal deployment", "Aucun placement légal"],
        [
            "The search found no way to place this fleet on this board under these rules.",
            "La recherche n'a trouvé aucun moyen de placer cette flotte sur cette mer selon ces règles.",
        ],
        [
            "Use fewer ships, a larger board, or allow contact.",
            "Prenez moins de navires, une mer plus grande, ou permettez le contact.",
        ],
    ),
];
