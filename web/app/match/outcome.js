/** Results of shots, by the shapes of reports: for effects, sounds and statistics. */

import { t } from '../i18n/index.js';
import { cellsTold, seatOf } from './told.js';

/**
 * Shots answered together: `struck` of `known` hit; `known` is 0 where the rules don't tell the number.
 * @typedef {{ seat: number, cells: string[], hit: boolean, sunk: boolean, known: number, struck: number }} Shots
 */

/** @type {string[]} */
const STRUCK = /** @satisfies {Schema<'MarkKind'>[]} */ (['hit', 'sunk']);

/** @param {number} seat @param {any} value with a cell and its answer @returns {Shots} */
function answered(seat, { cell, answer }) {
  const hit = STRUCK.includes(answer);
  return { seat, cells: [cell], hit, sunk: answer === STRUCK[1], known: answer === null ? 0 : 1, struck: hit ? 1 : 0 };
}

/** @param {number} seat @param {any} value with the ships that were hit @returns {Shots} */
function named(seat, { cell, cells = cell ? [cell] : [], hit, sunk }) {
  const some = hit.length > 0;
  // Which of several shots hit isn't told.
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

/** @param {Schema<'Report'>} report @returns {Shots[]} */
export function shotsOf(report) {
  if ('seas' in report) return []; // what is shown at the end was told before
  /** @type {Shots[]} */
  const shots = [];
  gather(report, seatOf(report), shots);
  const { hits, sunk, answer, shots: own } = /** @type {AnyOf<Schema<'Report'>>} */ (report);
  if (!own || shots.some(({ known }) => known)) return shots;
  // The answer to a whole salvo.
  const all = { seat: seatOf(report), cells: shots.flatMap(({ cells }) => cells) };
  const hit = typeof hits === 'number' ? hits > 0 : STRUCK.includes(String(answer));
  const known = typeof hits === 'number' ? all.cells.length : 0;
  const down = (typeof sunk === 'number' && sunk > 0) || answer === STRUCK[1];
  return [{ ...all, hit, sunk: down, known, struck: typeof hits === 'number' ? hits : 0 }];
}

/** @typedef {import('../kit/effects.js').Happening} Happening */

/** The effects of marks. @type {Record<string, Happening['kind']>} */
const FELT = { miss: 'miss', tried: 'miss', hit: 'hit', sunk: 'sunk', near: 'near', sighted: 'near' };

/** The visible effects of a report by sea: a shell for each of its cells. @param {Schema<'Report'>} report
 * @param {Schema<'Match'>} view after the report
 * @returns {{ sea: string, seat: number, own: boolean, cells: string[], happenings: Happening[] }[]} */
export function actsOf(report, view) {
  const { answer, cell, shots = cell && answer ? [{ cell, answer }] : [] } = /** @type {any} */ (report);
  const answers = new Map(shots.map((/** @type {any} */ shot) => [shot.cell, shot.answer]));
  const seat = seatOf(report);
  const own = seat === view.viewer.seat;
  /** @type {Map<string, Happening[]>} */
  const seas = new Map();
  if (!shotsOf(report).length && !answers.size) return [];
  for (const [sea, where] of cellsTold(report, view)) {
    const known = view.seas.find(({ id }) => id === sea);
    const mark = known?.marks.find((one) => one.cell === where)?.kind;
    const kind = FELT[answers.get(where) ?? mark ?? ''];
    if (!kind || (answers.size && !answers.has(where))) continue;
    const ship = known?.ships.find((one) => one.cells?.includes(where))?.name;
    const mine = known?.owner === view.viewer.seat;
    const sinking = ship ? t(mine ? 'felt-lost' : own ? 'felt-sank' : 'felt-gone', { ship }) : t('felt-sunk');
    const happening = { cell: where, kind, text: kind === 'sunk' ? sinking : t(`felt-${kind}`) };
    seas.set(sea, [...(seas.get(sea) ?? []), happening]);
  }
  return [...seas].map(([sea, happenings]) => ({
    sea,
    seat,
    own,
    cells: happenings.map((one) => one.cell),
    happenings,
  }));
}

/** The shots of a seat in order, as far as reported. @param {Schema<'Report'>[]} reports @param {Schema<'Match'>} view
 * @param {number} seat */
export function firing(reports, view, seat) {
  const shown = reports.find((report) => 'seas' in report && report.seas.some((/** @type {any} */ sea) => sea.shots));
  /** @type {('miss' | 'hit' | 'sunk')[]} */
  let line = [];
  if (shown && 'seas' in shown && view.seats.length === 2) {
    const told = /** @type {Schema<'RevealedSea'>[]} */ (shown.seas).find(({ owner }) => owner !== seat)?.shots ?? [];
    line = told.map(({ answer }) => (answer === 'hit' || answer === 'sunk' ? answer : 'miss'));
  } else {
    for (const shots of reports.flatMap(shotsOf).filter((one) => one.seat === seat)) {
      const count = Math.max(shots.known, shots.cells.length);
      for (let i = 0; i < count; i++)
        line.push(i < shots.struck || (!shots.known && shots.hit && !i) ? (shots.sunk && !i ? 'sunk' : 'hit') : 'miss');
    }
  }
  let [run, longest] = [0, 0];
  for (const one of line) longest = Math.max(longest, (run = one === 'miss' ? 0 : run + 1));
  const hits = line.filter((one) => one !== 'miss').length;
  return { line, shots: line.length, hits, longest, first: line.findIndex((one) => one !== 'miss') + 1 };
}
