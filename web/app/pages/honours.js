/** Titles won: on profiles, and in a ladder's archive. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { link, playerLink, table } from '../ui.js';

const HONOURS = 20;

/** @param {string} player encoded for a path @param {AbortSignal} signal */
export async function honoursPart(player, signal) {
  const { items } = await api.get(`/v1/players/${player}/honours`, { limit: HONOURS }, signal);
  if (!items.length) return null;
  const one = (/** @type {Schema<'Honour'>} */ honour) =>
    h(
      'li',
      {},
      `${t(`honour-${honour.kind}`, { rank: honour.rank })} · `,
      honour.ladder_id
        ? link(`/ladders/${honour.ladder_id}`, honour.title)
        : link(`/tournaments/${honour.tournament_id}`, honour.title),
      honour.season && `, ${t('season', { number: honour.season })}`,
      ` (${moment(honour.at)})`,
    );
  return h('section', {}, h('h2', {}, t('honours')), h('ul', { class: 'honours' }, items.map(one)));
}

/** Finished seasons of a ladder, with their winners. @param {string} ladder @param {AbortSignal} signal */
export async function archive(ladder, signal) {
  const { items } = await api.get(`/v1/ladders/${ladder}/seasons`, { limit: HONOURS }, signal);
  const over = items.filter(({ ended_at: ended }) => ended);
  if (!over.length) return null;
  const rows = over.map((season) => [
    String(season.number),
    moment(season.ended_at ?? ''),
    h('span', {}, season.winners.map((winner, i) => [i ? ', ' : '', playerLink(winner.player)]).flat()),
  ]);
  const heads = ['#', t('ended-at'), t('winner')];
  return h('section', {}, h('h2', {}, t('past-seasons')), table(t('past-seasons'), heads, rows));
}
