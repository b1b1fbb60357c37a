/** The style sheet of a match, which other pages don't load. */

import { h } from '../dom.js';

/** @type {Promise<void> | null} */
let loaded = null;

/** It is there. */
export function styled() {
  loaded ??= new Promise((resolve) => {
    const sheet = h('link', { rel: 'stylesheet', href: new URL('../match.css', import.meta.url).pathname });
    sheet.addEventListener('load', () => resolve());
    sheet.addEventListener('error', () => resolve());
    document.head.append(sheet);
  });
  return loaded;
}
