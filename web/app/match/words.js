/** Reports in words, by the shape of their fields. */

import { moment, words } from '../format.js';
import { t } from '../i18n/index.js';
import { seaTitle } from './boards.js';
import { fieldTitle, valueTitle, vocabulary } from './vocabulary.js';

/** Fields that say nothing to a reader. */
const SILENT = new Set([
  'type',
  'number',
  'at',
  'seat',
  'next',
  'commitment',
  'salt',
  'rests',
  'from',
  'until',
  'draw',
  'drawn',
  'round',
]);

/** Characters in a line of the log. */
const LONG = 240;

/** @typedef {import('../titles.js').Card} Card */

/** What values name. @param {Schema<'Match'>} view @param {Card} card */
function namer(view, card) {
  const known = vocabulary(card);
  const ships = new Map(view.seas.flatMap((sea) => sea.ships.map(({ id, name }) => [id, name])));
  const seat = (/** @type {number} */ number) =>
    view.seats.find((one) => one.seat === number)?.player.username ?? t('nobody');
  const sea = (/** @type {string} */ id) => {
    const found = view.seas.find((one) => one.id === id);
    return found ? seaTitle(view, found) : words(id);
  };
  /** @type {Record<string, (value: any) => string>} */
  const names = {
    seat,
    sea,
    ship: (id) => known.ships.get(id) ?? ships.get(id) ?? words(id),
    class: (id) => known.classes.get(id) ?? words(id),
    supply: (id) => known.supplies.get(id) ?? words(id),
    line: words,
    time: moment,
    cell: String,
  };
  return { names, seat, title: (/** @type {string} */ key) => fieldTitle(card, key), card, known };
}

/** @param {string[]} cells */
function stretch(cells) {
  return cells.length > 4 ? `${cells[0]}–${cells.at(-1)}` : cells.join(' ');
}

/**
 * Says a value of a report.
 * @param {string} key
 * @param {any} value
 * @param {ReturnType<typeof namer>} by
 * @returns {string}
 */
function say(key, value, by) {
  if (value === null || value === undefined || value === false) return '';
  if (value === true) return by.title(key);
  if (Array.isArray(value)) return sayList(key, value, by);
  if (typeof value === 'object') return sayObject(value, by);
  const field = by.known.fields.get(key);
  if (field?.names === 'seat') return `${field.title} ${by.seat(value)}`;
  if (field?.names) return by.names[field.names]?.(value) ?? String(value);
  if (typeof value === 'number') return `${by.title(key)} ${value}`;
  return field ? valueTitle(by.card, key, value) : String(value);
}

/** @param {string} key @param {any[]} value @param {ReturnType<typeof namer>} by @returns {string} */
function sayList(key, value, by) {
  if (!value.length) return '';
  const names = by.known.fields.get(key)?.names;
  if (names === 'seat' && value.every((one) => typeof one === 'number'))
    return `${by.title(key)} ${value.map(by.seat).join(', ')}`;
  if (value.every((one) => typeof one === 'string')) return names === 'cell' ? stretch(value) : sayEach(key, value, by);
  if (value.every((one) => typeof one?.name === 'string')) return ''; // who sits where
  if (key === 'places') return value.map((one) => `${one.place}. ${by.seat(one.seat)}`).join(', ');
  const said = value.map((one) => say(key, one, by)).filter(Boolean);
  // Ships that a shot has hit: what was done to them stands before them.
  const titled = value.every((one) => Object.keys(one).join() === 'seat,ship');
  return `${titled ? `${by.title(key)} ` : ''}${said.join('; ')}`;
}

/** @param {string} key @param {string[]} value @param {ReturnType<typeof namer>} by */
function sayEach(key, value, by) {
  return value.map((one) => say(key, one, by)).join(' ');
}

/** @param {any} value @param {ReturnType<typeof namer>} by */
function sayObject(value, by) {
  if (value.cell && 'answer' in value) {
    const { cell, answer, class: kind, clue } = /** @type {AnyOf<Schema<'ShotAnswer' | 'ChargedReport'>>} */ (value);
    return [cell, answer && valueTitle(by.card, 'answer', answer), clue, kind && `(${by.names.class(kind)})`]
      .filter((part) => part !== null && part !== undefined)
      .join(' ');
  }
  const said = Object.entries(value).filter(([key]) => !SILENT.has(key) && key !== 'order');
  return said
    .map(([key, one]) => say(key, one, by))
    .filter(Boolean)
    .join(' ');
}

/** Whether a report has anything to read. @param {Schema<'Report'>} report */
export function readable(report) {
  return !('commitment' in report) && !('rests' in report);
}

/** Whose report it is; -1: nobody's. @param {Schema<'Report'>} report */
export function seatOf(report) {
  return 'seat' in report ? (report.seat ?? -1) : -1;
}

/** What a type of report is called. @param {string} type @param {Card} card */
export function titleOf(type, card) {
  return vocabulary(card).types.get(type) ?? words(type);
}

/** An action in words. @param {Schema<'Action'>} action @param {Schema<'Match'>} view @param {Card} card */
export function actionText(action, view, card) {
  const title = card.actions.find(({ action_type: type }) => type === action.type)?.title ?? words(action.type);
  return [title, sayObject(action, namer(view, card))].filter(Boolean).join(' ');
}

/**
 * A pattern of reports in words.
 * @param {Schema<'ReportPattern'>} pattern
 * @param {Schema<'Match'>} view
 * @param {Card} card
 */
export function patternText(pattern, view, card) {
  const { type, seat, ...rest } = /** @type {Record<string, any>} */ (pattern);
  const by = namer(view, card);
  const who = typeof seat === 'number' ? (seat === view.viewer.seat ? t('you') : by.seat(seat)) : '';
  const what = Object.entries(rest).map(([key, value]) => sayPattern(key, value, by));
  return [who, titleOf(String(type), card), ...what].filter(Boolean).join(' · ');
}

/**
 * What a pattern says of a field.
 * @param {string} key
 * @param {any} value
 * @param {ReturnType<typeof namer>} by
 * @returns {string}
 */
function sayPattern(key, value, by) {
  if (value === false) return t('not-so', { what: by.title(key) });
  if (Array.isArray(value) && value.every((one) => one && typeof one === 'object')) {
    const inner = value.flatMap((one) => Object.entries(one).map(([name, field]) => sayPattern(name, field, by)));
    return inner.filter(Boolean).join(' ') || by.title(key);
  }
  return say(key, value, by);
}

/**
 * @param {Schema<'Report'>} report
 * @param {Schema<'Match'>} view
 * @param {Card} card
 * @returns {{ who: string, what: string, text: string }}
 */
export function describe(report, view, card) {
  const by = namer(view, card);
  const seat = seatOf(report);
  const who = seat < 0 ? '' : by.seat(seat);
  const ofSeat = seat === view.viewer.seat ? t('you') : who;
  const text = sayObject(report, by);
  // What takes longer to read than the boards say at a glance is left to the boards.
  return { who: ofSeat, what: titleOf(report.type, card), text: text.length > LONG ? '' : text };
}

/** @param {Schema<'Report'>} report @param {Schema<'Match'>} view @param {Card} card */
export function sentence(report, view, card) {
  const { who, what, text } = describe(report, view, card);
  return `${[who, what].filter(Boolean).join(' · ')}${text ? `: ${text}` : ''}`;
}

/**
 * The cells that a report tells of, by sea.
 * @param {Schema<'Report'>} report
 * @param {Schema<'Match'>} view
 * @returns {[string, string][]} pairs of sea and cell
 */
export function cellsTold(report, view) {
  const other = view.seas.length === 1 ? view.seas[0] : view.seas.find((sea) => sea.owner !== seatOf(report));
  const named = view.seas.find((sea) => 'target' in report && sea.id === report.target);
  const sea = (named ?? other)?.id ?? '';
  /** @type {[string, string][]} */
  const told = [];
  const walk = (/** @type {any} */ value) => {
    if (!value || typeof value !== 'object') return;
    if (typeof value.cell === 'string') told.push([sea, value.cell]);
    for (const [key, one] of Object.entries(value)) {
      if (['cells', 'path', 'occupied'].includes(key) && Array.isArray(one))
        told.push(...one.map((cell) => /** @type {[string, string]} */ ([sea, cell])));
      else if (key !== 'ships') walk(one);
    }
  };
  if (sea && !('seas' in report)) walk(report);
  return told;
}
