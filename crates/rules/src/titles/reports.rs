//! Titles of the types, fields and values of reports: a page that knows no game can print a match's log.
use alloc::{
    collections::BTreeMap,
    string::{String, ToString},
    vec::Vec,
};

use serde::Serialize;
use serde_json::Value;

use super::{find, values::VALUES};
use crate::{card::Language, families::RuleSet, pattern::shapes_of, report::TableReport};

/// Types of reports, in English and in French.
const TYPES: [(&str, [&str; 2]); 41] = [
    ("aborted", ["Match called off", "Partie annulée"]),
    ("adjudicated", ["Decided by a moderator", "Décidée par un modérateur"]),
    ("aimed", ["Opening shot aimed", "Premier tir pointé"]),
    ("armistice-agreed", ["Agrees to end the armistice", "D’accord pour finir l’armistice"]),
    ("armistice-called", ["Armistice called", "Armistice demandé"]),
    ("armistice-ended", ["Armistice ended", "Fin de l’armistice"]),
    ("bands-drawn", ["Deployment bands drawn", "Bandes de déploiement tirées au sort"]),
    ("charged", ["Depth charge", "Grenade sous-marine"]),
    ("clocks-paused", ["A pause of the contest", "Pause du concours"]),
    ("clocks-rested", ["Clocks stood still: the service was away", "Pendules arrêtées : service absent"]),
    ("deadline-reached", ["The round's time is over", "Temps de la ronde écoulé"]),
    ("deployed", ["Fleet placed", "Flotte placée"]),
    ("depths-deployed", ["Submarines and mine placed", "Sous-marins et mine placés"]),
    ("depths-revealed", ["All is shown", "Tout est montré"]),
    ("draw-accepted", ["Draw accepted", "Nulle acceptée"]),
    ("draw-declined", ["Draw declined", "Nulle refusée"]),
    ("draw-offered", ["Draw offered", "Nulle proposée"]),
    ("finished", ["Match over", "Partie finie"]),
    ("fired", ["Salvo", "Salve"]),
    ("fleets-settled", ["Fleets settled", "Flottes en place"]),
    ("gave-up", ["Paid what was owed", "Dette réglée"]),
    ("islands-drawn", ["Islands drawn", "Îles tirées au sort"]),
    ("left", ["Left the match", "Partie quittée"]),
    ("moved", ["Ship moved", "Bâtiment déplacé"]),
    ("opened", ["Opening shots", "Premiers tirs"]),
    ("ordered", ["Orders", "Ordres"]),
    ("relocated", ["Decided where ships lie", "Place des navires décidée"]),
    ("resigned", ["Resigned", "Abandon"]),
    ("rests-planned", ["Rests of the clock", "Repos de la pendule"]),
    ("revealed", ["All is shown", "Tout est montré"]),
    ("salvos-deployed", ["Navy placed", "Marine placée"]),
    ("salvos-revealed", ["All is shown", "Tout est montré"]),
    ("scanned", ["Search", "Recherche"]),
    ("sealed", ["Sealed", "Scellé"]),
    ("seat-handed-over", ["Seat handed over", "Place transmise"]),
    ("started", ["Match begins", "Début de la partie"]),
    ("time-added", ["More time", "Temps ajouté"]),
    ("timed-out", ["Out of time", "Temps écoulé"]),
    ("torpedoed", ["Torpedo", "Torpille"]),
    ("turn-ended", ["Turn ended", "Tour fini"]),
    ("withdrawn", ["Left the match", "Partie quittée"]),
];

/// Fields of reports and of their objects, in English and in French. (A family adds fields with its own name.)
const FIELDS: [(&str, [&str; 2]); 73] = [
    ("action", ["Due", "Attendu"]),
    ("answer", ["Answer", "Réponse"]),
    ("armour", ["Armour left", "Blindage restant"]),
    ("at", ["Time", "Heure"]),
    ("bands", ["Bands", "Bandes"]),
    ("blocked_at", ["Stopped at", "Arrêté en"]),
    ("by", ["By", "Par"]),
    ("bot", ["Program", "Programme"]),
    ("cell", ["Cell", "Case"]),
    ("cells", ["Cells", "Cases"]),
    ("class", ["Class", "Classe"]),
    ("clue", ["Number told", "Nombre annoncé"]),
    ("commitment", ["Commitment", "Engagement"]),
    ("count", ["Count", "Nombre"]),
    ("direction", ["Direction", "Direction"]),
    ("draw", ["Draw number", "Numéro du tirage"]),
    ("drawn", ["Drawn", "Tiré"]),
    ("first", ["Plays first", "Commence"]),
    ("first_cell", ["Placed at", "Placé en"]),
    ("first_cells", ["Placed on", "Placé sur"]),
    ("due_at", ["Deadline", "Échéance"]),
    ("fleets", ["Fleets", "Flottes"]),
    ("from", ["From", "De"]),
    ("hit", ["Hit", "Touché"]),
    ("hits", ["Hits", "Coups au but"]),
    ("hits_by_class", ["Hits by class", "Coups au but par classe"]),
    ("kind", ["Kind", "Sorte"]),
    ("last_cell", ["Last at", "Dernière case"]),
    ("last_cells", ["Last on", "Dernières cases"]),
    ("lasts_s", ["Seconds at most", "Secondes au plus"]),
    ("line", ["Line", "Ligne"]),
    ("mine", ["Mine", "Mine"]),
    ("mines", ["Mines", "Mines"]),
    ("moves", ["Moves", "Déplacements"]),
    ("name", ["Name", "Nom"]),
    ("near", ["Submarines near", "Sous-marins proches"]),
    ("next", ["Next", "Suite"]),
    ("number", ["Number", "Numéro"]),
    ("occupied", ["Ships on", "Navires en"]),
    ("order", ["Order", "Ordre"]),
    ("orders", ["Orders", "Ordres"]),
    ("out", ["Out", "Hors jeu"]),
    ("owed", ["Owed", "Dû"]),
    ("own_hits", ["Own losses", "Pertes"]),
    ("owner", ["Sea of", "Mer de"]),
    ("path", ["Path", "Trajet"]),
    ("place", ["Place", "Rang"]),
    ("places", ["Places", "Classement"]),
    ("player", ["Player", "Joueur"]),
    ("points", ["Points", "Points"]),
    ("reason", ["Reason", "Raison"]),
    ("rests", ["Rests", "Repos"]),
    ("round", ["Round", "Tour"]),
    ("rule", ["Rule", "Règle"]),
    ("salt", ["Salt", "Sel"]),
    ("seas", ["Seas", "Mers"]),
    ("seconds", ["Seconds", "Secondes"]),
    ("seat", ["Player", "Joueur"]),
    ("seats", ["Players", "Joueurs"]),
    ("ship", ["Ship", "Navire"]),
    ("ships", ["Ships", "Navires"]),
    ("shot_down", ["Shot down", "Abattu"]),
    ("shots", ["Shots", "Tirs"]),
    ("steps", ["Steps", "Pas"]),
    ("submarines", ["Submarines", "Sous-marins"]),
    ("sunk", ["Sunk", "Coulé"]),
    ("sunk_by_class", ["Sunk by class", "Coulés par classe"]),
    ("target", ["At", "Cible"]),
    ("to", ["To", "Vers"]),
    ("turns", ["Turns", "Tours"]),
    ("until", ["Until", "Jusqu’à"]),
    ("weapon", ["Weapon", "Arme"]),
    ("winner", ["Winner", "Vainqueur"]),
];

/// A type of reports, for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ReportType {
    /// The `type` of the report.
    #[cfg_attr(feature = "schema", schema(max_length = 24, pattern = "^[a-z-]+$"))]
    pub report_type: String,
    /// What it is called, in the language asked for: what may stand behind the player's name.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 60, pattern = "^[^\\u0000-\\u001f]+$"))]
    pub title: &'static str,
    /// Its fields and those of the objects in it, each name once, by name; without `type`.
    #[cfg_attr(feature = "schema", schema(max_items = 60))]
    pub fields: Vec<ReportField>,
}

/// A field of a report, for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ReportField {
    /// The field.
    #[cfg_attr(feature = "schema", schema(max_length = 24, pattern = "^[a-z_]+$"))]
    pub name: String,
    /// What it is called, in the language asked for.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 60, pattern = "^[^\\u0000-\\u001f]+$"))]
    pub title: &'static str,
    /// What its texts or numbers name; `null` where they name nothing, as numbers that count.
    #[cfg_attr(feature = "schema", schema(required))]
    pub names: Option<Named>,
    /// Its values, where they are words of a list; else empty.
    #[cfg_attr(feature = "schema", schema(max_items = 16))]
    pub values: Vec<ReportValue>,
}

/// A value of a field, for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ReportValue {
    /// The value.
    #[cfg_attr(feature = "schema", schema(max_length = 24, pattern = "^[A-Za-z-]+$"))]
    pub value: String,
    /// What it is called, in the language asked for.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 60, pattern = "^[^\\u0000-\\u001f]+$"))]
    pub title: &'static str,
}

/// What a value of a report can name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ReportNamed))]
#[serde(rename_all = "kebab-case")]
pub enum Named {
    /// A cell.
    Cell,
    /// A class of ships.
    Class,
    /// A line of the board.
    Line,
    /// A sea.
    Sea,
    /// A seat, and so its player.
    Seat,
    /// A ship.
    Ship,
    /// Something that is used up.
    Supply,
    /// A point in time.
    Time,
}

impl Named {
    /// The kind of thing that values of this schema name.
    fn of(schema: &str) -> Option<Self> {
        Some(match schema {
            "CellLabel" => Self::Cell,
            "ClassId" => Self::Class,
            "LineId" => Self::Line,
            "SeaId" => Self::Sea,
            "Seat" | "SeatSet" => Self::Seat,
            "ShipId" => Self::Ship,
            "Timestamp" => Self::Time,
            _ => return None,
        })
    }
}

/// The types of reports of a match by these rules, the table's first, with the titles of their fields.
#[must_use]
pub fn of_reports(rules: &RuleSet, language: Language) -> Vec<ReportType> {
    let unions = [shapes_of::<TableReport>(), rules.report_shapes()];
    let words = Words { language, own: rules.field_titles() };
    unions.iter().flat_map(|(union, named)| types_of(union, named, words)).collect()
}

/// The language, and the family's titles for fields that no other family has.
#[derive(Clone, Copy)]
struct Words {
    language: Language,
    own: &'static [(&'static str, [&'static str; 2])],
}

impl Words {
    fn field(self, name: &str) -> &'static str {
        find(&FIELDS, name, self.language).or_else(|| find(self.own, name, self.language)).unwrap_or_default()
    }
}

fn types_of(union: &Value, named: &[(String, Value)], words: Words) -> Vec<ReportType> {
    let shapes = Shapes(named.iter().map(|(name, shape)| (name.as_str(), shape)).collect());
    let members = union["oneOf"].as_array().into_iter().flatten();
    let report = |member: &Value| {
        let shape = shapes.resolved(member).1;
        let report_type = shape["properties"]["type"]["enum"][0].as_str()?.to_string();
        let mut fields = BTreeMap::new();
        shapes.gather(shape, words, &mut fields);
        let title = find(&TYPES, &report_type, words.language).unwrap_or_default();
        Some(ReportType { report_type, title, fields: fields.into_values().collect() })
    };
    members.filter_map(report).collect()
}

/// The referenced shapes, by name.
struct Shapes<'s>(BTreeMap<&'s str, &'s Value>);

impl<'s> Shapes<'s> {
    /// The target of a reference, and its name if it has one.
    fn resolved(&self, shape: &'s Value) -> (Option<&'s str>, &'s Value) {
        let name = shape["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        (name, name.and_then(|name| self.0.get(name).copied()).unwrap_or(shape))
    }

    /// The parts of a shape: the members of a union, the non-null part, the elements of a list.
    fn parts(&self, shape: &'s Value) -> Vec<(Option<&'s str>, &'s Value)> {
        let (name, shape) = self.resolved(shape);
        let members = ["oneOf", "allOf", "anyOf"].iter().filter_map(|key| shape[*key].as_array()).flatten();
        let mut parts: Vec<_> = members.chain(shape.get("items")).flat_map(|part| self.parts(part)).collect();
        parts.push((name, shape));
        parts
    }

    /// Gathers the fields of an object and of its nested objects.
    fn gather(&self, shape: &'s Value, words: Words, fields: &mut BTreeMap<String, ReportField>) {
        for (name, shape) in shape["properties"].as_object().into_iter().flatten() {
            if name == "type" {
                continue;
            }
            let field = fields.entry(name.clone()).or_insert_with(|| ReportField {
                name: name.clone(),
                title: words.field(name),
                names: (name == "weapon").then_some(Named::Supply),
                values: Vec::new(),
            });
            let parts = self.parts(shape);
            for (schema, part) in &parts {
                field.names = field.names.or_else(|| schema.and_then(Named::of));
                for value in part["enum"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                    let title = find(&VALUES, value, words.language).unwrap_or_default();
                    if field.values.iter().all(|known| known.value != value) {
                        field.values.push(ReportValue { value: value.to_string(), title });
                    }
                }
            }
            for (_, part) in parts {
                self.gather(part, words, fields);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Variant, variants};

    #[test]
    fn every_report_field_and_value_has_a_title_in_each_language() {
        let mut used = [Vec::new(), Vec::new(), Vec::new()];
        for rules in variants().iter().filter(|variant| variant.id != "toy").map(|variant| variant.rule_set()) {
            for language in [Language::English, Language::French] {
                for report in of_reports(&rules, language) {
                    assert!(!report.title.is_empty(), "{}", report.report_type);
                    for field in &report.fields {
                        assert!(!field.title.is_empty(), "{} of {}", field.name, report.report_type);
                        for value in &field.values {
                            assert!(!value.title.is_empty(), "{} in {}", value.value, field.name);
                            used[2].push(value.value.clone());
                        }
                        used[1].push(field.name.clone());
                    }
                    used[0].push(report.report_type);
                }
            }
        }
        for (table, used) in [&TYPES[..], &FIELDS, &VALUES].into_iter().zip(used) {
            for (id, _) in table {
                assert!(used.iter().any(|used| used == id), "nothing is called {id}");
            }
        }
    }

    #[test]
    fn a_log_can_be_printed_by_whoever_knows_no_game() {
        let reports = of_reports(&Variant::find("classic-weapons").expect("a variant").rule_set(), Language::French);
        let fired = reports.iter().find(|report| report.report_type == "fired").expect("shots are reported");
        assert_eq!(fired.title, "Salve");
        let field = |name: &str| fired.fields.iter().find(|field| field.name == name).expect("a field");
        assert_eq!(field("seat").names, Some(Named::Seat));
        assert_eq!(field("cell").names, Some(Named::Cell), "of the shots");
        assert_eq!(field("class").names, Some(Named::Class));
        assert_eq!(field("weapon").names, Some(Named::Supply));
        assert_eq!(field("out").names, Some(Named::Seat), "a list of seats");
        assert_eq!(field("hits").names, None);
        assert!(field("answer").values.iter().any(|value| value.value == "sunk" && value.title == "coulé"));
        assert!(reports.iter().any(|report| report.report_type == "resigned"), "the table's as well");
        assert!(reports.iter().all(|report| report.report_type != "ordered"), "no other family's");
    }
}
