/** The daily puzzle: a moment of a finished match, and the chance of each cell. It draws nothing. */

import { Chart } from './board/geometry.js';

/** @typedef {import('./board/board.js').Kind} Kind */
/** @typedef {Pick<import('./demonstration.js').Recorded, 'view' | 'board' | 'reports' | 'classes'>} Recorded */
/** @typedef {{ cell: string, kind: string, class?: string | null }} Mark */
/**
 * @typedef {{ sea: string, seat: number, chart: Chart, number: number, marks: Mark[], cells: string[],
 *   afloat: number }} Moment
 * before report `number`, in which `seat` fires at `cells`
 * @typedef {Moment & { odds: Map<string, number>, hurt: number, best: string[] }} Puzzle
 */

/** Limits: ships afloat at a moment, and placements tried. */
const [LATE, MOST] = [3, 60_000];
/** A good puzzle: the fewest possible cells, and the range of the best chance. */
const [FEWEST, LEAST, SURE] = [3, 0.15, 0.75];
const FAIR = ['miss', 'hit', 'sunk'];

/** The UTC day of a time. @param {number} time */
export const dayOf = (time) => new Date(time).toISOString().slice(0, 10);

/** The random order of things on a day. @template T @param {string} day @param {T[]} things
 * @param {(one: T) => unknown} id */
export function drawn(day, things, id) {
  const lot = (/** @type {T} */ one) => {
    let sum = 2_166_136_261;
    for (const sign of `${day} ${id(one)}`) sum = Math.imul(sum ^ sign.charCodeAt(0), 16_777_619);
    return (sum ^ (sum >>> 15)) >>> 0;
  };
  return things
    .map((one) => ({ one, at: lot(one) }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

/** Classes with all orientations of their ships: straight, unless the card says more. @param {Kind[]} classes
 * @returns {Kind[]} */
export const laid = (classes) =>
  classes.map((one) => {
    const line = (/** @type {number} */ down) =>
      Array.from({ length: one.length }, (_, i) => ({ row: i * down, column: i * (1 - down) }));
    return {
      ...one,
      orientations: one.orientations ?? [{ cells: line(0) }, ...(one.length > 1 ? [{ cells: line(1) }] : [])],
    };
  });

/** True if reports of shots are detailed enough for counting. @param {Recorded} match */
function fits({ view, board }) {
  const {
    border,
    mines,
    islands,
    weapons,
    handicaps,
    clue,
    names_sunk: named,
    announces_sunk: announced,
  } = /** @type {AnyOf<Schema<'RuleSet'>>} */ (view.rule_set ?? { names_sunk: true });
  const flat = board.seas.length === 2 && board.seas.every(({ layers }) => layers.length === 1);
  const told = (named || announced) && (!clue || clue === 'none');
  const shown = view.seas.every(({ ships }) => ships.length && ships.every(({ cells }) => cells));
  return flat && told && shown && border !== 'end-on' && !mines && !islands && !weapons?.length && !handicaps?.length;
}

/** Moments before the last ships of a sea were found. @param {Recorded} match @returns {Moment[]} */
export function moments(match) {
  if (!fits(match)) return [];
  const ships = match.classes.reduce((sum, { count }) => sum + count, 0);
  return match.view.seas.flatMap(({ id, owner }) => {
    const sea = match.board.seas.find((one) => one.id === id);
    if (!sea) return [];
    const chart = new Chart(sea);
    /** @type {Moment[]} */
    const found = [];
    /** @type {Mark[]} */
    let marks = [];
    for (const report of match.reports) {
      if (!('shots' in report) || report.seat === owner) continue;
      const shots = /** @type {Schema<'ShotAnswer'>[]} */ (report.shots);
      if (!shots.every(({ answer }) => FAIR.includes(answer ?? ''))) break;
      const afloat = ships - marks.filter(({ kind }) => kind === 'sunk').length;
      const cells = shots.map(({ cell }) => cell);
      if (afloat <= LATE)
        found.push({ sea: id, seat: report.seat, chart, number: report.number, marks, cells, afloat });
      marks = [...marks, ...shots.map(({ cell, answer, class: kind }) => ({ cell, kind: answer ?? '', class: kind }))];
    }
    return found;
  });
}

/**
 * Over all fleets that fit the reports: the share with a ship on each cell, and the least number of hit ships still
 * afloat; null: too many to count.
 * @param {Chart} chart @param {Kind[]} classes @param {Mark[]} marks in the order of the shots
 * @param {string} [contact] the rules' word for ships that touch
 */
export function chances(chart, classes, marks, contact = 'allowed') {
  const labels = [...chart.cells.keys()];
  const index = new Map(labels.map((label, i) => [label, i]));
  const told = new Map(marks.map((mark, order) => [index.get(mark.cell) ?? -1, { ...mark, order }]));
  const square = [-1, 0, 1].flatMap((row) => [-1, 0, 1].map((column) => [row, column]));
  const sides = contact === 'allowed' ? [[0, 0]] : square.filter(([r, c]) => contact === 'forbidden' || !r || !c);
  const at = (/** @type {number} */ cell, /** @type {number} */ row, /** @type {number} */ column) =>
    index.get(chart.beside(labels[cell], row, column) ?? '') ?? -1;
  /** A ship on these cells, if the reports allow it. @param {number[]} cells @param {string} kind */
  const way = (cells, kind) => {
    const struck = cells.flatMap((cell) => told.get(cell) ?? []);
    const last = struck.reduce((late, { order }) => Math.max(late, order), -1);
    const ends = struck.filter((mark) => mark.kind === 'sunk');
    const down = struck.length === cells.length;
    const fair = struck.every((mark) => mark.kind !== 'miss' && (!mark.class || mark.class === kind));
    // A ship sinks with its last hit.
    if (!fair || ends.length !== Number(down) || (down && ends[0].order !== last)) return [];
    const halo = new Set(cells.flatMap((cell) => sides.map(([row, column]) => at(cell, row, column))));
    return [
      { cells, halo: [...halo].filter((cell) => cell >= 0), struck: struck.length, hurt: struck.length && !down },
    ];
  };
  const kinds = laid(classes).map(({ class: kind, count, orientations = [] }) => {
    const places = orientations.flatMap(({ cells }) =>
      labels.map((_, from) => cells.map(({ row, column }) => at(from, row, column))),
    );
    const ways = places.filter((cells) => !cells.includes(-1)).flatMap((cells) => way(cells, kind));
    return { left: count, ways: ways.filter(({ struck }) => struck), free: ways.filter(({ struck }) => !struck) };
  });
  /** @typedef {typeof kinds[number]} Left */
  const hits = [...told].filter(([, { kind }]) => kind !== 'miss').map(([cell]) => cell);
  const [taken, near, counts] = [0, 1, 2].map(() => new Uint32Array(labels.length));
  /** @type {Left['ways']} */
  const fleet = [];
  let [all, tried, hurt] = [0, 0, Infinity];
  /** @param {Left} kind @param {Left['ways'][number]} one @param {() => void} then */
  const lay = (kind, one, then) => {
    if (tried > MOST || one.cells.some((cell) => near[cell])) return;
    tried++;
    for (const cell of one.cells) taken[cell] = 1;
    for (const cell of one.halo) near[cell]++;
    kind.left--;
    fleet.push(one);
    then();
    fleet.pop();
    kind.left++;
    for (const cell of one.halo) near[cell]--;
    for (const cell of one.cells) taken[cell] = 0;
  };
  /** Ships without a hit; those of a class in one order only. @param {number} which @param {number} from */
  const hidden = (which, from) => {
    const kind = kinds[which];
    if (kind?.left) {
      for (let i = from; i < kind.free.length; i++) lay(kind, kind.free[i], () => hidden(which, i + 1));
    } else if (kind) hidden(which + 1, 0);
    else {
      all++;
      hurt = Math.min(hurt, fleet.filter((one) => one.hurt).length);
      for (const { cells } of fleet) for (const cell of cells) counts[cell]++;
    }
  };
  const cover = () => {
    const next = hits.find((cell) => !taken[cell]);
    if (next === undefined) return hidden(0, 0);
    for (const kind of kinds)
      for (const one of kind.left ? kind.ways : []) if (one.cells.includes(next)) lay(kind, one, cover);
  };
  cover();
  if (!all || tried > MOST) return null;
  const unknown = labels.flatMap((label, i) => (told.has(i) ? [] : [/** @type {const} */ ([label, counts[i] / all])]));
  return { odds: new Map(unknown), hurt };
}

/** The puzzle of a match for a day; null: none. @param {Recorded} match @param {string} day @returns {Puzzle | null} */
export function puzzleOf(match, day) {
  const { contact } = /** @type {AnyOf<Schema<'RuleSet'>>} */ (match.view.rule_set ?? {});
  for (const moment of drawn(day, moments(match), ({ sea, number }) => `${sea} ${number}`)) {
    const counted = chances(moment.chart, match.classes, moment.marks, contact);
    if (!counted || (!counted.hurt && moment.afloat > 1)) continue;
    const lies = match.view.seas.find(({ id }) => id === moment.sea)?.ships.flatMap(({ cells }) => cells ?? []) ?? [];
    // If the truth seems impossible, the rules have more constraints than counted here.
    if (lies.some((cell) => counted.odds.get(cell) === 0)) continue;
    const odds = [...counted.odds].filter(([, odd]) => odd > 0).sort((one, other) => other[1] - one[1]);
    const most = odds[0]?.[1] ?? 0;
    if (odds.length < FEWEST || most < LEAST || most > SURE) continue;
    return { ...moment, ...counted, best: odds.filter(([, odd]) => odd === most).map(([cell]) => cell) };
  }
  return null;
}

/** The effect of a shot at a cell. @param {Recorded} match @param {Puzzle} puzzle @param {string} cell */
export function answer({ view }, { sea, marks }, cell) {
  const ship = view.seas.find(({ id }) => id === sea)?.ships.find(({ cells }) => cells?.includes(cell));
  if (!ship) return 'miss';
  const struck = new Set([cell, ...marks.map((mark) => mark.cell)]);
  return ship.cells?.every((/** @type {string} */ one) => struck.has(one)) ? 'sunk' : 'hit';
}
