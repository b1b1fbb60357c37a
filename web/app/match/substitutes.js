/** Substitutes: asking for a player, volunteering, approving. */

import { api } from '../api.js';
import { fill, h } from '../dom.js';
import { moment, word } from '../format.js';
import { t } from '../i18n/index.js';
import { visit } from '../router.js';
import { me } from '../session.js';
import { onEvent } from '../stream.js';
import { action, form, labelled, playerLink } from '../ui.js';

/** @typedef {Schema<'Substitution'>} Substitution */

/** @param {Promise<unknown>} work */
const again = (work) => work.then(() => visit());

/** @param {Schema<'Player'> | null} player */
const isMe = (player) => !!player && player.username === me()?.username;

/** Possible answers to a request. @param {Substitution} one @param {Schema<'Match'>} view */
function choices(one, view) {
  const path = /** @type {const} */ (`/v1/substitutions/${one.id}`);
  const own = view.viewer.seat;
  const plays = typeof own === 'number' && own !== one.seat && view.seats[own]?.status === 'playing';
  const answer = (/** @type {boolean} */ agrees) => () => again(api.post(`${path}/answer`, { agrees }));
  const open = one.status === 'open';
  return [
    open && me() && typeof own !== 'number' && (one.named ? isMe(one.named) : true)
      ? action(t('take-seat'), () => again(api.post(`${path}/accept`, {})), { class: 'primary' })
      : null,
    (open && isMe(one.named)) || isMe(one.candidate)
      ? action(t('decline'), () => again(api.post(`${path}/decline`, {})))
      : null,
    one.status === 'proposed' && plays && !view.pairing
      ? [action(t('agree'), answer(true), { class: 'primary' }), action(t('object'), answer(false))]
      : null,
    one.requester_id === view.seats[own ?? -1]?.player.id
      ? action(t('withdraw-request'), () => again(api.delete(path)))
      : null,
  ];
}

/** @param {Substitution} one @param {Schema<'Match'>} view */
function request(one, view) {
  return h(
    'li',
    {},
    h(
      'p',
      {},
      t('seat-of', { name: one.player.username }),
      ': ',
      word('substitution', one.status),
      one.candidate && [' · ', playerLink(one.candidate)],
      ' · ',
      t('time-until', { time: moment(one.due_at) }),
    ),
    one.message && h('p', {}, one.message),
    h('p', { class: 'buttons' }, choices(one, view)?.flat() ?? null),
  );
}

/** The player's ways to give the seat away. @param {Schema<'Match'>} view */
function offer(view) {
  const name = h('input', { name: 'player', maxlength: 24, autocomplete: 'off' });
  const message = h('input', { name: 'message', maxlength: 200 });
  const send = (/** @type {Record<string, string>} */ values) =>
    again(api.post(`/v1/matches/${view.id}/substitutions`, values));
  return form(
    { submit: t('offer-seat'), onSubmit: send },
    h('p', { class: 'muted' }, t('offer-seat-help')),
    labelled(t('to-player'), name, t('to-player-help')),
    labelled(t('message'), message),
  );
}

/** @param {Schema<'Match'>} view @param {AbortSignal} signal */
export function substitutes(view, signal) {
  const list = h('ul');
  const beside = h('div');
  const before = view.former_players.map(({ seat, player, until }) =>
    h(
      'li',
      {},
      playerLink(player),
      ` · ${view.seats[seat]?.name ?? seat} · ${t('time-until', { time: moment(until) })}`,
    ),
  );
  const element = h(
    'details',
    { class: 'fold' },
    h('summary', {}, t('substitutes')),
    before.length ? [h('p', {}, t('former-players')), h('ul', {}, before)] : null,
    list,
    beside,
  );
  const draw = async () => {
    const { items } = await api.get(`/v1/matches/${view.id}/substitutions`, { limit: 20 }, signal);
    const open = items.filter((one) => !one.closed_at);
    fill(
      list,
      open.map((one) => request(one, view)),
    );
    const own = view.viewer.seat;
    const plays = typeof own === 'number' && view.seats[own]?.status === 'playing' && !view.result;
    fill(beside, plays && !open.some((one) => one.seat === own) ? offer(view) : null);
    if (open.length) element.open = true;
  };
  void draw().catch(() => {});
  onEvent((event) => {
    if (event.match_id !== view.id) return;
    if (event.type === 'seat-handed-over') visit();
    else if (event.type.startsWith('substitution-')) void draw().catch(() => {});
  }, signal);
  return element;
}
