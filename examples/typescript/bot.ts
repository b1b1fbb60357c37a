// A typed bot. It plays one match of each variant that you name against another program, and then ends:
//
//   node bot.js URL open VARIANT…     makes a challenge for each match, and waits until it is accepted
//   node bot.js URL take VARIANT…     waits for a challenge that a program has made, and accepts it
//
// It plays with the token in BROADSIDE_TOKEN, or else makes an account. A challenge is open, or for the player that
// BROADSIDE_OPPONENT names. All types are made from the OpenAPI document: README.md says how.

import { setTimeout as sleep } from "node:timers/promises";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./broadside.js";

type Schemas = components["schemas"];
type Challenge = Schemas["Challenge"];
type Match = Schemas["Match"];
type Player = Client<paths>;
type Answer<T> = { data?: T; error?: Schemas["Problem"]; response: Response };

/** The choice, to be replaced by your own: random shots, and for everything else the example of the first decision. */
function choose(match: Match): Schemas["Action"] | undefined {
  const decision = match.decisions.find((one) => one.required);
  if (decision?.type !== "fire") return decision?.example;
  const targets = decision.targets.sort(() => Math.random() - 0.5);
  return { ...decision.example, cells: targets.slice(0, decision.example.cells.length) };
}

/** What was answered, or an exception with the explanation of the service. */
async function ok<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request;
  if (data === undefined) throw new Error(`${response.status} ${error?.code}: ${error?.detail}`);
  return data;
}

/** A client that sends the token. */
async function join(baseUrl: string): Promise<Player> {
  const random = () => crypto.randomUUID().replaceAll("-", "");
  const body = { username: `bot${random().slice(0, 16)}`, password: random(), bot: true };
  const create = () => ok(createClient<paths>({ baseUrl }).POST("/v1/accounts", { body }));
  const token = process.env["BROADSIDE_TOKEN"] ?? (await create()).access_token;
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
}

/** A challenge of one's own, or the newest one that a program has made, as soon as there is one; accepted. */
async function meet(player: Player, role: string, variant: string): Promise<Challenge> {
  const opponent = process.env["BROADSIDE_OPPONENT"] ?? null;
  const visibility = opponent ? ("direct" as const) : ("open" as const);
  const body = { variant, opponent, visibility, clock: { kind: "per-move" as const, move_s: 300 } };
  if (role === "open") return ok(player.POST("/v1/challenges", { body }));
  for (;;) {
    const { items } = await ok(player.GET("/v1/challenges", { params: { query: { variant, acceptable: true } } }));
    const path = items.find((one) => one.creator.bot);
    if (path) return ok(player.POST("/v1/challenges/{id}/accept", { params: { path }, body: {} }));
    await sleep(500);
  }
}

/** The match as this player sees it: at once, or as soon as there is more than the version that they know. */
function look(player: Player, id: string, known?: Match): Promise<Match> {
  const query = known && { wait_s: 25, after_version: known.version };
  return ok(player.GET("/v1/matches/{id}", { params: { path: { id }, query } }));
}

/** Plays a match of a variant to its end, and says how it ended. */
async function play(player: Player, role: string, variant: string): Promise<string> {
  let challenge = await meet(player, role, variant);
  while (!challenge.match_id) {
    await sleep(500);
    challenge = await ok(player.GET("/v1/challenges/{id}", { params: { path: { id: challenge.id } } }));
  }
  const id = challenge.match_id;
  let match = await look(player, id);
  while (!match.result) {
    const action = choose(match);
    if (!action) {
      match = await look(player, id, match); // others have to act
      continue;
    }
    const body = { version: match.version, action };
    const answer = await player.POST("/v1/matches/{id}/actions", { params: { path: { id } }, body });
    const stale = answer.response.status === 409; // the match has moved on: look again
    match = (stale ? undefined : (await ok(Promise.resolve(answer))).match) ?? (await look(player, id));
  }
  return `${variant}: seat ${match.result.winner ?? "none"} wins (${match.result.reason})`;
}

const [url = "http://127.0.0.1:8080", role = "open", ...variants] = process.argv.slice(2);
const player = await join(url);
for (const variant of variants) console.log(await play(player, role, variant));
