"""The players of datamodel-code-generator: its models, with httpx to send them. See `play`."""

import secrets
import sys
from typing import TypeVar
from uuid import UUID

import httpx
from models import (
    AcceptChallengeRequest,
    Action,
    ActionResult,
    Challenge,
    Clock,
    CreateAccountRequest,
    CreateChallengeRequest,
    Match,
    PerMoveClock,
    Problem,
    SessionTokens,
    SubmitActionRequest,
    Variant,
    Visibility,
)
from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)


def ask(client: httpx.Client, wanted: type[T], path: str, body: BaseModel | None = None) -> T:
    """The answer to a GET, or to a POST of this body."""
    if body is None:
        answer = client.get(path)
    else:
        sent = body.model_dump_json(by_alias=True, exclude_unset=True)
        answer = client.post(path, content=sent, headers={"Content-Type": "application/json"})
    if answer.is_error:
        problem = Problem.model_validate_json(answer.content)
        raise RuntimeError(f"{path}: {problem.code}: {problem.detail} {problem.errors}")
    return wanted.model_validate_json(answer.content)


def join(url: str) -> httpx.Client:
    """A client with an account of its own."""
    account = CreateAccountRequest(username="bot" + secrets.token_hex(8), password=secrets.token_urlsafe(24), bot=True)
    with httpx.Client(base_url=url, timeout=60) as client:
        session = ask(client, SessionTokens, "/v1/accounts", account)
    return httpx.Client(base_url=url, timeout=60, headers={"Authorization": f"Bearer {session.access_token}"})


def act(player: httpx.Client, match_id: UUID) -> Match:
    """Does what the match waits for, and says how it is then."""
    match = ask(player, Match, f"/v1/matches/{match_id}")
    while decision := next((one.root for one in match.decisions if one.root.required), None):
        order = SubmitActionRequest(version=match.version, action=Action(decision.example))
        match = ask(player, ActionResult, f"/v1/matches/{match_id}/actions", order).match or match
    return match


def meet(url: str, variant_id: str) -> None:
    """A match with an account for each seat."""
    host = join(url)
    variant = ask(host, Variant, f"/v1/variants/{variant_id}")
    players = [host] + [join(url) for _ in range(1, variant.seats.min)]
    clock = Clock(PerMoveClock(kind="per-move", move_s=300))
    terms = CreateChallengeRequest(variant=variant_id, seats=len(players), visibility=Visibility("link"), clock=clock)
    challenge = ask(host, Challenge, "/v1/challenges", terms)
    for guest in players[1:]:
        challenge = ask(guest, Challenge, f"/v1/challenges/{challenge.id.root}/accept", AcceptChallengeRequest())
    if challenge.match_id is None:
        raise RuntimeError(f"the challenge is {challenge.status}")
    result = None
    while result is None:
        for player in players:
            result = act(player, challenge.match_id.root).result
    winner = "none" if result.winner is None else result.winner.root
    sys.stdout.write(f"{variant_id}: seat {winner} wins ({result.reason.root})\n")


if __name__ == "__main__":
    for one in sys.argv[2:]:
        meet(sys.argv[1], one)
