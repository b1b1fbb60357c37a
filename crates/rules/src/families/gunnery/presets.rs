//! The family's presets, as data. A new variant is one more entry.
use alloc::{string::ToString, vec::Vec};

use super::rules::{
    Border, Class, Clue, Contact, ExtraShots, GunneryTag, Relocation, Rules, Salvo, SalvoReporting, SalvoShots,
    Shrinks, Sighting, TurnOrder,
};
use super::{
    ends::Victory,
    mines::{MineEffect, Mines},
    shape::Shape,
    sides::{Seats, TeamSeas},
    weapons::{Effect, MOST_USES, Pattern, Weapon},
};
use crate::{
    families::First,
    families::{FamilyName, RuleSet, Variant},
    grid::{Board, Labels},
    text::ClassId,
};

/// A fleet as data: class id, name, length, count.
type Fleet = &'static [(&'static str, &'static str, u8, u8)];

const SHEET_001: Fleet = &[
    ("carrier", "Carrier", 5, 1),
    ("battleship", "Battleship", 4, 1),
    ("cruiser", "Cruiser", 3, 1),
    ("submarine", "Submarine", 3, 1),
    ("destroyer", "Destroyer", 2, 1),
];
const SHEET_002: Fleet = &[
    ("carrier", "Carrier", 4, 1),
    ("battleship", "Battleship", 4, 2),
    ("cruiser", "Cruiser", 2, 3),
    ("submarine", "Submarine", 1, 4),
];
const SHEET_003: Fleet = &[
    ("carrier", "Carrier", 5, 1),
    ("battleship", "Battleship", 4, 1),
    ("destroyer", "Destroyer", 3, 1),
    ("submarine", "Submarine", 3, 1),
    ("torpedo-boat", "Torpedo boat", 2, 1),
];
const SCHOOL: Fleet = &[
    ("battleship", "Battleship", 4, 1),
    ("cruiser", "Cruiser", 3, 2),
    ("destroyer", "Destroyer", 2, 3),
    ("torpedo-boat", "Torpedo boat", 1, 4),
];

/// The classic game of sheet 001, and the base of the other presets.
fn classic() -> Rules {
    Rules {
        family: GunneryTag::Value,
        board: Board { rows: 10, columns: 10, labels: Labels::RowLetter },
        fleet: fleet(SHEET_001),
        contact: Contact::Allowed,
        border: Border::Free,
        islands: None,
        mines: None,
        weapons: Vec::new(),
        salvo: fixed(1, Shrinks::No),
        report: SalvoReporting::PerShot,
        names_hit: false,
        names_sunk: true,
        announces_sunk: false,
        sighting: Sighting::No,
        clue: Clue::None,
        turn: TurnOrder::Alternate,
        relocation: Relocation::No,
        relocation_ships: None,
        relocation_range: None,
        relocation_damaged: true,
        sinking: true,
        victory: Victory::FLEET,
        last_turn: false,
        turn_limit: None,
        seats: Seats::TWO,
        teams: None,
        team_seas: TeamSeas::Own,
        handicaps: Vec::new(),
        first: First::Random,
    }
}

fn fleet(classes: Fleet) -> Vec<Class> {
    let class = |&(id, name, length, count): &(&'static str, &str, u8, u8)| {
        ClassId::new(id).map(|class| Class::line(class, name.to_string(), length, count))
    };
    classes.iter().filter_map(class).collect()
}

const COLUMN_LETTER: Board = Board { rows: 10, columns: 10, labels: Labels::ColumnLetter };
const FIVE_SHRINKING: Salvo = fixed(5, Shrinks::PerOwnLoss);

/// A salvo that depends on losses alone.
const fn fixed(size: u8, shrinks: Shrinks) -> Salvo {
    Salvo { size, shrinks, shots: SalvoShots::Fixed, extra: ExtraShots::None }
}

fn classic_salvo() -> Rules {
    Rules { salvo: FIVE_SHRINKING, ..classic() }
}

fn paper() -> Rules {
    Rules {
        board: COLUMN_LETTER,
        fleet: fleet(SHEET_002),
        contact: Contact::Forbidden,
        border: Border::EndOn,
        salvo: fixed(3, Shrinks::No),
        names_sunk: false,
        announces_sunk: true,
        sighting: Sighting::Orthogonal,
        ..classic()
    }
}

fn petty_officers() -> Rules {
    Rules { fleet: fleet(SHEET_003), names_hit: true, ..classic() }
}

fn cadets() -> Rules {
    Rules { salvo: FIVE_SHRINKING, ..petty_officers() }
}

fn officers() -> Rules {
    Rules { report: SalvoReporting::Tally, names_hit: false, names_sunk: false, ..cadets() }
}

fn admiralty() -> Rules {
    Rules {
        turn: TurnOrder::WhileMissing,
        relocation: Relocation::AfterSalvo,
        victory: Victory::hits(17),
        ..officers()
    }
}

fn sea_battle() -> Rules {
    Rules {
        board: COLUMN_LETTER,
        fleet: fleet(SCHOOL),
        contact: Contact::Forbidden,
        turn: TurnOrder::WhileHitting,
        ..classic()
    }
}

/// The school game with ships that bend: the battleship around one end, the cruisers in the middle.
fn sea_battle_bent() -> Rules {
    let mut rules = sea_battle();
    for class in &mut rules.fleet {
        let rows: &[&str] = match class.class.as_str() {
            "battleship" => &["x..", "xxx"],
            "cruiser" => &["x.", "xx"],
            _ => continue,
        };
        let shape = Shape::new(rows.iter().map(ToString::to_string).collect()).ok();
        *class = Class::new(class.class, class.name.clone(), class.length, class.count, shape, true, true);
    }
    rules
}

fn sea_battle_mines() -> Rules {
    Rules { mines: Some(Mines { count: 3, effect: MineEffect::Ship }), ..sea_battle() }
}

/// A weapon without reload time, carrier or countermeasure; the pattern is a square of 3 cells by 3.
fn weapon(id: &'static str, name: &str, effect: Effect, uses: u8) -> Weapon {
    let pattern = matches!(effect, Effect::Area | Effect::Count | Effect::Reveal).then_some(["xxx", "xxx", "xxx"]);
    Weapon {
        weapon: ClassId::literal(id),
        name: name.to_string(),
        effect,
        pattern: pattern.and_then(|rows| Pattern::new(rows.iter().map(ToString::to_string).collect())),
        range: None,
        uses,
        reload: 0,
        carrier: None,
        downed_by: None,
    }
}

fn classic_radar() -> Rules {
    Rules {
        turn: TurnOrder::WhileHitting,
        weapons: Vec::from([weapon("radar", "Radar", Effect::Distance, MOST_USES)]),
        ..classic()
    }
}

/// Each ship but the cruiser brings a weapon, and the cruiser shoots planes down.
fn classic_weapons() -> Rules {
    let carried = |class: &'static str, weapon: Weapon| Weapon { carrier: Some(ClassId::literal(class)), ..weapon };
    let plane = weapon("scout-plane", "Scout plane", Effect::Reveal, 2);
    let missile = weapon("missile", "Missile", Effect::Area, 1);
    let torpedo = weapon("torpedo", "Torpedo", Effect::Line, 2);
    let sonar = weapon("sonar", "Sonar", Effect::Count, 3);
    Rules {
        weapons: Vec::from([
            carried("carrier", Weapon { downed_by: Some(ClassId::literal("cruiser")), ..plane }),
            carried("battleship", missile),
            carried("submarine", Weapon { range: Some(10), ..torpedo }),
            carried("destroyer", Weapon { reload: 2, ..sonar }),
        ]),
        ..classic()
    }
}

const fn variant(
    id: &'static str,
    source: &'static str,
    title: [&'static str; 2],
    summary: [&'static str; 2],
    preset: fn() -> RuleSet,
) -> Variant {
    Variant { id, family: FamilyName::Gunnery, source, title, summary, preset }
}

/// The variants, the simplest first.
pub(crate) const VARIANTS: &[Variant] = &[
    variant(
        "classic",
        "Rule sheet 001 (Touché coulé, MB 1995), the basic game",
        ["Classic", "Classique"],
        [
            "Five ships, one shot at a time, and every sinking is called by name.",
            "Cinq bateaux, un tir à la fois, et chaque navire coulé est annoncé par son nom.",
        ],
        || RuleSet::Gunnery(classic()),
    ),
    variant(
        "classic-salvo",
        "Rule sheet 001 (Touché coulé, MB 1995), the salvo game",
        ["Classic salvo", "Classique par salves"],
        [
            "Five shots at once; each ship you lose costs you a shot.",
            "Cinq tirs à la fois ; chaque bateau perdu coûte un tir.",
        ],
        || RuleSet::Gunnery(classic_salvo()),
    ),
    variant(
        "classic-radar",
        "The manual of the talking game Sea Master (Excalibur), its game with radar and reload; the fleet is that of rule sheet 001",
        ["Classic with radar", "Classique avec radar"],
        [
            "Whoever hits fires again, and a radar tells how far the nearest ship is.",
            "Qui touche rejoue, et un radar dit à quelle distance est le navire le plus proche.",
        ],
        || RuleSet::Gunnery(classic_radar()),
    ),
    variant(
        "classic-weapons",
        "Boxed games with weapons for each ship, from memory; the numbers are ours, the fleet is that of rule sheet 001",
        ["Classic with special weapons", "Classique avec armes spéciales"],
        [
            "Scout planes, a missile, torpedoes and a sonar, each lost with the ship that carries it.",
            "Avions de reconnaissance, missile, torpilles et sonar, perdus avec le navire qui les porte.",
        ],
        || RuleSet::Gunnery(classic_weapons()),
    ),
    variant(
        "paper",
        "Rule sheet 002 (La Bataille navale)",
        ["Pencil and paper", "Papier quadrillé"],
        [
            "Ten ships that never touch, three shots a salvo, and near shots sight their prey.",
            "Dix vaisseaux qui ne se touchent jamais, trois coups par salve, et les coups voisins sont « en vue ».",
        ],
        || RuleSet::Gunnery(paper()),
    ),
    variant(
        "petty-officers",
        "Rule sheet 003 (Touché-coulé, MB), game A",
        ["Petty officers", "Seconds-maîtres"],
        [
            "One shot at a time, and every hit names the ship it struck.",
            "Un tir à la fois, et chaque coup au but nomme le navire touché.",
        ],
        || RuleSet::Gunnery(petty_officers()),
    ),
    variant(
        "cadets",
        "Rule sheet 003 (Touché-coulé, MB), game B",
        ["Cadets", "Cadets"],
        [
            "Salvoes of five that shrink with your losses, and every hit names its ship.",
            "Des salves de cinq tirs qui diminuent avec vos pertes, et chaque coup au but nomme son navire.",
        ],
        || RuleSet::Gunnery(cadets()),
    ),
    variant(
        "officers",
        "Rule sheet 003 (Touché-coulé, MB), game C",
        ["Officers", "Officiers de marine"],
        [
            "Salvoes of five, and all you are told is how many hit.",
            "Des salves de cinq tirs, et l'on n'apprend que le nombre de coups au but.",
        ],
        || RuleSet::Gunnery(officers()),
    ),
    variant(
        "admiralty",
        "Rule sheet 003 (Touché-coulé, MB), game D",
        ["Admiralty", "Amirauté"],
        [
            "Only the number of hits is told, a hit passes the turn, the target may move, and 17 hits win.",
            "Seul le nombre de coups au but est annoncé, un coup au but donne la main, la cible peut se déplacer, et 17 coups au but l'emportent.",
        ],
        || RuleSet::Gunnery(admiralty()),
    ),
    variant(
        "sea-battle",
        "The Russian school game (no rule sheet)",
        ["Sea battle", "Combat naval"],
        [
            "Ten ships that never touch; whoever hits fires again.",
            "Dix navires qui ne se touchent jamais ; qui touche rejoue.",
        ],
        || RuleSet::Gunnery(sea_battle()),
    ),
    variant(
        "sea-battle-bent",
        "The Russian school game with bent ships (no rule sheet)",
        ["Sea battle with bent ships", "Combat naval aux navires coudés"],
        [
            "The school game, but the battleship is an L and the cruisers are corners.",
            "Le jeu des écoliers, mais le cuirassé est en L et les croiseurs sont en équerre.",
        ],
        || RuleSet::Gunnery(sea_battle_bent()),
    ),
    variant(
        "sea-battle-mines",
        "The Russian school game with mines (no rule sheet)",
        ["Sea battle with mines", "Combat naval avec mines"],
        [
            "The school game, with three hidden mines: whoever shoots at one gives up a ship.",
            "Le jeu des écoliers, avec trois mines cachées : qui en touche une sacrifie un navire.",
        ],
        || RuleSet::Gunnery(sea_battle_mines()),
    ),
];
