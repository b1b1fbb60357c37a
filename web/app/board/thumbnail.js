/** A thumbnail of a sea in few shapes: searched cells, hits, own ships. */

import { svg } from '../dom.js';
import { CELL, drawShip, looksOf } from '../kit/ships.js';
import { isSearched } from '../kit/marks.js';
import { sorted } from './board.js';
import { Chart } from './geometry.js';
import { wrecks } from './wrecks.js';

/** @typedef {{ marks: { cell: string, kind: string, class?: string | null }[],
 *   ships: { id?: string, class: string, cells: string[] | null, afloat?: boolean | null }[],
 *   classes?: import('./board.js').Kind[], last?: Iterable<string> }} Seen */

/** @param {import('./geometry.js').Sea} sea @param {Seen} seen @param {string} title empty: decorative */
export function thumbnail(sea, { marks, ships, classes = [], last = [] }, title) {
  const chart = new Chart(sea);
  const layers = chart.layers.filter((layer) => layer.rows > 1 || chart.layers.length === 1);
  const { rows, columns } = chart.layers[0];
  const several = layers.length > 1;
  const [w, h] = [columns * CELL, rows * CELL];
  const looks = looksOf(classes);
  const lost = wrecks(chart, marks, ships, classes).map((one) => ({ ...one, afloat: false }));
  const picture = svg('svg', {
    class: 'thumbnail',
    viewBox: several ? `0 0 ${w * 1.3} ${w * 1.32}` : `-8 -8 ${w + 16} ${h + 16}`,
    ...(title ? { role: 'img', 'aria-label': title } : { 'aria-hidden': 'true' }),
  });
  for (const [i, layer] of layers.entries()) {
    const on = (/** @type {Iterable<string>} */ labels) =>
      [...labels]
        .map((label) => chart.cells.get(label))
        .filter((cell) => cell !== undefined)
        .filter((cell) => cell.layer === layer.id);
    const squares = (/** @type {string[]} */ labels) =>
      on(labels)
        .map(({ row, column }) => `M${column * CELL} ${row * CELL}h40v40h-40Z`)
        .join('');
    const bursts = on(marks.filter(({ kind }) => kind === 'hit' || kind === 'sunk').map(({ cell }) => cell));
    const shift = several
      ? `matrix(1 0 ${-0.3 * (w / h)} ${(w * 0.22) / h} ${w * 0.3} ${i * w * (1.03 / Math.max(1, layers.length - 1)) + 4})`
      : '';
    picture.append(
      svg(
        'g',
        { transform: shift || null, class: `sheet-${Math.min(i, 3)}` },
        svg('rect', { class: 'thumb-water', width: w, height: h }),
        svg('path', {
          class: 'thumb-searched',
          d: squares(marks.filter(({ kind }) => isSearched(kind)).map(({ cell }) => cell)),
        }),
        svg('path', {
          class: 'thumb-land',
          d: squares(layer.cells.filter(({ feature }) => feature === 'island').map(({ label }) => label)),
        }),
        [...ships, ...lost].map((ship) => {
          const cells = on(sorted(ship.cells ?? [], ship.class));
          return cells.length > 0 && drawShip(cells, { look: looks.get(ship.class), sunk: ship.afloat === false });
        }),
        svg('path', {
          class: 'thumb-hits',
          d: bursts.map(({ row, column }) => `M${column * CELL + 20} ${row * CELL + 3}l17 17-17 17-17-17Z`).join(''),
        }),
        svg('path', {
          class: 'thumb-last',
          d: on([...last].length <= 12 ? last : [])
            .map(({ row, column }) => `M${column * CELL - 2} ${row * CELL - 2}h44v44h-44Z`)
            .join(''),
        }),
        svg('rect', { class: 'thumb-edge', width: w, height: h }),
      ),
    );
  }
  return picture;
}
