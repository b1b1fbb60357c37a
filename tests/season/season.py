"""Sixty players of examples/player.py in one process, a service that is killed under them, and the books of the season checked by hand. Called by `run`.

Fifty-four play a league with two divisions, six a ladder with places."""

import collections
import signal
import sys
import time

from player import LadderPlayer, Player
from support import all_of, at_once, began, command, must, recompute, running_service, say

BOTS, AT_ONCE, CLIMBERS = 54, 2, 6
DIVISIONS, MOVERS = 2, 3
season_s = int(sys.argv[3])

service = running_service()
organizer = Player(service.url, patience_s=120)
must(service.end(signal.SIGTERM) == 0, "the service stops when it is told to")
command("admin", "grant", organizer.username, "organizer", "--reason", "makes the ladder of this season")
service.start()
variant = next(card["id"] for card in organizer.ask("GET", "/v1/variants")["items"] if card["id"] == "classic-salvo")
terms = {
    "title": "A season unattended", "format": "rating", "official": True, "variant": variant, "rated": True, "audience": "bots",
    "clock": {"kind": "per-move", "move_s": 300}, "max_pairings": AT_ONCE, "season_s": season_s,
}
ranking = {"ranking": "average", "ranking_results": 3, "max_meetings": 2}
divisions = {"size": BOTS // DIVISIONS, "promotions": MOVERS}
everybody = [None] * (BOTS + CLIMBERS)


def register(number):
    everybody[number] = LadderPlayer(service.url, AT_ONCE if number < BOTS else 1, say=lambda _: None)


for thread in at_once(register, range(len(everybody))):
    thread.join()
must(all(everybody), f"{BOTS} bots have registered for a league, and {CLIMBERS} for a ladder with places")
bots, climbers = everybody[:BOTS], everybody[BOTS:]
ladder = organizer.ask("POST", "/v1/ladders", {**terms, **ranking, "divisions": divisions})
wall = organizer.ask("POST", "/v1/ladders", {
    **terms, "title": "Places unattended", "format": "position", "max_pairings": 1,
    "position_terms": {"reach": 3, "answer_s": 120, "protection_s": 0, "no_return_s": 0},
})
failures = []


def play(number):
    try:
        everybody[number].follow((ladder if number < BOTS else wall)["id"])
    except Exception as error:  # whoever gives up is named at the end
        failures.append(f"{everybody[number].username}: {error!r}")


players = at_once(play, range(len(everybody)))
time.sleep(season_s * 0.4)
# On a busy machine the first match takes longer than a third of the season, and on a fast one all may be over between
# two rounds of pairing.
latest = time.monotonic() + season_s * 0.3
while True:
    over, under_way = sum(bot.over for bot in bots) // 2, sum(len(bot.running) for bot in bots) // 2
    if over > 0 and under_way > 0 or time.monotonic() > latest:
        break
    time.sleep(0.1)
must(over > 0 and under_way > 0, f"{over} matches are over, and {under_way} under way")
killed_at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
service.end(signal.SIGKILL)
service.start()
started_at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
say("killed, and started again")
for thread in players:
    thread.join(max(1.0, 480 - (time.monotonic() - began)))
stuck = sum(thread.is_alive() for thread in players)
must(not failures and not stuck, f"every bot has followed the season to its end {failures[:3] or ''}{stuck or ''}")

# The events of each player: every match that began for them also ended for them.
told_of_the_end = {}
for bot in everybody:
    log, cursor = [], 0
    while not log or page["items"]:
        page = bot.ask("GET", f"/v1/events?after={cursor}&limit=1000")
        log, cursor = log + page["items"], page["next_cursor"]
    told_of_the_end[bot.username] = [e for e in log if e["type"] in ("season-end-near", "season-ended") and e["season"] == 1]
    started, ended = ([e["match_id"] for e in log if e["type"] == kind] for kind in ("match-started", "match-finished"))
    if sorted(started) != sorted(ended) or len(set(started)) != len(started):
        sys.exit(f"FAILED: {bot.username} was told of {len(started)} matches that began, and of {len(ended)} that ended")

ladder_path = "/v1/ladders/" + ladder["id"]
for _ in range(100):  # the last pairings are settled by a job
    pairings = all_of(organizer, ladder_path + "/pairings")
    if all(pairing["settled_at"] for pairing in pairings):
        break
    time.sleep(0.2)
matches = [game["match_id"] for pairing in pairings for game in pairing["games"]]
must(len(pairings) >= BOTS and all(p["settled_at"] for p in pairings), f"{len(pairings)} pairings were settled")
through = sum(p["opened_at"] < killed_at and p["ended_at"] > started_at for p in pairings)
must(through > 0, f"{through} of them had begun before the kill and ended after it")
views = [organizer.ask("GET", "/v1/matches/" + match) for match in matches]
must(len(set(matches)) == len(matches) and all(v["status"] == "finished" for v in views), f"{len(matches)} matches were played to their end, none was lost")
told = sum(len([1 for v in views if any(s["player"]["username"] == bot.username for s in v["seats"])]) for bot in bots)
must(told == 2 * len(matches) == sum(bot.over for bot in bots), f"each of them was heard of by its two players")
actions = sum(view["version"] for view in views)

# The season's standings, recomputed from its pairings.
seasons = {season["number"]: season for season in all_of(organizer, ladder_path + "/seasons")}
ends = seasons[1]["ended_at"]
mine = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
late, last_met, between = 0, {}, collections.defaultdict(list)
for pairing in sorted(pairings, key=lambda pairing: pairing["opened_at"]):
    pair = frozenset(one["player"]["username"] for one in pairing["players"])
    if pair in last_met:
        sys.exit(f"FAILED: {sorted(pair)} met again within {ladder['pairing_rule']['no_return_s']} s")
    last_met[pair] = pairing["ended_at"]
    must_be = 1 if pairing["ended_at"] < seasons[1]["ends_at"] else 2
    if pairing["season"] != must_be:
        sys.exit(f"FAILED: the pairing {pairing['id']} counts for the season {pairing['season']}")
    if pairing["ended_at"] >= seasons[1]["ends_at"]:
        late += 1
        continue
    one, other = pairing["players"]
    for own, others in ((one, other), (other, one)):
        row, own, others = mine[own["player"]["username"]], own["points"], others["points"]
        row[0] += own
        row[1] += 1
        row[2 if own > others else 3 if own == others else 4] += 1
    for own, others in ((one, other), (other, one)):
        between[own["player"]["username"], others["player"]["username"]].append((pairing["opened_at"], pairing["id"], own["points"]))
tables = [all_of(organizer, f"{ladder_path}/standings?season=1&division={division}") for division in range(1, DIVISIONS + 1)]
final = [row for table in tables for row in table]
theirs = {row["player"]["username"]: [row[k] for k in ("points", "pairings", "wins", "draws", "losses")] for row in final}
ranks = list(range(1, BOTS // DIVISIONS + 1))
must(ends is not None and [[row["rank"] for row in table] for table in tables] == [ranks] * DIVISIONS, f"the final standings have {DIVISIONS} times {len(ranks)} ranks")
must({**{bot.username: [0, 0, 0, 0, 0] for bot in bots}, **mine} == theirs, f"they are the sum of {len(pairings) - late} pairings ({late} ended behind the season)")
score = {name: 500_000 * int(2 * row[0]) // max(row[1], ranking["ranking_results"]) for name, row in theirs.items()}
must({row["player"]["username"]: round(row["score"] * 1e6) for row in final} == score, "the scores are the averages of their results")
for table in tables:
    order = [(-score[row["player"]["username"]], -row["wins"], row["member_since"], row["player"]["id"]) for row in table]
    if order != sorted(order):
        sys.exit(f"FAILED: these ranks are in no order: {order}")
say("and the ranks of each division are in their order")
points = sum(row[0] for row in theirs.values())
must(points == len(pairings) - late, f"and have {points:g} points for {len(pairings) - late} pairings")

# The cross-table of each division has exactly the pairings of its members.
cells = 0
for division, table in enumerate(tables, 1):
    names = [row["player"]["username"] for row in table]
    crosstable = organizer.ask("GET", f"{ladder_path}/crosstable?season=1&division={division}")
    shown = [(row["player"]["username"], row["rank"]) for row in crosstable["rows"]]
    if not crosstable["is_final"] or shown != [(name, rank) for rank, name in enumerate(names, 1)]:
        sys.exit(f"FAILED: the cross-table of division {division} has the rows {shown}")
    for row in crosstable["rows"]:
        own = row["player"]["username"]
        theirs = {names[cell["column"] - 1]: [(one["pairing_id"], one["points"]) for one in cell["pairings"]] for cell in row["results"]}
        must_be = {other: [met[1:] for met in sorted(between[own, other])] for other in names if between.get((own, other))}
        if theirs != must_be:
            sys.exit(f"FAILED: the cross-table gives {own} {theirs}, and not {must_be}")
        cells += len(must_be)
must(cells > BOTS, f"the cross-tables have {cells} cells, all of them right")

# Promotion and relegation: the best players with games, and as many of the last.
upper, lower = tables
risen = [row["player"]["username"] for row in lower if row["pairings"]][:MOVERS]
fallen = [row["player"]["username"] for row in upper][len(upper) - len(risen) :]
for number, table in enumerate(tables, 1):
    for row in table:
        name = row["player"]["username"]
        near, over = told_of_the_end[name]
        next_division = 1 if name in risen else 2 if name in fallen else number
        if (near["type"], near["ends_at"], near["division"]) != ("season-end-near", seasons[1]["ends_at"], number):
            sys.exit(f"FAILED: {name} was told {near}")
        if (over["type"], over["rank"], over["division"], over["next_division"]) != ("season-ended", row["rank"], number, next_division):
            sys.exit(f"FAILED: {name} was told {over}, and goes to division {next_division}")
must(len(risen) == MOVERS, f"{', '.join(risen)} rise, as many fall, and everybody was told once before the end and once of it")

# The positions: the steps alone give the final order of the season, and every challenge is over.
wall_path = "/v1/ladders/" + wall["id"]
challenges = all_of(organizer, wall_path + "/challenges")
climbed = all_of(organizer, wall_path + "/pairings")
steps, stand = all_of(organizer, wall_path + "/position-changes"), []
closing = next(season["ended_at"] for season in all_of(organizer, wall_path + "/seasons") if season["number"] == 1)
at_the_end = []  # the season is closed by a job, which may come a step or two later
for step in steps:
    if step["at"] >= closing:
        at_the_end.append(list(stand))
    if step["from_position"]:
        must_be = stand.pop(step["from_position"] - 1)
        if must_be != step["player"]["username"]:
            sys.exit(f"FAILED: step {step['number']} moves {step['player']['username']}, but {must_be} stood there")
    if step["to_position"]:
        stand.insert(step["to_position"] - 1, step["player"]["username"])
final = [row["player"]["username"] for row in all_of(organizer, wall_path + "/standings?season=1")]
won = sum(step["reason"] == "challenge-won" for step in steps)
must(climbed and won and all(c["status"] == "finished" for c in challenges), f"{len(challenges)} challenges for places are over, {len(climbed)} were played, {won} won")
must(final in at_the_end + [stand] and len(final) == CLIMBERS, f"{len(steps)} steps give the final places")
matches += [game["match_id"] for pairing in climbed for game in pairing["games"]]

# Every match has changed two ratings once.
changes = collections.Counter()
for bot in everybody:
    for pool in bot.ask("GET", f"/v1/players/{bot.username}/ratings")["items"]:
        changes.update(c["match_id"] for c in all_of(bot, f"/v1/players/{bot.username}/ratings/{pool['pool']}/history"))
must(changes == {match: 2 for match in matches}, f"{sum(changes.values())} changes of ratings, two for each match")
recompute(service, 2 * len(matches))
must(service.end(signal.SIGTERM) == 0, "the service has stopped")
say(command("ratings", "verify").replace("\n", "; "))
say(command("audit").replace("\n", "; "))
say(f"{len(everybody)} bots, {len(matches)} matches, {actions} versions seen by a spectator: a season of {season_s} s, killed once, and every figure is right")
