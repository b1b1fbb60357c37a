/** The started rounds of a tournament, board by board: players, result, deadline. */

import { api, pause } from '../api.js';
import { fill, h } from '../dom.js';
import { moment, score } from '../format.js';
import { t } from '../i18n/index.js';
import { link, playerLink, table } from '../ui.js';
import { byHand } from './rounds-to-come.js';

/** The number of newest rounds shown. */
const SHOWN = 5;
/** Milliseconds between updates of the boards: initial and maximal. */
const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/** The reason for a bye, and its points. @param {Schema<'TournamentBoard'>} board */
function bye(board) {
  const { points } = board.first;
  const worth = points === null ? '' : ` · ${t('bye-points', { points: score(points), count: points ? 1 : 0 })}`;
  return `${t(`bye-${board.bye ?? 'allocated'}`)}${worth}`;
}

/** All players at a table, with places and points once it is over. @param {Schema<'TournamentBoard'>} board */
function atTable(board) {
  if (!board.table.length) return h('span', {}, playerLink(board.first.player), ' · ', bye(board));
  const line = (/** @type {Schema<'TournamentTablePlayer'>} */ seat) =>
    h(
      'li',
      {},
      seat.place ? `${seat.place}. ` : '',
      playerLink(seat.player),
      seat.points === null ? '' : ` (${score(seat.points)})`,
    );
  const placed = [...board.table].sort((one, other) => (one.place ?? 8) - (other.place ?? 8));
  return h('ul', {}, placed.map(line));
}

/** The result of a board, with links to its games. @param {Schema<'TournamentBoard'>} board
 * @param {boolean} alone true: shows its deadline */
function result(board, alone) {
  const over = board.status === 'finished';
  const sides = board.second ? `${score(board.first.points)}–${score(board.second.points)}` : '';
  const text = (over && sides) || (over ? t('match') : t(`board-${board.status}`));
  const [only, ...more] = board.match_ids;
  if (board.bye || (!board.second && !board.table.length)) return score(board.first.points);
  return h(
    'span',
    {},
    only && !more.length ? link(`/match/${only}`, text) : text,
    more.length > 0 && board.match_ids.map((id, i) => [' ', link(`/match/${id}`, `${t('match')} ${i + 1}`)]).flat(),
    board.unplayed && h('small', {}, ` ${t('without-play')}`),
    alone && !over && board.due_at && h('small', {}, ` ${t('until-then', { time: moment(board.due_at) })}`),
  );
}

/** @param {Schema<'Tournament'>} one @param {Schema<'TournamentRound'>} round */
function section(one, round) {
  const name = t('round', { number: round.round });
  const waited = round.boards.filter((board) => board.due_at && board.status !== 'finished');
  const dues = [...new Set(waited.map((board) => board.due_at ?? ''))];
  const rows = round.boards.map((board) => [
    board.group ? `${t('group-number', { number: board.group })} · ${board.board}` : String(board.board),
    ...(one.seats
      ? [atTable(board)]
      : [playerLink(board.first.player), board.second ? playerLink(board.second.player) : bye(board)]),
    result(board, dues.length > 1),
  ]);
  const seats = one.seats ? [t('players')] : [t('first'), t('second')];
  return h(
    'section',
    { class: 'round' },
    h('h2', {}, name),
    dues.length === 1 && h('p', { class: 'meta due' }, t('round-until', { time: moment(dues[0] ?? '') })),
    byHand(round),
    table(name, [t('board'), ...seats, t('result')], rows),
  );
}

/** The rounds, refreshed while the tournament runs: boards start and finish without the reader.
 * @param {Schema<'Tournament'>} first @param {AbortSignal} signal */
export async function rounds(first, signal) {
  const place = h('div');
  let seen = '';
  const draw = async (/** @type {Schema<'Tournament'>} */ one) => {
    const numbers = Array.from({ length: Math.min(one.round, SHOWN) }, (_, i) => one.round - i);
    const shown = await Promise.all(
      numbers.map((number) => api.get(`/v1/tournaments/${one.id}/rounds/${number}`, {}, signal)),
    );
    // Unchanged rounds aren't redrawn, so they keep the focus.
    const now = JSON.stringify(shown);
    if (now !== seen) {
      seen = now;
      fill(
        place,
        shown.map((round) => section(one, round)),
      );
    }
    return one.status === 'running';
  };
  const follow = async (/** @type {boolean} */ waits) => {
    for (let wait = FIRST_MS; waits; wait = Math.min(wait * 1.5, LONGEST_MS)) {
      await pause(wait, signal);
      if (document.hidden) continue;
      waits = await draw(await api.get(`/v1/tournaments/${first.id}`, {}, signal));
    }
  };
  // A reader who leaves, or loses access, keeps the last state.
  void follow(await draw(first)).catch(() => {});
  return place;
}
