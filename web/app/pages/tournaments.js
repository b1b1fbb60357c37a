/** Tournaments: the list, and a page for each. */

import { api } from '../api.js';
import { fill, h } from '../dom.js';
import { download, saveTable } from '../download.js';
import { moment, score, word, words } from '../format.js';
import { t } from '../i18n/index.js';
import { reporting } from '../report.js';
import { href, visit } from '../router.js';
import { me } from '../session.js';
import { onEvent } from '../stream.js';
import { titles } from '../titles.js';
import { action, link, nothing, pages, part, playerLink, table, termsText } from '../ui.js';
import { casesLink } from './cases.js';
import { announcements, invitations, orUnseen, paused, waiting, wayIn } from './contest-entry.js';
import { running } from './contest-run.js';
import { crosstable } from './crosstable.js';
import { groupTables } from './groups.js';
import { policies } from './ladders.js';
import { rounds } from './rounds.js';
import { roundsToCome } from './rounds-to-come.js';
import { tieBreaks } from './tie-breaks.js';

const makeOne = () => h('p', {}, link('/tournaments/new', t('new-tournament'), 'button'));

/** @type {import('../router.js').Maker} */
export async function tournamentsPage({ signal }) {
  const names = await titles();
  const card = (/** @type {ItemOf<'/v1/tournaments'>} */ one) =>
    h(
      'a',
      { href: href(`/tournaments/${one.id}`), class: 'card' },
      h('b', {}, one.title),
      h('span', {}, names.get(one.variant) ?? one.variant),
      h(
        'span',
        { class: 'meta' },
        `${t(`contest-${one.status}`)} · ${words(one.format)} · ${termsText(one)} · ${t('players-count', { count: one.players })}`,
      ),
    );
  const [invited, list] = await Promise.all([
    part(invitations(signal, 'tournaments')),
    pages('/v1/tournaments', {}, signal, card, nothing(t('no-tournaments'))),
  ]);
  return {
    title: t('tournaments'),
    body: h('div', {}, h('h1', {}, t('tournaments')), h('p', {}, t('tournaments-more')), makeOne(), invited, list),
  };
}

/** @param {Schema<'Tournament'>} one */
function joining(one) {
  if (!me()) return null;
  const late = one.status === 'running' && (one.eligibility?.join.allowed || one.own_entry);
  if (one.status !== 'open' && !late) return null;
  const path = /** @type {const} */ (`/v1/tournaments/${one.id}`);
  const step = (/** @type {'join' | 'leave'} */ what) => async () => {
    await api.post(`${path}/${what}`);
    visit();
  };
  const waits = waiting(one, step('join'));
  if (waits) return waits;
  if (one.eligibility?.join.allowed) return action(t('join'), step('join'), { class: 'primary' });
  const reasons = one.eligibility?.join.reasons ?? [];
  return h(
    'span',
    {},
    h('span', { class: 'muted' }, reasons.map(words).join(', ')),
    ' ',
    reasons.includes('already-joined') && action(t('leave'), step('leave')),
  );
}

/** The bracket of a knockout or of finals after groups: a list per round. @param {Schema<'Tournament'>} one
 * @param {AbortSignal} signal */
async function bracket(one, signal) {
  if (!one.knockout || !one.started_at) return null;
  const drawn = await api.get(`/v1/tournaments/${one.id}/bracket`, {}, signal);
  if (!drawn.rounds.length) return null;
  const side = (/** @type {Schema<'TieSeat'>} */ seat, /** @type {Schema<'BracketTie'>} */ tie) => {
    if (!seat.player) {
      const from = tie.for_third_place ? 'loser-of' : 'winner-of';
      return h('span', { class: 'muted' }, t(from, { number: seat.from_tie ?? '' }));
    }
    const name = ['(', String(seat.seed), ') ', playerLink(seat.player)];
    return seat.starting_number === tie.winner ? h('b', {}, name) : h('span', {}, name);
  };
  const line = (/** @type {Schema<'BracketTie'>} */ tie) =>
    h(
      'li',
      {},
      side(tie.first, tie),
      ' – ',
      tie.second ? side(tie.second, tie) : t('bye'),
      tie.boards.length && tie.second ? ` · ${score(tie.first.points)} : ${score(tie.second.points)}` : '',
      tie.for_third_place ? ` · ${t('third-place')}` : '',
      tie.decided_by && tie.decided_by !== 'points' && tie.decided_by !== 'bye'
        ? ` · ${word('decided-by', tie.decided_by)}`
        : '',
    );
  return h(
    'section',
    {},
    h('h2', {}, t('bracket')),
    drawn.rounds.map((round) =>
      h('section', {}, h('h3', {}, t('round', { number: round.round })), h('ol', {}, round.ties.map(line))),
    ),
  );
}

/** Files of the standings. @param {Schema<'Tournament'>} one */
function files(one) {
  const path = `/v1/tournaments/${one.id}`;
  // FIDE's report format doesn't support tables.
  const report = one.seats ? null : action(t('save-report'), () => download(`${path}/report`, 'tournament.trf'));
  return h('p', { class: 'buttons' }, saveTable(t('save-standings'), `${path}/standings`), report);
}

/** @param {Schema<'Tournament'>} one @param {Schema<'TournamentStanding'>[]} lines */
function standings(one, lines) {
  if (!lines.length) return nothing(t('nobody-yet'));
  const ties = tieBreaks(one, lines);
  const rows = lines.map((line) => [
    String(line.rank ?? '–'),
    playerLink(line.player),
    score(line.points),
    ...ties.map((tie) => tie.of(line)),
    String(line.played),
    String(line.wins),
    String(line.draws),
    String(line.losses),
  ]);
  const counts = [t('played'), t('wins'), t('draws'), t('losses')];
  return table(
    t('standings'),
    [t('rank'), t('player'), t('points'), ...ties.map(({ title }) => title), ...counts],
    rows,
  );
}

export const tournamentPage = orUnseen('tournament', async ({ params, signal }) => {
  const one = await api.get(`/v1/tournaments/${params.id}`, {}, signal);
  const over = !['open', 'running'].includes(one.status);
  const run = running(
    one,
    {
      over,
      patch: (change) => api.patch(`/v1/tournaments/${one.id}`, change),
      end: (reason) => api.post(`/v1/tournaments/${one.id}/cancel`, { reason }),
      endText: t('cancel-tournament'),
      organizers: {
        add: (name) => api.put(`/v1/tournaments/${one.id}/organizers/${encodeURIComponent(name)}`),
        remove: (name) => api.delete(`/v1/tournaments/${one.id}/organizers/${encodeURIComponent(name)}`),
      },
      ...(one.status === 'open' && { start: () => api.post(`/v1/tournaments/${one.id}/start`) }),
    },
    signal,
  );
  const [page, pairs, played, groups, drawn, said, names, organized] = await Promise.all([
    api.get(`/v1/tournaments/${one.id}/standings`, { limit: 100 }, signal),
    part(crosstable(one, signal)),
    part(rounds(one, signal)),
    part(groupTables(one, signal)),
    part(bracket(one, signal)),
    part(announcements(one.id, signal)),
    titles(),
    part(run),
  ]);
  const ahead = h('div', {}, await roundsToCome(one, page.items, signal));
  onEvent((event) => {
    if (event.type !== 'round-drafted' || event.tournament_id !== one.id) return;
    const draw = async () =>
      fill(ahead, await roundsToCome(await api.get(`/v1/tournaments/${one.id}`), page.items, signal));
    void draw().catch(() => {});
  }, signal);
  return {
    title: one.title,
    body: h(
      'article',
      {},
      h('div', { class: 'title-line' }, h('h1', {}, one.title), joining(one)),
      h(
        'p',
        { class: 'meta' },
        `${t(`contest-${one.status}`)} · ${names.get(one.variant) ?? one.variant} · ${words(one.format)} · ${termsText(one)}`,
        wayIn(one),
      ),
      one.description && h('p', {}, one.description),
      one.starts_at && h('p', {}, t('starts-at', { time: moment(one.starts_at) })),
      one.reason && h('p', {}, t('ended-because', { reason: one.reason })),
      paused(one),
      organized,
      casesLink(one),
      said,
      ahead,
      h('h2', {}, t('standings')),
      standings(one, page.items),
      groups,
      drawn,
      page.items.length > 0 && files(one),
      pairs,
      played,
      policies(one),
      reporting('contest', one.id, one.creator.username),
    ),
  };
});
