/** Placing ships by drag, tap and keys. */

import { t } from '../i18n/index.js';
import { Field, shuffled } from './field.js';

/** Hint for a ship that can turn: touch screens have no key for it. */
const TURNING = matchMedia('(pointer: coarse)').matches ? 'place-or-turn-touch' : 'place-or-turn';

/**
 * @typedef {{ ship: string, name: string, class: string, shapes: { row: number, column: number }[][],
 *   allowed: Set<string>, at: string[] | null }} Piece
 * @typedef {{ cells: string[], shape: number }} Lying
 * @typedef {{ contact?: string, border?: string }} Spacing allowed closeness to other ships and to the edge
 */

export class PlaceField extends Field {
  /**
   * @param {string} key @param {string} sea
   * @param {Piece[]} pieces `at`: present cells of a ship that can stay
   * @param {{
   *   chart: import('../board/geometry.js').Chart,
   *   single: boolean,
   *   max?: number,
   *   spacing?: Spacing,
   * }} how `single`: ships of one cell
   */
  constructor(key, sea, pieces, { chart, single, max = pieces.length, spacing = {} }) {
    super(key, sea);
    this.pieces = pieces;
    this.chart = chart;
    this.single = single;
    this.max = max;
    this.spacing = spacing;
    this.staying = pieces.some(({ at }) => at);
    /** @type {Map<string, Lying>} */
    this.lying = new Map();
    /** @type {Piece | null} */
    this.selected = this.staying ? null : (pieces[0] ?? null);
    this.shape = 0;
    this.under = '';
    this.refused = '';
  }

  get full() {
    return this.staying || this.lying.size === this.pieces.length;
  }

  get empty() {
    return this.staying && !this.lying.size;
  }

  summary() {
    return this.staying ? '' : `${this.lying.size}/${this.pieces.length}`;
  }

  /** Neighbouring cells closed to other ships. @param {string[]} cells */
  #around(cells) {
    const { contact } = this.spacing;
    const corners = contact === 'forbidden' ? [-1, 1] : [];
    const steps =
      contact && contact !== 'allowed'
        ? [
            [-1, 0],
            [1, 0],
            [0, -1],
            [0, 1],
          ]
        : [];
    for (const row of corners) for (const column of corners) steps.push([row, column]);
    return cells.flatMap((cell) => steps.map(([row, column]) => this.chart.beside(cell, row, column) ?? cell));
  }

  /** With border `end-on`: true if more than one side of the cells lies on the edge. @param {string[]} cells */
  #alongEdge(cells) {
    if (this.spacing.border !== 'end-on') return false;
    const open = (/** @type {string} */ cell) =>
      [
        [-1, 0],
        [1, 0],
        [0, -1],
        [0, 1],
      ].filter(([row, column]) => !this.chart.beside(cell, row, column)).length;
    return cells.reduce((sum, cell) => sum + open(cell), 0) > 1;
  }

  /** @param {(label: string) => boolean} free */
  shuffle(free) {
    if (this.staying) return null;
    const order = [...this.pieces].sort((a, b) => (b.shapes[0]?.length ?? 1) - (a.shapes[0]?.length ?? 1));
    for (let tries = 0; tries < 200; tries++) {
      this.lying.clear();
      /** @type {Set<string>} */
      const closed = new Set();
      for (const piece of order) {
        const found = this.#anywhere(piece, (label) => free(label) && !closed.has(label));
        if (!found) break;
        this.lying.set(piece.ship, found);
        for (const cell of [...found.cells, ...this.#around(found.cells)]) closed.add(cell);
      }
      if (this.lying.size === order.length) {
        this.selected = null;
        this.refused = '';
        return [...this.lying.values()].flatMap(({ cells }) => cells);
      }
    }
    this.lying.clear();
    return null;
  }

  /** @param {Piece} piece @param {(label: string) => boolean} free @returns {Lying | null} */
  #anywhere(piece, free) {
    for (const label of shuffled(piece.allowed)) {
      for (const shape of shuffled(piece.shapes.keys())) {
        const cells = this.#cells(piece, shape, label, 0);
        if (cells?.every(free) && !this.#alongEdge(cells)) return { cells, shape };
      }
    }
    return null;
  }

  values() {
    const placed = this.pieces.filter(({ ship }) => this.lying.has(ship));
    const cells = (/** @type {string} */ ship) => this.lying.get(ship)?.cells ?? [];
    return {
      [this.key]: placed.map(({ ship }) =>
        this.single ? { ship, cell: cells(ship)[0] } : { ship, cells: cells(ship) },
      ),
    };
  }

  hint() {
    if (this.refused) return this.refused;
    if (this.selected) return t(this.selected.shapes.length > 1 ? TURNING : 'place', { ship: this.selected.name });
    return this.staying ? t('move-or-stay') : t('ready');
  }

  /** The cells of a shape placed over a cell, or null if they don't fit. @param {Piece} piece @param {number} shape
   * @param {string} label @param {number} grip index of its cell there */
  #cells(piece, shape, label, grip) {
    const offsets = piece.shapes[shape] ?? [];
    const held = offsets[grip];
    if (!held) return null;
    const others = this.pieces.filter(({ ship }) => ship !== piece.ship);
    const taken = new Set(others.flatMap(({ ship, at }) => this.lying.get(ship)?.cells ?? at ?? []));
    const cells = [];
    for (const { row, column } of offsets) {
      const cell = this.chart.beside(label, row - held.row, column - held.column);
      if (!cell || !piece.allowed.has(cell) || taken.has(cell)) return null;
      cells.push(cell);
    }
    return cells;
  }

  /** The placement over a cell that is closest to the ship's present orientation. @param {Piece} piece
   * @param {string} label */
  #fit(piece, label) {
    for (let grip = 0; grip < (piece.shapes[this.shape]?.length ?? 0); grip++) {
      const cells = this.#cells(piece, this.shape, label, grip);
      if (cells) return cells;
    }
    return null;
  }

  /** @param {string} label */
  press(label) {
    this.refused = '';
    const lies = this.pieces.find(({ ship }) => this.lying.get(ship)?.cells.includes(label));
    if (lies && lies === this.selected) {
      this.turn(label);
      return true;
    }
    if (lies) {
      this.select(lies);
      return true;
    }
    if (!this.selected) {
      const stays = this.pieces.find(({ ship, at }) => at?.includes(label) && !this.lying.has(ship));
      if (stays) this.select(stays);
      return !!stays;
    }
    if (!this.lying.has(this.selected.ship) && this.lying.size >= this.max) return false;
    const cells = this.#fit(this.selected, label);
    if (!cells) {
      this.refused = t('does-not-fit', { ship: this.selected.name, cell: label });
      return false;
    }
    this.lying.set(this.selected.ship, { cells, shape: this.shape });
    this.wrong.clear();
    if (!this.staying) this.#next();
    return true;
  }

  #next() {
    const next = this.pieces.find(({ ship }) => !this.lying.has(ship));
    if (next) this.select(next);
    else this.selected = null;
  }

  /** @param {Piece} piece */
  select(piece) {
    this.selected = piece;
    const shapes = piece.shapes.length;
    this.shape = this.lying.get(piece.ship)?.shape ?? (this.shape < shapes ? this.shape : 0);
  }

  /** Picks up a ship, from the list or from the board. @param {string} shipOrCell */
  grab(shipOrCell) {
    const on = (/** @type {Piece} */ { ship, at }) => (this.lying.get(ship)?.cells ?? at ?? []).includes(shipOrCell);
    const piece = this.pieces.find(({ ship }) => ship === shipOrCell) ?? this.pieces.find(on);
    if (!piece) return false;
    this.select(piece);
    this.lying.delete(piece.ship);
    return true;
  }

  /** Turns the selected ship, on the board or in the hand. @param {string} [around] */
  turn(around) {
    const piece = this.selected;
    if (!piece) return;
    const lies = this.lying.get(piece.ship);
    for (let turns = 1; turns <= piece.shapes.length; turns++) {
      const shape = (this.shape + turns) % piece.shapes.length;
      const cells = lies ? this.#cells(piece, shape, around ?? lies.cells[0], 0) : [];
      if (!cells) continue;
      this.shape = shape;
      if (lies) this.lying.set(piece.ship, { cells, shape });
      return;
    }
    this.refused = t('cannot-turn', { ship: piece.name });
  }

  undo() {
    if (this.selected && this.lying.has(this.selected.ship)) {
      this.lying.delete(this.selected.ship);
      if (this.staying) this.selected = null;
      return true;
    }
    const last = [...this.lying.keys()].at(-1);
    if (!last) return false;
    this.grab(last);
    return true;
  }

  /** @param {string} label */
  hover(label) {
    this.under = label;
  }

  paint() {
    /** @type {Map<string, import('./field.js').Paint>} */
    const paint = new Map();
    const ship = this.selected;
    if (!ship) return paint;
    for (const label of ship.allowed) paint.set(label, { state: 'open' });
    const lies = this.lying.has(ship.ship);
    const ghost = !lies && this.under ? this.#fit(ship, this.under) : null;
    if (!lies && this.under && !ghost && ship.allowed.has(this.under)) paint.set(this.under, { state: 'wrong' });
    return paint;
  }

  /** Preview of the ship in the hand. @returns {import('./field.js').Hull[]} */
  #ghost() {
    const ship = this.selected;
    const cells = ship && !this.lying.has(ship.ship) && this.under ? this.#fit(ship, this.under) : null;
    return ship && cells
      ? [{ id: ship.ship, seat: -1, class: ship.class, name: ship.name, cells, own: true, ghost: true }]
      : [];
  }

  hulls() {
    const lying = [...this.lying].map(([id, { cells }]) => {
      const piece = this.pieces.find(({ ship }) => ship === id);
      const number = this.pieces.indexOf(/** @type {Piece} */ (piece));
      const kind = { own: true, planned: true, movable: true, traits: this.wrong.has(number) ? ['refused'] : [] };
      return {
        id,
        seat: -1,
        class: piece?.class ?? '',
        name: piece?.name ?? id,
        cells,
        selected: piece === this.selected,
        ...kind,
      };
    });
    return [...lying, ...this.#ghost()];
  }

  moved() {
    return [...this.lying.keys()];
  }

  items() {
    return this.pieces.map((piece) => {
      const lies = this.lying.get(piece.ship);
      return {
        id: piece.ship,
        text: piece.name,
        ship: { class: piece.class, length: piece.shapes[0]?.length ?? 1 },
        detail: lies ? lies.cells[0] + (lies.cells.length > 1 ? `–${lies.cells.at(-1)}` : '') : '',
        state: /** @type {import('./field.js').Item['state']} */ (
          piece === this.selected ? 'selected' : lies ? 'chosen' : ''
        ),
        pick: () => (piece === this.selected ? this.turn() : this.select(piece)),
        drag: true,
        ...(lies && { remove: () => this.grab(piece.ship) }),
      };
    });
  }
}
