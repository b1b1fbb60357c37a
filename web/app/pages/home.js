/** The door: a sentence, a board that lives, and a way in. */

import { api, once } from '../api.js';
import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { emptySea } from '../match/boards.js';
import { inWords } from '../match/vocabulary.js';
import { me } from '../session.js';
import { cardOf, titles, variants } from '../titles.js';
import { link, matchCard } from '../ui.js';
import { botSection } from './bots.js';
import { allReports, player } from './replay.js';

/** A finished match that replays, or an empty board when there is none. @param {AbortSignal} signal */
async function living(signal) {
  const { items } = await api.get('/v1/matches', { status: 'finished', limit: 1 }, signal);
  if (items.length) {
    const path = /** @type {const} */ (`/v1/matches/${items[0].id}`);
    const [view, board] = await Promise.all([api.get(path, {}, signal), once(`${path}/board`)]);
    const [card, reports] = await Promise.all([cardOf(view), allReports(view.id, signal)]);
    const replay = player({ ...inWords(view, card), viewer: { seat: null } }, board, reports, {
      card,
      signal,
      small: true,
    });
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) replay.running.loop();
    else replay.by(replay.steps.length);
    return h('div', { class: 'living' }, replay.element, link(`/match/${view.id}/replay`, t('watch-replay')));
  }
  const [first] = await variants();
  const card = await once(`/v1/variants/${first.id}`);
  return h('div', { class: 'living' }, emptySea(card.board));
}

/** @type {import('../router.js').Maker} */
export async function homePage({ signal }) {
  const picture = h('div', { class: 'picture' });
  living(signal).then(
    (element) => picture.append(element),
    () => {},
  );
  const [games, bots] = await Promise.all([variants(), botSection(signal).catch(() => null)]);
  const turns = me()
    ? await api.get('/v1/turns', {}, signal).then(
        ({ items }) => items,
        () => [],
      )
    : [];
  const names = turns.length ? await titles() : new Map();
  const mine =
    turns.length > 0 &&
    h(
      'section',
      {},
      h('h2', {}, t('your-turn')),
      h(
        'ul',
        { class: 'cards' },
        turns.slice(0, 4).map((match) => h('li', {}, matchCard(match, names, signal))),
      ),
    );
  return {
    title: 'Broadside',
    body: h(
      'div',
      { class: 'home' },
      h(
        'div',
        { class: 'welcome' },
        h('h1', {}, t('welcome')),
        h('p', {}, t('welcome-more')),
        h(
          'p',
          { class: 'buttons' },
          link('/lobby/new', t('play-now'), 'button primary large'),
          link('/lobby', t('see-offers'), 'button large'),
        ),
        mine,
        bots,
      ),
      picture,
      h(
        'section',
        { class: 'choice' },
        h('h2', {}, t('games')),
        h(
          'ul',
          { class: 'chips' },
          games.map(({ id, title }) => h('li', {}, link(`/variants/${id}`, title, 'button'))),
        ),
      ),
    ),
  };
}
