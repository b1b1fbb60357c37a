"""A typed bot. It plays a match of each variant that it is told, against another program, and then ends:

    python3 bot.py URL open VARIANT…     makes a challenge for each match, and waits until it is accepted
    python3 bot.py URL take VARIANT…     waits for a challenge that a program has made, and accepts it

It plays with the token in BROADSIDE_TOKEN, or else makes an account. All types are made from the OpenAPI document:
README.md says how.
"""

import os
import random
import secrets
import sys
import time
from typing import TypeVar
from uuid import UUID

import httpx
from broadside import AuthenticatedClient, Client
from broadside import models as m
from broadside.api.accounts import create_account
from broadside.api.challenges import accept_challenge, create_challenge, get_challenge, list_challenges
from broadside.api.matches import get_match, submit_action

TIMEOUT = httpx.Timeout(60)
T = TypeVar("T")


def choose(match: m.Match) -> m.SubmitActionRequest | None:
    """The choice, to be replaced by your own: random shots, and for everything else the example of a decision."""
    decision = next((one for one in match.decisions if one.required), None)
    if decision is None:
        return None
    if isinstance(decision, m.FireDecision):
        decision.example.cells = random.sample(decision.targets, len(decision.example.cells))
    return m.SubmitActionRequest(decision.example, match.version)


def ok(wanted: type[T], answer: object) -> T:
    """The answer, or an exception with the explanation of the service."""
    if isinstance(answer, wanted):
        return answer
    raise RuntimeError(f"{answer.code}: {answer.detail}" if isinstance(answer, m.Problem) else f"{answer}")


def join(url: str) -> AuthenticatedClient:
    """A client that sends the token."""
    token = os.environ.get("BROADSIDE_TOKEN")
    if token is None:
        name, password = f"bot{secrets.token_hex(8)}", secrets.token_hex(16)
        account = m.CreateAccountRequest(username=name, password=password, bot=True)
        token = ok(m.SessionTokens, create_account.sync(client=Client(url, timeout=TIMEOUT), body=account)).access_token
    return AuthenticatedClient(url, token, timeout=TIMEOUT)


def meet(player: AuthenticatedClient, role: str, variant: str) -> m.Challenge:
    """A challenge of one's own, or the newest one that a program has made, as soon as there is one; accepted."""
    if role == "open":
        terms = m.CreateChallengeRequest(m.PerMoveClock(m.PerMoveClockKind.PER_MOVE, 300), variant=variant)
        return ok(m.Challenge, create_challenge.sync(client=player, body=terms))
    while True:
        page = ok(m.ChallengePage, list_challenges.sync(client=player, variant=variant, acceptable=True))
        for challenge in (one for one in page.items if one.creator.bot):
            return ok(m.Challenge, accept_challenge.sync(challenge.id, client=player, body=m.AcceptChallengeRequest()))
        time.sleep(0.5)


def look(player: AuthenticatedClient, match_id: UUID, known: m.Match | None = None) -> m.Match:
    """The match as this player sees it: at once, or as soon as there is more than the version that they know."""
    if known is None:
        return ok(m.Match, get_match.sync(match_id, client=player))
    return ok(m.Match, get_match.sync(match_id, client=player, wait_s=25, after_version=known.version))


def play(player: AuthenticatedClient, role: str, variant: str) -> str:
    """Plays a match of a variant to its end, and says how it ended."""
    challenge = meet(player, role, variant)
    while (match_id := challenge.match_id) is None:
        time.sleep(0.5)
        challenge = ok(m.Challenge, get_challenge.sync(challenge.id, client=player))
    match = look(player, match_id)
    while match.result is None:
        order = choose(match)
        if order is None:
            match = look(player, match_id, match)  # others have to act
            continue
        answer = submit_action.sync(match_id, client=player, body=order)
        stale = isinstance(answer, m.Problem) and answer.status == 409  # the match has moved on: look again
        match = look(player, match_id) if stale else ok(m.ActionResult, answer).match or look(player, match_id)
    winner = "none" if match.result.winner is None else match.result.winner
    return f"{variant}: seat {winner} wins ({match.result.reason})"


if __name__ == "__main__":
    url, role, *variants = sys.argv[1:]
    me = join(url)
    for name in variants:
        print(play(me, role, name), flush=True)
