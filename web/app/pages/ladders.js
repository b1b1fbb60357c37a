/** Ladders: the list, and a page for each. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { saveTable } from '../download.js';
import { moment, score, words } from '../format.js';
import { t } from '../i18n/index.js';
import { reporting } from '../report.js';
import { href, visit } from '../router.js';
import { me } from '../session.js';
import { titles } from '../titles.js';
import { action, link, nothing, pages, part, playerLink, table, termsText } from '../ui.js';
import { casesLink } from './cases.js';
import { announcements, invitations, orUnseen, paused, waiting, wayIn } from './contest-entry.js';
import { running } from './contest-run.js';
import { ladderCrosstable } from './crosstable.js';
import { archive } from './honours.js';
import { pairings } from './pairings.js';

const makeOne = () => h('p', {}, link('/ladders/new', t('new-ladder'), 'button'));

/** @type {import('../router.js').Maker} */
export async function laddersPage({ signal }) {
  const names = await titles();
  const card = (/** @type {ItemOf<'/v1/ladders'>} */ ladder) =>
    h(
      'a',
      { href: href(`/ladders/${ladder.id}`), class: 'card' },
      h('b', {}, ladder.title, ladder.official && h('small', {}, ` ${t('official')}`)),
      h('span', {}, names.get(ladder.variant) ?? ladder.variant),
      h('span', { class: 'meta' }, `${termsText(ladder)} · ${t('members-count', { count: ladder.members })}`),
    );
  const [invited, list] = await Promise.all([
    part(invitations(signal, 'ladders')),
    pages('/v1/ladders', { open: true }, signal, card, nothing(t('no-ladders'))),
  ]);
  return {
    title: t('ladders'),
    body: h('div', {}, h('h1', {}, t('ladders')), h('p', {}, t('ladders-more')), makeOne(), invited, list),
  };
}

/** @param {Schema<'Ladder'>} ladder */
function joining(ladder) {
  const path = /** @type {const} */ (`/v1/ladders/${ladder.id}`);
  const again = async (/** @type {Promise<unknown>} */ work) => {
    await work;
    visit();
  };
  if (!me() || ladder.closed_at) return null;
  if (ladder.membership) return action(t('leave'), () => again(api.post(`${path}/leave`)));
  const join = () => again(api.post(`${path}/join`, {}));
  const waits = waiting(ladder, join);
  if (waits) return waits;
  const reasons = ladder.eligibility?.join.allowed === false ? ladder.eligibility.join.reasons : [];
  if (reasons.length) return h('p', { class: 'muted' }, `${t('may-not-join')} ${reasons.map(words).join(', ')}`);
  return action(t('join'), join, { class: 'primary' });
}

/** Members open to challenge on a position ladder. @param {Schema<'Ladder'>} ladder @param {AbortSignal} signal */
async function opponents(ladder, signal) {
  if (!ladder.membership || ladder.format !== 'position') return null;
  const { items } = await api.get(`/v1/ladders/${ladder.id}/opponents`, {}, signal);
  if (!items.length) return null;
  const challenge = (/** @type {string} */ opponent) => async () => {
    await api.post(`/v1/ladders/${ladder.id}/challenges`, { opponent });
    visit();
  };
  const rows = items.map((one) => [
    playerLink(one.player),
    one.allowed
      ? action(t('challenge'), challenge(one.player.username))
      : h('span', { class: 'muted' }, one.reasons.map(words).join(', ')),
  ]);
  return h('section', {}, h('h2', {}, t('above-you')), table(t('above-you'), [t('player'), t('challenge')], rows));
}

export const ladderPage = orUnseen('ladder', async ({ params, signal }) => {
  const ladder = await api.get(`/v1/ladders/${params.id}`, {}, signal);
  const run = running(
    ladder,
    {
      over: !!ladder.closed_at,
      patch: (change) => api.patch(`/v1/ladders/${ladder.id}`, change),
      end: (reason) => api.post(`/v1/ladders/${ladder.id}/close`, { reason }),
      endText: t('close-ladder'),
      organizers: {
        add: (name) => api.put(`/v1/ladders/${ladder.id}/organizers/${encodeURIComponent(name)}`),
        remove: (name) => api.delete(`/v1/ladders/${ladder.id}/organizers/${encodeURIComponent(name)}`),
      },
    },
    signal,
  );
  const [page, above, met, crossed, past, said, names, organized] = await Promise.all([
    api.get(`/v1/ladders/${ladder.id}/standings`, { limit: 100 }, signal),
    part(opponents(ladder, signal)),
    part(pairings(ladder, signal)),
    part(ladderCrosstable(ladder, signal)),
    part(archive(ladder.id, signal)),
    part(announcements(ladder.id, signal)),
    titles(),
    part(run),
  ]);
  // With another ranking than the sum of points, the rank's value stands beside the points.
  const scored = ladder.ranking !== 'sum';
  const rows = page.items.map((one) => [
    String(one.rank),
    playerLink(one.player),
    ...(scored ? [String(Math.round(one.score * 1000) / 1000)] : []),
    score(one.points),
    String(one.wins),
    String(one.draws),
    String(one.losses),
  ]);
  const ranking = scored ? [t(`ranking.${ladder.ranking}`)] : [];
  const columns = [t('rank'), t('player'), ...ranking, t('points'), t('wins'), t('draws'), t('losses')];
  return {
    title: ladder.title,
    body: h(
      'article',
      {},
      h('div', { class: 'title-line' }, h('h1', {}, ladder.title), joining(ladder)),
      h(
        'p',
        { class: 'meta' },
        `${names.get(ladder.variant) ?? ladder.variant} · ${termsText(ladder)} · ${words(ladder.format)}`,
        wayIn(ladder),
      ),
      ladder.description && h('p', {}, ladder.description),
      ladder.season.ends_at &&
        h('p', {}, t('season-until', { number: ladder.season.number, time: moment(ladder.season.ends_at) })),
      ladder.closed_reason && h('p', {}, t('ended-because', { reason: ladder.closed_reason })),
      paused(ladder),
      organized,
      casesLink(ladder),
      said,
      above,
      h('h2', {}, t('standings')),
      rows.length ? table(t('standings'), columns, rows) : nothing(t('nobody-yet')),
      rows.length > 0 && h('p', {}, saveTable(t('save-standings'), `/v1/ladders/${ladder.id}/standings`)),
      met,
      crossed,
      past,
      policies(ladder),
      reporting('contest', ladder.id, ladder.creator.username),
    ),
  };
});

/** A contest's policies in its own words. @param {{ policies: Schema<'ContestPolicy'>[] }} contest */
export function policies(contest) {
  const items = contest.policies.map((one) => [h('dt', {}, words(one.topic)), h('dd', {}, one.detail)]);
  return h('details', { class: 'fold' }, h('summary', {}, t('policies')), h('dl', {}, items.flat()));
}
