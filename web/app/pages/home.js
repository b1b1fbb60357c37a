/** The home page: a sentence, a match that plays itself, and a way in. */

import { api } from '../api.js';
import { demonstration } from '../demonstration.js';
import { fill, h, svg } from '../dom.js';
import { moment } from '../format.js';
import { gameCard } from '../game-card.js';
import { t } from '../i18n/index.js';
import { href } from '../router.js';
import { whenSeen } from '../seen.js';
import { me } from '../session.js';
import { cardOf, titles, variants } from '../titles.js';
import { link, part, playerLink, termsText } from '../ui.js';
import { playButton } from './play-button.js';

/** Numbers of games and matches shown. */
const [GAMES, MATCHES] = [6, 3];

/** Different games: one of each small family, and some from the whole range of the large one.
 * @param {Schema<'VariantSummary'>[]} games */
function various(games) {
  const named = [...new Set(games.map(({ family }) => family))];
  const families = named.map((name) => games.filter(({ family }) => family === name));
  const largest = families.toSorted((one, other) => other.length - one.length)[0] ?? [];
  const others = families.filter((all) => all !== largest).flatMap((all) => all.slice(0, 1));
  const count = Math.min(largest.length, GAMES - others.length);
  const step = (largest.length - 2) / Math.max(1, count - 1);
  const some = Array.from({ length: count }, (_, i) => largest[Math.round(i * step)]);
  return [...some, ...others];
}

function coast() {
  const line = 'M0 0C26 40 34 70 52 96S40 150 62 190S44 250 70 292S58 350 84 400';
  return svg(
    'svg',
    { viewBox: '0 0 100 400', preserveAspectRatio: 'none', class: 'landfall', 'aria-hidden': 'true' },
    svg('path', { d: `${line}H-2V0Z`, class: 'surf' }),
    svg('path', { d: `${line}H-2V0Z`, class: 'sand', transform: 'translate(-12 0)' }),
    svg('path', { d: line, class: 'waterline', transform: 'translate(-12 0)' }),
    svg('path', { d: line, class: 'contour', transform: 'translate(-46 0)' }),
  );
}

/** A running match. @param {Schema<'MatchSummary'>} match @param {Map<string, string>} names
 * @param {AbortSignal} signal */
function playing(match, names, signal) {
  const seas = h('a', { href: href(`/match/${match.id}`), class: 'thumbs', 'aria-label': t('watch-match') });
  const draw = async () => {
    const [view, card, { thumbnail }] = await Promise.all([
      api.get(`/v1/matches/${match.id}`, {}, signal),
      cardOf(match),
      import('../board/thumbnail.js'),
    ]);
    const all = view.seas.slice(0, 2).flatMap((sea) => {
      const chart = card.board.seas.find(({ id }) => id === sea.id);
      return chart ? thumbnail(chart, { marks: sea.marks, ships: sea.ships, classes: card.classes }, '') : [];
    });
    fill(seas, all);
  };
  whenSeen(seas, () => void draw().catch(() => {}));
  return h(
    'li',
    { class: 'playing' },
    seas,
    h(
      'div',
      {},
      match.seats.map(({ player }) => playerLink(player)),
      h('small', {}, names.get(match.variant) ?? match.variant),
    ),
  );
}

/** Matches in progress; null: none. @param {AbortSignal} signal */
async function now(signal) {
  const [{ items }, names] = await Promise.all([
    api.get('/v1/matches', { status: 'playing', limit: 12 }, signal),
    titles(),
  ]);
  const open = items.filter(({ spectators }) => spectators).slice(0, MATCHES);
  if (!open.length) return null;
  return h(
    'section',
    { class: 'now' },
    h('h2', {}, t('playing-now')),
    h(
      'ul',
      {},
      open.map((match) => playing(match, names, signal)),
    ),
  );
}

/** The next tournament open for entry; null: none. @param {AbortSignal} signal */
async function regatta(signal) {
  const { items } = await api.get('/v1/tournaments', { status: 'open', limit: 1 }, signal);
  const [one] = items;
  if (!one) return null;
  const names = await titles();
  const places = one.max_players ? ` · ${t('places-taken', { count: one.players, of: one.max_players })}` : '';
  return h(
    'section',
    { class: 'regatta' },
    h('h2', {}, one.title),
    h('p', {}, `${names.get(one.variant) ?? one.variant} · ${termsText(one)}${places}`),
    one.starts_at && h('p', {}, t('starts-at', { time: moment(one.starts_at) })),
    link(`/tournaments/${one.id}`, t('take-a-place')),
  );
}

/** Some games, and a link to all. */
async function choice() {
  const games = await variants();
  const cards = various(games).map((game) => h('li', {}, gameCard(game)));
  const all = link('/variants', t('all-games-count', { count: games.length }));
  return h(
    'div',
    {},
    h('div', { class: 'title-line' }, h('h2', {}, t('games')), all),
    h('ul', { class: 'games' }, cards),
  );
}

/** @type {import('../router.js').Maker} */
export async function homePage({ signal }) {
  const below = h('div', { class: 'below' });
  whenSeen(below, async () => fill(below, await Promise.all([part(now(signal)), part(regatta(signal))])));
  const games = h('section', { class: 'choice' });
  whenSeen(games, async () => fill(games, await part(choice())));
  const puzzle = h('section', { class: 'puzzle-entry' });
  whenSeen(puzzle, () => {
    const entry = import('./puzzle.js').then(({ puzzleEntry }) => puzzleEntry(signal));
    void entry.then((drawn) => fill(puzzle, drawn)).catch(() => puzzle.remove());
  });
  const turns = me() ? await part(api.get('/v1/turns', {}, signal)) : null;
  const waits = turns && 'items' in turns ? turns.items.length : 0;
  return {
    title: 'Broadside',
    body: h(
      'div',
      { class: 'home' },
      h(
        'section',
        { class: 'hero' },
        h(
          'div',
          { class: 'land' },
          h('h1', {}, t('welcome')),
          h('p', {}, t('welcome-more')),
          h(
            'div',
            { class: 'begin' },
            playButton(signal),
            waits
              ? link('/play', t('games-wait', { count: waits }), 'button')
              : h('p', {}, me() ? t('against-all') : t('as-a-guest'), h('br'), link('/lobby', t('find-person'))),
          ),
        ),
        h('div', { class: 'chart' }, coast(), demonstration(signal)),
      ),
      games,
      puzzle,
      below,
    ),
  };
}
