//! The disclosure of this family's events to each viewer: the only way out of its secrets. To review secrecy is to read
//! this file.
use alloc::vec::Vec;

use super::{
    Depths,
    event::{Answer, Event, Revealed},
    report::{
        ChargeAnswer, ChargedReport, DepthsDeployedReport, DepthsMovedReport, DepthsRevealedReport, DepthsRevealedSea,
        Report, RevealedSubmarine, TorpedoedReport, TurnEndedReport,
    },
    rules::{Rules, ship_id, submarine_id},
    water::{Cell, Line, Square, Waters},
};
use crate::families::family;
use crate::seat::{Seat, Viewer};

impl family::Disclosure for Depths {
    fn disclose(rules: &Rules, _seats: u8, event: &Event, viewer: Viewer) -> Report {
        let waters = rules.waters();
        match event {
            // The owner learns the positions of submarines and mine; all others, that they are placed.
            Event::Deployed { seat, submarines, mine } => {
                let owner = viewer == Viewer::Seat(*seat);
                let cells = || submarines.iter().map(|cell| waters.label(Cell(*cell))).collect();
                DepthsDeployedReport::unstamped(*seat, owner.then(cells), owner.then(|| Square(*mine).label()))
            }
            // From here on everything is public: a mine once it has exploded, the answer to a charge, the target and
            // the line of a torpedo. No event tells which submarine was sunk or has fired.
            Event::Moved { seat, ship, path, mine } => {
                let path = path.iter().map(|place| waters.place(*place).label()).collect();
                DepthsMovedReport::unstamped(*seat, ship_id(*ship), path, *mine)
            }
            Event::Charged { seat, ship, cell, answer } => {
                let (answer, near) = match answer {
                    Answer::Miss => (ChargeAnswer::Miss, None),
                    Answer::Near { count } => (ChargeAnswer::Near, Some(*count)),
                    Answer::Hit => (ChargeAnswer::Hit, None),
                };
                ChargedReport::unstamped(*seat, ship_id(*ship), waters.label(Cell(*cell)), answer, near)
            }
            Event::Torpedoed { seat, target, line, draw, drawn, hit } => {
                TorpedoedReport::unstamped(*seat, ship_id(*target), waters.line_id(Line(*line)), *draw, *drawn, *hit)
            }
            Event::TurnEnded { seat } => TurnEndedReport::unstamped(*seat),
            // The match is over: everybody learns everything.
            Event::Revealed { seas } => {
                let seas = seas.iter().enumerate().map(|(seat, sea)| revealed(waters, Seat(seat as u8), sea));
                DepthsRevealedReport::unstamped(seas.collect())
            }
        }
    }
}

fn revealed(waters: Waters, owner: Seat, sea: &Revealed) -> DepthsRevealedSea {
    let Some(hidden) = &sea.hidden else {
        return DepthsRevealedSea { owner, submarines: Vec::new(), mine: None };
    };
    let submarines = hidden.submarines.iter().zip(hidden.sunk).enumerate().map(|(index, (cell, sunk))| {
        RevealedSubmarine { ship: submarine_id(index), cell: waters.label(Cell(*cell)), sunk }
    });
    DepthsRevealedSea { owner, submarines: submarines.collect(), mine: Some(Square(hidden.mine).label()) }
}
