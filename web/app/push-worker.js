/** Shows the service's push messages in this browser, even without an open page, and opens the page of each. A service
 * worker: the browser starts it for a message. It requests and stores nothing. */

/**
 * A push message; its path is a page's.
 * @typedef {{ title: string, body: string, path: string, tag: string, language: string, deadline?: string }} Message
 * @typedef {{ url: string, visibilityState: string, focus: () => Promise<unknown> }} OpenPage
 * @typedef {{
 *   registration: ServiceWorkerRegistration,
 *   clients: {
 *     matchAll: (which: { type: 'window', includeUncontrolled: boolean }) => Promise<OpenPage[]>,
 *     openWindow: (address: string) => Promise<unknown>,
 *   },
 * }} Scope
 * @typedef {Event & { waitUntil: (work: Promise<unknown>) => void }} Waiting
 * @typedef {Waiting & { data: { json: () => Message } | null }} Pushed
 * @typedef {Waiting & { notification: Notification }} Clicked
 */

const scope = /** @type {Scope} */ (/** @type {unknown} */ (globalThis));
/** Prefix of page addresses. */
const pages = new URLSearchParams(location.search).get('pages') ?? '';

/** The address of a page. Never one of another server, even if a message asks for it. @param {string} path */
function address(path) {
  const found = new URL(pages + path, location.origin);
  return found.origin === location.origin ? found.href : location.origin;
}

function openPages() {
  return scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
}

/** @param {Message} message */
async function tell({ title, body, path, tag, language, deadline }) {
  const place = address(path);
  // A visible page needs no notification.
  const seen = (await openPages()).some((page) => page.url === place && page.visibilityState === 'visible');
  if (seen) return;
  const until = deadline && new Date(deadline).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
  const text = until ? `${body}\n→ ${until}` : body;
  const icon = new URL('icon.svg', location.href).href;
  const how = { body: text, tag, renotify: true, lang: language, icon, data: { path } };
  await scope.registration.showNotification(title, how);
}

/** @param {string} path */
async function show(path) {
  const place = address(path);
  const page = (await openPages()).find(({ url }) => url === place);
  await (page ? page.focus() : scope.clients.openWindow(place));
}

globalThis.addEventListener('push', (event) => {
  const pushed = /** @type {Pushed} */ (event);
  if (pushed.data) pushed.waitUntil(tell(pushed.data.json()));
});

globalThis.addEventListener('notificationclick', (event) => {
  const clicked = /** @type {Clicked} */ (event);
  clicked.notification.close();
  clicked.waitUntil(show(clicked.notification.data.path));
});
