//! Codes for moving ships.
use super::{Code, code, whole};

pub(super) const CODES: &[Code] = &[
    // Ships that move, charge and fire torpedoes.
    code(
        "ship-in-port",
        ["The ship is in port", "Le navire est au port"],
        [
            "A ship in port can neither fire nor be fired at.",
            "Un navire au port ne tire pas, et on ne tire pas sur lui.",
        ],
        ["Choose a ship at sea.", "Choisissez un navire en mer."],
    ),
    code(
        "path-broken",
        ["A broken path", "Un chemin rompu"],
        [
            "Each step of a path leads to a neighbouring square; port is entered and left over an arrow square only, and \
          ends the move.",
            "Chaque pas d'un chemin mène à une case voisine ; on n'entre au port et on n'en sort que par une case \
          fléchée, et le mouvement s'y arrête.",
        ],
        ["Give every square of the way, in order.", "Donnez toutes les cases du chemin, dans l'ordre."],
    ),
    code(
        "path-too-long",
        ["A path too long", "Un chemin trop long"],
        ["The path has more steps than the ship can make.", "Le chemin a plus de pas que le navire ne peut en faire."],
        ["Shorten it.", "Raccourcissez-le."],
    ),
    code(
        "path-leaves-sea",
        ["Off the edge", "Hors du bord"],
        ["The path leaves the sea.", "Le chemin sort de la mer."],
        ["Stay on the board.", "Restez sur le plan."],
    ),
    code(
        "path-blocked",
        ["The way is blocked", "Le chemin est barré"],
        [
            "A ship of your own, or one that everybody sees, is in the way.",
            "Un de vos navires, ou un navire que tous voient, est sur le chemin.",
        ],
        ["Go around it.", "Contournez-le."],
    ),
    code(
        "path-costs-too-much",
        ["A path that costs too much", "Un chemin trop cher"],
        [
            "A straight step costs one point of speed and a diagonal one two; a ship of speed 1 makes one step in any \
          direction.",
            "Un pas droit coûte un point de vitesse, un pas en diagonale deux ; un navire de vitesse 1 fait un pas dans \
          n'importe quelle direction.",
        ],
        ["Make fewer steps.", "Faites moins de pas."],
    ),
    code(
        "no-charge-left",
        ["No charge left", "Plus de grenade"],
        ["The ship has no depth charge left.", "Le navire n'a plus de grenade sous-marine."],
        ["Rearm it in port, or choose another ship.", "Réarmez-le au port, ou choisissez un autre navire."],
    ),
    whole(
        "already-moved",
        ["Moved already", "Déjà bougé"],
        [
            "Only one ship moves in a turn, once, and before anything is fired.",
            "Un seul navire bouge par tour, une fois, et avant tout tir.",
        ],
        ["Go on to the next step, or end the turn.", "Passez à l'étape suivante, ou finissez le tour."],
    ),
    whole(
        "already-charged",
        ["Charged already", "Grenade déjà jetée"],
        [
            "Only one depth charge is dropped in a turn, before any torpedo.",
            "Une seule grenade est jetée par tour, avant toute torpille.",
        ],
        ["Go on to the next step, or end the turn.", "Passez à l'étape suivante, ou finissez le tour."],
    ),
    code(
        "wrong-ship",
        ["The wrong ship", "Le mauvais navire"],
        ["The ship that moved drops the charge.", "C'est le navire qui a bougé qui jette la grenade."],
        ["Choose the ship that moved.", "Choisissez le navire qui a bougé."],
    ),
    code(
        "unknown-line",
        ["Unknown line", "Ligne inconnue"],
        ["The board has no such line.", "Le plan n'a pas cette ligne."],
        ["Use one of the lines of the decision.", "Prenez une des lignes de la décision."],
    ),
    code(
        "not-on-line",
        ["Not on the line", "Pas sur la ligne"],
        [
            "The target does not lie on that line, or you have no submarine there.",
            "La cible n'est pas sur cette ligne, ou vous n'y avez pas de sous-marin.",
        ],
        ["Use one of the choices of the decision.", "Prenez un des choix de la décision."],
    ),
    code(
        "line-changed",
        ["Another line", "Une autre ligne"],
        ["All torpedoes of a turn run along one line.", "Toutes les torpilles d'un tour suivent une seule ligne."],
        ["Stay on that line, or end the turn.", "Restez sur cette ligne, ou finissez le tour."],
    ),
    code(
        "no-submarine-left",
        ["No submarine left to fire", "Plus de sous-marin pour tirer"],
        [
            "Every submarine of yours on that line has fired in this turn.",
            "Tous vos sous-marins de cette ligne ont tiré dans ce tour.",
        ],
        ["End the turn.", "Finissez le tour."],
    ),
    whole(
        "no-torpedo-left",
        ["No torpedo left", "Plus de torpille"],
        ["The turn has no torpedo, or none any more.", "Le tour n'a pas de torpille, ou n'en a plus."],
        ["End the turn.", "Finissez le tour."],
    ),
    whole(
        "nothing-done",
        ["Nothing done yet", "Rien n'est encore fait"],
        [
            "At least one step has to be made while one is possible.",
            "Il faut faire un pas au moins tant qu'un pas est possible.",
        ],
        ["Take one of the other required decisions.", "Prenez une des autres décisions requises."],
    ),
    code(
        "mine-under-submarine",
        ["The mine is above a submarine", "La mine est au-dessus d'un sous-marin"],
        [
            "The mine's square is not that of an own submarine, at any depth.",
            "La case de la mine n'est pas celle d'un de vos sous-marins, à aucune profondeur.",
        ],
        ["Put the mine, or the submarine, elsewhere.", "Mettez la mine, ou le sous-marin, ailleurs."],
    ),
    // Ships that share one sea.
    code(
        "not-your-cell",
        ["Not a cell of yours", "Pas une case à vous"],
        ["Your seat may not place ships there.", "Votre place ne peut pas y mettre de navires."],
        ["Use the cells that the decision lists.", "Prenez les cases que la décision donne."],
    ),
    code(
        "cell-taken",
        ["Two ships on a cell", "Deux navires sur une case"],
        ["Only one ship stands on a cell.", "Il n'y a qu'un navire par case."],
        ["Give each ship a cell of its own.", "Donnez à chaque navire sa case."],
    ),
    code(
        "not-your-ship",
        ["Not your ship", "Pas votre navire"],
        ["The ship belongs to another nation.", "Le navire est à une autre nation."],
        ["Order your own ships.", "Donnez des ordres à vos navires."],
    ),
    code(
        "duplicate-order",
        ["Ordered twice", "Deux ordres"],
        ["A ship has one order a turn.", "Un navire a un ordre par tour."],
        ["Keep one of its orders.", "Gardez un de ses ordres."],
    ),
    code(
        "target-out-of-range",
        ["Out of range", "Hors de portée"],
        ["The ship cannot fire at that distance.", "Le navire ne peut pas tirer à cette distance."],
        ["Use the targets that the decision lists.", "Prenez les cibles que la décision donne."],
    ),
    code(
        "too-many-shots",
        ["Too many shots", "Trop de tirs"],
        ["The ship has fewer shots than cells are named.", "Le navire a moins de tirs qu'il n'y a de cases nommées."],
        ["Name at most as many cells as its attack.", "Nommez au plus autant de cases que son attaque."],
    ),
    code(
        "target-is-own-ship",
        ["Your own ship is there", "Votre navire est là"],
        ["A seat does not fire at its own ship.", "Une place ne tire pas sur son propre navire."],
        ["Choose another cell.", "Choisissez une autre case."],
    ),
    code(
        "not-detected",
        ["Not detected", "Pas repérée"],
        [
            "A fleet of which no ship afloat has opened fire may give one order only, and it must be to fire.",
            "Une flotte dont aucun navire à flot n'a ouvert le feu ne donne qu'un ordre, et c'est de tirer.",
        ],
        ["Give one order to fire, or none.", "Donnez un ordre de tir, ou aucun."],
    ),
    code(
        "too-many-orders",
        ["Too many orders", "Trop d'ordres"],
        ["More orders than ships.", "Il y a plus d'ordres que de navires."],
        ["Give each ship one order at most.", "Donnez un ordre au plus à chaque navire."],
    ),
];
