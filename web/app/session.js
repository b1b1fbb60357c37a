/** The session. Tokens are stored in IndexedDB, encrypted with a non-extractable key of this browser, so never in the
 * clear. Browsers offer such keys only to pages from HTTPS or this machine; elsewhere tokens are stored in the tab and
 * end with it. There only guests have any. */

import { API } from './config.js';
import { Problem } from './problem.js';

/**
 * The stored session, or with a scope, app. Sessions opened by OAuth have no known id.
 * @typedef {{ access_token: string, refresh_token: string, session_id?: string, scope?: string,
 *   account: Schema<'Account'> | null }} Opened
 * @typedef {Opened & { expires_at: number }} Kept
 */

const NAME = 'broadside';
const sealed = !!globalThis.crypto?.subtle && !!globalThis.indexedDB;
const channel = new BroadcastChannel(NAME);
/** @type {Kept | null} */
let session = null;
/** @type {Set<() => void>} */
const listeners = new Set();

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @param {IDBTransactionMode} mode */
async function store(mode) {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('session');
  return (await done(opening)).transaction('session', mode).objectStore('session');
}

/** @returns {Promise<CryptoKey>} */
async function ownKey() {
  const found = await done((await store('readonly')).get('key'));
  if (found) return found;
  const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  await done((await store('readwrite')).put(made, 'key'));
  return made;
}

/** @returns {Promise<Kept | null>} */
async function read() {
  try {
    if (!sealed) return JSON.parse(sessionStorage.getItem(NAME) ?? 'null');
    const box = await done((await store('readonly')).get('tokens'));
    if (!box) return null;
    const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: box.iv }, await ownKey(), box.data);
    return JSON.parse(new TextDecoder().decode(plain));
  } catch {
    return null; // a store that can't be read is as good as empty: sign in again
  }
}

/** @param {Kept | null} kept */
async function write(kept) {
  const text = JSON.stringify(kept);
  if (!sealed) {
    sessionStorage.setItem(NAME, text);
  } else if (kept) {
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await ownKey(), new TextEncoder().encode(text));
    await done((await store('readwrite')).put({ iv, data }, 'tokens'));
  } else {
    await done((await store('readwrite')).delete('tokens'));
  }
}

function changed() {
  for (const listener of listeners) listener();
}

/** @param {MessageEvent<{ before?: string, next?: Kept | null }>} message */
channel.onmessage = async ({ data }) => {
  session = await read();
  // Where each tab has its own store, a duplicated tab takes over the new tokens of the shared session.
  if (!sealed && session && data.next && session.refresh_token === data.before) {
    session = data.next;
    await write(session);
  }
  changed();
};

/** Calls back after each sign-in or sign-out, here or in another tab. @param {() => void} listener */
export function onSession(listener) {
  listeners.add(listener);
}

/** Reads the session stored by an earlier visit. */
export async function restore() {
  session = await read();
}

/** The account of the session, or null. */
export function me() {
  return session?.account ?? null;
}

/** True if these pages are an app here, with fewer rights than the account's owner. */
export function isApp() {
  return !!session?.scope;
}

/** @param {Opened & { expires_in_s: number }} tokens from registering a guest or a refresh
 * @param {string} [before] the refresh token used for them */
export async function keep(tokens, before) {
  session = { ...tokens, expires_at: Date.now() + 1000 * tokens.expires_in_s };
  await write(session);
  channel.postMessage(sealed ? {} : { before, next: session });
  changed();
}

/** Signs in with tokens of the service. @param {import('./oauth.js').Tokens} tokens
 * @param {() => Promise<Schema<'Account'>>} read */
export async function enter(tokens, read) {
  session = { ...tokens, account: null, expires_at: Date.now() + 1000 * tokens.expires_in_s };
  try {
    await keep({ ...tokens, account: await read() });
  } catch (failure) {
    session = null;
    throw failure;
  }
}

/** Signs out here and at the service; if that can't be reached, only here. True: the browser goes to a page of the
 * service. */
export async function signOut() {
  const { session_id, refresh_token } = session ?? {};
  if (!refresh_token) return false;
  const { leave, revoke } = await import('./oauth.js');
  if (session_id) {
    const headers = { Authorization: `Bearer ${await access()}` };
    await fetch(`${API}/v1/sessions/${session_id}`, { method: 'DELETE', credentials: 'omit', headers }).catch(() => {});
  } else await revoke(session?.refresh_token ?? refresh_token).catch(() => {});
  await forget();
  return !session_id && (await leave().catch(() => false));
}

/** Forgets the session here, and ends this browser's push messages. */
export async function forget() {
  if (!session) return;
  session = null;
  await write(null);
  await import('./push.js').then(({ unsubscribe }) => unsubscribe()).catch(() => {});
  channel.postMessage({});
  changed();
}

/** A token valid for some time yet, or null. */
export async function access() {
  if (session && session.expires_at - Date.now() < 30_000) await renew();
  return session?.access_token ?? null;
}

/** @param {() => Promise<boolean>} work in one tab at a time, if the browser supports locks
 * @returns {Promise<boolean>} */
async function alone(work) {
  return navigator.locks ? await navigator.locks.request(NAME, work) : work();
}

/** @type {Promise<boolean> | null} */
let renewing = null;

/** Gets the next pair of tokens. False: no session (any more). */
export function renew() {
  renewing ??= alone(exchange).finally(() => {
    renewing = null;
  });
  return renewing;
}

async function exchange() {
  const before = session?.access_token;
  const kept = await read();
  session = kept;
  if (!kept) {
    changed();
    return false;
  }
  if (kept.access_token !== before && kept.expires_at > Date.now() + 30_000) return true; // another tab has
  if (kept.scope) return exchangeOfApp(kept);
  const answer = await fetch(`${API}/v1/sessions/refresh`, {
    method: 'POST',
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ refresh_token: kept.refresh_token }),
  }).catch(() => null);
  if (answer?.ok) {
    const next = await answer.json();
    await keep({ ...next, session_id: kept.session_id }, kept.refresh_token);
    return true;
  }
  if (answer?.status === 401) await forget();
  return false;
}

/** @param {Kept} before */
async function exchangeOfApp({ account, refresh_token }) {
  try {
    const { refresh } = await import('./oauth.js');
    await keep({ ...(await refresh(refresh_token)), account }, refresh_token);
    return true;
  } catch (failure) {
    if (failure instanceof Problem && failure.code === 'invalid_grant') await forget();
    return false;
  }
}
