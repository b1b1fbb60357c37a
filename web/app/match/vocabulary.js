/** Words of a game's card in the reader's language: names of ships, supplies, layers, reports and their fields. */

import { words } from '../format.js';

/**
 * @typedef {import('../titles.js').Card} Card
 * @typedef {Schema<'ReportField'>} ReportField
 * @typedef {{ types: Map<string, string>, fields: Map<string, ReportField>, classes: Map<string, string>,
 *   names: Map<string, string>, ships: Map<string, string>, supplies: Map<string, string>, layers: Map<string, string>
 * }} Vocabulary
 */

/** @type {WeakMap<Card, Vocabulary>} */
const kept = new WeakMap();

/** @param {Card} card @returns {Vocabulary} */
export function vocabulary(card) {
  const before = kept.get(card);
  if (before) return before;
  const fields = card.report_types.flatMap((type) => type.fields);
  const made = {
    types: new Map(card.report_types.map(({ report_type: type, title }) => [type, title])),
    fields: new Map(fields.map((field) => [field.name, field])),
    classes: new Map(card.classes.map((one) => [one.class, one.title])),
    names: new Map(card.classes.map((one) => [one.name, one.title])),
    ships: new Map(card.classes.flatMap((one) => one.ship_titles.map(({ ship, title }) => [ship, title]))),
    supplies: new Map(card.supply_titles.map(({ supply, title }) => [supply, title])),
    layers: new Map(card.layer_titles.map(({ layer, title }) => [layer, title])),
  };
  for (const field of fields) {
    // The same field can have different words in two types of reports.
    const all = made.fields.get(field.name);
    const more = field.values.filter(({ value }) => !all?.values.some((known) => known.value === value));
    if (all && more.length) made.fields.set(field.name, { ...all, values: [...all.values, ...more] });
  }
  kept.set(card, made);
  return made;
}

/** @param {Card} card @param {string} name */
export function fieldTitle(card, name) {
  return vocabulary(card).fields.get(name)?.title ?? words(name);
}

/** @param {Card} card @param {string} field @param {string} value */
export function valueTitle(card, field, value) {
  return (
    vocabulary(card)
      .fields.get(field)
      ?.values.find((one) => one.value === value)?.title ?? words(value)
  );
}

/** A ship's name in the reader's language, by its English name or its id, else unchanged. @param {Vocabulary} known
 * @param {string} ship @param {string} name */
function nameOf({ names, ships }, ship, name) {
  return names.get(name) ?? ships.get(ship) ?? name;
}

/** A view with names in the reader's language. @template {Pick<Schema<'Match'>, 'seas' | 'decisions'>} V
 * @param {V} view @param {Card} card @returns {V} */
export function inWords(view, card) {
  const known = vocabulary(card);
  const seas = view.seas.map((sea) => ({
    ...sea,
    ships: sea.ships.map((ship) => ({ ...ship, name: nameOf(known, ship.id, ship.name) })),
    ...(sea.supplies && {
      supplies: sea.supplies.map((one) => ({ ...one, name: known.supplies.get(one.id) ?? one.name })),
    }),
  }));
  const decisions = view.decisions.map((decision) => {
    const { ships } = /** @type {import('../decisions/plan.js').Offered} */ (decision);
    if (!Array.isArray(ships)) return decision;
    const named = ships.map((one) => ('name' in one ? { ...one, name: nameOf(known, one.ship, one.name) } : one));
    return /** @type {Schema<'Decision'>} */ ({ ...decision, ships: named });
  });
  return { ...view, seas, decisions };
}

/** A board with layer names in the reader's language. @param {Schema<'Board'>} board @param {Card} card
 * @returns {Schema<'Board'>} */
export function boardInWords(board, card) {
  const { layers } = vocabulary(card);
  const named = (/** @type {Schema<'BoardLayer'>} */ layer) => ({ ...layer, name: layers.get(layer.id) ?? layer.name });
  return { ...board, seas: board.seas.map((sea) => ({ ...sea, layers: sea.layers.map(named) })) };
}
