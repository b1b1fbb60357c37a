/** What came of shots, by the shapes of reports: for those who listen, and for statistics. */

import { seatOf } from './words.js';

/**
 * Shots whose answer was told together: `struck` of `known` of them hit; `known` is 0 where the rules don't tell how
 * many.
 * @typedef {{ seat: number, cells: string[], hit: boolean, sunk: boolean, known: number, struck: number }} Shots
 */

/** Marks of a ship that was struck. @type {string[]} */
const STRUCK = /** @satisfies {Schema<'MarkKind'>[]} */ (['hit', 'sunk']);

/** @param {number} seat @param {any} value with a cell and its answer @returns {Shots} */
function answered(seat, { cell, answer }) {
  const hit = STRUCK.includes(answer);
  return { seat, cells: [cell], hit, sunk: answer === STRUCK[1], known: answer === null ? 0 : 1, struck: hit ? 1 : 0 };
}

/** @param {number} seat @param {any} value with the ships that were hit @returns {Shots} */
function named(seat, { cell, cells = cell ? [cell] : [], hit, sunk }) {
  const some = hit.length > 0;
  // Which of several shots have hit is not told.
  const known = cells.length === 1 ? 1 : 0;
  return { seat, cells, hit: some, sunk: sunk?.length > 0, known, struck: known && some ? 1 : 0 };
}

/** @param {any} value @param {number} seat @param {Shots[]} into */
function gather(value, seat, into) {
  if (!value || typeof value !== 'object') return;
  const whose = typeof value.seat === 'number' ? value.seat : seat;
  if ('cell' in value && 'answer' in value) into.push(answered(whose, value));
  else if (Array.isArray(value.hit)) into.push(named(whose, value));
  else if (typeof value.hit === 'boolean')
    into.push({ seat: whose, cells: [], hit: value.hit, sunk: false, known: 1, struck: value.hit ? 1 : 0 });
  else for (const [key, one] of Object.entries(value)) if (key !== 'next') gather(one, whose, into);
}

/** The shots that a report tells of. @param {Schema<'Report'>} report @returns {Shots[]} */
export function shotsOf(report) {
  if ('seas' in report) return []; // what is shown at the end was told before
  /** @type {Shots[]} */
  const shots = [];
  gather(report, seatOf(report), shots);
  const { hits, sunk, answer, shots: own } = /** @type {AnyOf<Schema<'Report'>>} */ (report);
  if (!own || shots.some(({ known }) => known)) return shots;
  // The answer to the whole salvo.
  const all = { seat: seatOf(report), cells: shots.flatMap(({ cells }) => cells) };
  const hit = typeof hits === 'number' ? hits > 0 : STRUCK.includes(String(answer));
  const known = typeof hits === 'number' ? all.cells.length : 0;
  const down = (typeof sunk === 'number' && sunk > 0) || answer === STRUCK[1];
  return [{ ...all, hit, sunk: down, known, struck: typeof hits === 'number' ? hits : 0 }];
}

/** The best that some reports tell of: nothing, where no shot was fired.
 * @param {Schema<'Report'>[]} reports @returns {'sunk' | 'hit' | 'miss' | null} */
export function bestOf(reports) {
  const shots = reports.flatMap(shotsOf);
  if (!shots.length) return null;
  if (shots.some(({ sunk }) => sunk)) return 'sunk';
  return shots.some(({ hit }) => hit) ? 'hit' : 'miss';
}
