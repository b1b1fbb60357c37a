/** The contest that a match belongs to: ladder or tournament, round, deadline. */

import { api } from './api.js';
import { h } from './dom.js';
import { moment } from './format.js';
import { t } from './i18n/index.js';
import { link } from './ui.js';

/** @typedef {object} PlayedFor
 * @property {Schema<'Ladder'> | Schema<'Tournament'>} contest
 * @property {string} path of its page
 * @property {number | null} round of a tournament; null: a ladder, or an old round
 * @property {string | null} dueAt deadline of the round */

/** The number of newest rounds to search for a match. */
const ROUNDS = 12;

/** Finds the contests of matches, with one request per contest and round. @param {AbortSignal} signal */
export function playedFor(signal) {
  /** @type {Map<string, Promise<any>>} */
  const kept = new Map();
  const once = (/** @type {string} */ key, /** @type {() => Promise<any>} */ ask) => {
    const found = kept.get(key) ?? ask();
    kept.set(key, found);
    return found;
  };
  const boardOf = async (/** @type {Schema<'Tournament'>} */ one, /** @type {string} */ match) => {
    for (let number = one.round; number > Math.max(0, one.round - ROUNDS); number--) {
      const path = /** @type {const} */ (`/v1/tournaments/${one.id}/rounds/${number}`);
      /** @type {Schema<'TournamentRound'>} */
      const round = await once(path, () => api.get(path, {}, signal));
      const board = round.boards.find(({ match_ids: ids }) => ids.includes(match));
      if (board) return { round: number, board };
    }
    return null;
  };

  /** Null: no contest, or one hidden from the reader. @param {Schema<'PairingReference'> | null | undefined} pairing
   * @param {string} match @returns {Promise<PlayedFor | null>} */
  return async (pairing, match) => {
    try {
      if (pairing?.ladder_id) {
        const path = /** @type {const} */ (`/v1/ladders/${pairing.ladder_id}`);
        const contest = await once(path, () => api.get(path, {}, signal));
        return { contest, path: `/ladders/${contest.id}`, round: null, dueAt: null };
      }
      if (pairing?.tournament_id) {
        const path = /** @type {const} */ (`/v1/tournaments/${pairing.tournament_id}`);
        const contest = await once(path, () => api.get(path, {}, signal));
        const found = await boardOf(contest, match);
        const dueAt = found?.board.due_at ?? null;
        return { contest, path: `/tournaments/${contest.id}`, round: found?.round ?? null, dueAt };
      }
    } catch {
      // The match is shown without it.
    }
    return null;
  };
}

/** The contest in a line, with a link. @param {PlayedFor} found @param {boolean} over the match is over */
export function playedForLine({ contest, path, round, dueAt }, over) {
  return h(
    'p',
    { class: 'meta played-for' },
    link(path, contest.title),
    round !== null && ` · ${t('round', { number: round })}`,
    !over && dueAt && ` · ${t('until-then', { time: moment(dueAt) })}`,
  );
}
