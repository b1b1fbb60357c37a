/** Positions of cells and titles of rows and columns, from the board of the card alone. */

/**
 * @typedef {{ label: string, layer: string, row: number, column: number, feature?: string | null, seat?: number | null
 * }} Cell
 * @typedef {{ id: string, rows: number, columns: number, layers: { id: string, name: string }[], row_titles: string[],
 *   column_titles: string[], cells: Cell[], lines: { id: string, cells: string[] }[] }} Sea
 * @typedef {{ id: string, name: string, cells: Cell[], rows: number, columns: number, rowTitles: string[] | null,
 *   columnTitles: string[] | null }} Layer
 */

export class Chart {
  /** @param {Sea} sea */
  constructor(sea) {
    this.id = sea.id;
    this.lines = sea.lines;
    /** @type {Map<string, Cell>} */
    this.cells = new Map(sea.cells.map((cell) => [cell.label, cell]));
    /** @type {Map<string, string>} */
    this.places = new Map(sea.cells.map((cell) => [place(cell.layer, cell.row, cell.column), cell.label]));
    // Numbered cells have no row and column titles.
    const [rowTitles, columnTitles] = [sea.row_titles, sea.column_titles].map((titles) =>
      titles.length ? titles : null,
    );
    /** @type {Layer[]} */
    this.layers = sea.layers.map((layer) => {
      const cells = sea.cells.filter((cell) => cell.layer === layer.id);
      const rows = 1 + Math.max(0, ...cells.map((cell) => cell.row));
      const columns = 1 + Math.max(0, ...cells.map((cell) => cell.column));
      return { ...layer, cells, rows, columns, rowTitles, columnTitles };
    });
  }

  /** The label of the cell at an offset from another, or null. @param {string} from @param {number} rows
   * @param {number} columns */
  beside(from, rows, columns) {
    const cell = this.cells.get(from);
    return cell ? (this.places.get(place(cell.layer, cell.row + rows, cell.column + columns)) ?? null) : null;
  }

  /** Cells of the first layer marked `x` in rows of text. @param {string[]} rows from the top */
  within(rows) {
    const layer = this.layers[0]?.id ?? '';
    const marked = rows.flatMap((row, r) => [...row].map((sign, c) => (sign === 'x' ? place(layer, r, c) : '')));
    return marked.map((at) => this.places.get(at) ?? '').filter(Boolean);
  }

  /** The cell above or below another one, in a layer. @param {string} from @param {string} layer */
  inLayer(from, layer) {
    const cell = this.cells.get(from);
    return cell ? (this.places.get(place(layer, cell.row, cell.column)) ?? null) : null;
  }
}

/** @param {string} layer @param {number} row @param {number} column */
function place(layer, row, column) {
  return `${layer}/${row}/${column}`;
}
