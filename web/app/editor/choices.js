/** Rules chosen from a few pictures, and weapons with their counts. */

import { drawPattern } from '../board/plans.js';
import { thumbnail } from '../board/thumbnail.js';
import { h, svg } from '../dom.js';
import { word } from '../format.js';
import { t } from '../i18n/index.js';
import { drawMark, reticle } from '../kit/marks.js';
import { grid, same } from './draft.js';

/**
 * @typedef {import('./draft.js').Draft} Draft
 * @typedef {{ id: string, text: string, picture?: Node, patch: Record<string, any> }} Option
 * @typedef {{ key: string, options: Option[] }} Group
 */

const KINDS = [{ class: 'a', look: 'destroyer', length: 2, title: '', orientations: [] }];

/** @param {string[][]} ships @param {[number, number, SVGElement | SVGElement[]][]} [marks] */
function tiny(ships, marks = []) {
  const lying = ships.map((cells, i) => ({ id: String(i), class: 'a', cells }));
  const picture = thumbnail(grid(3, 4), { marks: [], ships: lying, classes: /** @type {any} */ (KINDS) }, '');
  for (const [row, column, mark] of marks)
    picture.append(svg('g', { transform: `translate(${column * 40} ${row * 40})` }, mark));
  return picture;
}

/** @type {Record<string, () => Node>} by choice */
const PICTURES = {
  'contact.allowed': () => tiny([['A2', 'A3'], ['B2', 'B3']]), // prettier-ignore
  'contact.corners': () => tiny([['A1', 'A2'], ['B3', 'C3']]), // prettier-ignore
  'contact.forbidden': () => tiny([['A1', 'A2'], ['C3', 'C4']]), // prettier-ignore
  'salvo.one': () => tiny([], [[1, 1, reticle('1')]]),
  'salvo.three': () => tiny([], [[0, 2, reticle('1')], [1, 1, reticle('2')], [2, 3, reticle('3')]]), // prettier-ignore
  'salvo.per-ship': () => tiny([['A1', 'A2'], ['C1', 'C2']], [[0, 3, reticle('1')], [2, 3, reticle('2')]]), // prettier-ignore
  'salvo.until-miss': () =>
    tiny(
      [],
      [0, 1, 2].map((at) => [1, at, drawMark({ kind: at < 2 ? 'hit' : 'miss' })]),
    ),
};

/** @param {string} key @param {string} id @param {Record<string, any>} patch @returns {Option} */
function option(key, id, patch) {
  const answer = t(`bubble.${id}`);
  const bubble = key === 'report' && answer !== `bubble.${id}` && h('span', { class: 'bubble' }, answer);
  return { id, text: word(`rule.${key}`, id), picture: bubble || PICTURES[`${key}.${id}`]?.(), patch };
}

/** The options of a field with few values. @param {Draft} draft @param {string} key @returns {Group[]} */
function ofEnum(draft, key) {
  const values = /** @type {string[]} */ (draft.part(key)?.enum ?? []);
  if (values.length < 2) return [];
  return [{ key, options: values.map((value) => option(key, value, { [key]: value })) }];
}

/** Options for the number of shots per turn, and its end. @param {Draft} draft @returns {Group[]} */
function shots(draft) {
  const size = draft.part('salvo', 'size');
  if (!size) return [];
  const has = (/** @type {string} */ value, /** @type {string[]} */ ...path) =>
    draft.part(...path)?.enum?.includes(value);
  const turn = (/** @type {string} */ order) => has(order, 'turn') && { turn: order };
  const salvo = (/** @type {number} */ count, more = {}) => ({ salvo: { size: count, shrinks: 'no', ...more } });
  const options = [
    option('salvo', 'one', { ...salvo(1), ...turn('alternate') }),
    option('salvo', 'three', { ...salvo(3), ...turn('alternate') }),
    has('per-ship', 'salvo', 'shots') &&
      option('salvo', 'per-ship', { ...salvo(size.maximum, { shots: 'per-ship' }), ...turn('alternate') }),
    turn('while-hitting') && option('salvo', 'until-miss', { ...salvo(1), ...turn('while-hitting') }),
  ];
  return [{ key: 'salvo', options: options.filter((one) => !!one) }];
}

/** Choices by pictures: those drawn here, else every field with few values. @param {Draft} draft @returns {Group[]} */
export function choices(draft) {
  const drawn = [...ofEnum(draft, 'contact'), ...shots(draft), ...ofEnum(draft, 'report')];
  return drawn.length ? drawn : Object.keys(draft.schema.properties ?? {}).flatMap((key) => ofEnum(draft, key));
}

/** True if the rules have this value already. @param {Draft} draft @param {Option} one */
export const chosen = ({ rules }, { patch }) => Object.entries(patch).every(([key, value]) => same(rules[key], value));

/** The present weapons, and one of each effect that no weapon has. @param {Draft} draft */
export function weapons(draft) {
  const effects = /** @type {string[]} */ (draft.part('weapons', 'items', 'effect')?.enum ?? []);
  /** @type {Record<string, any>[]} */
  const usual = draft.base.weapons ?? [];
  const others = effects
    .filter((effect) => !draft.weapons.some((one) => one.effect === effect))
    .flatMap((effect) => {
      const cells = effect === 'line' ? { range: 10 } : effect !== 'distance' && { pattern: ['xxx', 'xxx', 'xxx'] };
      const made = draft.names && { weapon: effect, name: word('effect', effect), effect, ...cells };
      const weapon = usual.find((one) => one.effect === effect) ?? made;
      return weapon ? [{ ...weapon, uses: 0 }] : [];
    });
  return [...draft.weapons, ...others].map((weapon) => ({ weapon, picture: pattern(weapon) }));
}

/** @param {any} weapon */
function pattern({ effect, pattern: rows = effect === 'line' ? ['xxx'] : ['x'] }) {
  const [high, wide] = [rows.length, rows[0].length];
  const side = Math.max(3, high, wide) + 0.5;
  const cells = /** @type {string[]} */ (rows).flatMap((text, row) =>
    [...text].flatMap((sign, column) => (sign === 'x' ? [{ row, column }] : [])),
  );
  const box = [(wide - side) / 2, (high - side) / 2, side, side].map((each) => each * 40).join(' ');
  return svg(
    'svg',
    { class: 'pattern-picture', viewBox: box, 'aria-hidden': 'true' },
    drawPattern({ effect, cells: [] }, cells),
  );
}
