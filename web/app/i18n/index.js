/** The reader's language, and texts in it. */

/** @typedef {Record<string, string>} Texts */

const LANGUAGES = ['en', 'fr'];

/** Under what a language is kept that was chosen here. */
const CHOSEN = 'broadside-language';

/** The one that was chosen, else the first of the browser's languages that there are texts in. */
export const language =
  [localStorage.getItem(CHOSEN) ?? '', ...navigator.languages.map((tag) => tag.slice(0, 2))].find((tag) =>
    LANGUAGES.includes(tag),
  ) ?? 'en';

/** Chooses a language. @param {string} tag */
export function speak(tag) {
  localStorage.setItem(CHOSEN, tag);
  location.reload();
}

const plural = new Intl.PluralRules(language);
/** @type {Texts} */
let texts = {};

/** @param {{ default: Texts }} module */
const add = (module) => {
  texts = { ...texts, ...module.default };
};

/** The texts of the first page are there. */
export const ready = import(`./${language}-door.js`).then(add);

/** @type {Promise<void> | undefined} */
let rest;

const PARTS = ['', '-account', '-cases', '-contests', '-editor', '-match', '-more', '-records'];

/** The texts of all other pages are there. */
export const whole = () =>
  (rest ??= Promise.all(PARTS.map((part) => import(`./${language}${part}.js`).then(add))).then(() => {}));

/**
 * A text. `{name}` in it is replaced by what is given; of two forms with `|` between them the first is for one.
 * An unknown key comes back as it is.
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
