/** The form of a standing order: conditions, action, alternative. */

import { h } from '../dom.js';
import { span } from '../format.js';
import { t } from '../i18n/index.js';
import { form, labelled, select } from '../ui.js';
import { ActionForm } from './action-form.js';
import { patternOf, signText, signs } from './conditions.js';

/** @typedef {import('./conditions.js').Sign} Sign
 * @typedef {{ box: HTMLElement, read: () => Schema<'StandingCondition'> }} Row */

/** Delays of an order, in seconds: the default, or a range. */
const DELAYS = [
  [0, 0],
  [3600, 10_800],
  [10_800, 43_200],
];

/** The most conditions of one order. */
const MOST = 20;

/** True: the default. @param {Schema<'Delay'>} delay @param {Schema<'Clock'>} clock */
export function isUsual({ min_s: min, max_s: max }, clock) {
  return (min === 60 && max === 3600) || (clock.kind === 'bank' && min > 0 && min <= 60 && max <= 3600);
}

/** @param {import('../decisions/plan.js').Table} table @param {Sign[]} known
 * @param {import('./action-form.js').Aim} aim @param {() => void} remove @returns {Row} */
function row(table, known, aim, remove) {
  const { view, card } = table;
  const own = view.viewer.seat;
  const seats = [...view.seats].sort((a, b) => Number(b.seat === own) - Number(a.seat === own));
  const whether = select('', [
    ['reported', t('if-so')],
    ['not-reported', t('if-not-so')],
  ]);
  const what = h(
    'select',
    {},
    seats.map((seat) =>
      h(
        'optgroup',
        { label: seat.seat === own ? t('you') : seat.player.username },
        known.map((sign, i) => h('option', { value: `${seat.seat} ${i}` }, signText(sign, card))),
      ),
    ),
  );
  const input = h('input', { autocomplete: 'off', spellcheck: 'false', autocapitalize: 'characters' });
  const where = h('div', {}, labelled(t('at-cell'), input, t('at-cell-help')), aim(input, false));
  const chosen = () => {
    const [seat, i] = what.value.split(' ').map(Number);
    return { seat, sign: known[i] };
  };
  const show = () => {
    where.hidden = !chosen().sign?.cell;
  };
  what.addEventListener('change', show);
  show();
  const box = h(
    'div',
    { class: 'condition' },
    labelled(t('condition'), whether),
    labelled(t('what-was-told'), what),
    where,
    h('button', { type: 'button', class: 'quiet', on: { click: remove } }, t('remove-condition')),
  );
  const read = () => {
    const { seat, sign } = chosen();
    const report = patternOf(sign, seat, where.hidden ? '' : input.value.trim());
    return /** @type {Schema<'StandingCondition'>} */ ({ type: whether.value, report });
  };
  return { box, read };
}

/** @param {import('../decisions/plan.js').Table} table
 * @param {{ reports: () => Schema<'Report'>[], aim: import('./action-form.js').Aim, delay: Schema<'Delay'> | null,
 * add: (order: Schema<'StandingOrder'>, delay: Schema<'Delay'> | null) => Promise<void>, }} how `delay`: present
 * choice */
export function standingForm(table, { reports, aim, delay, add }) {
  /** @type {Row[]} */
  const rows = [];
  const list = h('div', {});
  const always = h('p', { class: 'muted', role: 'status' }, t('always'));
  const more = h('button', { type: 'button', 'data-add': 'condition' }, t('add-condition'));
  const then = new ActionForm(table, aim, { legend: t('then') });
  const otherwise = new ActionForm(table, aim, { legend: t('otherwise'), optional: true });
  const show = () => {
    always.hidden = rows.length > 0;
    otherwise.element.hidden = !rows.length;
    more.hidden = rows.length >= MOST;
  };
  more.addEventListener('click', () => {
    const known = signs(reports(), table.card);
    always.textContent = t(known.length ? 'always' : 'no-signs');
    if (!known.length) return;
    const made = row(table, known, aim, () => {
      rows.splice(rows.indexOf(made), 1);
      made.box.remove();
      show();
      more.focus();
    });
    rows.push(made);
    list.append(made.box);
    show();
    made.box.querySelector('select')?.focus();
  });
  show();
  const again = h('input', { type: 'checkbox', name: 'repeat' });
  const delays = [...DELAYS, ...(delay ? [[delay.min_s, delay.max_s]] : [])];
  const between = delays.map(([min, max]) => [
    `${min} ${max}`,
    max ? t('delay-between', { min: span(min), max: span(max) }) : t('delay-none'),
  ]);
  const wait = select(
    'delay',
    [['', t('delay-usual')], .../** @type {[string, string][]} */ ([...new Map(/** @type {any} */ (between))])],
    delay ? `${delay.min_s} ${delay.max_s}` : '',
  );
  const submit = async () => {
    const action = then.read();
    if (!action) return;
    const other = rows.length ? otherwise.read() : null;
    const [min_s, max_s] = wait.value.split(' ').map(Number);
    await add(
      {
        when: rows.map(({ read }) => read()),
        then: { action },
        ...(other && { otherwise: { action: other } }),
        repeat: again.checked,
      },
      wait.value ? { min_s, max_s } : null,
    );
  };
  return form(
    { submit: t('add-order'), onSubmit: submit },
    h('fieldset', {}, h('legend', {}, t('if')), always, list, more),
    then.element,
    otherwise.element,
    labelled(t('repeat-order'), again),
    labelled(t('delay'), wait, t('delay-help')),
  );
}
