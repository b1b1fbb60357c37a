/**
 * Who tries requests: an account that is made for that, or whose token is given, for this tab alone, so that two tabs
 * can be two players. The tokens are in the tab's own storage, and end with it. No password is asked for here.
 */

import { fill, h } from '../app/dom.js';
import { SERVER } from './contract.js';

/**
 * What is kept; a token that was given can't be renewed.
 * @typedef {{
 *   access_token: string,
 *   username: string,
 *   refresh_token?: string,
 *   expires_at?: number,
 *   session_id?: string,
 * }} Kept
 */

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

/** @param {Kept | null} next null to forget */
function store(next) {
  if (next) sessionStorage.setItem(NAME, JSON.stringify(next));
  else sessionStorage.removeItem(NAME);
  for (const listener of listeners) listener();
}

/** @param {any} tokens what registering and refreshing answer */
function keep(tokens) {
  const { access_token, refresh_token, session_id } = tokens;
  const expires_at = Date.now() + 1000 * tokens.expires_in_s;
  store({ access_token, refresh_token, session_id, expires_at, username: tokens.account.username });
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
  if (answer.ok) return read;
  const details = [read.detail, ...read.errors.map((/** @type {any} */ one) => one.detail)];
  throw Object.assign(new Error(details.join(' ')), { status: answer.status });
}

/** @type {Promise<string> | null} */
let renewing = null;

/** A token that is good for a while yet; empty if nobody is signed in. */
export async function token() {
  const { access_token = '', refresh_token, expires_at = 0 } = kept() ?? {};
  if (!refresh_token || expires_at > Date.now() + 30_000) return access_token;
  renewing ??= send('/v1/sessions/refresh', { refresh_token })
    .then((tokens) => {
      keep(tokens);
      return tokens.access_token;
    })
    .catch((failure) => {
      // A server that can't be reached just now has ended nothing.
      if (failure.status !== 401) return access_token;
      store(null);
      return '';
    })
    .finally(() => {
      renewing = null;
    });
  return renewing;
}

async function signOut() {
  const session = kept();
  store(null);
  if (!session?.session_id) return;
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

/** Whose token it is, if it may tell. @param {string} given */
async function ownerOf(given) {
  const headers = { Authorization: `Bearer ${given}` };
  const answer = await fetch(`${SERVER}/v1/account`, { credentials: 'omit', headers });
  const read = await answer.json();
  if (answer.status === 403) return 'the owner of the token';
  if (!answer.ok) throw new Error(read.detail);
  return /** @type {string} */ (read.username);
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
  /** @param {() => Promise<void>} work */
  const enter = async (work) => {
    try {
      await work();
    } catch (error) {
      refusal.className = 'refusal';
      refusal.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    const data = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const given = String(data.get('token')).trim();
    void enter(async () => store({ access_token: given, username: await ownerOf(given) }));
  };
  return h(
    'details',
    { class: 'fold' },
    h('summary', {}, 'Say who tries requests'),
    h(
      'form',
      { class: 'line', on: { submit } },
      entry('token', 'A token of yours', { type: 'password', autocomplete: 'off' }),
      h('button', { class: 'primary' }, 'Use it'),
    ),
    h(
      'p',
      { class: 'buttons' },
      h(
        'button',
        { type: 'button', on: { click: () => enter(async () => keep(await send('/v1/accounts', stranger()))) } },
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
