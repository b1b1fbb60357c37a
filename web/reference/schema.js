/** Schemas, as lists of fields. Nested fields are made when opened. */

import { h } from '../app/dom.js';
import { markdown } from '../app/markdown.js';

/** @typedef {import('./contract.js').Contract} Contract */

/** @param {any} schema the forms of a union, without null */
const forms = (schema) => (schema.oneOf ?? schema.anyOf ?? []).filter((/** @type {any} */ one) => one.type !== 'null');

/** @param {any} schema @returns {string} */
function nameOf(schema) {
  return schema.$ref ? (String(schema.$ref).split('/').at(-1) ?? '') : '';
}

/** A type in a few words. @param {Contract} contract @param {any} given @returns {string} */
export function typeWords(contract, given) {
  if (!given || typeof given !== 'object') return 'anything';
  const schema = contract.resolve(given);
  const types = [schema.type ?? []].flat();
  const or = types.includes('null') || (schema.oneOf ?? schema.anyOf)?.length > forms(schema).length ? ' or null' : '';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((/** @type {any} */ one) => JSON.stringify(one)).join(', ');
  if (types.includes('array')) return `list of ${typeWords(contract, schema.items)}${or}`;
  const inner = forms(schema);
  if (!nameOf(given) && inner.length === 1) return typeWords(contract, inner[0]) + or;
  if (nameOf(given) && (inner.length > 0 || schema.properties)) return nameOf(given) + or;
  if (inner.length) return inner.map((/** @type {any} */ one) => typeWords(contract, one)).join(' | ') + or;
  const plain = types.filter((type) => type !== 'null').join(' | ') || 'anything';
  return (nameOf(given) ? `${plain} (${nameOf(given)})` : plain) + or;
}

/** Limits of a value. @param {any} schema */
function bounds(schema) {
  const { minimum: min, maximum: max, minLength, maxLength, minItems, maxItems } = schema;
  const range = (/** @type {any} */ low, /** @type {any} */ high, /** @type {string} */ unit) => {
    if (low === undefined && high === undefined) return [];
    if (high === undefined) return [`${low}${unit} or more`];
    return [low === undefined ? `up to ${high}${unit}` : `${low} to ${high}${unit}`];
  };
  return [
    ...range(min, max, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' entries'),
    ...(schema.default === undefined || schema.default === null ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ].join('; ');
}

/** The schema with parts of its own, behind lists and nulls; or null. @param {Contract} contract @param {any} given
 * @returns {any} */
function parts(contract, given) {
  const schema = contract.resolve(given);
  if (schema.properties) return given;
  if (schema.items) return parts(contract, schema.items);
  const inner = forms(schema);
  if (inner.length === 1) return parts(contract, inner[0]);
  return inner.some((/** @type {any} */ one) => parts(contract, one)) ? given : null;
}

/** Content made when opened. @param {string} title @param {() => Node} make */
export function later(title, make) {
  const details = h('details', { class: 'more' }, h('summary', {}, title));
  details.addEventListener('toggle', () => details.append(make()), { once: true });
  return details;
}

/** @param {Contract} contract @param {string} name @param {any} given @param {boolean} needed
 * @param {string} [place] */
export function field(contract, name, given, needed, place = '') {
  const schema = contract.resolve(given);
  const inner = parts(contract, given);
  const limits = bounds(schema);
  const text = given.description ?? schema.description;
  return h(
    'div',
    {},
    h(
      'dt',
      {},
      h('code', {}, name),
      h('span', { class: 'type' }, typeWords(contract, given), place && `, ${place}`),
      limits && h('span', { class: 'type' }, limits),
      needed && h('span', { class: 'needed' }, 'required'),
    ),
    h('dd', {}, text && markdown(text, 4), inner && later('its parts', () => fields(contract, inner))),
  );
}

/** The fields of a schema; for a union, those of each form. @param {Contract} contract @param {any} given
 * @returns {Node} */
export function fields(contract, given) {
  const schema = contract.resolve(given);
  if (schema.properties) {
    const names = Object.keys(schema.properties);
    const needed = new Set(schema.required ?? []);
    const sorted = [...names.filter((name) => needed.has(name)), ...names.filter((name) => !needed.has(name))];
    const rows = sorted.map((name) => field(contract, name, schema.properties[name], needed.has(name)));
    return h('dl', { class: 'fields' }, rows);
  }
  if (schema.items) return fields(contract, schema.items);
  const inner = forms(schema);
  if (inner.length === 1) return fields(contract, inner[0]);
  if (inner.length)
    return h(
      'div',
      {},
      inner.map((/** @type {any} */ one) => later(formName(contract, one), () => fields(contract, one))),
    );
  return h('p', {}, typeWords(contract, given), ' ', bounds(schema));
}

/** The name of a union's form, by its distinguishing value. @param {Contract} contract @param {any} given */
function formName(contract, given) {
  const properties = contract.resolve(given).properties ?? {};
  const fixed = Object.entries(properties).find(([, value]) => 'const' in value || value.enum?.length === 1);
  const mark = fixed ? `${fixed[0]}: ${JSON.stringify(fixed[1].const ?? fixed[1].enum[0])}` : '';
  return [mark, nameOf(given)].filter(Boolean).join(', ') || typeWords(contract, given);
}

/** An example value of a schema, with its required fields. @param {Contract} contract @param {any} given
 * @param {number} [depth] @returns {any} */
export function sample(contract, given, depth = 0) {
  const schema = contract.resolve(given);
  const known = [given.example, schema.example, schema.examples?.[0], schema.const, schema.default, schema.enum?.[0]];
  const value = known.find((one) => one !== undefined && one !== null);
  if (value !== undefined) return value;
  if (schema.properties && depth < 6) {
    /** @type {string[]} */
    const names = schema.required ?? [];
    return Object.fromEntries(names.map((name) => [name, sample(contract, schema.properties[name] ?? {}, depth + 1)]));
  }
  const inner = forms(schema);
  if (inner.length) return sample(contract, inner[0], depth + 1);
  const type = [schema.type ?? []].flat()[0];
  if (type === 'array') return schema.minItems ? [sample(contract, schema.items ?? {}, depth + 1)] : [];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0;
  if (type === 'boolean') return false;
  return type === 'object' ? {} : '…';
}
