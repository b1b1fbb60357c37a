/** Tournaments: the list, and a page for each. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { saveTable } from '../download.js';
import { moment, word, words } from '../format.js';
import { t } from '../i18n/index.js';
import { href, visit } from '../router.js';
import { me } from '../session.js';
import { titles } from '../titles.js';
import { action, link, nothing, pages, playerLink, table, termsText } from '../ui.js';
import { casesLink } from './cases.js';
import { announcements, invitations, pausing, waiting, wayIn } from './contest-entry.js';
import { running } from './contest-run.js';
import { crosstable } from './crosstable.js';
import { groupTables } from './groups.js';
import { policies } from './ladders.js';
import { byHand, roundsToCome } from './rounds-to-come.js';

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
    invitations('tournaments', signal),
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

/** Why somebody sits out. @param {Schema<'TournamentBoard'>} board */
const bye = (board) => t(`bye-${board.bye ?? 'allocated'}`);

/** Everybody at a table, with their places once it is over. @param {Schema<'TournamentBoard'>} board */
function atTable(board) {
  if (!board.table.length) return h('span', {}, playerLink(board.first.player), ' · ', bye(board));
  const line = (/** @type {Schema<'TournamentTablePlayer'>} */ seat) =>
    h('li', {}, seat.place ? `${seat.place}. ` : '', playerLink(seat.player));
  const placed = [...board.table].sort((one, other) => (one.place ?? 8) - (other.place ?? 8));
  return h('ul', {}, placed.map(line));
}

/** The boards of the rounds that have begun. @param {Schema<'Tournament'>} one @param {AbortSignal} signal */
async function rounds(one, signal) {
  if (!one.round) return null;
  const numbers = Array.from({ length: Math.min(one.round, 5) }, (_, i) => one.round - i);
  const all = await Promise.all(
    numbers.map((number) => api.get(`/v1/tournaments/${one.id}/rounds/${number}`, {}, signal)),
  );
  return all.map((round) => {
    const name = t('round', { number: round.round });
    const rows = round.boards.map((board) => [
      board.group ? `${t('group-number', { number: board.group })} · ${board.board}` : String(board.board),
      ...(one.seats
        ? [atTable(board)]
        : [playerLink(board.first?.player), board.second ? playerLink(board.second.player) : bye(board)]),
      h(
        'span',
        {},
        board.match_ids
          .map((/** @type {string} */ id, /** @type {number} */ i) => [
            link(`/match/${id}`, `${t('match')} ${i + 1}`),
            ' ',
          ])
          .flat(),
      ),
    ]);
    const seats = one.seats ? [t('players')] : [t('first'), t('second')];
    return h('section', {}, h('h2', {}, name), byHand(round), table(name, [t('board'), ...seats, t('match')], rows));
  });
}

/** The bracket of a knockout, or of finals after groups: a list for each round.
 * @param {Schema<'Tournament'>} one @param {AbortSignal} signal */
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
      tie.boards.length && tie.second ? ` · ${tie.first.points} : ${tie.second.points}` : '',
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

/** @type {import('../router.js').Maker} */
export async function tournamentPage({ params, signal }) {
  const one = await api.get(`/v1/tournaments/${params.id}`, {}, signal);
  const over = !['open', 'running'].includes(one.status);
  const run = running(
    one,
    {
      over,
      patch: (change) => api.patch(`/v1/tournaments/${one.id}`, change),
      end: (reason) => api.post(`/v1/tournaments/${one.id}/cancel`, { reason }),
      endText: t('cancel-tournament'),
      ...(one.status === 'open' && { start: () => api.post(`/v1/tournaments/${one.id}/start`) }),
    },
    signal,
  );
  const [page, pairs, played, groups, drawn, said, names, organized] = await Promise.all([
    api.get(`/v1/tournaments/${one.id}/standings`, { limit: 100 }, signal),
    crosstable(one, signal),
    rounds(one, signal),
    groupTables(one, signal),
    bracket(one, signal),
    announcements(one.id, signal),
    titles(),
    run,
  ]);
  const ahead = await roundsToCome(one, page.items, signal);
  const rows = page.items.map((line) => [
    String(line.rank ?? '–'),
    playerLink(line.player),
    String(line.points),
    String(line.played),
    String(line.wins),
    String(line.draws),
    String(line.losses),
  ]);
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
      pausing(one, over),
      organized,
      casesLink(one),
      said,
      ahead,
      h('h2', {}, t('standings')),
      rows.length
        ? table(
            t('standings'),
            [t('rank'), t('player'), t('points'), t('played'), t('wins'), t('draws'), t('losses')],
            rows,
          )
        : nothing(t('nobody-yet')),
      groups,
      drawn,
      rows.length > 0 && h('p', {}, saveTable(t('save-standings'), `/v1/tournaments/${one.id}/standings`)),
      pairs,
      played,
      policies(one),
    ),
  };
}
