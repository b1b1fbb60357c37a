/** Differences between a draft and its game, as sentences, each with the change that undoes it. */

import { word } from '../format.js';
import { t } from '../i18n/index.js';
import { same } from './draft.js';

/** @typedef {{ text: string, back: import('./draft.js').Rules }} Difference */

/** Lists of named things: key field and counted field. @type {Record<string, [string, string]>} */
const LISTS = { fleet: ['class', 'count'], weapons: ['weapon', 'uses'] };

/** A text of the catalogue, if present. @param {string} key @param {Record<string, any>} [given] */
function told(key, given) {
  const text = t(key, given);
  return text === key ? null : text;
}

/** @param {string} name @param {any} value @param {any} [other] for comparison @returns {string} */
function valueText(name, value, other) {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'boolean') return t(value ? 'rule-yes' : 'rule-no');
  if (Array.isArray(value)) return value.map((one) => valueText(name, one)).join(' ');
  if (typeof value !== 'object') return typeof value === 'string' ? word(`rule.${name}`, value) : String(value);
  const differ = Object.entries(value).filter(([key, one]) => !other || !same(one, other[key]));
  const inner = ([key, one] = ['', null]) => {
    const text = valueText(key, one);
    return told(`inner.${key}`, { count: one, value: text }) ?? `${word('rule', key)} ${text}`;
  };
  return differ.map(inner).join(', ') || '–';
}

/** @param {string} name @param {any} before @param {any} now */
function sentence(name, before, now) {
  if (name === 'board' && before.labels === now.labels)
    return t('differs-size', { now: size(now), before: size(before) });
  if (name === 'islands' && now?.cells.length) return t('differs-islands', { count: now.cells.length });
  const given = { what: word('rule', name), now: valueText(name, now, before), before: valueText(name, before, now) };
  return told(`differs.${name}.${now}`) ?? t('differs-value', given);
}

/** @param {{ rows: number, columns: number }} board */
const size = ({ rows, columns }) => `${rows} × ${columns}`;

/** Differences of a list, one per item. @param {import('./draft.js').Draft} draft @param {string} name
 * @returns {Difference[]} */
function ofList(draft, name) {
  /** @type {any[][]} */
  const [before, now] = [draft.base[name] ?? [], draft.rules[name] ?? []];
  const [id, amount] = LISTS[name];
  const ids = new Set([...before, ...now].map((one) => one[id]));
  return [...ids].flatMap((one) => {
    const [was, is] = [before, now].map((list) => list.find((each) => each[id] === one));
    if (same(was, is)) return [];
    const [first, count] = [was?.[amount] ?? 0, is?.[amount] ?? 0];
    const reshaped = was && is && !same({ ...was, [amount]: 0 }, { ...is, [amount]: 0 });
    const kinds = [!is && 'gone', !was && 'new', was && is && first !== count && 'count', reshaped && 'other'];
    const back = is ? now.flatMap((each) => (each !== is ? [each] : was ? [was] : [])) : [...now, was];
    const order = (/** @type {any} */ each) => before.findIndex((known) => known[id] === each[id]) >>> 0;
    const sorted = back.sort((a, b) => order(a) - order(b));
    const given = { name: draft.titleOf(is ?? was), count, before: first };
    const texts = kinds.filter(Boolean).map((kind) => t(`differs-${kind}`, given));
    return [{ text: texts.join(' '), back: { [name]: sorted } }];
  });
}

/** @param {import('./draft.js').Draft} draft @returns {Difference[]} */
export function differences(draft) {
  const { base, rules, changes } = draft;
  const other = (/** @type {string} */ name) => ({
    text: sentence(name, base[name], rules[name]),
    back: { [name]: base[name] },
  });
  return Object.keys(changes).flatMap((name) => (LISTS[name] ? ofList(draft, name) : [other(name)]));
}
