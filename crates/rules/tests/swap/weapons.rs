//! Special weapons by the second judge: their reach and their reports, written from the words of the rules.
use serde_json::Value;

use super::{Account, Act, Cells, Oracle, Sea, Told};

impl Oracle {
    /// Takes the use of a weapon into the account.
    pub(super) fn use_weapon(&self, account: &mut Account, act: &Act) -> Told {
        let weapons = self.rules["weapons"].as_array().expect("weapons");
        let weapon = weapons.iter().find(|weapon| weapon["weapon"] == act.action["weapon"]).expect("a known weapon");
        let aim = self.cell(&act.action["cell"]);
        let reach = self.reach(weapon, aim, act.action["direction"].as_str());
        let target = self.target(act);
        let sea = &account.seas[target];
        if !matches!(weapon["effect"].as_str(), Some("area" | "line")) {
            let found = self.found(sea, weapon, aim, &reach);
            return Told { answer: vec![found], ..self.course(account) };
        }
        let mut cells: Vec<usize> = reach.into_iter().filter(|cell| !sea.tried.contains(cell)).collect();
        if weapon["effect"] == "line" {
            let stops =
                |cell: &usize| sea.mines.contains(cell) || sea.ships.iter().any(|ship| ship.cells.contains(cell));
            let run = cells.iter().position(stops).map_or(cells.len(), |at| at + 1);
            cells.truncate(run);
        }
        let mut told = self.fire(account, act.seat.index(), target, &cells);
        told.owed = self.price(account, act.seat, &cells, &told.answer);
        told.answer.extend(cells.iter().map(|cell| self.labels[*cell].clone()));
        told
    }

    /// The cells of water in reach: of a pattern those around the aim, of a line those on its way.
    fn reach(&self, weapon: &Value, aim: usize, direction: Option<&str>) -> Vec<usize> {
        let (row, column) = self.place[aim];
        let at = |down: i32, right: i32| self.place.iter().position(|place| *place == (row + down, column + right));
        if let Some(direction) = direction {
            let (down, right) = match direction {
                "north" => (-1, 0),
                "east" => (0, 1),
                "south" => (1, 0),
                _ => (0, -1),
            };
            let steps = 0..weapon["range"].as_i64().expect("a range") as i32;
            let way = steps.map_while(|step| at(down * step, right * step));
            return way.take_while(|cell| !self.land.contains(cell)).collect();
        }
        let Some(rows) = weapon["pattern"].as_array() else { return vec![aim] };
        let rows: Vec<&str> = rows.iter().map(|row| row.as_str().expect("a row")).collect();
        let (height, width) = (rows.len() as i32 / 2, rows[0].len() as i32 / 2);
        let covered = (-height..=height).flat_map(|down| (-width..=width).map(move |right| (down, right)));
        let covered =
            covered.filter(|(down, right)| rows[(down + height) as usize].as_bytes()[(right + width) as usize] == b'x');
        covered.filter_map(|(down, right)| at(down, right)).filter(|cell| !self.land.contains(cell)).collect()
    }

    /// The findings of a weapon that looks.
    fn found(&self, sea: &Sea, weapon: &Value, aim: usize, reach: &[usize]) -> String {
        let afloat = |ship: &&super::Ship| !self.sunk(sea, ship);
        let under = |ship: &super::Ship| reach.iter().any(|cell| ship.cells.contains(cell));
        let mut enemies = sea.ships.iter().filter(|ship| weapon["downed_by"] == ship.class.as_str()).filter(afloat);
        if enemies.any(under) {
            return "shot down".into();
        }
        let all: Cells = sea.ships.iter().flat_map(|ship| ship.cells.iter().copied()).collect();
        let occupied: Vec<&usize> = reach.iter().filter(|cell| all.contains(cell)).collect();
        match weapon["effect"].as_str() {
            Some("count") => occupied.len().to_string(),
            Some("reveal") => format!("{occupied:?}"),
            _ => {
                let far = |cell: &usize| {
                    let ((ra, ca), (rb, cb)) = (self.place[aim], self.place[*cell]);
                    (ra - rb).abs().max((ca - cb).abs()).max(1)
                };
                format!("{:?}", all.difference(&sea.hit).map(far).min())
            }
        }
    }
}
