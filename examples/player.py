#!/usr/bin/env python3
"""Players who know no rules play a match of any variant to its end.

The service tells each of them what may be done now, as a list of decisions; each decision carries an example, a complete
action that is legal as it stands. Sending back the example of the first decision that is required is all that they do,
so nothing in this file names a ship, a cell, a kind of action or a game. It needs Python 3.9 and nothing else.

    python3 examples/player.py --variant ID
    python3 examples/player.py --variant ID --seats 3
    python3 examples/player.py --all --url http://127.0.0.1:8080
"""

import argparse
import json
import queue
import secrets
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid


class Refused(Exception):
    """The service has said no; the text is its own explanation."""


class Stale(Refused):
    """What we acted on is out of date (409): read again."""


class Player:
    """A new account, and the one way to ask the service something in its name."""

    def __init__(self, url):
        self.url, self.keys = url, {}
        self.username = "guest" + secrets.token_hex(4)
        self.keys = self.ask("POST", "/v1/accounts", {"username": self.username, "password": secrets.token_urlsafe(24)})

    def ask(self, method, path, body=None):
        # The key is the same each time a request is repeated, so nothing is ever done twice.
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        data = None if body is None else json.dumps(body).encode()
        while True:
            if self.keys:
                headers["Authorization"] = "Bearer " + self.keys["access_token"]
            try:
                request = urllib.request.Request(self.url + path, data, headers, method=method)
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                problem = f"{method} {path}: {error.code} {error.read().decode(errors='replace')}"
                if error.code == 409:
                    raise Stale(problem) from error
                if error.code in (429, 503):  # too busy: it says when to come back
                    time.sleep(float(error.headers.get("Retry-After", 1)))
                elif error.code == 401 and self.keys:  # an access token lasts for minutes, a match may last for weeks
                    old, self.keys = self.keys, {}
                    self.keys = self.ask("POST", "/v1/sessions/refresh", {"refresh_token": old["refresh_token"]})
                else:
                    raise Refused(problem) from error

    def play(self, match):
        """Play until the match is over, and return the last view of it."""
        path = "/v1/matches/" + match
        view = self.ask("GET", path)
        while view["result"] is None:
            decision = next((d for d in view["decisions"] if d["required"]), None)
            if decision is None:  # it is for others to act: wait for news
                view = self.ask("GET", f"{path}?wait_s=25&after_version={view['version']}")
                continue
            try:
                answer = self.ask("POST", path + "/actions", {"version": view["version"], "action": decision["example"]})
            except Stale:
                view = self.ask("GET", path)
                continue
            view = answer["match"]
            for report in answer["reports"]:
                print(line(name_of(view, view["viewer"]["seat"]), report))
        return view


def name_of(view, seat):
    return next((s["name"] for s in view["seats"] if s["seat"] == seat), "nobody")


def line(reader, report):
    """A report on one line, whatever it says, cut where it gets long."""
    said = {k: v for k, v in report.items() if k not in ("type", "number", "at") and v is not None}
    text = " ".join(f"{k}={json.dumps(v, ensure_ascii=False, separators=(',', ':'))}" for k, v in said.items())
    text = f"{reader:>9} {report['type']:<14} {text}"
    return text if len(text) <= 160 else text[:159] + "…"


def meet(players, variant):
    """One challenges, the others accept, and all play at once, each on his own, until the match is over."""
    host, *guests = players
    terms = {"variant": variant, "seats": len(players), "visibility": "link", "clock": {"kind": "per-move", "move_s": 300}}
    challenge = host.ask("POST", "/v1/challenges", terms)
    for guest in guests:  # the last of them begins the match
        accepted = guest.ask("POST", f"/v1/challenges/{challenge['id']}/accept", {})
    ends = queue.Queue()

    def sit(player):
        try:
            ends.put(player.play(accepted["match_id"]))
        except Exception as error:  # hand it to the main thread, which would wait for ever otherwise
            ends.put(error)

    for player in players:
        threading.Thread(target=sit, args=(player,), daemon=True).start()
    for end in [ends.get() for _ in players]:
        if isinstance(end, Exception):
            raise end
    print(f"{variant}: {name_of(end, end['result']['winner'])} wins ({end['result']['reason']})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="where the service is (default: %(default)s)")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--variant", help="the variant to play, by its id")
    which.add_argument("--all", action="store_true", help="play every variant that the service lists")
    parser.add_argument("--seats", type=int, default=2, help="how many play, or as near to it as the variant allows (default: %(default)s)")
    options = parser.parse_args()
    try:
        players = [Player(options.url)]
        ask = players[0].ask
        cards = ask("GET", "/v1/variants?limit=100")["items"] if options.all else [ask("GET", "/v1/variants/" + options.variant)]
        for card in cards:
            seats = min(max(options.seats, card["seats"]["min"]), card["seats"]["max"])
            players += [Player(options.url) for _ in range(seats - len(players))]
            meet(players[:seats], card["id"])
    except (Refused, OSError) as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
