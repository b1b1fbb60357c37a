//! The report of a storm: a table in publishable Markdown, and the findings.

use std::time::Duration;

use super::plan::{Kind, Plan};
use crate::books::{Around, Wait, read};
use crate::kill::three;

/// The content of a report, besides the common counts of all clients.
pub struct Storm<'a> {
    pub plan: &'a Plan,
    /// The duration of faults.
    pub lasted: Duration,
    /// The number of faults of each kind.
    pub faults: Vec<u64>,
    /// The clients' waits for responses.
    pub waits: Vec<Wait>,
    /// Abandoned shots.
    pub given_up: usize,
    /// Requests repeated under their key until there was a response.
    pub again: usize,
    /// Finished tournaments.
    pub tournaments: usize,
    /// New epochs of the logs seen by clients.
    pub epochs: usize,
}

pub fn print(storm: &Storm<'_>, around: &Around) {
    let findings = &around.findings;
    println!("\n| | |\n|---|---|");
    println!("| seed | {} |", storm.plan.seed);
    println!("| nodes, matches at once | {}, {} |", storm.plan.nodes, storm.plan.matches);
    println!("| minutes | {:.1} |", storm.lasted.as_secs_f64() / 60.0);
    println!("| moves acknowledged | {} |", read(&around.moves));
    println!("| faults | {} |", storm.faults.iter().sum::<u64>());
    println!("| unknown outcomes | {} |", read(&around.unknown));
    println!("| … asked for again until they were known | {} |", storm.again);
    println!("| … given up, and of these had happened | {}, {} |", storm.given_up, read(&findings.given_up_and_there));
    println!("| refused | {} |", read(&around.refused));
    println!(
        "| matches compared, of these rated, of these left to their clocks | {}, {}, {} |",
        read(&findings.matches),
        read(&findings.rated),
        read(&findings.left)
    );
    println!("| tournaments compared | {} |", storm.tournaments);
    println!("| events read, new epochs noticed | {}, {} |", read(&findings.events), storm.epochs);
    println!("| findings | {} |", findings.all().0);
    println!(
        "\n| fault | times | waited | first answer, ms: median | p99 | most | in good weather: median | p99 | most |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let names = Kind::ALL.iter().map(|(_, name, _)| *name);
    for (cause, name) in ["(none yet)"].into_iter().chain(names).enumerate() {
        let times = cause.checked_sub(1).map_or(0, |kind| storm.faults[kind]);
        print_waits(name, times, storm.waits.iter().filter(|wait| wait.cause == cause));
    }
    print_waits("together", storm.faults.iter().sum(), storm.waits.iter());
    println!();
}

fn print_waits<'a>(name: &str, times: u64, waits: impl Iterator<Item = &'a Wait>) {
    let (mut all_ms, mut good_ms): (Vec<u32>, Vec<u32>) = waits.map(|wait| (wait.ms, wait.good_ms)).unzip();
    if times == 0 && all_ms.is_empty() {
        return;
    }
    print!("| {name} | {times} | {} |", all_ms.len());
    for three in [three(&mut all_ms), three(&mut good_ms)] {
        let [middle, late, most] = three.unwrap_or_default();
        print!(" {middle} | {late} | {most} |");
    }
    println!();
}
