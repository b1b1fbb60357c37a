/** The seas of a match: the active one large, the others beside it, each with the viewer's knowledge. */

import '../board/board.js';
import { Chart } from '../board/geometry.js';
import { thumbnail } from '../board/thumbnail.js';
import { fill, h } from '../dom.js';
import { word } from '../format.js';
import { t } from '../i18n/index.js';
import { looksOf, shipPicture } from '../kit/ships.js';

/**
 * @typedef {import('../board/board.js').SeaBoard} SeaBoard
 * @typedef {import('../board/board.js').Hull} Hull
 * @typedef {Pick<Schema<'Match'>, 'seas' | 'seats' | 'viewer' | 'status'>} Seen the data of a match for the boards
 * @typedef {{ paint: (sea: string) => Map<string, import('../board/board.js').Paint>, hulls: (sea: string) => Hull[],
 *   moved: (sea: string) => string[], routes?: (sea: string) => import('../board/board.js').Known['routes'],
 *   patterns?: (sea: string) => import('../board/board.js').Known['patterns'], active: string }} Choices
 * @typedef {Schema<'ShipClassInfo'>[]} Classes
 */

/** @type {Choices} */
const NO_CHOICES = { paint: () => new Map(), hulls: () => [], moved: () => [], active: '' };

/** @param {Seen} view @param {Schema<'SeaView'>} sea */
export function seaTitle(view, sea) {
  const owners = sea.owners ?? (sea.owner === null ? [] : [sea.owner]);
  if (!owners.length) return t('waters-common');
  if (owners.some((seat) => seat === view.viewer.seat)) return t('waters-yours');
  const names = view.seats.filter(({ seat }) => owners.includes(seat));
  return t('waters-of', { name: names.map(({ player }) => player.username).join(', ') });
}

export class Boards {
  /** @param {Schema<'Board'>} board response of `GET /v1/matches/{id}/board`
   * @param {{ small?: boolean, even?: boolean, classes?: Classes, moving?: boolean, looked?: (sea: string) => void
   * }} [how] `even`: all of one size; `moving`: ships can move; `looked`: the viewer enlarged a sea */
  constructor(board, { small = false, even = small, classes = [], moving = false, looked = () => {} } = {}) {
    this.board = board;
    this.small = small;
    this.even = even;
    this.classes = classes;
    this.moving = moving;
    this.looked = looked;
    /** @type {Map<string, Chart>} */
    this.charts = new Map(board.seas.map((sea) => [sea.id, new Chart(sea)]));
    /** @type {Map<string, ReturnType<Boards['part']>>} */
    this.parts = new Map();
    this.main = '';
    /** The sea to enlarge once it is loaded. */
    this.wanted = '';
    this.lead = h('div', { class: 'lead' });
    this.others = h('div', { class: 'others' });
    this.element = h('div', { class: even ? `seas${small ? ' small' : ''}` : 'lead' });
    if (!even) this.lead = this.element;
  }

  /** @param {Schema<'BoardSea'>} sea @param {string} name */
  part(sea, name) {
    const board = /** @type {SeaBoard} */ (document.createElement('sea-board'));
    board.draw(sea, name, this.small, this.classes);
    const title = h('h2', {}, name);
    const fleet = h('div', { class: 'fleet' });
    const picture = h('span', { class: 'picture' });
    const switches = { type: 'button', class: 'switch', on: { click: () => this.looked(sea.id) } };
    const thumb = h('button', switches, picture, h('span', { class: 'whose' }, t('show-large', { name })));
    const water = h('div', { class: 'slot' }, board);
    const frame = this.small
      ? h('div', { class: 'sea-frame' }, board)
      : h('section', { class: 'sea-frame', 'aria-label': name }, title, water, fleet, this.even ? null : thumb);
    return { frame, board, title, fleet, picture };
  }

  /** @param {Seen} view */
  #build(view) {
    for (const sea of this.board.seas) {
      const known = view.seas.find(({ id }) => id === sea.id);
      const part = this.part(sea, known ? seaTitle(view, known) : '');
      this.parts.set(sea.id, part);
      if (this.even) this.element.append(part.frame);
    }
    if (!this.even && !this.main) this.first(this.wanted || this.#usual(view));
  }

  /** The sea that is large by default: the first of an opponent. @param {Seen} view */
  #usual(view) {
    const seat = view.viewer.seat ?? -1;
    const other = view.seas.find(({ owner, owners }) => owner !== seat && !(owners ?? []).includes(seat));
    return (other ?? view.seas[0])?.id ?? '';
  }

  /** @param {Seen} view @param {Choices} [choices] @param {(sea: string) => Set<string>} [fresh] newly reported cells
   * @param {Map<string, Map<string, string>>} [pencil] small text on cells, by sea */
  show(view, choices = NO_CHOICES, fresh = () => new Set(), pencil = new Map()) {
    if (!this.parts.size) this.#build(view);
    for (const sea of view.seas) {
      const part = this.parts.get(sea.id);
      if (!part) continue;
      const moved = choices.moved(sea.id);
      const hulls = sea.ships.flatMap((ship) => {
        const own = ship.seat === view.viewer.seat;
        return ship.cells && !(own && moved.includes(ship.id)) ? [{ ...ship, cells: ship.cells, own }] : [];
      });
      const active = choices.active === sea.id;
      part.frame.classList.toggle('active', active);
      part.board.show({
        marks: sea.marks,
        ships: [...hulls, ...choices.hulls(sea.id)],
        fleet: sea.ships,
        moving: this.moving,
        paint: choices.paint(sea.id),
        routes: choices.routes?.(sea.id) ?? [],
        patterns: choices.patterns?.(sea.id) ?? [],
        pencil: pencil.get(sea.id) ?? new Map(),
        fresh: fresh(sea.id),
        active,
      });
      if (this.small) continue;
      fill(part.fleet, fleets(view, sea, this.classes));
      const chart = this.board.seas.find(({ id }) => id === sea.id);
      if (chart && !this.even && sea.id !== this.main)
        fill(part.picture, thumbnail(chart, { ...sea, classes: this.classes, last: fresh(sea.id) }, ''));
    }
    this.element.classList.toggle('zones', view.status === 'deploying');
    this.element.style.setProperty('--seas', String(view.seas.length));
    this.others.classList.toggle('many', view.seas.length > 2);
  }

  /** Enlarges a sea. @param {string} id */
  first(id) {
    this.wanted = id;
    const part = this.parts.get(id);
    if (this.even || id === this.main || !part) return;
    this.main = id;
    this.lead.replaceChildren(part.frame);
    this.others.replaceChildren(...[...this.parts.values()].filter((one) => one !== part).map(({ frame }) => frame));
  }
}

/** The ships of a sea as one list per seat. @param {Seen} view @param {Schema<'SeaView'>} sea
 * @param {Classes} classes */
function fleets(view, sea, classes) {
  const looks = looksOf(classes);
  const seats = [...new Set(sea.ships.map((ship) => ship.seat))];
  return seats.map((seat) => {
    const ships = sea.ships.filter((ship) => ship.seat === seat);
    const name = view.seats.find((one) => one.seat === seat)?.player.username ?? '';
    const stats = ships.find((ship) => ship.stats.length)?.stats ?? [];
    const supplies = (sea.supplies ?? []).filter((one) => one.seat === seat);
    const afloat = ships.filter((ship) => ship.afloat !== false).length;
    return h(
      'div',
      {},
      h('h2', {}, seat === view.viewer.seat ? t('fleet-yours') : t('fleet-of', { name })),
      h('p', { class: 'muted' }, t('afloat', { count: afloat, all: ships.length })),
      h(
        'ul',
        { class: stats.length ? 'figured' : null, 'aria-label': t('fleet-of', { name }) },
        stats.length > 0 && h('li', { class: 'heads', 'aria-hidden': 'true' }, statNames(stats)),
        ships.map((ship) => fleetShip(ship, looks.get(ship.class))),
        supplies.map((one) =>
          h('li', { class: 'supply' }, h('span', {}, one.name), h('small', {}, `${one.remaining}/${one.max}`)),
        ),
      ),
    );
  });
}

/** @param {Schema<'Stat'>[]} stats */
const statNames = (stats) => stats.map(({ name }) => h('small', {}, word('stat', name)));

/** @param {Schema<'ShipView'>} ship @param {import('../kit/ships.js').Look | undefined} look */
function fleetShip(ship, look) {
  const lost = ship.afloat === false;
  const hits = ship.hits ?? 0;
  const state = lost ? t('lost') : hits ? t('cells-left', { count: ship.length - hits, all: ship.length }) : '';
  const stats = ship.stats.map(({ name, value }) =>
    h('small', { title: word('stat', name) }, h('span', { class: 'unseen' }, `${word('stat', name)} `), value ?? '?'),
  );
  return h(
    'li',
    { class: lost ? 'ship-line lost' : 'ship-line' },
    h('span', {}, ship.name),
    shipPicture({ look, length: ship.length, hits, ...(lost && { state: /** @type {const} */ ('sunk') }) }),
    state && h('small', { class: 'state' }, state),
    stats,
  );
}
