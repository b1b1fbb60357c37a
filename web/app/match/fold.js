/** A finished match, report by report: marks and positions of ships after each step. It reads only the shapes of
 * reports, so it pictures the course of a match; the match's view is authoritative. */

import { cellsTold, readable, seatOf } from './told.js';

/** @typedef {AnyOf<Schema<'RevealedShip' | 'FloatingShip'>>} Revealed */
/** @typedef {Map<string, Map<string, Schema<'MarkView'>>>} Marks */
/**
 * @typedef {{ report: Schema<'Report'>, marks: Marks, ships: Map<string, string[]>, told: [string, string][] }} Step
 */

/** @param {number} seat @param {string} ship */
const nameOf = (seat, ship) => `${seat}/${ship}`;

/** Finds the initial positions of ships: the last report reveals everything. @param {any} value @param {number} seat
 * @param {Map<string, string[]>} into */
function firstPlaces(value, seat, into) {
  if (!value || typeof value !== 'object') return;
  const whose = typeof value.owner === 'number' ? value.owner : typeof value.seat === 'number' ? value.seat : seat;
  const { ship, first_cell: cell, first_cells: cells = cell && [cell] } = /** @type {Revealed} */ (value);
  if (ship && cells) into.set(nameOf(whose, ship), cells);
  for (const one of Object.values(value)) firstPlaces(one, whose, into);
}

/** @param {Schema<'Report'>} report @param {Map<string, string[]>} ships */
function follow(report, ships) {
  const { ships: placed, ship, path, orders } = /** @type {AnyOf<Schema<'Report'>>} */ (report);
  const put = (/** @type {string} */ id, /** @type {string[]} */ cells) => ships.set(nameOf(seatOf(report), id), cells);
  for (const one of placed ?? []) put(one.ship, 'cells' in one ? one.cells : [one.cell]);
  if (ship && path?.length) put(ship, path.slice(-1));
  for (const one of orders ?? []) if ('to' in one && one.to) put(one.ship, [one.to]);
}

/** @param {Schema<'Match'>} view final @param {Schema<'Report'>[]} reports @returns {Step[]} */
export function fold(view, reports) {
  /** @type {Marks} */
  const last = new Map(view.seas.map((sea) => [sea.id, new Map(sea.marks.map((mark) => [mark.cell, mark]))]));
  /** @type {Map<string, string[]>} */
  const ships = new Map();
  for (const sea of view.seas)
    for (const ship of sea.ships) if (ship.cells) ships.set(nameOf(ship.seat, ship.id), ship.cells);
  for (const report of reports) firstPlaces(report, seatOf(report), ships);
  /** @type {Marks} */
  const marks = new Map(view.seas.map((sea) => [sea.id, new Map()]));
  /** @type {Step[]} */
  const steps = [];
  for (const report of reports.filter(readable)) {
    follow(report, ships);
    const told = cellsTold(report, view);
    const answers = new Map(('shots' in report ? report.shots : []).map((shot) => [shot.cell, shot]));
    for (const [sea, cell] of told) {
      const shot = answers.get(cell);
      const known = last.get(sea)?.get(cell);
      const kind = shot?.answer ?? known?.kind;
      if (kind) marks.get(sea)?.set(cell, { ...known, cell, kind, count: shot?.clue ?? known?.count });
    }
    const copy = new Map([...marks].map(([sea, all]) => /** @type {const} */ ([sea, new Map(all)])));
    steps.push({ report, marks: copy, ships: new Map(ships), told });
  }
  return steps;
}

/** The view at a step, for the boards. @param {Schema<'Match'>} view @param {Step | undefined} step */
export function viewAt(view, step) {
  if (!step) return view;
  const seas = view.seas.map((sea) => ({
    ...sea,
    marks: [...(step.marks.get(sea.id)?.values() ?? [])],
    ships: sea.ships.map((ship) => {
      const cells = step.ships.get(nameOf(ship.seat, ship.id)) ?? ship.cells;
      const sunk =
        cells?.length &&
        cells.every((/** @type {string} */ cell) => step.marks.get(sea.id)?.get(cell)?.kind === 'sunk');
      return { ...ship, cells, afloat: sunk ? false : null, hits: null };
    }),
  }));
  return { ...view, seas };
}
