/** The seas of a match side by side, with what the viewer knows of each. */

import '../board/board.js';
import { Chart } from '../board/geometry.js';
import { fill, h } from '../dom.js';
import { word } from '../format.js';
import { t } from '../i18n/index.js';

/**
 * @typedef {import('../board/board.js').SeaBoard} SeaBoard
 * @typedef {import('../board/board.js').Hull} Hull
 * @typedef {Pick<Schema<'Match'>, 'seas' | 'seats' | 'viewer' | 'status'>} Seen what the boards need of a match
 * @typedef {{
 *   paint: (sea: string) => Map<string, import('../board/board.js').Paint>,
 *   hulls: (sea: string) => Hull[],
 *   moved: (sea: string) => string[],
 *   active: string,
 * }} Choices
 */

/** @type {Choices} */
const NO_CHOICES = { paint: () => new Map(), hulls: () => [], moved: () => [], active: '' };

/** What a sea is called. @param {Seen} view @param {Schema<'SeaView'>} sea */
export function seaTitle(view, sea) {
  const owners = sea.owners ?? (sea.owner === null ? [] : [sea.owner]);
  if (!owners.length) return t('common-sea');
  if (owners.some((seat) => seat === view.viewer.seat)) return t('your-sea');
  const names = view.seats.filter(({ seat }) => owners.includes(seat));
  return t('sea-of', { name: names.map(({ player }) => player.username).join(', ') });
}

/** The boards of one match. */
export class Boards {
  /** @param {Schema<'Board'>} board what `GET /v1/matches/{id}/board` answers @param {{ small?: boolean }} [how] */
  constructor(board, { small = false } = {}) {
    this.board = board;
    this.small = small;
    /** @type {Map<string, Chart>} */
    this.charts = new Map(board.seas.map((sea) => [sea.id, new Chart(sea)]));
    /** @type {Map<string, { frame: HTMLElement, board: SeaBoard, title: HTMLElement, fleet: HTMLElement }>} */
    this.parts = new Map();
    this.element = h('div', { class: small ? 'seas small' : 'seas' });
  }

  /** @param {Seen} view */
  #build(view) {
    for (const sea of this.board.seas) {
      const known = view.seas.find(({ id }) => id === sea.id);
      const name = known ? seaTitle(view, known) : '';
      const element = /** @type {SeaBoard} */ (document.createElement('sea-board'));
      const title = h('h2', {}, name);
      const fleet = h('div', { class: 'fleet' });
      const frame = this.small
        ? h('div', { class: 'sea-frame' }, element)
        : h('section', { class: 'sea-frame', 'aria-label': name }, title, element, fleet);
      element.draw(sea, name, this.small);
      this.parts.set(sea.id, { frame, board: element, title, fleet });
      this.element.append(frame);
    }
  }

  /**
   * @param {Seen} view
   * @param {Choices} [choices]
   * @param {(sea: string) => Set<string>} [fresh] cells that were told of just now
   */
  show(view, choices = NO_CHOICES, fresh = () => new Set()) {
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
        paint: choices.paint(sea.id),
        fresh: fresh(sea.id),
        active,
      });
      if (!this.small) fill(part.fleet, fleets(view, sea));
    }
    this.element.classList.toggle('zones', view.status === 'deploying');
    this.element.style.setProperty('--seas', String(view.seas.length));
  }

  /** Puts the sea that matters first. @param {string} id */
  first(id) {
    const part = this.parts.get(id);
    if (part && this.element.firstElementChild !== part.frame && !this.element.contains(document.activeElement)) {
      this.element.prepend(part.frame);
    }
  }
}

/** The ships of a sea as lists, one for each seat. @param {Seen} view @param {Schema<'SeaView'>} sea */
function fleets(view, sea) {
  const seats = [...new Set(sea.ships.map((ship) => ship.seat))];
  return seats.map((seat) => {
    const ships = sea.ships.filter((ship) => ship.seat === seat);
    const who = view.seats.find((one) => one.seat === seat);
    const stats = (ships.find((ship) => ship.stats.length)?.stats ?? []).map((stat) => word('stat', stat.name));
    const supplies = (sea.supplies ?? []).filter((one) => one.seat === seat);
    return h(
      'ul',
      { 'aria-label': t('fleet-of', { name: who?.player.username ?? '' }) },
      (seats.length > 1 || stats.length > 0) &&
        h('li', { class: 'whose' }, who?.player.username ?? '', stats.length > 0 && h('small', {}, stats.join(' · '))),
      ships.map(fleetShip),
      supplies.map((one) => h('li', { class: 'supply' }, `${one.name}: ${one.remaining}`)),
    );
  });
}

/** @param {Schema<'ShipView'>} ship */
function fleetShip(ship) {
  const lost = ship.afloat === false;
  const cells = Array.from({ length: ship.length }, (_, i) =>
    i < (ship.hits ?? (lost ? ship.length : 0)) ? '✕' : '□',
  ).join('');
  const stats = ship.stats.map((stat) => stat.value ?? '?').join(' · ');
  return h(
    'li',
    { class: lost ? 'ship-line lost' : 'ship-line' },
    h('span', {}, ship.name, lost && h('span', { class: 'unseen' }, ` (${t('lost')})`)),
    ship.length > 1 && h('span', { class: 'pips', 'aria-hidden': 'true' }, cells),
    !!ship.hits && !lost && h('span', { class: 'unseen' }, t('hits', { count: ship.hits })),
    stats && h('small', {}, stats),
  );
}

/** A sea as it is before anybody has played. @param {Schema<'Board'>} board */
export function emptySea(board) {
  const seas = board.seas.slice(0, 1);
  const boards = new Boards({ seas }, { small: true });
  const nothing = seas.map(({ id }) => ({ id, owner: null, hits: 0, marks: [], ships: [] }));
  boards.show({ seas: nothing, seats: [], viewer: { seat: null }, status: 'playing' });
  return boards.element;
}
