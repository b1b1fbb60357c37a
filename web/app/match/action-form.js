/** A form for a later action, without choices from a decision: made from the action's JSON Schema and the boards. */

import { fill, h } from '../dom.js';
import { words } from '../format.js';
import { t } from '../i18n/index.js';
import { labelled, select } from '../ui.js';
import { seaTitle } from './boards.js';
import { fieldTitle, vocabulary } from './vocabulary.js';

/**
 * @typedef {import('../decisions/plan.js').Table} Table
 * @typedef {{ read: () => any, element: Node }} Part
 * @typedef {(input: HTMLInputElement, several: boolean) => HTMLElement} Aim makes a button to choose cells on the board
 */

/** The most numbers for a list. */
const FEW = 30;

/** Actions possible in a later turn. @param {Table} table */
export function laterActions({ card, view }) {
  /** @type {Set<string>} */
  const needed = new Set(view.decisions.filter(({ required }) => required).map(({ example }) => example.type));
  return card.actions.filter(({ action_type: type, phases, json_schema: schema }) => {
    const fields = Object.keys(/** @type {any} */ (schema).properties ?? {});
    // An action with no fields but its type can concern the table, such as an offer: only a decision tells.
    return /** @type {string[]} */ (phases).includes('playing') && (fields.length > 1 || needed.has(type));
  });
}

/** @param {string} text */
export function cellsIn(text) {
  return text.split(/[\s,;]+/).filter(Boolean);
}

export class ActionForm {
  /** @param {Table} table @param {Aim} aim @param {{ legend: string, optional?: boolean }} how */
  constructor(table, aim, { legend, optional = false }) {
    this.table = table;
    this.aim = aim;
    this.actions = laterActions(table);
    /** @type {Map<string, Part>} */
    this.parts = new Map();
    const options = this.actions.map(({ action_type: type, title }) => /** @type {[string, string]} */ ([type, title]));
    this.choice = select('', optional ? [['', t('do-nothing')], ...options] : options);
    this.fields = h('div', { class: 'action-fields' });
    this.choice.addEventListener('change', () => this.#build());
    this.element = h('fieldset', {}, h('legend', {}, legend), labelled(t('action'), this.choice), this.fields);
    this.#build();
  }

  #build() {
    const found = this.actions.find(({ action_type: type }) => type === this.choice.value);
    const schema = /** @type {any} */ (found?.json_schema);
    this.parts.clear();
    for (const [key, value] of Object.entries(schema?.properties ?? {})) {
      if (key === 'type') continue;
      const part = this.#part(key, value, schema, schema.required?.includes(key));
      if (part) this.parts.set(key, part);
    }
    fill(
      this.fields,
      [...this.parts.values()].map(({ element }) => element),
    );
  }

  /** @param {string} key @param {any} property @param {any} schema @param {boolean} required @returns {Part | null} */
  #part(key, property, schema, required) {
    const several = property.type === 'array';
    const inner = several ? property.items : property;
    const reference = String(inner?.$ref ?? '')
      .split('/')
      .at(-1);
    const form = inner?.$ref ? schema.$defs?.[reference ?? ''] : inner;
    if (reference === 'CellLabel') return this.#cells(key, several, required);
    if (several && form?.properties) return pass(this.#title(key));
    const values = this.#values(reference ?? '', form);
    if (several) return values ? boxes(this.#title(key), values) : pass(this.#title(key));
    if (reference === 'SeaId' && (!values || values.length < 2) && !required) return null;
    if (values)
      return chosen(
        this.#title(key),
        required || reference === 'SeaId' ? values : [['', ''], ...values],
        form?.type === 'integer',
      );
    const input = h('input', { required, pattern: form?.pattern ?? null, maxlength: form?.maxLength ?? null });
    return { read: () => input.value.trim() || undefined, element: labelled(this.#title(key), input) };
  }

  /** @param {string} key */
  #title(key) {
    return fieldTitle(this.table.card, key);
  }

  /** @param {string} reference @param {any} form @returns {[string, string][] | null} */
  #values(reference, form) {
    const { view, charts } = this.table;
    const own = (/** @type {Schema<'SeaView'>} */ sea) => (sea.owners ?? [sea.owner]).includes(view.viewer.seat ?? -1);
    if (reference === 'SeaId') return view.seas.filter((sea) => !own(sea)).map((sea) => [sea.id, seaTitle(view, sea)]);
    if (reference === 'ShipId') {
      const ships = view.seas.flatMap((sea) => sea.ships).filter(({ afloat }) => afloat !== false);
      const sorted = [...ships].sort(
        (a, b) => Number(b.seat === view.viewer.seat) - Number(a.seat === view.viewer.seat),
      );
      const titles = vocabulary(this.table.card).ships;
      return [...new Map(sorted.map(({ id, name }) => [id, titles.get(id) ?? name]))];
    }
    if (reference === 'LineId') {
      const lines = [...charts.values()].flatMap((chart) => chart.lines);
      return lines.map(({ id }) => [id, words(id)]);
    }
    if (form?.enum) return form.enum.map((/** @type {string} */ one) => [one, words(one)]);
    if (form?.type !== 'integer') return null;
    const step = form.multipleOf ?? 1;
    const count = (form.maximum - form.minimum) / step + 1;
    if (!(count <= FEW)) return null;
    const texts = Array.from({ length: count }, (_, i) => String(form.minimum + i * step));
    return texts.map((one) => [one, one]);
  }

  /** @param {string} key @param {boolean} several @param {boolean} required @returns {Part} */
  #cells(key, several, required) {
    const input = h('input', { required, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'characters' });
    const element = h(
      'div',
      {},
      labelled(this.#title(key), input, several ? t('cells-help') : ''),
      this.aim(input, several),
    );
    return { read: () => (several ? cellsIn(input.value) : input.value.trim() || undefined), element };
  }

  /** The action; null: none chosen. @returns {Schema<'Action'> | null} */
  read() {
    if (!this.choice.value) return null;
    const action = { type: this.choice.value };
    for (const [key, { read }] of this.parts) Object.assign(action, { [key]: read() });
    return /** @type {any} */ (action);
  }
}

/** A list with unpredictable items: it stays empty. @param {string} title @returns {Part} */
function pass(title) {
  return { read: () => [], element: h('p', { class: 'muted' }, t('none-of-them', { what: title })) };
}

/** @param {string} title @param {[string, string][]} values @param {boolean} number @returns {Part} */
function chosen(title, values, number) {
  const input = select('', values);
  const read = () => (input.value === '' ? undefined : number ? Number(input.value) : input.value);
  return { read, element: labelled(title, input) };
}

/** @param {string} title @param {[string, string][]} values @returns {Part} */
function boxes(title, values) {
  const all = values.map(([value, text]) => ({ value, text, box: h('input', { type: 'checkbox' }) }));
  const element = h(
    'div',
    { class: 'boxes', role: 'group', 'aria-label': title },
    all.map(({ text, box }) => h('label', {}, box, text)),
  );
  return { read: () => all.filter(({ box }) => box.checked).map(({ value }) => value), element };
}
