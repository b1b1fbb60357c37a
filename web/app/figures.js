/** Statistics of own shots, from records. */

import { send } from './api.js';
import { shotsOf } from './match/outcome.js';

/**
 * Own shots on boards of one kind. `match` is one of the matches, for its board.
 * @typedef {{ variant: string, match: string, matches: number, shots: number, known: number, struck: number,
 *   cells: Map<string, number> }} Tally
 */

/** Limits: records, and characters of records. */
const RECORDS = 200;
const LONGEST = 16_000_000;

/** @param {Map<string, Tally>} all @param {Schema<'MatchRecord'>} record @param {string} account the player */
export function countShots(all, { header, reports }, account) {
  const seat = header.seats.find(({ player }) => player === account)?.seat;
  const { board } = /** @type {AnyOf<Schema<'RuleSet'>>} */ (header.rule_set);
  const key = `${header.variant} ${JSON.stringify(board ?? '')}`;
  const own = reports.flatMap(shotsOf).filter((shots) => shots.seat === seat);
  if (!own.length) return;
  const fresh = { matches: 0, shots: 0, known: 0, struck: 0, cells: new Map() };
  const tally = all.get(key) ?? { variant: header.variant, match: header.match_id, ...fresh };
  tally.matches++;
  for (const { cells, known, struck } of own) {
    tally.shots += Math.max(known, cells.length);
    tally.known += known;
    tally.struck += struck;
    for (const cell of cells) tally.cells.set(cell, (tally.cells.get(cell) ?? 0) + 1);
  }
  all.set(key, tally);
}

/** Counts own shots in the records of the newest matches. @param {string} account @param {AbortSignal} signal
 * @param {(matches: number) => void} progress */
export async function ownShots(account, signal, progress) {
  const answer = await send('GET', '/v1/account/matches', { query: { format: 'json' }, signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  /** @type {Map<string, Tally>} */
  const all = new Map();
  let [text, count, length] = ['', 0, 0];
  for (let done = !reader; !done && count < RECORDS && length < LONGEST; ) {
    const part = await reader?.read();
    done = part?.done ?? true;
    text += part?.value ?? '';
    length += part?.value?.length ?? 0;
    const lines = text.split('\n');
    text = done ? '' : (lines.pop() ?? '');
    for (const line of lines.filter(Boolean).slice(0, RECORDS - count)) {
      countShots(all, JSON.parse(line), account);
      progress(++count);
    }
  }
  await reader?.cancel();
  return { count, tallies: [...all.values()].sort((a, b) => b.matches - a.matches) };
}
