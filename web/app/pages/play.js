/** My turns by remaining time; matches waiting for others, and finished ones. */

import { api } from '../api.js';
import { fill, h } from '../dom.js';
import { t } from '../i18n/index.js';
import { recall, remember } from '../memory.js';
import { playedFor, playedForLine } from '../played-for.js';
import { go, href, visit } from '../router.js';
import { me } from '../session.js';
import { onEvent } from '../stream.js';
import { titles } from '../titles.js';
import { labelled, link, matchCard, nothing, part, problemBox, select } from '../ui.js';
import { challengesToMe } from './challenges-received.js';
import { invitations } from './contest-entry.js';
import { followsPart } from './follows.js';
import { doors } from './sign-in.js';
import { GROUPS, groupOf, turnCard } from './turn-card.js';

/** Storage keys: matches set aside, and the sort order. */
const [ASIDE, ORDER] = ['aside', 'order'];

/** @typedef {Schema<'Turn'>} Turn */

/** @type {Record<string, (one: Turn, other: Turn) => number>} */
const ORDERS = {
  time: (one, other) => (one.deadline ?? '9').localeCompare(other.deadline ?? '9'),
  newest: (one, other) => other.created_at.localeCompare(one.created_at),
  game: (one, other) => one.variant.localeCompare(other.variant),
};

/** @returns {Set<string>} */
const aside = () => new Set(recall(ASIDE) ?? []);

/** Sets a match aside, or brings it back. @param {string} id */
function setAside(id) {
  const kept = aside();
  if (!kept.delete(id)) kept.add(id);
  remember(ASIDE, [...kept].slice(-200));
}

class Turns {
  /** @param {Turn[]} items @param {Map<string, string>} names @param {AbortSignal} signal */
  constructor(items, names, signal) {
    this.items = items;
    this.how = { names, signal };
    this.variant = '';
    this.order = recall(ORDER) ?? 'time';
    if (!(this.order in ORDERS)) this.order = 'time';
    this.element = h('div', { class: 'turns' });
    /** @type {Map<string, HTMLElement>} */
    this.cards = new Map(items.map((turn) => [turn.id, this.#card(turn)]));
    // Contests appear when known: turns don't wait for them.
    const find = playedFor(signal);
    for (const { id, pairing } of items) {
      if (!pairing) continue;
      void find(pairing, id).then((found) => found && this.cards.get(id)?.append(playedForLine(found, false)));
    }
    this.draw();
  }

  /** @param {Turn} turn */
  #card(turn) {
    const later = h(
      'button',
      { type: 'button', class: 'quiet later', on: { click: () => this.later(turn.id) } },
      t('set-aside'),
    );
    return h('li', { 'data-match': turn.id }, turnCard(turn, this.how), later);
  }

  /** The turns as they are shown. */
  sorted() {
    const kept = aside();
    const wanted = this.items.filter(({ variant }) => !this.variant || variant === this.variant);
    const sorted = wanted.toSorted(ORDERS[this.order]);
    // A match set aside returns when its time is short.
    const away = (/** @type {Turn} */ turn) => kept.has(turn.id) && groupOf(turn) !== 'soon';
    const [first, last] = [sorted.filter((turn) => !away(turn)), sorted.filter(away)];
    const groups = GROUPS.map((name) => /** @type {const} */ ([name, first.filter((turn) => groupOf(turn) === name)]));
    return [...groups, /** @type {const} */ (['aside', last])];
  }

  draw() {
    const groups = this.sorted().filter(([, turns]) => turns.length);
    const first = groups[0]?.[1][0]?.id;
    fill(
      this.element,
      groups.map(([name, turns]) =>
        h(
          'section',
          {},
          h('h2', {}, t(`turns-${name}`), ' ', h('small', {}, t(`turns-${name}-more`, { count: turns.length }))),
          h(
            'ul',
            { class: 'cards' },
            turns.map(({ id }) => {
              const card = this.cards.get(id);
              card?.classList.toggle('first', id === first);
              const button = card?.querySelector('.later');
              if (button) button.textContent = t(name === 'aside' ? 'take-back' : 'set-aside');
              return card;
            }),
          ),
        ),
      ),
    );
  }

  /** @param {string} id */
  later(id) {
    setAside(id);
    this.draw();
    /** @type {HTMLElement | null} */ (this.element.querySelector('.turn'))?.focus();
  }

  next() {
    const [first] = this.sorted().flatMap(([, turns]) => turns);
    if (first) go(`/match/${first.id}`);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const at = /** @type {Element} */ (event.target).closest?.('[data-match]');
    const all = /** @type {HTMLElement[]} */ ([...this.element.querySelectorAll('.turn')]);
    const here = all.findIndex((card) => at?.contains(card));
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (event.key.toLowerCase() === 'n') this.next();
    else if (event.key.toLowerCase() === 'l' && at) this.later(at.getAttribute('data-match') ?? '');
    else if (step && here >= 0) all[here + step]?.focus();
    else return;
    event.preventDefault();
  }

  /** Filter and sort controls. */
  tools() {
    const games = [...new Set(this.items.map(({ variant }) => variant))];
    const game = select('game', [
      ['', t('all-games')],
      ...games.map((id) => /** @type {[string, string]} */ ([id, this.how.names.get(id) ?? id])),
    ]);
    game.addEventListener('change', () => {
      this.variant = game.value;
      this.draw();
    });
    const orders = Object.keys(ORDERS).map((id) => /** @type {[string, string]} */ ([id, t(`order-${id}`)]));
    const order = select('order', orders, this.order);
    order.addEventListener('change', () => {
      this.order = order.value;
      remember(ORDER, order.value);
      this.draw();
    });
    game.setAttribute('aria-label', t('game'));
    order.setAttribute('aria-label', t('sorted-by'));
    const goesOn = h('input', { type: 'checkbox', checked: recall('go-on') ?? true });
    goesOn.addEventListener('change', () => remember('go-on', goesOn.checked));
    const next = h(
      'button',
      { type: 'button', class: 'primary', 'aria-keyshortcuts': 'N', on: { click: () => this.next() } },
      t('play-next'),
      h('kbd', {}, 'N'),
    );
    return h(
      'div',
      { class: 'tools' },
      next,
      games.length > 1 && game,
      this.items.length > 3 && order,
      labelled(t('go-on'), goesOn),
    );
  }
}

/** A list that can fail alone, and is then empty. @template T @param {Promise<{ items: T[] }>} work */
async function listed(work) {
  try {
    return { items: (await work).items, failure: null };
  } catch (failure) {
    return { items: /** @type {T[]} */ ([]), failure: problemBox(failure) };
  }
}

/** @type {import('../router.js').Maker} */
export async function playPage({ signal }) {
  const account = me();
  if (!account) {
    const body = h(
      'div',
      {},
      h('h1', {}, t('my-turns')),
      nothing(
        t('play-signed-out'),
        link('/', t('play-now'), 'button primary'),
        link('/variants', t('see-games'), 'button'),
      ),
      doors('/play'),
    );
    return { title: t('my-turns'), body };
  }
  const own = (/** @type {Schema<'MatchStatus'>} */ status) =>
    listed(api.get('/v1/matches', { player: account.username, status, limit: 50 }, signal));
  const [names, invited, challenges, follows, turns, finished, ...running] = await Promise.all([
    titles(),
    part(invitations(signal)),
    part(challengesToMe(signal)),
    part(followsPart(signal)),
    api.get('/v1/turns', {}, signal),
    own('finished'),
    own('deploying'),
    own('playing'),
    own('armistice'),
  ]);
  const waiting = new Set(turns.items.map(({ id }) => id));
  const others = running.flatMap(({ items }) => items).filter(({ id }) => !waiting.has(id));
  onEvent((event) => {
    const news = ['your-turn', 'match-started', 'contest-invited'].includes(event.type);
    if (news || event.type.startsWith('challenge-')) visit();
  }, signal);
  const mine = turns.items.length ? new Turns(turns.items, names, signal) : null;
  document.addEventListener(
    'keydown',
    (event) => {
      const typing = /** @type {Element} */ (event.target).closest?.('input, textarea, select');
      if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey) mine?.key(event);
    },
    { signal },
  );
  const list = (/** @type {Schema<'MatchSummary'>[]} */ items, /** @type {string} */ kind, /** @type {any} */ make) =>
    h(
      'ul',
      { class: kind },
      items.map((match) => h('li', { 'data-match': match.id }, make(match))),
    );
  const small = (/** @type {Schema<'MatchSummary'>} */ match) => turnCard(match, { names, signal, small: true });
  const old = (/** @type {Schema<'MatchSummary'>} */ match) => matchCard(match, names, signal);
  const said = [
    h('b', {}, t('games-wait', { count: turns.items.length })),
    others.length > 0 && `, ${t('games-of-others', { count: others.length })}`,
  ];
  const empty = nothing(
    others.length ? t('no-turns-now') : t('no-turns'),
    link('/', t('play-now'), 'button primary'),
    link('/lobby/new', t('offer-game'), 'button'),
    link('/lobby', t('see-offers'), 'button'),
  );
  return {
    title: t('my-turns'),
    body: h(
      'div',
      {},
      h(
        'div',
        { class: 'title-line' },
        h('h1', {}, t('my-turns')),
        h('p', { class: 'said' }, turns.items.length > 0 && said),
        mine?.tools(),
      ),
      challenges,
      invited,
      mine?.element ?? empty,
      mine && h('p', { class: 'muted keys' }, t('keys-turns')),
      running.map(({ failure }) => failure),
      others.length > 0 && [
        h('h2', {}, t('others-to-move'), ' ', h('small', {}, t('games-count', { count: others.length }))),
        list(others, 'cards waiting-cards', small),
      ],
      follows,
      finished.failure,
      finished.items.length > 0 &&
        h(
          'details',
          { class: 'fold' },
          h('summary', {}, t('finished-matches')),
          list(finished.items, 'cards', old),
          h('p', {}, h('a', { href: href(`/players/${account.username}`) }, t('all-matches'))),
        ),
    ),
  };
}
