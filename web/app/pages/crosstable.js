/** Cross-tables of tournaments and ladder divisions: results of each pair. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { saveTable } from '../download.js';
import { score } from '../format.js';
import { t } from '../i18n/index.js';
import { playerLink, table } from '../ui.js';

/** The widest table for a screen, in columns: above, only the file is offered. */
const WIDEST = 40;

/** @param {Schema<'CrosstableResult'> | undefined} result */
const cell = (result) =>
  (result?.games ?? []).map(({ points, unplayed }) => `${score(points)}${unplayed ? 'F' : ''}`).join(' ');

/** @param {Schema<'LadderCrosstableResult'> | undefined} result */
const met = (result) => (result?.pairings ?? []).map(({ points }) => score(points)).join(' ');

/**
 * A table section with a cell for each pair.
 * @param {Node[]} names the players, in the order of rows and columns
 * @param {number[]} points of each player
 * @param {(row: number, column: number) => string} content of a cell, counted from 0
 * @param {string} path of the file
 * @param {string} query of the file
 * @param {boolean} fits the table fits on a screen
 */
function section(names, points, content, path, query, fits) {
  const rows = names.map((name, row) => [
    String(row + 1),
    name,
    score(points[row]),
    ...names.map((_, column) => (column === row ? '×' : content(row, column))),
  ]);
  const heads = ['#', t('player'), t('points'), ...names.map((_, column) => String(column + 1))];
  return h(
    'section',
    {},
    h('h2', {}, t('crosstable')),
    fits && table(t('crosstable'), heads, rows),
    h('p', {}, saveTable(t('save-crosstable'), path, query)),
  );
}

/** @param {Schema<'Tournament'>} one @param {AbortSignal} signal */
export async function crosstable(one, signal) {
  const path = /** @type {const} */ (`/v1/tournaments/${one.id}/crosstable`);
  const { items, size } = await api.get(path, { limit: WIDEST }, signal);
  if (!items.some(({ results }) => results.length)) return null;
  const result = (/** @type {number} */ row, /** @type {number} */ column) =>
    cell(items[row]?.results.find((one) => one.column === column + 1));
  const names = items.map(({ player }) => playerLink(player));
  return section(
    names,
    items.map(({ points }) => points),
    result,
    path,
    '',
    size <= WIDEST,
  );
}

/** The crosstable of the reader's division, else of the highest one. @param {Schema<'Ladder'>} ladder
 * @param {AbortSignal} signal */
export async function ladderCrosstable(ladder, signal) {
  const path = /** @type {const} */ (`/v1/ladders/${ladder.id}/crosstable`);
  const { division, section: listed } = ladder.membership ?? { division: 1, section: undefined };
  const list = listed ? { division, section: listed } : { division };
  const { rows, members } = await api.get(path, list, signal);
  if (!rows.some(({ results }) => results.length)) return null;
  const result = (/** @type {number} */ row, /** @type {number} */ column) =>
    met(rows[row]?.results.find((one) => one.column === column + 1));
  const query = Object.entries(list)
    .map(([name, value]) => `&${name}=${value}`)
    .join('');
  const names = rows.map(({ player }) => playerLink(player));
  return section(
    names,
    rows.map(({ points }) => points),
    result,
    path,
    query,
    members <= WIDEST,
  );
}
