/** The groups of a tournament: a table each, before the bracket of the finals. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { score } from '../format.js';
import { t } from '../i18n/index.js';
import { playerLink, table } from '../ui.js';

/** All players, page by page. @param {Schema<'Tournament'>} one @param {AbortSignal} signal */
async function everybody(one, signal) {
  /** @type {Schema<'TournamentStanding'>[]} */
  const all = [];
  /** @type {string | undefined} */
  let cursor;
  do {
    const page = await api.get(`/v1/tournaments/${one.id}/standings`, { limit: 100, cursor }, signal);
    all.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return all;
}

/** @param {Schema<'Tournament'>} one @param {AbortSignal} signal */
export async function groupTables(one, signal) {
  if (!one.group_count) return null;
  const all = await everybody(one, signal);
  const numbers = Array.from({ length: one.group_count }, (_, i) => i + 1);
  const of = (/** @type {number} */ number) =>
    all.flatMap(({ player, in_group, finals_seed }) =>
      in_group?.group === number ? [{ player, own: in_group, seed: finals_seed }] : [],
    );
  return h(
    'section',
    {},
    h('h2', {}, t('groups')),
    numbers.map((number) => {
      const name = t('group-number', { number });
      const rows = of(number)
        .sort((one, other) => one.own.rank - other.own.rank)
        .map(({ player, own, seed }) => [
          String(own.rank),
          seed ? h('b', {}, playerLink(player)) : playerLink(player),
          score(own.points),
          String(own.played),
          String(own.wins),
          String(own.draws),
          String(own.losses),
        ]);
      const heads = [t('rank'), t('player'), t('points'), t('played'), t('wins'), t('draws'), t('losses')];
      return h('section', {}, h('h3', {}, name), table(name, heads, rows));
    }),
  );
}
