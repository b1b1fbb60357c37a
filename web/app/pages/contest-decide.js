/** Decisions of organizers who don't play: pauses, deadlines of rounds, byes and late entries. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { span } from '../format.js';
import { t } from '../i18n/index.js';
import { select } from '../ui.js';
import { line, number, playerField, told } from './contest-form.js';

/** @typedef {import('./contest-rights.js').Contest} Contest */

const DAY_S = 86_400;

/** Choices of time spans, in seconds. @param {number[]} [seconds] */
export const spans = (seconds = [3600, 6 * 3600, DAY_S, 3 * DAY_S, 7 * DAY_S]) =>
  select(
    'seconds',
    seconds.map((s) => /** @type {[string, string]} */ ([String(s), span(s)])),
    String(DAY_S),
  );

/** @param {Record<string, string>} values */
const reasonOf = (values) => values.reason ?? '';

/** @param {Contest} contest */
function pausing(contest) {
  if (contest.pause) return null;
  return h(
    'section',
    {},
    h('h2', {}, t('pause-contest')),
    told(
      { key: `${contest.id} pause`, submit: t('pause-contest'), said: () => t('did-pause') },
      (values) => api.post(`/v1/contests/${contest.id}/pause`, { reason: reasonOf(values) }),
      [t('pause-reason'), line('reason', 500), t('pause-help')],
    ),
  );
}

/** A later deadline of a round. @param {Schema<'Tournament'>} one */
function extending(one) {
  if (one.round_time_s === null || one.round < 1) return null;
  return h(
    'section',
    {},
    h('h2', {}, t('extend-round')),
    told(
      { key: `${one.id} extend`, submit: t('extend-round'), said: ({ round }) => t('did-extend', { round }) },
      ({ round, board, seconds, ...values }) =>
        api.post(`/v1/tournaments/${one.id}/rounds/${round}/extend`, {
          seconds: Number(seconds),
          ...(board && { board: Number(board) }),
          reason: reasonOf(values),
        }),
      [t('round-number'), number('round', 1, one.round, one.round)],
      [t('board'), number('board', 1, 2816), t('board-help')],
      [t('longer-by'), spans()],
      [t('pause-reason'), line('reason', 500)],
    ),
  );
}

/** A bye for a player in a round. @param {Schema<'Tournament'>} one */
function sittingOut(one) {
  if (!one.requested_byes) return null;
  const next = (one.waiting_round?.round ?? one.round) + 1;
  if (one.rounds !== null && next > one.rounds) return null;
  return h(
    'section',
    {},
    h('h2', {}, t('give-bye')),
    told(
      { key: `${one.id} bye`, submit: t('give-bye'), said: ({ username, round }) => t('did-bye', { username, round }) },
      ({ username, round, ...values }) =>
        api.put(`/v1/tournaments/${one.id}/rounds/${round}/byes/${encodeURIComponent(username ?? '')}`, {
          reason: reasonOf(values),
        }),
      [t('player'), playerField()],
      [t('round-number'), number('round', next, one.rounds ?? 30, next)],
      [t('pause-reason'), line('reason', 500)],
    ),
  );
}

/** The initial score of a late entrant. @param {Schema<'Tournament'>} one */
function lateScore(one) {
  if (one.late_entry?.missed_round !== 'half-point' || one.round < 1) return null;
  return h(
    'section',
    {},
    h('h2', {}, t('late-score')),
    told(
      { key: `${one.id} late`, submit: t('save'), said: () => t('saved') },
      ({ username, half_point_byes: halves, ...values }) =>
        api.put(`/v1/tournaments/${one.id}/late-entries/${encodeURIComponent(username ?? '')}`, {
          half_point_byes: Number(halves ?? 0),
          reason: reasonOf(values),
        }),
      [t('player'), playerField()],
      [t('half-points'), number('half_point_byes', 0, 29, 0), t('half-points-help')],
      [t('pause-reason'), line('reason', 500)],
    ),
  );
}

/** Pending decisions of a running contest. @param {Contest} contest */
export function deciding(contest) {
  const tournament = 'tie_breaks' in contest ? contest : null;
  return [
    tournament && extending(tournament),
    tournament && sittingOut(tournament),
    tournament && lateScore(tournament),
    pausing(contest),
  ];
}
