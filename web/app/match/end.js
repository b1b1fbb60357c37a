/** The end of a match as a scene: winner, reason, shots, rating change, and the next step. */

import { api } from '../api.js';
import { fill, h, svg } from '../dom.js';
import { word } from '../format.js';
import { t } from '../i18n/index.js';
import { flagOf } from '../kit/flags.js';
import { looksOf, shipPicture } from '../kit/ships.js';
import { action, link, part, shareButton, table } from '../ui.js';
import { firing } from './outcome.js';

/** @typedef {import('../titles.js').Card} Card */

/** @param {number} part @param {number} of */
const percent = (part, of) => (of ? `${Math.round((100 * part) / of)} %` : '–');

/** @param {Schema<'Match'>} view @param {Card} card
 * @param {{ rematch: (() => Promise<void>) | null, next: (() => Promise<void>) | null, asked: HTMLElement }} ways */
export function banner(view, card, { rematch, next, asked }) {
  const { result, seats, viewer } = view;
  if (!result) return null;
  const winner = seats.find(({ seat }) => seat === result.winner);
  const own = typeof viewer.seat === 'number';
  const mood = !own || !winner ? 'even' : winner.seat === viewer.seat ? 'victory' : 'defeat';
  const title =
    own && winner ? t(`end-${mood}`) : winner ? t('won-by', { name: winner.player.username }) : t('no-winner');
  const looks = looksOf(card.classes);
  const home = view.seas
    .flatMap(({ ships }) => ships)
    .filter(({ seat, afloat }) => seat === (winner ?? seats[0])?.seat && afloat !== false);
  const ships = home
    .slice(0, 6)
    .map((ship) => shipPicture({ look: looks.get(ship.class), length: ship.length, hits: ship.hits ?? 0 }));
  return h(
    'section',
    { class: `result ${mood}`, 'aria-label': t('result') },
    h(
      'div',
      { class: 'shore' },
      h('h2', {}, title),
      h(
        'p',
        { role: 'status' },
        [word('because', result.reason), home.length && t('come-home', { count: home.length })]
          .filter(Boolean)
          .join(' '),
      ),
      h(
        'p',
        { class: 'buttons' },
        rematch && action(t('rematch'), rematch, { class: 'primary' }),
        next && action(t('next-match'), next),
        link(`/match/${view.id}/replay`, t('replay'), 'button'),
        shareButton(`/match/${view.id}/replay`, `${card.title ?? ''}:`),
      ),
      asked,
    ),
    h(
      'div',
      { class: 'harbour', 'aria-hidden': 'true' },
      h('div', { class: 'hoist' }, mood === 'victory' && [...t('flags')].map((letter) => flagOf(letter))),
      h('div', { class: 'column' }, ships),
    ),
  );
}

/** Shots of every seat, and ratings. @param {Schema<'Match'>} view @param {Schema<'Report'>[]} reports
 * @param {AbortSignal} signal */
export function figures(view, reports, signal) {
  const own = view.viewer.seat;
  const seats = [...view.seats].sort((a, b) => Number(b.seat === own) - Number(a.seat === own));
  const all = seats.map(({ seat, player }) => ({
    name: seat === own ? t('you') : player.username,
    ...firing(reports, view, seat),
  }));
  const rating = h('div', { class: 'rating' });
  const { ratings } = view.result ?? {};
  const mine = ratings?.find(({ seat }) => seat === own);
  if (mine) void part(curve(view, mine, signal)).then((drawn) => fill(rating, drawn));
  if (!all.some(({ shots }) => shots)) return h('div', { class: 'figures' }, rating);
  const rows = [
    [t('shots'), ...all.map(({ shots }) => shots)],
    [t('accuracy'), ...all.map(({ hits, shots }) => percent(hits, shots))],
    [t('first-hit'), ...all.map(({ first }) => first || '–')],
    [t('longest-run'), ...all.map(({ longest }) => longest)],
  ];
  return h(
    'div',
    { class: 'figures' },
    rating,
    h('h2', {}, t('how-fired')),
    table(t('how-fired'), [t('firing'), ...all.map(({ name }) => name)], rows),
    all.map(({ name, line, hits, shots }) => h('div', { class: 'course' }, h('b', {}, name), dots(line, hits, shots))),
  );
}

/** Shots in order: a dot for a miss, a bar for a hit. @param {string[]} line @param {number} hits
 * @param {number} shots */
function dots(line, hits, shots) {
  const said = t('hits-of', { count: hits, shots });
  const signs = line.map((one, i) =>
    one === 'miss'
      ? svg('circle', { cx: i * 8 + 4, cy: 12, r: 2, class: 'miss' })
      : svg('rect', { x: i * 8 + 1, y: 3, width: 6, height: 18, rx: 1, class: one }),
  );
  const box = { viewBox: `0 0 ${Math.max(1, line.length) * 8} 24`, role: 'img', 'aria-label': said, class: 'dots' };
  return svg('svg', { ...box, preserveAspectRatio: 'xMinYMid' }, signs);
}

/** The viewer's rating history up to now. @param {Schema<'Match'>} view @param {Schema<'SeatRating'>} mine
 * @param {AbortSignal} signal */
async function curve(view, { seat, before, after }, signal) {
  const { items } = await api.get(`/v1/matches/${view.id}/rating-changes`, {}, signal);
  const pool = items[0]?.change.pool;
  const name = view.seats.find((one) => one.seat === seat)?.player.username ?? '';
  const past = pool
    ? await api.get(`/v1/players/${encodeURIComponent(name)}/ratings/${pool}/history`, { limit: 10 }, signal)
    : null;
  const points = [...(past?.items ?? [])].reverse().map(({ after: then }) => then.rating);
  const all = points.length > 1 ? points : [before, after];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const at = (/** @type {number} */ value, /** @type {number} */ i) =>
    `${10 + (i * 200) / Math.max(1, all.length - 1)},${70 - (60 * (value - low)) / (high - low || 1)}`;
  const change = after - before;
  const step = change > 0 ? `+${change}` : String(change).replace('-', '−');
  return [
    h('h2', {}, t('rating')),
    h(
      'div',
      { class: 'step' },
      svg(
        'svg',
        { viewBox: '0 0 220 80', 'aria-hidden': 'true' },
        svg('polyline', { points: all.map(at).join(' ') }),
        svg('polyline', {
          points: all
            .slice(-2)
            .map((value, i) => at(value, all.length - 2 + i))
            .join(' '),
          class: change < 0 ? 'down' : 'up',
        }),
      ),
      h('p', {}, h('b', {}, after), ' ', h('span', { class: change < 0 ? 'down' : 'up' }, step)),
    ),
  ];
}
