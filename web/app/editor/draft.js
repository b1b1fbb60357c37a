/** A draft of rules: the variant, its changes, and the sea and fleet by these rules. */

import { Chart } from '../board/geometry.js';
import { PlaceField } from '../decisions/place.js';
import { recall, remember } from '../memory.js';
import { resolve } from '../rules-form.js';
import { me } from '../session.js';

/**
 * @typedef {Record<string, any>} Rules
 * @typedef {{ row: number, column: number }} Spot
 * @typedef {{ class: string, name: string, length: number, count: number, shape?: string[] | null, turning?: boolean,
 *   mirroring?: boolean }} ShipClass
 */

/** Without empty values, and with sorted keys. @param {any} value @returns {any} */
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (!value || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([, one]) => one !== undefined && one !== null && one.length !== 0);
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, plain(one)]));
}

/** True if two values are the same rule; empty and missing are equal. @param {any} a @param {any} b */
export const same = (a, b) => JSON.stringify(plain({ a })) === JSON.stringify(plain({ a: b }));

/** @param {string} key */
const stored = (key) => `rules-${key}`;

/** The changes of a draft; null: no draft. @param {string} key @returns {Rules | null} */
export const keptChanges = (key) => recall(stored(key));

/** A sea of rows and columns, with the service's cell names. @param {number} rows @param {number} columns
 * @param {boolean} [lettered] columns have the letters @returns {import('../board/geometry.js').Sea} */
export function grid(rows, columns, lettered = false) {
  const letters = (/** @type {number} */ count) => Array.from({ length: count }, (_, i) => String.fromCharCode(65 + i));
  const numbers = (/** @type {number} */ count) => Array.from({ length: count }, (_, i) => String(i + 1));
  const [row_titles, column_titles] = lettered ? [numbers(rows), letters(columns)] : [letters(rows), numbers(columns)];
  const cells = row_titles.flatMap((r, row) =>
    column_titles.map((c, column) => ({ label: lettered ? c + r : r + c, layer: 'sea', row, column })),
  );
  return { id: 'sea', rows, columns, layers: [{ id: 'sea', name: '' }], row_titles, column_titles, cells, lines: [] };
}

/** Moves cells into the corner, sorted. @param {Spot[]} cells */
export function cornered(cells) {
  const [top, left] = [Math.min(...cells.map(({ row }) => row)), Math.min(...cells.map(({ column }) => column))];
  const moved = cells.map(({ row, column }) => ({ row: row - top, column: column - left }));
  return moved.sort((a, b) => a.row - b.row || a.column - b.column);
}

/** The cells of a class, from its rule. @param {ShipClass} kind */
export function cellsOf({ length, shape }) {
  if (!shape) return Array.from({ length }, (_, column) => ({ row: 0, column }));
  return shape.flatMap((text, row) => [...text].flatMap((sign, column) => (sign === 'x' ? [{ row, column }] : [])));
}

/** The orientations of a class. @param {ShipClass} kind */
function ways(kind) {
  const all = [cellsOf(kind)];
  if (kind.mirroring) all.push(all[0].map(({ row, column }) => ({ row, column: -column })));
  for (let turn = 0; kind.turning !== false && turn < 3; turn++)
    for (const cells of all.slice(kind.mirroring ? -2 : -1))
      all.push(cells.map(({ row, column }) => ({ row: column, column: -row })));
  return [...new Map(all.map(cornered).map((cells) => [JSON.stringify(cells), cells])).values()];
}

export class Draft {
  /** @param {Schema<'Variant'>} card @param {string} key storage key
   * @param {Rules} [start] initial rules without a stored draft */
  constructor(card, key, start = card.rule_set) {
    this.card = card;
    this.key = key;
    this.schema = card.rule_set_schema;
    this.base = /** @type {Rules} */ (card.rule_set);
    const kept = keptChanges(key);
    /** @type {Rules} */
    this.rules = kept ? { ...this.base, ...kept } : start;
    /** @type {Schema<'RuleSetCheck'> | null} latest answer of the service */
    this.check = null;
    /** @type {import('../board/board.js').Hull[]} */
    this.hulls = [];
    this.placed = '';
  }

  /** Fields that differ from the variant's. @returns {Rules} */
  get changes() {
    const names = Object.keys({ ...this.base, ...this.rules });
    const differ = names.filter((name) => !same(this.base[name], this.rules[name]));
    return Object.fromEntries(differ.map((name) => [name, this.rules[name] ?? null]));
  }

  /** @param {Rules} changes */
  set(changes) {
    this.rules = { ...this.rules, ...changes };
    const { islands } = this.rules;
    if (islands) {
      const sea = new Set(this.sea().cells.map(({ label }) => label));
      const cells = islands.cells.filter((/** @type {string} */ label) => sea.has(label));
      this.rules.islands = cells.length || islands.drawn ? { ...islands, cells } : undefined;
    }
    const kept = this.changes;
    if (Object.keys(kept).length) remember(stored(this.key), kept);
    else this.drop();
  }

  /** Guests can't name ships and weapons. */
  get names() {
    return me()?.guest === false;
  }

  /** @returns {ShipClass[]} */
  get fleet() {
    return this.rules.fleet ?? [];
  }

  /** @returns {Record<string, any>[]} */
  get weapons() {
    return this.rules.weapons ?? [];
  }

  /** Deletes the stored draft. */
  drop() {
    remember(stored(this.key), null);
  }

  /** The title of a class or weapon in the reader's language. @param {Rules} thing */
  titleOf({ class: kind, weapon, name }) {
    const known = this.card.classes.find((one) => one.class === kind && one.name === name);
    return (known ?? this.card.supply_titles.find(({ supply }) => supply === weapon))?.title ?? name;
  }

  /** The schema of a field, or null; `items` is an item of a list. @param {string[]} path @returns {any} */
  part(...path) {
    return path.reduce((at, name) => {
      const next = name === 'items' ? at?.items : at?.properties?.[name];
      return next ? resolve(next, this.schema) : null;
    }, /** @type {any} */ (this.schema));
  }

  /** Sides of the sea that can change, as paths to their fields. */
  get sides() {
    const paths = ['rows', 'rows_per_seat', 'columns'].flatMap((side) => [['board', side], [side]]);
    return paths.filter((path) => this.part(...path)?.type === 'integer');
  }

  /** The sea by these rules, as far as known before the service's check. */
  sea() {
    const { board, islands } = this.rules;
    const [known] = (this.check?.board ?? this.card.board).seas;
    const titles = new Map(this.card.layer_titles.map(({ layer, title }) => [layer, title]));
    const layers = known.layers.map(({ id, name }) => ({ id, name: titles.get(id) ?? name }));
    const sea = this.part('board', 'labels')
      ? grid(board.rows, board.columns, board.labels === 'column-letter')
      : /** @type {import('../board/geometry.js').Sea} */ ({ ...known, layers });
    if (!this.part('islands')) return sea;
    const land = new Set(islands?.cells);
    return { ...sea, cells: sea.cells.map((cell) => ({ ...cell, feature: land.has(cell.label) ? 'island' : null })) };
  }

  /** Places an example fleet, unless the present one fits. @param {boolean} [again] */
  place(again = false) {
    const { board, contact, border, islands } = this.rules;
    const fleet = this.part('fleet', 'items', 'length') ? this.fleet : [];
    const sea = this.sea();
    const chart = new Chart(sea);
    const near = [-1, 0, 1].flatMap((row) => [-1, 0, 1].map((column) => [row, column]));
    const close = { forbidden: 2, corners: 1 }[/** @type {string} */ (islands?.contact)] ?? 0;
    const steps = near.filter(([row, column]) => Math.abs(row) + Math.abs(column) <= close);
    const land = sea.cells.filter(({ feature }) => feature === 'island');
    const shut = new Set(land.flatMap(({ label }) => steps.map(([r, c]) => chart.beside(label, r, c))));
    const allowed = new Set(sea.cells.map(({ label }) => label).filter((label) => !shut.has(label)));
    const asked = JSON.stringify([fleet, board, contact, border]);
    if (!again && asked === this.placed && this.hulls.every(({ cells }) => cells.every((cell) => allowed.has(cell))))
      return;
    this.placed = asked;
    const pieces = fleet.flatMap((kind) => {
      const [shapes, count] = [ways(kind), Array.from({ length: kind.count }, (_, i) => `${kind.class}-${i + 1}`)];
      return count.map((ship) => ({ ship, name: this.titleOf(kind), class: kind.class, shapes, allowed, at: null }));
    });
    const field = new PlaceField('', sea.id, pieces, { chart, single: false, spacing: { contact, border } });
    field.shuffle(() => true);
    this.hulls = field.hulls().map((hull) => ({ ...hull, planned: false, movable: false }));
  }
}
