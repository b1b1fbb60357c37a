/** A game in a list: its picture is drawn when it becomes visible. */

import { fill, h } from './dom.js';
import { t } from './i18n/index.js';
import { href } from './router.js';
import { whenSeen } from './seen.js';

/** @param {Schema<'VariantSummary'>} game */
export function gameCard(game) {
  const { id, title, description, seats } = game;
  const picture = h('div', { class: 'game-sea' });
  whenSeen(picture, async () => fill(picture, (await import('./game-picture.js')).gamePicture(game)));
  const players = seats.max > 2 && h('span', { class: 'meta' }, t('players-range', seats));
  return h(
    'a',
    { href: href(`/variants/${id}`), class: 'game-card' },
    picture,
    h('div', {}, h('b', { class: 'name' }, title), h('p', {}, description), players),
  );
}
