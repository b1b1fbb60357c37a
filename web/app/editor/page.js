/** The rules editor: the sea, the fleet, the differences and the service's check. */

import '../board/board.js';
import { api, once, pause } from '../api.js';
import { fill, h } from '../dom.js';
import { word } from '../format.js';
import { t } from '../i18n/index.js';
import { looksOf, shipPicture } from '../kit/ships.js';
import { markdown } from '../markdown.js';
import { styled } from '../match/styled.js';
import { go, share } from '../router.js';
import { rulesForm } from '../rules-form.js';
import { me } from '../session.js';
import { action, form, labelled, link, problemBox } from '../ui.js';
import { choices, chosen, weapons } from './choices.js';
import { differences } from './differences.js';
import { cellsOf, Draft } from './draft.js';
import { shipYard } from './ship-yard.js';

/** @typedef {import('../dom.js').Child} Child */

/** Pause in editing before a check. */
const REST_MS = 300;

/** Redraws a part, with the focus kept. @param {HTMLElement} element @param {(Child | Child[])[]} children */
function refill(element, ...children) {
  const at = element.contains(document.activeElement) && document.activeElement?.getAttribute('data-focus');
  fill(element, ...children);
  const next = at && (element.querySelector(`[data-focus="${CSS.escape(at)}"]`) ?? element.querySelector('button'));
  if (next instanceof HTMLElement) next.focus();
}

/** @param {string} text @param {() => void} click @param {Record<string, any>} [attributes] */
const button = (text, click, attributes) => h('button', { type: 'button', ...attributes, on: { click } }, text);

/** A number with a button on each side. @param {string} what @param {number} value
 * @param {{ minimum?: number, maximum?: number }} bounds @param {(value: number) => void} change */
function stepper(what, value, { minimum = 0, maximum = 99 }, change) {
  const step = (/** @type {string} */ sign, /** @type {string} */ name, /** @type {number} */ to) => {
    const shut = to < minimum || to > maximum;
    const said = { 'aria-label': t(name, { what }), 'data-focus': `${name} ${what}`, 'aria-disabled': shut && 'true' };
    return button(sign, () => shut || change(to), said);
  };
  const [less, more] = [step('−', 'step-less', value - 1), step('+', 'step-more', value + 1)];
  return h('span', { class: 'stepper', role: 'group', 'aria-label': what }, less, h('output', {}, value), more);
}

/** A list with another count for an item; 0 removes it. @template {Record<string, any>} T @param {T[]} list
 * @param {T} one @param {string} name @param {number} count */
function counted(list, one, name, count) {
  const now = { ...one, [name]: count };
  const all = list.includes(one) ? list.map((each) => (each === one ? now : each)) : [...list, now];
  return all.filter((each) => each[name] > 0);
}

/** @param {Draft} draft @param {AbortSignal} signal */
function editor(draft, signal) {
  const [list, tools, side, groups, all, note] = ['', 'tools', 'differs', 'groups', '', ''].map((kind) =>
    h('div', { class: kind || null }),
  );
  const said = h('div', { class: 'verdict', role: 'status' });
  const acts = h('div', { class: 'acts' });
  const board = /** @type {import('../board/board.js').SeaBoard} */ (document.createElement('sea-board'));
  const more = h('details', { class: 'fold' }, h('summary', {}, t('open-rules')), all);
  /** @type {Map<string, HTMLElement>} places of faults, by field */
  const faults = new Map();
  const hasFleet = !!draft.part('fleet', 'items', 'length');
  const hasIslands = !!draft.part('islands');
  let before = new Set(differences(draft).map(({ text }) => text));
  let [tool, mirror, writing, asked] = ['island', false, false, 0];

  const beside = (/** @type {string[]} */ ...fields) => {
    const box = faults.get(fields[0]) ?? h('div');
    for (const field of fields) faults.set(field, box);
    return box;
  };

  const change = (/** @type {Record<string, any>} */ changes) => {
    before = new Set(differences(draft).map(({ text }) => text));
    draft.set(changes);
    show();
    if (!writing) drawAll();
    void ask();
  };

  /** Paints cells, and their mirror images if mirroring is on. @param {string[]} labels */
  const paint = (...labels) => {
    const { columns, cells } = draft.sea();
    const meant = cells.filter((cell) => labels.includes(cell.label));
    const across = cells.filter(({ row, column }) =>
      meant.some((cell) => cell.row === row && cell.column === columns - 1 - column),
    );
    const painted = new Set([...meant, ...(mirror ? across : [])].map(({ label }) => label));
    const islands = draft.rules.islands ?? { drawn: 0, size: 1, contact: 'allowed', cells: [] };
    const rest = islands.cells.filter((/** @type {string} */ label) => !painted.has(label));
    const land = tool === 'island' ? [...rest, ...painted] : rest;
    if (hasIslands && land.length !== islands.cells.length) change({ islands: { ...islands, cells: land } });
  };
  let held = '';
  board.addEventListener('pointerdown', ({ target, pointerType, button: pressed }) => {
    const cell = /** @type {Element} */ (target).closest('[data-cell]')?.getAttribute('data-cell') ?? '';
    held = pointerType === 'touch' || pressed ? '' : cell; // a finger scrolls
    addEventListener('pointerup', () => (held = ''), { once: true });
  });
  const cellOf = (/** @type {Event} */ event) => /** @type {CustomEvent} */ (event).detail.cell;
  board.addEventListener('sea-cell', (event) => paint(cellOf(event)));
  board.addEventListener('sea-hover', (event) => held && paint(held, cellOf(event)));

  const drawSea = (again = false) => {
    draft.place(again);
    board.draw(draft.sea(), t('sea'), false, draft.card.classes);
    board.show({ ships: draft.hulls, active: hasIslands });
    fill(note, hasFleet && t(draft.hulls.length ? 'example-fleet' : 'no-room'));
  };

  const drawTools = () => {
    const { rows, columns } = draft.sea();
    const usual = { rows, columns, rows_per_seat: rows / draft.card.seats.min };
    const sides = draft.sides.map(([field, inner]) => {
      const [whole, name] = [draft.rules[field], /** @type {keyof typeof usual} */ (inner ?? field)];
      const bounds = draft.part(...(inner ? [field, inner] : [field]));
      const to = (/** @type {number} */ value) => change({ [field]: inner ? { ...whole, [inner]: value } : value });
      return stepper(word('rule', name), (inner ? whole?.[inner] : whole) ?? usual[name], bounds, to);
    });
    const brushes = ['water', 'island', 'mirror'].map((name) => {
      const press = () => {
        if (name === 'mirror') mirror = !mirror;
        else tool = name;
        drawTools();
      };
      const pressed = String(name === 'mirror' ? mirror : tool === name);
      return button(t(`tool-${name}`), press, { 'aria-pressed': pressed, 'data-focus': name });
    });
    const group = h('span', { class: 'brushes', role: 'group', 'aria-label': t('paint-with') }, brushes);
    const size = sides.flatMap((one, i) => (i ? ['×', one] : [one]));
    refill(tools, h('h2', {}, t('sea')), size, hasIslands && group);
  };

  const drawFleet = () => {
    const looks = looksOf(draft.card.classes);
    const { maximum } = draft.part('fleet', 'items', 'count');
    const lines = draft.fleet.map((one) => {
      const cells = cellsOf(one);
      const picture = shipPicture({ look: looks.get(one.class), cells, length: one.length });
      const count = (/** @type {number} */ to) => change({ fleet: counted(draft.fleet, one, 'count', to) });
      const [name, size] = [draft.titleOf(one), t('ship-cells', { count: one.length })];
      const text = h('span', {}, h('b', {}, name), h('small', {}, size));
      return h('li', {}, picture, text, stepper(name, one.count, { maximum }, count));
    });
    const ships = draft.fleet.reduce((sum, one) => sum + one.count, 0);
    const covered = draft.fleet.reduce((sum, one) => sum + one.count * one.length, 0);
    const sum = t('fleet-sum', { count: ships, covered, all: draft.sea().cells.length });
    refill(list, h('h2', {}, t('fleet'), ' ', h('small', {}, sum)), h('ul', { class: 'fleet-counts' }, lines));
  };

  const drawSide = () => {
    const lines = differences(draft).map(({ text, back }, i) => {
      const named = { class: 'quiet', 'aria-label': t('take-back-what', { what: text }), 'data-focus': `back ${i}` };
      const undo = button('↶', () => change(back), named);
      return h('li', { class: before.has(text) ? null : 'newest' }, h('span', {}, text), undo);
    });
    const title = h('h2', {}, t('differs-from', { game: draft.card.title }));
    refill(side, title, lines.length ? h('ul', {}, lines) : h('p', { class: 'muted' }, t('differs-nothing')));
  };

  const drawGroups = () => {
    const { salvo } = draft.rules;
    const group = (/** @type {string} */ key, /** @type {Child[]} */ cards, /** @type {Child} */ below = null) => {
      const legend = h('legend', {}, word('rule', key));
      return (
        cards.length > 0 && h('fieldset', {}, legend, h('div', { class: 'choice-cards' }, cards), below, beside(key))
      );
    };
    const size = draft.part('salvo', 'size');
    const shots = (/** @type {number} */ to) => change({ salvo: { ...salvo, size: to } });
    const picked = choices(draft).map(({ key, options }) => {
      const cards = options.map((one) => {
        const how = { type: 'radio', name: key, checked: chosen(draft, one), 'data-focus': `${key} ${one.id}` };
        const input = h('input', { ...how, on: { change: () => change(one.patch) } });
        return h('label', { class: 'choice' }, input, one.picture, h('span', {}, one.text));
      });
      const count = size && key === 'salvo' && !salvo.shots && stepper(t('shots'), salvo.size, size, shots);
      return group(key, cards, count && h('p', { class: 'tools' }, t('shots'), count));
    });
    const bounds = { maximum: draft.part('weapons', 'items', 'uses')?.maximum };
    const arms = weapons(draft).map(({ weapon, picture }) => {
      const uses = (/** @type {number} */ to) => change({ weapons: counted(draft.weapons, weapon, 'uses', to) });
      const [name, kind] = [draft.titleOf(weapon), weapon.uses ? 'choice has' : 'choice'];
      return h('div', { class: kind }, picture, h('span', {}, name), stepper(name, weapon.uses, bounds, uses));
    });
    refill(groups, picked, group('weapons', arms));
  };

  /** The form of all rules; it isn't redrawn while in use. */
  const drawAll = () => {
    const changed = (/** @type {Record<string, any>} */ changes) => {
      writing = true;
      change(changes);
      writing = false;
    };
    if (more.open) fill(all, rulesForm(draft.schema, draft.rules, changed));
  };
  more.addEventListener('toggle', drawAll);

  const show = () => {
    drawSea();
    drawTools();
    if (hasFleet) drawFleet();
    drawSide();
    drawGroups();
  };

  /** Has the rules checked after a pause, and shows each fault beside its cause. */
  const ask = async () => {
    const mine = ++asked;
    await pause(REST_MS, signal).catch(() => {});
    try {
      if (mine !== asked || signal.aborted) return;
      const check = await api.post('/v1/rule-sets/check', { variant: draft.card.id, rule_set: draft.changes });
      if (mine !== asked || signal.aborted) return;
      draft.check = check;
      const { valid, errors, same_as_named_rule_set: hash } = check;
      const boxOf = (/** @type {Schema<'ProblemError'>} */ { pointer }) => faults.get(pointer.split('/')[1]);
      const told = (/** @type {HTMLElement | undefined} */ box) => {
        const texts = new Set(
          errors.filter((one) => boxOf(one) === box).map(({ detail }) => detail.replaceAll('`', '')),
        );
        const lines = [...texts].map((text) => h('li', {}, text));
        return lines.length > 0 && h('ul', { class: 'refusal' }, lines);
      };
      for (const box of faults.values()) fill(box, told(box));
      const verdict = valid ? t('rules-valid') : t('rules-faults', { count: errors.length });
      const address = `/variants/${draft.card.id}/edit?rules=${hash}`;
      const published = hash && h('p', {}, t('rules-published'), ' ', link(address, share(address)));
      fill(said, h('p', { class: valid ? 'good' : 'bad' }, verdict), told(undefined), published);
      for (const one of acts.querySelectorAll('button')) one.disabled = !valid;
      drawSea();
      drawTools();
    } catch (failure) {
      if (mine === asked) fill(said, problemBox(failure));
    }
  };

  const attempt = async () => {
    const { tryRules } = await import('../pages/bots.js');
    const { id, seats } = draft.card;
    const hash = draft.check?.same_as_named_rule_set;
    const rules = hash ? { named_rule_set: hash } : { variant: id, rule_set: draft.changes };
    await tryRules(id, rules, draft.rules.seats?.min ?? seats.min, signal);
  };
  const offer = () =>
    go(`/lobby/new?variant=${draft.card.id}&rules=${draft.check?.same_as_named_rule_set ?? draft.key}`);
  const publish = async (/** @type {Record<string, string>} */ words) => {
    const { hash } = await api.post('/v1/rule-sets', {
      ...{ title: '', ...words },
      ...{ variant: draft.card.id, rule_set: draft.changes },
    });
    draft.drop();
    go(`/variants/${draft.card.id}/edit?rules=${hash}`);
  };
  const name = h('input', { name: 'title', required: true, minlength: 3, maxlength: 80, autocomplete: 'off' });
  const text = h('textarea', { name: 'rules_markdown', rows: 4, maxlength: 20_000 });
  const fields = [labelled(t('game-name'), name), labelled(t('game-text'), text), h('p', {}, t('publish-note'))];
  fill(
    acts,
    action(t('try-bot'), attempt, { class: 'primary wide' }),
    button(t('offer-these'), offer),
    h(
      'details',
      { class: 'fold' },
      h('summary', {}, t('publish')),
      me()?.guest === false
        ? form({ submit: t('publish-it'), onSubmit: publish, button: '' }, fields)
        : h('p', {}, link(me() ? '/account' : '/sign-in', t('publish-account'))),
    ),
  );
  const again = h('button', { type: 'button', class: 'quiet' }, '↻ ', t('place-again'), h('kbd', {}, 'R'));
  again.addEventListener('click', () => drawSea(true));
  const foot = h('div', { class: 'title-line muted' }, note, hasFleet && again);
  const water = beside('board', 'islands', 'rows', 'rows_per_seat', 'columns');
  const sea = h('section', { 'aria-label': t('sea') }, tools, board, foot, water);
  board.addEventListener('keydown', ({ key }) => key.toLowerCase() === 'r' && drawSea(true));
  const launch = (/** @type {import('./draft.js').ShipClass} */ ship) => {
    const at = draft.fleet.findIndex((one) => one.class === ship.class);
    change({ fleet: at < 0 ? [...draft.fleet, ship] : draft.fleet.with(at, ship) });
  };
  const yard = hasFleet && shipYard(draft, launch);
  const fleet = hasFleet && h('div', { class: 'fleet-rules' }, list, beside('fleet'), yard);
  show();
  void ask();
  const aside = h('aside', { 'aria-label': t('check') }, side, h('h2', {}, t('check')), said, acts);
  return [h('div', { class: 'editor-parts' }, sea, fleet, aside), groups, more];
}

/** @type {import('../router.js').Maker} */
export async function editorPage({ params, query, signal }) {
  const hash = query.get('rules');
  const [card, named] = await Promise.all([
    once(`/v1/variants/${params.id}`),
    hash ? once(`/v1/rule-sets/${hash}`) : null,
    styled('../editor/editor.css'),
  ]);
  const draft = new Draft(card, hash ?? card.id, named?.rule_set);
  const title = named?.title ?? t('own-game', { game: card.title });
  const about = h('p', { class: 'muted' }, t('begun-from'), ' ', link(`/variants/${card.id}`, card.title));
  const words = named?.rules_markdown && h('div', { class: 'prose' }, markdown(named.rules_markdown, 2));
  return { title, body: h('article', { class: 'editor' }, h('h1', {}, title), about, words, editor(draft, signal)) };
}
