/** A small sea for drawing a new ship. */

import '../board/board.js';
import { fill, h } from '../dom.js';
import { t } from '../i18n/index.js';
import { isStraight } from '../kit/ships.js';
import { labelled, select } from '../ui.js';
import { cornered, grid } from './draft.js';

/** @typedef {import('./draft.js').ShipClass} ShipClass */

/** True if the cells connect by their sides. @param {import('./draft.js').Spot[]} cells */
function whole(cells) {
  const found = cells.slice(0, 1);
  for (const one of found)
    for (const other of cells)
      if (!found.includes(other) && Math.abs(one.row - other.row) + Math.abs(one.column - other.column) === 1)
        found.push(other);
  return cells.length > 0 && found.length === cells.length;
}

/** A name as an id of the contract. @param {string} name @param {string[]} taken */
function idOf(name, taken) {
  const latin = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const id = latin.match(/[a-z0-9]+/g)?.join('-') ?? 'ship';
  return taken.includes(id) ? `${id}-${taken.length + 1}` : id;
}

/** @param {import('./draft.js').Draft} draft @param {(ship: ShipClass) => void} add called with the drawn ship */
export function shipYard(draft, add) {
  const kind = draft.part('fleet', 'items');
  const side = kind.properties.shape?.maxItems ?? 6;
  const sea = grid(side, side);
  const board = /** @type {import('../board/board.js').SeaBoard} */ (document.createElement('sea-board'));
  board.draw(sea, t('draw-ship'));
  /** @type {Set<string>} */
  const drawn = new Set();
  /** @type {ShipClass[]} */
  const known = draft.base.fleet;
  const name = draft.names
    ? h('input', { name: 'ship_name', maxlength: 20, value: t('new-ship'), autocomplete: 'off' })
    : select(
        'ship_name',
        known.map((one) => [one.class, draft.titleOf(one)]),
      );
  const said = h('small', { role: 'status' });
  const button = h('button', { type: 'button', disabled: true }, t('add-ship'));
  const cells = () => sea.cells.filter(({ label }) => drawn.has(label));
  const show = () => {
    const labels = cells().map(({ label }) => label);
    const one = whole(cells());
    const hull = { id: 'b', seat: -1, class: '', name: name.value, cells: labels, own: true };
    const paint = new Map(one ? [] : labels.map((label) => [label, { state: 'ghost' }]));
    board.show({ ships: one ? [hull] : [], paint, active: true });
    button.disabled = !one;
    fill(said, t(one ? 'ship-cells' : labels.length ? 'ship-apart' : 'draw-ship-help', { count: labels.length }));
  };
  board.addEventListener('sea-cell', (event) => {
    const { cell } = /** @type {CustomEvent} */ (event).detail;
    if (!drawn.delete(cell)) drawn.add(cell);
    show();
  });
  button.addEventListener('click', () => {
    const spots = cornered(cells());
    const [rows, columns] = [Math.max(...spots.map(({ row }) => row)), Math.max(...spots.map(({ column }) => column))];
    const has = (/** @type {number} */ row, /** @type {number} */ column) =>
      spots.some((spot) => spot.row === row && spot.column === column) ? 'x' : '.';
    const shape = Array.from({ length: rows + 1 }, (_, row) =>
      Array.from({ length: columns + 1 }, (_, column) => has(row, column)).join(''),
    );
    const bent = !isStraight(spots) && { shape, ...(kind.properties.mirroring && { mirroring: true }) };
    const called = name.value.trim() || t('new-ship');
    const id = idOf(
      called,
      draft.fleet.map((one) => one.class),
    );
    const old = known.find((one) => !draft.names && one.class === name.value);
    const kept = old && { ...(draft.fleet.find((one) => one.class === old.class) ?? old), shape: undefined };
    add({ class: id, name: called, count: 1, ...kept, length: spots.length, ...bent });
    drawn.clear();
    show();
  });
  show();
  return h(
    'div',
    { class: 'yard' },
    board,
    h(
      'div',
      {},
      h('h3', {}, t('draw-ship')),
      h('p', {}, said),
      labelled(t(draft.names ? 'name' : 'in-place-of'), name),
      button,
    ),
  );
}
