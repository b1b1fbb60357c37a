//! Many archived matches: does it matter to a move that they were played, how large are the tables that stay, and how
//! long does a backup of them take?

use std::fs;
use std::time::Instant;

use super::compete::Contestant;
use super::postgres::Programs;
use super::service::Service;
use super::{Outcome, Settings, another, short_match};

/// So many copies are made in one statement.
const AT_ONCE: u64 = 1_000_000;
/// The tables in which an archived match has rows, and the log, where it has none.
const TABLES: [&str; 6] = ["match_log", "matches", "match_heads", "match_seats", "match_results", "archived_matches"];

/// A service with so many archived matches, and its players.
pub async fn prepare(
    settings: &Settings,
    service: Service,
    programs: Option<&Programs>,
    copies: u64,
    seed: u64,
) -> Outcome<Contestant> {
    let programs = programs.ok_or("--archived needs psql; --programs names its folder")?;
    let name = format!("with {copies} archived");
    let mut contestant = another(settings, &name, service, settings.manner(), seed).await?;
    let id = short_match(&mut contestant.tables[0].players).await?;
    let Some((service, _)) = &contestant.service else { return Err("it has to be started here".to_owned()) };
    println!("{}", back_up(service, "before")?);
    pack(programs, service)?;
    let begun = Instant::now();
    fill(programs, service, &id, copies)?;
    println!("{copies} copies of an archived match made in {:.0} s", begun.elapsed().as_secs_f64());
    let mut all = 0;
    for table in TABLES {
        let bytes = format!("SELECT pg_total_relation_size('{table}')");
        let bytes: u64 = programs.sql(service, "broadside", &bytes)?.parse().map_err(|_| "no size".to_owned())?;
        all += bytes;
        let each = bytes as f64 / copies as f64;
        println!("{table:<18} {:>10.1} MB {each:>8.0} bytes a match", bytes as f64 / 1e6);
    }
    println!("{:<18} {:>10.1} MB {:>8.0} bytes a match", "together", all as f64 / 1e6, all as f64 / copies as f64);
    println!("{}", back_up(service, "after")?);
    Ok(contestant)
}

/// Packs what is over, as if it had been over for long.
fn pack(programs: &Programs, service: &Service) -> Outcome {
    let old = "UPDATE match_heads SET finished_at = finished_at - interval '100 days' WHERE finished_at IS NOT NULL";
    programs.sql(service, "broadside", old)?;
    let folder = service.folder().join("archive");
    fs::create_dir(&folder).map_err(|error| error.to_string())?;
    let (packed, said) = service.command(&["archive", "run", "--archive", &format!("file://{}", folder.display())])?;
    println!("{said}");
    if packed { Ok(()) } else { Err(said) }
}

/// Copies the archived match `id`, under ids that are older, played by accounts that nobody has. Their locations are
/// those of the original, so they stand in every list, and none of them can be read.
fn fill(programs: &Programs, service: &Service, id: &str, copies: u64) -> Outcome {
    let copy = |table: &str, changes: &str| {
        let key = if table == "matches" { "id" } else { "match_id" };
        format!(
            "INSERT INTO {table} SELECT new.* FROM copies, {table} AS old, \
             LATERAL jsonb_populate_record(old, jsonb_build_object('{key}', copies.id{changes})) AS new \
             WHERE old.{key} = '{id}';"
        )
    };
    let account = ", 'account_id', md5((copies.n % 50000)::text || '-' || old.seat)::uuid";
    let finished = ", 'finished_at', old.finished_at - copies.n * interval '1 second'";
    let copied = [
        copy("matches", ""),
        copy("match_heads", finished),
        copy("match_seats", account),
        copy("match_results", account),
        copy("archived_matches", ""),
    ];
    for first in (0..copies).step_by(usize::try_from(AT_ONCE).unwrap_or(usize::MAX)) {
        let last = copies.min(first + AT_ONCE);
        let ids = format!(
            "CREATE TEMP TABLE copies AS SELECT n, (lpad(to_hex(1600000000000 + n), 12, '0') || '7' \
             || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid AS id \
             FROM generate_series({first} + 1, {last}) AS n;"
        );
        programs.sql(service, "broadside", &(ids + &copied.concat()))?;
    }
    programs.sql(service, "postgres", "VACUUM ANALYZE")?;
    programs.checkpoint(service)
}

/// How long a backup takes, and how large it is.
fn back_up(service: &Service, when: &str) -> Outcome<String> {
    let folder = service.folder().join(format!("backup-{when}"));
    let begun = Instant::now();
    let (made, said) = service.command(&["backup", &folder.to_string_lossy()])?;
    let took_s = begun.elapsed().as_secs_f64();
    if !made {
        return Err(said);
    }
    fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
    let first = said.lines().next().unwrap_or_default();
    let (_, what) = first.split_once(": ").unwrap_or(("", first));
    Ok(format!("a backup {when} the copies took {took_s:.1} s: {what}"))
}
