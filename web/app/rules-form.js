/** A form for changes to a rule set, made from the JSON Schema of the card: it knows no option by name. */

import { Problem, api, pause } from './api.js';
import { fill, h } from './dom.js';
import { words } from './format.js';
import { t } from './i18n/index.js';
import { emptySea } from './match/boards.js';
import { labelled, problemBox, select } from './ui.js';

/** Enough of a JSON Schema to make a control of it, or null. @param {any} part @param {any} schema */
function resolve(part, schema) {
  const target = part.$ref ? { ...schema.$defs[part.$ref.split('/').at(-1)], description: part.description } : part;
  return target.oneOf || target.anyOf ? null : target;
}

/** A control, and how to read it. @param {string} name @param {any} part @param {any} value
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

/** What somebody has changed. @param {ReturnType<typeof controls>} made @returns {Record<string, any>} */
function changedOf(made) {
  return Object.fromEntries(
    [...made].filter(([, { read, before }]) => read() !== before).map(([name, { read }]) => [name, read()]),
  );
}

/**
 * @param {Schema<'Variant'>} card
 * @param {{ seats: () => number, signal: AbortSignal, changed?: (changes: any, check: any) => void }} how
 */
export function rulesForm(card, { seats, signal }) {
  const schema = card.rule_set_schema;
  const values = /** @type {Record<string, any>} */ (card.rule_set);
  const simple = controls(schema, schema, values);
  const groups = Object.entries(schema.properties ?? {}).flatMap(([name, raw]) => {
    const part = resolve(/** @type {any} */ (raw), schema);
    const inside = part?.properties && values[name] ? controls(schema, part, values[name]) : new Map();
    return inside.size ? [{ name, inside }] : [];
  });
  const text = h('textarea', { rows: 5, spellcheck: 'false', name: 'rule_set_json', placeholder: '{}' });
  const said = h('div', { class: 'check', role: 'status' });
  const changes = () => {
    const changed = changedOf(simple);
    for (const { name, inside } of groups) {
      const entries = changedOf(inside);
      if (Object.keys(entries).length) changed[name] = { ...values[name], ...entries };
    }
    return { ...changed, ...(text.value.trim() && JSON.parse(text.value)) };
  };
  const check = checker(card, { changes, seats, said, signal });
  const element = h(
    'div',
    { class: 'rules-form', on: { input: check } },
    h(
      'div',
      { class: 'grid' },
      [...simple.values()].map(({ element: one }) => one),
    ),
    groups.map(({ name, inside }) =>
      h(
        'fieldset',
        {},
        h('legend', {}, words(name)),
        h(
          'div',
          { class: 'grid' },
          [...inside.values()].map(({ element: one }) => one),
        ),
      ),
    ),
    labelled(t('rules-json'), text, t('rules-json-help')),
    said,
  );
  return { element, changes, check };
}

/** Checks while somebody writes. @param {Schema<'Variant'>} card
 * @param {{ changes: () => any, seats: () => number, said: HTMLElement, signal: AbortSignal }} form */
function checker(card, { changes, seats, said, signal }) {
  let asked = 0;
  return async () => {
    const mine = ++asked;
    await pause(400, signal).catch(() => {});
    if (mine !== asked || signal.aborted) return;
    try {
      const answer = await api.post('/v1/rule-sets/check', { variant: card.id, rule_set: changes(), seats: seats() });
      if (mine === asked) fill(said, verdict(answer));
    } catch (failure) {
      if (mine === asked)
        fill(said, problemBox(failure instanceof SyntaxError ? new Problem(0, { detail: t('no-json') }) : failure));
    }
  };
}

/** @param {Schema<'RuleSetCheck'>} answer */
function verdict(answer) {
  if (!answer.valid) return problemBox(new Problem(422, { detail: t('rules-invalid'), errors: answer.errors }));
  return h(
    'div',
    {},
    h(
      'p',
      { class: 'good' },
      answer.same_as_variant ? t('same-as', { name: answer.same_as_variant }) : t('rules-valid'),
    ),
    answer.board && emptySea(answer.board),
  );
}
