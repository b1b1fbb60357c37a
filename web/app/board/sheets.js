/** Layout of the layers of a sea: one lies flat; several are sheets, stacked downwards. */

import { CELL } from '../kit/ships.js';

/** @typedef {import('./geometry.js').Layer} Layer */
/**
 * Width, lean per row and depth of a cell, and origin of the layer; `quay`: beside the sea.
 * @typedef {{ a: number, b: number, d: number, x: number, y: number, rows: number, columns: number, quay: boolean }} Sheet
 */

/** Cell width, lean, depths (active, top, rest, all alike), gap and quay, on wide and narrow screens. */
const WIDE = { a: 78, b: 21, used: 42, top: 33, rest: 18, even: 18, gap: 24, quay: 84 };
const NARROW = { a: 49, b: 9, used: 37, top: 30, rest: 13, even: 13, gap: 18, quay: 34 };

export class Sheets {
  /** @param {Layer[]} layers @param {{ used: string, narrow: boolean, even: boolean }} how */
  constructor(layers, { used, narrow, even }) {
    this.several = layers.length > 1;
    /** @type {Map<string, Sheet>} */
    this.sheets = new Map();
    const size = narrow ? NARROW : WIDE;
    const { rows = 1, columns = 1 } = layers[0] ?? {};
    if (!this.several) {
      for (const { id } of layers)
        this.sheets.set(id, { a: CELL, b: 0, d: CELL, x: 0, y: 0, rows, columns, quay: false });
      [this.width, this.height] = [columns * CELL, rows * CELL];
      return;
    }
    // Narrow screens have no room beside a sheet: its name stands above it.
    let [y, quays] = [narrow ? 20 : 4, 0];
    for (const [i, layer] of layers.entries()) {
      if (layer.rows < rows) {
        quays++;
        continue;
      }
      const d = even ? size.even : layer.id === used ? size.used : i ? size.rest : size.top;
      this.sheets.set(layer.id, { a: size.a, b: size.b, d, x: 4, y, rows, columns, quay: false });
      y += rows * d + size.gap;
    }
    const first = [...this.sheets.values()][0];
    for (const layer of layers.filter((one) => one.rows < rows && first)) {
      this.sheets.set(layer.id, { ...first, x: first.x + columns * size.a + 8, columns: 1, a: size.quay, quay: true });
    }
    this.width = columns * size.a + rows * size.b + 8 + (quays ? size.quay + 10 : 0);
    this.height = y - size.gap + 6;
  }

  /** Transform from a layer's 40-unit cells to the picture. @param {string} id */
  matrix(id) {
    const sheet = this.sheets.get(id);
    if (!sheet || !this.several) return '';
    const { a, b, d, x, y, rows, quay } = sheet;
    const tall = quay ? rows : 1;
    return `matrix(${a / CELL} 0 ${(-b * tall) / CELL} ${(d * tall) / CELL} ${x + rows * b} ${y})`;
  }

  /** Middle of a cell, and scale of things upon it. @param {{ layer: string, row: number, column: number }} cell
   * @param {number} [nth] index among things that share the cell @param {number} [of] their number */
  spot({ layer, row, column }, nth = 0, of = 1) {
    const sheet = this.sheets.get(layer);
    if (!sheet) return null;
    const { a, b, d, x, y, rows, quay } = sheet;
    const down = quay ? ((nth + 0.5) / of) * rows : row + 0.5;
    const aside = quay ? 0 : nth - (of - 1) / 2;
    const sy = (d / CELL) * (of > 1 && !quay ? 0.75 : 1);
    const sx = this.several ? Math.min(a / CELL, (d / CELL) * 1.6) * (of > 1 && !quay ? 0.75 : 1) : sy;
    return {
      x: x + (column + 0.5) * a + (rows - down) * b + aside * a * 0.22,
      y: y + down * d + aside * d * 0.22,
      sx,
      sy,
    };
  }

  /** Transform of a 40-unit square onto a cell. @param {Parameters<Sheets['spot']>} at */
  onto(...at) {
    const spot = this.spot(...at);
    if (!spot) return '';
    const { x, y, sx, sy } = spot;
    const near = (/** @type {number} */ value) => Math.round(value * 100) / 100;
    const size = sx === 1 && sy === 1 ? '' : ` scale(${near(sx)} ${near(sy)})`;
    return size
      ? `translate(${near(x)} ${near(y)})${size} translate(-20 -20)`
      : `translate(${near(x - 20)} ${near(y - 20)})`;
  }

  /** The walls of the water between the first sheet and the last. */
  walls() {
    const sea = [...this.sheets.values()].filter(({ quay }) => !quay);
    const [top, bottom] = [sea[0], sea[sea.length - 1]];
    if (!top || !bottom || sea.length < 2) return '';
    const { x, a, b, columns, rows } = top;
    const [near, far] = [x + columns * a, x + columns * a + rows * b];
    const floor = bottom.y + rows * bottom.d;
    return `M${x} ${top.y + rows * top.d}H${near}L${far} ${top.y}V${bottom.y}L${near} ${floor}H${x}ZM${near} ${top.y + rows * top.d}V${floor}`;
  }
}
