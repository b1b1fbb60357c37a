/**
 * Who tries requests: an account that is signed in here, for this tab alone, so that two tabs can be two players. The
 * tokens are in the tab's own storage, and end with it.
 */

import { fill, h } from '../app/dom.js';
import { SERVER } from './contract.js';

/** @typedef {{ access_token: string, refresh_token: string, expires_at: number, session_id: string, username: string }} Kept */

const NAME = 'broadside-reference';
/** @type {Set<() => void>} */
const listeners = new Set();

/** @returns {Kept | null} */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? 'null');
  } catch {
    return null;
  }
}

/** @param {any} tokens what signing in answers; null to forget */
function keep(tokens) {
  if (tokens) {
    const { access_token, refresh_token, session_id } = tokens;
    const expires_at = Date.now() + 1000 * tokens.expires_in_s;
    const username = tokens.account.username;
    sessionStorage.setItem(NAME, JSON.stringify({ access_token, refresh_token, session_id, expires_at, username }));
  } else {
    sessionStorage.removeItem(NAME);
  }
  for (const listener of listeners) listener();
}

/** Calls back when somebody has signed in or out. @param {() => void} listener */
export function onSession(listener) {
  listeners.add(listener);
}

export function signedIn() {
  return kept() !== null;
}

/** @param {string} path @param {any} body */
async function send(path, body) {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(SERVER + path, {
    method: 'POST',
    credentials: 'omit',
    headers,
    body: JSON.stringify(body),
  });
  const read = await answer.json();
  if (!answer.ok) throw new Error([read.detail, ...read.errors.map((/** @type {any} */ one) => one.detail)].join(' '));
  return read;
}

/** @type {Promise<string> | null} */
let renewing = null;

/** A token that is good for a while yet; empty if nobody is signed in. */
export async function token() {
  const { access_token = '', refresh_token = '', expires_at = 0 } = kept() ?? {};
  if (!access_token || expires_at > Date.now() + 30_000) return access_token;
  renewing ??= send('/v1/sessions/refresh', { refresh_token })
    .then((tokens) => {
      keep(tokens);
      return tokens.access_token;
    })
    .catch(() => {
      keep(null);
      return '';
    })
    .finally(() => {
      renewing = null;
    });
  return renewing;
}

async function signOut() {
  const session = kept();
  keep(null);
  if (!session) return;
  const headers = { Authorization: `Bearer ${session.access_token}` };
  await fetch(`${SERVER}/v1/sessions/${session.session_id}`, { method: 'DELETE', credentials: 'omit', headers });
}

/** A name and a password that nobody needs to remember: the account is for trying. */
function stranger() {
  const letters = [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => (byte % 36).toString(36)).join('');
  return { username: `try-${letters.slice(0, 8)}`, password: letters.slice(8) };
}

/** Shows who is signed in, or how to. @param {HTMLElement} place */
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
  /** @param {string} path @param {any} body */
  const enter = async (path, body) => {
    try {
      keep(await send(path, body));
    } catch (error) {
      refusal.className = 'refusal';
      refusal.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    const data = new FormData(/** @type {HTMLFormElement} */ (event.target));
    void enter('/v1/sessions', Object.fromEntries(data));
  };
  return h(
    'details',
    { class: 'fold' },
    h('summary', {}, 'Sign in to try requests'),
    h(
      'form',
      { class: 'line', on: { submit } },
      entry('username', 'Name', { autocomplete: 'username' }),
      entry('password', 'Password', { type: 'password', autocomplete: 'current-password' }),
      h('button', { class: 'primary' }, 'Sign in'),
    ),
    h(
      'p',
      { class: 'buttons' },
      h(
        'button',
        { type: 'button', on: { click: () => enter('/v1/accounts', stranger()) } },
        'Make an account for trying',
      ),
      h('small', {}, 'A new account with a name of chance. Nobody knows its password, and it ends with this tab.'),
    ),
    refusal,
  );
}

/** @param {string} name @param {string} title @param {Record<string, string>} attributes */
function entry(name, title, attributes) {
  return h(
    'div',
    {},
    h('label', { for: `door-${name}` }, title),
    h('input', { id: `door-${name}`, name, required: true, ...attributes }),
  );
}
