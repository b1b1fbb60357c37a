/** Style sheets of few pages, such as a match's. */

import { h } from '../dom.js';

/** @type {Map<string, Promise<void>>} */
const loaded = new Map();

/** Resolves when the style sheet is loaded. @param {string} [file] relative to this module */
export function styled(file = '../match.css') {
  const coming =
    loaded.get(file) ??
    new Promise((resolve) => {
      const sheet = h('link', { rel: 'stylesheet', href: new URL(file, import.meta.url).pathname });
      sheet.addEventListener('load', () => resolve());
      sheet.addEventListener('error', () => resolve());
      document.head.append(sheet);
    });
  loaded.set(file, coming);
  return coming;
}
