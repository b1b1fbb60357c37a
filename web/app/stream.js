/** Live events: the account's log, by a stream read with fetch (which can send a token). A browser opens six
 * connections to a server, so all tabs of an account share one stream: the tab with the lock reads it and passes events
 * on. When that tab is closed or left, another gets the lock and continues after the last event. Browsers have locks
 * only for pages from HTTPS or this machine; elsewhere each tab reads its own stream while visible. */

import { address, pause } from './api.js';
import { access, me, onSession } from './session.js';

/** @typedef {'off' | 'connecting' | 'live'} State */
/** @typedef {'connected' | Schema<'AccountEvent' | 'SnapshotEvent'>['type']} HeardType
 * @typedef {{ type: HeardType } & Omit<AnyOf<Schema<'AccountEvent'>>, 'type'>} Heard */

/** @type {Set<(event: Heard) => void>} */
const listeners = new Set();
/** @type {Set<(state: State) => void>} */
const watchers = new Set();
/** @type {AbortController | null} */
let running = null;
/** @type {State} */
let state = 'off';
/** @type {string | null} to continue from: an epoch and a number */
let cursor = null;
let epoch = '';
/** The account of the cursor. @type {string | null} */
let last = null;

const channel = new BroadcastChannel('broadside-stream');
/** The account whose stream this tab reads for all tabs. @type {string | null} */
let reading = null;

/** @param {State} now */
function become(now) {
  if (reading) channel.postMessage({ who: reading, state: now, of: epoch });
  if (now === state) return;
  state = now;
  for (const watcher of watchers) watcher(now);
}

/** @param {MessageEvent<{ who: string, event?: Parameters<typeof tell>[0], state?: State, asks?: boolean, of?: string }>} message */
channel.onmessage = ({ data: { who, event, state: now, asks, of } }) => {
  if (who !== me()?.id || (reading !== null && !asks)) return;
  epoch = of ?? epoch;
  if (event) tell(event);
  if (now) become(now);
  if (asks && reading === who) channel.postMessage({ who, state, of: epoch });
};

/** Calls back for every event until the signal, and with `connected` at each start of the stream.
 * @param {(event: Heard) => void} listener @param {AbortSignal} [signal] */
export function onEvent(listener, signal) {
  listeners.add(listener);
  signal?.addEventListener('abort', () => listeners.delete(listener));
}

/** @param {(state: State) => void} watcher */
export function onState(watcher) {
  watchers.add(watcher);
  watcher(state);
}

/** @param {string} block lines of one server-sent event */
function read(block) {
  let type = 'message';
  const data = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) type = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).trim());
  }
  return data.length ? { type, data: JSON.parse(data.join('\n')) } : null;
}

/** @param {{ type: string, data: AnyOf<Schema<'AccountEvent' | 'SnapshotEvent'>> }} event */
function tell({ type, data }) {
  epoch = data.epoch ?? epoch;
  if (typeof data.number === 'number') cursor = `${epoch}-${data.number}`;
  // Earlier events weren't in the stream: pages read again.
  const event = /** @type {Heard} */ (type === 'snapshot' ? { type: 'connected' } : data);
  for (const listener of listeners) listener(event);
}

/** Reads one connection to its end. @param {AbortSignal} signal */
async function follow(signal) {
  const answer = await fetch(address('/v1/events', { after: cursor }), {
    signal,
    credentials: 'omit',
    headers: { Accept: 'text/event-stream', Authorization: `Bearer ${await access()}` },
  });
  if (answer.status === 410) cursor = null; // away for too long, or the log is another one: begin with what is new
  if (!answer.ok || !answer.body) throw new Error(String(answer.status));
  become('live');
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value.replaceAll('\r', '');
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = read(text.slice(0, end));
      text = text.slice(end + 2);
      if (!event) continue;
      tell(event);
      if (reading) channel.postMessage({ who: reading, event, of: epoch });
    }
  }
}

/** @param {AbortSignal} signal */
async function run(signal) {
  for (let failures = 0; !signal.aborted && me(); ) {
    become('connecting');
    try {
      await follow(signal);
      failures = 0;
    } catch {
      failures = Math.min(failures + 1, 6);
    }
    await pause(failures ? 500 * 2 ** failures : 100, signal).catch(() => {});
  }
}

/** Reads the stream for all tabs of an account once no other tab does. @param {string} who
 * @param {AbortSignal} signal */
async function share(who, signal) {
  channel.postMessage({ who, asks: true });
  await navigator.locks.request(`broadside-stream ${who}`, { signal }, async () => {
    reading = who;
    try {
      await run(signal);
    } finally {
      if (reading === who) reading = null;
    }
  });
}

/** Follows the log of the signed-in account while the page is open. */
export function startStream() {
  /** @type {string | null} */
  let who = null;
  let away = false;
  const check = () => {
    const alone = !navigator.locks;
    const now = away || (alone && document.hidden) ? null : (me()?.id ?? null);
    if (now === who) return;
    who = now;
    running?.abort();
    reading = null;
    if (now !== last) cursor = null;
    last = now ?? last;
    become('off');
    if (!now) return;
    running = new AbortController();
    const { signal } = running;
    void (alone ? run(signal) : share(now, signal)).catch(() => {});
  };
  // A page cached for "back" must not keep a connection.
  addEventListener('pagehide', () => {
    away = true;
    check();
  });
  addEventListener('pageshow', ({ persisted }) => {
    away = false;
    check();
    // Events in between were missed, so pages read again.
    if (persisted) for (const listener of listeners) listener({ type: 'connected' });
  });
  document.addEventListener('visibilitychange', check);
  onSession(check);
  check();
}
