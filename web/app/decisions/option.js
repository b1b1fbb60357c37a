/** A choice among offers, each of which fills several fields of the action. */

import { t } from '../i18n/index.js';
import { Field } from './field.js';

/**
 * `group` is chosen first (a ship), `cell` is the cell on the board, `way` the path there, `under` the covered cells
 * and `effect` the effect on them.
 * @typedef {{ group: string, cell: string, text: string, way?: string[], under?: () => string[], effect?: string,
 *   values: Record<string, any> }} Offer
 * @typedef {{ id: string, name: string, cell: string, detail?: string }} Group
 */

export class OptionField extends Field {
  /** @param {string} sea @param {Group[]} groups @param {Offer[]} offers */
  constructor(sea, groups, offers) {
    super(Object.keys(offers[0]?.values ?? {}).join(' '), sea);
    this.groups = groups;
    this.offers = offers;
    this.group = groups.length === 1 ? groups[0].id : '';
    /** @type {Offer | null} */
    this.chosen = null;
    this.under = '';
  }

  get full() {
    return !!this.chosen;
  }

  get quick() {
    return true;
  }

  values() {
    return { ...this.chosen?.values };
  }

  summary() {
    return this.chosen?.text ?? '';
  }

  patterns() {
    const here = this.offers.find(({ group, cell }) => group === this.group && cell === this.under);
    const offer = here ?? this.chosen;
    if (!offer?.under) return [];
    const effect = /** @type {Schema<'Effect'>} */ (offer.effect);
    return [{ cells: offer.under(), effect }];
  }

  routes() {
    const within = this.offers.filter(({ group }) => group === this.group);
    const shown = this.chosen ?? within.find(({ cell }) => cell === this.under);
    const from = this.groups.find(({ id }) => id === shown?.group)?.cell;
    return shown?.way?.length && from && shown.way.includes(shown.cell)
      ? [{ kind: /** @type {const} */ ('course'), cells: [from, ...shown.way.filter((cell) => cell !== from)] }]
      : [];
  }

  hint() {
    if (this.chosen) return t('press-again', { cell: this.chosen.text });
    return t(this.group || this.groups.length < 2 ? 'choose-where' : 'choose-first', { what: this.#name(this.group) });
  }

  /** @param {string} id */
  #name(id) {
    return this.groups.find((group) => group.id === id)?.name ?? '';
  }

  /** @param {string} label */
  press(label) {
    const offer =
      this.offers.find(({ group, cell }) => group === this.group && cell === label) ??
      this.#only(this.offers.filter(({ group, cell, way }) => group === this.group && way?.includes(label)));
    if (offer) {
      this.chosen = offer === this.chosen ? null : offer;
      return true;
    }
    const here = this.groups.filter(({ cell }) => cell === label);
    const other = this.offers.find(({ cell }) => cell === label);
    // Presses on a cell of several groups cycle through them.
    if (here.length) this.#select(here[(here.findIndex(({ id }) => id === this.group) + 1) % here.length]?.id ?? '');
    else if (other) [this.group, this.chosen] = [other.group, other];
    return here.length > 0 || !!other;
  }

  /** @param {Offer[]} offers */
  #only(offers) {
    return offers.length === 1 ? offers[0] : null;
  }

  /** @param {string} id */
  #select(id) {
    this.group = id;
    this.chosen = this.#only(this.offers.filter(({ group }) => group === id));
  }

  undo() {
    if (this.chosen) this.chosen = null;
    else if (this.group && this.groups.length > 1) this.group = '';
    else return false;
    return true;
  }

  /** @param {string} label */
  hover(label) {
    this.under = label;
  }

  paint() {
    /** @type {Map<string, import('./field.js').Paint>} */
    const paint = new Map();
    for (const { id, cell } of this.groups) if (cell) paint.set(cell, { state: id === this.group ? 'chosen' : 'open' });
    const within = this.offers.filter(({ group }) => !this.group || group === this.group);
    for (const { cell, way } of within)
      paint.set(cell, { state: 'open', text: this.group && way ? String(way.length) : '' });
    const shown = this.chosen ?? within.find(({ group, cell }) => this.group === group && cell === this.under);
    for (const label of shown?.way ?? []) paint.set(label, { state: 'ghost' });
    if (this.chosen) paint.set(this.chosen.cell, { state: 'chosen' });
    return paint;
  }

  items() {
    const groups = this.groups.map(({ id, name, detail }) => ({
      id,
      text: name,
      detail,
      state: /** @type {import('./field.js').Item['state']} */ (id === this.group ? 'selected' : ''),
      pick: () => this.#select(id),
    }));
    const within = this.offers.filter(({ group }) => group === this.group);
    const few = within.length > 8 ? within.filter((offer) => offer === this.chosen) : within;
    const offers = few.map((offer) => ({
      id: `${offer.group} ${offer.cell}`,
      text: offer.text,
      state: /** @type {import('./field.js').Item['state']} */ (offer === this.chosen ? 'chosen' : ''),
      pick: () => {
        this.chosen = offer === this.chosen ? null : offer;
      },
    }));
    return this.groups.length > 1 ? [...groups, ...offers] : offers;
  }
}
