/** `<sea-board>`: draws one sea of any variant, and says which cell was chosen. It knows no game. */

import { fill, h, svg } from '../dom.js';
import { t } from '../i18n/index.js';
import { word } from '../format.js';
import { Chart } from './geometry.js';
import { drawMark, hull, initials } from './marks.js';

/**
 * What a choice shows on a cell: `state` is `open` (may be chosen), `chosen`, `ghost` (where something would come) or
 * `wrong`; `text` is a number or a cost.
 * @typedef {{ state: string, text?: string, name?: string }} Paint
 * @typedef {{
 *   id: string,
 *   seat: number,
 *   class: string,
 *   name: string,
 *   cells: string[],
 *   afloat?: boolean | null,
 *   hits?: number | null,
 *   length?: number,
 *   own?: boolean,
 *   planned?: boolean,
 *   movable?: boolean,
 *   traits?: string[],
 * }} Hull
 * @typedef {{
 *   marks: { cell: string, kind: string, count?: number | null, class?: string | null }[],
 *   ships: Hull[],
 *   paint: Map<string, Paint>,
 *   fresh: Set<string>,
 *   active: boolean,
 * }} Known
 */

const CELL = 32;
const MARGIN = 20;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class SeaBoard extends HTMLElement {
  constructor() {
    super();
    /** @type {Chart | null} */
    this.chart = null;
    /** @type {Known} */
    this.known = { marks: [], ships: [], paint: new Map(), fresh: new Set(), active: false };
    /** @type {Map<string, SVGElement>} the cells, by label */
    this.squares = new Map();
    /** @type {Map<string, SVGElement>} what is drawn upon each layer, by its id */
    this.tops = new Map();
    this.cursor = '';
    this.addEventListener('keydown', (event) => this.#keys(event));
    this.addEventListener('pointerover', (event) => this.#point(event));
    this.addEventListener('pointerleave', () => this.#tell('sea-hover', ''));
    this.addEventListener('click', (event) => {
      const label = this.#labelAt(event);
      if (label) this.#choose(label);
    });
  }

  /**
   * @param {import('./geometry.js').Sea} sea
   * @param {string} title what the sea is called
   * @param {boolean} [small] a picture to look at only
   */
  draw(sea, title, small = false) {
    this.chart = new Chart(sea);
    this.small = small;
    this.dataset.sea = sea.id;
    this.squares.clear();
    this.tops.clear();
    const layers = this.chart.layers.map((layer) => this.#layer(layer, title));
    fill(this, h('div', { class: layers.length > 1 ? 'layers' : 'layer-only' }, layers));
    this.#mind(this.cursor || (sea.cells[0]?.label ?? ''));
  }

  /** @param {Partial<Known>} known */
  show(known) {
    this.known = { ...this.known, ...known };
    const { active, fresh, paint } = this.known;
    this.classList.toggle('active', active);
    for (const [id, top] of this.tops) {
      const ships = this.known.ships.map((ship) => this.#ship(ship, id));
      fill(
        top,
        ships.flat(),
        this.known.marks.map((mark) => this.#mark(mark, id)),
        this.#paint(id),
      );
    }
    for (const [label, square] of this.squares) {
      if (!this.small) square.setAttribute('aria-label', this.#say(label));
      const state = paint.get(label)?.state;
      square.setAttribute(
        'class',
        `cell${state ? ` ${state}` : ''}${fresh.has(label) ? ' fresh' : ''}${this.#class(label)}`,
      );
      if (!this.small) square.setAttribute('aria-selected', String(state === 'chosen'));
    }
  }

  /** @param {import('./geometry.js').Layer} layer @param {string} title */
  #layer(layer, title) {
    const margin = layer.rowTitles && !this.small ? MARGIN : 0;
    const several = (this.chart?.layers.length ?? 0) > 1;
    const name = several ? `${title}, ${layer.name}` : title;
    const grid = svg('svg', {
      viewBox: `${-margin - 1} ${-margin - 1} ${layer.columns * CELL + margin + 2} ${layer.rows * CELL + margin + 2}`,
      role: this.small ? 'img' : 'grid',
      'aria-label': name,
      class: 'sea',
    });
    grid.style.setProperty('--columns', String(layer.columns + (margin ? 0.7 : 0)));
    if (margin) grid.append(...this.#titles(layer));
    for (let row = 0; row < layer.rows; row++) {
      const cells = layer.cells.filter((cell) => cell.row === row).map((cell) => this.#square(cell, !layer.rowTitles));
      grid.append(svg('g', this.small ? {} : { role: 'row' }, cells));
    }
    const top = svg('g', { class: 'top-layer', 'aria-hidden': 'true' });
    this.tops.set(layer.id, top);
    grid.append(top);
    return h(
      'figure',
      { class: 'layer' },
      several && h('figcaption', {}, layer.name),
      h('div', { class: 'water' }, grid),
    );
  }

  /** @param {import('./geometry.js').Layer} layer */
  #titles(layer) {
    const text = (/** @type {string} */ title, /** @type {number} */ x, /** @type {number} */ y) =>
      svg('text', { x, y, class: 'axis', 'aria-hidden': 'true' }, title);
    return [
      ...(layer.rowTitles ?? []).map((title, row) => text(title, -10, row * CELL + 20)),
      ...(layer.columnTitles ?? []).map((title, column) => text(title, column * CELL + 16, -6)),
    ];
  }

  /** @param {import('./geometry.js').Cell} cell @param {boolean} named */
  #square(cell, named) {
    const at = `translate(${cell.column * CELL} ${cell.row * CELL})`;
    const reach = this.small ? {} : { role: 'gridcell', tabindex: -1, 'data-cell': cell.label };
    const square = svg('g', { transform: at, class: 'cell', ...reach }, svg('rect', { width: CELL, height: CELL }));
    if (cell.feature)
      square.append(
        svg('path', { class: `feature feature-${cell.feature}`, d: FEATURES[cell.feature] ?? FEATURES.other }),
      );
    if (named && !this.small) {
      square.append(svg('text', { x: 3, y: 9, class: 'cell-name', 'aria-hidden': 'true' }, cell.label.split('@')[0]));
    }
    this.squares.set(cell.label, square);
    return square;
  }

  /** @param {string} label */
  #class(label) {
    const seat = this.chart?.cells.get(label)?.seat;
    return seat === null || seat === undefined ? '' : ` zone zone-${seat}`;
  }

  /** @param {string[]} labels @param {string} layer */
  #spots(labels, layer) {
    const cells = labels.map((label) => this.chart?.cells.get(label));
    return cells.filter((cell) => cell !== undefined).filter((cell) => cell.layer === layer);
  }

  /** @param {Hull} ship @param {string} layer */
  #ship(ship, layer) {
    const cells = this.#spots(ship.cells, layer);
    if (!cells.length) return [];
    const { body, edge } = hull(cells);
    const kinds = ['ship', ship.own ? 'own' : 'other', ship.afloat === false && 'lost', ship.planned && 'planned'];
    const first = cells.reduce((a, b) => (b.row < a.row || (b.row === a.row && b.column < a.column) ? b : a));
    const name = svg(
      'text',
      { x: first.column * CELL + 16, y: first.row * CELL + 26, class: 'ship-name' },
      initials(ship.name),
    );
    return [
      svg(
        'g',
        { class: [...kinds, ...(ship.traits ?? [])].filter(Boolean).join(' '), 'data-ship': ship.id },
        svg('title', {}, ship.name),
        svg('path', { d: body, class: 'hull' }),
        svg('path', { d: edge, class: 'edge' }),
        !this.small && !this.known.marks.some(({ cell }) => cell === first.label) && name,
      ),
    ];
  }

  /** @param {Known['marks'][number]} mark @param {string} layer */
  #mark(mark, layer) {
    const [cell] = this.#spots([mark.cell], layer);
    if (!cell) return null;
    const fresh = this.known.fresh.has(mark.cell) ? 'arriving' : 'still';
    return svg(
      'g',
      { transform: `translate(${cell.column * CELL} ${cell.row * CELL})` },
      svg('g', { class: fresh }, drawMark(mark)),
    );
  }

  /** @param {string} layer */
  #paint(layer) {
    // Where nearly everything may be chosen, saying so on every cell says nothing.
    const open = [...this.known.paint.values()].filter(({ state, text }) => state === 'open' && !text).length;
    const quiet = open > this.squares.size / 3;
    return [...this.known.paint].map(([label, { state, text }]) => {
      const [cell] = this.#spots([label], layer);
      if (!cell || (quiet && state === 'open' && !text)) return null;
      const at = `translate(${cell.column * CELL} ${cell.row * CELL})`;
      const box = svg('rect', { x: 2, y: 2, width: CELL - 4, height: CELL - 4, rx: 3, class: 'paint' });
      return svg(
        'g',
        { class: `painted ${state}`, transform: at },
        box,
        text && svg('text', { x: 16, y: 21, class: 'paint-text' }, text),
      );
    });
  }

  /** What a person hears of a cell. @param {string} label */
  #say(label) {
    const cell = this.chart?.cells.get(label);
    const layer = this.chart?.layers.find(({ id }) => id === cell?.layer);
    const said = [layer?.rowTitles ? label : `${layer?.name ?? ''} ${label.split('@')[0]}`];
    if (cell?.feature) said.push(word('feature', cell.feature));
    for (const mark of this.known.marks) {
      if (mark.cell === label)
        said.push(word('mark', mark.kind) + (typeof mark.count === 'number' ? ` ${mark.count}` : ''));
    }
    for (const ship of this.known.ships) if (ship.cells.includes(label)) said.push(ship.name);
    if (said.length === 1) said.push(t('unknown-water'));
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
    if (label) this.#tell('sea-hover', label);
  }

  /** @param {string} label */
  #choose(label) {
    this.#mind(label);
    this.#tell('sea-cell', label);
  }

  /** Moves the cursor. @param {string} label @param {boolean} [focus] */
  #mind(label, focus = false) {
    if (this.small) return;
    this.squares.get(this.cursor)?.setAttribute('tabindex', '-1');
    this.cursor = label;
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
      const next = this.chart?.beside(label, ...step) ?? this.#across(label, step[1]);
      if (next) this.#mind(next, true);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.#choose(label);
    }
  }

  /** From the side of a layer to the next one. @param {string} label @param {number} columns */
  #across(label, columns) {
    const cell = this.chart?.cells.get(label);
    const layers = this.chart?.layers ?? [];
    const next = layers[layers.findIndex(({ id }) => id === cell?.layer) + columns];
    if (!cell || !columns || !next) return null;
    const row = next.cells.filter((other) => other.row === cell.row);
    return (columns > 0 ? row[0] : row.at(-1))?.label ?? next.cells[0]?.label ?? null;
  }
}

/** @type {Record<string, string>} */
const FEATURES = {
  island: 'M0 0H32V32H0Z',
  port: 'M16 7V26M10 12H22M7 20C8 26 12 27 16 27 20 27 24 26 25 20',
  arrow: 'M22 6 28 10 22 14M28 10H18',
  other: 'M12 12H20V20H12Z',
};

customElements.define('sea-board', SeaBoard);
