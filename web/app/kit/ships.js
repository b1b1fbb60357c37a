/** Ships from above, drawn from their cells and look: any length or bend, afloat, hit or sunk. */

import { svg } from '../dom.js';
import { drawMark } from './marks.js';

/** Units per cell side in every drawing. */
export const CELL = 40;

/** @typedef {{ row: number, column: number }} Spot */
/** @typedef {string} Look */
/** @typedef {{ house?: string, top?: string, hole?: string, guns?: string, line?: string, stripe?: string, dash?: string }} Parts */

/** Half the beam, in units. @type {Record<string, number>} */
const BEAM = { carrier: 15.6, battleship: 14, cruiser: 11.6, destroyer: 9.2, submarine: 8.6, merchant: 12 };

/** The tapered share of the hull. @type {Record<string, number>} */
const BOW = { battleship: 0.46, cruiser: 0.52, destroyer: 0.56, merchant: 0.34 };

/** Positions of turrets as shares of the length, by length: forward turrets, then aft turrets. */
const TURRETS = [[], [0.6], [0.7], [0.66, 0.8], [0.64, 0.77], [0.63, 0.74], [0.62, 0.71, 0.8]];
const AFT = [[], [], [0.17], [0.16], [0.15], [0.22, 0.11], [0.23, 0.13]];

/** @param {number} value */
const r = (value) => Math.round(value * 10) / 10;
/** @param {(string | number)[]} parts */
const d = (...parts) => parts.map((part) => (typeof part === 'number' ? r(part) : part)).join(' ');
/** @param {number} x @param {number} y @param {number} radius */
const disc = (x, y, radius) =>
  d('M', x - radius, y, 'a', radius, radius, '0 1 0', radius * 2, '0a', radius, radius, '0 1 0', -radius * 2, '0Z');
/** A box with cut corners. @param {number} x @param {number} y @param {number} w @param {number} h @param {number} c */
const box = (x, y, w, h, c) =>
  d(
    'M',
    x + c,
    y,
    'h',
    w - 2 * c,
    'l',
    c,
    c,
    'v',
    h - 2 * c,
    'l',
    -c,
    c,
    'h',
    2 * c - w,
    'l',
    -c,
    -c,
    'v',
    2 * c - h,
    'Z',
  );

/** Points on both sides of the axis. @param {[number, number][]} points */
const mirrored = (points) => d('M', ...points.flat(), ...points.reverse().flatMap(([x, y]) => ['L', x, -y]), 'Z');

/** The outline of a straight hull. @param {string} look @param {number} n its length in units */
function outline(look, n) {
  const b = BEAM[look];
  if (look === 'carrier') {
    const port = [
      [0, -0.68],
      [0.13, -0.74],
      [0.27, -1],
      [0.63, -1],
      [0.74, -0.72],
      [0.93, -0.5],
      [0.965, -0.4],
    ];
    const starboard = [
      [1, 0],
      [0.965, 0.4],
      [0.93, 0.5],
      [0.76, 0.68],
      [0.66, 1],
      [0.21, 1],
      [0.14, 0.78],
      [0, 0.68],
    ];
    return d('M', ...[...port, ...starboard].flatMap(([x, y], i) => [i ? 'L' : '', x * n, y * b]), 'Z');
  }
  if (look === 'submarine') {
    const [tail, nose] = [Math.min(n * 0.3, 46), n - b * 1.3];
    return d(
      'M 3 0 C',
      tail * 0.4,
      -b * 0.5,
      tail * 0.5,
      -b,
      tail,
      -b,
      'H',
      nose,
      'C',
      n - 2,
      -b,
      n,
      -b * 0.5,
      n,
      0,
      'S',
      n - 2,
      b,
      nose,
      b,
      'H',
      tail,
      'C',
      tail * 0.5,
      b,
      tail * 0.4,
      b * 0.5,
      '3 0Z',
    );
  }
  const stern = Math.min((look === 'merchant' ? 0.14 : 0.21) * n, 36);
  const bow = n - Math.min(BOW[look] * n, look === 'merchant' ? 40 : 66);
  const t = b * (look === 'merchant' ? 0.8 : 0.63);
  const [near, far] = [bow + (n - bow) * 0.45, bow + (n - bow) * 0.8];
  return d(
    'M 0',
    -t,
    'Q',
    stern * 0.5,
    -b,
    stern,
    -b,
    'H',
    bow,
    'C',
    near,
    -b,
    far,
    -b * 0.4,
    n,
    '0 C',
    far,
    b * 0.4,
    near,
    b,
    bow,
    b,
    'H',
    stern,
    'Q',
    stern * 0.5,
    b,
    0,
    t,
    'Z',
  );
}

/** @param {number} n @param {number} length @param {number} size @param {number[]} barrels */
function turrets(n, length, size, barrels, reach = 9) {
  const at = Math.min(length, 6);
  const s = length === 1 ? size * 0.8 : size;
  let [top, guns] = ['', ''];
  for (const [shares, way] of /** @type {[number[], number][]} */ ([
    [TURRETS[at], 1],
    [AFT[at], -1],
  ])) {
    for (const share of shares) {
      top += box(share * n - s, -s, 2 * s, 2 * s, s * 0.6);
      for (const y of barrels) guns += d('M', share * n + way * s, y, 'h', way * (length === 1 ? reach * 0.6 : reach));
    }
  }
  return { top, guns };
}

/** Structures on deck. @type {Record<string, (n: number, length: number, b: number) => Parts>} */
const DETAILS = {
  carrier: (n, length, b) => {
    const count = [0, 0, 2, 3, 5, 6, 8][Math.min(length, 6)];
    const planes = Array.from({ length: count }, (_, i) =>
      plane(n * (i ? 0.91 - 0.055 * (i >> 1) : 0.2), i ? (i % 2 ? 4.4 : -4.4) : -5),
    );
    return {
      stripe: d('M', n * 0.05, -b * 0.3, 'L', n * 0.33, -b * 0.78, 'M', n * 0.05, b * 0.36, 'L', n * 0.58, -b * 0.76),
      dash: d('M', n * 0.03, b * 0.05, 'L', n * 0.5, -b * 0.78, 'M', n * 0.57, '0H', n * 0.97),
      line: box(n * 0.3, b * 0.4, n * 0.055, b * 0.3, 0.5) + box(n * 0.6, b * 0.28, n * 0.055, b * 0.3, 0.5),
      house: box(n * 0.42, b * 0.52, n * 0.15, b * 0.34, 1),
      top: `${box(n * 0.475, b * 0.57, n * 0.085, b * 0.24, 0.5)}${planes.join('')}`,
      hole: disc(n * 0.448, b * 0.69, 1.5),
    };
  },
  battleship: (n, length, b) => {
    const { top, guns } = turrets(n, length, 5.4, [-2.5, 0, 2.5]);
    const sides = [0.36, 0.45, 0.54].flatMap((x) => [-1, 1].map((y) => d('M', n * x, y * b * 0.55, 'l 2', y * 3.4)));
    return {
      house: box(n * 0.3, -b * 0.62, n * 0.3, b * 1.24, Math.min(4, n * 0.05)),
      top: top + box(n * 0.335, -b * 0.3, n * 0.23, b * 0.6, 2) + disc(n * 0.535, 0, 4),
      guns: guns + sides.join(''),
      hole: disc(n * 0.38, 0, 2.6) + (length > 4 ? disc(n * 0.44, 0, 2.6) : '') + disc(n * 0.535, 0, 1.6),
    };
  },
  cruiser: (n, length, b) => {
    const { top, guns } = turrets(n, length, 4, [-1.6, 1.6], 7);
    return {
      house: box(n * 0.28, -b * 0.55, n * 0.34, b * 1.1, 2.5),
      top: top + box(n * 0.52, -b * 0.36, Math.min(n * 0.075, 8), b * 0.72, 1),
      guns,
      line: disc(n * 0.35, 0, 3.6) + (length > 1 ? disc(n * 0.44, 0, 3.6) : ''),
      hole: disc(n * 0.35, 0, 2.3) + (length > 1 ? disc(n * 0.44, 0, 2.3) : ''),
    };
  },
  destroyer: (n, length, b) => {
    const { top, guns } = turrets(n, length === 1 ? 1 : 2, 3.2, [0], 7);
    return {
      house: box(n * 0.34, -b * 0.5, n * 0.28, b, 2),
      top: top + box(n * 0.54, -b * 0.4, Math.min(n * 0.075, 7), b * 0.8, 1),
      guns: guns + d('M', n * 0.41, '2.4l 8 -5M', n * 0.43, '4.4l 8 -5'),
      hole: disc(n * 0.4, 0, 2),
    };
  },
  submarine: (n, length, b) => ({
    house: d('M', n * 0.44, 0, 'Q', n * 0.52, -b * 0.6, n * 0.62, 0, 'Q', n * 0.52, b * 0.6, n * 0.44, 0, 'Z'),
    guns: d('M', n * 0.56, -b * 0.95, 'V', b * 0.95),
    hole: disc(n * 0.54, 0, 1.3),
    line:
      Array.from({ length: Math.max(0, length - 1) }, (_, i) => box(n * (0.24 + 0.05 * i), -2, n * 0.035, 4, 1)).join(
        '',
      ) + d('M', n * 0.66, '0H', n * 0.92),
  }),
  merchant: (n, length, b) => {
    const count = Math.max(1, length - 1);
    const [from, each] = [11 + n * 0.06, (n * 0.84 - 11 - n * 0.06) / count];
    return {
      line: Array.from({ length: count }, (_, i) => box(from + i * each, -b * 0.58, each - 2.5, b * 1.16, 1)).join(''),
      house: box(5, -b * 0.62, 9, b * 1.24, 2),
      top: box(7, -b * 0.4, 5, b * 0.8, 1),
    };
  },
};

/** @param {number} x @param {number} y */
const plane = (x, y) =>
  d('M', x - 3.6, y - 1.2, 'l 2 1-.4 .4-1.6-.2v .8l 1.6-.2 .6 3.4h 1l .5-3.4 3-.4-3-.6-.5-3.4h-1l-.6 3Z');

/** @param {Parts} parts */
function parts(parts) {
  return Object.entries(parts).map(([name, path]) => path && svg('path', { d: path, class: `ship-${name}` }));
}

/** A straight hull, stern at 0 and bow to the right. @param {string} look @param {number} length */
function straight(look, length) {
  const n = length * CELL - 5.5;
  const hull = outline(look, n);
  const tall = look === 'carrier' ? 0.88 : 0.78;
  const tail = look === 'submarine' && svg('path', { class: 'ship-hull', d: 'M0-8.5 10-2V2L0 8.5 3 0Z' });
  return [
    tail,
    svg('path', { d: hull, class: 'ship-hull' }),
    svg('path', {
      d: hull,
      class: 'ship-deck',
      transform: d('translate(', 3, ') scale(', 1 - 7 / n, ',', tall, ')')
        .replaceAll(' ', '')
        .replace(')s', ') s'),
    }),
    ...parts(DETAILS[look](n, length, BEAM[look])),
  ];
}

/** Cells of a bent ship in order, from the stern; null: it has branches. @param {Spot[]} cells */
function along(cells) {
  const beside = (/** @type {Spot} */ a) =>
    cells.filter((b) => Math.abs(a.row - b.row) + Math.abs(a.column - b.column) === 1);
  if (cells.some((cell) => beside(cell).length > 2)) return null;
  const ends = cells.filter((cell) => beside(cell).length === 1);
  const path = ends.length === 2 ? [ends[0]] : [];
  for (let next = path[0]; next && path.length < cells.length; ) {
    const after = beside(next).find((cell) => !path.includes(cell));
    if (!after) break;
    path.push((next = after));
  }
  return path.length === cells.length ? path : null;
}

/** @param {Spot} cell @returns {[number, number]} */
const middle = ({ row, column }) => [column * CELL + 20, row * CELL + 20];

/** A bent hull: one thick line through the cells. @param {Spot[]} cells */
function bent(cells) {
  const path = along(cells);
  let [spine, bow] = ['', ''];
  let stern = (/** @type {number} */ _back) => '';
  /** @type {Parts} */
  const on = { house: '', top: '', guns: '', hole: '' };
  const gun = (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {number} */ dx,
    /** @type {number} */ dy,
  ) => {
    on.top += box(x - 4, y - 4, 8, 8, 2.4);
    on.guns += d(
      'M',
      x + dx * 4 + dy * 1.5,
      y + dy * 4 - dx * 1.5,
      'l',
      dx * 7,
      dy * 7,
      'M',
      x + dx * 4 - dy * 1.5,
      y + dy * 4 + dx * 1.5,
      'l',
      dx * 7,
      dy * 7,
    );
  };
  if (path) {
    const points = path.map(middle);
    const way = (/** @type {number} */ i) => [
      (points[i + 1][0] - points[i][0]) / CELL,
      (points[i + 1][1] - points[i][1]) / CELL,
    ];
    const last = points.length - 1;
    const [[sx, sy], [bx, by]] = [way(0), way(last - 1)];
    const [[x0, y0], [x1, y1]] = [points[0], points[last]];
    spine = d('L', x0, y0);
    stern = (back) => d('M', x0 - sx * back, y0 - sy * back);
    for (let i = 1; i < last; i++) {
      const [[ax, ay], [cx, cy], [x, y]] = [way(i - 1), way(i), points[i]];
      spine += d('L', x - ax * 13, y - ay * 13, 'Q', x, y, x + cx * 13, y + cy * 13);
      if (ax !== cx) [on.house, on.hole] = [on.house + disc(x, y, 6.5), on.hole + disc(x, y, 2)];
      else if (i % 2) [on.house, on.hole] = [on.house + box(x - 6, y - 4.5, 12, 9, 2), on.hole + disc(x, y, 2)];
    }
    spine += d('L', x1, y1);
    bow = d('translate(', x1, y1, ') rotate(', (Math.atan2(by, bx) * 180) / Math.PI, ')');
    gun(x0 - sx * 2, y0 - sy * 2, -sx, -sy);
    gun(x1 - bx * 4, y1 - by * 4, bx, by);
  } else {
    for (const cell of cells) {
      const [x, y] = middle(cell);
      for (const [dr, dc] of [
        [0, 1],
        [1, 0],
      ])
        if (cells.some((one) => one.row === cell.row + dr && one.column === cell.column + dc))
          spine += d('M', x, y, 'l', dc * CELL, dr * CELL);
      const block = [
        [0, 1],
        [1, 0],
        [1, 1],
      ].every(([dr, dc]) => cells.some((one) => one.row === cell.row + dr && one.column === cell.column + dc));
      if (block) spine += d('M', x, y, 'h 40v 40h-40Z');
      [on.house, on.hole] = [on.house + disc(x, y, 6.5), on.hole + disc(x, y, 2)];
    }
  }
  const layer = (/** @type {string} */ name, /** @type {number} */ width) => [
    svg('path', {
      d: stern(width / 2 + 3.4) + spine,
      class: `${name} ${path ? 'spine' : 'spine round'}`,
      'stroke-width': width,
    }),
    path &&
      svg('path', {
        class: `${name} cap`,
        transform: bow,
        d: d('M-1', -width / 2, 'Q', 12, -width / 2, 7 + width * 0.46, 0, 'Q 12', width / 2, -1, width / 2, 'Z'),
      }),
  ];
  return [layer('foam', 31), layer('line', 27.4), layer('hull', 25.6), layer('deck', 20), parts(on)].flat();
}

/** True if the cells form one line. @param {Spot[]} cells */
export const isStraight = (cells) =>
  cells.every(({ row }) => row === cells[0].row) || cells.every(({ column }) => column === cells[0].column);

let wrecks = 0;

/** A broken hull: stern submerged, bow dry. @param {string} look @param {number} length */
function wreck(look, length) {
  const h = (length * CELL - 5.5) / 2;
  const id = `wreck-${++wrecks}`;
  const half = (/** @type {string} */ name, /** @type {number} */ edge, /** @type {string} */ turn) => {
    const side = name === 'stern' ? -60 : h * 2 + 60;
    const tear = d(
      'M',
      side,
      '-40H',
      h + edge,
      'L',
      h + edge + 3,
      '-11',
      h + edge - 3,
      '-5',
      h + edge + 3,
      0,
      h + edge - 2,
      7,
      h + edge + 2,
      '12',
      h + edge,
      '40H',
      side,
      'Z',
    );
    return [
      svg('clipPath', { id: `${id}-${name}` }, svg('path', { d: tear })),
      svg(
        'g',
        { class: name, transform: turn },
        svg('g', { 'clip-path': `url(#${id}-${name})` }, straight(look, length)),
      ),
    ];
  };
  return [
    ...half('stern', -1, d('rotate(-6', h * 0.4, '0)')),
    svg('path', {
      class: 'ripple',
      d:
        d('M', h - 9, '11q 4-4 8 0M', h * 0.3, '-14q 5 4 11 1M', h * 0.16, '14q 6-5 12-1') +
        disc(h - 4, -10, 1.6) +
        disc(h + 4, 13, 1.3),
    }),
    ...half('bow', 1, d('rotate(6', h * 1.6, '0)')),
  ];
}

/** @param {Spot[]} cells from the stern to the bow
 * @param {{ look?: string | null, sunk?: boolean, ghost?: boolean }} [how] */
export function drawShip(cells, { look: wanted, sunk = false, ghost = false } = {}) {
  const look = wanted && DETAILS[wanted] ? wanted : 'merchant';
  const group = svg('g', { class: `look look-${look}${sunk ? ' sunk' : ''}${ghost ? ' ghost' : ''}` });
  const crosses = () =>
    cells.map((cell) =>
      svg('path', {
        class: 'mark-x bare',
        transform: d('translate(', ...middle(cell), ')'),
        d: 'M-4.5-4.5 4.5 4.5M4.5-4.5-4.5 4.5',
      }),
    );
  if (!isStraight(cells)) {
    group.append(...bent(cells).filter((part) => part instanceof Node));
    if (sunk) group.append(svg('path', { class: 'danger', d: border(cells, 1.5) }), ...crosses());
    return group;
  }
  const [first, last] = [cells[0], cells[cells.length - 1]];
  const angle = (Math.atan2(last.row - first.row, last.column - first.column) * 180) / Math.PI;
  const [x, y] = middle(first);
  const length = cells.length;
  const body = svg('g', { transform: d('translate(', x, y, ') rotate(', angle, ') translate(-17 0)') });
  if (sunk) {
    body.append(
      svg('rect', { class: 'danger', x: -1.5, y: -18.5, width: length * CELL - 3, height: 37, rx: 17 }),
      ...wreck(look, length),
    );
  } else {
    const n = length * CELL - 5.5;
    const hull = outline(look, n);
    const [dx, dy] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
    if (ghost) body.append(svg('path', { d: hull, class: 'ship-hull' }));
    else
      body.append(
        svg('path', {
          d: hull,
          class: 'shadow',
          transform: d('translate(', 2 * dx + 3.2 * dy, 3.2 * dx - 2 * dy, ')'),
        }),
        svg('path', { d: hull, class: 'foam' }),
        svg('path', {
          d: hull,
          class: 'spray',
          transform: d('translate(-3 0) scale(') + `${r(((n + 6) / n) * 100) / 100} 1.24)`,
        }),
        ...straight(look, length).filter((part) => part instanceof Node),
      );
  }
  group.append(body, ...(sunk ? crosses() : []));
  return group;
}

/** The border of cells, as one path. @param {Spot[]} cells @param {number} [inset] */
export function border(cells, inset = 0) {
  const has = new Set(cells.map(({ row, column }) => `${row}/${column}`));
  let path = '';
  for (const { row, column } of cells) {
    const free = (/** @type {number} */ dr, /** @type {number} */ dc) => !has.has(`${row + dr}/${column + dc}`);
    const edge = (/** @type {number} */ dr, /** @type {number} */ dc) => (free(dr, dc) ? inset : 0);
    const [x1, y1] = [column * CELL + edge(0, -1), row * CELL + edge(-1, 0)];
    const [x2, y2] = [column * CELL + CELL - edge(0, 1), row * CELL + CELL - edge(1, 0)];
    if (free(-1, 0)) path += `M${x1} ${y1}H${x2}`;
    if (free(1, 0)) path += `M${x1} ${y2}H${x2}`;
    if (free(0, -1)) path += `M${x1} ${y1}V${y2}`;
    if (free(0, 1)) path += `M${x2} ${y1}V${y2}`;
  }
  return path;
}

/** @param {{ class: string, look?: string }[]} classes */
export const looksOf = (classes) => new Map(classes.map((one) => [one.class, one.look ?? 'merchant']));

/**
 * A ship as a picture of its own, bow to the right.
 * @param {{ look?: string | null, length?: number, cells?: Spot[], hits?: number | number[], state?: 'sunk' | '' }} ship
 * @param {string} [title]
 */
export function shipPicture({ look, length = 1, cells, hits = 0, state = '' }, title = '') {
  const spots = cells ?? Array.from({ length }, (_, column) => ({ row: 0, column }));
  const [rows, columns] = [
    Math.max(...spots.map(({ row }) => row)) + 1,
    Math.max(...spots.map(({ column }) => column)) + 1,
  ];
  const struck = typeof hits === 'number' ? [...spots.keys()].slice(0, hits) : hits;
  const picture = svg(
    'svg',
    {
      class: 'ship-picture',
      viewBox: `0 0 ${columns * CELL} ${rows * CELL}`,
      'data-length': length,
      ...(title ? { role: 'img', 'aria-label': title } : { 'aria-hidden': 'true' }),
    },
    drawShip(spots, { look, sunk: state === 'sunk' }),
    state !== 'sunk' &&
      struck.map(
        (i) =>
          spots[i] &&
          svg(
            'g',
            { transform: `translate(${spots[i].column * CELL} ${spots[i].row * CELL})` },
            drawMark({ kind: 'hit' }, true),
          ),
      ),
  );
  picture.style.setProperty('--ratio', String(columns / rows));
  picture.style.setProperty('--rows', String(rows));
  return picture;
}

/** A fleet as silhouettes with names.
 * @param {{ class: string, name: string, length: number, afloat?: boolean | null, hits?: number | null }[]} ships
 * @param {{ class: string, look?: string, orientations?: { cells: Spot[] }[] }[]} classes */
export function fleet(ships, classes) {
  const list = document.createElement('ul');
  list.className = 'fleet-picture';
  for (const ship of ships) {
    const kind = classes.find((one) => one.class === ship.class);
    const item = document.createElement('li');
    const name = document.createElement('span');
    name.textContent = ship.name;
    item.title = ship.name;
    if (ship.afloat === false) item.className = 'lost';
    item.append(
      shipPicture({
        look: kind?.look,
        length: ship.length,
        cells: shapeOf(kind, ship.length),
        hits: ship.hits ?? 0,
        state: ship.afloat === false ? 'sunk' : '',
      }),
      name,
    );
    list.append(item);
  }
  return list;
}

/** The cells of a bent class, moved to the corner; undefined: straight.
 * @param {{ orientations?: { cells: Spot[] }[] } | undefined} kind @param {number} length */
export function shapeOf(kind, length) {
  const cells = kind?.orientations?.[0]?.cells;
  if (!cells || cells.length !== length || isStraight(cells)) return undefined;
  const [row, column] = [Math.min(...cells.map((one) => one.row)), Math.min(...cells.map((one) => one.column))];
  return cells.map((one) => ({ row: one.row - row, column: one.column - column }));
}
