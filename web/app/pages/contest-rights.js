/** Who the reader is to a ladder or a tournament. */

import { me } from '../session.js';

/** @typedef {Schema<'Ladder'> | Schema<'Tournament'>} Contest */

/** Whether the reader runs it. @param {Contest} contest */
export function runs(contest) {
  const name = me()?.username;
  return !!name && [contest.creator, ...contest.organizers].some((player) => player?.username === name);
}

/** Whether the reader has made it. @param {Contest} contest */
export const made = (contest) => !!contest.creator && contest.creator.username === me()?.username;

/** Whether the reader takes part: then they decide nothing in it that is a question among players.
 * @param {Contest} contest */
export const plays = (contest) =>
  'members' in contest ? !!contest.membership : !!contest.eligibility?.join.reasons.includes('already-joined');
