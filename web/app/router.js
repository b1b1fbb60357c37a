/** Addresses and pages. Addresses are paths on a server that knows the pages. Opened as a file (`…/index.html`), they
 * follow a `#`, which any file server supports. */

import { ready, whole } from './i18n/index.js';

const hashed = location.pathname.endsWith('.html');
/** Prefix of page addresses. */
const base = hashed ? `${location.pathname}#` : '';

/**
 * @typedef {{ path: string, parts: string[], query: URLSearchParams, params: Record<string, string>,
 *   signal: AbortSignal }} Visit
 * @typedef {{ title: string, body: Node | Node[] }} Page
 * @typedef {(visit: Visit) => Promise<Page> | Page} Maker
 */

/** @type {{ pattern: string[], load: () => Promise<Maker> }[]} */
const routes = [];
/** The page for unknown addresses. @type {Maker} */
let nowhere = () => ({ title: '', body: [] });
/** @type {AbortController | null} */
let current = null;
/** @type {(page: Promise<Page>, visit: Visit) => void} */
let show = () => {};

/** @param {string} pattern such as `/match/{id}` @param {() => Promise<Maker>} load */
export function route(pattern, load) {
  routes.push({ pattern: pattern.split('/').filter(Boolean), load });
}

/** The address of a page, for links. @param {string} path */
export function href(path) {
  return base + path;
}

/** The address of a page for other people. @param {string} path */
export function share(path) {
  return location.origin + href(path);
}

/** @param {string} path @param {boolean} [replace] */
export function go(path, replace = false) {
  history[replace ? 'replaceState' : 'pushState'](null, '', href(path));
  visit();
}

/** The current path, with its query. */
export function here() {
  return hashed ? location.hash.slice(1) || '/' : location.pathname + location.search;
}

/** @param {string[]} pattern @param {string[]} parts @returns {Record<string, string> | null} */
function match(pattern, parts) {
  if (pattern.length !== parts.length) return null;
  /** @type {Record<string, string>} */
  const params = {};
  for (const [i, part] of pattern.entries()) {
    if (part.startsWith('{')) params[part.slice(1, -1)] = decodeURIComponent(parts[i]);
    else if (part !== parts[i]) return null;
  }
  return params;
}

function find() {
  const url = new URL(here(), 'http://page');
  const parts = url.pathname.split('/').filter(Boolean);
  const found = routes.find(({ pattern }) => match(pattern, parts));
  const params = (found && match(found.pattern, parts)) ?? {};
  const texts = () => (parts.length ? whole() : ready);
  const load = found && (async () => (await Promise.all([found.load(), texts()]))[0]);
  return { load, place: { path: url.pathname, parts, query: url.searchParams, params } };
}

/** Preloads the files of the current page. */
export function prepare() {
  find()
    .load?.()
    .catch(() => {}); // it fails again when it is shown
}

/** Shows the current page. */
export function visit() {
  current?.abort();
  current = new AbortController();
  const { load, place } = find();
  const now = { ...place, signal: current.signal };
  show(load ? load().then((make) => make(now)) : Promise.resolve(nowhere(now)), now);
}

/** @param {typeof show} shower @param {Maker} none for unknown addresses */
export function start(shower, none) {
  show = shower;
  nowhere = none;
  addEventListener('popstate', visit);
  document.addEventListener('click', (event) => {
    const link = /** @type {Element} */ (event.target).closest?.('a[href]');
    const plain = !event.defaultPrevented && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (!(link instanceof HTMLAnchorElement) || !plain || link.target || link.dataset.plain !== undefined) return;
    const to = link.getAttribute('href') ?? '';
    if (to === '#main') {
      event.preventDefault();
      document.getElementById('main')?.focus();
    } else if (to.startsWith(`${base}/`)) {
      event.preventDefault();
      go(to.slice(base.length));
    }
  });
  visit();
}
