/** Tools of organizers who don't play, for a match of their ladder or tournament. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { spans } from '../pages/contest-decide.js';
import { line, told } from '../pages/contest-form.js';
import { plays, runs } from '../pages/contest-rights.js';
import { link, select } from '../ui.js';

/** @typedef {Schema<'Match'>} Match */

/** @param {Match} view @param {(seat: Schema<'MatchSeat'>) => boolean} fits */
const seats = (view, fits) =>
  select(
    'seat',
    view.seats
      .filter(fits)
      .map(({ seat, player }) => /** @type {[string, string]} */ ([String(seat), player.username])),
  );

const reason = () => /** @type {[string, HTMLElement]} */ ([t('pause-reason'), line('reason', 500)]);

/** @param {Match} view */
function moreTime(view) {
  if (!view.deadline || !view.to_act.length) return null;
  return part(
    t('more-time'),
    told(
      { key: `${view.id} time`, submit: t('give-time'), said: () => t('saved') },
      (values) =>
        api.post(`/v1/matches/${view.id}/add-time`, {
          seat: Number(values.seat),
          seconds: Number(values.seconds),
          reason: values.reason ?? '',
        }),
      [t('player'), seats(view, ({ seat }) => view.to_act.includes(seat))],
      [t('longer-by'), spans()],
      reason(),
    ),
  );
}

/** Ends a running match, or sets the result of a finished one. @param {Match} view */
function deciding(view) {
  const { result } = view;
  if (result && !result.ratings.length) return null;
  const status = !result ? 'running' : result.annulled ? 'annulled' : result.adjudicated ? 'adjudicated' : 'finished';
  const ways = select('verdict', [
    ...view.seats.map(
      ({ seat, player }) =>
        /** @type {[string, string]} */ ([String(seat), t('verdict-win', { name: player.username })]),
    ),
    ['draw', t('verdict-draw')],
    ['no-result', t('verdict-none')],
  ]);
  const title = t(result ? 'count-match' : 'end-match');
  return part(
    title,
    told(
      { key: `${view.id} verdict`, submit: title, said: () => t('saved'), button: 'sure' },
      ({ verdict = '', reason: why = '' }) => {
        const wins = /^\d+$/.test(verdict);
        return api.post(`/v1/matches/${view.id}/adjudicate`, {
          expected_status: status,
          verdict: wins ? 'win' : /** @type {Schema<'Verdict'>} */ (verdict),
          ...(wins && { winner: Number(verdict) }),
          reason: why,
        });
      },
      [t('verdict'), ways],
      reason(),
    ),
  );
}

/** @param {Match} view */
function annulling(view) {
  const { result } = view;
  if (!result?.ratings.length || result.annulled) return null;
  return part(
    t('annul-match'),
    told(
      { key: `${view.id} annul`, submit: t('annul-match'), said: () => t('saved'), button: 'sure' },
      (values) => api.post(`/v1/matches/${view.id}/annul`, { reason: values.reason ?? '' }),
      [t('pause-reason'), line('reason', 500), t('annul-help')],
    ),
  );
}

/** @param {Match} view */
function substitute(view) {
  if (view.result) return null;
  const whom = h('input', { name: 'player', maxlength: 24, autocomplete: 'off', autocapitalize: 'off' });
  return part(
    t('look-for-substitute'),
    told(
      { key: `${view.id} substitute`, submit: t('look-for-substitute'), said: () => t('saved') },
      ({ seat, ...values }) => api.post(`/v1/matches/${view.id}/substitutions`, { seat: Number(seat), ...values }),
      [t('seat'), seats(view, ({ status }) => status === 'playing')],
      [t('to-player'), whom, t('to-player-help')],
      [t('why-substitute'), line('reason', 500)],
    ),
  );
}

/** Offered substitutes: in a contest, the organizers decide and give a reason. @param {Match} view
 * @param {AbortSignal} signal */
async function proposals(view, signal) {
  if (view.result) return [];
  const { items } = await api.get(`/v1/matches/${view.id}/substitutions`, { limit: 20 }, signal);
  const form = (/** @type {Schema<'Substitution'>} */ one) =>
    part(
      `${t('seat-of', { name: one.player.username })} → ${one.candidate?.username ?? t('nobody')}`,
      told(
        { key: `${one.id} answer`, submit: t('save'), said: () => t('saved') },
        ({ agrees, reason: why }) =>
          api.post(`/v1/substitutions/${one.id}/answer`, { agrees: agrees === 'yes', reason: why }),
        [
          t('substitutes'),
          select('agrees', [
            ['yes', t('agree')],
            ['no', t('object')],
          ]),
        ],
        reason(),
      ),
    );
  return items.filter(({ status }) => status === 'proposed').map(form);
}

/** @param {string} title @param {Node} inside */
const part = (title, inside) => h('section', {}, h('h3', {}, title), inside);

/** The organizers' section; null: the reader isn't an organizer. @param {Match} view
 * @param {import('../played-for.js').PlayedFor} found @param {AbortSignal} signal */
export async function judging(view, { contest, path }, signal) {
  if (!runs(contest)) return null;
  const inside = h(
    'div',
    {},
    plays(contest)
      ? h('p', {}, t('playing-decides-nothing'), ' ', link(path, contest.title))
      : [...(await proposals(view, signal)), moreTime(view), deciding(view), annulling(view), substitute(view)],
  );
  // The reader just did something here: the confirmation must be visible.
  const said = !!inside.querySelector('[role=status]');
  return h('details', { class: 'fold judge', open: said }, h('summary', {}, t('for-organizers')), inside);
}
