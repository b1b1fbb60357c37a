/** A profile: ratings as a plot, and matches. */

import { api } from '../api.js';
import { h, svg } from '../dom.js';
import { moment, words } from '../format.js';
import { t } from '../i18n/index.js';
import { me } from '../session.js';
import { flags } from '../kit/flags.js';
import { poolTitles, titles } from '../titles.js';
import { action, link, matchCard, nothing, pages, part } from '../ui.js';
import { sayings } from './account-profile.js';
import { followButton } from './follows.js';
import { honoursPart } from './honours.js';
import { resultsPart, shotsPart } from './player-figures.js';

const [WIDTH, HEIGHT] = [560, 160];

/**
 * A rating over time, with its probable range.
 * @param {{ at: string, rating: number, deviation: number }[]} series
 * @param {string} name
 */
function plot(series, name) {
  const low = Math.min(...series.map((point) => point.rating - 2 * point.deviation));
  const high = Math.max(...series.map((point) => point.rating + 2 * point.deviation));
  const x = (/** @type {number} */ i) => 40 + ((WIDTH - 50) * i) / Math.max(1, series.length - 1);
  const y = (/** @type {number} */ rating) => 10 + ((HEIGHT - 30) * (high - rating)) / Math.max(1, high - low);
  const line = (/** @type {(point: { rating: number, deviation: number }) => number} */ value) =>
    series.map((point, i) => `${x(i).toFixed(1)} ${y(value(point)).toFixed(1)}`);
  const upper = line((point) => point.rating + 2 * point.deviation);
  const lower = line((point) => point.rating - 2 * point.deviation).reverse();
  const last = series.at(-1);
  const text = `${name}: ${Math.round(last?.rating ?? 0)}`;
  return svg(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'plot', role: 'img', 'aria-label': text },
    svg('path', { d: `M${[...upper, ...lower].join('L')}Z`, class: 'band' }),
    svg('path', { d: `M${line((point) => point.rating).join('L')}`, class: 'curve' }),
    svg('text', { x: 36, y: 16, class: 'axis-end' }, Math.round(high)),
    svg('text', { x: 36, y: HEIGHT - 18, class: 'axis-end' }, Math.round(low)),
  );
}

/** @param {string} player @param {Schema<'PlayerRating'>} one @param {Map<string, string>} pools
 * @param {AbortSignal} signal */
async function rating(player, one, pools, signal) {
  const { series } = await api.get(`/v1/players/${player}/ratings/${one.pool}/history`, { limit: 1 }, signal);
  const name = pools.get(one.pool) ?? words(one.pool);
  const value = one.current ? `${Math.round(one.current.rating)} ± ${Math.round(2 * one.current.deviation)}` : '–';
  return h(
    'section',
    { class: 'rating' },
    h('h3', {}, name),
    h('p', { class: 'big' }, value, one.provisional && h('small', {}, ` ${t('provisional')}`)),
    series.length > 1 ? plot(series, name) : null,
  );
}

/** @param {Schema<'Profile'>} profile @param {Node | null} follow */
function doing(profile, follow) {
  const name = me()?.username;
  if (!name || name === profile.username) return null;
  return h(
    'div',
    { class: 'buttons' },
    link(`/lobby/new?opponent=${encodeURIComponent(profile.username)}`, t('challenge'), 'button primary'),
    follow,
    action(t('mute'), () => api.put(`/v1/account/mutes/${encodeURIComponent(profile.username)}`)),
    action(t('block'), () => api.put(`/v1/account/blocks/${encodeURIComponent(profile.username)}`)),
  );
}

/** @type {import('../router.js').Maker} */
export async function playerPage({ params, signal }) {
  const player = encodeURIComponent(params.name);
  const path = /** @type {const} */ (`/v1/players/${player}`);
  const [profile, ratings, names, pools] = await Promise.all([
    api.get(path, {}, signal),
    api.get(`${path}/ratings`, { limit: 20 }, signal),
    titles(),
    poolTitles(),
  ]);
  const other = me() && me()?.username !== profile.username;
  const [follow, results, honours, ...plots] = await Promise.all([
    other ? part(followButton(profile.username, signal)) : null,
    part(resultsPart(profile, names, signal)),
    part(honoursPart(player, signal)),
    ...ratings.items.map((one) => part(rating(player, one, pools, signal))),
  ]);
  const list = await pages(
    `${path}/matches`,
    {},
    signal,
    (match) => matchCard(match, names, signal),
    nothing(t('no-matches')),
  );
  const facts = [
    profile.bot && t('is-bot'),
    t('since', { time: moment(profile.created_at) }),
    t('matches-count', { count: profile.matches.finished }),
    typeof profile.reliability_percent === 'number' &&
      t('reliability', { share: Math.floor(profile.reliability_percent) }),
    profile.on_vacation_until && t('away-until', { time: moment(profile.on_vacation_until) }),
  ];
  return {
    title: profile.username,
    body: h(
      'article',
      {},
      h('div', { class: 'title-line' }, h('h1', {}, flags(profile.id), profile.username), doing(profile, follow)),
      h('p', { class: 'meta' }, facts.filter(Boolean).join(' · ')),
      ...sayings(profile),
      honours,
      plots.length > 0 && [h('h2', {}, t('ratings')), h('div', { class: 'plots' }, plots)],
      results,
      shotsPart(profile, names, signal),
      h('h2', {}, t('matches')),
      list,
    ),
  };
}
