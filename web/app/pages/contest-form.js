/** Forms and buttons of those who run a contest: each says what it has done once the page is drawn again. */

import { announce, h } from '../dom.js';
import { visit } from '../router.js';
import { action, form, labelled } from '../ui.js';

/** What was done last, and where. */
let last = { key: '', text: '' };

/** Does something, and draws the page again, which says so.
 * @param {string} key where it is said @param {string} text what was done @param {Promise<unknown>} work */
export async function done(key, text, work) {
  await work;
  last = { key, text };
  announce(text);
  visit();
}

/** What was done here last, once. @param {string} key */
export function saying(key) {
  if (last.key !== key) return null;
  const { text } = last;
  last = { key: '', text: '' };
  return h('p', { class: 'good', role: 'status' }, text);
}

/** A field of one line that has to be filled in. @param {string} name @param {number} most characters */
export const line = (name, most) => h('input', { name, required: true, maxlength: most, autocomplete: 'off' });

/** The field for the name of a player. */
export const playerField = () =>
  h('input', { name: 'username', required: true, maxlength: 24, autocomplete: 'off', autocapitalize: 'off' });

/** @param {string} name @param {number} min @param {number} max @param {number | ''} [value] */
export const number = (name, min, max, value = '') => h('input', { name, type: 'number', min, max, value });

/** A button. @param {string} key @param {string} text @param {string} said @param {() => Promise<unknown>} work
 * @param {Record<string, any>} [attributes] */
export const button = (key, text, said, work, attributes) => action(text, () => done(key, said, work()), attributes);

/**
 * A form.
 * @param {{ key: string, submit: string, said: (values: Record<string, string>) => string, button?: string }} how
 * @param {(values: Record<string, string>) => Promise<unknown>} send
 * @param {...[string, HTMLElement, string?]} fields labels, fields and what helps with them
 */
export function told({ key, submit, said, button: look }, send, ...fields) {
  const onSubmit = (/** @type {Record<string, string>} */ values) => done(key, said(values), send(values));
  return h(
    'div',
    {},
    form({ submit, onSubmit, button: look }, ...fields.map((field) => labelled(...field))),
    saying(key),
  );
}
