/**
 * Who is signed in. The tokens are kept in IndexedDB, encrypted with a key that this browser made and gives to nobody, so
 * they are never stored in the clear. Browsers offer such keys only to pages that came over HTTPS or from this machine;
 * elsewhere the tokens are kept with the tab and end with it.
 */

import { API } from './config.js';

/** @typedef {{ access_token: string, refresh_token: string, expires_at: number, session_id: string, account: Schema<'Account'> }} Kept */

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

channel.onmessage = async () => {
  session = await read();
  changed();
};

/** Calls back whenever somebody signs in or out, here or in another tab. @param {() => void} listener */
export function onSession(listener) {
  listeners.add(listener);
}

/** Reads what an earlier visit has kept. */
export async function restore() {
  session = await read();
}

/** The account that is signed in, or null. */
export function me() {
  return session?.account ?? null;
}

/** The session's id, to end it. */
export function sessionId() {
  return session?.session_id ?? null;
}

/** @param {Answer<'post', '/v1/sessions'>} tokens what signing in or registering answers */
export async function keep(tokens) {
  session = { ...tokens, expires_at: Date.now() + 1000 * tokens.expires_in_s };
  await write(session);
  channel.postMessage('changed');
  changed();
}

/** Signs out here. */
export async function forget() {
  if (!session) return;
  session = null;
  await write(null);
  channel.postMessage('changed');
  changed();
}

/** A token that is good for a while yet, or null. */
export async function access() {
  if (session && session.expires_at - Date.now() < 30_000) await renew();
  return session?.access_token ?? null;
}

/** @param {() => Promise<boolean>} work one tab at a time, where the browser can see to it @returns {Promise<boolean>} */
async function alone(work) {
  return navigator.locks ? await navigator.locks.request(NAME, work) : work();
}

/** @type {Promise<boolean> | null} */
let renewing = null;

/** Gets the next pair of tokens. False when nobody is signed in (any more). */
export function renew() {
  renewing ??= alone(exchange).finally(() => {
    renewing = null;
  });
  return renewing;
}

async function exchange() {
  const before = session?.access_token;
  session = await read();
  if (!session) {
    changed();
    return false;
  }
  if (session.access_token !== before && session.expires_at > Date.now() + 30_000) return true; // another tab has
  const answer = await fetch(`${API}/v1/sessions/refresh`, {
    method: 'POST',
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ refresh_token: session.refresh_token }),
  }).catch(() => null);
  if (answer?.ok) {
    await keep(await answer.json());
    return true;
  }
  if (answer?.status === 401) await forget();
  return false;
}
