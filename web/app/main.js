/** Begins: who is signed in, which page is asked for, and what frames every page. */

import { Problem, api } from './api.js';
import { fill, h } from './dom.js';
import { language, ready, t } from './i18n/index.js';
import { go, here, href, route, start } from './router.js';
import { received } from './pages/challenges-received.js';
import { me, onSession, restore, signOut } from './session.js';
import { onEvent, onState, startStream } from './stream.js';
import { problemBox } from './ui.js';

route('/', async () => (await import('./pages/home.js')).homePage);
route('/play', async () => (await import('./pages/play.js')).playPage);
route('/lobby', async () => (await import('./pages/lobby.js')).lobbyPage);
route('/lobby/new', async () => (await import('./pages/offer.js')).offerPage);
route('/challenge/{id}', async () => (await import('./pages/challenge.js')).challengePage);
route('/match/{id}', async () => (await import('./pages/match.js')).matchPage);
route('/match/{id}/replay', async () => (await import('./pages/replay.js')).replayPage);
route('/variants', async () => (await import('./pages/variants.js')).variantsPage);
route('/variants/{id}', async () => (await import('./pages/variants.js')).variantPage);
route('/ladders', async () => (await import('./pages/ladders.js')).laddersPage);
route('/ladders/new', async () => (await import('./pages/contest-new.js')).newLadderPage);
route('/ladders/{id}', async () => (await import('./pages/ladders.js')).ladderPage);
route('/tournaments', async () => (await import('./pages/tournaments.js')).tournamentsPage);
route('/tournaments/new', async () => (await import('./pages/contest-new.js')).newTournamentPage);
route('/tournaments/{id}', async () => (await import('./pages/tournaments.js')).tournamentPage);
route('/leaderboards', async () => (await import('./pages/leaderboards.js')).leaderboardsPage);
route('/leaderboards/{pool}', async () => (await import('./pages/leaderboards.js')).leaderboardsPage);
route('/players/{name}', async () => (await import('./pages/player.js')).playerPage);
route('/account/cases', async () => (await import('./pages/cases.js')).ownCasesPage);
route('/cases', async () => (await import('./pages/cases.js')).casesPage);
route('/cases/{id}', async () => (await import('./pages/cases.js')).casePage);
route('/account', async () => (await import('./pages/account.js')).accountPage);
route('/sign-in', async () => (await import('./pages/sign-in.js')).signInPage);
route('/sign-in/back', async () => (await import('./pages/sign-in.js')).backPage);

const LINKS = [
  ['/play', 'my-turns'],
  ['/lobby', 'lobby'],
  ['/variants', 'games'],
  ['/ladders', 'ladders'],
  ['/tournaments', 'tournaments'],
  ['/leaderboards', 'leaderboards'],
];

const main = /** @type {HTMLElement} */ (document.getElementById('main'));
const top = /** @type {HTMLElement} */ (document.querySelector('header.top'));
const bottom = /** @type {HTMLElement} */ (document.querySelector('footer.bottom'));
const count = h('span', { class: 'count' });
const lamp = h('span', { class: 'lamp', role: 'img' });

async function out() {
  if (me()?.guest && !confirm(t('guest-sign-out'))) return; // nobody can sign in again without a password
  if (!(await signOut())) go('/');
}

function drawTop() {
  const path = new URL(here(), 'http://page').pathname;
  const links = LINKS.map(([to, text]) => {
    const current = path === to || path.startsWith(`${to}/`);
    return h(
      'li',
      {},
      h('a', { href: href(to), 'aria-current': current ? 'page' : null }, t(text), to === '/play' && count),
    );
  });
  const name = me()?.username;
  const back = path.startsWith('/sign-in') ? '' : `?then=${encodeURIComponent(here())}`;
  const account = name
    ? [
        lamp,
        h('a', { href: href('/account'), 'aria-current': path === '/account' ? 'page' : null }, name),
        h('button', { type: 'button', class: 'quiet', on: { click: () => void out() } }, t('sign-out')),
      ]
    : [h('a', { href: href(`/sign-in${back}`) }, t('sign-in'))];
  const menu = h('nav', { 'aria-label': t('pages') }, h('ul', {}, links));
  const toggle = h(
    'button',
    { type: 'button', class: 'menu', 'aria-expanded': 'false', 'aria-controls': 'pages' },
    t('menu'),
  );
  menu.id = 'pages';
  toggle.addEventListener('click', () => toggle.setAttribute('aria-expanded', String(menu.classList.toggle('open'))));
  fill(
    top,
    h('a', { href: href('/'), class: 'brand' }, 'Broadside'),
    toggle,
    menu,
    h('div', { class: 'who' }, account),
  );
}

/** Counts what waits: turns, and challenges to answer. */
async function countTurns() {
  const none = () => [];
  const [turns, challenges] = me()
    ? await Promise.all([api.get('/v1/turns').then(({ items }) => items, none), received().catch(none)])
    : [[], []];
  const waiting = turns.length + challenges.length;
  count.textContent = waiting ? String(waiting) : '';
  count.setAttribute('aria-label', waiting ? t('turns-wait', { count: waiting }) : '');
}

/** The address of the page that is shown; empty: none yet. */
let shown = '';

/** @param {Promise<import('./router.js').Page>} coming @param {import('./router.js').Visit} visit */
async function show(coming, visit) {
  drawTop();
  main.setAttribute('aria-busy', 'true');
  const before = shown;
  /** @type {import('./router.js').Page} */
  let page;
  try {
    page = await coming;
  } catch (failure) {
    if (visit.signal.aborted) return;
    if (!(failure instanceof Problem)) console.error(failure);
    page = { title: t('went-wrong'), body: h('div', {}, h('h1', {}, t('went-wrong')), problemBox(failure)) };
  }
  if (visit.signal.aborted) return;
  document.title = page.title === 'Broadside' ? page.title : `${page.title} · Broadside`;
  fill(main, /** @type {any} */ (page.body));
  main.setAttribute('aria-busy', 'false');
  shown = here();
  // The same page, drawn again after something was done on it, stays where it is.
  if (before && before !== shown) scrollTo(0, 0);
  if (before) main.focus({ preventScroll: true });
}

async function begin() {
  await Promise.all([ready, restore()]);
  document.documentElement.lang = language;
  const skip = document.querySelector('[data-skip]');
  if (skip) skip.textContent = t('skip');
  fill(bottom, h('a', { href: '/docs', 'data-plain': '' }, t('guide')), ' · ', t('motto'));
  onSession(() => {
    drawTop();
    void countTurns();
  });
  onState((state) => {
    lamp.className = `lamp ${state}`;
    lamp.setAttribute('aria-label', t(`stream-${state}`));
    lamp.title = t(`stream-${state}`);
  });
  onEvent((event) => {
    const counts = ['your-turn', 'match-finished', 'report', 'match-started'].includes(event.type);
    if (counts || event.type.startsWith('challenge-')) void countTurns();
  });
  start((coming, visit) => void show(coming, visit));
  startStream();
  void countTurns();
}

void begin();
