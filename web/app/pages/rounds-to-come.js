/** Upcoming rounds of a tournament: byes, and organizers' pairing of a waiting round. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { visit } from '../router.js';
import { me } from '../session.js';
import { action, form, labelled, select } from '../ui.js';
import { plays, runs } from './contest-rights.js';

/** @param {Promise<unknown>} work */
const again = async (work) => {
  await work;
  visit();
};

/** Byes by round, and the form to request one. @param {Schema<'Tournament'>} one
 * @param {Schema<'TournamentStanding'>[]} lines @param {AbortSignal} signal */
async function byes(one, lines, signal) {
  if (!one.requested_byes?.max) return null;
  const { items } = await api.get(`/v1/tournaments/${one.id}/byes`, {}, signal);
  const rounds = [...new Set(items.map((bye) => bye.round))];
  const said = rounds.map((round) => {
    const names = items.filter((bye) => bye.round === round).map((bye) => bye.player.username);
    return h('p', { class: 'meta' }, t('sitting-out', { round, names: names.join(', ') }));
  });
  const name = me()?.username;
  const plays = lines.some((line) => line.player.username === name && !line.withdrawn);
  const next = (one.waiting_round?.round ?? one.round) + 1;
  if (!name || !plays || (one.rounds !== null && next > one.rounds)) return said;
  const path = /** @type {const} */ (`/v1/tournaments/${one.id}/rounds/${next}/byes/${encodeURIComponent(name)}`);
  const own = items.some((bye) => bye.round === next && bye.player.username === name);
  const step = own
    ? action(t('sit-in', { round: next }), () => again(api.delete(path)))
    : action(t('sit-out', { round: next }), () => again(api.put(path, {})));
  return [...said, h('p', {}, step)];
}

/** The form that pairs a waiting round. @param {Schema<'Tournament'>} one
 * @param {Schema<'TournamentRoundDraft'>} draft */
function pairing(one, draft) {
  const path = /** @type {const} */ (`/v1/tournaments/${one.id}/rounds/${draft.round}`);
  /** @type {[string, string][]} */
  const players = draft.players.map((line) => [
    String(line.starting_number),
    `${line.starting_number}. ${line.player.username}`,
  ]);
  /** @type {[string, string][]} */
  const orNobody = [['', '–'], ...players];
  const { games, bye, sitting_out: out } = draft.pairings;
  const boards = games.map((game, at) =>
    h(
      'p',
      {},
      `${at + 1}. `,
      select(`first-${at}`, players, String(game.first)),
      ' – ',
      select(`second-${at}`, players, String(game.second)),
    ),
  );
  const places = [...out.map((line) => String(line.starting_number)), ''];
  const others = places.map((number, at) => labelled(t('bye-other'), select(`out-${at}`, orNobody, number)));
  const why = h('input', { name: 'reason', required: true, maxlength: 500 });
  const repeats = h('input', { name: 'repeats', type: 'checkbox', value: 'yes' });
  const save = (/** @type {Record<string, string>} */ sent) =>
    again(
      api.put(`${path}/pairings`, {
        games: games.map((_, at) => ({ first: Number(sent[`first-${at}`]), second: Number(sent[`second-${at}`]) })),
        bye: sent.bye ? Number(sent.bye) : null,
        sitting_out: places.map((_, at) => Number(sent[`out-${at}`])).filter((number) => number > 0),
        allow_repeats: repeats.checked,
        reason: sent.reason ?? '',
      }),
    );
  return h(
    'section',
    {},
    h('h3', {}, t('pair-round', { round: draft.round })),
    byHand(draft),
    form(
      { submit: t('pair-save'), onSubmit: save },
      h('p', { class: 'muted' }, t('pair-round-more')),
      ...boards,
      labelled(t('bye-point'), select('bye', orNobody, bye ? String(bye) : '')),
      ...others,
      labelled(t('allow-repeats'), repeats),
      labelled(t('pause-reason'), why),
    ),
    action(t('release-round'), () => again(api.post(`${path}/release`, {})), { class: 'primary' }),
  );
}

/** Note on a round paired by hand: organizer and reason; null: not by hand.
 * @param {Pick<Schema<'TournamentRound'>, 'paired_by_hand'>} round */
export function byHand({ paired_by_hand: by }) {
  return by && h('p', { class: 'meta' }, t('paired-by-hand', { name: by.by.username, reason: by.reason ?? '–' }));
}

/** Note on a waiting round, with its draft for those allowed to see it. @param {Schema<'Tournament'>} one */
function waiting(one) {
  const round = one.waiting_round;
  if (!round) return null;
  const place = h('div', {});
  const look = async () => {
    const path = /** @type {const} */ (`/v1/tournaments/${one.id}/rounds/${round.round}/pairings`);
    place.replaceChildren(pairing(one, await api.get(path)));
  };
  return h(
    'section',
    { role: 'status' },
    h('p', {}, t('round-waits', { round: round.round, time: moment(round.release_at) })),
    runs(one) && !plays(one) && action(t('look-at-round'), look),
    place,
  );
}

/** @param {Schema<'Tournament'>} one @param {Schema<'TournamentStanding'>[]} lines @param {AbortSignal} signal */
export async function roundsToCome(one, lines, signal) {
  if (one.status !== 'open' && one.status !== 'running') return null;
  return h('div', {}, waiting(one), await byes(one, lines, signal));
}
