/** Reports in words, by the shape of their fields. */

import { word, words } from '../format.js';
import { t } from '../i18n/index.js';

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

/** @param {Schema<'Match'>} view */
function namer(view) {
  const ships = new Map();
  const classes = new Map();
  for (const sea of view.seas) {
    for (const ship of sea.ships) {
      ships.set(ship.id, ship.name);
      classes.set(ship.class, ship.name);
    }
  }
  const seat = (/** @type {number} */ number) =>
    view.seats.find((one) => one.seat === number)?.player.username ?? t('nobody');
  return {
    ship: (/** @type {string} */ id) => ships.get(id) ?? words(id),
    kind: (/** @type {string} */ id) => classes.get(id) ?? words(id),
    seat,
  };
}

/** @param {string[]} cells */
function stretch(cells) {
  return cells.length > 4 ? `${cells[0]}–${cells.at(-1)}` : cells.join(' ');
}

/** Says a value of a report. @param {string} key @param {any} value @param {ReturnType<typeof namer>} names @returns {string} */
function say(key, value, names) {
  if (value === null || value === undefined || value === false) return '';
  if (value === true) return word('field', key);
  if (Array.isArray(value)) {
    if (!value.length) return '';
    if (value.every((one) => typeof one === 'string')) return stretch(value);
    if (value.every((one) => typeof one?.name === 'string')) return '';
    if (key === 'seats' || key === 'out') return value.map((one) => names.seat(one.seat ?? one)).join(', ');
    if (key === 'places') return value.map((one) => `${one.place}. ${names.seat(one.seat)}`).join(', ');
    return value
      .map((one) => say(key, one, names))
      .filter(Boolean)
      .join('; ');
  }
  if (typeof value === 'object') return sayObject(value, names);
  if (key === 'ship') return names.ship(value);
  if (key === 'target' || key === 'class') return names.kind(value);
  if (key === 'winner' || key === 'first' || key === 'owner') return `${word('field', key)}: ${names.seat(value)}`;
  if (typeof value === 'number') return `${word('field', key)} ${value}`;
  if (key === 'answer') return word('mark', value);
  return key === 'reason' ? word('reason', value) : String(value);
}

/** @param {any} value @param {ReturnType<typeof namer>} names */
function sayObject(value, names) {
  if (value.cell && 'answer' in value) {
    const { cell, answer, class: kind, clue } = /** @type {AnyOf<Schema<'ShotAnswer' | 'ChargedReport'>>} */ (value);
    return [cell, answer && word('mark', answer), clue, kind && `(${names.kind(kind)})`]
      .filter((part) => part !== null && part !== undefined)
      .join(' ');
  }
  const said = Object.entries(value).filter(([key]) => !SILENT.has(key) && key !== 'order');
  return said
    .map(([key, one]) => say(key, one, names))
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

/** What a type of report is called. @param {string} type @param {import('../titles.js').Card} [_card] */
export function titleOf(type, _card) {
  return words(type);
}

/** An action in words. @param {Schema<'Action'>} action @param {Schema<'Match'>} view @param {import('../titles.js').Card} card */
export function actionText(action, view, card) {
  const title = card.actions.find(({ action_type: type }) => type === action.type)?.title ?? words(action.type);
  return [title, sayObject(action, namer(view))].filter(Boolean).join(' ');
}

/** A pattern of reports in words. @param {Schema<'ReportPattern'>} pattern @param {Schema<'Match'>} view @param {import('../titles.js').Card} card */
export function patternText(pattern, view, card) {
  const { type, seat, ...rest } = /** @type {Record<string, any>} */ (pattern);
  const names = namer(view);
  const who = typeof seat === 'number' ? (seat === view.viewer.seat ? t('you') : names.seat(seat)) : '';
  const what = Object.entries(rest).map(([key, value]) => told(key, value, names));
  return [who, titleOf(String(type), card), ...what].filter(Boolean).join(' · ');
}

/** What a pattern says of a field. @param {string} key @param {any} value @param {ReturnType<typeof namer>} names @returns {string} */
function told(key, value, names) {
  if (value === false) return t('not-so', { what: word('field', key) });
  if (Array.isArray(value) && value.every((one) => typeof one === 'object')) {
    const inner = value.flatMap((one) => Object.entries(one).map(([name, field]) => told(name, field, names)));
    return inner.filter(Boolean).join(' ') || word('field', key);
  }
  return say(key, value, names);
}

/** @param {Schema<'Report'>} report @param {Schema<'Match'>} view @returns {{ who: string, what: string, text: string }} */
export function describe(report, view) {
  const names = namer(view);
  const seat = seatOf(report);
  const who = seat < 0 ? '' : names.seat(seat);
  const ofSeat = seat === view.viewer.seat ? t('you') : who;
  const text = sayObject(report, names);
  // What takes longer to read than the boards say at a glance is left to the boards.
  return { who: ofSeat, what: words(report.type), text: text.length > LONG ? '' : text };
}

/** @param {Schema<'Report'>} report @param {Schema<'Match'>} view */
export function sentence(report, view) {
  const { who, what, text } = describe(report, view);
  return `${[who, what].filter(Boolean).join(' · ')}${text ? `: ${text}` : ''}`;
}

/** The cells that a report tells of, by sea. @param {Schema<'Report'>} report @param {Schema<'Match'>} view @returns {[string, string][]} pairs of sea and cell */
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
