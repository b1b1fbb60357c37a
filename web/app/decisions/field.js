/** Fields of a choice, recognized by the shape of their data, never by the name of a game or action. */

import { t } from '../i18n/index.js';

/**
 * An entry in the list beside the board.
 * @typedef {{ id: string, text: string, detail?: string, state?: 'chosen' | 'selected' | 'wrong' | '',
 *   pick?: () => void, remove?: () => void, drag?: boolean, ship?: { class: string, length: number } }} Item
 * @typedef {import('../board/board.js').Known} Known
 * @typedef {import('../board/board.js').Paint} Paint
 * @typedef {import('../board/board.js').Hull} Hull
 */

/** @template T @param {Iterable<T>} some @returns {T[]} */
export function shuffled(some) {
  const all = [...some];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}

/** A part of an action that the player chooses. */
export class Field {
  /** @param {string} key in the action @param {string} sea */
  constructor(key, sea) {
    this.key = key;
    this.sea = sea;
    /** @type {Set<number>} list positions refused by the server */
    this.wrong = new Set();
  }

  /** Enough is chosen. */
  get full() {
    return false;
  }

  /** A second press on the same cell sends. */
  get quick() {
    return false;
  }

  /** Can be sent with nothing chosen. */
  get empty() {
    return false;
  }

  /** The choice in a word or two, for the button. */
  summary() {
    return '';
  }

  /** Chooses at random. @param {(label: string) => boolean} _free
   * @returns {string[] | null} cells taken; null: impossible */
  shuffle(_free) {
    return null;
  }

  /** @returns {Record<string, any>} the fields of the action */
  values() {
    return {};
  }

  /** @returns {string} the next step */
  hint() {
    return '';
  }

  /** @param {string} _label @returns {boolean} true: handled */
  press(_label) {
    return false;
  }

  /** @param {string} _label */
  hover(_label) {}

  turn() {}

  /** Cancels a half-made choice. @returns {boolean} true: there was one */
  undo() {
    return false;
  }

  /** @returns {Map<string, Paint>} */
  paint() {
    return new Map();
  }

  /** @returns {Hull[]} ships at their planned places */
  hulls() {
    return [];
  }

  /** @returns {string[]} ships that `hulls` draws elsewhere */
  moved() {
    return [];
  }

  /** @returns {Known['routes']} */
  routes() {
    return [];
  }

  /** Cells that a weapon would cover. @returns {Known['patterns']} */
  patterns() {
    return [];
  }

  /** @returns {Item[]} */
  items() {
    return [];
  }
}

/** A cell label for display, layer first. @param {string} label */
export const spot = (label) => label.split('@').reverse().join(' · ');

export class CellsField extends Field {
  /** @param {string} key @param {string} sea @param {string[]} allowed
   * @param {{ min: number, max: number, single?: boolean, name?: string }} how */
  constructor(key, sea, allowed, { min, max, single = false, name = '' }) {
    super(key, sea);
    this.allowed = new Set(allowed);
    this.min = Math.min(min, allowed.length);
    this.max = max;
    this.single = single;
    this.name = name;
    /** @type {string[]} */
    this.chosen = [];
  }

  get full() {
    return this.chosen.length >= this.min;
  }

  get quick() {
    return this.max === 1;
  }

  values() {
    return { [this.key]: this.single ? this.chosen[0] : [...this.chosen] };
  }

  get empty() {
    return !this.chosen.length;
  }

  summary() {
    if (this.max === 1) return this.chosen[0] ? spot(this.chosen[0]) : '';
    return `${this.chosen.length}/${this.max}`;
  }

  /** @param {(label: string) => boolean} free */
  shuffle(free) {
    this.chosen = [];
    for (const label of shuffled(this.allowed))
      if (this.chosen.length < this.max && free(label)) this.chosen.push(label);
    return this.full ? this.chosen : null;
  }

  hint() {
    const left = this.max - this.chosen.length;
    if (left > 0) return t(this.name ? 'choose-cells-of' : 'choose-cells', { count: left, what: this.name });
    return this.quick ? t('press-again', { cell: spot(this.chosen[0]) }) : t('ready');
  }

  /** @param {string} label */
  press(label) {
    if (this.chosen.includes(label)) {
      this.chosen = this.chosen.filter((other) => other !== label);
    } else if (!this.allowed.has(label)) {
      return false;
    } else {
      if (this.chosen.length >= this.max) this.chosen.pop();
      this.chosen.push(label);
    }
    return true;
  }

  undo() {
    return this.chosen.pop() !== undefined;
  }

  paint() {
    /** @type {Map<string, Paint>} */
    const paint = new Map();
    for (const label of this.allowed) paint.set(label, { state: 'open' });
    for (const [i, label] of this.chosen.entries()) {
      paint.set(label, { state: this.wrong.has(i) ? 'wrong' : 'chosen', text: this.max > 1 ? String(i + 1) : '' });
    }
    return paint;
  }

  items() {
    return this.chosen.map((label, i) => ({
      id: label,
      text: spot(label),
      detail: this.max > 1 ? String(i + 1) : '',
      state: /** @type {Item['state']} */ (this.wrong.has(i) ? 'wrong' : 'chosen'),
      remove: () => this.press(label),
    }));
  }
}

export class ShipsField extends Field {
  /** @param {string} key @param {string} sea @param {{ id: string, name: string, cells: string[] }[]} ships
   * @param {number} count */
  constructor(key, sea, ships, count) {
    super(key, sea);
    this.ships = ships;
    this.count = count;
    /** @type {string[]} */
    this.chosen = [];
  }

  get full() {
    return this.chosen.length === this.count;
  }

  get empty() {
    return !this.chosen.length;
  }

  values() {
    return { [this.key]: [...this.chosen] };
  }

  hint() {
    return this.full ? t('ready') : t('choose-ships', { count: this.count - this.chosen.length });
  }

  /** @param {string} id */
  #toggle(id) {
    const without = this.chosen.filter((other) => other !== id);
    this.chosen = without.length < this.chosen.length ? without : [...without.slice(0, this.count - 1), id];
  }

  /** @param {string} label */
  press(label) {
    const ship = this.ships.find(({ cells }) => cells.includes(label));
    if (ship) this.#toggle(ship.id);
    return !!ship;
  }

  undo() {
    return this.chosen.pop() !== undefined;
  }

  paint() {
    /** @type {Map<string, Paint>} */
    const paint = new Map();
    for (const { id, cells } of this.ships) {
      for (const cell of cells) paint.set(cell, { state: this.chosen.includes(id) ? 'chosen' : 'open' });
    }
    return paint;
  }

  items() {
    return this.ships.map(({ id, name }) => ({
      id,
      text: name,
      state: /** @type {Item['state']} */ (this.chosen.includes(id) ? 'chosen' : ''),
      pick: () => this.#toggle(id),
    }));
  }
}
