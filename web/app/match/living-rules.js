/** The rules of a game as small animated boards, from its card. */

import '../board/board.js';
import { Chart } from '../board/geometry.js';
import { h } from '../dom.js';
import { t } from '../i18n/index.js';
import { vocabulary } from './vocabulary.js';

/** @typedef {import('../board/board.js').Hull} Hull */
/** @typedef {import('../board/geometry.js').Sea} Sea */
/** @typedef {Partial<import('../board/board.js').Known>} Frame */
/** @typedef {{ text: string, sea?: Sea, frames: Frame[] }} Scene on a whole sea or a piece */

/** Milliseconds per frame, and rows and columns of a piece of sea. */
const [FRAME, SIDE] = [1100, 6];
const NOTHING = { marks: [], ships: [], paint: new Map(), patterns: [], routes: [], fresh: new Set(), last: new Set() };
/** Targets of a salvo: the first shot hits. */
const AIMS = [22, 1, 43, 50, 15];
const SQUARE = [-1, 0, 1].flatMap((row) => [-1, 0, 1].map((column) => ({ row, column })));

/** The cells closed to other ships around these, by the contact rule. @param {Chart} chart @param {string[]} cells
 * @param {string} contact */
function halo(chart, cells, contact) {
  const sides = SQUARE.filter(
    ({ row, column }) => contact === 'forbidden' || (contact === 'corners' ? !row || !column : !row && !column),
  );
  return cells.flatMap((cell) => sides.map(({ row, column }) => chart.beside(cell, row, column) ?? ''));
}

/** An example fleet; empty: ships aren't placed on chosen cells. @param {Sea} sea
 * @param {import('../titles.js').Card} card @param {any} rules */
function laid(sea, { classes }, { contact, border }) {
  const chart = new Chart(sea);
  const labels = [...chart.cells.keys()];
  const taken = new Set(
    border === 'end-on' ? labels.filter((one) => halo(chart, [one], 'forbidden').includes('')) : [],
  );
  /** @type {Hull[]} */
  const ships = [];
  const all = classes.toSorted((one, other) => other.length - one.length);
  for (const { class: kind, count, orientations: ways = [] } of all) {
    for (let n = 0; n < count; n++) {
      const tries = labels.flatMap((_, i) => {
        const label = labels[(i * 37 + ships.length * 23) % labels.length];
        const way = ways[(i + ships.length) % ways.length]?.cells ?? [];
        return [way.map(({ row, column }) => chart.beside(label, row, column) ?? '')];
      });
      const cells = tries.find((way) => way.length && way.every((cell) => cell && !taken.has(cell)));
      if (!cells) return [];
      for (const cell of halo(chart, cells, contact)) taken.add(cell);
      ships.push({ id: `s${ships.length}`, seat: 0, class: kind, name: '', cells, own: true });
    }
  }
  return ships;
}

/** @param {import('../titles.js').Card} card @param {Sea} sea @param {Sea} piece @returns {Scene[]} */
function scenes(card, sea, piece) {
  const rules = /** @type {any} */ (card.rule_set);
  const chart = new Chart(piece);
  const sizes = card.classes.toSorted((one, other) => other.length - one.length);
  const usual = sizes.find(({ length }) => length > 2 && length < SIDE) ?? sizes[0];
  const at = (/** @type {number} */ row, /** @type {number} */ column) =>
    chart.places.get(`${piece.layers[0].id}/${row}/${column}`) ?? '';
  /** A horizontal ship. @param {number} row @param {number} column @param {any} [more] @returns {Hull} */
  const ship = (row, column, { of = usual, ...more } = {}) => {
    const cells = Array.from({ length: of.length }, (_, i) => at(row, column + i)).filter(Boolean);
    return { id: `s${row}`, seat: 0, class: of.class, name: '', cells, own: true, ...more };
  };
  /** @type {Scene[]} */
  const all = [];
  const show = (/** @type {string} */ text, /** @type {Frame[]} */ ...frames) => all.push({ text, frames });

  const fleet = laid(sea, card, rules);
  const hidden = fleet.map((_, i) => ({ ships: fleet.slice(0, i + 1) }));
  if (fleet.length) all.push({ text: t('rules-place', { count: fleet.length }), sea, frames: hidden });

  const first = ship(1, 0);
  const { contact, salvo, report, turn } = rules;
  if (contact) {
    const near = halo(chart, first.cells, contact).filter((cell) => cell && !first.cells.includes(cell));
    const wrong = { paint: new Map(near.map((cell) => [cell, { state: 'wrong' }])), ships: [first] };
    const row = contact === 'forbidden' ? 3 : 2;
    const other = ship(row, contact === 'corners' ? first.cells.length : 0, { of: sizes.at(-1) });
    show(t(`differs.contact.${contact}`), { ships: [first] }, wrong, { ships: [first, other] });
  }
  if (salvo && report) {
    const cells = AIMS.slice(0, salvo.size).map((spot) => at(Math.floor(spot / 10), spot % 10));
    const text = (/** @type {number} */ i) => (cells.length > 1 ? String(i + 1) : '');
    const paint = new Map(cells.map((cell, i) => [cell, { state: 'chosen', text: text(i) }]));
    const marks = cells.map((cell, i) => ({ cell, kind: report !== 'per-shot' ? 'aimed' : i ? 'miss' : 'hit' }));
    const said = [
      t('rules-shots', { count: salvo.size }),
      salvo.shrinks !== 'no' && t('rules-fewer'),
      t(`rules-answer.${report}`),
      turn !== 'alternate' && t(`rules-turn.${turn}`),
    ];
    show(said.filter(Boolean).join(' '), {}, { paint }, { marks, fresh: new Set(cells) });
  }
  if (rules.sinking && report === 'per-shot') {
    const { cells } = ship(2, 1);
    const hits = cells.map((_, i) => ({ marks: cells.slice(0, i + 1).map((cell) => ({ cell, kind: 'hit' })) }));
    const down = { ships: [ship(2, 1, { own: false, afloat: false })], marks: hits.at(-1)?.marks };
    const told = rules.names_sunk ? 'named' : rules.announces_sunk ? 'told' : 'silent';
    show(t(`rules-sunk-${told}`), ...hits, told === 'silent' ? {} : down);
  }
  for (const { weapon, effect, pattern = ['x'], range = 0 } of rules.weapons ?? []) {
    const rows = /** @type {string[]} */ (effect === 'line' ? ['x'.repeat(SIDE)] : pattern);
    const [top, left] = [rows.length, rows[0].length].map((size) => Math.max(0, Math.floor((SIDE - size) / 2)));
    const cells = chart.within(rows.map((row) => '.'.repeat(left) + row).toSpliced(0, 0, ...Array(top).fill('')));
    const struck = ship(top + Math.floor(rows.length / 2), effect === 'line' ? 3 : 2).cells;
    const found = cells.filter((cell) => struck.includes(cell));
    const until = effect === 'line' ? cells.slice(0, cells.indexOf(found[0]) + 1) : cells;
    const [yes, no] = effect === 'reveal' ? ['seen', 'excluded'] : ['hit', 'miss'];
    const number = effect === 'count' ? String(found.length) : effect === 'distance' ? '2' : undefined;
    const marks = number ? [] : until.map((cell) => ({ cell, kind: found.includes(cell) ? yes : no }));
    const name = vocabulary(card).supplies.get(weapon) ?? weapon;
    const text = `${name}: ${t(`effect-${effect}`, { count: range || cells.length })}`;
    show(text, { patterns: [{ cells, effect }] }, { patterns: [{ cells, effect, past: true, text: number }], marks });
  }
  const to = ship(4, 1);
  const course = (/** @type {string[]} */ ...cells) => ({ kind: /** @type {const} */ ('course'), cells });
  if ((rules.relocation ?? 'no') !== 'no')
    show(
      t('rules-moves'),
      { ships: [first] },
      { ships: [first], routes: [course(first.cells[1], to.cells[1])] },
      { ships: [to], routes: [course(first.cells[1], to.cells[1])] },
    );
  if (rules.mines)
    show(
      t('rules-mines'),
      { paint: new Map([[at(2, 3), { state: 'chosen' }]]) },
      { marks: [{ cell: at(2, 3), kind: 'mine' }] },
    );
  // Actions of visible ships, by the shape of the action.
  for (const { title, phases, json_schema: schema } of card.actions) {
    const shape = /** @type {Record<string, unknown>} */ (schema.properties ?? {});
    if (!phases.includes('playing')) continue;
    const aim = { kind: /** @type {const} */ ('aim'), cells: [at(3, 2), at(1, 4)] };
    const way = course(at(1, 0), at(2, 0), at(3, 1), at(3, 2));
    const moved = { ships: [ship(3, 2)] };
    if (shape.path)
      show(`${title}.`, { ships: [first] }, { ships: [first], routes: [way] }, { ...moved, routes: [way] });
    if (shape.orders)
      show(`${title}.`, { ships: [first] }, { ships: [first], routes: [way] }, { ...moved, routes: [way, aim] });
    if (shape.line)
      show(
        `${title}.`,
        { ships: [ship(2, 0)] },
        { ships: [ship(2, 0)], patterns: [{ cells: [1, 2, 3, 4, 5].map((column) => at(2, column)), effect: 'line' }] },
      );
    if (shape.depth) show(`${title}.`, moved, { ...moved, marks: [{ cell: at(3, 2), kind: 'near' }] });
  }
  return all;
}

/** The boards of a game; `run` plays them until the signal. With reduced motion, each is a still picture.
 * @param {import('../titles.js').Card} card */
export function livingRules(card) {
  const sea = /** @type {Sea} */ (card.board.seas[0]);
  const cells = sea.cells.filter(({ layer, row, column }) => layer === sea.layers[0].id && row < SIDE && column < SIDE);
  const titles = { row_titles: [], column_titles: [] };
  const piece = { ...sea, ...titles, rows: SIDE, columns: SIDE, layers: sea.layers.slice(0, 1), cells };
  const boards = scenes(card, sea, piece).map(({ text, sea: whole, frames }) => {
    const board = /** @type {import('../board/board.js').SeaBoard} */ (document.createElement('sea-board'));
    board.draw(whole ?? piece, '', true, card.classes);
    // The last frame lasts twice as long.
    const show = (/** @type {number} */ tick) =>
      board.show({ ...NOTHING, ...frames[Math.min(tick % (frames.length + 1), frames.length - 1)] });
    show(frames.length);
    return { show, item: h('li', {}, h('div', { 'aria-hidden': 'true' }, board), h('p', {}, text)) };
  });
  const run = (/** @type {AbortSignal} */ signal) => {
    let tick = 0;
    const next = () => {
      for (const { show } of boards) show(tick);
      tick++;
    };
    const timer = matchMedia('(prefers-reduced-motion: reduce)').matches ? undefined : setInterval(next, FRAME);
    signal.addEventListener('abort', () => clearInterval(timer));
  };
  const list = h(
    'ul',
    { class: 'living-rules' },
    boards.map(({ item }) => item),
  );
  return { element: list, run };
}
