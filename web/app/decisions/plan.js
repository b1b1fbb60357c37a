/** A plan: what a decision lets one choose, and the action that comes of it. It is built from the shapes of the decision's
 * data and of its example, and from nothing else. */

import { words } from '../format.js';
import { CellsField, ShipsField } from './field.js';
import { OptionField } from './option.js';
import { OrdersField, forms } from './orders.js';
import { PlaceField } from './place.js';

/** @typedef {{ view: Schema<'Match'>, card: Schema<'Variant'>, charts: Map<string, import('../board/geometry.js').Chart> }} Table */

const isText = (/** @type {unknown} */ value) => typeof value === 'string';
const isTexts = (/** @type {unknown} */ value) => Array.isArray(value) && value.length > 0 && value.every(isText);

/** What is on the table, for the viewer's seat. */
class Own {
  /** @param {Table} table */
  constructor({ view }) {
    this.seat = view.viewer.seat;
    this.seas = view.seas;
  }

  /** @param {any} sea */
  owns(sea) {
    return sea.owner === this.seat || (sea.owners ?? []).includes(this.seat);
  }

  /** Ships that can be seen, as `{sea, ship}`. */
  *ships() {
    for (const sea of this.seas) for (const ship of sea.ships) if (ship.cells) yield { sea, ship };
  }

  /** @param {string} id one's own ship */
  find(id) {
    for (const found of this.ships()) if (found.ship.id === id && found.ship.seat === this.seat) return found;
    return null;
  }

  /** @param {string} id somebody else's ship, in one's own sea */
  other(id) {
    for (const found of this.ships()) {
      if (found.ship.id === id && found.ship.seat !== this.seat && this.owns(found.sea)) return found;
    }
    return null;
  }

  /** The sea that a decision is about. It would be simpler if the decision said so. @param {any} decision */
  sea(decision) {
    if (this.seas.length === 1) return this.seas[0].id;
    if (isText(decision.target)) return decision.target;
    const named = (decision.ships?.ships ?? decision.ships ?? []).map((/** @type {any} */ one) => one.ship ?? one);
    const found = named.map((/** @type {string} */ id) => this.find(id)).find(Boolean);
    if (found) return found.sea.id;
    const aimed = (Array.isArray(decision.targets) ? decision.targets : []).find(
      (/** @type {any} */ one) => one.target,
    );
    const counted = Object.values(decision).some((value) => value && typeof value === 'object' && 'count' in value);
    const own = counted || aimed || decision.ships;
    return this.seas.find((/** @type {any} */ sea) => this.owns(sea) === !!own)?.id ?? this.seas[0].id;
  }

  /** @param {string} id */
  name(id) {
    for (const sea of this.seas) {
      for (const ship of sea.ships) if (ship.id === id && ship.seat === this.seat) return ship.name;
    }
    return words(id);
  }
}

/** @param {any} decision @param {Table} table @param {Own} own @param {string} sea */
function placing(decision, table, own, sea) {
  const chart = table.charts.get(sea);
  const first = decision.ships?.[0];
  const example = decision.example.ships?.[0];
  if (!chart || !first || !(first.orientations || (isTexts(decision.cells) && example?.cell))) return null;
  const single = !first.orientations;
  const pieces = decision.ships.map((/** @type {any} */ choice) => ({
    ship: choice.ship,
    name: numbered(choice, decision.ships),
    class: choice.class,
    shapes: single ? [[{ row: 0, column: 0 }]] : choice.orientations.map((/** @type {any} */ way) => way.cells),
    allowed: new Set(choice.cells ?? decision.cells),
    at: own.find(choice.ship)?.ship.cells ?? null,
  }));
  return new PlaceField('ships', sea, pieces, { chart, single, max: decision.max_ships });
}

/** The name of a ship, with a number where several have the same name. @param {any} choice @param {any[]} all */
function numbered(choice, all) {
  const same = all.filter(({ name }) => name === choice.name);
  return same.length > 1 ? `${choice.name} ${same.indexOf(choice) + 1}` : choice.name;
}

/** Choices that fill several fields of the action together. @param {any} decision @param {Table} table @param {Own} own @param {string} sea */
function offering(decision, table, own, sea) {
  const chart = table.charts.get(sea);
  const { ships, example } = decision;
  if (ships?.[0]?.ways) {
    const groups = ships.map((/** @type {any} */ { ship, from }) => ({ id: ship, name: own.name(ship), cell: from }));
    return new OptionField(
      sea,
      groups,
      ships.flatMap((/** @type {any} */ { ship, ways }) =>
        ways.map((/** @type {any} */ { to, path }) => ({
          group: ship,
          cell: to,
          text: to,
          way: path,
          values: { ship, path },
        })),
      ),
    );
  }
  if (ships?.[0]?.square && decision.depths) {
    const groups = ships.map((/** @type {any} */ { ship, square }) => ({
      id: ship,
      name: own.name(ship),
      cell: square,
    }));
    return new OptionField(
      sea,
      groups,
      ships.flatMap((/** @type {any} */ { ship, square }) =>
        decision.depths.map((/** @type {number} */ depth) => ({
          group: ship,
          cell: chart?.inLayer(square, String(depth)) ?? '',
          text: `${square} · ${depth}`,
          values: { ship, depth },
        })),
      ),
    );
  }
  if (ships?.[0]?.targets && isText(example.ship) && isText(example.cell)) {
    const groups = ships.map((/** @type {any} */ { ship, name, cell }) => ({ id: ship, name, cell }));
    return new OptionField(
      sea,
      groups,
      ships.flatMap((/** @type {any} */ { ship, targets }) =>
        targets.map((/** @type {string} */ cell) => ({ group: ship, cell, text: cell, values: { ship, cell } })),
      ),
    );
  }
  if (decision.targets?.[0]?.line) return lines(decision, own, sea, chart);
  return aiming(decision, sea, chart);
}

/** @param {any} decision @param {Own} own @param {string} sea @param {import('../board/geometry.js').Chart | undefined} chart */
function lines(decision, own, sea, chart) {
  const ids = [...new Set(decision.targets.map((/** @type {any} */ one) => one.target))].map(String);
  const groups = ids.map((id) => {
    const ship = own.other(id)?.ship;
    return { id, name: ship?.name ?? words(id), cell: ship?.cells?.[0] ?? '' };
  });
  return new OptionField(
    sea,
    groups,
    decision.targets.map((/** @type {any} */ { target, line }) => {
      const way = chart?.lines.find(({ id }) => id === line)?.cells ?? [];
      const cell = way.find((label) => !groups.some((group) => group.cell === label)) ?? '';
      return { group: target, cell, text: words(line), way, values: { target, line } };
    }),
  );
}

/** A weapon that is aimed: rows of the sea say where, and directions which way a line may run from there.
 * @param {any} decision @param {string} sea @param {import('../board/geometry.js').Chart | undefined} chart */
function aiming(decision, sea, chart) {
  if (!decision.aims || !chart) return null;
  /** @type {import('./option.js').Offer[]} */
  const offers = [];
  for (const { rows, directions } of decision.aims) {
    for (const cell of chart.within(rows)) {
      for (const direction of directions ?? ['']) {
        offers.push({ group: direction, cell, text: cell, values: direction ? { cell, direction } : { cell } });
      }
    }
  }
  const groups = [...new Set(offers.map(({ group }) => group))].map((id) => ({ id, name: words(id), cell: '' }));
  return new OptionField(sea, groups, offers);
}

/** Fields that are chosen one by one. @param {any} decision @param {Table} table @param {string} sea @param {(key: string) => boolean} done */
function single(decision, table, sea, done) {
  const fields = [];
  const own = new Own(table);
  for (const [key, value] of Object.entries(decision.example)) {
    const choice = decision[key];
    if (key === 'type' || done(key) || choice === value) continue;
    if (isTexts(choice?.cells)) {
      fields.push(new CellsField(key, sea, choice.cells, { min: choice.count, max: choice.count, name: words(key) }));
    } else if (choice?.ships) {
      const ships = choice.ships.map((/** @type {string} */ id) => ({
        id,
        name: own.name(id),
        cells: own.find(id)?.ship.cells ?? [],
      }));
      fields.push(new ShipsField(key, sea, ships, choice.count));
    } else if (isText(value) && isTexts(decision[`${key}s`])) {
      fields.push(new CellsField(key, sea, decision[`${key}s`], { min: 1, max: 1, single: true, name: words(key) }));
    } else if (Array.isArray(value) && isTexts(decision.targets) && decision.shots) {
      fields.push(new CellsField(key, sea, decision.targets, decision.shots));
    } else if (Array.isArray(value) && decision.ships?.[0]?.moves) {
      const schema = schemaOf(table.card, decision.example.type);
      const how = { max: decision.max_orders ?? decision.ships.length, forms: forms(schema, key) };
      fields.push(new OrdersField(key, sea, decision.ships, how));
    }
  }
  return fields;
}

/** The JSON Schema of an action. @param {Schema<'Variant'>} card @param {string} type @returns {any} */
function schemaOf(card, type) {
  return card.actions.find((action) => action.action_type === type)?.json_schema;
}

/**
 * Actions of a phase of its own, which need nothing but their type: the server chooses.
 * @param {Schema<'Variant'>} card @param {Schema<'Match'>} view @returns {any[]}
 */
export function shortcuts(card, view) {
  if (view.seats.every(({ deployed }) => deployed)) return [];
  /** @type {Set<string>} */
  const listed = new Set(view.decisions.map((decision) => decision.example.type));
  const here = card.actions.filter(({ action_type: type, phases, json_schema: schema }) => {
    const bare = Object.keys(/** @type {any} */ (schema).properties).join() === 'type';
    return bare && phases.join() === view.status && !listed.has(type);
  });
  return here.map(({ action_type: type }) => ({ type }));
}

/** What is chosen for one decision. */
export class Plan {
  /** @param {any} decision @param {Table} table */
  constructor(decision, table) {
    this.decision = decision;
    const own = new Own(table);
    this.sea = own.sea(decision);
    const placed = placing(decision, table, own, this.sea);
    const offered = placed ? null : offering(decision, table, own, this.sea);
    const made = new Set(placed ? ['ships'] : (offered?.key.split(' ') ?? []));
    const parts = [placed, offered, ...single(decision, table, this.sea, (key) => made.has(key))];
    /** @type {import('./field.js').Field[]} */
    this.fields = parts.filter((part) => part !== null);
    this.at = 0;
  }

  /** The same choices, for the same decision at a later version. @param {any} decision */
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

  /** Whether a press on what is chosen sends it. @param {string} sea @param {string} label */
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

  /** The action as it is chosen: what the example says, with the player's choices. */
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

  /** Marks what the server has refused, by its pointers. @param {{ pointer: string }[]} errors */
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
