/** `<sea-board>`: draws one sea of any variant, and reports the chosen cell. It names no game. */

import { fill, h, svg } from '../dom.js';
import { t } from '../i18n/index.js';
import { word } from '../format.js';
import { drawMark, isSearched } from '../kit/marks.js';
import { border, CELL, drawShip, looksOf } from '../kit/ships.js';
import { coast, compass, frame, waves, zones } from '../kit/water.js';
import { Chart } from './geometry.js';
import { drawPaint, drawPattern, drawRoute } from './plans.js';
import { Sheets } from './sheets.js';
import { wrecks } from './wrecks.js';

/**
 * The look of a cell: `state` is `open` (can be chosen), `target` (in range), `given` (has an order), `chosen`, `ghost`
 * (a preview) or `wrong`; `text` is a number or a cost.
 * @typedef {{ state: string, text?: string, name?: string }} Paint
 * @typedef {{ id: string, seat: number, class: string, name: string, cells: string[], afloat?: boolean | null,
 *   hits?: number | null, length?: number, own?: boolean, planned?: boolean, movable?: boolean, ghost?: boolean,
 *   selected?: boolean, traits?: string[] }} Hull
 * @typedef {{ kind: 'course' | 'aim', cells: string[], text?: string, chosen?: boolean }} Route an order of a ship
 * @typedef {{ cells: string[], effect?: string, text?: string, past?: boolean }} Pattern the cells of a weapon
 * @typedef {import('./wrecks.js').Kind & { look?: string, title?: string }} Kind a class of ships
 * @typedef {{ marks: { cell: string, kind: string, count?: number | null, class?: string | null }[], ships: Hull[],
 *   fleet: import('./wrecks.js').Known[] | null, paint: Map<string, Paint>, fresh: Set<string>,
 *   last: Set<string> | null, routes: Route[], patterns: Pattern[], heat: Map<string, number>,
 *   pencil: Map<string, string>, moving: boolean, active: boolean }} Known
 */

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Widths of the frame and of the titles outside it. */
const [FRAME, TITLES] = [8, 22];

/** The cells of a ship from stern to bow. The id decides which end is the bow. @param {string[]} cells
 * @param {string} id */
export function sorted(cells, id) {
  let sum = 0;
  for (const sign of id) sum += sign.charCodeAt(0);
  return sum % 2 ? [...cells].reverse() : cells;
}

export class SeaBoard extends HTMLElement {
  constructor() {
    super();
    /** @type {Chart | null} */
    this.chart = null;
    /** @type {Kind[]} */
    this.classes = [];
    /** @type {Known} */
    this.known = {
      ...{
        marks: [],
        ships: [],
        fleet: null,
        paint: new Map(),
        fresh: new Set(),
        last: null,
        routes: [],
        patterns: [],
      },
      ...{ heat: new Map(), pencil: new Map(), moving: false, active: false },
    };
    /** @type {Map<string, SVGElement>} by label */
    this.squares = new Map();
    /** @type {Map<string, { flat: SVGElement, top: SVGElement }>} drawings, by layer */
    this.upon = new Map();
    /** @type {Hull[]} drawn ships and wrecks */
    this.hulls = [];
    /** @type {Set<string>} cells with an effect still to arrive */
    this.held = new Set();
    this.cursor = '';
    /** @type {string | undefined} */
    this.chosen = undefined;
    this.used = '';
    this.narrow = false;
    this.addEventListener('keydown', (event) => this.#keys(event));
    this.addEventListener('pointerover', (event) => this.#point(event));
    this.addEventListener('pointerleave', () => {
      this.#heat('');
      this.#tell('sea-hover', '');
    });
    this.addEventListener('focusin', (event) => this.#focused(this.#labelAt(event)));
    this.addEventListener('focusout', () => this.#focused(''));
    this.addEventListener('click', (event) => {
      const label = this.#labelAt(event);
      if (!label) return;
      // Cells of an inactive sheet are too flat for a finger: the first tap enlarges it.
      const flat = this.#use(this.chart?.cells.get(label)?.layer ?? '');
      if (!flat || /** @type {PointerEvent} */ (event).pointerType !== 'touch') this.#choose(label);
    });
    this.sizes = new ResizeObserver(() => {
      const narrow = this.clientWidth < 480;
      if (narrow === this.narrow || !this.sheets?.several) return;
      this.narrow = narrow;
      this.#arrange();
    });
  }

  connectedCallback() {
    this.sizes.observe(this);
  }

  disconnectedCallback() {
    this.sizes.disconnect();
  }

  /** @param {import('./geometry.js').Sea} sea @param {string} title @param {boolean} [small] not interactive
   * @param {Kind[]} [classes] of the card: looks and orientations */
  draw(sea, title, small = false, classes = []) {
    this.chart = new Chart(sea);
    this.title_ = title;
    this.small = small;
    this.classes = classes;
    this.looks = looksOf(classes);
    this.dataset.sea = sea.id;
    this.used = this.chart.layers[0]?.id ?? '';
    this.narrow = (this.clientWidth || innerWidth) < 480;
    this.#arrange();
    this.#mind(this.chart.cells.has(this.cursor) ? this.cursor : (sea.cells[0]?.label ?? ''));
  }

  /** Places every layer, from the water up. */
  #arrange() {
    const { chart } = this;
    if (!chart) return;
    const focused = this.contains(document.activeElement);
    const sheets = new Sheets(chart.layers, { used: this.used, narrow: this.narrow, even: !!this.small });
    this.sheets = sheets;
    this.squares.clear();
    this.upon.clear();
    const titled = !this.small && chart.layers[0]?.rowTitles && !sheets.several;
    const [edge, titles] = [sheets.several ? 0 : FRAME, titled ? TITLES : 0];
    const [w, height] = [sheets.width + 2 * edge + titles, sheets.height + 2 * edge + titles];
    const said = { role: this.small ? 'img' : sheets.several ? 'group' : 'grid', 'aria-label': this.title_ };
    const box = `${-edge - titles} ${-edge - titles} ${w} ${height}`;
    const picture = svg('svg', { viewBox: box, class: 'sea', ...said });
    this.picture = picture;
    const water = h('div', { class: sheets.several ? 'water layered' : 'water' }, picture);
    for (const [name, value] of Object.entries({
      '--columns': w / (sheets.several ? (this.narrow ? 49 : 62) : CELL),
      '--ratio': w / height,
    }))
      water.style.setProperty(name, String(Math.round(value * 1000) / 1000));
    if (sheets.several) picture.append(svg('path', { class: 'walls', d: sheets.walls() }));
    else this.#current(water, edge + titles, w, height);
    for (const layer of chart.layers) picture.append(this.#layer(layer));
    if (titled && chart.layers[0]) picture.append(...this.#titles(chart.layers[0]));
    this.over = svg('g', { class: 'over', 'aria-hidden': 'true' });
    this.ring = svg('rect', { class: 'cursor', width: CELL, height: CELL, visibility: 'hidden' });
    picture.append(this.over, svg('g', { 'aria-hidden': 'true' }, this.ring));
    fill(this, water);
    const at = this.squares.get(this.cursor);
    at?.setAttribute('tabindex', '0');
    if (focused) at?.focus();
    this.show({});
  }

  /** Unsearched water below everything; it drifts on a board in play. @param {HTMLElement} water @param {number} edge
   * @param {number} w @param {number} height */
  #current(water, edge, w, height) {
    const { rows = 1, columns = 1 } = this.chart?.layers[0] ?? {};
    const [sw, sh] = [columns * CELL, rows * CELL];
    const drawn = (/** @type {string} */ name, /** @type {(SVGElement | false)[]} */ ...parts) =>
      svg('svg', { viewBox: `0 0 ${sw} ${sh}`, class: name, 'aria-hidden': 'true' }, parts);
    const rose =
      rows > 7 && columns > 7 && compass(Math.round(columns * 0.82) * CELL, Math.round(rows * 0.82) * CELL, 54);
    const current = h(
      'div',
      { class: 'current' },
      drawn('zones', ...zones(sw, sh)),
      drawn('waves', svg('path', { class: 'wave', d: waves(columns, rows) })),
      rose && drawn('rose', rose),
    );
    const share = (/** @type {number} */ part, /** @type {number} */ whole) => `${(part / whole) * 100}%`;
    current.style.inset = `${share(edge, height)} ${share(FRAME, w)} ${share(FRAME, height)} ${share(edge, w)}`;
    water.prepend(current);
    this.picture?.append(...frame(columns, rows, FRAME - 1));
    const islands = this.chart?.layers[0]?.cells.filter(({ feature }) => feature === 'island') ?? [];
    if (islands.length) this.picture?.append(coast(islands));
  }

  /** @param {Partial<Known>} known */
  show(known) {
    this.known = { ...this.known, ...known };
    const { active, paint, marks, ships } = this.known;
    const { chart } = this;
    if (!chart) return;
    const chosen = [...paint].find(([, { state }]) => state === 'chosen')?.[0];
    const layer = chart.cells.get(chosen ?? '')?.layer;
    if (layer && chosen !== this.chosen) {
      this.chosen = chosen;
      if (this.#use(layer)) return;
    }
    this.chosen = chosen;
    this.classList.toggle('active', active);
    const told = marks.filter(({ cell }) => !this.held.has(cell));
    const unseen = this.known.fleet ?? [];
    const found = this.known.moving ? [] : wrecks(chart, told, [...ships, ...unseen], this.classes);
    this.hulls = [
      ...ships,
      ...found.map(({ class: kind, cells }) => ({
        ...{ id: `${kind} ${cells[0]}`, seat: -1, class: kind, cells, afloat: false },
        name: this.classes.find((one) => one.class === kind)?.title ?? kind,
      })),
    ];
    const searched = new Map(told.map((mark) => [mark.cell, isSearched(mark.kind)]));
    for (const { cells, afloat } of this.hulls)
      if (afloat === false) for (const cell of cells) searched.set(cell, true);
    const open = [...paint.values()].filter(({ state, text }) => state === 'open' && !text).length;
    // With a third of the cells open, marking each says nothing.
    const quiet = open > this.squares.size / 3;
    for (const [id, { flat, top }] of this.upon) this.#upon(id, flat, top, told, searched, quiet);
    this.#over();
    const names = new Map(this.hulls.flatMap(({ cells, name }) => cells.map((cell) => [cell, name])));
    for (const [label, square] of this.squares) {
      const state = paint.get(label)?.state;
      const kinds = [
        'cell',
        state,
        searched.get(label) && 'searched',
        this.known.fresh.has(label) && 'fresh',
        this.#class(label),
      ];
      square.setAttribute('class', kinds.filter(Boolean).join(' '));
      if (this.small) continue;
      square.setAttribute('aria-label', this.#say(label));
      square.setAttribute('aria-selected', String(state === 'chosen'));
      const name = names.get(label);
      if (name) (square.querySelector('title') ?? square.appendChild(svg('title'))).textContent = name;
      else square.querySelector('title')?.remove();
    }
    this.#heat(chosen ?? '');
  }

  /** @param {import('./geometry.js').Layer} layer */
  #layer(layer) {
    const { sheets } = this;
    const several = !!sheets?.several;
    const matrix = sheets?.matrix(layer.id) || null;
    const grid = svg(
      'g',
      several && !this.small ? { role: 'grid', 'aria-label': `${this.title_}, ${layer.name}` } : {},
    );
    const plane = svg('g', { transform: matrix });
    for (let row = 0; row < layer.rows; row++) {
      const cells = layer.cells.filter((cell) => cell.row === row).map((cell) => this.#square(cell, !layer.rowTitles));
      plane.append(svg('g', this.small ? {} : { role: 'row' }, cells));
    }
    grid.append(plane);
    const flat = svg('g', { class: 'top-layer', transform: matrix, 'aria-hidden': 'true' });
    const top = svg('g', { class: 'top-layer', 'aria-hidden': 'true' });
    this.upon.set(layer.id, { flat, top });
    const sheet = sheets?.sheets.get(layer.id);
    const number = [...(sheets?.sheets.keys() ?? [])].indexOf(layer.id);
    const used = several && !this.small && layer.id === this.used;
    const edge =
      several && svg('rect', { class: 'sheet-edge', width: layer.columns * CELL, height: layer.rows * CELL });
    const name = several && sheet && !this.small && this.#layerName(layer.name, sheet, used);
    return svg(
      'g',
      { class: several ? `sheet sheet-${sheet?.quay ? 'quay' : Math.min(number, 3)}${used ? ' used' : ''}` : 'plane' },
      edge && svg('g', { transform: matrix, 'aria-hidden': 'true' }, edge),
      grid,
      flat,
      top,
      name,
    );
  }

  /** @param {string} name @param {import('./sheets.js').Sheet} sheet @param {boolean} used */
  #layerName(name, { a, b, x, y, rows, quay }, used) {
    if (quay)
      return svg(
        'text',
        { class: 'layer-name', x: x + a / 2 + rows * b, y: y + 14, 'text-anchor': 'middle', 'aria-hidden': 'true' },
        name,
      );
    const wide = name.length * 7.6 + 14;
    const at = { x: x + 2, y: this.narrow ? y - 15 : y + 6 };
    return svg(
      'g',
      { class: used ? 'layer-tag used' : 'layer-tag', 'aria-hidden': 'true', transform: `translate(${at.x} ${at.y})` },
      svg('path', { d: `M0-4H${wide}L${wide + 8} 6 ${wide} 16H0Z` }),
      svg('text', { class: 'layer-name', x: 7, y: 11 }, name),
    );
  }

  /** @param {import('./geometry.js').Layer} layer */
  #titles(layer) {
    /** @type {Map<string, SVGElement>} titles of rows and columns */
    this.axes = new Map();
    const text = (
      /** @type {string} */ key,
      /** @type {string} */ title,
      /** @type {number} */ x,
      /** @type {number} */ y,
    ) => {
      const element = svg('text', { x, y, class: 'axis', 'aria-hidden': 'true' }, title);
      this.axes?.set(key, element);
      return element;
    };
    return [
      ...(layer.rowTitles ?? []).map((title, row) => text(`r${row}`, title, -FRAME - TITLES / 2, row * CELL + 25)),
      ...(layer.columnTitles ?? []).map((title, column) => text(`c${column}`, title, column * CELL + 20, -FRAME - 6)),
    ];
  }

  /** Highlights the titles of a cell's row and column. @param {string} label */
  #heat(label) {
    const cell = this.chart?.cells.get(
      label || ([...this.known.paint].find(([, { state }]) => state === 'chosen')?.[0] ?? ''),
    );
    for (const [key, title] of this.axes ?? [])
      title.classList.toggle('hot', !!cell && (key === `r${cell.row}` || key === `c${cell.column}`));
  }

  /** @param {import('./geometry.js').Cell} cell @param {boolean} named */
  #square(cell, named) {
    const at = `translate(${cell.column * CELL} ${cell.row * CELL})`;
    const reach = this.small ? {} : { role: 'gridcell', tabindex: -1, 'data-cell': cell.label };
    const square = svg('g', { transform: at, class: 'cell', ...reach }, svg('rect', { width: CELL, height: CELL }));
    const path = FEATURES[cell.feature ?? ''];
    if (path) square.append(svg('path', { class: `feature feature-${cell.feature}`, d: path }));
    if (named && !this.small && this.sheets?.sheets.get(cell.layer)?.quay === false)
      square.append(svg('text', { x: 4, y: 12, class: 'cell-name', 'aria-hidden': 'true' }, cell.label.split('@')[0]));
    this.squares.set(cell.label, square);
    return square;
  }

  /** @param {string} label */
  #class(label) {
    const seat = this.chart?.cells.get(label)?.seat;
    return seat === null || seat === undefined ? '' : `zone zone-${seat}`;
  }

  /** @param {Iterable<string>} labels @param {string} layer */
  #spots(labels, layer) {
    const cells = [...labels].map((label) => this.chart?.cells.get(label));
    return cells.filter((cell) => cell !== undefined).filter((cell) => cell.layer === layer);
  }

  /** Draws the contents of a layer, flat and upright. @param {string} id @param {SVGElement} flat
   * @param {SVGElement} top @param {Known['marks']} told @param {Map<string, boolean>} searched
   * @param {boolean} quiet */
  #upon(id, flat, top, told, searched, quiet) {
    const { paint, heat, patterns, pencil } = this.known;
    const hulls = this.hulls;
    const covered = new Map(
      hulls.flatMap(({ cells, afloat, ghost }) => (ghost ? [] : cells.map((cell) => [cell, afloat !== false]))),
    );
    const light = this.#spots(
      [...searched].filter(([, yes]) => yes).map(([cell]) => cell),
      id,
    );
    const onto = (/** @type {import('./geometry.js').Cell} */ cell) => this.sheets?.onto(cell) ?? '';
    const flats = [svg('path', { class: 'searched-edge', d: border(light) })];
    const tops = [];
    for (const [label, chance] of heat) {
      for (const { row, column } of this.#spots([label], id))
        flats.push(
          svg('rect', {
            class: 'chance',
            x: column * CELL,
            y: row * CELL,
            width: CELL,
            height: CELL,
            'fill-opacity': Math.min(1, chance) * 0.75,
          }),
        );
    }
    const ranged = this.#spots(
      [...paint].filter(([, { state }]) => state === 'target').map(([cell]) => cell),
      id,
    );
    if (ranged.length) flats.push(svg('path', { class: 'range', d: border(ranged, 1) }));
    for (const [label, one] of paint) {
      for (const cell of this.#spots([label], id)) {
        const drawn = drawPaint(one, covered.get(label) ?? false, quiet || !!this.small);
        if (drawn.flat.length)
          flats.push(svg('g', { transform: `translate(${cell.column * CELL} ${cell.row * CELL})` }, drawn.flat));
        if (drawn.top.length) tops.push(svg('g', { class: `painted ${one.state}`, transform: onto(cell) }, drawn.top));
      }
    }
    const drawn = (/** @type {boolean} */ struck) =>
      told
        .filter(({ kind }) => ['hit', 'sunk', 'mine'].includes(kind) === struck)
        .flatMap((mark) => this.#spots([mark.cell], id).map((cell) => this.#mark(mark, cell, covered, onto(cell))));
    const notes = [...pencil].flatMap(([label, text]) =>
      this.#spots([label], id).map((cell) =>
        svg('g', { transform: onto(cell) }, svg('text', { class: 'pencil', x: 33, y: 35 }, text)),
      ),
    );
    fill(flat, flats);
    // Hits are drawn on the ship; misses below a ship that has moved there since.
    fill(
      top,
      drawn(false),
      hulls.map((hull) => this.#ship(hull, id)),
      drawn(true),
      notes,
      tops,
    );
    const last = this.known.last ?? (this.known.fresh.size > 12 ? [] : this.known.fresh);
    const frames = this.#spots(last, id).filter(({ label }) => !this.held.has(label));
    const lie = (/** @type {SVGElement | null} */ drawn) =>
      drawn && svg('g', { transform: this.sheets?.matrix(id) || null }, drawn);
    for (const { row, column } of frames) {
      const d = `M${column * CELL} ${row * CELL}h40v40h-40Z`;
      top.append(
        /** @type {Node} */ (
          lie(
            svg(
              'g',
              { class: 'last' },
              svg('path', { class: 'last-under', d }),
              svg('path', { class: 'last-line', d }),
            ),
          )
        ),
      );
    }
    for (const pattern of patterns) {
      const drawn = lie(drawPattern(pattern, this.#spots(pattern.cells, id)));
      if (drawn) top.append(drawn);
    }
  }

  /** @param {Known['marks'][number]} mark @param {import('./geometry.js').Cell} cell
   * @param {Map<string, boolean>} covered cells with ships; true: afloat @param {string} at */
  #mark(mark, cell, covered, at) {
    const fresh = this.known.fresh.has(mark.cell);
    const ship = covered.get(mark.cell);
    // A wreck has its crosses already.
    if (ship === false && (mark.kind === 'hit' || mark.kind === 'sunk') && typeof mark.count !== 'number') return null;
    const burning = fresh && mark.kind === 'hit' && svg('path', { class: 'plume', d: PLUME });
    return svg(
      'g',
      { transform: at, 'data-mark': cell.label },
      burning,
      svg('g', { class: fresh ? 'arriving' : 'still' }, drawMark(mark, !!ship)),
    );
  }

  /** @param {Hull} ship @param {string} layer */
  #ship(ship, layer) {
    const cells = this.#spots(sorted(ship.cells, ship.id), layer);
    const [first] = cells;
    if (!first) return null;
    const mixed =
      this.hulls.some(({ own }) => own) && this.known.ships.some(({ own, afloat }) => !own && afloat !== false);
    const kinds = [
      'ship',
      ship.own ? 'own' : 'other',
      mixed && !ship.own && 'foreign',
      ship.afloat === false && 'lost',
    ];
    const more = [ship.planned && 'planned', ship.selected && 'selected', ...(ship.traits ?? [])];
    const sharing = this.hulls.filter(
      (one) => cells.length === 1 && one.cells[0] === first.label && one.cells.length === 1,
    );
    const how = { look: this.looks?.get(ship.class), sunk: ship.afloat === false, ghost: ship.ghost };
    const alone = cells.length === 1 || !this.sheets?.several;
    const at =
      cells.length === 1
        ? this.sheets?.onto(first, Math.max(0, sharing.indexOf(ship)), sharing.length || 1)
        : this.sheets?.matrix(layer);
    const drawn = drawShip(cells.length === 1 ? [{ row: 0, column: 0 }] : cells, how);
    return svg(
      'g',
      {
        class: [...kinds, ...more].filter(Boolean).join(' '),
        'data-ship': ship.id,
        transform: at && (alone || at) ? at : null,
      },
      svg('title', {}, ship.name),
      (ship.selected || (ship.traits ?? []).includes('refused')) &&
        svg('path', { class: 'ship-frame', d: border(cells.length === 1 ? [{ row: 0, column: 0 }] : cells, 1.5) }),
      drawn,
    );
  }

  /** Draws routes and depth lines, above every layer. */
  #over() {
    if (!this.over || !this.sheets || !this.chart) return;
    const { sheets, chart } = this;
    const at = (/** @type {string} */ label) => {
      const cell = chart.cells.get(label);
      return cell && sheets.spot(cell);
    };
    const spots = (/** @type {string[]} */ labels) => labels.map(at).filter((spot) => !!spot);
    const chosen = [...this.known.paint].filter(([, { state }]) => state === 'chosen').map(([label]) => label);
    const plumb =
      sheets.several && !this.small
        ? spots(chosen).map(({ x }) => svg('path', { class: 'plumb', d: `M${x} 6V${sheets.height - 6}` }))
        : [];
    fill(
      this.over,
      plumb,
      this.known.routes.map((route) => drawRoute(route, spots(route.cells))),
    );
  }

  /** Makes a layer the active one. @param {string} layer @returns {boolean} true: it changed */
  #use(layer) {
    if (!this.sheets?.several || this.small || !layer || layer === this.used || this.sheets.sheets.get(layer)?.quay)
      return false;
    this.used = layer;
    this.#arrange();
    return true;
  }

  /** The cell in words, for screen readers. @param {string} label */
  #say(label) {
    const cell = this.chart?.cells.get(label);
    const layer = this.chart?.layers.find(({ id }) => id === cell?.layer);
    const said = [layer?.rowTitles ? label : `${layer?.name ?? ''} ${label.split('@')[0]}`];
    if (cell?.feature) said.push(word('feature', cell.feature));
    for (const mark of this.known.marks) {
      if (mark.cell === label)
        said.push(word('mark', mark.kind) + (typeof mark.count === 'number' ? ` ${mark.count}` : ''));
    }
    for (const ship of this.hulls) if (ship.cells.includes(label)) said.push(ship.name);
    if (said.length === 1) said.push(t('unknown-water'));
    const pencil = this.known.pencil.get(label);
    if (pencil) said.push(pencil);
    const paint = this.known.paint.get(label);
    if (paint && paint.state !== 'open') said.push(t(`paint-${paint.state}`), paint.text ?? '');
    return said.filter(Boolean).join(', ');
  }

  /** @param {Event} event */
  #labelAt(event) {
    return /** @type {Element} */ (event.target).closest?.('[data-cell]')?.getAttribute('data-cell') ?? '';
  }

  /** @param {string} type @param {string} cell */
  #tell(type, cell) {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, detail: { sea: this.chart?.id ?? '', cell } }));
  }

  /** @param {Event} event */
  #point(event) {
    const label = this.#labelAt(event);
    if (!label) return;
    this.#heat(label);
    this.#tell('sea-hover', label);
  }

  /** @param {string} label */
  #choose(label) {
    this.#mind(label);
    this.#tell('sea-cell', label);
  }

  /** Shows the keyboard focus. @param {string} label */
  #focused(label) {
    const cell = this.chart?.cells.get(label);
    const seen = cell && this.squares.get(label)?.matches(':focus-visible');
    this.ring?.setAttribute('visibility', seen ? 'visible' : 'hidden');
    if (!seen || !this.sheets) return;
    const matrix = this.sheets.matrix(cell.layer);
    this.ring?.setAttribute('transform', `${matrix} translate(${cell.column * CELL} ${cell.row * CELL})`);
    this.#heat(label);
  }

  /** Moves the cursor. @param {string} label @param {boolean} [focus] */
  #mind(label, focus = false) {
    if (this.small) return;
    this.squares.get(this.cursor)?.setAttribute('tabindex', '-1');
    this.cursor = label;
    const layer = this.chart?.cells.get(label)?.layer ?? '';
    if (focus) this.#use(layer);
    const square = this.squares.get(label);
    square?.setAttribute('tabindex', '0');
    if (focus) {
      square?.focus();
      this.#tell('sea-hover', label);
    }
  }

  /** @param {KeyboardEvent} event */
  #keys(event) {
    const label = this.#labelAt(event);
    if (!label || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = ARROWS[event.key];
    if (step) {
      event.preventDefault();
      const next = this.chart?.beside(label, ...step) ?? this.#across(label, ...step);
      if (next) this.#move(next);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.#choose(label);
    }
  }

  /** Moves the keyboard focus. @param {string} label */
  #move(label) {
    this.#mind(label, true);
  }

  /** Steps over a layer's edge to the next. @param {string} label @param {number} rows @param {number} columns */
  #across(label, rows, columns) {
    const cell = this.chart?.cells.get(label);
    const layers = this.chart?.layers ?? [];
    const next = layers[layers.findIndex(({ id }) => id === cell?.layer) + rows + columns];
    if (!cell || !next) return null;
    const same = next.cells.filter((other) => (rows ? other.column === cell.column : other.row === cell.row));
    return (rows + columns > 0 ? same[0] : same.at(-1))?.label ?? next.cells[0]?.label ?? null;
  }

  /** Hides the state of cells until an effect arrives. @param {string[]} cells */
  hold(cells) {
    for (const cell of cells) this.held.add(cell);
    this.show({});
  }

  /** @param {string[]} cells */
  release(cells) {
    if (cells.map((cell) => this.held.delete(cell)).some(Boolean)) this.show({});
  }

  /** Puts an effect above everything. @param {SVGElement} effect */
  stage(effect) {
    this.picture?.append(effect);
  }

  /** Middle and size of a cell in the picture. @param {string} label */
  spot(label) {
    const cell = this.chart?.cells.get(label);
    const spot = cell && this.sheets?.spot(cell);
    return spot ? { x: spot.x, y: spot.y, s: Math.max(0.6, spot.sy) } : null;
  }

  /** The origin of shells. */
  edge() {
    return { x: 0, y: this.sheets?.height ?? 0 };
  }

  /** @returns {[number, number]} left and right edge of the picture */
  width() {
    return [0, this.sheets?.width ?? 0];
  }

  /** The sunken ship at a cell, if its cells are known. @param {string} label
   * @param {{ cells: string[], look?: string }} [told] */
  lost(label, told) {
    const hull = this.hulls.find(({ cells, afloat }) => afloat === false && cells.includes(label));
    const cells = sorted(hull?.cells ?? told?.cells ?? [], hull?.id ?? '').map((one) => this.chart?.cells.get(one));
    const spots = cells.filter((cell) => cell !== undefined);
    if (!spots.length || this.sheets?.several) return null;
    const element = hull && this.querySelector(`[data-ship="${CSS.escape(hull.id)}"]`);
    return { cells: spots, look: told?.look ?? this.looks?.get(hull?.class ?? ''), element };
  }

  /** Shows large text over the water. @param {string} text @param {AbortSignal} signal */
  banner(text, signal) {
    const banner = h('p', { class: 'banner', 'aria-hidden': 'true' }, text);
    this.querySelector('.banner')?.remove();
    this.querySelector('.water')?.append(banner);
    signal.addEventListener('abort', () => banner.remove());
  }
}

/** Smoke that drifts to the north-east. */
const PLUME =
  'M20 12a4 4 0 1 1 8 0 4 4 0 1 1-8 0ZM25 7a5 5 0 1 1 10 0 5 5 0 1 1-10 0ZM32 3a6 6 0 1 1 12 0 6 6 0 1 1-12 0ZM42-2a5.5 5.5 0 1 1 11 0 5.5 5.5 0 1 1-11 0ZM51-6a4.5 4.5 0 1 1 9 0 4.5 4.5 0 1 1-9 0Z';

/** @type {Record<string, string>} */
const FEATURES = {
  port: 'M3 5H37M3 35H37M8 5V35M32 5V35',
  arrow: 'M8 20H32M26 14 32 20 26 26M14 14 8 20 14 26',
};

customElements.define('sea-board', SeaBoard);
