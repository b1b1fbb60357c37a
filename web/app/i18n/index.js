/** The reader's language, and its texts. */

import { recall, remember } from '../memory.js';

/** @typedef {Record<string, string>} Texts */

const LANGUAGES = ['en', 'fr'];

/** Storage key of a language chosen here. */
const CHOSEN = 'language';

/** The chosen language, else the first supported one of the browser's languages. */
export const language =
  [recall(CHOSEN) ?? '', ...navigator.languages.map((tag) => tag.slice(0, 2))].find((tag) => LANGUAGES.includes(tag)) ??
  'en';

/** @param {string} tag */
export function speak(tag) {
  remember(CHOSEN, tag);
  location.reload();
}

const plural = new Intl.PluralRules(language);
/** @type {Texts} */
let texts = {};

/** @param {{ default: Texts }} module */
const add = (module) => {
  texts = { ...texts, ...module.default };
};

/** Resolves when the texts of the first page are loaded. */
export const ready = import(`./${language}-door.js`).then(add);

/** @type {Promise<void> | undefined} */
let rest;

const PARTS = ['', '-account', '-cases', '-contests', '-editor', '-match', '-more', '-records'];

/** Resolves when the texts of all pages are loaded. */
export const whole = () =>
  (rest ??= Promise.all(PARTS.map((part) => import(`./${language}${part}.js`).then(add))).then(() => {}));

/**
 * A text. `{name}` in it is replaced from `given`; of two forms separated by `|`, the first is the singular. An unknown
 * key is returned unchanged.
 * @param {string} key @param {Record<string, any>} [given]
 */
export function t(key, given = {}) {
  let text = texts[key] ?? key;
  if (text.includes('|')) {
    const [one = '', other = ''] = text.split('|');
    text = plural.select(Number(given.count ?? 1)) === 'one' ? one : other;
  }
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => String(given[name] ?? ''));
}
