/** The reader's role in a ladder or tournament. */

import { me } from '../session.js';

/** @typedef {Schema<'Ladder'> | Schema<'Tournament'>} Contest */

/** True if the reader is an organizer. @param {Contest} contest */
export function runs(contest) {
  const name = me()?.username;
  return !!name && [contest.creator, ...contest.organizers].some((player) => player?.username === name);
}

/** True if the reader is the creator. @param {Contest} contest */
export const made = (contest) => !!contest.creator && contest.creator.username === me()?.username;

/** True if the reader takes part: players can't decide questions between players. @param {Contest} contest */
export const plays = (contest) =>
  'members' in contest ? !!contest.membership : !!contest.eligibility?.join.reasons.includes('already-joined');
