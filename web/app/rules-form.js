/** A form for changes to a rule set, from the JSON Schema of the card: it names no option. */

import { fill, h } from './dom.js';
import { words } from './format.js';
import { t } from './i18n/index.js';
import { Problem } from './problem.js';
import { labelled, problemBox, select } from './ui.js';

/** A part of a JSON Schema, dereferenced; null: a union. @param {any} part @param {any} schema @returns {any} */
export function resolve(part, schema) {
  const target = part.$ref ? { ...schema.$defs[part.$ref.split('/').at(-1)], description: part.description } : part;
  const some = (target.oneOf ?? target.anyOf)?.filter((/** @type {any} */ one) => one.type !== 'null');
  return some ? (some.length === 1 ? resolve(some[0], schema) : null) : target;
}

/** A control and its reader. @param {string} name @param {any} part @param {any} value
 * @returns {{ element: HTMLElement, read: () => any } | null} */
function control(name, part, value) {
  const types = [part.type].flat();
  if (part.enum?.length > 1) {
    const element = select(
      name,
      part.enum.map((/** @type {string} */ one) => [one, words(one)]),
      value,
    );
    return { element, read: () => element.value };
  }
  if (types.includes('boolean')) {
    const element = h('input', { type: 'checkbox', name, checked: !!value });
    return { element, read: () => element.checked };
  }
  if (types.includes('integer')) {
    const element = h('input', { type: 'number', name, min: part.minimum, max: part.maximum, value: value ?? '' });
    return { element, read: () => (element.value === '' ? null : Number(element.value)) };
  }
  return null;
}

/** The controls of an object's simple fields. @param {any} schema @param {any} object its schema @param {any} values */
function controls(schema, object, values) {
  /** @type {Map<string, { element: Node, read: () => any, before: any }>} */
  const made = new Map();
  for (const [name, raw] of Object.entries(object.properties ?? {})) {
    const part = resolve(/** @type {any} */ (raw), schema);
    if (!part) continue;
    const one = control(name, part, values?.[name]);
    if (one)
      made.set(name, {
        element: labelled(words(name), one.element, part.description),
        read: one.read,
        before: one.read(),
      });
  }
  return made;
}

/** @param {ReturnType<typeof controls>} made @returns {Record<string, any>} */
function changedOf(made) {
  return Object.fromEntries(
    [...made].filter(([, { read, before }]) => read() !== before).map(([name, { read }]) => [name, read()]),
  );
}

/**
 * @param {any} schema of a rule set
 * @param {Record<string, any>} values
 * @param {(changes: Record<string, any>) => void} changed called with the differences
 */
export function rulesForm(schema, values, changed) {
  const simple = controls(schema, schema, values);
  const groups = Object.entries(schema.properties ?? {}).flatMap(([name, raw]) => {
    const part = resolve(/** @type {any} */ (raw), schema);
    const inside = part?.properties && values[name] ? controls(schema, part, values[name]) : new Map();
    return inside.size ? [{ name, inside }] : [];
  });
  const text = h('textarea', { rows: 5, spellcheck: 'false', name: 'rule_set_json', placeholder: '{}' });
  const said = h('div');
  const change = () => {
    const entries = changedOf(simple);
    for (const { name, inside } of groups) {
      const some = changedOf(inside);
      if (Object.keys(some).length) entries[name] = { ...values[name], ...some };
    }
    try {
      fill(said);
      changed({ ...entries, ...(text.value.trim() && JSON.parse(text.value)) });
    } catch (failure) {
      if (!(failure instanceof SyntaxError)) throw failure;
      fill(said, problemBox(new Problem(0, { detail: t('no-json') })));
    }
  };
  const all = (/** @type {ReturnType<typeof controls>} */ made) =>
    h(
      'div',
      { class: 'grid' },
      [...made.values()].map(({ element }) => element),
    );
  return h(
    'div',
    { class: 'rules-form', on: { change } },
    all(simple),
    groups.map(({ name, inside }) => h('fieldset', {}, h('legend', {}, words(name)), all(inside))),
    labelled(t('rules-json'), text, t('rules-json-help')),
    said,
  );
}
