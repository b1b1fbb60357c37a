/** Where sunken ships lie, when what was told leaves one possibility. */

/**
 * @typedef {import('./geometry.js').Chart} Chart
 * @typedef {{ class: string, length: number, count: number, orientations?: { cells: { row: number, column: number }[] }[] }} Kind
 * @typedef {{ cell: string, kind: string, class?: string | null }} Mark
 * @typedef {{ class: string, cells: string[] | null, afloat?: boolean | null, length?: number, name?: string }} Known
 */

/** How many placements are tried before it is too hard to tell. */
const MOST = 20_000;

/** Every way in which a class may lie over a cell, on cells that were struck.
 * @param {Chart} chart @param {Kind} kind @param {string} cell @param {Map<string, Mark>} struck */
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

/** Sunken ships that the view has no cells of, with the only cells where each can lie.
 * @param {Chart} chart @param {Mark[]} marks @param {Known[]} ships those of the sea @param {Kind[]} classes
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
  // Where sinkings are told by class, as many as were told; else at most as many as there are.
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
      // Where sinkings were told by class, every ship of these lies somewhere.
      if (sunk.length && [...left.values()].some((count) => count > 0)) return;
      const all = new Map(chosen.map((one) => [[...one.cells].sort().join(), one]));
      for (const [key, one] of found.certain) {
        const other = all.get(key);
        if (!other) found.certain.delete(key);
        // Which of two classes it is can't be told, but where it lies can.
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

/** Whether ships of a game may move, so that what was struck says little of where they lie.
 * @param {{ actions: { phases: string[], json_schema: Record<string, any> }[] }} card */
export const shipsMove = ({ actions }) =>
  actions.some(
    ({ phases, json_schema: schema }) =>
      phases.includes('playing') && ['ships', 'path'].some((name) => name in (schema.properties ?? {})),
  );
