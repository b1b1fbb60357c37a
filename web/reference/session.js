/** The account for trying requests: a new one, or that of a given token, for this tab alone, so that two tabs can be
 * two players. Tokens are in the tab's storage, and end with it. No password is asked for. */

import { fill, h } from '../app/dom.js';
import { SERVER } from './contract.js';

/**
 * The stored session; a token given by the reader can't be renewed.
 * @typedef {{ access_token: string, username: string, refresh_token?: string, expires_at?: number, session_id?: string }} Kept
 */

const NAME = 'broadside-reference';
const CHANGED = 'broadside-session';

/** @returns {Kept | null} */
const kept = () => JSON.parse(sessionStorage.getItem(NAME) ?? 'null');

/** @param {Kept | null} next null to forget */
function store(next) {
  if (next) sessionStorage.setItem(NAME, JSON.stringify(next));
  else sessionStorage.removeItem(NAME);
  dispatchEvent(new Event(CHANGED));
}

/** @param {any} tokens from registering or refreshing */
function keep({ access_token, refresh_token, session_id, expires_in_s, account }) {
  const expires_at = Date.now() + 1000 * expires_in_s;
  store({ access_token, refresh_token, session_id, expires_at, username: account.username });
}

/** Calls back after each sign-in and sign-out. @param {() => void} listener */
export function onSession(listener) {
  addEventListener(CHANGED, listener);
}

export const signedIn = () => kept() !== null;

/** @param {string} path @param {string} token empty: none @param {any} [body] for POST; without it, GET */
async function ask(path, token, body) {
  const answer = await fetch(SERVER + path, {
    method: body ? 'POST' : 'GET',
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: body && JSON.stringify(body),
  });
  const read = await answer.json();
  if (answer.ok) return read;
  const details = [read.detail, ...read.errors.map((/** @type {any} */ one) => one.detail)];
  throw Object.assign(new Error(details.join(' ')), { status: answer.status });
}

/** @type {Promise<string> | null} */
let renewing = null;

/** A token valid for some time yet; empty: no session. */
export async function token() {
  const { access_token = '', refresh_token, expires_at = 0 } = kept() ?? {};
  if (!refresh_token || expires_at > Date.now() + 30_000) return access_token;
  renewing ??= ask('/v1/sessions/refresh', '', { refresh_token })
    .then(keep, (failure) => {
      // An unreachable server has ended nothing.
      if (failure.status === 401) store(null);
    })
    .then(() => kept()?.access_token ?? '')
    .finally(() => (renewing = null));
  return renewing;
}

async function signOut() {
  const session = kept();
  store(null);
  if (!session?.session_id) return;
  const headers = { Authorization: `Bearer ${session.access_token}` };
  await fetch(`${SERVER}/v1/sessions/${session.session_id}`, { method: 'DELETE', credentials: 'omit', headers });
}

/** A random name and password for a trial account. */
function stranger() {
  const letters = [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => (byte % 36).toString(36)).join('');
  return { username: `try-${letters.slice(0, 8)}`, password: letters.slice(8) };
}

/** The owner of a token, if it can be read. @param {string} given @returns {Promise<string>} */
function ownerOf(given) {
  return ask('/v1/account', given).then(
    ({ username }) => username,
    (failure) => (failure.status === 403 ? 'the owner of the token' : Promise.reject(failure)),
  );
}

/** Shows the session, or the ways to sign in. @param {HTMLElement} place */
export function show(place) {
  const draw = () => fill(place, signedIn() ? signedInAs(kept()?.username ?? '') : door());
  onSession(draw);
  draw();
}

/** @param {string} username */
function signedInAs(username) {
  return h(
    'p',
    { class: 'buttons' },
    h('span', {}, 'Requests are sent as ', h('strong', {}, username), ', from this tab.'),
    h('button', { type: 'button', on: { click: signOut } }, 'Sign out'),
  );
}

function door() {
  const refusal = h('p', { role: 'alert' });
  /** @param {Promise<void>} work */
  const enter = (work) =>
    work.catch((error) => {
      refusal.className = 'refusal';
      refusal.textContent = error.message;
    });
  const field = h('input', { id: 'door', name: 'token', required: true, type: 'password', autocomplete: 'off' });
  const use = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const given = field.value.trim();
    void enter(ownerOf(given).then((username) => store({ access_token: given, username })));
  };
  const make = () => enter(ask('/v1/accounts', '', stranger()).then(keep));
  return h(
    'details',
    { class: 'fold' },
    h('summary', {}, 'Say who tries requests'),
    h(
      'form',
      { class: 'line', on: { submit: use } },
      h('div', {}, h('label', { for: 'door' }, 'A token of yours'), field),
      h('button', { class: 'primary' }, 'Use it'),
    ),
    h(
      'p',
      { class: 'buttons' },
      h('button', { type: 'button', on: { click: make } }, 'Make an account for trying'),
      h('small', {}, 'A new account with a name of chance. Nobody knows its password, and it ends with this tab.'),
    ),
    refusal,
  );
}
