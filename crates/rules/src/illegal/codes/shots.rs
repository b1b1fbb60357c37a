//! Codes for the time of an action, and for shots.
use super::{Code, code, whole};

pub(super) const CODES: &[Code] = &[
    // Wrong time, or wrong actor.
    whole(
        "not-a-player",
        ["Not a player", "Vous ne jouez pas"],
        [
            "Only somebody who has a seat in the match can act in it.",
            "Seul qui a une place dans la partie peut y agir.",
        ],
        ["Sign in as one of the players, or just watch.", "Connectez-vous comme un des joueurs, ou regardez."],
    ),
    whole(
        "match-over",
        ["The match is over", "La partie est finie"],
        [
            "The match has ended; nothing more can be played in it.",
            "La partie est terminée ; on ne peut plus rien y jouer.",
        ],
        ["Read the result; start a new match.", "Lisez le résultat ; commencez une autre partie."],
    ),
    whole(
        "not-your-turn",
        ["Not your turn", "Ce n'est pas à vous"],
        ["Another seat has to act first.", "Une autre place doit agir d'abord."],
        ["Wait until your seat is listed in `to_act`.", "Attendez que votre place soit dans `to_act`."],
    ),
    whole(
        "wrong-phase",
        ["Not in this phase", "Pas dans cette phase"],
        [
            "The match is not in the phase in which this action can be played.",
            "La partie n'est pas dans la phase où cette action se joue.",
        ],
        ["Play one of the actions that `decisions` lists.", "Jouez une des actions de `decisions`."],
    ),
    code(
        "unknown-action",
        ["Unknown action", "Action inconnue"],
        ["No action of this match has that type.", "Aucune action de cette partie n'a ce type."],
        ["Use one of the types named in the detail.", "Prenez un des types que le détail nomme."],
    ),
    whole(
        "already-deployed",
        ["Already deployed", "Déjà placée"],
        [
            "Your fleet is placed, and a placed fleet is final.",
            "Votre flotte est placée, et une flotte placée ne bouge plus.",
        ],
        ["Wait for the battle.", "Attendez la bataille."],
    ),
    whole(
        "too-late-to-abort",
        ["Too late to abort", "Trop tard pour annuler"],
        [
            "The battle has begun with a salvo or a weapon; from then on a match can only be played, resigned or drawn.",
            "La bataille a commencé par une salve ou une arme ; dès lors, une partie ne peut qu'être jouée, abandonnée \
          ou nulle.",
        ],
        ["Resign, or offer a draw.", "Abandonnez, ou proposez la nulle."],
    ),
    whole(
        "draw-not-offered",
        ["No draw on offer", "Pas de nulle proposée"],
        ["Your opponent has no offer standing.", "Votre adversaire n'a rien proposé."],
        ["Offer a draw yourself, if `decisions` lists it.", "Proposez vous-même la nulle, si `decisions` le permet."],
    ),
    whole(
        "draw-already-offered",
        ["A draw is already on offer", "La nulle est déjà proposée"],
        [
            "An offer stands, or you have already made one since you last played.",
            "Une proposition est en cours, ou vous en avez fait une depuis votre dernier coup.",
        ],
        [
            "Accept or decline your opponent's offer; your own you can make again after your next move.",
            "Acceptez ou refusez celle de votre adversaire ; la vôtre, vous pourrez la refaire après votre prochain coup.",
        ],
    ),
    // Shots.
    code(
        "unknown-cell",
        ["Unknown cell", "Case inconnue"],
        [
            "The board has no cell of that name. Names are strict: as the board writes them, without leading zeros.",
            "Le plan n'a pas de case de ce nom. Les noms sont stricts : comme le plan les écrit, sans zéro devant.",
        ],
        ["Use labels of the variant's board.", "Prenez les noms du plan de la variante."],
    ),
    code(
        "wrong-salvo-size",
        ["Wrong salvo size", "Mauvais nombre de tirs"],
        ["A salvo is exactly the number of shots allowed.", "Une salve a exactement le nombre de tirs permis."],
        [
            "Send as many cells as `shots` of the decision says.",
            "Envoyez autant de cases que `shots` de la décision le dit.",
        ],
    ),
    code(
        "duplicate-cell",
        ["A cell named twice", "Une case nommée deux fois"],
        ["The same cell is named more than once.", "La même case est nommée plus d'une fois."],
        ["Name each cell once.", "Nommez chaque case une fois."],
    ),
    code(
        "cell-already-tried",
        ["A cell already tried", "Case déjà essayée"],
        [
            "The cell has been shot at before; its answer cannot change.",
            "On a déjà tiré sur cette case ; sa réponse ne change pas.",
        ],
        ["Choose from `targets` of the decision.", "Choisissez dans `targets` de la décision."],
    ),
    whole(
        "seat-out",
        ["Out of the match", "Hors de la partie"],
        [
            "Your seat is out of this match; the others play on.",
            "Votre place est hors de cette partie ; les autres continuent.",
        ],
        ["Watch, or look at your other matches.", "Regardez, ou allez à vos autres parties."],
    ),
    whole(
        "armistice-running",
        ["Armistice", "Armistice"],
        [
            "There is an armistice: nobody plays, and no clock runs.",
            "C'est l'armistice : personne ne joue, et aucune pendule ne tourne.",
        ],
        ["Wait until it ends, or play `end-armistice`.", "Attendez sa fin, ou jouez `end-armistice`."],
    ),
    whole(
        "no-armistice",
        ["No armistice", "Pas d'armistice"],
        ["There is no armistice to end.", "Il n'y a pas d'armistice à finir."],
        ["Play on.", "Continuez à jouer."],
    ),
    whole(
        "armistice-end-already-agreed",
        ["Agreed already", "Déjà d'accord"],
        [
            "Your seat has agreed to end the armistice; it ends when everybody does, or when its time is over.",
            "Votre place est d'accord pour finir l'armistice ; il finit quand tous le sont, ou quand son temps est \
          écoulé.",
        ],
        ["Wait for the others.", "Attendez les autres."],
    ),
    whole(
        "armistice-already-called",
        ["Called before", "Déjà demandé"],
        ["Each seat may call one armistice in a match.", "Chaque place peut demander un armistice par partie."],
        ["Play on, or offer a draw.", "Continuez à jouer, ou proposez la nulle."],
    ),
    whole(
        "abort-needs-two-seats",
        ["Not for all", "Pas pour tous"],
        [
            "A match of more than two seats cannot be called off by one of them.",
            "Une partie de plus de deux places ne peut être annulée par l'une d'elles.",
        ],
        ["Resign: the others play on.", "Abandonnez : les autres continuent."],
    ),
    whole(
        "abort-in-contest",
        ["Not in a ladder or a tournament", "Pas sur une échelle ni dans un tournoi"],
        [
            "A match for which a ladder or a tournament has brought its players together cannot be called off.",
            "Une partie dont une échelle ou un tournoi a réuni les joueurs ne peut être annulée.",
        ],
        ["Play, offer a draw, or resign.", "Jouez, proposez la nulle, ou abandonnez."],
    ),
    code(
        "wrong-target",
        ["Not a sea to fire at", "On ne tire pas sur cette mer"],
        [
            "The sea named as `target` is not one of the match, or none in which enemy ships lie.",
            "La mer nommée dans `target` n'est pas de la partie, ou aucun navire ennemi n'y est.",
        ],
        ["Use the `target` of one of the decisions.", "Prenez le `target` d'une des décisions."],
    ),
];
