/** The cross-table of a tournament: what each pair's finished games gave. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { saveTable } from '../download.js';
import { t } from '../i18n/index.js';
import { playerLink, table } from '../ui.js';

/** More columns than this fit on no screen: then there is only the file. */
const WIDEST = 40;

/** @param {Schema<'CrosstableResult'> | undefined} result */
const cell = (result) =>
  (result?.games ?? [])
    .map(({ points, unplayed }) => (points === null ? '–' : `${points}${unplayed ? 'F' : ''}`.replace('0.5', '½')))
    .join(' ');

/** @param {Schema<'Tournament'>} one @param {AbortSignal} signal */
export async function crosstable(one, signal) {
  const path = /** @type {const} */ (`/v1/tournaments/${one.id}/crosstable`);
  const { items, size } = await api.get(path, { limit: WIDEST }, signal);
  if (!items.some(({ results }) => results.length)) return null;
  const rows = items.map((row) => [
    String(row.row),
    playerLink(row.player),
    String(row.points),
    ...items.map(({ row: column }) =>
      column === row.row ? '×' : cell(row.results.find((result) => result.column === column)),
    ),
  ]);
  const heads = ['#', t('player'), t('points'), ...items.map(({ row }) => String(row))];
  return h(
    'section',
    {},
    h('h2', {}, t('crosstable')),
    size <= WIDEST && table(t('crosstable'), heads, rows),
    h('p', {}, saveTable(t('save-crosstable'), path)),
  );
}
