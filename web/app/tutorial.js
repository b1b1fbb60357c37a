/** The tutorial: five steps beside the boards of a normal match. It reads the marks of the target sea, and names no
 * game. */

import { announce, fill, h } from './dom.js';
import { t } from './i18n/index.js';

/** Storage key of the tutorial match, in this tab. */
const KEY = 'broadside-lesson';
const STEPS = 5;

/** Makes a match the tutorial. @param {string} match */
export function teach(match) {
  sessionStorage.setItem(KEY, match);
}

/** Labels of neighbouring cells, from the letters and numbers of a label. @param {string} cell
 * @param {Set<string>} known @returns {string[]} */
function beside(cell, known) {
  const [, letters = '', digits = ''] = /^([A-Z]+)(\d+)$/.exec(cell) ?? [];
  const letter = (/** @type {number} */ by) => String.fromCharCode(letters.charCodeAt(0) + by);
  const number = Number(digits);
  const all = [`${letter(-1)}${digits}`, `${letter(1)}${digits}`, `${letters}${number - 1}`, `${letters}${number + 1}`];
  return all.filter((one) => !known.has(one) && /^[A-Z][1-9]\d*$/.test(one));
}

/** The step of a view, and its cells. @param {Schema<'Match'>} view */
function stepOf(view) {
  const { seat } = view.viewer;
  if (view.result) return { step: STEPS, text: 'over', cells: [] };
  if (view.status === 'deploying') return { step: 1, text: 'place', cells: [] };
  const other = view.seas.find(({ owner }) => owner !== seat);
  const marks = other?.marks ?? [];
  const known = new Set(marks.map(({ cell }) => cell));
  const hits = marks.filter(({ kind }) => kind === 'hit');
  if (marks.some(({ kind }) => kind === 'sunk')) return { step: 5, text: 'sunk', cells: [] };
  if (hits.length > 1) return { step: 4, text: 'line', cells: [] };
  if (hits.length) return { step: 4, text: 'hit', cells: beside(hits[0].cell, known) };
  if (marks.length) return { step: 3, text: 'miss', cells: [] };
  return { step: 2, text: 'first', cells: [] };
}

/** The lesson of a match; null: not the tutorial. @param {string} match */
export function lesson(match) {
  if (sessionStorage.getItem(KEY) !== match) return null;
  const box = h('aside', { class: 'lesson', 'aria-label': t('lesson') });
  let said = '';
  const skip = () => {
    sessionStorage.removeItem(KEY);
    box.remove();
  };
  return {
    element: box,
    /** Shows the present step. Returns the cells to highlight. @param {Schema<'Match'>} view */
    update(view) {
      if (sessionStorage.getItem(KEY) !== match) return [];
      const { step, text, cells } = stepOf(view);
      if (text !== said) {
        said = text;
        const bars = Array.from({ length: STEPS }, (_, i) =>
          h('span', { class: i + 1 < step ? 'done' : i + 1 === step ? 'now' : null }),
        );
        fill(
          box,
          h('div', { class: 'steps', role: 'img', 'aria-label': t('lesson-step', { step, of: STEPS }) }, bars),
          h('p', {}, h('b', {}, t(`lesson-${text}`)), ' ', t(`lesson-${text}-more`)),
          h(
            'button',
            { type: 'button', class: 'quiet', on: { click: skip } },
            t(step === STEPS ? 'close' : 'skip-lesson'),
          ),
        );
        announce(`${t(`lesson-${text}`)} ${t(`lesson-${text}-more`)}`);
      }
      return cells;
    },
  };
}
