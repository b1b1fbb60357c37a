// The players of `orval`: see `play`.

import { acceptChallenge, createAccount, createChallenge, getMatch, getVariant, submitAction } from "./client/api";
import type { Match } from "./client/model";

type Options = { headers: { Authorization: string } };

/** Keeps an answer of success only; every other is an exception with the explanation of the service. */
function ok<A extends { status: number; data: unknown }, S extends number>(answer: A, status: S): (A & { status: S })["data"] {
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.data)}`);
  return answer.data;
}

/** The token of a new account. */
async function join(): Promise<Options> {
  const random = () => crypto.randomUUID().replaceAll("-", "");
  const account = { username: `bot${random().slice(0, 16)}`, password: random(), bot: true };
  const session = ok(await createAccount(account), 201);
  return { headers: { Authorization: `Bearer ${session.access_token}` } };
}

/** Does what the match waits for, and says how it is then. */
async function act(player: Options, id: string): Promise<Match> {
  let match = ok(await getMatch(id, undefined, player), 200);
  for (;;) {
    const decision = match.decisions.find((one) => one.required);
    if (!decision) return match;
    const order = { version: match.version, action: decision.example };
    const answer = ok(await submitAction(id, order, undefined, player), 200);
    if (!answer.match) throw new Error("the answer has no match");
    match = answer.match;
  }
}

async function meet(id: string): Promise<void> {
  const variant = ok(await getVariant(id), 200);
  const players = await Promise.all(Array.from({ length: variant.seats.min }, () => join()));
  const terms = {
    variant: id,
    seats: players.length,
    visibility: "link" as const,
    clock: { kind: "per-move" as const, move_s: 300 },
  };
  const [host, ...guests] = players;
  let challenge = ok(await createChallenge(terms, host), 201);
  for (const guest of guests) challenge = ok(await acceptChallenge(challenge.id, {}, guest), 200);
  if (!challenge.match_id) throw new Error(`the challenge is ${challenge.status}`);
  for (;;) {
    for (const player of players) {
      const { result } = await act(player, challenge.match_id);
      if (result) return console.log(`${id}: seat ${result.winner} wins (${result.reason})`);
    }
  }
}

for (const variant of process.argv.slice(3)) await meet(variant);
