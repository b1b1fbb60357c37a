/** Keeps the pages for times without the server: a service worker. It keeps no personal responses; they are requested
 * again when the server is back. */

/** @typedef {Event & { waitUntil: (work: Promise<unknown>) => void }} Installing */
/** @typedef {Event & { request: Request, respondWith: (answer: Promise<Response>) => void }} Fetched */

const DOCUMENT = '/';
const shelf = () => caches.open('broadside-pages');
/** The version of an immutable file. @param {string} path */
const versionOf = (path) => /^\/app\/(~[^/]+)\//.exec(path)?.[1];
/** Public responses that can change. @param {string} path */
const isPublic = (path) => path.startsWith('/app/') || path === '/v1/variants' || path.startsWith('/v1/variants/');

/** @param {Request} request */
async function fresh(request) {
  const kept = await shelf();
  try {
    const answer = await fetch(request);
    if (answer.ok) await kept.put(request, answer.clone());
    return answer;
  } catch (failure) {
    const known = await kept.match(request);
    if (!known) throw failure;
    return known;
  }
}

/** A file of a version. Files of other versions are deleted, with the document that names them.
 * @param {Request} request @param {string} version */
async function fixed(request, version) {
  const kept = await shelf();
  const known = await kept.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (!answer.ok) return answer;
  const others = (await kept.keys()).filter(({ url }) => (versionOf(new URL(url).pathname) ?? version) !== version);
  await kept.put(request, answer.clone());
  if (others.length) await Promise.all([kept.add(DOCUMENT), ...others.map((other) => kept.delete(other))]);
  return answer;
}

/** @param {Request} request */
async function page(request) {
  try {
    return await fetch(request);
  } catch (failure) {
    const known = await (await shelf()).match(DOCUMENT);
    if (!known) throw failure;
    return known;
  }
}

globalThis.addEventListener('install', (event) => {
  /** @type {Installing} */ (event).waitUntil(shelf().then((kept) => kept.add(DOCUMENT)));
});

globalThis.addEventListener('fetch', (event) => {
  const fetched = /** @type {Fetched} */ (event);
  const { request } = fetched;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  const version = versionOf(pathname);
  if (request.mode === 'navigate') fetched.respondWith(page(request));
  else if (version) fetched.respondWith(fixed(request, version));
  else if (isPublic(pathname)) fetched.respondWith(fresh(request));
});
