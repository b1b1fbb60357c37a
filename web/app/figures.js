/** What became of one's own shots, from records. */

import { send } from './api.js';
import { shotsOf } from './match/outcome.js';

/**
 * Shots of one's own on boards of one kind. `match` is one of the matches, for its board.
 * @typedef {{ variant: string, match: string, matches: number, shots: number, known: number, struck: number,
 *   cells: Map<string, number> }} Tally
 */

/** Records that are read at most, and characters of them. */
const RECORDS = 200;
const LONGEST = 16_000_000;

/** Counts the shots of one record. @param {Map<string, Tally>} all @param {Schema<'MatchRecord'>} record
 * @param {string} account whose */
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

/** Reads the records of one's newest matches, and counts one's shots. @param {string} account
 * @param {AbortSignal} signal @param {(matches: number) => void} progress */
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
