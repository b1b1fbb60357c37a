"""Players of examples/player.py in tournaments that somebody runs by script, on a service that is killed under them. Called by `run`.

A knockout that must be asked for, and a private Swiss by invitation; meanwhile the organizer edits, announces, warns,
removes, and decides the games of somebody who does not move. Afterwards every result is worked out again."""

import collections
import signal
import threading
import time

from player import LadderPlayer, Player, Refused
from support import all_of, at_once, began, command, must, recompute, running_service, say

KNOCKOUT, SWISS, ROUNDS = 12, 14, 3
service = running_service()


class Entrant(LadderPlayer):
    """Plays every match that begins for it, until the tournament is over for it; but not those that it sleeps in."""

    def __init__(self):
        super().__init__(service.url, say=lambda _: None)
        self.ladder_id, self.by_challenge, self.ended, self.asleep = None, False, threading.Event(), False

    def follow(self):
        log = 0
        while not (self.ended.is_set() and not self.running):
            page = self.ask("GET", f"/v1/events?after={log}&wait_s=10&limit=1000")
            log = page["next_cursor"]
            for event in page["items"]:
                self.hear(event)

    def hear(self, event):
        if event["type"] in ("tournament-finished", "contest-member-removed"):
            self.ended.set()
        elif event["type"] == "your-turn" and self.asleep:
            self.running.add(event["match_id"])
        else:
            super().hear(event)


def refused(player, method, path, body=None):
    """The explanation of a refusal, which there must be."""
    try:
        player.ask(method, path, body)
    except Refused as no:
        return str(no)
    raise SystemExit(f"FAILED: {method} {path} was answered")


entrants = [None] * (KNOCKOUT + SWISS + 1)


def register(number):
    entrants[number] = Entrant()


for thread in at_once(register, range(len(entrants))):
    thread.join()
climbers, guests, stranger = entrants[:KNOCKOUT], entrants[KNOCKOUT:-1], entrants[-1]
organizer, second = Player(service.url, patience_s=120), Player(service.url, patience_s=120)
terms = {"variant": "classic-salvo", "clock": {"kind": "per-move", "move_s": 300}, "rated": True}
cup = organizer.ask("POST", "/v1/tournaments", {
    **terms, "title": "A cup", "format": "knockout", "entry": "approval", "min_players": 3, "max_players": 64,
    "knockout": {"best_of": 1, "third_place": True},
})
swiss = organizer.ask("POST", "/v1/tournaments", {
    **terms, "title": "Among friends", "format": "swiss", "rounds": ROUNDS, "entry": "invitation", "visibility": "private",
    "min_players": 3, "max_players": 64,
})
cup_path, swiss_path = (f"/v1/tournaments/{one['id']}" for one in (cup, swiss))
run_cup, run_swiss = (f"/v1/contests/{one['id']}" for one in (cup, swiss))

# Entry.
for player in climbers + [stranger]:
    player.ask("POST", cup_path + "/join", {})
waiting = organizer.ask("GET", run_cup + "/entry-requests")["items"]
must(len(waiting) == KNOCKOUT + 1, f"{len(waiting)} ask to be let into the knockout")
organizer.ask("PUT", f"{cup_path}/organizers/{second.username}")
for player in climbers:
    second.ask("POST", f"{run_cup}/entry-requests/{player.username}/accept", {})
second.ask("POST", f"{run_cup}/entry-requests/{stranger.username}/decline", {"reason": "it is for twelve"})
for player in guests:
    organizer.ask("PUT", f"{run_swiss}/invitations/{player.username}")
must("404" in refused(stranger, "GET", swiss_path), "a stranger finds no private tournament")
for player in guests:
    player.ask("POST", swiss_path + "/join", {})
must(organizer.ask("GET", cup_path)["players"] == KNOCKOUT and organizer.ask("GET", swiss_path)["players"] == SWISS, "all who were let in have joined")

# The rounds, with one player who doesn't move.
sleeper, troublemaker = guests[0], guests[1]
sleeper.asleep = True
failures = []


def play(player):
    try:
        player.follow()
    except Exception as error:  # whoever gives up is named at the end
        failures.append(f"{player.username}: {error!r}")


playing = at_once(play, climbers + guests)
for path in (cup_path, swiss_path):
    organizer.ask("POST", path + "/start", {})
organizer.ask("PATCH", swiss_path, {"title": "Among old friends"})
must("terms-fixed" in refused(organizer, "PATCH", swiss_path, {"rated": False}), "a title is edited while they play, and terms are not")
organizer.ask("POST", run_swiss + "/announcements", {"text": "Tea at five."})
organizer.ask("POST", f"{run_swiss}/members/{troublemaker.username}/warn", {"text": "No insults, please."})
time.sleep(3)
service.end(signal.SIGKILL)
service.start()
say("killed, and started again")
organizer.ask("POST", f"{run_swiss}/members/{troublemaker.username}/remove", {"reason": "insults after a warning", "bar": True})


def boards_of(path):
    """The boards of all rounds so far, each with its round."""
    numbers = [one["round"] for one in organizer.ask("GET", path + "/rounds")["items"]]
    return [{**board, "round": number} for number in numbers for board in organizer.ask("GET", f"{path}/rounds/{number}")["boards"]]


def names_of(board):
    return [seat["player"]["username"] for seat in (board["first"], board["second"]) if seat]


decided = set()
while organizer.ask("GET", swiss_path)["status"] != "finished":
    if time.monotonic() - began > 400:
        raise SystemExit("FAILED: the rounds don't come to an end")
    for board in boards_of(swiss_path):
        match = board["match_ids"][0] if board["match_ids"] else None
        if board["status"] == "running" and sleeper.username in names_of(board) and match not in decided:
            seats = organizer.ask("GET", "/v1/matches/" + match)["seats"]
            winner = next(seat["seat"] for seat in seats if seat["player"]["username"] != sleeper.username)
            verdict = {"expected_status": "running", "verdict": "win", "winner": winner, "reason": "nobody was there"}
            organizer.ask("POST", f"/v1/matches/{match}/adjudicate", verdict)
            decided.add(match)
    time.sleep(0.5)
sleeper.ended.set()
for thread in playing:
    thread.join(max(1.0, 480 - (time.monotonic() - began)))
stuck = sum(thread.is_alive() for thread in playing)
must(not failures and not stuck, f"everybody has played to the end {failures[:3] or ''}{stuck or ''}")

# The Swiss, recomputed from its boards.
boards = boards_of(swiss_path)
mine = collections.Counter({player.username: 0 for player in guests})
for board in boards:
    for seat in (board["first"], board["second"]):
        if seat:
            mine[seat["player"]["username"]] += seat["points"]
final = all_of(organizer, swiss_path + "/standings")
must({row["player"]["username"]: row["points"] for row in final} == mine, f"{len(boards)} boards of {ROUNDS} rounds give the points of {len(final)} players")
ranked = [-row["points"] for row in sorted(final, key=lambda row: row["rank"])]
must(ranked == sorted(ranked), "and the ranks are in their order")
must(decided and mine[sleeper.username] <= ROUNDS - len(decided), f"{len(decided)} games of a player who was not there were decided")
later = [board for board in boards if board["round"] == ROUNDS and troublemaker.username in names_of(board)]
must(not later, "who was removed was paired no more")
refused(troublemaker, "POST", swiss_path + "/join", {})

# The knockout: the winner of a tie is in the next round, and the last winner is first.
rounds = organizer.ask("GET", cup_path + "/bracket")["rounds"]
alive = {player.username for player in climbers}
for number, each in enumerate(rounds, 1):
    ties = [tie for tie in each["ties"] if not tie["for_third_place"]]
    sides = [{seat["starting_number"]: seat["player"]["username"] for seat in (tie["first"], tie["second"]) if seat} for tie in ties]
    inside = [name for side in sides for name in side.values()]
    must(set(inside) == alive and len(inside) == len(alive), f"round {number} of the knockout has the {len(alive)} who have lost none")
    alive = {side[tie["winner"]] for tie, side in zip(ties, sides)}
places = {row["player"]["username"]: row["rank"] for row in all_of(organizer, cup_path + "/standings")}
must([name for name, rank in places.items() if rank == 1] == list(alive), "who is left is first")
must(sorted(places.values())[:4] == [1, 2, 3, 4], "and the third place was played for")

# The organizers' log, and every rating.
log = [entry["action"] for entry in all_of(organizer, run_swiss + "/log")]
say(f"the log of the Swiss has {', '.join(sorted(set(log)))}")
matches = {m for path in (cup_path, swiss_path) for board in boards_of(path) for m in board["match_ids"]}
views = [organizer.ask("GET", "/v1/matches/" + match) for match in matches]
rated = sum(view["status"] == "finished" for view in views)
must(all(view["result"] for view in views), f"{len(matches)} matches are over, {rated} of them rated")
recompute(service, 2 * rated)
must(service.end(signal.SIGTERM) == 0, "the service has stopped")
say(command("ratings", "verify").replace("\n", "; "))
say(command("audit").replace("\n", "; "))
say(f"{len(entrants)} players and two who run it: a knockout and a Swiss, killed once, and every result is right")
