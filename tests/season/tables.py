"""Twenty-one players of examples/player.py in a tournament at tables of seven, on a service that is killed under them. Called by `run`.

They play salvos, and give up after some turns, each at another time. One of them doesn't come to the first table, and
a substitute goes on in their place. Afterwards every draw, place, point and rank is worked
out again from what everybody reads, by the rules of docs/PAIRINGS.md and with nothing of the service."""

import collections
import hashlib
import itertools
import signal
import threading
import time
from fractions import Fraction

from player import LadderPlayer, Player, Stale
from support import all_of, at_once, began, command, must, recompute, running_service, say

PLAYERS, SEATS, ROUNDS, ABSENT = 21, 7, 3, 4
service = running_service()


class Entrant(LadderPlayer):
    """Plays every match that begins for it for some turns, and gives up then, until the tournament is over."""

    def __init__(self, number):
        super().__init__(service.url, say=lambda _: None)
        self.ladder_id, self.by_challenge, self.ended = None, False, threading.Event()
        self.number, self.turns, self.absent_from = number, collections.Counter(), None

    def follow(self):
        log = 0
        while not (self.ended.is_set() and not self.running):
            page = self.ask("GET", f"/v1/events?after={log}&wait_s=10&limit=1000")
            log = page["next_cursor"]
            for event in page["items"]:
                if event["type"] == "tournament-finished":
                    self.ended.set()
                elif event["type"] == "seat-handed-over":
                    self.running.discard(event["match_id"])  # it is another's match now
                self.hear(event)

    def turn(self, match):
        if self.number == ABSENT and self.absent_from in (None, match):
            self.absent_from = match  # somebody else plays it
            return None
        self.turns[match] += 1
        if self.turns[match] <= 2 + (self.number * 5 + len(self.turns)) % 6:
            return super().turn(match)
        try:
            self.ask("POST", f"/v1/matches/{match}/actions", {"action": {"type": "resign"}})
        except Stale:  # it is over by now
            pass


entrants = [None] * PLAYERS


def register(number):
    entrants[number] = Entrant(number)


for thread in at_once(register, range(PLAYERS)):
    thread.join()
organizer = Player(service.url, patience_s=120)
cup = organizer.ask("POST", "/v1/tournaments", {
    "title": "Round tables", "format": "tables", "variant": "salvos", "seats": SEATS, "rounds": ROUNDS, "rated": True,
    "clock": {"kind": "per-move", "move_s": 300}, "max_players": PLAYERS + 1,
})
path = f"/v1/tournaments/{cup['id']}"
for player in entrants:
    player.ask("POST", path + "/join", {})
failures = []


def play(player):
    try:
        player.follow()
    except Exception as error:  # whoever gives up is named at the end
        failures.append(f"{player.username}: {error!r}")


def go_on(player):
    """The substitute: plays the one match that they are asked for to its end."""
    log = 0
    while True:
        page = player.ask("GET", f"/v1/events?after={log}&wait_s=10&limit=1000")
        log = page["next_cursor"]
        for event in page["items"]:
            if event["type"] == "substitution-requested":
                player.ask("POST", f"/v1/substitutions/{event['substitution_id']}/accept", {})
            elif event["type"] == "match-finished":
                return
            else:
                player.hear(event)


playing = at_once(play, entrants)
substitute, absent = Entrant(PLAYERS), entrants[ABSENT]
playing += at_once(go_on, [substitute])
organizer.ask("POST", path + "/start", {})
while not absent.absent_from:
    if time.monotonic() - began > 200:
        raise SystemExit("FAILED: the first table doesn't begin")
    time.sleep(0.1)
taken = absent.absent_from
view = organizer.ask("GET", "/v1/matches/" + taken)
place = next(seat["seat"] for seat in view["seats"] if seat["player"]["username"] == absent.username)
organizer.ask("POST", f"/v1/matches/{taken}/substitutions", {"seat": place, "player": substitute.username, "reason": "nobody has come"})
time.sleep(3)
service.end(signal.SIGKILL)
service.start()
say("killed, and started again")
for thread in playing:
    thread.join(max(1.0, 480 - (time.monotonic() - began)))
stuck = sum(thread.is_alive() for thread in playing)
must(not failures and not stuck, f"everybody has played to the end {failures[:3] or ''}{stuck or ''}")
final = organizer.ask("GET", path)
must(final["status"] == "finished" and final["reason"] is None, f"the tournament is over after {final['round']} rounds")


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)


def draw(points, met, number):
    """The tables of a round by the rules of the guide; nobody sits out of twenty-one."""
    order = sorted(points, key=lambda player: (-points[player], player))
    seed = hashlib.sha256(bytes.fromhex(final["chance_seed"]) + number.to_bytes(2, "big")).digest()[:8]
    dice, count = SplitMix64(int.from_bytes(seed, "big")), len(order)

    def weight(one, other):
        return (met[frozenset((order[one], order[other]))] ** 2 << 32) + abs(points[order[one]] - points[order[other]])

    weights = [[weight(one, other) if one != other else 0 for other in range(count)] for one in range(count)]
    ranks, best = list(range(count)), None
    for _ in range(1280 // count + 1):
        tables = [ranks[at : at + SEATS] for at in range(0, count, SEATS)]
        table_of = {player: at for at, table in enumerate(tables) for player in table}
        better = True
        while better:
            better = False
            for one, two in itertools.combinations(range(count), 2):
                left, right = table_of[one], table_of[two]
                if left == right:
                    continue
                change = sum(weights[two][other] - weights[one][other] for other in tables[left] if other != one)
                change += sum(weights[one][other] - weights[two][other] for other in tables[right] if other != two)
                if change < 0:
                    tables[left][tables[left].index(one)], tables[right][tables[right].index(two)] = two, one
                    table_of[one], table_of[two], better = right, left, True
        cost = sum(weights[one][two] for table in tables for one, two in itertools.combinations(table, 2))
        if best is None or cost < best[0]:
            best = (cost, [sorted(table) for table in tables])
        if cost == 0:
            break
        for last in range(count - 1, 0, -1):
            other = dice.next() % (last + 1)
            ranks[last], ranks[other] = ranks[other], ranks[last]
    seated = [sorted(order[player] for player in table) for table in sorted(best[1])]
    turn = (number - 1) % SEATS
    return [table[turn:] + table[:turn] for table in seated]


# Every round, from its boards and the matches.
rows = all_of(organizer, path + "/standings")
names = {row["player"]["username"]: row["starting_number"] for row in rows}
points = dict.fromkeys(names.values(), 0)
met, tables, firsts, matches = collections.Counter(), [], collections.Counter(), []
for number in range(1, ROUNDS + 1):
    boards = organizer.ask("GET", f"{path}/rounds/{number}")["boards"]
    shown = [[seat["starting_number"] for seat in board["table"]] for board in boards]
    must(draw(points, met, number) == shown, f"round {number} is drawn again: {[len(table) for table in shown]}")
    for board, table in zip(boards, shown):
        view = organizer.ask("GET", "/v1/matches/" + board["match_ids"][0])
        sat = {seat["seat"]: seat["player"]["username"] for seat in view["seats"]}
        sat.update((former["seat"], former["player"]["username"]) for former in reversed(view["former_players"]))
        player_of = {seat: names[name] for seat, name in sat.items()}
        places = {player_of[place["seat"]]: place["place"] for place in view["result"]["places"]}
        must(set(places) == set(table), f"the match of table {board['board']} has those who were drawn")
        for seat in board["table"]:
            player = seat["starting_number"]
            others = [places[other] for other in table if other != player]
            halves = sum(2 if places[player] < other else places[player] == other for other in others)
            share = Fraction(halves, 2 * len(others))
            if (seat["place"], Fraction(seat["points_120ths"], 120)) != (places[player], share):
                raise SystemExit(f"FAILED: table {board['board']} of round {number}: {seat} is not {share}")
            points[player] += int(share * 120)
            firsts[player] += places[player] == 1 and 1 not in others
        met.update(frozenset(pair) for pair in itertools.combinations(table, 2))
        tables.append(table)
        matches.append(board["match_ids"][0])
last = organizer.ask("GET", "/v1/matches/" + taken)
must([former["player"]["username"] for former in last["former_players"]] == [absent.username] and substitute.turns[taken], f"a substitute has taken {substitute.turns[taken]} turns in place of {absent.username}")
must(max(met.values()) <= 2, f"in {ROUNDS} rounds {sum(1 for times in met.values() if times > 1)} of 210 pairs have met twice, and none more often")

# The standings.
average = collections.Counter()
for table in tables:
    for player in table:
        average[player] += Fraction(sum(points[other] for other in table if other != player), len(table) - 1)
for row in rows:
    player, score = row["starting_number"], row["at_tables"]
    mine = (points[player], average[player] * 60, firsts[player])
    if mine != (score["points_120ths"], score["opponents_average_7200ths"], score["first_places"]):
        raise SystemExit(f"FAILED: {row['player']['username']} has {score}, and not {mine}")
keys = [(-points[row["starting_number"]], -average[row["starting_number"]], -firsts[row["starting_number"]]) for row in sorted(rows, key=lambda row: row["rank"])]
must(keys == sorted(keys), f"the points, averages and ranks of {len(rows)} players are right")
must(sum(points.values()) == PLAYERS * ROUNDS * 60, "and a table gives half a point for each of its players")
recompute(service, SEATS * len(matches))
must(service.end(signal.SIGTERM) == 0, "the service has stopped")
say(command("ratings", "verify").replace("\n", "; "))
say(command("audit").replace("\n", "; "))
say(f"{PLAYERS} players at tables of {SEATS}, killed once, and every result is right")
