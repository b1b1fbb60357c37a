/** Saving responses as files. */

import { send } from './api.js';
import { announce, h } from './dom.js';
import { t } from './i18n/index.js';
import { action } from './ui.js';

/** Saves a response, under the server's file name or else this one. @param {string} path @param {string} name */
export async function download(path, name) {
  const answer = await send('GET', path);
  const named = answer.headers.get('Content-Disposition')?.match(/filename="([^"]+)"/)?.[1];
  const address = URL.createObjectURL(await answer.blob());
  h('a', { href: address, download: named ?? name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  announce(t('saved'));
}

/** A button that saves a table for spreadsheets. @param {string} text @param {string} path @param {string} [query] */
export function saveTable(text, path, query = '') {
  return action(text, () => download(`${path}?format=csv${query}`, 'table.csv'));
}
