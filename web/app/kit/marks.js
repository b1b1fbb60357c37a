/** Marks of a cell, in a square of 40. Each is recognizable by shape, without colour. */

import { svg } from '../dom.js';

/** @param {string} name @param {string} d */
const path = (name, d) => svg('path', { class: name, d });
/** @param {string} name @param {number} radius */
const circle = (name, radius) => svg('circle', { class: name, cx: 20, cy: 20, r: radius });

/** @param {number} rays @param {number} outer @param {number} inner */
function star(rays, outer, inner) {
  const points = Array.from({ length: rays * 2 }, (_, i) => {
    const [angle, far] = [(i * Math.PI) / rays + 0.15, i % 2 ? inner : outer - ((i / 2) % 3)];
    return `${Math.round((20 + Math.sin(angle) * far) * 10) / 10} ${Math.round((20 - Math.cos(angle) * far) * 10) / 10}`;
  });
  return `M${points.join('L')}Z`;
}

const BURST = star(9, 16, 9.5);
const CORE = star(9, 9, 5);
const X = 'M14.5 14.5 25.5 25.5M25.5 14.5 14.5 25.5';

/** @type {Record<string, () => SVGElement[]>} */
const SHAPES = {
  miss: () => [circle('mark-ring', 8.6), circle('mark-dot', 2.8)],
  hit: () => [path('mark-burst', BURST), path('mark-core', CORE), path('mark-x halo', X), path('mark-x', X)],
  sunk: () => [
    path('danger', 'M20 2.5A17.5 17.5 0 1 1 19.9 2.5'),
    path('mark-wreck', 'M8 14 26 11 34 20 26 29 8 26 11 20Z'),
    path('mark-x', X),
  ],
  sighted: () => [path('mark-eye', 'M8 20Q20 7 32 20 20 33 8 20Z'), circle('mark-iris', 4.6)],
  near: () => [
    circle('mark-ring', 5),
    path('mark-dot', 'M20 6 24 11H16ZM20 34 24 29H16ZM6 20 11 16V24ZM34 20 29 16V24Z'),
  ],
  tried: () => [circle('mark-dot faint', 3)],
  excluded: () => [path('mark-slash', 'M14.5 25.5 25.5 14.5')],
  mine: () => [
    path('mark-horns', 'M20 7V33M7 20H33M10.8 10.8 29.2 29.2M29.2 10.8 10.8 29.2'),
    circle('mark-ball', 8.4),
    svg('circle', { class: 'mark-glint', cx: 17, cy: 17, r: 2.2 }),
  ],
  seen: () => [svg('rect', { class: 'mark-seen', x: 7, y: 12, width: 26, height: 16, rx: 8 })],
  aimed: () => [circle('mark-disc', 10)],
  chosen: () => {
    const lines = 'M7 14V7H14M26 7H33V14M33 26V33H26M14 33H7V26M20 13V27M13 20H27';
    return [path('reticle under', lines), path('reticle', lines)];
  },
};

/** The mark of a chosen cell, with its number. @param {string} text */
export function reticle(text) {
  if (!text) return SHAPES.chosen();
  const corners = 'M7 14V7H14M26 7H33V14M33 26V33H26M14 33H7V26';
  return [
    path('reticle under', corners),
    path('reticle', corners),
    circle('reticle-disc', 9.5),
    svg('text', { class: 'reticle-text', x: 20, y: 25 }, text),
  ];
}

/** @param {{ kind: string, count?: number | null }} mark @param {boolean} [onShip] on a drawn ship */
export function drawMark(mark, onShip = false) {
  const counted = typeof mark.count === 'number';
  // A number says more than the ring of a miss; it stands alone in a disc, and in the corner beside any other shape.
  const alone = counted && mark.kind === 'miss';
  const inside = alone || mark.kind === 'aimed';
  const shape = SHAPES[mark.kind]?.() ?? [
    svg('text', { x: 20, y: 26, class: 'count' }, mark.kind.charAt(0).toUpperCase()),
  ];
  const number =
    counted &&
    svg('text', inside ? { x: 20, y: 26, class: 'count' } : { x: 32, y: 14, class: 'count small' }, String(mark.count));
  return svg('g', { class: `mark mark-${mark.kind}${onShip ? ' on-ship' : ''}` }, alone ? [] : shape, number);
}

/** A mark as a picture of its own. @param {{ kind: string, count?: number | null }} mark */
export function markIcon(mark) {
  const water = mark.kind === 'unknown' || mark.kind === 'searched';
  return svg(
    'svg',
    { viewBox: '0 0 40 40', class: `icon icon-${mark.kind}`, 'aria-hidden': 'true' },
    svg('rect', { width: 40, height: 40, class: isSearched(mark.kind) ? 'searched' : 'unsearched' }),
    mark.kind === 'unknown' && path('wave', 'M6 15q4-4 8 0t8 0M18 28q4-4 8 0t8 0'),
    !water && drawMark(mark),
  );
}

/** True if the mark means searched water. @param {string} kind */
export const isSearched = (kind) => !['near', 'seen', 'aimed', 'chosen', 'unknown'].includes(kind);
