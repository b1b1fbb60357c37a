/** The games: a list, and a page for each with its rules and its board. */

import { once } from '../api.js';
import { h } from '../dom.js';
import { word, words } from '../format.js';
import { t } from '../i18n/index.js';
import { markdown } from '../markdown.js';
import { emptySea } from '../match/boards.js';
import { href } from '../router.js';
import { variants } from '../titles.js';
import { link, table } from '../ui.js';

/** @type {import('../router.js').Maker} */
export async function variantsPage() {
  const cards = (await variants()).map(({ id, title, description, seats }) => {
    const picture = h('div', { class: 'thumb' });
    once(`/v1/variants/${id}`).then(
      (card) => picture.append(emptySea(card.board)),
      () => {},
    );
    const players = seats.min === seats.max ? t('players-count', { count: seats.min }) : t('players-range', seats);
    return h(
      'li',
      {},
      h(
        'a',
        { href: href(`/variants/${id}`), class: 'card game' },
        picture,
        h('div', {}, h('b', {}, title), h('span', {}, description), h('span', { class: 'meta' }, players)),
      ),
    );
  });
  return {
    title: t('games'),
    body: h('div', {}, h('h1', {}, t('games')), h('p', {}, t('games-more')), h('ul', { class: 'cards games' }, cards)),
  };
}

/** @param {Schema<'Variant'>} card */
function fleet(card) {
  const stats = card.classes[0]?.stats.map(({ name }) => name) ?? [];
  const rows = card.classes.map((one) => [
    one.title,
    String(one.count),
    '▪'.repeat(one.length),
    ...stats.map((/** @type {string} */ name) => String(one.stats.find((stat) => stat.name === name)?.value ?? '–')),
  ]);
  return table(t('fleet'), [t('ship'), t('count'), t('length'), ...stats.map((name) => word('stat', name))], rows);
}

/** Who learns what of an action. @param {Schema<'Variant'>} card */
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
export async function variantPage({ params }) {
  const card = await once(`/v1/variants/${params.id}`);
  const offer = `/lobby/new?variant=${encodeURIComponent(card.id)}`;
  return {
    title: card.title,
    body: h(
      'article',
      {},
      h('div', { class: 'title-line' }, h('h1', {}, card.title), link(offer, t('try-it'), 'button primary')),
      h('p', {}, card.description),
      h('p', { class: 'muted' }, card.source),
      h('div', { class: 'card-board' }, emptySea(card.board)),
      h('h2', {}, t('fleet')),
      fleet(card),
      h('h2', {}, t('rules')),
      markdown(card.rules_markdown, 3),
      disclosures(card),
    ),
  };
}
