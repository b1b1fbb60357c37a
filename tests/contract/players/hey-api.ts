// The players of `@hey-api/openapi-ts`: see `play`.

import { acceptChallenge, createAccount, createChallenge, getMatch, getVariant, submitAction } from "./client/sdk.gen";
import { createClient, type Client } from "./client/client";
import type { Match } from "./client/types.gen";

/** A client with an account of its own. */
async function join(baseUrl: string): Promise<Client> {
  const random = () => crypto.randomUUID().replaceAll("-", "");
  const body = { username: `bot${random().slice(0, 16)}`, password: random(), bot: true };
  const { data } = await createAccount({ client: createClient({ baseUrl }), body, throwOnError: true });
  return createClient({ baseUrl, auth: data.access_token });
}

/** Does what the match waits for, and says how it is then. */
async function act(client: Client, id: string): Promise<Match> {
  let { data: match } = await getMatch({ client, path: { id }, throwOnError: true });
  for (;;) {
    const decision = match.decisions.find((one) => one.required);
    if (!decision) return match;
    const body = { version: match.version, action: decision.example };
    const { data } = await submitAction({ client, path: { id }, body, throwOnError: true });
    if (!data.match) throw new Error("the answer has no match");
    match = data.match;
  }
}

async function meet(url: string, id: string): Promise<void> {
  const host = await join(url);
  const { data: variant } = await getVariant({ client: host, path: { id }, throwOnError: true });
  const guests = await Promise.all(Array.from({ length: variant.seats.min - 1 }, () => join(url)));
  const body = {
    variant: id,
    seats: variant.seats.min,
    visibility: "link" as const,
    clock: { kind: "per-move" as const, move_s: 300 },
  };
  let { data: challenge } = await createChallenge({ client: host, body, throwOnError: true });
  for (const client of guests) {
    const path = { id: challenge.id };
    ({ data: challenge } = await acceptChallenge({ client, path, body: {}, throwOnError: true }));
  }
  if (!challenge.match_id) throw new Error(`the challenge is ${challenge.status}`);
  for (;;) {
    for (const player of [host, ...guests]) {
      const { result } = await act(player, challenge.match_id);
      if (result) return console.log(`${id}: seat ${result.winner} wins (${result.reason})`);
    }
  }
}

const [url = "", ...variants] = process.argv.slice(2);
for (const variant of variants) await meet(url, variant);
