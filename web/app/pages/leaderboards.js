/** Leaderboards: the best players of each rating pool. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { words } from '../format.js';
import { t } from '../i18n/index.js';
import { go } from '../router.js';
import { poolTitles } from '../titles.js';
import { labelled, nothing, playerLink, select, table } from '../ui.js';

/** @type {import('../router.js').Maker} */
export async function leaderboardsPage({ params, signal }) {
  const names = await poolTitles();
  const pool = params.pool ?? [...names.keys()][0];
  const choice = select('pool', [...names], pool);
  choice.addEventListener('change', () => go(`/leaderboards/${encodeURIComponent(choice.value)}`));
  const page = pool
    ? await api.get(`/v1/pools/${encodeURIComponent(pool)}/leaderboard`, { limit: 100 }, signal)
    : { items: [] };
  const rows = page.items.map((one) => [
    String(one.rank),
    playerLink(one.player),
    String(Math.round(one.current.rating)),
    `±${Math.round(2 * one.current.deviation)}`,
    String(one.matches),
  ]);
  return {
    title: t('leaderboards'),
    body: h(
      'div',
      {},
      h('h1', {}, t('leaderboards')),
      labelled(t('pool'), choice),
      rows.length
        ? table(
            names.get(pool) ?? words(pool),
            [t('rank'), t('player'), t('rating'), t('interval'), t('matches')],
            rows,
          )
        : nothing(t('no-ratings')),
    ),
  };
}
