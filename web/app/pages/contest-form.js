/** Forms and buttons of organizers: each confirms its effect once the page is redrawn. */

import { announce, h } from '../dom.js';
import { visit } from '../router.js';
import { action, form, labelled } from '../ui.js';

/** The last action and its place. */
let last = { key: '', text: '' };

/** Does something and redraws the page, which confirms it. @param {string} key place of the confirmation
 * @param {string} text the confirmation @param {Promise<unknown>} work */
export async function done(key, text, work) {
  await work;
  last = { key, text };
  announce(text);
  visit();
}

/** The confirmation of the last action here, once. @param {string} key */
export function saying(key) {
  if (last.key !== key) return null;
  const { text } = last;
  last = { key: '', text: '' };
  return h('p', { class: 'good', role: 'status' }, text);
}

/** A required field of one line. @param {string} name @param {number} most characters */
export const line = (name, most) => h('input', { name, required: true, maxlength: most, autocomplete: 'off' });

export const playerField = () =>
  h('input', { name: 'username', required: true, maxlength: 24, autocomplete: 'off', autocapitalize: 'off' });

/** @param {string} name @param {number} min @param {number} max @param {number | ''} [value] */
export const number = (name, min, max, value = '') => h('input', { name, type: 'number', min, max, value });

/** @param {string} key @param {string} text @param {string} said @param {() => Promise<unknown>} work
 * @param {Record<string, any>} [attributes] */
export const button = (key, text, said, work, attributes) => action(text, () => done(key, said, work()), attributes);

/**
 * @param {{ key: string, submit: string, said: (values: Record<string, string>) => string, button?: string }} how
 * @param {(values: Record<string, string>) => Promise<unknown>} send
 * @param {...[string, HTMLElement, string?]} fields labels, fields and help
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
