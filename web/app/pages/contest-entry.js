/** Entry, announcements and pauses of ladders and tournaments alike. */

import { Problem, api } from '../api.js';
import { h } from '../dom.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { reporting } from '../report.js';
import { here, visit } from '../router.js';
import { me } from '../session.js';
import { action, link, nothing, playerLink } from '../ui.js';
import { saying } from './contest-form.js';
import { plays, runs } from './contest-rights.js';

/** @param {Promise<unknown>} work */
const again = async (work) => {
  await work;
  visit();
};

/** Declines the reader's invitation. @param {string} id of the ladder or the tournament */
const decline = (id) =>
  action(t('decline'), () =>
    again(api.delete(`/v1/contests/${id}/invitations/${encodeURIComponent(me()?.username ?? '')}`)),
  );

/** The entry section for a waiting or invited reader; null: neither.
 * @param {Schema<'Ladder'> | Schema<'Tournament'>} contest @param {() => unknown} join */
export function waiting(contest, join) {
  const allowed = contest.eligibility?.join.allowed;
  if (contest.own_entry?.state === 'invited' && allowed)
    return h('span', {}, t('you-are-invited'), ' ', action(t('join'), join, { class: 'primary' }), decline(contest.id));
  if (contest.own_entry?.state === 'requested')
    return h(
      'span',
      {},
      h('span', { class: 'muted' }, t('request-waits')),
      ' ',
      action(t('withdraw-request'), () => again(api.delete(`/v1/contests/${contest.id}/entry-request`))),
    );
  if (contest.entry === 'approval' && allowed) return action(t('ask-to-join'), join, { class: 'primary' });
  return null;
}

/** Entry policy and visibility, unless open and public. @param {Schema<'Ladder'> | Schema<'Tournament'>} contest */
export const wayIn = (contest) =>
  [
    contest.entry !== 'open' && ` · ${t(`entry-${contest.entry}`)}`,
    contest.visibility === 'private' && ` · ${t('private')}`,
  ].filter(Boolean);

/** The reader's invitations. @param {AbortSignal} signal @param {'ladders' | 'tournaments'} [only] default: all */
export async function invitations(signal, only) {
  if (!me()) return null;
  const { items } = await api.get('/v1/account/contest-entries', {}, signal);
  const lines = items.flatMap((one) => {
    const kind = one.ladder_id ? 'ladders' : 'tournaments';
    const id = one.ladder_id ?? one.tournament_id;
    if (!id || one.state !== 'invited' || (only && only !== kind)) return [];
    const join = () => again(api.post(/** @type {const} */ (`/v1/${kind}/${id}/join`), {}));
    return [
      h(
        'li',
        {},
        link(`/${kind}/${id}`, one.title),
        one.invited_by ? [' (', playerLink(one.invited_by), ') '] : ' ',
        action(t('join'), join, { class: 'primary' }),
        decline(id),
      ),
    ];
  });
  if (!lines.length) return null;
  return h('section', { class: 'invitations' }, h('h2', {}, t('invitations')), h('ul', {}, lines));
}

/** The pause and its reason, with a Resume button for those allowed.
 * @param {Schema<'Ladder'> | Schema<'Tournament'>} contest */
export function paused(contest) {
  const { pause } = contest;
  if (!pause) return null;
  const resume = () => again(api.post(`/v1/contests/${contest.id}/resume`, {}));
  return h(
    'section',
    { class: 'paused', role: 'status' },
    saying(`${contest.id} pause`),
    h('p', {}, t('paused-until', { time: moment(pause.until) })),
    pause.reason && h('p', {}, pause.reason),
    runs(contest) && !plays(contest) && action(t('resume-contest'), resume),
  );
}

/** A page that explains a missing ladder or tournament: it can be private. @param {'ladder' | 'tournament'} kind
 * @param {import('../router.js').Maker} make @returns {import('../router.js').Maker} */
export const orUnseen = (kind, make) => async (now) => {
  try {
    return await make(now);
  } catch (failure) {
    if (!(failure instanceof Problem) || failure.status !== 404) throw failure;
    const title = t(`no-such-${kind}`);
    const way = me()
      ? nothing(t('unseen-signed-in', { name: me()?.username }))
      : nothing(t('unseen'), link(`/sign-in?then=${encodeURIComponent(here())}`, t('sign-in'), 'button primary'));
    return { title, body: h('div', {}, h('h1', {}, title), way) };
  }
};

/** @param {string} id of the ladder or the tournament @param {AbortSignal} signal */
export async function announcements(id, signal) {
  const { items } = await api.get(`/v1/contests/${id}/announcements`, { limit: 5 }, signal);
  if (!items.length) return null;
  const one = (/** @type {typeof items[number]} */ said) =>
    h(
      'div',
      {},
      h('p', { class: 'meta' }, moment(said.at), ' · ', playerLink(said.author)),
      h(
        'p',
        {},
        said.text.split('\n').flatMap((line, i) => (i ? [h('br'), line] : [line])),
      ),
      said.author && reporting('announcement', said.id, said.author.username),
    );
  return h('section', {}, h('h2', {}, t('announcements')), items.map(one));
}
