//! A fair-play report as text lines for an operator.

use broadside_contests::fair_play::Figure;

use super::{FairPlayFinding, FairPlayReport};

pub fn lines(report: &FairPlayReport) -> Vec<String> {
    let pool = report.pool.as_deref().unwrap_or("all pools of two seats");
    let bounded = if report.complete { "" } else { ": only the newest, since there are too many" };
    let mut lines = vec![format!(
        "{pool}: {} rated matches of {} players from {} to {}{bounded}",
        report.matches, report.players, report.since, report.until
    )];
    lines.extend(report.findings.iter().flat_map(of_finding));
    lines.push(format!("{} findings; each is a reason to look, and no verdict", report.findings.len()));
    lines
}

fn of_finding(finding: &FairPlayFinding) -> [String; 2] {
    let players: Vec<&str> = finding.players.iter().map(|player| player.username.as_str()).collect();
    let figures: Vec<String> = finding.figures.iter().map(figure).collect();
    let pool = finding.pool.as_deref().map(|pool| format!(" in {pool}")).unwrap_or_default();
    let matches: Vec<String> = finding.matches.iter().map(ToString::to_string).collect();
    [
        format!("{}: {}{pool}: {}", finding.kind.word(), players.join(", "), figures.join(", ")),
        format!("  {}", matches.join(" ")),
    ]
}

fn figure(figure: &Figure) -> String {
    let value =
        if figure.value.fract() == 0.0 { format!("{:.0}", figure.value) } else { format!("{:.3}", figure.value) };
    format!("{} {value}", figure.name)
}
