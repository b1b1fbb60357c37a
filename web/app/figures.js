/** Statistics of a player: results by game, and what became of one's own shots, from records. */

import { send } from './api.js';
import { shotsOf } from './match/outcome.js';

/**
 * Shots of one's own on boards of one kind. `match` is one of the matches, for its board.
 * @typedef {{
 *   variant: string,
 *   match: string,
 *   matches: number,
 *   shots: number,
 *   known: number,
 *   struck: number,
 *   cells: Map<string, number>,
 * }} Tally
 * @typedef {{ variant: string, won: number, drawn: number, lost: number }} Results
 */

/** Records that are read at most, and characters of them. */
const RECORDS = 200;
const LONGEST = 16_000_000;

/**
 * @param {Schema<'MatchSummary'>[]} matches that are over
 * @param {string} name whose
 * @returns {Results[]} by game, the most played first
 */
export function results(matches, name) {
  /** @type {Map<string, Results>} */
  const all = new Map();
  for (const { variant, seats, result } of matches) {
    const seat = seats.find(({ player }) => player?.username === name)?.seat;
    const place = result?.places.find((one) => one.seat === seat)?.place;
    if (!place) continue; // called off
    const one = all.get(variant) ?? { variant, won: 0, drawn: 0, lost: 0 };
    // A winner is named unless the first place is shared.
    if (place > 1) one.lost++;
    else if (result?.winner === null) one.drawn++;
    else one.won++;
    all.set(variant, one);
  }
  const count = (/** @type {Results} */ { won, drawn, lost }) => won + drawn + lost;
  return [...all.values()].sort((a, b) => count(b) - count(a));
}

/**
 * Counts the shots of one record.
 * @param {Map<string, Tally>} all
 * @param {Schema<'MatchRecord'>} record
 * @param {string} account whose
 */
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

/**
 * Reads the records of one's newest matches, and counts one's shots.
 * @param {string} account
 * @param {AbortSignal} signal
 * @param {(matches: number) => void} progress
 */
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
