//! Codes for placing ships.
use super::{Code, code};

pub(super) const CODES: &[Code] = &[
    // Ships placed or moved.
    code(
        "unknown-ship",
        ["Unknown ship", "Navire inconnu"],
        ["The fleet has no ship of that id.", "La flotte n'a pas de navire avec cet identifiant."],
        ["Use the ids that the decision lists.", "Prenez les identifiants que la décision donne."],
    ),
    code(
        "ship-missing",
        ["A ship is missing", "Il manque un navire"],
        ["Every ship of the fleet must be placed.", "Chaque navire de la flotte doit être placé."],
        ["Add the ships named in the detail.", "Ajoutez les navires que le détail nomme."],
    ),
    code(
        "no-room-for-allies",
        ["No room for allies", "Pas de place pour les alliés"],
        [
            "Beside the fleet no way was found to place those of the allies who share the sea.",
            "À côté de la flotte, on n'a trouvé aucun moyen de placer celles des alliés dans la même mer.",
        ],
        [
            "Place the ships closer together, or along the edge.",
            "Placez les navires plus près les uns des autres, ou le long du bord.",
        ],
    ),
    code(
        "duplicate-ship",
        ["A ship named twice", "Un navire nommé deux fois"],
        ["The same ship is placed more than once.", "Le même navire est placé plus d'une fois."],
        ["Name each ship once.", "Nommez chaque navire une fois."],
    ),
    code(
        "wrong-length",
        ["Wrong length", "Mauvaise longueur"],
        ["The ship does not have that many cells.", "Le navire n'a pas autant de cases."],
        [
            "Give exactly as many cells as the ship is long.",
            "Donnez exactement autant de cases que le navire est long.",
        ],
    ),
    code(
        "not-straight",
        ["Not straight", "Pas droit"],
        [
            "A ship lies on neighbouring cells of one row or one column.",
            "Un navire est sur des cases voisines d'une même ligne ou d'une même colonne.",
        ],
        ["Give a straight row of cells without a gap.", "Donnez une suite droite de cases, sans trou."],
    ),
    code(
        "wrong-shape",
        ["Wrong shape", "Mauvaise forme"],
        [
            "A ship lies in the shape of its class, turned and mirrored only where its class may be.",
            "Un navire a la forme de sa classe, tournée et retournée seulement si sa classe le permet.",
        ],
        [
            "Give the cells of one of the `orientations` of its class.",
            "Donnez les cases d'une des `orientations` de sa classe.",
        ],
    ),
    code(
        "on-island",
        ["On an island", "Sur une île"],
        [
            "Islands are no water: no ship can lie there, and nothing can be shot at there.",
            "Une île n'est pas de l'eau : aucun navire n'y va, et on n'y tire sur rien.",
        ],
        [
            "Give cells that the board does not show as `island`.",
            "Donnez des cases que le plan ne montre pas comme `island`.",
        ],
    ),
    code(
        "touches-island",
        ["Touches an island", "Touche une île"],
        ["In this game ships keep away from islands.", "Dans ce jeu, les navires restent loin des îles."],
        [
            "Place the ship on the `cells` that the decision lists for it.",
            "Placez le navire sur les `cells` que la décision donne pour lui.",
        ],
    ),
    code(
        "wrong-mine-count",
        ["Wrong number of mines", "Mauvais nombre de mines"],
        [
            "A deployment lays exactly as many mines as the rules say.",
            "Un placement pose exactement autant de mines que les règles le disent.",
        ],
        [
            "Send as many cells as `mines` of the decision says.",
            "Envoyez autant de cases que `mines` de la décision le dit.",
        ],
    ),
    code(
        "mine-under-ship",
        ["A mine under a ship", "Une mine sous un navire"],
        ["A mine lies on water.", "Une mine est sur l'eau."],
        ["Lay the mine where no ship of yours lies.", "Posez-la où aucun de vos navires n'est."],
    ),
    code(
        "wrong-give-up",
        ["Not what is owed", "Pas ce qui est dû"],
        [
            "What is given up is exactly what the mines and minesweepers have cost.",
            "On rend exactement ce que les mines et les dragueurs ont coûté.",
        ],
        [
            "Send as many cells, ships and mines as the decision says.",
            "Envoyez autant de cases, de navires et de mines que la décision le dit.",
        ],
    ),
    code(
        "not-yours-to-give",
        ["Not yours to give", "Pas à vous de le rendre"],
        [
            "It is no part of your fleet that could be given up: it is water, hit already, or no mine of yours.",
            "Ce n'est pas une partie de votre flotte qui puisse être rendue : c'est de l'eau, c'est déjà touché, ou ce \
          n'est pas une de vos mines.",
        ],
        ["Use the choices that the decision lists.", "Prenez les choix que la décision donne."],
    ),
    code(
        "weapon-spent",
        ["Nothing left of it", "Il n'en reste rien"],
        [
            "The weapon was used as often as it can be, or the rest of it was lost.",
            "L'arme a servi autant qu'elle le peut, ou le reste en est perdu.",
        ],
        ["Fire your salvo, or use another weapon.", "Tirez votre salve, ou prenez une autre arme."],
    ),
    code(
        "weapon-reloading",
        ["Not ready yet", "Pas encore prête"],
        [
            "The weapon has to be made ready again after its last use.",
            "L'arme doit être remise en état après son dernier usage.",
        ],
        [
            "Fire your salvo, or use another weapon; `supplies` in the view says how long it takes.",
            "Tirez votre salve, ou prenez une autre arme ; `supplies` dans la vue dit combien de temps il faut.",
        ],
    ),
    code(
        "carrier-lost",
        ["No ship to carry it", "Aucun navire pour la porter"],
        [
            "The weapon can be used only while a ship of its class is afloat in your fleet.",
            "L'arme ne sert que tant qu'un navire de sa classe est à flot dans votre flotte.",
        ],
        ["Fire your salvo, or use another weapon.", "Tirez votre salve, ou prenez une autre arme."],
    ),
    code(
        "nothing-in-reach",
        ["Nothing in reach", "Rien à portée"],
        [
            "Aimed so, the weapon would do nothing: it would reach no water, or no cell that was not shot at before.",
            "Ainsi pointée, l'arme ne ferait rien : elle n'atteindrait pas d'eau, ou aucune case encore intacte.",
        ],
        ["Use one of the `aims` that the decision lists.", "Prenez un des `aims` que la décision donne."],
    ),
    code(
        "ships-overlap",
        ["Ships overlap", "Deux navires se recouvrent"],
        ["Two ships share a cell.", "Deux navires ont une case commune."],
        ["Give each ship cells of its own.", "Donnez à chaque navire ses propres cases."],
    ),
    code(
        "ships-touch",
        ["Ships touch", "Deux navires se touchent"],
        [
            "These rules ask for a free cell between ships, diagonally too.",
            "Ces règles demandent une case libre entre les navires, en diagonale aussi.",
        ],
        ["Move one of the ships named away.", "Éloignez un des navires nommés."],
    ),
    code(
        "border-forbidden",
        ["Too much on the edge", "Trop sur le bord"],
        [
            "These rules allow a ship one cell on the edge of the sea at most.",
            "Ces règles permettent à un navire une case au plus sur le bord de la mer.",
        ],
        ["Turn the ship, or move it inwards.", "Tournez le navire, ou mettez-le vers l'intérieur."],
    ),
    code(
        "corner-forbidden",
        ["On a corner", "Sur un coin"],
        [
            "These rules allow no ship on a corner of the sea.",
            "Ces règles ne permettent aucun navire sur un coin de la mer.",
        ],
        ["Move the ship off the corner.", "Ôtez le navire du coin."],
    ),
    code(
        "ship-sunk",
        ["The ship is sunk", "Le navire est coulé"],
        [
            "A sunk ship can neither be moved nor do anything, nor be fired at by name.",
            "Un navire coulé ne bouge pas, ne fait rien, et on ne tire pas sur lui par son nom.",
        ],
        ["Leave it out, or choose another.", "Laissez-le de côté, ou choisissez-en un autre."],
    ),
    code(
        "ship-damaged",
        ["The ship is damaged", "Le navire est touché"],
        ["In this game a ship that has been hit does not move.", "Dans ce jeu, un navire touché ne bouge pas."],
        ["Leave it out, or choose another.", "Laissez-le de côté, ou choisissez-en un autre."],
    ),
    code(
        "move-too-far",
        ["Too far", "Trop loin"],
        ["The ship cannot move that far.", "Le navire ne peut pas aller si loin."],
        ["Use the cells that the decision lists.", "Prenez les cases que la décision donne."],
    ),
    code(
        "too-many-ships-moved",
        ["Too many ships", "Trop de navires"],
        [
            "More ships would move than may move at once.",
            "Plus de navires bougeraient qu'il ne peut en bouger à la fois.",
        ],
        ["Leave some out.", "Laissez-en de côté."],
    ),
];
