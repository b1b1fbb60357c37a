/** Pieces of the account page. */

import { h } from '../dom.js';

/** @param {string} name @param {string[]} values @param {string[]} chosen @param {(value: string) => string} text */
export function boxes(name, values, chosen, text) {
  return h(
    'div',
    { class: 'boxes' },
    values.map((value) =>
      h(
        'label',
        {},
        h('input', { type: 'checkbox', name: `${name}.${value}`, checked: chosen.includes(value) }),
        text(value),
      ),
    ),
  );
}

/** The ticked values. @template {string} T @param {Record<string, string>} values @param {string} name
 * @param {T[]} of */
export function chosen(values, name, of) {
  return of.filter((value) => `${name}.${value}` in values);
}

/** @param {string} title @param {(import('../dom.js').Child | import('../dom.js').Child[])[]} children */
export function part(title, ...children) {
  return h('section', { class: 'part' }, h('h2', {}, title), ...children);
}
