/** Sign-in by OAuth 2.1 (authorization code with PKCE) on the service's own pages: no password is typed here. Pages
 * from the service itself get a session. On another server they are an app like any other: it needs consent, and can do
 * only what its scopes allow. */

import { API } from './config.js';
import { language, t } from './i18n/index.js';
import { Problem, Unreachable } from './problem.js';
import { href, share } from './router.js';

/**
 * @typedef {{ access_token: string, refresh_token: string, expires_in_s: number, scope?: string }} Tokens
 * @typedef {{ issuer: string, authorization_endpoint: string, token_endpoint: string, revocation_endpoint: string,
 *   end_session_endpoint: string, account_management_uri: string }} Server
 * @typedef {{ state: string, verifier: string, issuer: string, then: string }} Begun
 */

/** The scopes of an app: everything that these pages do and an app may do. */
const SCOPE = 'account:read account:write lobby:read lobby:write matches:read matches:play';
// On another server they don't use that server's name: it could look like the service's, and would be refused.
const CLIENT = API ? 'web-pages' : 'broadside-web';
/** Redirect address. */
const BACK = '/sign-in/back';
const REDIRECT = share(BACK).split('#')[0] ?? '';
const BEGUN = 'broadside-begun';
/** The most sign-ins in progress in a tab: a visitor can go back and begin again. */
const MOST_BEGUN = 5;

// Taken from the address and the tab's history before anything else: it opens the session.
let answer = taken();

function taken() {
  const given = new URLSearchParams(location.search);
  if (location.origin + location.pathname !== REDIRECT || !given.has('state')) return null;
  history.replaceState(null, '', href(BACK));
  return given;
}

/** @param {string} detail @param {string} [code] */
const refused = (detail, code) => new Problem(0, { detail, code: /** @type {any} */ (code) });

/** A request without cookies. @param {string} address @param {RequestInit} [how] */
async function ask(address, how) {
  try {
    return await fetch(address, { credentials: 'omit', headers: { 'Accept-Language': language }, ...how });
  } catch (failure) {
    throw new Unreachable(String(failure));
  }
}

/** @type {Promise<Server> | null} */
let found = null;

/** The service's metadata (RFC 8414). @returns {Promise<Server>} */
export function server() {
  found ??= discover().catch((failure) => {
    found = null;
    throw failure;
  });
  return found;
}

async function discover() {
  const said = await ask(`${API}/.well-known/oauth-authorization-server`);
  const body = await said.json().catch(() => null);
  if (!said.ok) throw new Problem(said.status, body);
  if (API && body.issuer !== API) throw refused(t('other-issuer', { issuer: body.issuer, address: API }));
  return body;
}

/** An endpoint of these pages' origin: the service can have another name in its metadata (127.0.0.1 or localhost).
 * @param {string} endpoint */
const at = (endpoint) => (API ? endpoint : new URL(endpoint).pathname);

/** @param {ArrayBuffer | Uint8Array<ArrayBuffer>} bytes */
function encoded(bytes) {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** 256 random bits. */
const random = () => encoded(crypto.getRandomValues(new Uint8Array(32)));

/** @returns {Begun[]} */
function begun() {
  try {
    return JSON.parse(sessionStorage.getItem(BEGUN) ?? '[]');
  } catch {
    return [];
  }
}

/** Sends the browser to the service, to sign in or register, and then back to one of these pages. @param {string} then
 * @param {boolean} create */
export async function begin(then, create) {
  const { issuer, authorization_endpoint } = await server();
  if (!crypto.subtle) throw refused(t('not-secure', { address: issuer }));
  const [verifier, state] = [random(), random()];
  const challenge = encoded(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)));
  const kept = [...begun(), { state, verifier, issuer, then }].slice(-MOST_BEGUN);
  sessionStorage.setItem(BEGUN, JSON.stringify(kept));
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT,
    redirect_uri: REDIRECT,
    ...(API && { scope: SCOPE }),
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(create && { prompt: 'create' }),
  });
  location.assign(`${at(authorization_endpoint)}?${query}`);
}

/** @param {Record<string, string>} fields @returns {Promise<Tokens>} */
async function exchange(fields) {
  const { token_endpoint } = await server();
  const body = new URLSearchParams({ client_id: CLIENT, ...fields });
  const said = await ask(at(token_endpoint), { method: 'POST', body });
  const got = await said.json().catch(() => null);
  if (!said.ok) throw got?.error ? refused(t('sign-in-failed'), got.error) : new Problem(said.status, got);
  const { access_token, refresh_token, expires_in, scope } = got;
  return { access_token, refresh_token, expires_in_s: expires_in, ...(scope && { scope }) };
}

/** The service's answer to a sign-in begun in this tab: the tokens and the next page. Null: no answer. An answer is
 * used once, whatever the result. @returns {Promise<{ tokens: Tokens, then: string } | null>} */
export async function finish() {
  const given = answer;
  answer = null;
  if (!given) return null;
  const own = begun().find(({ state }) => state === given.get('state'));
  // A forged answer could sign this browser in to the attacker's account.
  if (!own || own.issuer !== given.get('iss')) throw refused(t('sign-in-lost'));
  sessionStorage.removeItem(BEGUN);
  if (given.get('error') === 'access_denied') throw refused(t('sign-in-refused'));
  const code = given.get('code');
  if (!code) throw refused(t('sign-in-failed'));
  const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: own.verifier };
  return { tokens: await exchange(fields), then: own.then };
}

/** @param {string} token */
export function refresh(token) {
  return exchange({ grant_type: 'refresh_token', refresh_token: token });
}

/** Ends the session or grant of a refresh token. @param {string} token */
export async function revoke(token) {
  const { revocation_endpoint } = await server();
  await ask(at(revocation_endpoint), { method: 'POST', body: new URLSearchParams({ client_id: CLIENT, token }) });
}

/** Signs out on the service's own pages as well, or the browser's next visitor could continue this session. From
 * another server only the service's page can do so: the browser goes there, and the result is true. */
export async function leave() {
  const { end_session_endpoint } = await server();
  if (API) {
    location.assign(`${end_session_endpoint}?${new URLSearchParams({ post_logout_redirect_uri: REDIRECT })}`);
    return true;
  }
  const body = new URLSearchParams();
  await fetch(at(end_session_endpoint), { method: 'POST', credentials: 'same-origin', redirect: 'manual', body });
  return false;
}
