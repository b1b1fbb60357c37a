/** Tools of organizers of ladders and tournaments alike. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { me } from '../session.js';
import { playerLink } from '../ui.js';
import { deciding } from './contest-decide.js';
import { button, line, playerField, saying, told } from './contest-form.js';
import { made, plays, runs } from './contest-rights.js';

/** @typedef {import('./contest-rights.js').Contest} Contest */

/**
 * Operations of a contest: state, changes of its texts, end with its label, start, and organizers.
 * @typedef {object} Running
 * @property {boolean} over
 * @property {(change: object) => Promise<unknown>} patch
 * @property {(reason: string) => Promise<unknown>} end
 * @property {string} endText
 * @property {() => Promise<unknown>} [start]
 * @property {{ add: (name: string) => Promise<unknown>, remove: (name: string) => Promise<unknown> }} organizers
 */

/** Pending requests to join. @param {Contest} contest @param {AbortSignal} signal */
async function requests(contest, signal) {
  if (contest.entry === 'open') return null;
  const { items } = await api.get(`/v1/contests/${contest.id}/entry-requests`, {}, signal);
  const key = `${contest.id} requests`;
  const said = saying(key);
  if (!items.length) return said;
  const answer = (/** @type {string} */ name, /** @type {'accept' | 'decline'} */ what) => () =>
    api.post(`/v1/contests/${contest.id}/entry-requests/${encodeURIComponent(name)}/${what}`, {});
  const waiting = items.map(({ player }) => {
    const { username } = player;
    return h(
      'li',
      {},
      playerLink(player),
      ' ',
      button(key, t('accept'), t('did-accept', { username }), answer(username, 'accept'), { class: 'primary' }),
      button(key, t('decline'), t('did-decline', { username }), answer(username, 'decline')),
    );
  });
  return h('section', {}, h('h2', {}, t('entry-requests')), said, h('ul', { class: 'requests' }, waiting));
}

/** Inviting players, and the list of invitations. @param {Contest} contest @param {AbortSignal} signal */
async function inviting(contest, signal) {
  if (contest.entry === 'open') return null;
  const path = /** @type {const} */ (`/v1/contests/${contest.id}/invitations`);
  const { items } = await api.get(path, {}, signal);
  const of = (/** @type {string} */ name) => /** @type {const} */ (`${path}/${encodeURIComponent(name)}`);
  const key = `${contest.id} invite`;
  const lines = items.map(({ player }) => {
    const { username } = player;
    const back = () => api.delete(of(username));
    return h('li', {}, playerLink(player), ' ', button(key, t('take-back'), t('did-take-back', { username }), back));
  });
  return h(
    'section',
    {},
    h('h2', {}, t('invitations')),
    told(
      { key, submit: t('invite'), said: ({ username }) => t('did-invite', { username }) },
      ({ username }) => api.put(of(username ?? '')),
      [t('player'), playerField()],
    ),
    lines.length > 0 && h('ul', {}, lines),
  );
}

/** Members, with warning and removal. @param {Contest} contest @param {AbortSignal} signal */
async function members(contest, signal) {
  const path = /** @type {const} */ (`/v1/contests/${contest.id}/members`);
  const { items } = await api.get(path, { limit: 100 }, signal);
  const mine = me()?.username;
  const key = `${contest.id} members`;
  const said = saying(key);
  const rows = items.map(({ player, joined_at, warnings, barred }) => {
    const { username } = player;
    const member = /** @type {const} */ (`${path}/${encodeURIComponent(username)}`);
    const lift = () => api.delete(`/v1/contests/${contest.id}/bars/${encodeURIComponent(username)}`);
    return h(
      'li',
      {},
      playerLink(player),
      h('small', { class: 'muted' }, ` ${joined_at ? moment(joined_at) : ''}`),
      warnings > 0 && h('small', {}, ` · ${t('warnings-count', { count: warnings })}`),
      barred && button(key, t('lift-bar'), t('saved'), lift),
      joined_at &&
        username !== mine &&
        h(
          'details',
          { class: 'fold' },
          h('summary', {}, t('warn-or-remove')),
          told(
            { key, submit: t('warn'), said: () => t('did-warn', { username }) },
            ({ text }) => api.post(`${member}/warn`, { text: text ?? '' }),
            [t('warn-text'), line('text', 500)],
          ),
          told(
            { key, submit: t('remove-member'), said: () => t('did-remove', { username }), button: 'sure' },
            ({ reason, bar }) => api.post(`${member}/remove`, { reason: reason ?? '', bar: bar === 'yes' }),
            [t('pause-reason'), line('reason', 500)],
            [t('bar-member'), h('input', { name: 'bar', type: 'checkbox', value: 'yes' })],
          ),
        ),
    );
  });
  return h('section', {}, h('h2', {}, t('players')), said, h('ul', {}, rows));
}

/** Organizers besides the creator, with the reason for one who doesn't play. @param {Contest} contest
 * @param {Running['organizers']} organizers */
function others(contest, { add, remove }) {
  const key = `${contest.id} organizers`;
  const creator = made(contest);
  const mine = me()?.username;
  const lines = contest.organizers.map((player) => {
    const { username } = player;
    const may = creator || username === mine;
    const back = () => remove(username);
    const text = username === mine ? t('stop-running') : t('take-back');
    return h('li', {}, playerLink(player), ' ', may && button(key, text, t('did-unname', { username }), back));
  });
  return h(
    'section',
    { class: 'organizers' },
    h('h2', {}, t('organizers')),
    plays(contest) && h('p', {}, t(creator ? 'name-somebody' : 'ask-the-creator')),
    lines.length > 0 && h('ul', {}, lines),
    creator
      ? told(
          { key, submit: t('name-organizer'), said: ({ username }) => t('did-name', { username }) },
          ({ username }) => add(username ?? ''),
          [t('player'), playerField(), t('name-organizer-help')],
        )
      : saying(key),
  );
}

/** Texts, changeable at any time. @param {Contest} contest @param {(change: object) => Promise<unknown>} patch */
function wording(contest, patch) {
  const title = h('input', { name: 'title', required: true, minlength: 3, maxlength: 80, value: contest.title });
  const about = h('textarea', { name: 'description', maxlength: 2000, rows: 3 }, contest.description ?? '');
  return told(
    { key: `${contest.id} wording`, submit: t('save'), said: () => t('saved') },
    (values) => patch({ title: values.title, description: values.description ?? null }),
    [t('contest-title'), title],
    [t('description'), about],
  );
}

/** The organizers' section; null: the reader isn't an organizer, or the contest is over. It stays open during work in
 * it. @param {Contest} contest @param {Running} how @param {AbortSignal} signal */
export async function running(contest, { over, patch, end, endText, start, organizers }, signal) {
  if (over || !runs(contest)) return null;
  const [waiting, invited, playing] = await Promise.all([
    requests(contest, signal),
    inviting(contest, signal),
    members(contest, signal),
  ]);
  const { id } = contest;
  const words = h('textarea', { name: 'text', required: true, maxlength: 1000, rows: 3 });
  const before = document.querySelector(`details.runs[data-contest="${id}"]`);
  return h(
    'details',
    {
      class: 'fold runs',
      'data-contest': id,
      open: !!waiting || (before instanceof HTMLDetailsElement && before.open),
    },
    h('summary', {}, t('run-it')),
    start && h('p', {}, button(`${id} start`, t('start-tournament'), t('did-start'), start, { class: 'primary' })),
    saying(`${id} start`),
    waiting,
    invited,
    h(
      'section',
      {},
      h('h2', {}, t('announcements')),
      told(
        { key: `${id} announce`, submit: t('announce'), said: () => t('did-announce') },
        ({ text }) => api.post(`/v1/contests/${id}/announcements`, { text: text ?? '' }),
        [t('announce-text'), words],
      ),
    ),
    playing,
    others(contest, organizers),
    plays(contest) ? null : deciding(contest),
    h('section', {}, h('h2', {}, t('wording')), wording(contest, patch)),
    made(contest) &&
      h(
        'section',
        {},
        h('h2', {}, endText),
        told(
          { key: `${id} end`, submit: endText, said: () => endText, button: 'sure' },
          ({ reason }) => end(reason ?? ''),
          [t('pause-reason'), line('reason', 500)],
        ),
      ),
  );
}
