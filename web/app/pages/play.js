/** My turns, and my other matches. */

import { api } from '../api.js';
import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { visit } from '../router.js';
import { me } from '../session.js';
import { onEvent } from '../stream.js';
import { titles } from '../titles.js';
import { link, matchCard, nothing } from '../ui.js';
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
  const [turns, ...running] = await Promise.all([
    api.get('/v1/turns', {}, signal),
    own('deploying'),
    own('playing'),
    own('armistice'),
  ]);
  const finished = await own('finished');
  const waiting = new Set(turns.items.map(({ id }) => id));
  const others = running.flatMap(({ items }) => items).filter(({ id }) => !waiting.has(id));
  onEvent((event) => {
    if (event.type === 'your-turn' || event.type === 'match-started') visit();
  }, signal);
  const list = (/** @type {Schema<'MatchSummary'>[]} */ items) =>
    h(
      'ul',
      { class: 'cards' },
      items.map((match) => h('li', {}, matchCard(match, names, signal))),
    );
  return {
    title: t('my-turns'),
    body: h(
      'div',
      {},
      h('h1', {}, t('my-turns')),
      turns.items.length
        ? list(turns.items)
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
