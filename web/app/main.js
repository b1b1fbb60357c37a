/** Start of the pages: session, requested page, and the frame of every page. */

import { Problem, Unreachable, api, pause } from './api.js';
import { API } from './config.js';
import { fill, h } from './dom.js';
import { language, ready, speak, t } from './i18n/index.js';
import { flags } from './kit/flags.js';
import { shipPicture } from './kit/ships.js';
import { go, here, href, prepare, route, start } from './router.js';
import { me, onSession, restore, signOut } from './session.js';
import { link, nothing, problemBox } from './ui.js';

route('/', async () => (await import('./pages/home.js')).homePage);
route('/play', async () => (await import('./pages/play.js')).playPage);
route('/lobby', async () => (await import('./pages/lobby.js')).lobbyPage);
route('/lobby/new', async () => (await import('./pages/offer.js')).offerPage);
route('/challenge/{id}', async () => (await import('./pages/challenge.js')).challengePage);
route('/match/{id}', async () => (await import('./pages/match.js')).matchPage);
route('/match/{id}/replay', async () => (await import('./pages/replay.js')).replayPage);
route('/variants', async () => (await import('./pages/variants.js')).variantsPage);
route('/variants/puzzle', async () => (await import('./pages/puzzle.js')).puzzlePage);
route('/variants/{id}', async () => (await import('./pages/variants.js')).variantPage);
route('/variants/{id}/edit', async () => (await import('./editor/page.js')).editorPage);
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

prepare();

const LINKS = [
  ['/play', 'my-turns'],
  ['/lobby', 'lobby'],
  ['/variants', 'games'],
  ['/ladders', 'ladders'],
  ['/tournaments', 'tournaments'],
];

const main = /** @type {HTMLElement} */ (document.getElementById('main'));
const top = /** @type {HTMLElement} */ (document.querySelector('header.top'));
const bottom = /** @type {HTMLElement} */ (document.querySelector('footer.bottom'));
/** The number of waiting turns and challenges: in the menu, and on its button on phones. */
const counts = ['count', 'count-too'].map((name) => h('span', { class: name }));
const lamp = h('span', { class: 'lamp', role: 'img' });
/** Place for a match's sound switch. */
const sounds = h('span', { id: 'sound' });

async function out() {
  if (me()?.guest && !confirm(t('guest-sign-out'))) return; // nobody can sign in again without a password
  if (!(await signOut())) go('/');
}

function drawTop() {
  const path = new URL(here(), 'http://page').pathname;
  const link = (/** @type {string} */ to, /** @type {import('./dom.js').Child[]} */ text, kind = '') => {
    const current = path === to || path.startsWith(`${to}/`);
    return h('a', { href: href(to), class: kind || null, 'aria-current': current ? 'page' : null }, text);
  };
  const account = me();
  const links = LINKS.filter(([to]) => account || to !== '/play').map(([to, text]) =>
    h('li', {}, link(to, [t(text), to === '/play' && counts[0]])),
  );
  const back = path.startsWith('/sign-in') ? '' : `?then=${encodeURIComponent(here())}`;
  const who = account
    ? [
        link('/play', [t('my-turns'), counts[1]], 'short'),
        lamp,
        h(
          'a',
          { href: href('/account'), 'aria-label': t('account-of', { name: account.username }) },
          flags(account.id),
          h('span', { class: 'name' }, account.username),
        ),
        h('button', { type: 'button', class: 'quiet', on: { click: () => void out() } }, t('sign-out')),
      ]
    : [languageSwitch(), h('a', { href: href(`/sign-in${back}`) }, t('sign-in'))];
  const menu = h('nav', { id: 'pages', 'aria-label': t('pages') }, h('ul', {}, links));
  const toggle = h(
    'button',
    { type: 'button', class: 'menu', 'aria-expanded': 'false', 'aria-controls': 'pages' },
    t('menu'),
  );
  toggle.addEventListener('click', () => toggle.setAttribute('aria-expanded', String(menu.classList.toggle('open'))));
  const brand = h(
    'a',
    { href: href('/'), class: 'brand', 'aria-label': 'Broadside' },
    h('img', { src: /** @type {HTMLLinkElement} */ (document.querySelector('link[rel=icon]')).href, alt: '' }),
    h('span', {}, 'Broadside'),
  );
  fill(top, brand, menu, h('div', { class: 'who' }, sounds, who, toggle));
}

function languageSwitch() {
  const other = language === 'fr' ? 'en' : 'fr';
  const name = { en: 'English', fr: 'Français' }[other];
  return h('button', { type: 'button', class: 'tongue', lang: other, on: { click: () => speak(other) } }, name);
}

async function countTurns() {
  const none = () => [];
  const received = () => import('./pages/challenges-received.js').then((page) => page.received()).catch(none);
  const [turns, challenges] = me()
    ? await Promise.all([api.get('/v1/turns').then(({ items }) => items, none), received()])
    : [[], []];
  const waiting = turns.length + challenges.length;
  for (const count of counts) {
    count.textContent = waiting ? String(waiting) : '';
    count.title = waiting ? t('turns-wait', { count: waiting }) : '';
  }
}

/** The address of the current page; empty: none yet. */
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
    if (!(failure instanceof Problem || failure instanceof Unreachable)) console.error(failure);
    page = failure instanceof Problem && failure.status === 404 ? noPage() : wrong(failure, visit.signal);
  }
  if (visit.signal.aborted) return;
  document.title = page.title === 'Broadside' ? page.title : `${page.title} · Broadside`;
  fill(main, /** @type {any} */ (page.body));
  main.setAttribute('aria-busy', 'false');
  shown = here();
  // The same page, redrawn after an action, keeps its scroll position.
  if (before && before !== shown) scrollTo(0, 0);
  if (before) main.focus({ preventScroll: true });
}

/** The page for an unknown address. */
function noPage() {
  const picture = h('div', { class: 'adrift' }, shipPicture({ length: 4, state: 'sunk' }));
  const ways = [link('/', t('to-first-page'), 'button primary'), link('/variants', t('see-games'), 'button')];
  return {
    title: t('no-page'),
    body: h('div', {}, h('h1', {}, t('no-page')), picture, nothing(t('no-page-more'), ...ways)),
  };
}

/** The page of a failure. It reloads itself after a temporary one. @param {unknown} failure
 * @param {AbortSignal} signal */
function wrong(failure, signal) {
  const unreached = failure instanceof Unreachable || (failure instanceof TypeError && /import/.test(failure.message));
  const wait = failure instanceof Problem && [429, 503].includes(failure.status) ? failure.wait : 0;
  const reload = () => location.reload();
  addEventListener('online', reload, { once: true, signal });
  if (navigator.onLine && (unreached || wait))
    void pause(1000 * (Math.max(3, wait) + 5 * Math.random()), signal).then(reload, () => {});
  const again = h('button', { type: 'button', on: { click: () => location.reload() } }, t('load-again'));
  const body = h(
    'div',
    {},
    h('h1', {}, t('went-wrong')),
    problemBox(unreached || !navigator.onLine ? new Unreachable() : failure),
    h('p', { class: 'buttons' }, again),
  );
  return { title: t('went-wrong'), body };
}

let listens = false;

/** Follows the events of the signed-in account. */
async function listen() {
  if (listens || !me()) return;
  listens = true;
  const { onEvent, onState, startStream } = await import('./stream.js');
  onState((state) => {
    lamp.className = `lamp ${state}`;
    lamp.setAttribute('aria-label', t(`stream-${state}`));
    lamp.title = t(`stream-${state}`);
  });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let soon;
  onEvent((event) => {
    const counted = ['your-turn', 'match-finished', 'match-started', 'connected'].includes(event.type);
    // Events within a second are counted together.
    if (counted || event.type.startsWith('challenge-'))
      soon ??= setTimeout(() => ((soon = undefined), void countTurns()), 1000);
  });
  startStream();
}

async function begin() {
  // The code and state of a sign-in leave the address first.
  await Promise.all([ready, restore(), location.search.includes('state=') && import('./oauth.js')]);
  document.documentElement.lang = language;
  const skip = document.querySelector('[data-skip]');
  if (skip) skip.textContent = t('skip');
  fill(
    bottom,
    h('a', { href: '/docs', 'data-plain': '' }, t('guide')),
    ' · ',
    h('a', { href: href('/leaderboards') }, t('leaderboards')),
    ' · ',
    t('motto'),
    ' · ',
    languageSwitch(),
  );
  onSession(() => {
    drawTop();
    void countTurns();
    void listen();
  });
  start((coming, visit) => void show(coming, visit), noPage);
  void listen();
  if (me()) void import('./restored.js').then(({ noticeRestore }) => noticeRestore(main));
  void countTurns();
  // Its scope is all pages, so it isn't among versioned files. Without it, pages need the server.
  if (isSecureContext && API === '' && location.pathname !== '/index.html')
    navigator.serviceWorker?.register('/app/offline.js', { scope: '/' }).catch(() => {});
}

void begin();
