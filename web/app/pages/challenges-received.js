/** Challenges to the reader with Accept and Decline: on My turns, and as a rematch below a match. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { go, visit } from '../router.js';
import { me } from '../session.js';
import { titles } from '../titles.js';
import { action, link, playerLink, termsText } from '../ui.js';

/** @param {Schema<'Challenge'>} challenge @param {string} name */
const isTo = ({ opponent, invited, seats }, name) =>
  [opponent, ...invited].some((player) => player?.username === name) &&
  !seats.some(({ player }) => player?.username === name);

/** Open challenges to the reader. @param {AbortSignal} [signal] */
export async function received(signal) {
  const name = me()?.username;
  if (!name) return [];
  const { items } = await api.get('/v1/challenges', { mine: true, status: 'open', limit: 50 }, signal);
  return items.filter((challenge) => isTo(challenge, name));
}

/** @param {Schema<'Challenge'>} challenge */
export function answers({ id }) {
  const accept = async () => {
    const { match_id } = await api.post(`/v1/challenges/${id}/accept`);
    if (match_id) go(`/match/${match_id}`);
    else visit();
  };
  const decline = async () => {
    await api.post(`/v1/challenges/${id}/decline`);
    visit();
  };
  return h(
    'p',
    { class: 'buttons' },
    action(t('accept'), accept, { class: 'primary' }),
    action(t('decline'), decline),
    link(`/challenge/${id}`, t('details'), 'button'),
  );
}

/** The section of My turns; null: no challenges. @param {AbortSignal} signal */
export async function challengesToMe(signal) {
  const [challenges, names] = await Promise.all([received(signal), titles()]);
  if (!challenges.length) return null;
  const card = (/** @type {Schema<'Challenge'>} */ challenge) =>
    h(
      'li',
      { class: 'card waits', 'data-challenge': challenge.id },
      h('b', {}, names.get(challenge.variant) ?? challenge.variant),
      h('span', {}, t('challenges-you'), ' ', playerLink(challenge.creator)),
      h('span', { class: 'meta' }, termsText(challenge)),
      challenge.message && h('blockquote', {}, challenge.message),
      answers(challenge),
    );
  return h(
    'section',
    { class: 'received' },
    h('h2', {}, t('challenges-to-you')),
    h('ul', { class: 'cards' }, challenges.map(card)),
  );
}

/** The opponent's rematch challenge; null: none. @param {string} match @param {AbortSignal} signal */
export async function rematchToMe(match, signal) {
  const challenge = (await received(signal)).find(({ rematch_of }) => rematch_of === match);
  if (!challenge) return null;
  return h(
    'div',
    { 'data-challenge': challenge.id },
    h('p', {}, playerLink(challenge.creator), ' ', t('wants-rematch')),
    answers(challenge),
  );
}
