/** A plan: the choices of a decision, and the resulting action. It is built from the shapes of the decision's data and
 * its example alone. */

import { words } from '../format.js';
import { CellsField, ShipsField } from './field.js';
import { OptionField } from './option.js';
import { OrdersField, forms } from './orders.js';
import { PlaceField } from './place.js';

/**
 * @typedef {{ view: Schema<'Match'>, card: import('../titles.js').Card,
 *   charts: Map<string, import('../board/geometry.js').Chart> }} Table
 * @typedef {import('../board/geometry.js').Chart} Chart
 * @typedef {AnyOf<Schema<'Decision'>>} Offered all possible fields of a decision
 * @typedef {AnyOf<ListOf<NonNullable<Offered['ships']>>>} Choice all possible fields of a ship in a decision
 * @typedef {AnyOf<Schema<'CellChoice' | 'FleetChoice' | 'SubmarineChoice'>>} PartChoice
 * @typedef {PartChoice & { count: number }} Part a field of an action with choices in the decision
 * @typedef {import('./option.js').Offer} Offer
 * @typedef {AnyOf<Schema<'Action'>>} Chosen all possible fields of an action
 */

/** @param {unknown} value @returns {value is string} */
const isText = (value) => typeof value === 'string';
/** @param {unknown} value @returns {value is string[]} */
const isTexts = (value) => Array.isArray(value) && value.length > 0 && value.every(isText);

/** @param {Offered} decision @returns {Choice[]} */
function shipsOf({ ships }) {
  return Array.isArray(ships) ? ships : [];
}

/** @param {Offered} decision */
function linesOf({ targets }) {
  return (targets ?? []).filter((one) => typeof one !== 'string');
}

/** The viewer's ships. */
class Own {
  /** @param {Table} table */
  constructor({ view }) {
    this.seat = view.viewer.seat ?? -1;
    this.seas = view.seas;
  }

  /** @param {Schema<'SeaView'>} sea */
  owns(sea) {
    return sea.owner === this.seat || (sea.owners ?? []).includes(this.seat);
  }

  /** Visible ships, as `{sea, ship}`. */
  *ships() {
    for (const sea of this.seas) for (const ship of sea.ships) if (ship.cells) yield { sea, ship };
  }

  /** @param {string} id an own ship */
  find(id) {
    for (const found of this.ships()) if (found.ship.id === id && found.ship.seat === this.seat) return found;
    return null;
  }

  /** @param {string} id another player's ship in the viewer's sea */
  other(id) {
    for (const found of this.ships()) {
      if (found.ship.id === id && found.ship.seat !== this.seat && this.owns(found.sea)) return found;
    }
    return null;
  }

  /** @param {string} id */
  name(id) {
    for (const sea of this.seas) {
      for (const ship of sea.ships) if (ship.id === id && ship.seat === this.seat) return ship.name;
    }
    return words(id);
  }
}

/** @param {Offered} decision @param {Table} table @param {Own} own @param {string} sea */
function placing(decision, table, own, sea) {
  const chart = table.charts.get(sea);
  const ships = shipsOf(decision);
  const [first] = ships;
  const places = /** @type {Chosen} */ (decision.example ?? {}).ships;
  const [place] = /** @type {AnyOf<ListOf<NonNullable<Chosen['ships']>>>[]} */ (places ?? []);
  const common = isTexts(decision.cells) ? decision.cells : null;
  if (!chart || !first || !(first.orientations || (common && place?.cell))) return null;
  const single = !first.orientations;
  const pieces = ships.map((choice) => ({
    ship: choice.ship ?? '',
    name: numbered(choice, ships),
    class: choice.class ?? '',
    shapes: choice.orientations?.map((way) => way.cells) ?? [[{ row: 0, column: 0 }]],
    allowed: new Set(choice.cells ?? common),
    at: own.find(choice.ship ?? '')?.ship.cells ?? null,
  }));
  const { contact, border } = /** @type {AnyOf<Schema<'RuleSet'>>} */ (table.view.rule_set);
  return new PlaceField('ships', sea, pieces, { chart, single, max: decision.max_ships, spacing: { contact, border } });
}

/** The name of a ship, numbered if several share it. @param {Choice} choice @param {Choice[]} all */
function numbered(choice, all) {
  const same = all.filter(({ name }) => name === choice.name);
  return same.length > 1 ? `${choice.name} ${same.indexOf(choice) + 1}` : (choice.name ?? '');
}

/** Choices that each fill several fields of the action. @param {Offered} decision @param {Table} table @param {Own} own
 * @param {string} sea */
function offering(decision, table, own, sea) {
  const chart = table.charts.get(sea);
  const ships = shipsOf(decision);
  const [first] = ships;
  const example = /** @type {Chosen} */ (decision.example ?? {});
  /** @param {(choice: Choice) => string | undefined} cell @param {(choice: Choice) => Omit<Offer, 'group'>[]} offers */
  const made = (cell, offers) =>
    new OptionField(
      sea,
      ships.map((one) => ({ id: one.ship ?? '', name: one.name ?? own.name(one.ship ?? ''), cell: cell(one) ?? '' })),
      ships.flatMap((one) => offers(one).map((offer) => ({ group: one.ship ?? '', ...offer }))),
    );
  if (first?.ways) {
    return made(
      ({ from }) => from,
      ({ ship, ways = [] }) => ways.map(({ to, path }) => ({ cell: to, text: to, way: path, values: { ship, path } })),
    );
  }
  if (first?.square && decision.depths) {
    const { depths } = decision;
    const at = (/** @type {string} */ square, /** @type {number} */ depth) =>
      chart?.inLayer(square, String(depth)) ?? '';
    return made(
      ({ square }) => square,
      ({ ship, square = '' }) =>
        depths.map((depth) => ({ cell: at(square, depth), text: `${square} · ${depth}`, values: { ship, depth } })),
    );
  }
  if (first?.targets && example.ship && example.cell) {
    return made(
      ({ cell }) => cell,
      ({ ship, targets = [] }) => targets.map((cell) => ({ cell, text: cell, values: { ship, cell } })),
    );
  }
  return linesOf(decision).length ? lines(decision, own, sea, chart) : aiming(decision, sea, chart);
}

/** @param {Offered} decision @param {Own} own @param {string} sea @param {Chart | undefined} chart */
function lines(decision, own, sea, chart) {
  const all = linesOf(decision);
  const groups = [...new Set(all.map(({ target }) => target))].map((id) => {
    const ship = own.other(id)?.ship;
    return { id, name: ship?.name ?? words(id), cell: ship?.cells?.[0] ?? '' };
  });
  return new OptionField(
    sea,
    groups,
    all.map(({ target, line }) => {
      const way = chart?.lines.find(({ id }) => id === line)?.cells ?? [];
      const cell = way.find((label) => !groups.some((group) => group.cell === label)) ?? '';
      return { group: target, cell, text: words(line), way, values: { target, line } };
    }),
  );
}

/** Rows and columns from cell to cell of a line. @type {Record<Schema<'Direction'>, [number, number]>} */
const DIRECTIONS = { north: [-1, 0], south: [1, 0], west: [0, -1], east: [0, 1] };

/** The cells covered by a weapon aimed at a cell. @param {Offered} decision @param {Chart} chart @param {string} cell
 * @param {string} direction */
function covered({ pattern = ['x'], range = 1 }, chart, cell, direction) {
  const found = [];
  if (direction) {
    const [row, column] = DIRECTIONS[/** @type {Schema<'Direction'>} */ (direction)] ?? [0, 0];
    for (let i = 0; i < range; i++) found.push(chart.beside(cell, row * i, column * i));
  } else {
    const middle = (/** @type {string | string[]} */ all) => (all.length - 1) / 2;
    for (const [r, row] of pattern.entries())
      for (const [c, sign] of [...row].entries())
        if (sign === 'x') found.push(chart.beside(cell, r - middle(pattern), c - middle(row)));
  }
  return found.filter((label) => label !== null);
}

/** An aimed weapon: rows of the sea give the cell, directions the possible lines from there. @param {Offered} decision
 * @param {string} sea @param {Chart | undefined} chart */
function aiming(decision, sea, chart) {
  if (!decision.aims || !chart) return null;
  const { effect } = decision;
  /** @type {Offer[]} */
  const offers = [];
  for (const { rows, directions } of decision.aims) {
    for (const cell of chart.within(rows)) {
      for (const direction of directions ?? ['']) {
        const under = () => covered(decision, chart, cell, direction);
        const values = direction ? { cell, direction } : { cell };
        offers.push({ group: direction, cell, text: cell, under, effect, values });
      }
    }
  }
  const groups = [...new Set(offers.map(({ group }) => group))].map((id) => ({ id, name: words(id), cell: '' }));
  return new OptionField(sea, groups, offers);
}

/** Fields with a choice of their own. @param {Offered} decision @param {Table} table @param {string} sea
 * @param {(key: string) => boolean} done */
function single(decision, table, sea, done) {
  const fields = [];
  const own = new Own(table);
  const { example, shots, targets } = decision;
  const ships = shipsOf(decision);
  const choices = /** @type {Record<string, Part | undefined>} */ (decision);
  for (const [key, value] of Object.entries(example ?? {})) {
    const choice = choices[key];
    const list = choices[`${key}s`];
    if (key === 'type' || done(key) || choice === value) continue;
    if (isTexts(choice?.cells)) {
      fields.push(new CellsField(key, sea, choice.cells, { min: choice.count, max: choice.count, name: words(key) }));
    } else if (isTexts(choice?.ships)) {
      const known = choice.ships.map((id) => ({ id, name: own.name(id), cells: own.find(id)?.ship.cells ?? [] }));
      fields.push(new ShipsField(key, sea, known, choice.count));
    } else if (isText(value) && isTexts(list)) {
      fields.push(new CellsField(key, sea, list, { min: 1, max: 1, single: true, name: words(key) }));
    } else if (Array.isArray(value) && isTexts(targets) && shots) {
      fields.push(new CellsField(key, sea, targets, shots));
    } else if (example && Array.isArray(value) && ships[0]?.moves) {
      const how = {
        max: decision.max_orders ?? ships.length,
        forms: forms(schemaOf(table.card, example.type), key),
        chart: table.charts.get(sea),
      };
      fields.push(new OrdersField(key, sea, /** @type {Schema<'OrderChoice'>[]} */ (ships), how));
    }
  }
  return fields;
}

/** @param {Table['card']} card @param {string} type @returns {any} */
function schemaOf(card, type) {
  return card.actions.find((action) => action.action_type === type)?.json_schema;
}

/** Actions with a phase of their own and no fields but their type: the server chooses. @param {Table['card']} card
 * @param {Schema<'Match'>} view */
export function shortcuts(card, view) {
  if (view.seats.every(({ deployed }) => deployed)) return [];
  /** @type {Set<string>} */
  const listed = new Set(view.decisions.map((decision) => decision.example.type));
  const here = card.actions.filter(({ action_type: type, phases, json_schema: schema }) => {
    const bare = Object.keys(/** @type {any} */ (schema).properties).join() === 'type';
    return bare && phases.join() === view.status && !listed.has(type);
  });
  return here.map(({ action_type: type }) => /** @type {Schema<'Action'>} */ ({ type }));
}

/** Position among decisions: as in the card, with those that end choices last. @param {Schema<'Decision'>} decision
 * @param {Table['card']} card */
function orderOf(decision, card) {
  const bare = Object.keys(decision.example).length === 1;
  const supplies = card.supply_titles.map(({ supply }) => supply);
  const weapon = supplies.indexOf(/** @type {Offered} */ (decision).weapon ?? '');
  const type = card.actions.findIndex(({ action_type }) => action_type === decision.type);
  return Number(bare) * 10_000 + type * 100 + weapon;
}

export class Plan {
  /** @param {Schema<'Decision'>} decision @param {Table} table */
  constructor(decision, table) {
    this.decision = decision;
    const own = new Own(table);
    const { sea } = /** @type {Offered} */ (decision);
    this.sea = sea ?? table.view.seas[0]?.id ?? '';
    const placed = placing(decision, table, own, this.sea);
    const offered = placed ? null : offering(decision, table, own, this.sea);
    const made = new Set(placed ? ['ships'] : (offered?.key.split(' ') ?? []));
    const parts = [placed, offered, ...single(decision, table, this.sea, (key) => made.has(key))];
    /** @type {import('./field.js').Field[]} */
    this.fields = parts.filter((part) => part !== null);
    this.at = 0;
    this.chart = table.charts.get(this.sea);
    /** Position among the decisions. */
    this.order = orderOf(decision, table.card);
  }

  /** Keeps the choices for the same decision at a later version. @param {Schema<'Decision'>} decision */
  renew(decision) {
    this.decision = decision;
    return this;
  }

  get field() {
    return this.fields[this.at] ?? null;
  }

  get full() {
    return this.fields.every(({ full }) => full);
  }

  /** Nothing is chosen, and that can be sent. */
  get empty() {
    return this.fields.length > 0 && this.fields.every(({ empty }) => empty);
  }

  /** Places everything at random without overlap. False: impossible. */
  shuffle() {
    /** @type {Set<string>} */
    const taken = new Set();
    const place = (/** @type {string} */ label) => {
      const cell = this.chart?.cells.get(label);
      return cell ? `${cell.row}/${cell.column}` : label;
    };
    for (const field of this.fields) {
      const own = new Set(taken);
      const cells = field.shuffle((label) => !own.has(place(label)));
      if (!cells) return false;
      for (const cell of cells) taken.add(place(cell));
    }
    return this.fields.length > 0;
  }

  /** True if a press on the present choice sends it. @param {string} sea @param {string} label */
  sends(sea, label) {
    const { field } = this;
    return (
      !!field?.quick &&
      this.full &&
      this.fields.length === 1 &&
      sea === field.sea &&
      field.paint().get(label)?.state === 'chosen'
    );
  }

  /** The example's action with the player's choices. */
  action() {
    return Object.assign({}, this.decision.example, ...this.fields.map((field) => field.values()));
  }

  /** @param {string} sea @param {string} label */
  press(sea, label) {
    const { field } = this;
    if (!field || field.sea !== sea) return false;
    const done = field.press(label);
    const next = this.fields.findIndex(({ full }) => !full);
    if (done && field.full && next >= 0) this.at = next;
    return done;
  }

  /** @param {string} sea */
  paint(sea) {
    return this.field?.sea === sea ? this.field.paint() : new Map();
  }

  /** @param {string} sea */
  hulls(sea) {
    return this.fields.filter((field) => field.sea === sea).flatMap((field) => field.hulls());
  }

  /** Marks the parts refused by the server. @param {{ pointer: string }[]} errors */
  refuse(errors) {
    for (const field of this.fields) {
      field.wrong.clear();
      for (const { pointer } of errors) {
        const [, , key, number] = pointer.split('/');
        if (field.key.split(' ').includes(key) && number !== undefined) field.wrong.add(Number(number));
      }
    }
  }
}
