/** Charted water and land: waves, depth zones, frame, compass rose, coasts. */

import { svg } from '../dom.js';

const CELL = 40;

/** A pseudo-random number from 0 to 1, always the same for a place. @param {number} a @param {number} b */
const chance = (a, b) => (((Math.sin(a * 127.1 + b * 311.7) * 43758.5453) % 1) + 1) % 1;

/** Scattered waves, as one path. @param {number} columns @param {number} rows */
export function waves(columns, rows) {
  let d = '';
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (chance(row, column) > 0.8) continue;
      const [x, y] = [column * CELL + 4 + chance(column, row) * 18, row * CELL + 8 + chance(row + 9, column) * 26];
      d += `M${Math.round(x)} ${Math.round(y)}q4-4 7 0t7 0`;
    }
  }
  return d;
}

/** Two zones, each deeper than the one around it. @param {number} w @param {number} h */
export function zones(w, h) {
  const blob = (/** @type {number} */ x, /** @type {number} */ y) =>
    `M${w} ${h * y}C${w * (x + 0.3)} ${h * (y - 0.04)} ${w * (x + 0.34)} ${h * (y + 0.3)} ${w * (x + 0.18)} ${h * (y + 0.36)}S${w * x} ${h * 0.86} ${w * (x + 0.06)} ${h}H${w}Z`;
  return [svg('path', { class: 'zone', d: blob(0.2, 0.16) }), svg('path', { class: 'zone deep', d: blob(0.44, 0.4) })];
}

/** A chart frame with bars of one cell. @param {number} columns @param {number} rows @param {number} [width] */
export function frame(columns, rows, width = 7) {
  const [w, h] = [columns * CELL, rows * CELL];
  let bars = '';
  for (let i = 0; i < columns; i += 2)
    bars += `M${i * CELL} ${-width}h40v${width}h-40ZM${i * CELL} ${h}h40v${width}h-40Z`;
  for (let i = 1; i < rows; i += 2)
    bars += `M${-width} ${i * CELL}h${width}v40h${-width}ZM${w} ${i * CELL}h${width}v40h${-width}Z`;
  const ring = `M${-width} ${-width}H${w + width}V${h + width}H${-width}ZM0 0V${h}H${w}V0Z`;
  return [svg('path', { class: 'frame-paper', d: ring }), svg('path', { class: 'frame-bars', d: bars })];
}

/** @param {number} x @param {number} y its middle @param {number} radius */
export function compass(x, y, radius) {
  let [points, ticks] = ['', ''];
  for (let i = 0; i < 8; i++) {
    const long = i % 2 ? 0.58 : 0.94;
    const at = (/** @type {number} */ turn, /** @type {number} */ far) => {
      const angle = ((i + turn) * Math.PI) / 4;
      return `${Math.round(Math.sin(angle) * far * 1000) / 10} ${Math.round(-Math.cos(angle) * far * 1000) / 10}`;
    };
    points += `M0 0L${at(-0.5, 0.17)} ${at(0, long)}ZM0 0`;
    ticks += `M0 0L${at(0, long)} ${at(0.5, 0.17)}Z`;
  }
  return svg(
    'g',
    { class: 'compass', transform: `translate(${x} ${y}) scale(${radius / 100})` },
    svg('circle', { r: 98 }),
    svg('circle', { r: 88, class: 'compass-ticks' }),
    svg('path', { d: points }),
    svg('path', { d: ticks, class: 'half' }),
  );
}

/** Islands with coast and shallows. @param {{ row: number, column: number }[]} cells */
export function coast(cells) {
  const has = new Set(cells.map(({ row, column }) => `${row}/${column}`));
  let d = '';
  for (const { row, column } of cells) {
    const [x, y] = [column * CELL + 20, row * CELL + 20];
    const near = (/** @type {number} */ dr, /** @type {number} */ dc) => has.has(`${row + dr}/${column + dc}`);
    const [jx, jy] = [chance(row, column) * 7 - 3.5, chance(column, row + 3) * 7 - 3.5];
    d += `M${x} ${y}l${jx} ${jy}`;
    if (near(0, 1)) d += `M${x} ${y}h40`;
    if (near(1, 0)) d += `M${x} ${y}v40`;
    if (near(0, 1) && near(1, 0) && near(1, 1)) d += `M${x} ${y}h40v40h-40Z`;
  }
  const heights = cells.map(({ row, column }) => {
    const [x, y] = [column * CELL + 20, row * CELL + 20];
    return `M${x - 8} ${y + 2}q2-9 9-7t6 6-8 6-7-5Z`;
  });
  return svg(
    'g',
    { class: 'coast' },
    ['shallows wide', 'shallows', 'shore', 'land'].map((name) => svg('path', { class: name, d })),
    svg('path', { class: 'heights', d: heights.join('') }),
  );
}
