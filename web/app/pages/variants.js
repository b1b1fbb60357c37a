/** The games: a picture of each, and a page each with rules, fleet and a way to play. */

import { once } from '../api.js';
import { h } from '../dom.js';
import { word, words } from '../format.js';
import { gameCard } from '../game-card.js';
import { gamePicture } from '../game-picture.js';
import { t } from '../i18n/index.js';
import { looksOf, shapeOf, shipPicture } from '../kit/ships.js';
import { markdown } from '../markdown.js';
import { variants } from '../titles.js';
import { link, table } from '../ui.js';
import { playButton } from './play-button.js';

/** @type {import('../router.js').Maker} */
export async function variantsPage() {
  const games = await variants();
  const cards = games.map((game) => h('li', {}, gameCard(game)));
  const own = link(`/variants/${games[0].id}/edit`, t('make-own'), 'button');
  return {
    title: t('games'),
    body: h(
      'div',
      {},
      h('div', { class: 'title-line' }, h('h1', {}, t('games')), own),
      h('p', {}, t('games-more')),
      h('ul', { class: 'games' }, cards),
    ),
  };
}

/** The ships as silhouettes. @param {Schema<'Variant'>} card */
function fleet(card) {
  const looks = looksOf(card.classes);
  const lines = card.classes.map((one) => {
    const figures = one.stats.map((stat) => `${word('stat', stat.name)} ${stat.value ?? '–'}`).join(' · ');
    const picture = shipPicture({ look: looks.get(one.class), length: one.length, cells: shapeOf(one, one.length) });
    return h(
      'li',
      {},
      picture,
      h('span', {}, one.title, figures && h('small', {}, ` ${figures}`)),
      h('b', { 'aria-label': t('ships-of', { count: one.count }) }, `× ${one.count}`),
    );
  });
  return h('ul', { class: 'fleet-list' }, lines);
}

/** The rules: the game's own first, which come last in the text; those shared with other games are folded.
 * @param {string} text */
function rules(text) {
  const at = text.lastIndexOf('\n## ');
  if (at < 0) return [h('div', { class: 'prose' }, markdown(text, 3))];
  const own = text.slice(text.indexOf('\n', at + 1));
  const shared = h('div', { class: 'prose' }, markdown(text.slice(0, at), 3));
  return [
    h('div', { class: 'prose' }, markdown(own, 3)),
    h('details', { class: 'fold' }, h('summary', {}, t('rules-shared')), shared),
  ];
}

/** Recipients and contents of each action's disclosures. @param {Schema<'Variant'>} card */
function disclosures(card) {
  const titles = new Map(card.actions.map(({ action_type, title }) => [action_type, title]));
  const rows = card.disclosures.flatMap(({ action_type, recipients }) =>
    recipients.map(({ recipient, learns }) => [
      titles.get(action_type) ?? words(action_type),
      t(`to-${recipient}`),
      learns,
    ]),
  );
  return rows.length
    ? h(
        'details',
        { class: 'fold' },
        h('summary', {}, t('who-learns')),
        table(t('who-learns'), [t('action'), t('reader'), t('learns')], rows),
      )
    : null;
}

/** @type {import('../router.js').Maker} */
export async function variantPage({ params, signal }) {
  const [card, games] = await Promise.all([once(`/v1/variants/${params.id}`), variants()]);
  const game = games.find(({ id }) => id === card.id);
  const offer = `/lobby/new?variant=${encodeURIComponent(card.id)}`;
  return {
    title: card.title,
    body: h(
      'article',
      { class: 'rules-page' },
      h('div', {}, h('h1', {}, card.title), h('p', {}, card.description)),
      h(
        'div',
        {},
        h('h2', {}, t('rules')),
        ...rules(card.rules_markdown),
        h('p', { class: 'muted' }, card.source),
        disclosures(card),
      ),
      h(
        'aside',
        { 'aria-label': t('fleet') },
        h('div', { class: 'game-sea' }, game && gamePicture(game)),
        h(
          'p',
          { class: 'buttons' },
          playButton(signal, { variant: card.id, text: t('try-game') }),
          link(offer, t('other-terms'), 'button'),
          link(`/variants/${card.id}/edit`, t('own-rules'), 'button'),
        ),
        h('h2', {}, t('fleet')),
        fleet(card),
      ),
    ),
  };
}
