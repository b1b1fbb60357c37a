/** Conditions of standing orders: reports to wait for, found among past reports. */

import { t } from '../i18n/index.js';
import { fieldTitle, valueTitle } from './vocabulary.js';
import { readable, seatOf, titleOf } from './words.js';

/** A possible content of a report: at `path`, field `key` with `value`; without a field, the report's arrival.
 * @typedef {{ type: string, path: string[], key: string, value: any, cell: boolean }} Sign */

/** Fields about the next step, or the means. */
const ASIDE = ['next', 'weapon'];

/** @param {string} type @param {any} value @param {string[]} path @param {(sign: Sign) => void} found */
function walk(type, value, path, found) {
  for (const [key, one] of Object.entries(value)) {
    if (ASIDE.includes(key)) continue;
    if (typeof one === 'boolean') found({ type, path, key, value: one, cell: false });
    else if (key === 'answer' && typeof one === 'string') found({ type, path, key, value: one, cell: 'cell' in value });
    else if (Array.isArray(one) && one.length && typeof one[0] === 'object') {
      // Ships named as the effect of a shot.
      if (path.length && 'ship' in one[0]) found({ type, path, key, value: [{}], cell: false });
      else if (key !== 'ships' && key !== 'seas') for (const part of one) walk(type, part, [...path, key], found);
    }
  }
}

/** The contents of past reports, and the other values that the card allows in the same place, each once.
 * @param {Schema<'Report'>[]} reports @param {import('../titles.js').Card} card @returns {Sign[]} */
export function signs(reports, card) {
  /** @type {Map<string, Sign>} */
  const all = new Map();
  const put = (/** @type {Sign} */ sign) => all.set(JSON.stringify(sign), sign);
  const add = (/** @type {Sign} */ sign) => {
    put(sign);
    if (sign.key !== 'answer') return;
    const fields = card.report_types.find(({ report_type: type }) => type === sign.type)?.fields;
    for (const { value } of fields?.find(({ name }) => name === sign.key)?.values ?? []) put({ ...sign, value });
  };
  for (const report of reports) {
    if (!readable(report) || seatOf(report) < 0) continue;
    add({ type: report.type, path: [], key: '', value: null, cell: false });
    walk(report.type, report, [], add);
  }
  // Signs with an answer come first.
  return [...all.values()].sort((a, b) => Number(b.key === 'answer') - Number(a.key === 'answer'));
}

/** @param {Sign} sign @param {number} seat @param {string} cell @returns {Schema<'ReportPattern'>} */
export function patternOf({ type, path, key, value, cell: there }, seat, cell) {
  /** @type {Record<string, any>} */
  let inner = key ? { [key]: value, ...(there && cell && { cell }) } : {};
  for (const list of [...path].reverse()) inner = { [list]: [inner] };
  return { type, seat, ...inner };
}

/** @param {Sign} sign @param {import('../titles.js').Card} card */
export function signText({ type, key, value }, card) {
  const title = titleOf(type, card);
  if (!key) return title;
  const what = key === 'answer' ? valueTitle(card, key, value) : fieldTitle(card, key);
  return `${title}: ${value === false ? t('not-so', { what }) : what}`;
}
