#!/usr/bin/env python3
"""Computes the ratings of a pool again, from what everybody can read, and names each difference.

    python3 examples/recompute_ratings.py classic-days
    python3 examples/recompute_ratings.py --all --url http://127.0.0.1:8080
    python3 examples/recompute_ratings.py classic-days --player anna

It needs Python 3.9 and nothing else, and shares nothing with the service: the method is that of docs/RATINGS.md, with
the constants that `GET /v1/pools` states. It reads the finished matches of the pool, their rows of the ledger, and the
ledgers of all players who are named there. Nothing in a row is believed but its order (`number`), its time (`at`), and
what moderators have decided; results are those of the matches, where the caller may see them. With BROADSIDE_TOKEN set
it sees what that account sees; without it, what strangers see. The exit status is 0 if nothing differs.
"""

import argparse
import collections
import datetime
import json
import math
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

TOLERANCE = 1e-6  # a logarithm may be rounded otherwise elsewhere; that is a ten-millionth of this
SCALE, MIDDLE = 173.7178, 1500.0  # Glicko-2: points in one unit of its own scale, and what is 0 there
KAPPA = 0.0001  # Weng-Lin: one match leaves at least this share of the variance

Rating = collections.namedtuple("Rating", "rating deviation volatility")


def rating(stated):
    """A rating as the API states it."""
    return Rating(stated["rating"], stated["deviation"], stated["volatility"])


def milliseconds(text):
    """A time of the API, as milliseconds since 1970."""
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(moment.timestamp() * 1000)


class Api:
    """What can be read of a service."""

    def __init__(self, url):
        self.url = url
        self.headers = {"Accept": "application/json"}
        if os.environ.get("BROADSIDE_TOKEN"):
            self.headers["Authorization"] = "Bearer " + os.environ["BROADSIDE_TOKEN"]

    def get(self, path):
        """The answer; None: there is nothing, or nothing that the caller may see."""
        while True:
            try:
                request = urllib.request.Request(self.url + path, headers=self.headers)
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return json.loads(answer.read())
            except urllib.error.HTTPError as error:
                if error.code == 404:
                    return None
                if error.code not in (429, 503):
                    sys.exit(f"GET {path}: {error.code} {error.read().decode(errors='replace')}")
                time.sleep(float(error.headers.get("Retry-After", 1)))

    def all_of(self, path):
        """Every item of a list, page by page."""
        cursor, items = "", []
        while cursor is not None:
            page = self.get(f"{path}{'&' if '?' in path else '?'}limit=100{cursor and '&cursor=' + cursor}")
            if page is None:
                return items
            items += page["items"]
            cursor = page["next_cursor"]
        return items


# Both methods are described in docs/RATINGS.md.


class Method:
    """A method with the constants of a pool."""

    def __init__(self, pool):
        constants = pool["constants"]
        self.name, self.version = pool["algorithm"], pool["version"]
        self.initial = rating(constants["initial"])
        self.constants = constants

    def periods(self, idle_s):
        return (idle_s or 0) / self.constants["period_s"]

    def idle(self, before, idle_s):
        """The rating after so many seconds without a match: only its deviation has grown, to that of newcomers at most."""
        step = SCALE * before.volatility if self.name == "glicko-2" else self.constants["drift"]
        grown = math.sqrt(before.deviation**2 + self.periods(idle_s) * step**2)
        return before._replace(deviation=min(grown, self.initial.deviation))

    def bounded(self, after):
        limits = self.constants
        volatility = None if after.volatility is None else min(after.volatility, limits["max_volatility"])
        return Rating(
            min(max(after.rating, limits["min_rating"]), limits["max_rating"]),
            min(max(after.deviation, limits["min_deviation"]), self.initial.deviation),
            volatility,
        )

    def rated(self, field):
        """The ratings after a match. `field` has for each seat: the rating before, the idle seconds, the place."""
        now = [self.idle(before, idle_s) for before, idle_s, _ in field]
        rate = self.glicko if self.name == "glicko-2" else self.weng_lin
        return [self.bounded(rate(field, now, seat)) for seat in range(len(field))]

    def glicko(self, field, now, seat):
        before, idle_s, place = field[seat]
        mu, phi, sigma = (before.rating - MIDDLE) / SCALE, before.deviation / SCALE, before.volatility
        information = surprise = 0.0
        for other, (theirs, (_, _, their_place)) in enumerate(zip(now, field)):
            if other == seat:
                continue
            g = 1 / math.sqrt(1 + 3 * (theirs.deviation / SCALE) ** 2 / math.pi**2)
            expected = 1 / (1 + math.exp(-g * (mu - (theirs.rating - MIDDLE) / SCALE)))
            information += g * g * expected * (1 - expected)
            surprise += g * (score(place, their_place) - expected)
        v = 1 / information
        sigma = self.new_volatility(sigma, phi, v, v * surprise)
        phi_star = math.sqrt(phi**2 + self.periods(idle_s) * sigma**2)
        phi_star = min(phi_star, self.initial.deviation / SCALE)
        phi = 1 / math.sqrt(1 / phi_star**2 + information)
        return Rating(SCALE * (mu + phi**2 * surprise) + MIDDLE, SCALE * phi, sigma)

    def new_volatility(self, sigma, phi, v, delta):
        """The volatility after the match: e to the half of the zero of f, which falls everywhere. Halving finds it
        to the last bit."""
        a, tau = math.log(sigma**2), self.constants["tau"]

        def f(x):
            e = math.exp(x)
            total = phi**2 + v + e
            return e * (delta**2 - phi**2 - v - e) / (2 * total**2) - (x - a) / tau**2

        low = high = a
        while f(low) < 0:
            low -= tau
        while f(high) > 0:
            high += tau
        while True:
            middle = (low + high) / 2
            if middle in (low, high):
                return math.exp(middle / 2)
            low, high = (middle, high) if f(middle) > 0 else (low, middle)

    def weng_lin(self, field, now, seat):
        own, place, beta = now[seat], field[seat][2], self.constants["beta"]
        variance, omega, delta = own.deviation**2, 0.0, 0.0
        for other, theirs in enumerate(now):
            if other == seat:
                continue
            c = math.sqrt(variance + theirs.deviation**2 + 2 * beta**2)
            p = 1 / (1 + math.exp((theirs.rating - own.rating) / c))
            omega += variance / c * (score(place, field[other][2]) - p)
            delta += own.deviation / c * (variance / c**2) * p * (1 - p)
        return Rating(own.rating + omega, own.deviation * math.sqrt(max(1 - delta, KAPPA)), None)


def score(place, other):
    return 1.0 if place < other else 0.5 if place == other else 0.0


# Players' ledgers, and the books of a pool.


class Player:
    """A player's ledger, and their standing as far as it has been gone through."""

    def __init__(self, name, initial):
        self.name, self.rows, self.done = name, {}, 0
        self.standing, self.rated_at, self.matches = initial, None, 0

    def next(self):
        return self.rows.get(self.done + 1)

    def history(self):
        """The rows that have been gone through, in their order."""
        return [self.rows[number] for number in range(1, self.done + 1)]


def idle_s(rated_at, at):
    """Whole seconds from the last rated match to this one; None: there was none."""
    return None if rated_at is None else max(0, milliseconds(at) - milliseconds(rated_at)) // 1000


class Books:
    def __init__(self, api, pool, only=None):
        self.api, self.pool, self.method = api, pool["id"], Method(pool)
        self.players, self.units, self.differences, self.unseen = {}, {}, [], 0
        self.collect(only)

    def differs(self, row, text):
        who = self.players[row["account"]].name
        self.differences.append(f"{self.pool}: change {row['number']} of {who} (match {row['match_id']}): {text}")

    def collect(self, only):
        """Reads all rows: those of the finished matches, and those of the players who are named in them."""
        matches = collections.deque()
        names = collections.deque([only] if only else [])
        if not only:
            listed = self.api.all_of(f"/v1/matches?pool={self.pool}&rated=true&status=finished")
            matches.extend(match["id"] for match in listed)
        read_matches, read_names = set(), set()
        while matches or names:
            while names:
                name = names.popleft()
                if name.lower() not in read_names:
                    read_names.add(name.lower())
                    ledger = f"/v1/players/{urllib.parse.quote(name)}/ratings/{self.pool}/history"
                    for row in self.api.all_of(ledger):
                        matches.append(row["match_id"])
            match_id = matches.popleft() if matches else None
            if match_id is None or match_id in read_matches:
                continue
            read_matches.add(match_id)
            changes = self.api.get(f"/v1/matches/{match_id}/rating-changes")
            for item in changes["items"] if changes else []:
                player, row = item["player"], dict(item["change"], account=item["player"]["id"])
                ledger = self.players.setdefault(row["account"], Player(player["username"], self.method.initial))
                ledger.rows[row["number"]] = row
                self.units.setdefault((row["match_id"], row["reason"], row["revision"]), {})[row["seat"]] = row
                # A deleted account has no ledger under its name, but its rows remain in its matches.
                names.append(player["username"])

    def check(self):
        """Goes through all ledgers in the order in which they were written."""
        went_on = True
        while went_on:
            went_on = False
            for player in self.players.values():
                row = player.next()
                if row is None:
                    continue
                unit = self.units[row["match_id"], row["reason"], row["revision"]]
                rows = [unit[seat] for seat in sorted(unit)]
                if all(self.players[one["account"]].next() is one for one in rows):
                    (self.match if row["reason"] == "match" else self.correction)(rows)
                    went_on = True
        for player in self.players.values():
            if player.done < max(player.rows):
                self.differences.append(
                    f"{self.pool}: change {player.done + 1} of {player.name} is not there, or comes neither before nor after other changes of its match"
                )

    def match(self, rows):
        """A match, or paired games, that have ended."""
        places = self.places(rows[0])
        players = [self.players[row["account"]] for row in rows]
        field = [
            (player.standing, idle_s(player.rated_at, row["at"]), place)
            for player, row, place in zip(players, rows, places)
        ]
        numbers = [player.done + 1 for player in players]
        for player, row, after in zip(players, rows, self.method.rated(field)):
            self.compare(row, player.standing, after)
            for seat, stated in enumerate(row["participants"]):
                before, idle, place = field[seat]
                due = {"place": place, "idle_s": idle, "number": numbers[seat], "player_id": rows[seat]["account"]}
                for what, is_due in due.items():
                    if stated[what] != is_due:
                        self.differs(row, f"{what} of seat {seat} is {stated[what]}, and has to be {is_due}")
                self.same(row, f"the rating of seat {seat} before", rating(stated["before"]), before)
            player.standing, player.matches, player.done = after, player.matches + 1, player.done + 1
            at = row["at"]
            player.rated_at = at if player.rated_at is None else max(player.rated_at, at)

    def places(self, row):
        """The places that count, by the results of the matches; of those that can't be seen, as the row says."""
        stated = {seat["player_id"]: seat["place"] for seat in row["participants"]}
        games = row["games"] or [{"match_id": row["match_id"], "places": [seat["place"] for seat in row["participants"]]}]
        order = [seat["player_id"] for seat in row["participants"]]
        points = collections.Counter()
        for game in games:
            by_player = dict(zip(order, game["places"]))
            played = self.result(game["match_id"])
            if played is None:
                self.unseen += 1
            elif played != by_player:
                self.differs(row, f"the match {game['match_id']} ended with the places {played}, not {by_player}")
                by_player = played
            for player, place in by_player.items():
                others = [other for account, other in by_player.items() if account != player]
                points[player] += sum(score(place, other) for other in others)
        if len(games) == 1:
            return [by_player.get(player, stated[player]) for player in order]
        return [1 + sum(points[other] > points[player] for other in order) for player in order]

    def result(self, match_id):
        """The places with which a match ended, by player; None: it can't be seen."""
        match = self.api.get("/v1/matches/" + match_id)
        if match is None or match["result"] is None:
            return None
        places = {place["seat"]: place["place"] for place in match["result"]["places"]}
        last = len(match["seats"])  # shared by all who have no place
        # The original players are rated, even if a substitute finished the match.
        rated = {number: seat["player"]["id"] for number, seat in enumerate(match["seats"])}
        rated.update((former["seat"], former["player"]["id"]) for former in reversed(match["former_players"]))
        return {player: places.get(number, last) for number, player in rated.items()}

    def correction(self, rows):
        """An annulment or an adjudication: each player is rated again by their own ledger."""
        for row in rows:
            player = self.players[row["account"]]
            before = player.standing
            player.done += 1
            player.standing, player.rated_at, player.matches = self.replayed(player)
            self.compare(row, before, player.standing)

    def replayed(self, player):
        """A standing by the player's own ledger: without what was annulled, with the places that were decided."""
        newest, history = {}, player.history()
        for row in history:
            if row["revision"] >= newest.get(row["match_id"], row)["revision"]:
                newest[row["match_id"]] = row
        standing, rated_at, matches = self.method.initial, None, 0
        for row in history:
            counts = newest[row["match_id"]]
            if row["reason"] != "match" or counts["reason"] == "annulment":
                continue
            field = []
            for stated, decided in zip(row["participants"], counts["participants"]):
                own = stated["seat"] == row["seat"]
                before = standing if own else rating(stated["before"])
                idle = idle_s(rated_at, row["at"]) if own else stated["idle_s"]
                field.append((before, idle, decided["place"]))
            standing = self.method.rated(field)[row["seat"]]
            rated_at = row["at"] if rated_at is None else max(rated_at, row["at"])
            matches += 1
        return standing, rated_at, matches

    def compare(self, row, before, after):
        if (row["algorithm"], row["version"]) != (self.method.name, self.method.version):
            self.differs(row, f"its method is {row['algorithm']} {row['version']}")
        self.same(row, "the rating before", rating(row["before"]), before)
        self.same(row, "the rating after", rating(row["after"]), after)

    def same(self, row, what, stated, due):
        pairs = [(one, other) for one, other in zip(stated, due) if (one, other) != (None, None)]
        if any(None in pair or abs(pair[0] - pair[1]) > TOLERANCE for pair in pairs):
            self.differs(row, f"{what} is {tuple(stated)}, and has to be {tuple(due)}")

    def current(self, at):
        """What the service says of each player at this time, against the end of their ledger."""
        for player in self.players.values():
            listed = self.api.all_of(f"/v1/players/{urllib.parse.quote(player.name)}/ratings")
            found = [item for item in listed if item["pool"] == self.pool]
            for item in found:
                due = {"matches": player.matches, "change_number": player.done, "rated_at": player.rated_at}
                for what, is_due in due.items():
                    if item[what] != is_due:
                        self.differences.append(f"{self.pool}: {what} of {player.name} is {item[what]}, and has to be {is_due}")
                now = self.method.idle(player.standing, idle_s(player.rated_at, at))
                stated = rating(item["current"])
                if abs(stated.rating - now.rating) > TOLERANCE or abs(stated.deviation - now.deviation) > 0.01:
                    self.differences.append(f"{self.pool}: {player.name} has {tuple(stated)}, and has to have {tuple(now)}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("pool", nargs="?", help="such as classic-days")
    arguments.add_argument("--all", action="store_true", help="every pool of a variant in which somebody was rated")
    arguments.add_argument("--player", help="begin with this player's ledger, not with the list of matches")
    arguments.add_argument("--url", default="http://127.0.0.1:8080")
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    arguments.add_argument("--now", default=now, help="the time of the service, if it isn't that of this machine")
    given = arguments.parse_args()
    if bool(given.pool) == given.all:
        arguments.error("name a pool, or say --all")
    api, differences, rows = Api(given.url), [], 0
    named = given.pool and given.pool.split("-")[0]
    query = f"?named_rule_set={named}" if named and len(named) == 64 else ""
    pools = api.get("/v1/pools" + query)["items"]
    chosen = [pool for pool in pools if given.all or pool["id"] == given.pool]
    if not chosen:
        sys.exit(f"there is no pool {given.pool}")
    for pool in chosen:
        books = Books(api, pool, given.player)
        books.check()
        books.current(given.now)
        differences += books.differences
        count = sum(len(player.rows) for player in books.players.values())
        rows += count
        if count or not given.all:
            unseen = f", {books.unseen} results could not be seen" if books.unseen else ""
            print(f"{pool['id']}: {count} changes of {len(books.players)} players{unseen}")
    for difference in differences:
        print(difference)
    print(f"{rows} changes computed again, {len(differences)} differences")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
