/** Times, durations and names in words. */

import { h } from './dom.js';
import { language, t } from './i18n/index.js';

/** @param {string} time RFC 3339 */
export function moment(time) {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));
}

/** @param {number} s seconds @returns {string} the two largest units, such as `2 d 4 h` */
export function span(s) {
  const whole = Math.max(0, Math.floor(s));
  const parts = [
    [Math.floor(whole / 86_400), t('unit-day')],
    [Math.floor(whole / 3600) % 24, t('unit-hour')],
    [Math.floor(whole / 60) % 60, t('unit-minute')],
    [whole % 60, t('unit-second')],
  ];
  const first = parts.findIndex(([count]) => Number(count) > 0);
  if (first < 0) return `0 ${t('unit-second')}`;
  const shown = parts.slice(first, first + 2).filter(([count]) => Number(count) > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** Fractions with a character of their own. */
const PARTS = [
  [1 / 6, '⅙'],
  [1 / 5, '⅕'],
  [1 / 4, '¼'],
  [1 / 3, '⅓'],
  [2 / 5, '⅖'],
  [1 / 2, '½'],
  [3 / 5, '⅗'],
  [2 / 3, '⅔'],
  [3 / 4, '¾'],
  [4 / 5, '⅘'],
  [5 / 6, '⅚'],
];

const decimals = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });

/** Points in the usual notation: `1⅓`, `½`, `2`. @param {number | null | undefined} points null: none yet */
export function score(points) {
  if (points === null || points === undefined) return '–';
  const whole = Math.floor(points + 0.001);
  const part = PARTS.find(([size]) => Math.abs(points - whole - Number(size)) < 0.001)?.[1];
  if (part) return `${whole || ''}${part}`;
  return decimals.format(points);
}

/** An id of the contract as words: `end-of-day` gives `End of day`. @param {string} id */
export function words(id) {
  const plain = id.replaceAll(/[-_]/g, ' ');
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** A word of the contract in the reader's language if known, else the id as words. @param {string} group
 * @param {string} id */
export function word(group, id) {
  const key = `${group}.${id}`;
  const found = t(key);
  return found === key ? words(id) : found;
}

/** @param {Schema<'Clock'>} clock */
export function clockText(clock) {
  if (clock.kind === 'per-move') return t('clock-move', { time: span(clock.move_s) });
  if (clock.kind === 'bank') return t('clock-bank', { time: span(clock.initial_s), more: span(clock.increment_s) });
  return t('clock-none');
}

/** Time until a deadline, counted down while visible. @param {string | null | undefined} deadline
 * @param {AbortSignal} signal */
export function countdown(deadline, signal) {
  if (!deadline) return h('span', { class: 'time' }, '–');
  const end = new Date(deadline).getTime();
  const element = h('time', { class: 'time', datetime: deadline, title: moment(deadline) });
  const tick = () => {
    const left = (end - Date.now()) / 1000;
    element.textContent = left > 0 ? span(left) : t('time-over');
    element.classList.toggle('short', left < 300);
  };
  tick();
  const timer = setInterval(tick, 1000);
  signal.addEventListener('abort', () => clearInterval(timer));
  return element;
}
