/** Drawings of plans: open cells, orders of ships, patterns of weapons. */

import { svg } from '../dom.js';
import { reticle } from '../kit/marks.js';
import { border } from '../kit/ships.js';

/** The flat and the upright part of a painted cell. @param {import('./board.js').Paint} paint @param {boolean} onShip
 * @param {boolean} quiet nearly every cell is open */
export function drawPaint({ state, text }, onShip, quiet) {
  const box = (/** @type {string} */ name, inset = 2.5) =>
    svg('rect', { class: name, x: inset, y: inset, width: 40 - 2 * inset, height: 40 - 2 * inset, rx: 3 });
  const number = (/** @type {string} */ name) => text && svg('text', { class: name, x: 20, y: 26 }, text);
  if (state === 'open') {
    if (text) return { flat: [box('tile', 2)], top: [number('tile-text')] };
    return { flat: quiet ? [] : [box(onShip ? 'may on-ship' : 'may')], top: [] };
  }
  if (state === 'target')
    return {
      flat: [svg('path', { class: 'hatch', d: 'M0 13 13 0M0 27 27 0M0 40 40 0M13 40 40 13M27 40 40 27' })],
      top: [],
    };
  if (state === 'chosen')
    return onShip
      ? { flat: [box('selected', 1.5)], top: [text && number('tile-text')] }
      : { flat: [], top: reticle(text ?? '') };
  if (state === 'given') return { flat: [box('given', 1.5)], top: [] };
  if (state === 'wrong')
    return { flat: [box('wrong', 1.5)], top: [svg('path', { class: 'wrong-x', d: 'M13 13 27 27M27 13 13 27' })] };
  return { flat: [box('ghostly', 2)], top: [number('tile-text')] };
}

/** @param {import('./board.js').Route} route @param {{ x: number, y: number, sx: number }[]} spots */
export function drawRoute({ kind, text, chosen }, spots) {
  const [first, last] = [spots[0], spots[spots.length - 1]];
  if (!first || !last) return null;
  const size = last.sx;
  const d = `M${(kind === 'aim' ? [first, last] : spots).map(({ x, y }) => `${x} ${y}`).join('L')}`;
  const before = spots[spots.length - 2] ?? first;
  const turn = (Math.atan2(last.y - before.y, last.x - before.x) * 180) / Math.PI;
  const disc = (/** @type {{ x: number, y: number }} */ { x, y }) => [
    svg('circle', { class: 'route-disc', cx: x, cy: y, r: 10 * size }),
    svg('text', { class: 'route-text', x, y: y + 4.5 * size }, text ?? ''),
  ];
  const middle = spots[Math.floor(spots.length / 2)] ?? last;
  const half = { x: (first.x + last.x) / 2, y: (first.y + last.y) / 2 };
  const cross = svg('path', {
    class: 'route-cross',
    d: 'M0-15V-8M0 15V8M-15 0H-8M15 0H8',
    transform: `translate(${last.x} ${last.y}) scale(${size})`,
  });
  const head = svg('path', {
    class: 'route-head',
    d: 'M4 0-10-7V7Z',
    transform: `translate(${last.x} ${last.y}) rotate(${turn}) scale(${size})`,
  });
  return svg(
    'g',
    { class: `route route-${kind}${chosen ? ' now' : ''}` },
    svg('path', { class: 'route-halo', d }),
    svg('path', { class: 'route-line', d }),
    kind === 'aim' ? [cross, ...disc(last)] : [head, ...(text ? disc(spots.length > 2 ? middle : half) : [])],
  );
}

/** @type {Record<string, string>} sign on each cell, by effect */
const EFFECTS = {
  reveal: 'M10 20Q20 9 30 20 20 31 10 20ZM20 17a3 3 0 1 0 .01 0Z',
  area: 'M20 9 22 15 28 12 25 18 31 20 25 22 28 28 22 25 20 31 18 25 12 28 15 22 9 20 15 18 12 12 18 15Z',
};

/** The cells of a weapon, in the plane of their layer.
 * @param {import('./board.js').Pattern} pattern @param {{ row: number, column: number }[]} cells */
export function drawPattern({ effect = '', text, past }, cells) {
  const [first, last] = [cells[0], cells[cells.length - 1]];
  if (!first || !last) return null;
  const outline = border(cells, past ? 1 : 0);
  const middle = {
    x: (cells.reduce((sum, { column }) => sum + column, 0) / cells.length) * 40 + 20,
    y: (cells.reduce((sum, { row }) => sum + row, 0) / cells.length) * 40 + 20,
  };
  const sign = EFFECTS[effect];
  const shown = effect === 'count' ? (text ?? '#') : (text ?? '');
  const angle = (Math.atan2(last.row - first.row, last.column - first.column) * 180) / Math.PI;
  const far = Math.hypot(last.row - first.row, last.column - first.column) * 40;
  const arrow = `M-8 0H${far + 8}M${far - 4}-9 ${far + 9} 0 ${far - 4} 9`;
  return svg(
    'g',
    { class: past ? 'pattern past' : 'pattern' },
    !past &&
      svg('path', {
        class: 'pattern-water',
        d: cells.map(({ row, column }) => `M${column * 40} ${row * 40}h40v40h-40Z`).join(''),
      }),
    svg('path', { class: 'pattern-halo', d: outline }),
    svg('path', { class: 'pattern-line', d: outline }),
    !past &&
      sign &&
      cells.map(({ row, column }) =>
        svg('path', { class: `effect-${effect}`, d: sign, transform: `translate(${column * 40} ${row * 40})` }),
      ),
    !past &&
      effect === 'line' &&
      svg('path', {
        class: 'effect-line',
        d: arrow,
        transform: `translate(${first.column * 40 + 20} ${first.row * 40 + 20}) rotate(${angle})`,
      }),
    !past &&
      effect === 'distance' &&
      svg('path', { class: 'effect-distance', d: `M${middle.x - 50} ${middle.y - 50}h100v100h-100Z` }),
    shown && [
      svg('circle', { class: 'mark-disc', cx: middle.x, cy: middle.y, r: 12 }),
      svg('text', { class: 'count', ...middle, dy: 6 }, shown),
    ],
  );
}
