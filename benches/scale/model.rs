//! The model: costs, and how people play. What was not measured says that it is assumed.

/// One of the sizes that are looked at: how many matches are running.
const SIZES: [f64; 3] = [1e5, 1e7, 1e9];

/// Processor time of a move in the service, in µs: 64 matches at once (docs/PERFORMANCE.md).
const SERVICE_US: f64 = 130.0;
/// The same in PostgreSQL.
const DATABASE_US: f64 = 80.0;
/// Looks at a match, a list of turns or of events for each move. Each is taken as dear as a move's view: 75 µs are a
/// move's without a view, 116 with it.
const LOOKS: f64 = 4.0;
const LOOK_SERVICE_US: f64 = 60.0;
/// A look asks whether the match has changed, which is one row by its key: assumed.
const LOOK_DATABASE_US: f64 = 15.0;
/// A clock that is checked, in both: 1,001 time-outs took 2.06 s of a processor, unoptimised.
const CHECK_US: f64 = 2060.0;
/// Memory of an open stream, in bytes.
const STREAM_BYTES: f64 = 20_000.0;
/// A counter is read every two seconds, a thousand in one statement, for which a millisecond is assumed: µs a second.
const STREAM_DATABASE_US: f64 = 0.5;

/// Bytes of a row (average of ten matches of `classic`) and its places in indexes, for each of which 40 are assumed.
const ENTRY_BYTES: f64 = 67.0 + 4.0 + 40.0;
const EVENT_BYTES: f64 = 477.0 + 4.0 + 40.0;
const KEY_BYTES: f64 = 212.0 + 4.0 + 2.0 * 40.0;
const MATCH_BYTES: f64 = 1168.0 + 268.0 + 2.0 * 86.0 + 1121.0 + 2.0 * 58.0 + 28.0 + 22.0 * 40.0;
/// A signed record, compressed.
const RECORD_BYTES: f64 = 13_500.0;
/// Moves of a match of `classic`, between programs that shoot at random; people need fewer.
const MOVES: f64 = 187.0;
/// How long events and keys are kept, in days.
const EVENT_DAYS: f64 = 30.0;
const KEY_DAYS: f64 = 1.0;
/// Matches that a player has running at once, and the share of players that has a stream open in the busiest hour.
const MATCHES_OF_A_PLAYER: f64 = 8.0;
const WATCHING: f64 = 0.05;
/// Moves a second that one database has taken, beside the service and the load on two cores.
const DATABASE_MOVES: f64 = 7_500.0;
/// How much of a core is planned for.
const FULL: f64 = 0.5;

/// A row: what it is, and its value for a number of running matches.
type Row = (&'static str, Box<dyn Fn(f64) -> String>);

/// Prints what each size takes. A running match gets so many moves a day, and the busiest second has so many times the
/// moves of the mean one.
pub fn print(moves_a_day: f64, peak: f64) {
    let mean = move |matches: f64| matches * moves_a_day / 86_400.0;
    let most = move |matches: f64| mean(matches) * peak;
    let streams = |matches: f64| matches * 2.0 / MATCHES_OF_A_PLAYER * WATCHING;
    let finished = move |matches: f64| matches * moves_a_day * 365.0 / MOVES;
    // A clock is checked once for each turn that lasts beyond half of its time: less than every turn.
    let checks = most;
    let service = move |matches: f64| {
        most(matches) * (SERVICE_US + LOOKS * LOOK_SERVICE_US) / 1e6 + checks(matches) * CHECK_US * 0.66 / 1e6
    };
    let database = move |matches: f64| {
        let moves = most(matches) * (DATABASE_US + LOOKS * LOOK_DATABASE_US) / 1e6;
        moves + checks(matches) * CHECK_US * 0.34 / 1e6 + streams(matches) * STREAM_DATABASE_US / 1e6
    };
    let events = move |matches: f64| matches * moves_a_day * 2.0 * EVENT_DAYS * EVENT_BYTES;
    let keys = move |matches: f64| matches * moves_a_day * KEY_DAYS * KEY_BYTES;
    let running = move |matches: f64| matches * (MATCH_BYTES + MOVES / 2.0 * ENTRY_BYTES);
    let rows: Vec<Row> = vec![
        ("moves a second, mean", Box::new(move |n| number(mean(n)))),
        ("moves a second, busiest", Box::new(move |n| number(most(n)))),
        ("cores for the service", Box::new(move |n| number((service(n) / FULL).max(1.0).ceil()))),
        ("cores for PostgreSQL", Box::new(move |n| number((database(n) / FULL).max(1.0).ceil()))),
        ("databases, at least", Box::new(move |n| number((most(n) / FULL / DATABASE_MOVES).max(1.0).ceil()))),
        ("open streams", Box::new(move |n| number(streams(n)))),
        ("memory of streams", Box::new(move |n| bytes(streams(n) * STREAM_BYTES))),
        ("running matches on disk", Box::new(move |n| bytes(running(n)))),
        ("events of 30 days on disk", Box::new(move |n| bytes(events(n)))),
        ("idempotency keys of a day", Box::new(move |n| bytes(keys(n)))),
        ("matches that end in a year", Box::new(move |n| number(finished(n)))),
        ("a year of them in the tables", Box::new(move |n| bytes(finished(n) * (MATCH_BYTES + MOVES * ENTRY_BYTES)))),
        ("a year of them as records", Box::new(move |n| bytes(finished(n) * RECORD_BYTES))),
        (
            "written a day, without WAL",
            Box::new(move |n| bytes(n * moves_a_day * (ENTRY_BYTES + 2.0 * EVENT_BYTES + KEY_BYTES))),
        ),
    ];
    println!("| running matches | {} |", SIZES.map(number).join(" | "));
    println!("|---|---|---|---|");
    for (what, value) in rows {
        println!("| {what} | {} |", SIZES.map(value).join(" | "));
    }
}

/// With two digits that count, and a word for thousands and more.
fn number(value: f64) -> String {
    scaled(value, 1000.0, &["", " thousand", " million", " thousand million"])
}

fn bytes(value: f64) -> String {
    scaled(value, 1000.0, &[" B", " kB", " MB", " GB", " TB", " PB"])
}

fn scaled(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut units = units.iter().peekable();
    let mut unit = units.next().copied().unwrap_or_default();
    while value >= step && units.peek().is_some() {
        value /= step;
        unit = units.next().copied().unwrap_or_default();
    }
    if value < 10.0 && value.fract() != 0.0 { format!("{value:.1}{unit}") } else { format!("{value:.0}{unit}") }
}
