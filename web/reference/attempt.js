/** An editable request, shown as a shell command, and sent. */

import { fill, h } from '../app/dom.js';
import { SERVER } from './contract.js';
import { sample, typeWords } from './schema.js';
import { onSession, signedIn, token } from './session.js';

/** @typedef {import('./contract.js').Contract} Contract */
/** @typedef {import('./contract.js').Operation} Operation */
/** @typedef {{ method: string, url: string, headers: Record<string, string>, body: string, signed: boolean }} Request */

/** Response headers on display. */
const SHOWN = [
  'content-type',
  'etag',
  'link',
  'location',
  'retry-after',
  'ratelimit',
  'preference-applied',
  'x-request-id',
];

/** @param {Contract} contract @param {any} media @returns {[string, any][]} */
function examples(contract, media) {
  const named = Object.entries(media.examples ?? {});
  if (named.length) return named.map(([name, one]) => [one.summary ?? name, contract.resolve(one).value]);
  return [['', media.example ?? sample(contract, media.schema ?? {})]];
}

/** @param {Contract} contract @param {Operation} operation */
export function attempt(contract, operation) {
  const body = contract.resolve(operation.spec.requestBody ?? {});
  const media = body.content?.['application/json'];
  const given = media ? examples(contract, media) : [];
  const form = h('form', { class: 'try', novalidate: true });
  const rows = operation.parameters.map((one, index) => row(contract, operation, one, index));
  const area = h('textarea', { id: `${operation.id}-body`, spellcheck: 'false' });
  area.value = media ? JSON.stringify(given[0]?.[1], null, 2) : '';
  const snippet = h('pre', { tabindex: 0, 'aria-label': 'The request as code' });
  const result = h('div', { role: 'status' });
  const draw = () => {
    snippet.textContent = curl(requestOf(operation, form, area.value));
  };
  form.addEventListener('input', draw);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(operation, requestOf(operation, form, area.value), result);
  });
  onSession(draw);
  fill(
    form,
    h('h3', {}, 'Try it'),
    h('div', { class: 'grid' }, rows),
    media && h('label', { for: area.id }, 'Body'),
    given.length > 1 && choices(given, area, draw, operation),
    media && area,
    snippet,
    h('div', { class: 'buttons' }, h('button', { class: 'primary' }, `Send ${operation.method}`)),
    result,
  );
  draw();
  return form;
}

/** @param {Contract} contract @param {Operation} operation @param {any} one @param {number} index */
function row(contract, operation, one, index) {
  const id = `${operation.id}-${index}`;
  const known = one.example ?? one.schema?.example;
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id }, one.name, one.required ? ' *' : ''),
    h('input', {
      id,
      name: `${one.in} ${one.name}`,
      autocomplete: 'off',
      placeholder: known ?? typeWords(contract, one.schema),
    }),
  );
}

/** @param {[string, any][]} given @param {HTMLTextAreaElement} area @param {() => void} draw
 * @param {Operation} operation */
function choices(given, area, draw, operation) {
  const take = (/** @type {Event} */ event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    area.value = JSON.stringify(given[Number(value)]?.[1], null, 2);
    draw();
  };
  const options = given.map(([name], index) => h('option', { value: String(index) }, name));
  return h('select', { 'aria-label': `Examples of ${operation.summary}`, on: { change: take } }, options);
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** @param {Request} request */
function curl({ method, url, headers, body, signed }) {
  const lines = [`curl -s ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`];
  if (signed) lines.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body) lines.push(`-d ${quoted(body)}`);
  return lines.join(' \\\n  ');
}

/** @param {Operation} operation @param {HTMLFormElement} form @param {string} body @returns {Request} */
function requestOf(operation, form, body) {
  const given = [...new FormData(form)].map(([name, value]) => [name.split(' ', 2), String(value)]);
  const of = (/** @type {string} */ where) =>
    /** @type {[string, string][]} */ (
      given.filter(([name, value]) => name?.[0] === where && value).map(([name, value]) => [name?.[1], value])
    );
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (whole, name) => {
    const value = of('path').find(([one]) => one === name)?.[1];
    return value ? encodeURIComponent(value) : whole;
  });
  const query = new URLSearchParams(of('query')).toString();
  const text = body.trim();
  const headers = { ...(text && { 'Content-Type': 'application/json' }), ...Object.fromEntries(of('header')) };
  return {
    method: operation.method,
    url: SERVER + path + (query && `?${query}`),
    headers,
    body: text,
    signed: needsToken(operation) || signedIn(),
  };
}

/** @param {Operation} operation */
function needsToken(operation) {
  /** @type {any[]} */
  const ways = operation.spec.security ?? [];
  return ways.length > 0 && ways.every((way) => Object.keys(way).length > 0);
}

/** @param {Operation} operation @param {Request} request @param {HTMLElement} place */
async function send(operation, request, place) {
  const stop = new AbortController();
  fill(
    place,
    h(
      'p',
      { class: 'buttons' },
      'Waiting … ',
      h('button', { type: 'button', on: { click: () => stop.abort() } }, 'Stop'),
    ),
  );
  try {
    const mine = await token();
    const headers = { ...request.headers, ...(mine && { Authorization: `Bearer ${mine}` }) };
    const answer = await fetch(request.url, {
      method: request.method,
      headers,
      body: request.body || undefined,
      credentials: 'omit',
      cache: 'no-store',
      signal: stop.signal,
    });
    fill(place, ...answered(answer, await answer.text()));
  } catch (error) {
    const stopped = stop.signal.aborted;
    fill(place, h('p', { class: 'refusal' }, stopped ? 'Stopped.' : `${operation.method} could not be sent: ${error}`));
  }
}

/** @param {Response} answer @param {string} text */
function answered(answer, text) {
  const headers = SHOWN.filter((name) => answer.headers.has(name)).map(
    (name) => `${name}: ${answer.headers.get(name)}`,
  );
  let body = text;
  try {
    body = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // not JSON: unchanged
  }
  return [
    h('p', { class: 'status' }, `${answer.status} ${answer.statusText}`),
    h('pre', { tabindex: 0, 'aria-label': 'Headers of the answer' }, headers.join('\n')),
    body &&
      h(
        'pre',
        { tabindex: 0, 'aria-label': 'The answer' },
        body.length > 200_000 ? `${body.slice(0, 200_000)}\n…` : body,
      ),
  ];
}
