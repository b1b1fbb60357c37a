/** Style sheets that few pages need: that of a match, and others. */

import { h } from '../dom.js';

/** @type {Map<string, Promise<void>>} */
const loaded = new Map();

/** It is there. @param {string} [file] beside this one */
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
