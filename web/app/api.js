/** The API: requests, problems, tokens. */

import { API } from './config.js';
import { language } from './i18n/index.js';
import { Problem, Unreachable } from './problem.js';
import { access, forget, renew } from './session.js';

export { Problem, Unreachable };

/** @typedef {{ query?: Record<string, any>, body?: any, signal?: AbortSignal, headers?: Record<string, string>
 * }} Options */

/** @param {string} path @param {Record<string, any>} [query] */
export function address(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return API + path + (text && `?${text}`);
}

/** @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>} */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('left', 'AbortError'));
    });
  });
}

/** One request, with the current access token. @param {string} method @param {string} path @param {Options} options */
async function request(method, path, { query, body, signal, headers = {} }) {
  const token = await access();
  return fetch(address(path, query), {
    method,
    signal,
    credentials: 'omit',
    headers: {
      'Accept-Language': language,
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

/** Retries when the server can't be reached; throws a problem for a failure. @param {string} method
 * @param {string} path @param {Options} [options] */
export async function send(method, path, options = {}) {
  // One key for all attempts: the service acts once.
  const headers = { ...(method === 'POST' && { 'Idempotency-Key': key() }), ...options.headers };
  for (let attempt = 0; ; attempt++) {
    let answer;
    try {
      answer = await request(method, path, { ...options, headers });
    } catch (failure) {
      if (options.signal?.aborted) throw failure;
      if (attempt >= 4) throw new Unreachable(String(failure));
      await pause(500 * 2 ** attempt, options.signal);
      continue;
    }
    if (answer.ok || answer.status === 304) return answer;
    const wait = Number(answer.headers.get('Retry-After') ?? NaN);
    const problem = new Problem(answer.status, await answer.json().catch(() => null), wait || 0);
    if (answer.status === 401 && attempt === 0 && (await renew())) continue;
    if (answer.status === 401 && problem.code.startsWith('token-')) await forget();
    if (attempt < 4 && (answer.status === 503 || answer.status === 429) && wait <= 5) {
      await pause(1000 * wait, options.signal);
      continue;
    }
    throw problem;
  }
}

/** @param {string} method @param {string} path @param {Options} [options] @returns {Promise<any>} */
async function json(method, path, options) {
  const answer = await send(method, path, options);
  return answer.status === 204 ? null : answer.json();
}

/** An idempotency key. */
export function key() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export const api = {
  /** @template {string} P @param {PathOf<'get', P>} path @param {QueryOf<'get', P>} [query]
   * @param {AbortSignal} [signal] @returns {Promise<Answer<'get', P>>} */
  get: (path, query, signal) => json('GET', path, { query, signal }),
  /** @template {string} P @param {PathOf<'post', P>} path @param {BodyOf<'post', P>} [body]
   * @returns {Promise<Answer<'post', P>>} */
  post: (path, body) => json('POST', path, { body: body ?? {} }),
  /** @template {string} P @param {PathOf<'put', P>} path @param {BodyOf<'put', P>} [body]
   * @returns {Promise<Answer<'put', P>>} */
  put: (path, body) => json('PUT', path, { body }),
  /** @template {string} P @param {PathOf<'patch', P>} path @param {BodyOf<'patch', P>} body
   * @returns {Promise<Answer<'patch', P>>} */
  patch: (path, body) => json('PATCH', path, { body }),
  /** @template {string} P @param {PathOf<'delete', P>} path @param {BodyOf<'delete', P>} [body]
   * @returns {Promise<Answer<'delete', P>>} */
  delete: (path, body) => json('DELETE', path, { body }),
};

/** @type {Map<string, Promise<any>>} */
const kept = new Map();

/** Cached for data that never changes while the page is open: cards and boards. @template {string} P
 * @param {PathOf<'get', P>} path @param {QueryOf<'get', P>} [query] @returns {Promise<Answer<'get', P>>} */
export function once(path, query) {
  const name = address(path, query);
  let found = kept.get(name);
  if (!found) {
    found = json('GET', path, { query });
    found.catch(() => kept.delete(name));
    kept.set(name, found);
  }
  return found;
}
