/** My turns, and my other matches. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { visit } from '../router.js';
import { playedFor, playedForLine } from '../played-for.js';
import { me } from '../session.js';
import { onEvent } from '../stream.js';
import { titles } from '../titles.js';
import { link, matchCard, nothing, part } from '../ui.js';
import { challengesToMe } from './challenges-received.js';
import { invitations } from './contest-entry.js';
import { doors } from './sign-in.js';

/** @type {import('../router.js').Maker} */
export async function playPage({ signal }) {
  const account = me();
  if (!account) {
    const body = h(
      'div',
      {},
      h('h1', {}, t('my-turns')),
      nothing(t('play-signed-out'), link('/variants', t('see-games'), 'button')),
      doors('/play'),
    );
    return { title: t('my-turns'), body };
  }
  const own = (/** @type {Schema<'MatchStatus'>} */ status) =>
    api.get('/v1/matches', { player: account.username, status, limit: 50 }, signal);
  const names = await titles();
  const [invited, challenges, turns, ...running] = await Promise.all([
    part(invitations(signal)),
    part(challengesToMe(signal)),
    api.get('/v1/turns', {}, signal),
    own('deploying'),
    own('playing'),
    own('armistice'),
  ]);
  const finished = await own('finished');
  const waiting = new Set(turns.items.map(({ id }) => id));
  const others = running.flatMap(({ items }) => items).filter(({ id }) => !waiting.has(id));
  onEvent((event) => {
    const news = ['your-turn', 'match-started', 'contest-invited'].includes(event.type);
    if (news || event.type.startsWith('challenge-')) visit();
  }, signal);
  const list = (/** @type {Schema<'MatchSummary'>[]} */ items) =>
    h(
      'ul',
      { class: 'cards' },
      items.map((match) => h('li', { 'data-match': match.id }, matchCard(match, names, signal))),
    );
  const waits = list(turns.items);
  // What they are played for comes when it is known: the turns are there before.
  const find = playedFor(signal);
  for (const { id, pairing } of turns.items) {
    void find(pairing, id).then((found) => {
      if (found) waits.querySelector(`[data-match="${id}"]`)?.append(playedForLine(found, false));
    });
  }
  return {
    title: t('my-turns'),
    body: h(
      'div',
      {},
      h('h1', {}, t('my-turns')),
      challenges,
      invited,
      turns.items.length
        ? waits
        : nothing(
            t('no-turns'),
            link('/lobby/new', t('offer-game'), 'button primary'),
            link('/lobby', t('see-offers'), 'button'),
          ),
      others.length > 0 && [h('h2', {}, t('others-to-move')), list(others)],
      finished.items.length > 0 && [h('h2', {}, t('finished-matches')), list(finished.items)],
    ),
  };
}
