/** A finished match, report by report: what each step has made known, and where the ships were then. It reads the shapes of
 * reports only, so it is a picture of the course of a match; what holds is the view of the match. */

import { cellsTold, readable } from './words.js';

/** @typedef {{ report: any, marks: Map<string, Map<string, any>>, ships: Map<string, string[]>, told: [string, string][] }} Step */

/** @param {number} seat @param {string} ship */
const nameOf = (seat, ship) => `${seat}/${ship}`;

/** Finds where the ships were at first: the last report shows everything. @param {any} value @param {number} seat @param {Map<string, string[]>} into */
function firstPlaces(value, seat, into) {
  if (!value || typeof value !== 'object') return;
  const whose = typeof value.owner === 'number' ? value.owner : typeof value.seat === 'number' ? value.seat : seat;
  const cells = value.first_cells ?? (value.first_cell ? [value.first_cell] : null);
  if (typeof value.ship === 'string' && cells) into.set(nameOf(whose, value.ship), cells);
  for (const one of Object.values(value)) firstPlaces(one, whose, into);
}

/** Moves the ships that a report moves. @param {any} report @param {Map<string, string[]>} ships */
function follow(report, ships) {
  const put = (/** @type {string} */ ship, /** @type {string[]} */ cells) =>
    ships.set(nameOf(report.seat, ship), cells);
  for (const one of Array.isArray(report.ships) ? report.ships : []) {
    if (one.cells ?? one.cell) put(one.ship, one.cells ?? [one.cell]);
  }
  if (report.ship && Array.isArray(report.path) && report.path.length) put(report.ship, [report.path.at(-1)]);
  for (const one of Array.isArray(report.orders) ? report.orders : []) if (one.to) put(one.ship, [one.to]);
}

/** Makes the steps of a match. @param {Schema<'Match'>} view the view at the end @param {any[]} reports @returns {Step[]} */
export function fold(view, reports) {
  /** @type {Map<string, Map<string, any>>} */
  const last = new Map(
    view.seas.map((/** @type {any} */ sea) => [
      sea.id,
      new Map(sea.marks.map((/** @type {any} */ mark) => [mark.cell, mark])),
    ]),
  );
  /** @type {Map<string, string[]>} */
  const ships = new Map();
  for (const sea of view.seas)
    for (const ship of sea.ships) if (ship.cells) ships.set(nameOf(ship.seat, ship.id), ship.cells);
  for (const report of reports) firstPlaces(report, report.seat, ships);
  /** @type {Map<string, Map<string, any>>} */
  const marks = new Map(view.seas.map((/** @type {any} */ sea) => [sea.id, new Map()]));
  /** @type {Step[]} */
  const steps = [];
  for (const report of reports.filter(readable)) {
    follow(report, ships);
    const told = cellsTold(report, view);
    const answers = new Map((report.shots ?? []).map((/** @type {any} */ shot) => [shot.cell, shot]));
    for (const [sea, cell] of told) {
      const shot = answers.get(cell);
      const known = last.get(sea)?.get(cell);
      const kind = shot?.answer ?? known?.kind;
      if (kind) marks.get(sea)?.set(cell, { ...known, cell, kind, count: shot?.clue ?? known?.count });
    }
    const copy = new Map(
      [...marks].map(([sea, all]) => /** @type {[string, Map<string, any>]} */ ([sea, new Map(all)])),
    );
    steps.push({ report, marks: copy, ships: new Map(ships), told });
  }
  return steps;
}

/** The view at a step, for the boards. @param {Schema<'Match'>} view @param {Step | undefined} step */
export function viewAt(view, step) {
  if (!step) return view;
  const seas = view.seas.map((/** @type {any} */ sea) => ({
    ...sea,
    marks: [...(step.marks.get(sea.id)?.values() ?? [])],
    ships: sea.ships.map((/** @type {any} */ ship) => {
      const cells = step.ships.get(nameOf(ship.seat, ship.id)) ?? ship.cells;
      const sunk =
        cells?.length &&
        cells.every((/** @type {string} */ cell) => step.marks.get(sea.id)?.get(cell)?.kind === 'sunk');
      return { ...ship, cells, afloat: sunk ? false : null, hits: null };
    }),
  }));
  return { ...view, seas };
}
