/** An operation: parameters, responses, and a request to try. */

import { h } from '../app/dom.js';
import { markdown } from '../app/markdown.js';
import { attempt } from './attempt.js';
import { field, fields, later, typeWords } from './schema.js';

/** @typedef {import('./contract.js').Contract} Contract */
/** @typedef {import('./contract.js').Operation} Operation */

/** The row of an operation; its details are made when opened. @param {Contract} contract @param {Operation} operation
 * @param {boolean} [ours] a request to this service */
export function row(contract, operation, ours = true) {
  const details = h(
    'details',
    { class: `operation ${operation.spec.deprecated ? 'deprecated' : ''}`, id: operation.id },
    h(
      'summary',
      {},
      h('span', { class: `method ${operation.method.toLowerCase()}` }, operation.method),
      h('span', { class: 'what' }, operation.summary),
      h('code', {}, operation.path),
    ),
  );
  details.addEventListener('toggle', () => details.append(inside(contract, operation, ours)), { once: true });
  return details;
}

/** @param {Contract} contract @param {Operation} operation @param {boolean} ours */
function inside(contract, operation, ours) {
  const { spec } = operation;
  const body = contract.resolve(spec.requestBody ?? {});
  const media = body.content?.['application/json'];
  return h(
    'div',
    { class: 'inside' },
    spec.deprecated && h('p', { class: 'refusal' }, 'This operation is deprecated.'),
    spec.description && markdown(spec.description, 4),
    ours && h('p', {}, h('code', {}, operation.id), '. ', access(spec)),
    operation.parameters.length > 0 && h('h3', {}, 'Parameters'),
    operation.parameters.length > 0 &&
      h(
        'dl',
        { class: 'fields' },
        operation.parameters.map((one) =>
          field(contract, one.name, { ...one.schema, description: one.description }, !!one.required, one.in),
        ),
      ),
    media && h('h3', {}, ours ? 'Body' : 'What is sent'),
    media && fields(contract, media.schema ?? {}),
    media && !ours && samples(contract, media),
    h('h3', {}, 'Answers'),
    h(
      'dl',
      { class: 'fields' },
      Object.entries(spec.responses ?? {}).map(([status, one]) => answer(contract, spec, status, one)),
    ),
    ours && attempt(contract, operation),
  );
}

/** Access requirements. @param {any} spec */
function access(spec) {
  /** @type {any[]} */
  const ways = spec.security ?? [];
  const scopes = [...new Set(ways.flatMap((way) => Object.values(way).flat()))];
  const role = spec['x-required-role'];
  const open = ways.length === 0 || ways.some((way) => Object.keys(way).length === 0);
  const session = ways.some((way) => 'session' in way);
  const text =
    ways.length === 0
      ? 'It needs no token'
      : open
        ? 'It works with and without a token'
        : session
          ? 'It needs the token of a session; no personal one will do'
          : 'It needs a token';
  return h(
    'span',
    {},
    text,
    ways.some((way) => 'ticket' in way) && ', or a ticket for a stream',
    scopes.length > 0 && ['; a personal one with the scope ', ...scopes.map((scope) => h('code', {}, String(scope)))],
    role && ['; for the role ', h('code', {}, String(role))],
    '.',
  );
}

/** @param {Contract} contract @param {any} spec @param {string} status @param {any} given */
function answer(contract, spec, status, given) {
  const response = contract.resolve(given);
  /** @type {[string, any][]} */
  const contents = Object.entries(response.content ?? {});
  /** @type {string[]} */
  const codes = spec['x-problem-codes']?.[status] ?? [];
  const failed = Number(status) >= 400;
  return h(
    'div',
    {},
    h('dt', {}, h('code', {}, status), h('span', {}, response.description ?? '')),
    h(
      'dd',
      {},
      codes.length > 0 &&
        h(
          'ul',
          { class: 'codes' },
          codes.map((code) => h('li', {}, h('a', { href: `../problems/${code}` }, h('code', {}, code)))),
        ),
      !failed &&
        contents
          .map(([type, media]) => [
            later(`${type}: ${typeWords(contract, media.schema ?? {})}`, () => fields(contract, media.schema ?? {})),
            samples(contract, media),
          ])
          .flat(),
      next(contract, response),
    ),
  );
}

/** @param {Contract} contract @param {any} media */
function samples(contract, media) {
  const named = Object.entries(media.examples ?? {}).map(([name, one]) => {
    const { summary, value } = contract.resolve(one);
    return [one.summary ?? summary ?? name, value];
  });
  const all = named.length ? named : media.example === undefined ? [] : [['an example', media.example]];
  if (!all.length) return null;
  const shown = (/** @type {any} */ value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  return h(
    'div',
    {},
    all.map(([name, value]) => later(String(name), () => h('pre', { tabindex: 0 }, shown(value)))),
  );
}

/** Links to further requests. @param {Contract} contract @param {any} response */
function next(contract, response) {
  const links = Object.values(response.links ?? {}).map((one) => contract.resolve(one));
  const known = links.filter((link) => link.operationId);
  if (!known.length) return null;
  return h(
    'p',
    {},
    'What next: ',
    known.flatMap((link, index) => [index ? ', ' : '', h('a', { href: `#${link.operationId}` }, link.operationId)]),
  );
}
