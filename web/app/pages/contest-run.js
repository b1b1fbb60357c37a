/** What those who run a ladder or a tournament do there: the same for both. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { visit } from '../router.js';
import { me } from '../session.js';
import { action, form, labelled, playerLink } from '../ui.js';

/** @typedef {Schema<'Ladder'> | Schema<'Tournament'>} Contest */

/**
 * How it is run: whether it is over, how its words change, how it ends and what that is called, how it starts.
 * @typedef {object} Running
 * @property {boolean} over
 * @property {(change: object) => Promise<unknown>} patch
 * @property {(reason: string) => Promise<unknown>} end
 * @property {string} endText
 * @property {() => Promise<unknown>} [start]
 */

/** Whether the reader runs it. @param {Contest} contest */
export function runs(contest) {
  const name = me()?.username;
  return !!name && [contest.creator, ...contest.organizers].some((player) => player?.username === name);
}

/** @param {Promise<unknown>} work */
const again = async (work) => {
  await work;
  visit();
};

/** A form with one field.
 * @param {string} submit @param {HTMLElement} field @param {(text: string) => Promise<unknown>} send
 * @param {string} label @param {string} [help] */
function one(submit, field, send, label, help) {
  const name = field.getAttribute('name') ?? '';
  return form({ submit, onSubmit: (values) => again(send(values[name] ?? '')) }, labelled(label, field, help));
}

/** @param {string} name @param {number} most characters */
const line = (name, most) => h('input', { name, required: true, maxlength: most, autocomplete: 'off' });

/** Who waits to be let in. @param {Contest} contest @param {AbortSignal} signal */
async function requests(contest, signal) {
  if (contest.entry === 'open') return null;
  const { items } = await api.get(`/v1/contests/${contest.id}/entry-requests`, {}, signal);
  if (!items.length) return null;
  const answer = (/** @type {string} */ name, /** @type {'accept' | 'decline'} */ what) => () =>
    again(api.post(`/v1/contests/${contest.id}/entry-requests/${encodeURIComponent(name)}/${what}`, {}));
  const waiting = items.map(({ player }) =>
    h(
      'li',
      {},
      playerLink(player),
      ' ',
      action(t('accept'), answer(player.username, 'accept'), { class: 'primary' }),
      action(t('decline'), answer(player.username, 'decline')),
    ),
  );
  return h('section', {}, h('h2', {}, t('entry-requests')), h('ul', { class: 'requests' }, waiting));
}

/** Inviting, and who is invited. @param {Contest} contest @param {AbortSignal} signal */
async function inviting(contest, signal) {
  if (contest.entry === 'open') return null;
  const path = /** @type {const} */ (`/v1/contests/${contest.id}/invitations`);
  const { items } = await api.get(path, {}, signal);
  const of = (/** @type {string} */ name) => /** @type {const} */ (`${path}/${encodeURIComponent(name)}`);
  const field = h('input', { name: 'username', required: true, autocomplete: 'off', autocapitalize: 'off' });
  return h(
    'section',
    {},
    h('h2', {}, t('invitations')),
    one(t('invite'), field, (name) => api.put(of(name)), t('player')),
    items.length > 0 &&
      h(
        'ul',
        {},
        items.map(({ player }) =>
          h(
            'li',
            {},
            playerLink(player),
            ' ',
            action(t('take-back'), () => again(api.delete(of(player.username)))),
          ),
        ),
      ),
  );
}

/** Members, whom one can warn and remove. @param {Contest} contest @param {AbortSignal} signal */
async function members(contest, signal) {
  const path = /** @type {const} */ (`/v1/contests/${contest.id}/members`);
  const { items } = await api.get(path, { limit: 100 }, signal);
  const mine = me()?.username;
  const rows = items.map(({ player, joined_at, warnings, barred }) => {
    const member = /** @type {const} */ (`${path}/${encodeURIComponent(player.username)}`);
    const lift = () => again(api.delete(`/v1/contests/${contest.id}/bars/${encodeURIComponent(player.username)}`));
    const warn = (/** @type {string} */ text) => api.post(`${member}/warn`, { text });
    const remove = (/** @type {string} */ reason) => api.post(`${member}/remove`, { reason });
    return h(
      'li',
      {},
      playerLink(player),
      h('small', { class: 'muted' }, ` ${joined_at ? moment(joined_at) : ''}`),
      warnings > 0 && h('small', {}, ` · ${t('warnings-count', { count: warnings })}`),
      barred && action(t('lift-bar'), lift),
      joined_at &&
        player.username !== mine &&
        h(
          'details',
          { class: 'fold' },
          h('summary', {}, t('warn-or-remove')),
          one(t('warn'), line('text', 500), warn, t('warn-text')),
          one(t('remove-member'), line('reason', 500), remove, t('pause-reason')),
        ),
    );
  });
  return h('section', {}, h('h2', {}, t('players')), h('ul', {}, rows));
}

/** Its words, which change at any time. @param {Contest} contest @param {(change: object) => Promise<unknown>} patch */
function wording(contest, patch) {
  const title = h('input', { name: 'title', required: true, minlength: 3, maxlength: 80, value: contest.title });
  const about = h('textarea', { name: 'description', maxlength: 2000, rows: 3 }, contest.description ?? '');
  return form(
    {
      submit: t('save'),
      onSubmit: (values) => again(patch({ title: values.title, description: values.description ?? null })),
    },
    labelled(t('contest-title'), title),
    labelled(t('description'), about),
  );
}

/**
 * The section of those who run it; null: the reader doesn't, or it is over.
 * @param {Contest} contest
 * @param {Running} how
 * @param {AbortSignal} signal
 */
export async function running(contest, { over, patch, end, endText, start }, signal) {
  if (over || !runs(contest)) return null;
  const [waiting, invited, playing] = await Promise.all([
    requests(contest, signal),
    inviting(contest, signal),
    members(contest, signal),
  ]);
  const announce = (/** @type {string} */ text) => api.post(`/v1/contests/${contest.id}/announcements`, { text });
  const field = h('textarea', { name: 'text', required: true, maxlength: 1000, rows: 3 });
  return h(
    'details',
    { class: 'fold runs', open: !!waiting },
    h('summary', {}, t('run-it')),
    start &&
      h(
        'p',
        {},
        action(t('start-tournament'), () => again(start()), { class: 'primary' }),
      ),
    waiting,
    invited,
    h('section', {}, h('h2', {}, t('announcements')), one(t('announce'), field, announce, t('announce-text'))),
    playing,
    h('section', {}, h('h2', {}, t('wording')), wording(contest, patch)),
    contest.creator?.username === me()?.username &&
      h('section', {}, h('h2', {}, endText), one(endText, line('reason', 500), end, t('pause-reason'))),
  );
}
