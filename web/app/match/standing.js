/** Standing orders: a seat's actions for turns in the player's absence. */

import { api } from '../api.js';
import { announce, fill, h } from '../dom.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { action as button, problemBox } from '../ui.js';
import { signs } from './conditions.js';
import { isUsual, standingForm } from './standing-form.js';
import { actionText, patternText } from './words.js';

/** @typedef {import('../decisions/plan.js').Table} Table */

export class StandingOrders {
  /** @param {Table} table @param {() => Schema<'Report'>[]} reports known to the page @param {AbortSignal} signal */
  constructor(table, reports, signal) {
    this.table = table;
    this.reports = reports;
    this.signal = signal;
    /** @type {Schema<'StandingOrders'> | null} */
    this.list = null;
    /** @type {Schema<'Report'>[]} */
    this.others = [];
    /** @type {{ input: HTMLInputElement, several: boolean, toggle: HTMLElement } | null} target of board cells */
    this.aimed = null;
    this.said = h('p', { role: 'status' });
    this.orders = h('div');
    this.place = h('div');
    this.element = h(
      'details',
      { class: 'fold standing' },
      h('summary', {}, t('standing-orders')),
      h('p', { class: 'muted' }, t('standing-more')),
      this.said,
      this.orders,
      this.place,
    );
    this.element.addEventListener('toggle', () => {
      if (this.element.open && !this.list) void this.#begin();
      if (!this.element.open) this.#aim(null);
    });
  }

  get #path() {
    return /** @type {const} */ (`/v1/matches/${this.table.view.id}/standing-orders`);
  }

  /** @param {Table} table */
  set(table) {
    this.table = table;
    const { view } = table;
    const seat = view.seats.find((one) => one.seat === view.viewer.seat);
    this.element.hidden =
      !!view.result || seat?.status === 'out' || !['deploying', 'playing', 'armistice'].includes(view.status);
  }

  /** @param {import('../stream.js').Heard} event of this match */
  heard(event) {
    if (event.type === 'standing-order-dropped') {
      this.said.textContent = t('order-dropped', { what: this.#action(event.action), why: event.detail ?? '' });
    } else if (event.type === 'standing-order-executed') {
      this.said.textContent = t('order-executed', { what: this.#action(event.action) });
    } else return;
    if (this.list) void this.#load();
  }

  /** A press on a cell of the board. @param {string} label @returns {boolean} true: it was for an order */
  press(label) {
    if (!this.aimed || this.element.hidden) return false;
    const { input, several } = this.aimed;
    const cells = input.value.split(/[\s,;]+/).filter(Boolean);
    const without = cells.filter((cell) => cell.toUpperCase() !== label.toUpperCase());
    input.value = several ? (without.length < cells.length ? without : [...cells, label]).join(' ') : label;
    announce(input.value);
    return true;
  }

  /** @param {StandingOrders['aimed']} aimed */
  #aim(aimed) {
    this.aimed?.toggle.setAttribute('aria-pressed', 'false');
    this.aimed = aimed;
    aimed?.toggle.setAttribute('aria-pressed', 'true');
    // On a phone, the boards are far above the form.
    if (aimed) document.querySelector('.seas .sea-frame:last-child')?.scrollIntoView({ block: 'nearest' });
  }

  /** @type {import('./action-form.js').Aim} */
  #button = (input, several) => {
    const toggle = h('button', { type: 'button', class: 'tab', 'aria-pressed': 'false' }, t('on-board'));
    toggle.addEventListener('click', () => this.#aim(this.aimed?.input === input ? null : { input, several, toggle }));
    return toggle;
  };

  async #begin() {
    await this.#load();
    if (!this.list) return;
    this.others = await this.#elsewhere().catch(() => []);
    this.#form();
  }

  async #load() {
    try {
      this.list = await api.get(this.#path, {}, this.signal);
      this.#draw();
    } catch (failure) {
      if (!this.signal.aborted) fill(this.orders, problemBox(failure));
    }
  }

  /** Reports of other finished matches of this game, as long as this one has no answers. */
  async #elsewhere() {
    const answers = (/** @type {Schema<'Report'>[]} */ told) =>
      signs(told, this.table.card).some(({ key }) => key === 'answer');
    if (answers(this.reports())) return [];
    const query = { variant: this.table.view.variant, status: /** @type {const} */ ('finished'), limit: 3 };
    const { items } = await api.get('/v1/matches', query, this.signal);
    /** @type {Schema<'Report'>[]} */
    const found = [];
    for (const { id } of items) {
      const page = await api.get(`/v1/matches/${id}/reports`, { after: '0', limit: 200 }, this.signal);
      found.push(...page.items);
      if (answers(found)) break;
    }
    return found;
  }

  #form() {
    const { list, table } = this;
    if (!list) return;
    this.#aim(null);
    // A player's report of the end is nothing to wait for.
    const told = () => [...this.reports(), ...this.others].filter((report) => !('seas' in report));
    const chosen = list.orders.length > 0 && !isUsual(list.delay, table.view.clock) ? list.delay : null;
    const add = async (/** @type {Schema<'StandingOrder'>} */ order, /** @type {Schema<'Delay'> | null} */ delay) => {
      await this.#put([...(this.list?.orders ?? []), order], delay);
      this.#form();
      this.element.querySelector('summary')?.focus();
      announce(t('order-added'));
    };
    fill(this.place, standingForm(table, { reports: told, aim: this.#button, delay: chosen, add }));
  }

  /** @param {Schema<'StandingOrder'>[]} orders @param {Schema<'Delay'> | null} delay */
  async #put(orders, delay) {
    const revision = this.list?.revision ?? 0;
    try {
      this.list = await api.put(this.#path, { revision, orders, ...(delay && { delay }) });
    } catch (failure) {
      await this.#load(); // the list may be another one by now: what it is stands beside the refusal
      throw failure;
    }
    this.#draw();
  }

  #draw() {
    const { list } = this;
    if (!list) return;
    const delay = isUsual(list.delay, this.table.view.clock) ? null : list.delay;
    const remove = async (/** @type {number} */ i) => {
      await this.#put(
        list.orders.filter((_, j) => j !== i),
        delay,
      );
      this.element.querySelector('summary')?.focus();
    };
    fill(
      this.orders,
      list.orders.length > 0
        ? h(
            'ol',
            { class: 'given-orders' },
            list.orders.map((order, i) =>
              h(
                'li',
                {},
                this.#order(order),
                ' ',
                button(t('remove-order', { number: i + 1 }), () => remove(i)),
              ),
            ),
          )
        : h('p', { class: 'muted' }, t('no-orders')),
      list.due_at && h('p', {}, t('order-due', { time: moment(list.due_at) })),
    );
  }

  /** @param {Schema<'StandingOrder'>} order @returns {Node} */
  #order({ when = [], then, otherwise, repeat }) {
    const { view, card } = this.table;
    const conditions = when.map(({ type, report }) => {
      const what = patternText(report, view, card);
      return type === 'reported' ? what : t('not-so', { what });
    });
    return h(
      'div',
      {},
      conditions.length > 0 && h('p', {}, h('b', {}, t('if')), ` ${conditions.join(` ${t('and')} `)}`),
      this.#branch(t('then'), then),
      otherwise && this.#branch(t('otherwise'), otherwise),
      repeat && h('p', { class: 'muted' }, t('repeats')),
    );
  }

  /** @param {string} title @param {Schema<'StandingBranch'>} branch */
  #branch(title, { action, next = [] }) {
    return h(
      'div',
      {},
      h('p', {}, h('b', {}, title), ` ${this.#action(action)}`),
      next.length > 0 && [
        h('p', { class: 'muted' }, t('and-next')),
        h(
          'ol',
          {},
          next.map((one) => h('li', {}, this.#order(one))),
        ),
      ],
    );
  }

  /** @param {Schema<'Action'> | undefined} action */
  #action(action) {
    return action ? actionText(action, this.table.view, this.table.card) : '';
  }
}
