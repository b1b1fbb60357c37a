#!/usr/bin/env python3
"""Players that know no rules play a match of any variant to its end, or on a ladder until its season is over.

The service lists what each player may do now, as decisions. Each decision has an example: a complete, legal action. The
players only send back the example of the first decision that is required, so nothing in this file names a ship, a cell,
a kind of action or a game. It needs Python 3.9 and nothing else.

    python3 examples/player.py --variant ID
    python3 examples/player.py --variant ID --seats 3
    python3 examples/player.py --rule-set HASH
    python3 examples/player.py --all --url http://127.0.0.1:8080
    python3 examples/player.py --ladder ID --pairings 3
"""

import argparse
import http.client
import json
import queue
import secrets
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid


class Refused(Exception):
    """The service has refused a request; the text is its explanation."""


class Stale(Refused):
    """Our data are out of date (409, or 410 of a log that begins later): read again."""


class Player:
    """A new account, and the one function that sends its requests. If the service can't be reached, it waits up to
    `patience_s` seconds."""

    def __init__(self, url, patience_s=0):
        self.url, self.patience_s, self.keys = url, patience_s, {}
        self.username, self.password = "guest" + secrets.token_hex(6), secrets.token_urlsafe(24)
        account = {"username": self.username, "password": self.password, "bot": True}
        self.keys = self.ask("POST", "/v1/accounts", account)

    def ask(self, method, path, body=None):
        # A request keeps its key when it is repeated, so nothing is done twice.
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        data = None if body is None else json.dumps(body).encode()
        give_up = time.monotonic() + self.patience_s
        while True:
            if self.keys:
                headers["Authorization"] = "Bearer " + self.keys["access_token"]
            try:
                request = urllib.request.Request(self.url + path, data, headers, method=method)
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return json.loads(answer.read() or "null")
            except urllib.error.HTTPError as error:
                problem = f"{method} {path}: {error.code} {error.read().decode(errors='replace')}"
                if error.code in (409, 410):
                    raise Stale(problem) from error
                if error.code in (429, 503):  # too busy: it says when to come back
                    time.sleep(float(error.headers.get("Retry-After", 1)))
                elif error.code == 401 and self.keys:  # an access token is valid for minutes, a match may last for weeks
                    self.keys = {}
                    self.keys = self.ask("POST", "/v1/sessions", {"username": self.username, "password": self.password})
                else:
                    raise Refused(problem) from error
            except (OSError, http.client.HTTPException):  # the service can't be reached, or stopped during the answer
                if time.monotonic() >= give_up:
                    raise
                time.sleep(0.5)

    def play(self, match):
        """Play until the match is over, and return the last view of it."""
        path = "/v1/matches/" + match
        view = self.ask("GET", path)
        while view["result"] is None:
            view = self.act(view)
            if view["result"] is None:  # others have to act: wait for news
                view = self.ask("GET", f"{path}?wait_s=25&after_version={view['version']}")
        return view

    def act(self, view, say=print):
        """Do what is required in a match, until others have to act."""
        path = "/v1/matches/" + view["id"]
        while True:
            decision = next((d for d in view["decisions"] if d["required"]), None)
            if decision is None:
                return view
            try:
                answer = self.ask("POST", path + "/actions", {"version": view["version"], "action": decision["example"]})
            except Stale:
                view = self.ask("GET", path)
                continue
            view = answer["match"]
            for report in answer["reports"]:
                say(line(name_of(view, view["viewer"]["seat"]), report))


class LadderPlayer(Player):
    """A member of a ladder: plays every match that begins there. On a position ladder it challenges and accepts."""

    def __init__(self, url, wanted_pairings=1, say=print, patience_s=600):
        super().__init__(url, patience_s)
        self.wanted_pairings, self.say, self.stopped = wanted_pairings, say, threading.Event()
        self.running, self.over = set(), 0

    def stop(self):
        """Leave the ladder at the next opportunity, and play the running matches to their end."""
        self.stopped.set()

    def follow(self, ladder):
        """Join, and play until `stop` is called, the season is over or the ladder is closed. Returns how many matches were
        played to their end."""
        self.ladder_id, self.ladder, left = ladder, "/v1/ladders/" + ladder, False
        log = self.ask("GET", "/v1/events?limit=1")["next_cursor"]  # the cursor from before joining, so no event is missed
        self.join()
        self.by_challenge = self.ask("GET", self.ladder)["format"] == "position"
        self.catch_up()
        while not (left and not self.running):
            if self.stopped.is_set() and not left:
                self.quit()
                left = True
            try:
                page = self.ask("GET", f"/v1/events?after={log}&wait_s=10&limit=1000")
            except Stale:  # events are kept for 30 days, and we were away for longer
                log = self.ask("GET", "/v1/events?limit=1")["next_cursor"]
                self.catch_up()
                continue
            log = page["next_cursor"]
            for event in page["items"]:
                self.hear(event)
            if not page["items"] and not left:
                self.challenge()
        return self.over

    def join(self):
        self.ask("POST", self.ladder + "/join", {"wanted_pairings": self.wanted_pairings})

    def quit(self):
        try:
            self.ask("POST", self.ladder + "/leave", {})
        except Refused:  # it is closed, or we were removed
            pass

    def catch_up(self):
        """Do everything that waits for us, whatever events we have missed."""
        now = {match["id"] for status in ("deploying", "playing", "armistice") for match in self.all_of(f"/v1/matches?player={self.username}&status={status}")}
        for match in self.running - now:
            self.end(match)
        self.running |= now
        for match in now:
            self.turn(match)
        if self.by_challenge:
            for challenge in self.all_of(f"{self.ladder}/challenges?status=open&player={self.username}"):
                if challenge["defender"]["username"] == self.username:
                    self.accept(challenge["id"])
        self.challenge()

    def all_of(self, path):
        """Every item of a list, page by page."""
        cursor = ""
        while cursor is not None:
            page = self.ask("GET", f"{path}&limit=100{cursor and '&cursor=' + cursor}")
            yield from page["items"]
            cursor = page["next_cursor"]

    def accept(self, challenge):
        try:
            self.ask("POST", f"{self.ladder}/challenges/{challenge}/accept", {})
        except Refused:  # it is over by now
            pass

    def turn(self, match):
        self.running.add(match)
        view = self.act(self.ask("GET", "/v1/matches/" + match), say=lambda _: None)
        if view["result"] is not None:
            self.end(match)

    def end(self, match):
        if match in self.running:
            self.running.remove(match)
            self.over += 1
            self.say(f"{self.username}: {self.over} matches are over, {len(self.running)} are being played")

    def hear(self, event):
        kind, match = event["type"], event.get("match_id")
        if kind == "match-started":
            self.running.add(match)
        elif kind == "your-turn":
            self.turn(match)
        elif kind == "match-finished":
            self.end(match)
        elif event.get("ladder_id") != self.ladder_id:
            return
        elif kind in ("season-ended", "ladder-closed"):
            self.stop()
        elif kind == "ladder-member-set-inactive" and not self.stopped.is_set():
            try:
                self.join()
            except Refused as no:  # then play the running matches, and leave
                self.say(f"{self.username} can't join again: {no}")
                self.stop()
        elif kind == "ladder-position-changed":
            self.challenge()
        elif kind == "ladder-challenge-received":
            self.accept(event["challenge_id"])

    def challenge(self):
        """Challenge the highest member who may be challenged, if there is one."""
        if not self.by_challenge or self.stopped.is_set():
            return
        try:
            above = self.ask("GET", self.ladder + "/opponents")["items"]
            allowed = [candidate["player"]["username"] for candidate in above if candidate["allowed"]]
            if allowed:
                self.ask("POST", self.ladder + "/challenges", {"opponent": allowed[0]})
                self.say(f"{self.username} challenges {allowed[0]}")
        except Refused:  # somebody else was faster, or we are no longer on the ladder
            pass


def name_of(view, seat):
    return next((s["name"] for s in view["seats"] if s["seat"] == seat), "nobody")


def line(reader, report):
    """Any report on one line, cut if it is long."""
    said = {k: v for k, v in report.items() if k not in ("type", "number", "at") and v is not None}
    text = " ".join(f"{k}={json.dumps(v, ensure_ascii=False, separators=(',', ':'))}" for k, v in said.items())
    text = f"{reader:>9} {report['type']:<14} {text}"
    return text if len(text) <= 160 else text[:159] + "…"


def meet(players, game, name):
    """One challenges, the others accept, and all play at once, each alone, until the match is over. `game` is what a
    challenge says of it: a variant, or a named rule set."""
    host, *guests = players
    terms = {**game, "seats": len(players), "visibility": "link", "clock": {"kind": "per-move", "move_s": 300}}
    challenge = host.ask("POST", "/v1/challenges", terms)
    for guest in guests:  # the match begins when the last one accepts
        accepted = guest.ask("POST", f"/v1/challenges/{challenge['id']}/accept", {})
    ends = queue.Queue()

    def sit(player):
        try:
            ends.put(player.play(accepted["match_id"]))
        except Exception as error:  # give it to the main thread, which would wait for ever otherwise
            ends.put(error)

    for player in players:
        threading.Thread(target=sit, args=(player,), daemon=True).start()
    for end in [ends.get() for _ in players]:
        if isinstance(end, Exception):
            raise end
    print(f"{name}: {name_of(end, end['result']['winner'])} wins ({end['result']['reason']})", flush=True)


def climb(url, ladder, wanted_pairings):
    """Play on a ladder until the season is over. The first interrupt leaves it and plays the last matches; the second ends
    the program."""
    player = LadderPlayer(url, wanted_pairings, say=lambda text: print(text, flush=True))

    def told_to_stop(*_):
        if player.stopped.is_set():
            sys.exit("left with matches unfinished: their clocks run")
        print(f"{player.username} leaves the ladder, and plays the last matches", flush=True)
        player.stop()

    signal.signal(signal.SIGINT, told_to_stop)
    signal.signal(signal.SIGTERM, told_to_stop)
    print(f"{player.username} has played {player.follow(ladder)} matches", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="where the service is (default: %(default)s)")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--variant", help="the variant to play, by its id")
    which.add_argument("--rule-set", help="the named rule set to play, by its hash")
    which.add_argument("--all", action="store_true", help="play every variant that the service lists")
    which.add_argument("--ladder", help="join a ladder, by its id, and play there until its season is over")
    parser.add_argument("--seats", type=int, default=2, help="how many play, or as near to it as the variant allows (default: %(default)s)")
    parser.add_argument("--pairings", type=int, default=1, help="how many pairings at once to ask for on a ladder (default: %(default)s)")
    options = parser.parse_args()
    try:
        if options.ladder:
            climb(options.url, options.ladder, options.pairings)
            return
        players = [Player(options.url)]
        ask = players[0].ask
        if options.rule_set:
            cards = [ask("GET", "/v1/rule-sets/" + options.rule_set)]
        elif options.all:
            cards = ask("GET", "/v1/variants?limit=100")["items"]
        else:
            cards = [ask("GET", "/v1/variants/" + options.variant)]
        for card in cards:
            seats = min(max(options.seats, card["seats"]["min"]), card["seats"]["max"])
            players += [Player(options.url) for _ in range(seats - len(players))]
            if options.rule_set:  # its words may be hidden
                meet(players[:seats], {"named_rule_set": card["hash"]}, card["title"] or card["hash"])
            else:
                meet(players[:seats], {"variant": card["id"]}, card["id"])
    except (Refused, OSError) as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
