/** How marks are drawn. Each is a shape before it is a colour, so it can be told apart in grey. */

import { svg } from '../dom.js';

const HALF = 16;

/** @param {string} d @param {string} name */
const path = (d, name) => svg('path', { d, class: name });
/** @param {number} r @param {string} name */
const circle = (r, name) => svg('circle', { cx: HALF, cy: HALF, r, class: name });

/** The shapes of kinds of mark, in a square of 32.
 * @type {Record<string, () => SVGElement[]>} */
const SHAPES = {
  miss: () => [circle(4.5, 'dot')],
  hit: () => [path('M9 9 23 23M23 9 9 23', 'cross')],
  sunk: () => [path('M3 3H29V29H3Z', 'wreck'), path('M10 10 22 22M22 10 10 22', 'cross on-wreck')],
  sighted: () => [circle(9, 'ring')],
  near: () => [circle(9, 'ring dashed')],
  tried: () => [circle(2, 'dot faint')],
  excluded: () => [path('M8 24 24 8', 'stroke-faint')],
  mine: () => [circle(6, 'dot'), path('M16 5V27M5 16H27M8 8 24 24M24 8 8 24', 'spikes')],
  seen: () => [path('M16 6 26 16 16 26 6 16Z', 'diamond')],
  aimed: () => [circle(7, 'ring'), path('M16 4V12M16 20V28M4 16H12M20 16H28', 'stroke')],
};

/** @param {{ kind: string, count?: number | null }} mark */
export function drawMark(mark) {
  const shape = SHAPES[mark.kind];
  const counted = typeof mark.count === 'number';
  // A number says more than the dot of a miss; beside any other shape it stands in the corner.
  const alone = counted && mark.kind === 'miss';
  const parts = alone
    ? []
    : (shape?.() ?? [svg('text', { x: HALF, y: 21, class: 'letter' }, mark.kind.charAt(0).toUpperCase())]);
  if (counted) {
    const at = alone ? { x: HALF, y: 21, class: 'count' } : { x: 26, y: 10, class: 'count small' };
    parts.push(svg('text', at, mark.count));
  }
  return svg('g', { class: `mark mark-${mark.kind}` }, parts);
}

/** @param {{ kind: string, count?: number | null }} mark a mark in a picture of its own, for legends */
export function markIcon(mark) {
  return svg('svg', { viewBox: '0 0 32 32', class: 'icon', 'aria-hidden': 'true' }, drawMark(mark));
}

/**
 * The hull of a ship: cells that are side by side share no line.
 * @param {{ row: number, column: number }[]} cells
 */
export function hull(cells) {
  const has = new Set(cells.map(({ row, column }) => `${row}/${column}`));
  let [body, edge] = ['', ''];
  for (const { row, column } of cells) {
    const gap = (/** @type {number} */ dr, /** @type {number} */ dc) => (has.has(`${row + dr}/${column + dc}`) ? 0 : 4);
    const [top, right, bottom, left] = [gap(-1, 0), gap(0, 1), gap(1, 0), gap(0, -1)];
    const [x1, y1] = [column * 32 + left, row * 32 + top];
    const [x2, y2] = [column * 32 + 32 - right, row * 32 + 32 - bottom];
    body += `M${x1} ${y1}H${x2}V${y2}H${x1}Z`;
    if (top) edge += `M${x1} ${y1}H${x2}`;
    if (bottom) edge += `M${x1} ${y2}H${x2}`;
    if (left) edge += `M${x1} ${y1}V${y2}`;
    if (right) edge += `M${x2} ${y1}V${y2}`;
  }
  return { body, edge };
}

/** Two letters for a ship's name. @param {string} name */
export function initials(name) {
  const parts = name.split(/[\s-]+/).filter(Boolean);
  return parts.length > 1 ? parts[0].charAt(0) + parts[1].charAt(0) : name.slice(0, 2);
}
