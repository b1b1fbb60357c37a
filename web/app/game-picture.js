/** A picture of a game: its ships, and its special rules, all from the card. */

import { svg } from './dom.js';
import { drawMark, reticle } from './kit/marks.js';
import { looksOf, shapeOf, shipPicture } from './kit/ships.js';
import { coast, waves } from './kit/water.js';

/** Cells of the picture, and units per cell. */
const [COLUMNS, ROWS, CELL] = [8, 4, 40];

/** @typedef {Schema<'VariantSummary'>} Card */
/** @typedef {[number, number]} Place a column and a row */
/** @typedef {{ look?: string | null, length: number, cells?: { row: number, column: number }[] }} Hull */

/** @param {Place} at @param {import('./dom.js').Child | import('./dom.js').Child[]} what */
const put = ([column, row], what) => svg('g', { transform: `translate(${column * CELL} ${row * CELL})` }, what);
/** @param {Place[]} cells */
const light = (cells) => cells.map((at) => put(at, svg('rect', { width: CELL, height: CELL, class: 'searched' })));
/** @param {Place} at @param {string} kind @param {number} [count] */
const mark = (at, kind, count) => put(at, drawMark({ kind, count }));

/** Ships of a game, longest first. @param {Card} card @returns {Hull[]} */
function fleetOf(card) {
  const looks = looksOf(card.classes);
  const sorted = card.classes.toSorted((one, other) => other.length - one.length);
  return sorted.map((one) => ({ look: looks.get(one.class), length: one.length, cells: shapeOf(one, one.length) }));
}

/** @param {Hull} one @param {Place} at @param {number} [hits] */
function ship(one, at, hits = 0) {
  const { cells } = one;
  const size = { columns: one.length, rows: 1 };
  if (cells) {
    size.columns = Math.max(...cells.map(({ column }) => column)) + 1;
    size.rows = Math.max(...cells.map(({ row }) => row)) + 1;
  }
  const picture = shipPicture({ ...one, hits });
  picture.setAttribute('width', String(size.columns * CELL));
  picture.setAttribute('height', String(size.rows * CELL));
  return put(at, picture);
}

/** A dotted path between two places. @param {Place} from @param {Place} to */
function arc([x, y], [u, v]) {
  const [a, b] = [(x + 0.5) * CELL, (y + 0.5) * CELL];
  const [c, d] = [(u + 0.5) * CELL, (v + 0.5) * CELL];
  return svg('path', { d: `M${a} ${b}Q${(a + c) / 2} ${Math.min(b, d) - 60} ${c} ${d}`, class: 'flight' });
}

/** @param {Place} from @param {Place} to */
function arrow([x, y], [u, v]) {
  const [a, b, c, d] = [x, y, u, v].map((at) => (at + 0.5) * CELL);
  return svg('path', { d: `M${a} ${b}L${c} ${d}m-14-8l14 8l-14 8`, class: 'course' });
}

/** Cross-section of the sea with ships on its levels. @param {Card} card @param {number} levels */
function section(card, levels) {
  const height = 160 / (levels + 0.6);
  const fleet = fleetOf(card);
  const bands = Array.from({ length: levels }, (_, i) =>
    svg('rect', { y: height * (i + 0.6), width: 320, height, class: `band band-${Math.min(i, 4)}` }),
  );
  const at = (/** @type {number} */ level) => (height * (level + 0.6) + height / 2) / CELL - 0.5;
  const last = fleet.at(-1) ?? { length: 1 };
  return [
    svg('rect', { width: 320, height: height * 0.6, class: 'sky' }),
    ...bands,
    ship(last, [1, at(0)]),
    ship(fleet[0] ?? last, [5, at(levels - 1)]),
    mark([3, at(1)], 'near'),
    mark([4, at(levels - 1)], 'tried'),
    ship(last, [6, at(0)]),
  ];
}

/** The effect of a weapon. @param {string} effect @param {Place} at */
function weapon(effect, [column, row]) {
  const area = [-1, 0, 1].flatMap((x) => [-1, 0, 1].map((y) => /** @type {Place} */ ([column + x, row + y])));
  if (effect === 'line') return [arrow([column - 1, row], [column + 1, row])];
  if (effect === 'distance')
    return [1, 2, 3].map((n) =>
      svg('circle', { cx: (column + 0.5) * CELL, cy: (row + 0.5) * CELL, r: n * 30, class: 'echo' }),
    );
  const sign = effect === 'reveal' ? mark([column, row], 'sighted') : mark([column, row], 'aimed', 2);
  return [light(area), effect === 'area' ? area.slice(3, 6).map((at) => mark(at, 'hit')) : sign];
}

/** The special rules on flat water. @param {Card} card */
function scene(card) {
  const rules = /** @type {any} */ (card.rule_set);
  const fleet = fleetOf(card);
  const bent = fleet.filter(({ cells }) => cells);
  /** @type {any[]} */
  const drawn = [];
  if (rules.weapons?.length) {
    const shown = rules.weapons.slice(0, 2);
    shown.forEach((/** @type {any} */ one, /** @type {number} */ i) =>
      drawn.push(...weapon(one.effect, [5 + (i ? 1 : 0), i ? 3 : 1])),
    );
    drawn.push(ship(fleet[0], [0, 0], 1), ship(fleet.at(-1) ?? fleet[0], [1, 2.6]));
    return drawn;
  }
  if (bent.length)
    return [
      ...bent.slice(0, 2).map((one, i) => ship(one, [1 + i * 3, i])),
      mark([6, 3], 'hit'),
      light([[7, 0]]),
      mark([7, 0], 'miss'),
    ];
  if (rules.islands)
    drawn.push(
      coast([
        { row: 0, column: 6 },
        { row: 0, column: 7 },
        { row: 1, column: 7 },
      ]),
    );
  if (card.seats.max > 2) {
    const small = fleet.slice(0, 3).map((one) => ({ ...one, length: Math.max(1, Math.min(2, one.length)) }));
    drawn.push(
      svg('circle', { cx: 80, cy: 70, r: 72, class: 'echo' }),
      small.map((one, i) =>
        ship(
          one,
          /** @type {Place} */ (
            [
              [1, 1.2],
              [5, 0.3],
              [4.6, 2.7],
            ][i]
          ),
        ),
      ),
      arrow([2.4, 1.3], [4, 2]),
      put([6, 2.7], reticle('')),
    );
    return drawn;
  }
  if (rules.mines)
    return [...drawn, ship(fleet[0], [0.5, 1]), mark([5, 0], 'mine'), mark([6, 2], 'mine'), mark([3, 3], 'mine')];
  const salvo = Number(rules.salvo?.size ?? 1);
  const targets = /** @type {Place[]} */ ([
    [4, 0],
    [5, 2],
    [6, 1],
    [7, 3],
    [3, 3],
  ]);
  if (salvo > 1) {
    const aimed = targets.slice(0, Math.min(5, salvo));
    drawn.push(
      aimed.map((at, i) => [arc([0.6, 3], at), put(at, reticle(String(i + 1)))]).flat(),
      ship(fleet[0], [0, 1.2]),
    );
    // Only the number of hits is reported.
    if (rules.report && rules.report !== 'per-shot') drawn.push(mark([1, 3], 'aimed', Math.min(3, salvo - 1)));
    if (rules.relocation && rules.relocation !== 'no') drawn.push(arrow([1, 0.3], [3, 0.3]));
    return drawn;
  }
  const again = rules.turn === 'while-hitting';
  const named = rules.names_hit ? 2 : again ? 3 : 1;
  drawn.push(
    light([
      [0, 2],
      [1, 0],
      [3, 3],
      [7, 3],
      [6, 0],
    ]),
    /** @type {Place[]} */ ([
      [0, 2],
      [1, 0],
      [3, 3],
      [7, 3],
    ]).map((at) => mark(at, 'miss')),
    ship(fleet[0], [1, 1], named),
    again ? [put([4, 2], reticle('1')), put([5, 2], reticle('2'))] : put([6, 1], reticle('')),
    ship(fleet.at(-1) ?? fleet[0], [4.5, 0]),
  );
  return drawn;
}

/** @param {Card} card */
export function gamePicture(card) {
  const grid = [
    Array.from({ length: COLUMNS - 1 }, (_, i) => `M${(i + 1) * CELL} 0v${ROWS * CELL}`).join(''),
    Array.from({ length: ROWS - 1 }, (_, i) => `M0 ${(i + 1) * CELL}h${COLUMNS * CELL}`).join(''),
  ].join('');
  return svg(
    'svg',
    {
      viewBox: `0 0 ${COLUMNS * CELL} ${ROWS * CELL}`,
      class: 'game-picture',
      'aria-hidden': 'true',
      preserveAspectRatio: 'xMidYMid slice',
    },
    svg('rect', { width: COLUMNS * CELL, height: ROWS * CELL, class: 'unsearched' }),
    svg('path', { d: waves(COLUMNS, ROWS), class: 'wave' }),
    card.layers > 2
      ? section(card, Math.min(card.layers, 4))
      : [svg('path', { d: grid, class: 'lines' }), ...scene(card).flat(2)],
  );
}
