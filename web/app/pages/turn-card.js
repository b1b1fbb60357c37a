/** A match as a card: thumbnails of its seas, opponents, last act, remaining time. */

import { api, once } from '../api.js';
import { thumbnail } from '../board/thumbnail.js';
import { fill, h, svg } from '../dom.js';
import { countdown } from '../format.js';
import { t } from '../i18n/index.js';
import { flags } from '../kit/flags.js';
import { inWords } from '../match/vocabulary.js';
import { seaTitle } from '../match/boards.js';
import { cellsTold, sentence } from '../match/words.js';
import { href } from '../router.js';
import { whenSeen } from '../seen.js';
import { me } from '../session.js';
import { cardOf } from '../titles.js';

/** @typedef {Schema<'MatchSummary'> & Partial<Schema<'Turn'>>} Listed */

const HOUR = 3_600_000;
/** Urgency of a turn: less than four hours left, less than a day, more. */
export const GROUPS = /** @type {const} */ (['soon', 'today', 'later']);

/** @param {Listed} match */
export function groupOf({ deadline }) {
  const left = deadline ? new Date(deadline).getTime() - Date.now() : Infinity;
  return left < 4 * HOUR ? 'soon' : left < 24 * HOUR ? 'today' : 'later';
}

/** The remaining share of a turn's time, as a pie. @param {Listed} match */
function pie({ deadline, clock }) {
  if (!deadline) return null;
  const whole = clock?.kind === 'per-move' ? clock.move_s * 1000 : 24 * HOUR;
  const share = Math.min(1, Math.max(0, (new Date(deadline).getTime() - Date.now()) / whole));
  const angle = 2 * Math.PI * share;
  const end = `${8 + 6 * Math.sin(angle)} ${8 - 6 * Math.cos(angle)}`;
  const slice = share > 0.99 ? 'M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12' : `M8 8V2A6 6 0 ${share > 0.5 ? 1 : 0} 1 ${end}Z`;
  return svg(
    'svg',
    { viewBox: '0 0 16 16', class: 'pie', 'aria-hidden': 'true' },
    svg('circle', { cx: 8, cy: 8, r: 7 }),
    svg('path', { d: slice }),
  );
}

/** The seas on a card: an opponent's first, then the viewer's. @param {Schema<'Match'>} view @param {number} most */
function shown(view, most) {
  const own = (/** @type {Schema<'SeaView'>} */ sea) =>
    (sea.owners ?? [sea.owner]).some((seat) => seat === view.viewer.seat);
  const others = view.seas.filter((sea) => !own(sea));
  return [...others.slice(0, 1), ...view.seas.filter(own), ...others.slice(1)].slice(0, most);
}

/** Ships afloat on both sides, the viewer's first; empty: not known, or more than two sides.
 * @param {Schema<'Match'>} view */
function score(view) {
  const left = view.seats.map(({ seat }) => {
    const fleet = view.seas.flatMap((sea) => sea.ships.filter((ship) => ship.seat === seat));
    const sunk = view.seas.find(({ owner }) => owner === seat)?.sunk;
    const known = fleet.length && (sunk !== undefined || fleet.every(({ afloat }) => afloat !== null));
    return {
      own: seat === view.viewer.seat,
      count: known ? fleet.filter(({ afloat }) => afloat !== false).length - (sunk ?? 0) : -1,
    };
  });
  const [own, other] = left.toSorted((one, two) => Number(two.own) - Number(one.own)).map(({ count }) => count);
  return left.length === 2 && own >= 0 && other >= 0 ? t('score', { own, other }) : '';
}

/**
 * Draws the seas of a match, and fills in the last act and the score.
 * @param {Listed} match @param {HTMLElement} seas @param {HTMLElement | null} last @param {HTMLElement | null} standing
 * @param {number} most @param {AbortSignal} signal
 */
async function draw(match, seas, last, standing, most, signal) {
  const path = /** @type {const} */ (`/v1/matches/${match.id}`);
  const [seen, card] = await Promise.all([api.get(path, {}, signal), cardOf(match)]);
  const view = inWords(seen, card);
  const known = new Map(card.board.seas.map((sea) => [sea.id, sea]));
  const lacks = view.seas.some(({ id }) => !known.has(id));
  const all = lacks ? new Map((await once(`${path}/board`)).seas.map((sea) => [sea.id, sea])) : known;
  const told = last && match.last_report;
  const acts = told ? cellsTold(told, view) : [];
  const pictures = shown(view, most).flatMap((sea) => {
    const chart = all.get(sea.id);
    if (!chart) return [];
    const cells = acts.filter(([where]) => where === sea.id).map(([, cell]) => cell);
    const seen = { marks: sea.marks, ships: sea.ships, classes: card.classes, last: cells };
    return thumbnail(chart, seen, seaTitle(view, sea));
  });
  fill(seas, pictures);
  if (standing) standing.textContent = [standing.textContent, score(view)].filter(Boolean).join(' · ');
  if (last && told) last.textContent = sentence(told, view, card);
}

/**
 * @param {Listed} match
 * @param {{ names: Map<string, string>, signal: AbortSignal, small?: boolean }} how
 */
export function turnCard(match, { names, signal, small = false }) {
  const mine = match.seats.find(({ player }) => player?.username === me()?.username);
  const waits = !!mine && match.to_act.includes(mine.seat);
  const players = (match.opponents ?? match.seats.map(({ player }) => player)).filter(
    (player) => player && player.username !== me()?.username,
  );
  const seas = h('div', { class: small ? 'thumbs small' : 'thumbs' });
  const last = small ? null : h('span', { class: 'last' });
  const who = players.map((player) => {
    const rating = match.seats.find((seat) => seat.player.id === player.id)?.rating;
    return h('span', { class: 'player' }, flags(player.id), player.username, rating && [' ', h('small', {}, rating)]);
  });
  const group = groupOf(match);
  const standing = small ? null : h('small', {}, match.move_number && t('move-number', { count: match.move_number }));
  const time = match.deadline
    ? h(
        'span',
        { class: 'clock' },
        small ? h('span', { class: 'unseen' }, t('they-have')) : pie(match),
        countdown(match.deadline, signal),
      )
    : h('span', { class: 'meta' }, waits ? t('clock-none') : t(`status-${match.status}`));
  whenSeen(seas, () => draw(match, seas, last, standing, small ? 1 : 2, signal));
  return h(
    'a',
    {
      href: href(`/match/${match.id}`),
      class: ['turn', waits && 'waits', waits && group === 'soon' && 'soon', small && 'small']
        .filter(Boolean)
        .join(' '),
    },
    seas,
    h(
      'div',
      {},
      h('b', {}, names.get(match.variant) ?? match.variant),
      h('span', { class: 'whom' }, who.length ? who : t('nobody')),
      standing,
      last,
      time,
    ),
  );
}
