/** The purpose of a decision in a sentence, and the sheet with the game's rules behind the question mark. */

import { fill, h } from '../dom.js';
import { words } from '../format.js';
import { t } from '../i18n/index.js';
import { markdown } from '../markdown.js';

/** Boards that suffice to explain a game. */
const ENOUGH = 4;

/** @typedef {import('../decisions/plan.js').Table} Table */

/** @param {Schema<'Decision'>} decision @param {Pick<Table, 'card' | 'view'>} table */
export function purpose(decision, { card, view }) {
  const { effect, weapon, range, pattern } = /** @type {import('../decisions/plan.js').Offered} */ (decision);
  if (!effect) return learns(decision.type, card);
  const count = range ?? [...(pattern ?? []).join('')].filter((sign) => sign === 'x').length;
  const { weapons = [] } = /** @type {AnyOf<Schema<'RuleSet'>>} */ (view.rule_set);
  const { downed_by: foe, carrier } = weapons.find((one) => one.weapon === weapon) ?? {};
  const title = (/** @type {string} */ id) => card.classes.find((one) => one.class === id)?.title ?? words(id);
  return [
    t(`effect-${effect}`, { count }),
    foe && t('weapon-downed', { ship: title(foe) }),
    carrier && t('weapon-carrier', { ship: title(carrier) }),
  ]
    .filter(Boolean)
    .join(' ');
}

/** The actor's knowledge after the action. @param {string} type of the action @param {Table['card']} card */
function learns(type, card) {
  const told = card.disclosures.find(({ action_type }) => action_type === type)?.recipients ?? [];
  return told.find(({ recipient }) => recipient === 'actor')?.learns ?? '';
}

/** @param {Table['card']} card */
export function rulesButton(card) {
  const acts = card.actions
    .map(({ action_type, title }) => ({ title, said: learns(action_type, card) }))
    .filter(({ said }) => said);
  const living = h('div');
  const sheet = h(
    'dialog',
    { class: 'rules', 'aria-label': t('rules-of', { game: card.title ?? '' }) },
    h('form', { method: 'dialog' }, h('button', { class: 'close', 'aria-label': t('close') }, '×')),
    h('h2', {}, card.title ?? ''),
    'description' in card && h('p', {}, card.description),
    living,
    acts.length > 0 &&
      h(
        'details',
        { class: 'acts' },
        h('summary', {}, t('what-you-do')),
        h(
          'dl',
          {},
          acts.flatMap(({ title, said }) => [h('dt', {}, title), h('dd', {}, said)]),
        ),
      ),
    card.rules_markdown && h('details', {}, h('summary', {}, t('all-rules')), markdown(card.rules_markdown, 4)),
  );
  sheet.addEventListener('click', (event) => {
    if (event.target === sheet) sheet.close();
  });
  const open = async () => {
    sheet.showModal();
    const { livingRules } = await import('./living-rules.js');
    const { element, run } = livingRules(card);
    fill(living, element);
    // With too few drawings, the words open.
    if (element.children.length < ENOUGH) sheet.querySelector('.acts')?.setAttribute('open', '');
    const closed = new AbortController();
    sheet.addEventListener('close', () => closed.abort(), { once: true });
    run(closed.signal);
  };
  const how = {
    type: 'button',
    class: 'help',
    'aria-label': t('rules'),
    title: t('rules'),
    on: { click: () => void open() },
  };
  return [h('button', how, '?'), sheet];
}
