/** What may be done now: the decisions, one of them at hand, and the button that sends it. */

import { Problem, api } from '../api.js';
import { Plan, shortcuts } from '../decisions/plan.js';
import { PlaceField } from '../decisions/place.js';
import { fill, h } from '../dom.js';
import { words } from '../format.js';
import { t } from '../i18n/index.js';
import { problemBox } from '../ui.js';
import { seaTitle } from './boards.js';

/** @typedef {import('../decisions/plan.js').Table} Table */

/** The panel beside the boards. */
export class Panel {
  /**
   * @param {{
   *   act: (action: Schema<'Action'>) => Promise<void>,
   *   changed: () => void,
   * }} page `act` sends an action, `changed` draws again
   */
  constructor({ act, changed }) {
    this.act = act;
    this.changed = changed;
    this.element = h('section', { class: 'panel', 'aria-label': t('your-decision') });
    /** @type {Plan[]} */
    this.plans = [];
    this.at = 0;
    this.busy = false;
    /** @type {Problem | Error | null} */
    this.problem = null;
    this.sure = '';
  }

  get plan() {
    return this.plans[this.at] ?? null;
  }

  /** @param {Table} table */
  set(table) {
    const before = this.plan?.decision;
    this.table = table;
    const { view } = table;
    // What is half chosen stays as long as the decision is the same.
    const kept = new Map(this.plans.map((plan) => [choiceOf(plan.decision), plan]));
    const plan = (/** @type {Schema<'Decision'>} */ one) => kept.get(choiceOf(one))?.renew(one) ?? new Plan(one, table);
    this.plans = view.decisions.filter((one) => one.required).map(plan);
    const same = (/** @type {Plan} */ plan) => name(plan.decision, table) === (before ? name(before, table) : '');
    this.at = Math.max(0, this.plans.findIndex(same));
    this.problem = null;
    this.sure = '';
    this.draw();
  }

  /** What the boards show of the choice. */
  choices() {
    const { plan } = this;
    return {
      active: plan?.sea ?? '',
      paint: (/** @type {string} */ sea) => plan?.paint(sea) ?? new Map(),
      hulls: (/** @type {string} */ sea) => plan?.hulls(sea) ?? [],
      moved: (/** @type {string} */ sea) =>
        plan?.fields.filter((field) => field.sea === sea).flatMap((field) => field.moved()) ?? [],
    };
  }

  /** A cell was chosen. @param {string} sea @param {string} cell */
  press(sea, cell) {
    const { plan } = this;
    if (!plan || this.busy) return;
    if (plan.sends(sea, cell)) {
      void this.send(plan.action());
      return;
    }
    plan.press(sea, cell);
    this.problem = null;
    this.again();
  }

  /** @param {string} sea @param {string} cell */
  hover(sea, cell) {
    const field = this.plan?.field;
    if (!field || field.sea !== sea) return;
    field.hover(cell);
    this.changed();
  }

  /** A key outside of text fields. @param {string} key @returns {boolean} */
  key(key) {
    const { plan } = this;
    if (!plan?.field) return false;
    if (key === 'r' || key === 'R') plan.field.turn();
    else if (key === 'Escape') plan.field.undo();
    else if (/^[1-9]$/.test(key)) plan.field.items()[Number(key) - 1]?.pick?.();
    else return false;
    this.again();
    return true;
  }

  again() {
    this.draw();
    this.changed();
  }

  /** @param {Schema<'Action'>} action */
  async send(action) {
    if (this.busy) return;
    this.busy = true;
    this.problem = null;
    this.draw();
    try {
      await this.act(action);
    } catch (failure) {
      this.problem = failure instanceof Error ? failure : new Error(String(failure));
      if (failure instanceof Problem) this.plan?.refuse(failure.errors);
    } finally {
      this.busy = false;
      this.again();
    }
  }

  draw() {
    const { view } = this.table ?? {};
    if (!view) return;
    this.element.setAttribute('aria-busy', String(this.busy));
    const focused = document.activeElement?.getAttribute('data-focus');
    fill(this.element, this.#state(view), this.plan && this.#decision(this.plan), this.#refusal(), this.#rest(view));
    if (focused)
      /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-focus="${CSS.escape(focused)}"]`))?.focus();
  }

  /** @param {Schema<'Match'>} view */
  #state(view) {
    if (view.result || view.status === 'finished') return null;
    if (this.plans.length) return null;
    const names = view.seats.filter(({ seat }) => view.to_act.includes(seat)).map(({ player }) => player.username);
    return h(
      'p',
      { class: 'waiting' },
      names.length ? t('waiting-for', { names: names.join(', ') }) : t('nothing-waits'),
    );
  }

  /** @param {Plan} plan */
  #decision(plan) {
    const { table } = this;
    if (!table) return null;
    const tabs = this.plans.map((other, i) =>
      h(
        'button',
        {
          type: 'button',
          class: 'tab',
          'aria-pressed': String(i === this.at),
          'data-focus': `tab-${i}`,
          on: { click: () => this.#choose(i) },
        },
        name(other.decision, table),
      ),
    );
    const fields = plan.fields.length > 1 ? this.#fieldTabs(plan) : null;
    const hint = plan.field?.hint() ?? '';
    return h(
      'div',
      { class: 'decision' },
      h('h2', {}, this.plans.length > 1 ? t('your-turn-choose') : name(plan.decision, table)),
      tabs.length > 1 && h('div', { class: 'tabs', role: 'group', 'aria-label': t('what-to-do') }, tabs),
      fields,
      h('p', { class: 'hint' }, hint),
      this.#items(plan),
      this.#buttons(plan),
    );
  }

  /** @param {number} i */
  #choose(i) {
    this.at = i;
    this.problem = null;
    this.again();
  }

  /** @param {Plan} plan */
  #fieldTabs(plan) {
    const tabs = plan.fields.map((field, i) =>
      h(
        'button',
        {
          type: 'button',
          class: 'tab',
          'aria-pressed': String(i === plan.at),
          'data-focus': `field-${i}`,
          on: {
            click: () => {
              plan.at = i;
              this.again();
            },
          },
        },
        `${words(field.key)}${field.full ? ' ✓' : ''}`,
      ),
    );
    return h('div', { class: 'tabs', role: 'group', 'aria-label': t('parts') }, tabs);
  }

  /** @param {Plan} plan */
  #items(plan) {
    const items = plan.field?.items() ?? [];
    if (!items.length) return null;
    return h(
      'ul',
      { class: 'items' },
      items.map((item, i) => this.#item(item, i)),
    );
  }

  /** @param {import('../decisions/field.js').Item} item @param {number} i */
  #item(item, i) {
    const inside = [h('span', {}, item.text), item.detail && h('span', { class: 'detail' }, item.detail)];
    const pick = () => {
      item.pick?.();
      this.again();
    };
    const remove = () => {
      item.remove?.();
      this.again();
    };
    return h(
      'li',
      { class: item.state || 'plain' },
      item.pick
        ? h(
            'button',
            {
              type: 'button',
              class: 'item',
              'data-focus': `item-${item.id}`,
              'data-drag': item.drag ? item.id : null,
              'aria-pressed': String(item.state === 'selected' || item.state === 'chosen'),
              on: { click: pick },
            },
            i < 9 && h('kbd', { 'aria-hidden': 'true' }, i + 1),
            inside,
          )
        : h('span', { class: 'item' }, inside),
      item.remove &&
        h(
          'button',
          {
            type: 'button',
            class: 'remove',
            'aria-label': t('remove', { what: item.text }),
            'data-focus': `remove-${item.id}`,
            on: { click: remove },
          },
          '×',
        ),
    );
  }

  /** @param {Plan} plan */
  #buttons(plan) {
    const { table } = this;
    const places = plan.field instanceof PlaceField ? plan.field : null;
    const turns = places?.selected && places.selected.shapes.length > 1;
    const quick = table ? shortcuts(table.card, table.view) : [];
    return h(
      'div',
      { class: 'buttons' },
      h(
        'button',
        {
          type: 'button',
          class: 'primary',
          disabled: this.busy || !plan.full,
          'data-focus': 'send',
          on: { click: () => void this.send(plan.action()) },
        },
        this.busy ? t('sending') : table ? name(plan.decision, table) : '',
      ),
      turns &&
        h(
          'button',
          {
            type: 'button',
            'data-focus': 'turn',
            on: {
              click: () => {
                places.turn();
                this.again();
              },
            },
          },
          t('turn'),
          h('kbd', {}, 'R'),
        ),
      quick.map((action) =>
        h(
          'button',
          { type: 'button', disabled: this.busy, 'data-focus': 'auto', on: { click: () => void this.send(action) } },
          t('auto'),
        ),
      ),
    );
  }

  #refusal() {
    return this.problem && problemBox(this.problem);
  }

  /** What may be done, and need not. @param {Schema<'Match'>} view */
  #rest(view) {
    const optional = view.decisions.filter((one) => !one.required);
    if (!optional.length || !this.table) return null;
    const { table } = this;
    return h(
      'div',
      { class: 'optional' },
      optional.map((decision) => {
        const title = name(decision, table);
        const asked = this.sure === title;
        const click = () => {
          this.sure = asked ? '' : title;
          if (asked) void this.send(decision.example);
          else this.draw();
        };
        return h(
          'button',
          { type: 'button', class: asked ? 'sure' : 'quiet', 'data-focus': `rest-${title}`, on: { click } },
          asked ? t('sure', { what: title }) : title,
        );
      }),
      view.rated &&
        optional.some((one) => one.type === 'abort' && this.sure === name(one, table)) &&
        h('p', { class: 'hint' }, t('abort-rated')),
    );
  }
}

/**
 * What a decision lets one choose, to compare: all but its example, which changes with the version.
 * @param {Schema<'Decision'>} decision
 */
export function choiceOf(decision) {
  return JSON.stringify({ ...decision, example: decision.example.type });
}

/** What a decision is called. @param {Schema<'Decision'>} decision @param {Table} table */
function name(decision, { view, card }) {
  const { name: own, target } = /** @type {import('../decisions/plan.js').Offered} */ (decision);
  const action = card.actions.find(({ action_type }) => action_type === decision.type);
  const title = own ?? action?.title ?? words(decision.type);
  const sea = view.seas.find(({ id }) => id === target);
  return sea && view.seas.length > 2 ? `${title} · ${seaTitle(view, sea)}` : title;
}

/** Sends an action. @param {string} id @param {number} version @param {Schema<'Action'>} action */
export function submit(id, version, action) {
  return api.post(`/v1/matches/${id}/actions`, { version, action });
}
