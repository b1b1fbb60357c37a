/** Positions of sunken ships, where reports leave one possibility. */

/**
 * @typedef {import('./geometry.js').Chart} Chart
 * @typedef {{ class: string, length: number, count: number, orientations?: { cells: { row: number, column: number }[] }[] }} Kind
 * @typedef {{ cell: string, kind: string, class?: string | null }} Mark
 * @typedef {{ class: string, cells: string[] | null, afloat?: boolean | null, length?: number, name?: string }} Known
 */

/** Placements to try before giving up. */
const MOST = 20_000;

/** Every placement of a class over a cell, on struck cells only. @param {Chart} chart @param {Kind} kind
 * @param {string} cell @param {Map<string, Mark>} struck */
function* waysOver(chart, kind, cell, struck) {
  for (const { cells } of kind.orientations ?? []) {
    for (const grip of cells) {
      const way = cells.map(({ row, column }) => chart.beside(cell, row - grip.row, column - grip.column) ?? '');
      const fits = way.every((label) => {
        const mark = struck.get(label);
        return mark && (!mark.class || mark.class === kind.class);
      });
      if (fits) yield way;
    }
  }
}

/** Sunken ships without cells in the view, each with its only possible cells. @param {Chart} chart
 * @param {Mark[]} marks @param {Known[]} ships of the sea @param {Kind[]} classes
 * @returns {{ class: string, cells: string[] }[]} */
export function wrecks(chart, marks, ships, classes) {
  const seen = new Set(ships.flatMap(({ cells }) => cells ?? []));
  const struck = new Map(
    marks
      .filter(({ kind, cell }) => (kind === 'hit' || kind === 'sunk') && !seen.has(cell))
      .map((mark) => [mark.cell, mark]),
  );
  const open = [...struck.values()].filter(({ kind }) => kind === 'sunk').map(({ cell }) => cell);
  if (!open.length) return [];
  const sunk = ships.filter(({ cells, afloat }) => !cells && afloat === false);
  // Sinkings reported by class; without classes, the ships of the class as an upper bound.
  const left = new Map(
    classes.map((kind) => [
      kind.class,
      sunk.length ? sunk.filter((one) => one.class === kind.class).length : kind.count,
    ]),
  );
  const taken = new Set();
  /** @type {{ class: string, cells: string[] }[]} */
  const chosen = [];
  /** @type {{ any: boolean, certain: Map<string, { class: string, cells: string[] }> }} */
  const found = { any: false, certain: new Map() };
  let tried = 0;
  const search = () => {
    if (++tried > MOST) return;
    const next = open.find((cell) => !taken.has(cell));
    if (!next) {
      // Every sinking reported by class needs a position.
      if (sunk.length && [...left.values()].some((count) => count > 0)) return;
      const all = new Map(chosen.map((one) => [[...one.cells].sort().join(), one]));
      for (const [key, one] of found.certain) {
        const other = all.get(key);
        if (!other) found.certain.delete(key);
        // The position is certain, the class isn't.
        else if (other.class !== one.class) found.certain.set(key, { ...one, class: '' });
      }
      if (!found.any) found.certain = all;
      found.any = true;
      return;
    }
    for (const kind of classes) {
      const more = left.get(kind.class) ?? 0;
      if (!more) continue;
      const done = new Set();
      for (const cells of waysOver(chart, kind, next, struck)) {
        const key = [...cells].sort().join();
        if (done.has(key) || cells.some((cell) => taken.has(cell))) continue;
        done.add(key);
        for (const cell of cells) taken.add(cell);
        left.set(kind.class, more - 1);
        chosen.push({ class: kind.class, cells });
        search();
        chosen.pop();
        left.set(kind.class, more);
        for (const cell of cells) taken.delete(cell);
        if (found.any && !found.certain.size) return;
      }
    }
  };
  search();
  return tried > MOST ? [] : [...found.certain.values()];
}

/** True if ships of the game can move: then hits say little about their positions.
 * @param {{ actions: { phases: string[], json_schema: Record<string, any> }[] }} card */
export const shipsMove = ({ actions }) =>
  actions.some(
    ({ phases, json_schema: schema }) =>
      phases.includes('playing') && ['ships', 'path'].some((name) => name in (schema.properties ?? {})),
  );
