/** Orders for several ships: targets or a move for each. */

import { words } from '../format.js';
import { t } from '../i18n/index.js';
import { Field } from './field.js';

/**
 * `cells` and `steps`: constant fields of an order with cells or with steps, from the action's JSON Schema.
 * @typedef {{ cells: Record<string, string>, steps: Record<string, string> }} Forms
 * @typedef {{ ship: string, name: string, cell: string, shots: { min: number, max: number }, targets: string[],
 *   moves: { cell: string, steps: string[] }[] }} Choice
 * @typedef {{ cells?: string[], to?: string, steps?: string[] }} Order
 * @typedef {import('../board/geometry.js').Chart} Chart
 */

/** Rows and columns of a compass step. @param {string} step such as `NE` */
const offset = (step) => ({
  row: Number(step.includes('S')) - Number(step.includes('N')),
  column: Number(step.includes('E')) - Number(step.includes('W')),
});

/** @param {any} schema of the action @param {string} key @returns {Forms} */
export function forms(schema, key) {
  const resolve = (/** @type {any} */ part) => (part?.$ref ? schema.$defs[part.$ref.split('/').at(-1)] : part);
  const item = resolve(schema?.properties?.[key]?.items);
  const found = { cells: {}, steps: {} };
  for (const form of (item?.oneOf ?? []).map(resolve)) {
    const fixed = Object.entries(form.properties).filter(([, value]) => value.const ?? value.enum?.length === 1);
    const fields = Object.fromEntries(fixed.map(([name, value]) => [name, value.const ?? value.enum[0]]));
    if (form.properties.cells) found.cells = fields;
    if (form.properties.steps) found.steps = fields;
  }
  return found;
}

/** At most one order per ship. */
export class OrdersField extends Field {
  /** @param {string} key @param {string} sea @param {Choice[]} ships
   * @param {{ max: number, forms: Forms, chart?: Chart }} how */
  constructor(key, sea, ships, { max, forms: known, chart }) {
    super(key, sea);
    this.chart = chart;
    this.ships = ships;
    this.max = max;
    this.forms = known;
    /** @type {Map<string, Order>} in order of execution */
    this.orders = new Map();
    /** @type {Choice | null} */
    this.selected = ships.length === 1 ? ships[0] : null;
    /** @type {'cells' | 'steps'} the meaning of a press */
    this.mode = 'cells';
    this.under = '';
  }

  get full() {
    const enough = (/** @type {Choice} */ { ship, shots }) => {
      const cells = this.orders.get(ship)?.cells;
      return !cells || cells.length >= shots.min;
    };
    return this.ships.every(enough);
  }

  get empty() {
    return !this.orders.size;
  }

  summary() {
    return `${this.orders.size}/${Math.min(this.max, this.ships.length)}`;
  }

  /** @param {string} from @param {string[]} steps */
  #way(from, steps) {
    const cells = [from];
    for (const step of steps) {
      const { row, column } = offset(step);
      cells.push(this.chart?.beside(cells[cells.length - 1], row, column) ?? '');
    }
    return cells.filter(Boolean);
  }

  routes() {
    /** @type {import('./field.js').Known['routes']} */
    const routes = [];
    for (const [id, order] of this.orders) {
      const choice = this.ships.find(({ ship }) => ship === id);
      if (!choice) continue;
      const chosen = choice === this.selected;
      const shots = new Map();
      for (const cell of order.cells ?? []) shots.set(cell, (shots.get(cell) ?? 0) + 1);
      for (const [cell, count] of shots)
        routes.push({ kind: 'aim', cells: [choice.cell, cell], text: count > 1 ? `×${count}` : '', chosen });
      const { steps } = order;
      if (steps)
        routes.push({ kind: 'course', cells: this.#way(choice.cell, steps), text: String(steps.length), chosen });
    }
    const { selected, under } = this;
    const way = selected && !this.orders.has(selected.ship) && selected.moves.find(({ cell }) => cell === under);
    if (selected && way && this.mode === 'steps')
      routes.push({ kind: 'course', cells: this.#way(selected.cell, way.steps), text: String(way.steps.length) });
    return routes;
  }

  values() {
    const orders = [...this.orders].map(([ship, { cells, steps }]) =>
      cells ? { ...this.forms.cells, ship, cells } : { ...this.forms.steps, ship, steps },
    );
    return { [this.key]: orders };
  }

  hint() {
    const left = Math.min(this.max, this.ships.length) - this.orders.size;
    const now = this.selected && this.orders.get(this.selected.ship);
    const shots = this.selected ? this.selected.shots.max - (now?.cells?.length ?? 0) : 0;
    if (this.selected && now?.cells && shots > 0) return t('more-shots', { ship: this.selected.name, count: shots });
    if (this.selected && !now) return t('order-ship', { ship: this.selected.name });
    return left > 0 ? t('choose-ship', { count: left }) : t('ready');
  }

  /** @param {string} label */
  press(label) {
    const own = this.ships.find(({ cell }) => cell === label);
    const ship = this.selected;
    const order = ship ? this.orders.get(ship.ship) : undefined;
    const way = ship?.moves.find(({ cell }) => cell === label);
    const target = !!ship?.targets.includes(label);
    if (!ship || (!way && !target)) {
      if (own) this.#select(own);
      return !!own;
    }
    if (!order && this.orders.size >= this.max) return false;
    // On a cell that is both target and destination, the mode decides.
    if (target && (this.mode === 'cells' || !way)) this.#aim(ship, label);
    else if (way) this.orders.set(ship.ship, { to: label, steps: way.steps });
    return true;
  }

  /** @param {Choice} ship */
  #select(ship) {
    this.selected = ship;
    if (!ship.targets.length) this.mode = 'steps';
    else if (!ship.moves.length) this.mode = 'cells';
  }

  /** @param {Choice} ship @param {string} label */
  #aim(ship, label) {
    const cells = this.orders.get(ship.ship)?.cells ?? [];
    if (cells.length >= ship.shots.max) cells.shift();
    this.orders.set(ship.ship, { cells: [...cells, label] });
  }

  /** @param {string} ship */
  #drop(ship) {
    this.orders.delete(ship);
  }

  undo() {
    if (this.selected && this.orders.has(this.selected.ship)) this.#drop(this.selected.ship);
    else if (this.selected && this.ships.length > 1) this.selected = null;
    else return false;
    return true;
  }

  /** @param {string} label */
  hover(label) {
    this.under = label;
  }

  paint() {
    /** @type {Map<string, import('./field.js').Paint>} */
    const paint = new Map();
    for (const { ship, cell } of this.ships) paint.set(cell, { state: this.orders.has(ship) ? 'given' : 'open' });
    const { selected } = this;
    if (selected) {
      if (this.mode === 'cells') for (const cell of selected.targets) paint.set(cell, { state: 'target' });
      else for (const { cell, steps } of selected.moves) paint.set(cell, { state: 'open', text: String(steps.length) });
      paint.set(selected.cell, { state: 'chosen' });
    }
    for (const [ship, order] of this.orders) {
      const number = String([...this.orders.keys()].indexOf(ship) + 1);
      for (const cell of order.cells ?? []) paint.set(cell, { state: 'chosen', text: `${number}` });
      if (order.to) paint.set(order.to, { state: 'ghost', text: number });
    }
    return paint;
  }

  items() {
    const ships = this.ships.map((choice) => {
      const order = this.orders.get(choice.ship);
      const number = [...this.orders.keys()].indexOf(choice.ship);
      const said = order?.cells
        ? `✕ ${order.cells.join(' ')}`
        : order?.to
          ? `→ ${order.to}`
          : `${choice.cell} · ${choice.shots.max} ✕`;
      return {
        id: choice.ship,
        text: choice.name,
        detail: order ? `${number + 1}. ${said}` : said,
        state: /** @type {import('./field.js').Item['state']} */ (
          number >= 0 && this.wrong.has(number)
            ? 'wrong'
            : choice === this.selected
              ? 'selected'
              : order
                ? 'chosen'
                : ''
        ),
        pick: () => this.#select(choice),
        ...(order && { remove: () => this.#drop(choice.ship) }),
      };
    });
    return [...ships, ...this.#modes()];
  }

  /** The kinds of order for the selected ship. @returns {import('./field.js').Item[]} */
  #modes() {
    if (!this.selected?.targets.length || !this.selected.moves.length) return [];
    const modes = /** @type {const} */ (['cells', 'steps']);
    return modes.map((mode) => ({
      id: `mode-${mode}`,
      text: words(Object.values(this.forms[mode])[0] ?? mode),
      state: this.mode === mode ? 'selected' : '',
      pick: () => {
        this.mode = mode;
      },
    }));
  }
}
