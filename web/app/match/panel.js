/** The bar of decisions: one of them open, its send button, and a menu for rare actions. */

import { Problem, api } from '../api.js';
import { Plan, shortcuts } from '../decisions/plan.js';
import { PlaceField } from '../decisions/place.js';
import { fill, h } from '../dom.js';
import { words } from '../format.js';
import { t } from '../i18n/index.js';
import { looksOf, shipPicture } from '../kit/ships.js';
import { problemBox } from '../ui.js';
import { seaTitle } from './boards.js';
import { purpose } from './purpose.js';

/** @typedef {import('../decisions/plan.js').Table} Table */

/** The bar below the active sea. */
export class Panel {
  /**
   * @param {{
   *   act: (action: Schema<'Action'>) => Promise<void>,
   *   changed: () => void,
   * }} page `act` sends an action, `changed` redraws
   */
  constructor({ act, changed }) {
    this.act = act;
    this.changed = changed;
    this.body = h('div', { class: 'bar' });
    this.menu = h('div', { class: 'optional', id: 'rare', popover: '' });
    this.more = h(
      'button',
      { type: 'button', class: 'more', popovertarget: 'rare', 'aria-label': t('more-actions') },
      '···',
    );
    this.element = h('section', { class: 'panel', 'aria-label': t('your-decision') }, this.body, this.more, this.menu);
    this.menu.addEventListener('toggle', () => {
      this.sure = '';
      this.#rest();
    });
    /** @type {Plan[]} */
    this.plans = [];
    this.at = 0;
    this.busy = false;
    /** @type {Problem | Error | null} */
    this.problem = null;
    /** Time of the next attempt after too many requests. */
    this.again429 = 0;
    /** The action pressed once that needs a second press. */
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
    // A half-made choice stays as long as the decision is the same.
    const kept = new Map(this.plans.map((plan) => [choiceOf(plan.decision), plan]));
    const plan = (/** @type {Schema<'Decision'>} */ one) => kept.get(choiceOf(one))?.renew(one) ?? new Plan(one, table);
    this.plans = view.decisions
      .filter((one) => one.required)
      .map(plan)
      .sort((a, b) => a.order - b.order);
    const same = (/** @type {Plan} */ one) => !!before && choiceOf(one.decision) === choiceOf(before);
    this.at = Math.max(0, this.plans.findIndex(same));
    this.problem = null;
    this.sure = '';
    this.draw();
  }

  /** The choices, for the boards. */
  choices() {
    const { plan } = this;
    const field = (/** @type {string} */ sea) => (plan?.field?.sea === sea ? plan.field : null);
    return {
      active: plan?.sea ?? '',
      paint: (/** @type {string} */ sea) => plan?.paint(sea) ?? new Map(),
      hulls: (/** @type {string} */ sea) => plan?.hulls(sea) ?? [],
      moved: (/** @type {string} */ sea) =>
        plan?.fields.filter((one) => one.sea === sea).flatMap((one) => one.moved()) ?? [],
      routes: (/** @type {string} */ sea) => field(sea)?.routes() ?? [],
      patterns: (/** @type {string} */ sea) => field(sea)?.patterns() ?? [],
    };
  }

  /** Opens the decision about a sea, if any. @param {string} sea */
  about(sea) {
    const type = this.plan?.decision.type;
    const at = this.plans.findIndex((plan) => plan.sea === sea && plan.decision.type === type);
    if (at >= 0 && at !== this.at) this.#choose(at);
  }

  /** @param {string} sea @param {string} cell */
  press(sea, cell) {
    const { plan } = this;
    if (!plan || this.busy) return;
    if (plan.sends(sea, cell)) {
      void this.send(plan.action());
      return;
    }
    plan.press(sea, cell);
    this.#calm();
    this.again();
  }

  /** @param {string} sea @param {string} cell */
  hover(sea, cell) {
    const field = this.plan?.field;
    if (!field || field.sea !== sea) return;
    field.hover(cell);
    this.changed();
  }

  /** A key outside text fields. @param {string} key @returns {boolean} */
  key(key) {
    const { plan } = this;
    if (!plan?.field) return false;
    if (key === 'r' || key === 'R') plan.field.turn();
    else if (key === 'Escape') plan.field.undo();
    else if (/^[1-9]$/.test(key)) plan.field.items()[Number(key) - 1]?.pick?.();
    else return false;
    this.#calm();
    this.again();
    return true;
  }

  #calm() {
    this.problem = null;
    this.sure = '';
  }

  again() {
    this.draw();
    this.changed();
  }

  /** Sends the choice; sending nothing needs a second press. @param {Plan} plan */
  #send(plan) {
    if (plan.empty && this.sure !== 'empty') {
      this.sure = 'empty';
      this.draw();
    } else void this.send(plan.action());
  }

  /** @param {Schema<'Action'>} action */
  async send(action) {
    if (this.busy) return;
    this.busy = true;
    this.#calm();
    this.draw();
    try {
      await this.act(action);
    } catch (failure) {
      this.problem = failure instanceof Error ? failure : new Error(String(failure));
      if (failure instanceof Problem) {
        this.plan?.refuse(failure.errors);
        if (failure.status === 429) this.#wait(failure.wait || 1);
      }
    } finally {
      this.busy = false;
      this.again();
    }
  }

  /** Counts down the seconds until the next attempt. @param {number} seconds */
  #wait(seconds) {
    this.again429 = Date.now() + 1000 * seconds;
    const timer = setInterval(() => {
      if (Date.now() >= this.again429) {
        clearInterval(timer);
        this.problem = null;
      }
      this.draw();
    }, 1000);
  }

  draw() {
    const { view } = this.table ?? {};
    if (!view) return;
    this.element.setAttribute('aria-busy', String(this.busy));
    const focused = this.body.contains(document.activeElement)
      ? document.activeElement?.getAttribute('data-focus')
      : null;
    fill(this.body, this.#state(view), this.plan && this.#decision(this.plan));
    this.#rest();
    this.element.hidden = !this.body.hasChildNodes() && this.more.hidden;
    if (focused)
      /** @type {HTMLElement | null} */ (this.body.querySelector(`[data-focus="${CSS.escape(focused)}"]`))?.focus();
  }

  /** @param {Schema<'Match'>} view */
  #state(view) {
    if (view.result || view.status === 'finished' || this.plans.length) return null;
    const names = view.seats.filter(({ seat }) => view.to_act.includes(seat)).map(({ player }) => player.username);
    const text = names.length ? t('waiting-for', { names: names.join(', ') }) : t('nothing-waits');
    return [h('p', { class: 'waiting' }, text), this.#refusal()];
  }

  /** @param {Plan} plan */
  #decision(plan) {
    const { table } = this;
    if (!table) return null;
    const places = plan.field instanceof PlaceField;
    return h(
      'div',
      { class: 'decision' },
      this.#tabs(),
      plan.fields.length > 1 && this.#fieldTabs(plan),
      this.#items(plan),
      h(
        'div',
        { class: 'act' },
        h(
          'div',
          { class: 'say' },
          h('h2', {}, t(places ? 'place-your-ships' : 'your-turn')),
          this.#refusal() ?? h('p', { class: 'hint' }, this.sure === 'empty' ? t('nothing-chosen') : this.#hint(plan)),
        ),
        this.#buttons(plan),
      ),
    );
  }

  /** The effect of the decision, and the next step. @param {Plan} plan */
  #hint(plan) {
    const { table } = this;
    const what = table && 'effect' in plan.decision && !plan.full ? `${purpose(plan.decision, table)} ` : '';
    return what + (plan.field?.hint() ?? '');
  }

  #tabs() {
    const { table } = this;
    if (!table || this.plans.length < 2) return null;
    const own = table.view.seas.flatMap((sea) => sea.supplies ?? []);
    const tabs = this.plans.map(({ decision }, i) => {
      const { weapon } = /** @type {import('../decisions/plan.js').Offered} */ (decision);
      const left = own.find(({ id, seat }) => id === weapon && seat === table.view.viewer.seat);
      const text = [name(decision, table), left && h('small', {}, t('left-of', left))];
      return tab(text, i === this.at, `tab-${i}`, () => this.#choose(i));
    });
    return h('div', { class: 'tabs', role: 'group', 'aria-label': t('what-to-do') }, tabs);
  }

  /** @param {number} i */
  #choose(i) {
    this.at = i;
    this.#calm();
    this.again();
  }

  /** @param {Plan} plan */
  #fieldTabs(plan) {
    const tabs = plan.fields.map((field, i) =>
      tab(`${words(field.key)}${field.full ? ' ✓' : ''}`, i === plan.at, `field-${i}`, () => {
        plan.at = i;
        this.again();
      }),
    );
    return h('div', { class: 'tabs', role: 'group', 'aria-label': t('parts') }, tabs);
  }

  /** @param {Plan} plan */
  #items(plan) {
    const items = plan.field?.quick && plan.full ? [] : (plan.field?.items() ?? []);
    if (!items.length) return null;
    return h(
      'ul',
      { class: 'items' },
      items.map((item, i) => this.#item(item, i)),
    );
  }

  /** @param {import('../decisions/field.js').Item} item @param {number} i */
  #item(item, i) {
    const { ship } = item;
    const look = ship && looksOf(this.table?.card.classes ?? []).get(ship.class);
    const inside = [
      ship && shipPicture({ look, length: ship.length }),
      h('span', {}, item.text),
      item.detail && h('span', { class: 'detail' }, item.detail),
    ];
    const does = (/** @type {(() => void) | undefined} */ work) => () => {
      work?.();
      this.#calm();
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
              on: { click: does(item.pick) },
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
            on: { click: does(item.remove) },
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
    const [quick] = table ? shortcuts(table.card, table.view) : [];
    const shuffle = () => {
      if (!plan.shuffle()) void this.send(quick);
      else this.again();
    };
    const wait = Math.ceil((this.again429 - Date.now()) / 1000);
    const again = this.sure === 'empty';
    return h(
      'div',
      { class: 'buttons' },
      quick && plain('auto', [t('auto')], shuffle),
      turns &&
        plain('turn', [t('turn'), h('kbd', {}, 'R')], () => {
          places.turn();
          this.again();
        }),
      h(
        'button',
        {
          type: 'button',
          class: again ? 'sure' : 'primary',
          disabled: this.busy || !plan.full || wait > 0,
          'data-focus': 'send',
          on: { click: () => this.#send(plan) },
        },
        this.busy ? t('sending') : again ? t('sure', { what: this.#label(plan) }) : this.#label(plan),
      ),
    );
  }

  /** The button's text, with the choice. @param {Plan} plan */
  #label(plan) {
    const { table } = this;
    if (!table) return '';
    if (shortcuts(table.card, table.view).length) return t('ready-button');
    const what = name(plan.decision, table);
    const chosen = plan.fields.map((field) => field.summary()).filter(Boolean);
    return chosen.length ? t('do-at', { what, where: chosen.join(', ') }) : what;
  }

  /** The refusal, in words of the table. */
  #refusal() {
    const { problem } = this;
    if (!problem) return null;
    const wait = Math.ceil((this.again429 - Date.now()) / 1000);
    if (problem instanceof Problem && problem.status === 429 && wait > 0)
      return h('p', { class: 'refusal', role: 'alert' }, t('wait-seconds', { count: wait }));
    if (!(problem instanceof Problem) || problem.errors.length) return problemBox(problem);
    const key = `refused.${problem.code}`;
    const text = t(key);
    return text === key ? problemBox(problem) : h('p', { class: 'refusal', role: 'alert' }, text);
  }

  /** The menu of optional actions. */
  #rest() {
    const { table } = this;
    const optional = table?.view.decisions.filter((one) => !one.required) ?? [];
    this.more.hidden = !optional.length;
    if (!table || !optional.length) {
      fill(this.menu);
      return;
    }
    const buttons = optional.map((decision) => {
      const title = name(decision, table);
      const asked = this.sure === title;
      const click = () => {
        this.sure = asked ? '' : title;
        if (!asked) return this.#rest();
        this.menu.hidePopover();
        void this.send(decision.example);
      };
      return h(
        'button',
        { type: 'button', class: asked ? 'sure' : 'quiet', on: { click } },
        asked ? t('sure', { what: title }) : title,
      );
    });
    const aborts = optional.some((one) => one.type === 'abort' && this.sure === name(one, table));
    const inside = document.activeElement?.parentElement === this.menu;
    const at = inside ? [...this.menu.children].indexOf(/** @type {Element} */ (document.activeElement)) : -1;
    fill(this.menu, buttons, table.view.rated && aborts && h('p', {}, t('abort-rated')));
    if (at >= 0) /** @type {HTMLElement | undefined} */ (this.menu.children[at])?.focus();
  }
}

/** @param {import('../dom.js').Child[] | string} text @param {boolean} on @param {string} focus @param {() => void} click */
function tab(text, on, focus, click) {
  const how = { type: 'button', class: 'tab', 'aria-pressed': String(on), 'data-focus': focus, on: { click } };
  return h('button', how, text);
}

/** @param {string} focus @param {import('../dom.js').Child[]} text @param {() => void} click */
function plain(focus, text, click) {
  return h('button', { type: 'button', 'data-focus': focus, on: { click } }, text);
}

/** The choices of a decision, for comparison: all but its example, which changes with the version.
 * @param {Schema<'Decision'>} decision */
export function choiceOf(decision) {
  return JSON.stringify({ ...decision, example: decision.example.type });
}

/** @param {Schema<'Decision'>} decision @param {Table} table */
function name(decision, { view, card }) {
  const { name: own, target, weapon } = /** @type {import('../decisions/plan.js').Offered} */ (decision);
  const action = card.actions.find(({ action_type }) => action_type === decision.type);
  const supply = card.supply_titles.find(({ supply: id }) => id === weapon);
  const title = supply?.title ?? own ?? action?.title ?? words(decision.type);
  const sea = view.seas.find(({ id }) => id === target);
  return sea && view.seas.length > 2 ? `${title} · ${seaTitle(view, sea)}` : title;
}

/** @param {string} id @param {number} version @param {Schema<'Action'>} action */
export function submit(id, version, action) {
  return api.post(`/v1/matches/${id}/actions`, { version, action });
}
